"""Global recoding: categories merged, numbers put into ranges."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, ClassVar

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta
from numpy.typing import NDArray

from unveil.errors import SchemaError, SpecError
from unveil.masks.base import MaskedColumn, OnEachColumn, known_numbers, one_of
from unveil.support.arrays import Floats
from unveil.table.attribute import Attribute
from unveil.table.cells import write_range
from unveil.table.columns import labels_of, stored_as
from unveil.table.encoding.to_arrays import codes
from unveil.table.encoding.to_columns import labelled
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Ranges, Recoding
from unveil.wording import count

MOST_RANGES = 100_000


class GlobalRecoding(OnEachColumn, frozen=True, kw_only=True):
    """Global recoding: categories merged into coarser ones, numbers put into ranges.

    Less is told of everybody, and nothing that is false: an age becomes a span of years, a town a
    region. The coarser the values, the more people share them.

    `groups` names the new categories and their members; `rarest` merges the rarest
    categories of the file, as many as are to go and one more, into the commonest of them or
    under a `label` of your own;
    `intervals` is a width (ranges begin at its multiples) or a list of cut points, each the
    beginning of a range. Ranges are generalised cells: 20..24, 65.. Domingo-Ferrer and
    Torra, Validating distance-based record linkage with probabilistic record linkage (2002),
    Section 2.2.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100)
    >>> recoding = GlobalRecoding(intervals=10, columns=["age"])
    >>> sorted(set(unveil.mask(sample, [recoding]).data.column("age")))[:3]
    ['0..9', '10..19', '20..29']
    >>> alone = GlobalRecoding(
    ...     groups={"not married": ["single", "divorced", "widowed"]}, columns=["marital_status"]
    ... )
    >>> sorted(set(unveil.mask(sample, [alone]).data.column("marital_status")))
    ['married', 'not married']
    """

    levels: ClassVar[tuple[str, ...]] = ("nominal", "ordinal")
    chance: ClassVar[bool] = False

    groups: Annotated[
        dict[str, tuple[str, ...]] | None,
        Meta(description="Each new category and the categories that it stands for."),
    ] = None
    rarest: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="How many of the rarest categories go."),
    ] = None
    label: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="What the merged rarest are called; if not given, as the commonest."),
    ] = None
    intervals: Annotated[
        float | tuple[float, ...] | None,
        Meta(description="For numbers: the width of the ranges, or where they begin."),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = one_of(self, "groups", "rarest", "intervals")
        if self.label is not None and kind != "rarest":
            raise SpecError(f"{self.step}: label goes with rarest")
        if kind == "groups":
            _check_groups(self.step, self.groups or {})
        if kind == "intervals":
            _check_intervals(self.step, self.intervals)

    def accepted(self) -> tuple[str, ...]:
        """Numbers are put into intervals, categories merged."""
        return self.levels if self.intervals is None else ("numeric",)

    def check_column(self, data: Microdata, column: str) -> None:
        """Groups name categories that there are."""
        super().check_column(data, column)
        if self.intervals is None:
            self._table(data, column)
        elif stored_as(data.column(column)) in ("dates", "times"):
            raise SchemaError(
                f"{self.step}: column '{column}' holds {stored_as(data.column(column))}, which "
                "ranges of numbers cannot stand for; round it, or make it a number"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        """Replace each category, or each number."""
        if self.intervals is not None:
            return self._into_ranges(data, column)
        table = self._table(data, column)
        masked, table = _relabelled(data.column(column), table)
        attribute, order = data.schema[column], _order(data, column)
        after = _merged(attribute, order, table) if self.groups or self.label else None
        if after is None and attribute.merged:  # which is of categories that may be gone
            after = attribute
        if after is not None:
            # What nobody has declared is not told: it would be the rarest categories of the file.
            told = self.groups or _declared(attribute) >= set(table)
            merged = _stand_for(attribute, table) if told else {}
            after = msgspec.structs.replace(after, merged=merged)
        return MaskedColumn(masked, Recoding((column,), table), after)

    def _table(self, data: Microdata, column: str) -> dict[str, str]:
        """What each category becomes."""
        coded = codes(data, column)
        table = {category: category for category in coded.categories}
        if self.groups is None:
            sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(table))
            by_size = [code for code in np.argsort(sizes, kind="stable") if sizes[code]]
            merged = by_size[: (self.rarest or 0) + 1]
            names = [coded.categories[code] for code in merged]
            if self.label in set(table) - set(names):
                raise SpecError(
                    f"{self.step}: label: it is a category of column '{column}' that stays"
                )
            return table | dict.fromkeys(names, self.label or names[-1])
        attribute = data.schema[column]
        known = {*table, *attribute.labels, *(row[0] for row in attribute.hierarchy)}
        for label, members in self.groups.items():
            for member in members:
                if member not in known:
                    raise SpecError(
                        f"{self.step}: groups: '{member}' is not a category of column "
                        f"'{column}'; leave it out, or correct it"
                    )
            table |= dict.fromkeys((member for member in members if member in table), label)
        _check_neighbours(self.step, column, _order(data, column), table)
        return table

    def _into_ranges(self, data: Microdata, column: str) -> MaskedColumn:
        values = known_numbers(self, data, [column]).values[:, 0]
        known = ~np.isnan(values)
        whole = stored_as(data.column(column)) == "whole numbers"
        cells = np.full(len(values), None, object)
        if isinstance(self.intervals, tuple):
            closed = whole and all(cut.is_integer() for cut in self.intervals)
            cells[known] = _cut(values[known], self.intervals, closed=closed)
        else:
            width = self.intervals or 1.0
            closed = whole and width.is_integer()
            cells[known] = ranges_of(self.step, values[known], width, closed=closed)
        masked = pl.Series(column, cells.tolist(), dtype=pl.String)
        attribute = msgspec.structs.replace(
            data.schema[column], level="numeric", generalised=True, hierarchy=()
        )
        return MaskedColumn(masked, Ranges((column,), closed), attribute)


def _check_groups(step: str, groups: dict[str, tuple[str, ...]]) -> None:
    members = [member for listed in groups.values() for member in listed]
    if not members or not all(groups.values()) or "" in groups:
        raise SpecError(f"{step}: groups: each new category has a name and at least one member")
    if len(set(members)) < len(members):
        raise SpecError(f"{step}: groups: a category is in two of them")


def _check_intervals(step: str, given: float | tuple[float, ...] | None) -> None:
    numbers = given if isinstance(given, tuple) else (given or 0.0,)
    if not numbers or not np.isfinite(numbers).all() or any(a >= b for a, b in pairwise(numbers)):
        raise SpecError(
            f"{step}: intervals: a width, or cut points, each larger than the one before"
        )
    if not isinstance(given, tuple) and numbers[0] <= 0:
        raise SpecError(f"{step}: intervals: a width above 0")


def _check_neighbours(step: str, column: str, order: Sequence[str], table: dict[str, str]) -> None:
    """Merged categories of an ordinal attribute stand side by side in its order."""
    labels = [table[category] for category in order if category in table]
    changes = sum(a != b for a, b in pairwise(labels))
    if labels and changes + 1 > len(set(labels)):
        raise SpecError(
            f"{step}: groups: column '{column}' is ordinal, and a group has a gap in its order"
        )


def _order(data: Microdata, column: str) -> Sequence[str]:
    """The categories of an ordinal column in order, declared or not."""
    if data.level(column) != "ordinal":
        return ()
    return data.order(column) or codes(data, column).categories


def _merged(attribute: Attribute, order: Sequence[str], table: dict[str, str]) -> Attribute:
    """What the attribute is with the new categories."""
    new_order = tuple(dict.fromkeys(table.get(category, category) for category in order))
    leaves = {row[0] for row in attribute.hierarchy}
    left = set(table.values())
    return msgspec.structs.replace(
        attribute,
        order=new_order,
        level="ordinal" if new_order else "nominal",
        labels={
            category: label for category, label in attribute.labels.items() if category in left
        },
        hierarchy=attribute.hierarchy if leaves >= left else (),
        merged={},
    )


def _declared(attribute: Attribute) -> set[str]:
    leaves = (row[0] for row in attribute.hierarchy)
    return {*attribute.order, *attribute.labels, *leaves}


def _stand_for(attribute: Attribute, table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Each category that is another now, or more than it was, and those that it stands for."""
    found: dict[str, list[str]] = {}
    for old, new in table.items():
        found.setdefault(new, []).extend(attribute.merged.get(old, (old,)))
    return {new: tuple(members) for new, members in found.items() if members != [new]}


def _relabelled(cells: pl.Series, table: dict[str, str]) -> tuple[pl.Series, dict[str, str]]:
    """The cells with other labels, in their own type where it can hold them all.

    Returned with the table as the cells now have it: among numbers, 1.0 is the category 1.
    """
    labels = labels_of(cells).replace(table)
    masked = labelled(cells, labels)
    if masked is None:
        return labels.alias(cells.name), table
    written = dict(zip(labels, labels_of(masked), strict=True))
    return masked, {old: written.get(new, new) for old, new in table.items()}


def _cut(values: Floats, cuts: tuple[float, ...], *, closed: bool) -> NDArray[np.object_]:
    """The range of each value, ranges beginning at the cut points."""
    starts = [None, *map(_text, cuts)]
    ends = [*(_text(cut - 1 if closed else cut) for cut in cuts), None]
    ranges = [write_range(start, end) for start, end in zip(starts, ends, strict=True)]
    return np.array(ranges, object)[np.searchsorted(cuts, values, side="right")]


def ranges_of(step: str, values: Floats, width: float, *, closed: bool) -> NDArray[np.object_]:
    """The range of each value, ranges beginning at the multiples of a width.

    >>> ranges_of("recoding", np.array([7.0, 12.0]), 5.0, closed=True).tolist()
    ['5..9', '10..14']
    """
    exact = Decimal(repr(width))
    bins = np.floor(values / width)
    if np.abs(bins).max() > 2**53:
        raise SpecError(f"{step}: intervals: the width is too small for these numbers")
    distinct, place = np.unique(bins, return_inverse=True)
    if len(distinct) > MOST_RANGES:
        raise SpecError(f"{step}: intervals: {count(len(distinct), 'range')}; use a wider width")
    # Division rounds: a value at the edge may have come to lie beside its range.
    starts, ends = (
        np.array([float(exact * (int(number) + side)) for number in distinct]) for side in (0, 1)
    )
    bins += (values >= ends[place]).astype(float) - (values < starts[place])
    distinct, place = np.unique(bins, return_inverse=True)
    ranges = []
    for number in distinct.tolist():
        low = exact * int(number)
        high = low + exact - (1 if closed else 0)
        ranges.append(write_range(_plain(low), _plain(high)) if low != high else _plain(low))
    return np.array(ranges, object)[place]


def _text(number: float) -> str:
    return _plain(Decimal(repr(number)))


def _plain(number: Decimal) -> str:
    """A number without an exponent and without idle zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
