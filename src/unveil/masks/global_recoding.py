"""Global recoding: merge categories, and put numbers into ranges."""

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
from unveil.masks.base import MaskedColumn, UnivariateMask
from unveil.support.arrays import Floats
from unveil.table.attribute import Attribute
from unveil.table.cells import write_range
from unveil.table.columns import labels_of, stored_as
from unveil.table.encoding.to_arrays import codes
from unveil.table.encoding.to_columns import labelled
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import Recoding
from unveil.values.release.channels import Ranges
from unveil.wording import count

MOST_RANGES = 100_000


class GlobalRecoding(UnivariateMask, frozen=True, kw_only=True):
    """Global recoding: merge categories into coarser ones, and put numbers into ranges.

    Released values are less precise, and none is false: an age becomes a range of years, a town a
    region. The coarser the values, the more people share them.

    `groups` lists the new categories with their members. `rarest` merges this many of the rarest
    categories of the file with the next rarest, under the name of the latter or a `label`.
    `intervals` is a width (ranges start at its multiples) or a list of cut points, at which
    ranges start. Ranges are generalised cells: 20..24, 65.. Domingo-Ferrer and Torra, Validating
    distance-based record linkage with probabilistic record linkage (2002), Section 2.2.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100)
    >>> recoding = GlobalRecoding(intervals=10, columns=["age"])
    >>> sorted(set(unveil.mask(sample, [recoding]).data.column("age")))[:3]
    ['0..9', '10..19', '20..29']
    >>> merging = GlobalRecoding(
    ...     groups={"not married": ["single", "divorced", "widowed"]}, columns=["marital_status"]
    ... )
    >>> sorted(set(unveil.mask(sample, [merging]).data.column("marital_status")))
    ['married', 'not married']
    """

    levels: ClassVar[tuple[str, ...]] = ("nominal", "ordinal")
    is_random: ClassVar[bool] = False

    groups: Annotated[
        dict[str, tuple[str, ...]] | None,
        Meta(description="New categories, each with the categories that it replaces."),
    ] = None
    rarest: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Number of rare categories to remove.")
    ] = None
    label: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="Name of the merged rare categories; by default that of the commonest."),
    ] = None
    intervals: Annotated[
        float | tuple[float, ...] | None,
        Meta(description="For numbers: the width of the ranges, or their start points."),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = self.require_one_of("groups", "rarest", "intervals")
        if self.label is not None and kind != "rarest":
            raise SpecError(f"{self.step}: label goes with rarest")
        if kind == "groups":
            _check_groups(self.step, self.groups or {})
        if kind == "intervals":
            _check_intervals(self.step, self.intervals)

    def accepted_levels(self) -> tuple[str, ...]:
        return self.levels if self.intervals is None else ("numeric",)

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        if self.intervals is None:
            self._table(data, column)
        elif stored_as(data.column(column)) in ("dates", "times"):
            raise SchemaError(
                f"{self.step}: column '{column}' holds {stored_as(data.column(column))}, which "
                "ranges of numbers cannot represent; round it, or make it a number"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        if self.intervals is not None:
            return self._into_ranges(data, column)
        masked, table = _relabelled(data.column(column), self._table(data, column))
        attribute, new_attribute = data.schema[column], None
        if self.groups or self.label:
            new_attribute = _recoded_attribute(attribute, _order(data, column), table)
        elif attribute.merged:  # may list categories that no longer exist
            new_attribute = attribute
        if new_attribute is not None:
            leaves = (row[0] for row in attribute.hierarchy)
            declared = {*attribute.order, *attribute.labels, *leaves} >= set(table)
            # Undeclared categories are not listed: they would be the rarest ones of the file.
            merged = _merged_members(attribute, table) if self.groups or declared else {}
            new_attribute = msgspec.structs.replace(new_attribute, merged=merged)
        return MaskedColumn(masked, Recoding((column,), table), new_attribute)

    def _table(self, data: Microdata, column: str) -> dict[str, str]:
        """The new category of each category."""
        coded = codes(data, column)
        table = {category: category for category in coded.categories}
        if self.groups is None:
            sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(table))
            by_size = [code for code in np.argsort(sizes, kind="stable") if sizes[code]]
            names = [coded.categories[code] for code in by_size[: (self.rarest or 0) + 1]]
            if self.label in set(table) - set(names):
                raise SpecError(
                    f"{self.step}: label: a remaining category of column '{column}'; choose another"
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
        values = self.numbers(data, column).values[:, 0]
        known = ~np.isnan(values)
        whole = stored_as(data.column(column)) == "whole numbers"
        cells = np.full(len(values), None, object)
        if isinstance(self.intervals, tuple):
            closed = whole and all(cut.is_integer() for cut in self.intervals)
            cells[known] = _cut(values[known], self.intervals, closed=closed)
        else:
            width = self.intervals or 1.0
            closed = whole and width.is_integer()
            cells[known] = ranges_of_width(self.step, values[known], width, closed=closed)
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


def _check_intervals(step: str, intervals: float | tuple[float, ...] | None) -> None:
    numbers = intervals if isinstance(intervals, tuple) else (intervals or 0.0,)
    if not numbers or not np.isfinite(numbers).all() or any(a >= b for a, b in pairwise(numbers)):
        raise SpecError(
            f"{step}: intervals: a width, or cut points, each larger than the one before"
        )
    if not isinstance(intervals, tuple) and numbers[0] <= 0:
        raise SpecError(f"{step}: intervals: a width above 0")


def _check_neighbours(step: str, column: str, order: Sequence[str], table: dict[str, str]) -> None:
    """Merged categories of an ordinal attribute are adjacent in its order."""
    labels = [table[category] for category in order if category in table]
    changes = sum(a != b for a, b in pairwise(labels))
    if labels and changes + 1 > len(set(labels)):
        raise SpecError(
            f"{step}: groups: column '{column}' is ordinal, and a group has a gap in its order"
        )


def _order(data: Microdata, column: str) -> Sequence[str]:
    """The categories of an ordinal column in their order, declared or not."""
    if data.level(column) != "ordinal":
        return ()
    return data.order(column) or codes(data, column).categories


def _recoded_attribute(
    attribute: Attribute, order: Sequence[str], table: dict[str, str]
) -> Attribute:
    new_order = tuple(dict.fromkeys(table.get(category, category) for category in order))
    leaves, new_categories = {row[0] for row in attribute.hierarchy}, set(table.values())
    return msgspec.structs.replace(
        attribute,
        order=new_order,
        level="ordinal" if new_order else "nominal",
        labels={code: text for code, text in attribute.labels.items() if code in new_categories},
        hierarchy=attribute.hierarchy if leaves >= new_categories else (),
        merged={},
    )


def _merged_members(attribute: Attribute, table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """The original categories of each category that is new or has grown."""
    members: dict[str, list[str]] = {}
    for old, new in table.items():
        members.setdefault(new, []).extend(attribute.merged.get(old, (old,)))
    return {new: tuple(originals) for new, originals in members.items() if originals != [new]}


def _relabelled(cells: pl.Series, table: dict[str, str]) -> tuple[pl.Series, dict[str, str]]:
    """The cells with their new labels, of the same type if it can hold all labels.

    The returned table has the labels as they are written: among numbers, 1.0 is the category 1.
    """
    labels = labels_of(cells).replace(table)
    masked = labelled(cells, labels)
    if masked is None:
        return labels.alias(cells.name), table
    written = dict(zip(labels, labels_of(masked), strict=True))
    return masked, {old: written.get(new, new) for old, new in table.items()}


def _cut(values: Floats, cuts: tuple[float, ...], *, closed: bool) -> NDArray[np.object_]:
    """The range of each value, where ranges start at the cut points."""
    starts = [None, *(_plain(Decimal(repr(cut))) for cut in cuts)]
    ends = [*(_plain(Decimal(repr(cut - 1 if closed else cut))) for cut in cuts), None]
    ranges = [write_range(start, end) for start, end in zip(starts, ends, strict=True)]
    return np.array(ranges, object)[np.searchsorted(cuts, values, side="right")]


def ranges_of_width(
    step: str, values: Floats, width: float, *, closed: bool
) -> NDArray[np.object_]:
    """The range of each value, where ranges start at the multiples of a width."""
    exact = Decimal(repr(width))
    bins = np.floor(values / width)
    if np.abs(bins).max() > 2**53:
        raise SpecError(f"{step}: intervals: the width is too small for these numbers")
    distinct, place = np.unique(bins, return_inverse=True)
    if len(distinct) > MOST_RANGES:
        raise SpecError(f"{step}: intervals: {count(len(distinct), 'range')}; use a wider width")
    # Division rounds: a value at the edge of a range may be one range off.
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


def _plain(number: Decimal) -> str:
    """A number without an exponent and without trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
