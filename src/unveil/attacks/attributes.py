"""Attributes side by side: the numbers of both files, and what a gap between them costs."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from unveil.attacks.common import common_categories
from unveil.data.encode import check_computable, codes, numbers
from unveil.data.generalised import bounds, code_sets
from unveil.engines.metrics import Cost, absolute, levels, prorated, squared, table
from unveil.errors import SchemaError, SpecError

if TYPE_CHECKING:
    from unveil.attacks.base import Files
    from unveil.data.encode import Codes32, Floats, Ints
    from unveil.data.generalised import CodeSets
    from unveil.data.microdata import Microdata

Scaling = Literal["own", "original", "release"]
MOST_CELLS = 4000  # different generalised cells of one column: a table of them is kept


class Distances(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A distance of the user's own between the categories of one attribute."""

    categories: tuple[str, ...]
    distances: tuple[tuple[float, ...], ...]  # a row for each of the original's categories

    def as_array(self, column: str) -> Floats:
        """The distances, one for each pair of categories."""
        many = len(self.categories)
        if len(set(self.categories)) < many or {len(self.distances), *map(len, self.distances)} != {
            many
        }:
            raise SpecError(
                f"distance: tables: '{column}' has a row and a column of distances for each "
                "category, and none twice"
            )
        found = np.array(self.distances)
        if not (found >= 0).all():
            raise SpecError(f"distance: tables: '{column}': distances of 0 or more, or infinite")
        return found


@dataclass(frozen=True, repr=False, eq=False)
class Compared:
    """One attribute of both files in one or two columns, a NaN where it is missing."""

    mine: Floats
    released: Floats
    costs: tuple[Cost, ...]


@dataclass(frozen=True)
class Rule:
    """How gaps are weighed."""

    power: int  # 2: the distance of an attribute is squared
    scaling: Scaling  # by whose mean and deviation
    inclusive: bool = False  # whether ordinal places are counted with both ends

    def gap(
        self, weight: float, unit: float = 1.0, *, side: Literal["both", "above", "below"] = "both"
    ) -> Cost:
        """The cost of a gap that counts in units of its own."""
        cost = squared if self.power == 2 else absolute
        return cost(weight / unit**self.power, side=side)


def compare_numbers(files: Files, column: str, rule: Rule, weight: float) -> Compared | None:
    """Standardised numbers; None for a column that tells nobody from anybody."""
    if any(data.schema[column].generalised for data in files.both):
        return _compare_ranges(files, column, rule, weight)
    pair = standardised(files, column, rule.scaling)
    if pair is None:
        return None
    return Compared(pair[0][:, None], pair[1][:, None], (rule.gap(weight),))


def standardised(files: Files, column: str, scaling: Scaling) -> tuple[Floats, Floats] | None:
    """The numbers of both files, each less a mean, over a deviation; None if there is none."""
    mine, released = (exact_numbers(data, column) for data in files.both)
    scales = {"own": (mine, released), "original": (mine, mine), "release": (released, released)}
    made = []
    for values, by, whose in zip(
        (mine, released), scales[scaling], ("original", "release"), strict=True
    ):
        scale = mean_and_deviation(by)
        if scale is None:
            leave_out(column, whose if scaling == "own" else scaling)
            return None
        made.append((values - scale[0]) / scale[1])
    return made[0], made[1]


def exact_numbers(data: Microdata, column: str) -> Floats:
    """One column as numbers that can be computed with, a NaN where missing."""
    found = numbers(data, [column])
    check_computable(found)
    values: Floats = found.values[:, 0]
    return values


def mean_and_deviation(values: Floats) -> tuple[float, float] | None:
    """Of the values that are there; None where they do not vary."""
    known = values[np.isfinite(values)]
    if not len(known) or known.min() == known.max():
        return None
    known = np.sort(known)  # so that the last digit does not depend on the order of the rows
    deviation = float(known.std(ddof=1))
    return (float(known.mean()), deviation) if deviation > 0 else None


def leave_out(column: str, whose: str) -> None:
    """Say that a column is of no use to the attack."""
    logging.getLogger("unveil").warning(
        "column '%s' does not vary in the %s: it is left out of the comparison", column, whose
    )


def _compare_ranges(files: Files, column: str, rule: Rule, weight: float) -> Compared | None:
    """Ranges by the least distance between any of their values.

    The one that asks shows its upper end and the one that is asked its lower end, which
    costs where it is above; then the other two ends, the other way round. At most one of
    the two gaps is there.
    """
    mine, released = (bounds(data, column) for data in files.both)
    plain = not files.mine.schema[column].generalised and not files.few
    by = mine if plain else released
    with np.errstate(invalid="ignore"):
        scale = mean_and_deviation((by.lower + by.upper) / 2)
    if scale is None:
        leave_out(column, "original" if plain else "release")
        return None
    ends = np.concatenate([mine.lower, mine.upper, released.lower, released.upper])
    least, most = np.nanmin(ends[np.isfinite(ends)]), np.nanmax(ends[np.isfinite(ends)])
    (a_low, a_high), (b_low, b_high) = (
        ((np.clip(end, least, most) - scale[0]) / scale[1] for end in (file.lower, file.upper))
        for file in (mine, released)
    )
    for file, low, high in ((mine, a_low, a_high), (released, b_low, b_high)):
        low[~file.present] = high[~file.present] = np.nan
    asks, asked = [a_high, a_low], [b_low, b_high]
    if files.reverse:
        asks, asked = [a_low, a_high], [b_high, b_low]  # mine are asked
    return Compared(
        np.column_stack(asks),
        np.column_stack(asked),
        (rule.gap(weight, side="above"), rule.gap(weight, side="below")),
    )


def compare_categories(
    files: Files, column: str, rule: Rule, weight: float, *, ordered: bool
) -> Compared | None:
    """Categories by the categorical paper's distance, generalised ones by the least.

    Domingo-Ferrer and Torra, Definition 1: nominal ones are equal or not; of ordinal ones
    the places apart count, here over one less than there are, so that the farthest are at
    distance 1; `inclusive` counts both ends, over all that there are, as the paper does.
    """
    listed = common_categories(*files.both, column)
    if len(listed) < 2:
        leave_out(column, "release")
        return None
    if any(data.schema[column].generalised for data in files.both):
        return _compare_sets(files, column, rule, weight, ordered=ordered)
    mine, released = (_as_floats(codes(data, column, listed).codes) for data in files.both)
    if ordered and not rule.inclusive:
        cost = rule.gap(weight, len(listed) - 1)
    elif ordered and rule.power == 1:
        cost = prorated([0, len(listed) - 1], [weight / len(listed), weight])
    elif ordered:
        cost = table(weight * _places_apart(len(listed), inclusive=True) ** rule.power)
    else:
        cost = levels([0], [0, weight])
    return Compared(mine, released, (cost,))


def compare_by_table(
    files: Files, column: str, listed: tuple[str, ...], distances: Floats
) -> Compared:
    """Categories by a table of the user's, a row for each of the original's."""
    mine, released = (_as_floats(codes(data, column, listed).codes) for data in files.both)
    return Compared(mine, released, (table(distances.T if files.reverse else distances),))


def _places_apart(many: int, *, inclusive: bool) -> Floats:
    places = np.arange(many)
    apart = np.abs(places - places[:, None])
    distances: Floats = (apart + 1) / many if inclusive else apart / (many - 1)
    return distances


def _as_floats(coded: Codes32) -> Floats:
    return np.where(coded < 0, np.nan, coded)[:, None]


def _compare_sets(
    files: Files, column: str, rule: Rule, weight: float, *, ordered: bool
) -> Compared:
    """Sets of categories by the least distance between any two of their members."""
    listed = common_categories(*files.both, column)
    ours, theirs = (code_sets(data, column, listed) for data in files.both)
    many = len(ours.starts) + len(theirs.starts) - 2
    if many > MOST_CELLS:
        raise SchemaError(
            f"column '{column}' has {many:,} different generalised cells; at most {MOST_CELLS:,} "
            "are compared: leave it out of what the intruder knows"
        )
    if ordered:
        apart = _places_apart(len(listed), inclusive=rule.inclusive)
    else:
        apart = 1.0 - np.eye(len(listed))
    members = [one for sets in (ours, theirs) for one in _sets_of(sets)]
    # To each category from each cell, then to each cell: twice the least.
    from_cell = np.array([apart[one].min(axis=0) for one in members])
    least = np.array([from_cell[:, one].min(axis=1) for one in members])
    mine, released = _as_floats(ours.cell), _as_floats(theirs.cell) + len(ours.starts) - 1
    return Compared(mine, released, (table(weight * least**rule.power),))


def _sets_of(sets: CodeSets) -> list[Ints]:
    return [
        sets.members[start:stop].astype(np.int64)
        for start, stop in zip(sets.starts[:-1], sets.starts[1:], strict=True)
    ]
