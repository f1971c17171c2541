"""Attributes side by side: the numbers of both files, and what a gap between them costs."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Literal

import msgspec
import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.category_sets import (
    CategoryDistance,
    ComparedAttribute,
    compare_sets,
    sides_of,
)
from unveil.engines.metric import Cost, absolute, levels, prorated, squared, table
from unveil.errors import SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.generalised import Bounds, bounds
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import Numbers, check_computable, code_numbers, codes
from unveil.table.microdata import Microdata

Scaling = Literal["own", "original", "release"]
MOST_DISTANCE = 1e75  # one whose square can still be squared


class Distances(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A distance of the user's own between the categories of one attribute."""

    categories: tuple[str, ...]
    distances: tuple[tuple[float | None, ...], ...]  # a row for each of the original's categories

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
        found = np.array([[np.inf if d is None else d for d in row] for row in self.distances])
        if not (found >= 0).all() or (found[np.isfinite(found)] > MOST_DISTANCE).any():
            raise SpecError(
                f"distance: tables: '{column}': distances are numbers of 0 or more, at most 1e75, "
                "or infinite (null): impossible"
            )
        return found


@dataclass(frozen=True)
class CostRule:
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


def compare_numbers(
    files: LinkageFiles, column: str, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """Standardised numbers; None for a column that tells nobody from anybody."""
    if files.generalised(column):
        return _compare_ranges(files, column, rule, weight)
    pair = standardised(files, column, rule.scaling)
    if pair is None:
        return None
    return ComparedAttribute(pair[0][:, None], pair[1][:, None], (rule.gap(weight),))


def standardised(
    files: LinkageFiles, column: str, scaling: Scaling
) -> tuple[Floats, Floats] | None:
    """The numbers of both files, each less a mean, over a deviation; None if there is none."""
    intruder, reference, released = files.numbers(column)
    own, theirs = {
        "own": (reference, released),
        "original": (reference, reference),
        "release": (released, released),
    }[scaling]
    scales = mean_and_deviation(own), mean_and_deviation(theirs)
    if scales[0] is None or scales[1] is None:
        leave_out(column, "release" if scaling == "release" or scales[0] else "original")
        return None
    return _scaled(intruder, scales[0]), _scaled(released, scales[1])


def _scaled(values: Floats, scale: tuple[float, float]) -> Floats:
    return (values - scale[0]) / scale[1]


def mean_and_deviation(values: Floats) -> tuple[float, float] | None:
    """Of the values that are there; None where they do not vary."""
    known = np.sort(values[np.isfinite(values)])  # the same sums in whatever order rows stand
    if not len(known):
        return None
    least, spread = float(known.min()), float(known.max()) - float(known.min())
    if not spread > 0:
        return None
    # In units of the spread, so that no square is lost, however small the numbers are.
    within = (known - least) / spread
    return least + spread * float(within.mean()), spread * float(within.std(ddof=1))


def leave_out(column: str, whose: str) -> None:
    """Say that a column is of no use to the attack."""
    logging.getLogger("unveil").warning(
        "column '%s' does not vary in the %s: it is left out of the comparison", column, whose
    )


def _compare_ranges(
    files: LinkageFiles, column: str, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """Ranges by the least distance between any of their values.

    The one that asks shows its upper end and the one that is asked its lower end, which
    costs where it is above; then the other two ends, the other way round. At most one of
    the two gaps is there.
    """
    intruder, released = (ends_of(data, column) for data in files.pair)
    reference = (
        intruder if files.reference is files.intruder_records else ends_of(files.reference, column)
    )
    by = released if rule.scaling == "release" else reference
    with np.errstate(invalid="ignore"):
        scale = mean_and_deviation((by.lower + by.upper) / 2)
    if scale is None:
        leave_out(column, "release" if by is released else "original")
        return None
    ends = np.concatenate([intruder.lower, intruder.upper, released.lower, released.upper])
    finite = ends[np.isfinite(ends)]
    (a_low, a_high), (b_low, b_high) = (
        (_scaled(np.clip(end, finite.min(), finite.max()), scale) for end in (one.lower, one.upper))
        for one in (intruder, released)
    )
    asks, asked = [a_high, a_low], [b_low, b_high]
    if files.reverse:
        asks, asked = [a_low, a_high], [b_high, b_low]  # mine are asked
    return ComparedAttribute(
        np.column_stack(asks),
        np.column_stack(asked),
        (rule.gap(weight, side="above"), rule.gap(weight, side="below")),
    )


def ends_of(data: Microdata, column: str) -> Bounds:
    """Both ends of each cell. A star tells nothing: it is missing, not at no distance."""
    found = bounds_of(data, column)
    star = np.isinf(found.lower) & np.isinf(found.upper)
    lower, upper = (np.where(star, np.nan, end) for end in (found.lower, found.upper))
    return Bounds(lower, upper, ~np.isnan(lower))


def bounds_of(data: Microdata, column: str) -> Bounds:
    """Both ends of each cell, infinite where open, of numbers that can be computed with."""
    found = bounds(data, column)
    ends = np.column_stack([found.lower, found.upper])
    finite = np.where(np.isinf(ends), 0.0, ends)
    check_computable(Numbers((column, column), finite, ~np.isnan(finite)))
    return found


def compare_categories(
    files: LinkageFiles, column: str, rule: CostRule, weight: float, *, ordered: bool
) -> ComparedAttribute | None:
    """Categories by the categorical paper's distance, generalised ones by the least.

    Domingo-Ferrer and Torra, Definition 1: nominal ones are equal or not; of ordinal ones
    the places apart count, here over one less than there are, so that the farthest are at
    distance 1; `inclusive` counts both ends, over all that there are, as the paper does.
    """
    listed = files.categories(column)
    if len(listed) < 2:
        leave_out(column, "original, nor in the release")
        return None
    if files.generalised(column):
        return _compare_sets(files, column, rule, weight, ordered=ordered)
    if not ordered:  # strangers may have others, which equal none
        named = common_categories(*files.pair, column)
        intruder, released = (
            code_values(data, column, tuple(dict.fromkeys((*listed, *named))))[:, None]
            for data in files.pair
        )
        return ComparedAttribute(intruder, released, (levels([0], [0, weight]),))
    intruder, released = (code_values(data, column, listed)[:, None] for data in files.pair)
    if not rule.inclusive:
        cost = rule.gap(weight, len(listed) - 1)
    elif rule.power == 1:
        cost = prorated([0, len(listed) - 1], [weight / len(listed), weight])
    else:
        cost = table(weight * _places_apart(len(listed), inclusive=True) ** rule.power)
    return ComparedAttribute(intruder, released, (cost,))


def compare_by_table(
    files: LinkageFiles, column: str, listed: tuple[str, ...], distances: Floats
) -> ComparedAttribute:
    """Categories by a table of the user's, a row for each of the original's."""
    intruder, released = (code_values(data, column, listed)[:, None] for data in files.pair)
    return ComparedAttribute(
        intruder, released, (table(distances.T if files.reverse else distances),)
    )


def _places_apart(many: int, *, inclusive: bool) -> Floats:
    places = np.arange(many)
    apart = np.abs(places - places[:, None])
    distances: Floats = (apart + 1) / many if inclusive else apart / (many - 1)
    return distances


def code_values(data: Microdata, column: str, listed: tuple[str, ...]) -> Floats:
    """The categories' places in a list; a NaN where missing."""
    return code_numbers(codes(data, column, listed).codes)


def _compare_sets(
    files: LinkageFiles, column: str, rule: CostRule, weight: float, *, ordered: bool
) -> ComparedAttribute:
    """Sets of categories by the least distance between any two of their members."""
    listed = files.categories(column)
    if not ordered:  # strangers may have others, which equal none
        listed = tuple(dict.fromkeys((*listed, *common_categories(*files.pair, column))))
    apart = CategoryDistance(weight)
    if ordered:
        places = weight * _places_apart(len(listed), inclusive=rule.inclusive) ** rule.power
        gap = partial(rule.gap, weight, len(listed) - 1)
        apart = CategoryDistance(
            weight, places, None if rule.inclusive else lambda side: gap(side=side)
        )
    found = compare_sets(column, sides_of(*files.pair, column, listed), apart, stars=False)
    if not files.reverse:
        return found
    return found._replace(costs=tuple(cost.reversed for cost in found.costs))
