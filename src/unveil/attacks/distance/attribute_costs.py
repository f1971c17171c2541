"""The costs of single attributes: the values of both files as numbers, and the cost of a gap."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Literal

import msgspec
import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.category_sets import (
    CategoryDistance,
    CategorySets,
    ComparedAttribute,
    compare_sets,
)
from unveil.engines.metric import Cost, absolute, levels, prorated, squared, table
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.generalised import Bounds, bounds
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE, Numbers, check_computable
from unveil.table.microdata import Microdata

Scaling = Literal["own", "original", "release"]
MOST_DISTANCE = 1e75  # its square can still be squared
LEAST_NUMBER = 5e-324  # above 0


class Distances(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A distance of the user's own between the categories of one attribute."""

    categories: tuple[str, ...]
    distances: tuple[tuple[float | None, ...], ...]  # a row for each of the original's categories

    def as_array(self, column: str) -> Floats:
        """The distances, one for each pair of categories."""
        size = len(self.categories)
        lengths = {len(self.distances), *map(len, self.distances)}
        if len(set(self.categories)) < size or lengths != {size}:
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
    """How the gap between two values becomes a cost."""

    power: int  # 2: the distance of an attribute is squared
    scaling: Scaling  # the file whose mean and deviation standardise numbers
    inclusive: bool = False  # ordinal places are counted with both ends

    def gap(
        self, weight: float, unit: float = 1.0, *, side: Literal["both", "above", "below"] = "both"
    ) -> Cost:
        """The cost of a gap that is measured in a unit."""
        cost = squared if self.power == 2 else absolute
        return cost(weight / unit**self.power, side=side)

    def place_costs(self, weight: float, n_categories: int) -> Floats:
        """The cost of each pair of ordinal categories, as the weight times a distance up to 1."""
        places = np.arange(n_categories)
        apart = np.abs(places - places[:, None])
        distances = (apart + 1) / n_categories if self.inclusive else apart / (n_categories - 1)
        costs: Floats = weight * distances**self.power
        return costs


def compare_numbers(
    files: LinkageFiles, column: str, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """Standardised numbers; None for a constant column."""
    if files.generalised(column):
        return _compare_ranges(files, column, rule, weight)
    pair = standardised(files, column, rule.scaling)
    if pair is None:
        return None
    return ComparedAttribute(pair[0][:, None], pair[1][:, None], (rule.gap(weight),))


def standardised(
    files: LinkageFiles, column: str, scaling: Scaling
) -> tuple[Floats, Floats] | None:
    """The numbers of both files less a mean, over a deviation; None for a constant column."""
    return standardised_values(files, column, scaling, files.numbers(column))


def standardised_values(
    files: LinkageFiles, column: str, scaling: Scaling, values: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats] | None:
    """The same of given values of intruder, reference and release."""
    intruder, reference, released = values
    own = mean_and_deviation(released if scaling == "release" else reference)
    theirs = mean_and_deviation(reference if scaling == "original" else released)
    if own is None or theirs is None:
        warn_constant(files, column, "release" if scaling == "release" or own else "original")
        return None
    return scaled(column, intruder, own), scaled(column, released, theirs)


def scaled(column: str, values: Floats, scale: tuple[float, float]) -> Floats:
    """The values less the mean, over the deviation; refused if that is too large to be squared."""
    with np.errstate(over="ignore"):
        found: Floats = (values - scale[0]) / scale[1]
    if (np.abs(found) > LARGEST_SQUARABLE).any():  # never for a NaN
        raise DataError(
            f"column '{column}' varies too little in one file to be compared with numbers of the "
            "other; rescale it, or leave it out of the known attributes"
        )
    return found


def mean_and_deviation(values: Floats) -> tuple[float, float] | None:
    """The mean and the deviation of the finite values; None where they do not vary."""
    known = np.sort(values[np.isfinite(values)])  # sums that do not depend on the row order
    if not len(known):
        return None
    least, spread = float(known.min()), float(known.max()) - float(known.min())
    if not spread > 0:
        return None
    within = (known - least) / spread  # so that squares of tiny numbers do not vanish
    deviation = spread * float(within.std(ddof=1)) or LEAST_NUMBER  # it may be rounded to 0
    return least + spread * float(within.mean()), deviation


def warn_constant(files: LinkageFiles, column: str, file: str) -> None:
    """Warn that a column is left out because it does not vary, unless its written forms do."""
    if column in files.form_columns.values():
        return
    logging.getLogger("unveil").warning(
        "column '%s' does not vary in the %s: it is left out of the comparison", column, file
    )


def nothing_to_compare() -> DataError:
    """The error where no column varies."""
    return DataError("no known attribute varies, so nothing can be compared; name other attributes")


def _compare_ranges(
    files: LinkageFiles, column: str, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """Ranges by the least distance between any of their values.

    The first number is the query's upper end against the candidate's lower end, which costs where
    it is above; the second compares the other two ends. At most one of the two gaps is positive.
    """
    intruder, released = (range_ends(data, column) for data in files.pair)
    scaled_by = released
    if rule.scaling != "release":
        scaled_by = range_ends(files.reference, column) if files.links_strangers else intruder
    with np.errstate(invalid="ignore"):
        scale = mean_and_deviation((scaled_by.lower + scaled_by.upper) / 2)
    if scale is None:
        warn_constant(files, column, "release" if scaled_by is released else "original")
        return None
    ends = np.concatenate([intruder.lower, intruder.upper, released.lower, released.upper])
    finite = ends[np.isfinite(ends)]
    (a_low, a_high), (b_low, b_high) = (
        (
            scaled(column, np.clip(end, finite.min(), finite.max()), scale)
            for end in (one.lower, one.upper)
        )
        for one in (intruder, released)
    )
    of_intruder, of_release = [a_high, a_low], [b_low, b_high]
    if files.reverse:
        of_intruder, of_release = [a_low, a_high], [b_high, b_low]
    return ComparedAttribute(
        np.column_stack(of_intruder),
        np.column_stack(of_release),
        (rule.gap(weight, side="above"), rule.gap(weight, side="below")),
    )


def range_ends(data: Microdata, column: str) -> Bounds:
    """Both ends of each cell; NaN for a star, which is missing rather than at no distance."""
    found = range_bounds(data, column)
    star = np.isinf(found.lower) & np.isinf(found.upper)
    lower, upper = (np.where(star, np.nan, end) for end in (found.lower, found.upper))
    return Bounds(lower, upper, ~np.isnan(lower))


def range_bounds(data: Microdata, column: str) -> Bounds:
    """Both ends of each cell, infinite where open; numbers too large to square are refused."""
    found = bounds(data, column)
    ends = np.column_stack([found.lower, found.upper])
    finite = np.where(np.isinf(ends), 0.0, ends)
    check_computable(Numbers((column, column), finite, ~np.isnan(finite)))
    return found


def compare_categories(
    files: LinkageFiles, column: str, rule: CostRule, weight: float, *, ordered: bool
) -> ComparedAttribute | None:
    """Categories by the distance of the categorical paper, generalised ones by the least.

    Domingo-Ferrer and Torra, Definition 1: nominal categories are equal or not. The distance of
    ordinal ones is their difference in places over one less than their number, so that the farthest
    are at distance 1; `inclusive` counts both ends, over their number, as the paper does.
    """
    listed = files.categories(column)
    if len(listed) < 2:
        warn_constant(files, column, "original, nor in the release")
        return None
    if not ordered:
        listed = files.all_categories(column)
    if files.generalised(column):
        return _compare_sets(files, column, listed, rule, weight, ordered=ordered)
    if not ordered:
        cost = levels([0], [0, weight])
    elif not rule.inclusive:
        cost = rule.gap(weight, len(listed) - 1)
    elif rule.power == 1:
        cost = prorated([0, len(listed) - 1], [weight / len(listed), weight])
    else:
        cost = table(rule.place_costs(weight, len(listed)))
    intruder, _, released = files.codes(column, listed)
    return ComparedAttribute(intruder[:, None], released[:, None], (cost,))


def compare_by_table(
    files: LinkageFiles, column: str, categories: tuple[str, ...], distances: Floats
) -> ComparedAttribute:
    """Categories by the user's table, which has a row for each of the original's."""
    intruder, _, released = files.codes(column, categories)
    cost = table(distances.T if files.reverse else distances)
    return ComparedAttribute(intruder[:, None], released[:, None], (cost,))


def _compare_sets(
    files: LinkageFiles,
    column: str,
    listed: tuple[str, ...],
    rule: CostRule,
    weight: float,
    *,
    ordered: bool,
) -> ComparedAttribute:
    """Sets of categories by the least distance between any two of their members."""
    distance = CategoryDistance(weight)
    if ordered:
        gap = partial(rule.gap, weight, len(listed) - 1)
        distance = CategoryDistance(
            weight,
            rule.place_costs(weight, len(listed)),
            None if rule.inclusive else lambda side: gap(side=side),
        )
    sets = CategorySets.of(*files.pair, column, listed)
    found = compare_sets(column, sets, distance, stars=False)
    if not files.reverse:
        return found
    return found._replace(costs=tuple(cost.reversed for cost in found.costs))
