"""Attributes with categories in one file and numbers in the other, compared by indicators.

Torra and Nin, Record linkage for database integration using fuzzy integrals (2008), Section 1.2 and
Fig. 2: files about the same people hold the same structural information, also where one describes
by numbers what the other describes by categories (Assumptions 1 and 2). Each category is an
indicator, and a number has the expected indicators of the categories in its place (Assumption 3:
numerical representatives). In place k of n numbers in ascending order are the categories that are
in the same share of the other file: of 30 % low, 50 % middle and 20 % high, the lowest 30 % of the
numbers are low. Numbers that tie share the indicators of their places.

The distance of a category and a number is the expected distance of two categories: i' C p, for the
indicators i of the one, the expected indicators p of the other, and the costs C of two categories.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.attribute_costs import (
    CostRule,
    mean_and_deviation,
    scaled,
    warn_constant,
)
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.engines.metric import table
from unveil.errors import SchemaError
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_numbers
from unveil.table.encoding.to_arrays import check_computable, code_numbers, codes, numbers
from unveil.table.microdata import Microdata

MOST_CATEGORIES = 1000  # whose table of costs has a million cells
DECIMALS, PLACE_DECIMALS = 11, 9  # of shares and of estimated places, for any row order


class MixedFiles(NamedTuple):
    """The two files of a column, by what they hold of it."""

    counted: Microdata  # numbers
    named: Microdata  # categories
    counts_first: bool  # whether the first file has the numbers


def compare_mixed(
    files: LinkageFiles, column: str, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """A column of categories in one file and of numbers in the other; None if it is constant."""
    mixed = _mixed_files(files.reference, files.release, column)
    order = _ordered_categories(files, mixed, column)
    if len(order) < 2:
        warn_constant(files, column, "release" if mixed.counts_first else "original")
        return None
    if len(order) > MOST_CATEGORIES:
        raise SchemaError(
            f"distance: column '{column}' has numbers in one file and more than "
            f"{MOST_CATEGORIES:,} categories in the other; leave it out of the known attributes"
        )
    places = PlacesOfNumbers.of(mixed, column, order)
    costs = weight * (1 - np.eye(len(order)))
    if mixed.named.level(column) == "ordinal":
        costs = rule.place_costs(weight, len(order))
    intruder, released = (
        places.codes(_numbers(data, column))
        if (data is files.release) != mixed.counts_first
        else code_numbers(codes(data, column, order).codes)
        for data in files.pair
    )
    expected = places.indicators @ costs @ places.indicators.T
    return ComparedAttribute(intruder[:, None], released[:, None], (table(expected),))


@dataclass(frozen=True, repr=False, eq=False)
class PlacesOfNumbers:
    """The expected indicators of categories for the numbers of a file.

    The first codes are the categories themselves; each further one is a number whose ties reach
    over several of them.

    >>> places = PlacesOfNumbers.by_shares(np.array([1, 5, 5, 9.0]), np.array([0.5, 0.5]))
    >>> places.codes(np.array([1, 5, 9.0])).tolist()
    [0.0, 2.0, 1.0]
    >>> places.indicators[2].tolist()
    [0.5, 0.5]
    """

    ranked: Floats  # the known numbers of the file, ascending
    ends: Floats  # the share of the records up to the end of each category
    several: Floats  # numbers that reach over several categories, ascending
    indicators: Floats  # codes x categories

    @classmethod
    def of(cls, mixed: MixedFiles, column: str, order: tuple[str, ...]) -> PlacesOfNumbers:
        """The places of one file's numbers among the other's categories."""
        coded = codes(mixed.named, column, order).codes
        counts = np.bincount(coded[coded >= 0], minlength=len(order))
        return cls.by_shares(_numbers(mixed.counted, column), counts / counts.sum())

    @classmethod
    def by_shares(cls, numbers: Floats, shares: Floats) -> PlacesOfNumbers:
        """The places of numbers among categories of these shares, in their order."""
        ends = np.append(np.round(np.cumsum(shares)[:-1], DECIMALS), 1.0)
        ranked = np.sort(numbers[~np.isnan(numbers)])
        places = cls(ranked, ends, np.zeros(0), np.eye(len(shares)))
        distinct = np.unique(ranked)
        low, high = places._ends_of(distinct)
        first, last = places._categories(low, high)
        over = first < last
        starts = np.append(0.0, ends[:-1])
        reach = np.minimum(high[over, None], ends) - np.maximum(low[over, None], starts)
        weights = np.maximum(reach, 0) / (high - low)[over, None]
        return replace(
            places, several=distinct[over], indicators=np.vstack([places.indicators, weights])
        )

    def codes(self, values: Floats) -> Floats:
        """The code of each number; NaN where missing.

        One that the file lacks is in the category where it would be, the lower at a boundary.
        """
        found = self._categories(*self._ends_of(values))[0].astype(np.float64)
        at = np.searchsorted(self.several, values)
        own = np.append(self.several, np.nan)[at] == values
        found[own] = len(self.ends) + at[own]
        found[np.isnan(values)] = np.nan
        return found

    def _ends_of(self, values: Floats) -> tuple[Floats, Floats]:
        """The share of the file's numbers below each value, and up to it."""
        low, high = (np.searchsorted(self.ranked, values, side) for side in ("left", "right"))
        n = max(len(self.ranked), 1)
        return np.round(low / n, DECIMALS), np.round(high / n, DECIMALS)

    def _categories(self, low: Floats, high: Floats) -> tuple[Ints, Ints]:
        """The first and the last category between two shares."""
        last = np.searchsorted(self.ends, np.maximum(high, 10.0**-DECIMALS), "left")
        return np.minimum(np.searchsorted(self.ends, low, "right"), last), last


def _mixed_files(first: Microdata, second: Microdata, column: str) -> MixedFiles:
    if first.level(column) == "numeric":
        return MixedFiles(first, second, counts_first=True)
    return MixedFiles(second, first, counts_first=False)


def _numbers(data: Microdata, column: str) -> Floats:
    found = numbers(data, [column])
    check_computable(found)
    return found.values[:, 0]


def _ordered_categories(files: LinkageFiles, mixed: MixedFiles, column: str) -> tuple[str, ...]:
    """The categories of a file in ascending order of the numbers that go with them."""
    listed = codes(mixed.named, column).categories
    others = mixed.named if mixed.counts_first else files.intruder_records  # perhaps strangers
    further = [c for c in codes(others, column).categories if c not in listed]
    if mixed.named.level(column) == "ordinal" or len(listed) < 2:
        return (*listed, *further)
    places = _places_of_categories(mixed, column, listed, files.columns)
    if not np.ptp(places) > 0:
        raise SchemaError(
            f"distance: column '{column}' has numbers in one file and nominal categories in the "
            "other, and no number that both files have shows their order; declare it (level "
            "ordinal), or leave the column out of the known attributes"
        )
    logging.getLogger("unveil").warning(
        "distance: column '%s' has numbers in one file and nominal categories in the other: their "
        "order is estimated from the other numbers; declare it (level ordinal) if you know it",
        column,
    )
    ascending = sorted(zip(places.tolist(), listed, strict=True))
    return (*(label for _, label in ascending), *further)


def has_order(first: Microdata, second: Microdata, column: str, columns: Sequence[str]) -> bool:
    """Whether the categories of a mixed column are in order, or other numbers show their order."""
    mixed = _mixed_files(first, second, column)
    if mixed.named.level(column) == "ordinal":
        return True
    listed = codes(mixed.named, column).categories
    return bool(np.ptp(_places_of_categories(mixed, column, listed, columns)) > 0)


def _places_of_categories(
    mixed: MixedFiles, column: str, listed: tuple[str, ...], columns: Sequence[str]
) -> Floats:
    """The mean of each nominal category's numbers, as the other numbers of its records predict.

    The file with the numbers shows how they depend on the attributes that both files have.
    """
    scores = [_scores(mixed, name) for name in columns if name != column]
    usable = [pair for pair in scores if pair is not None]
    if not usable:
        return np.zeros(len(listed))
    wanted = _numbers(mixed.counted, column)
    known = ~np.isnan(wanted)
    scale = mean_and_deviation(wanted) or (0.0, 1.0)
    here, there = (np.column_stack(side) for side in zip(*usable, strict=True))
    slopes = np.linalg.lstsq(here[known], scaled(column, wanted[known], scale), rcond=None)[0]
    coded = codes(mixed.named, column, listed).codes
    there, coded = (there @ slopes)[coded >= 0], coded[coded >= 0]
    totals, sizes = np.bincount(coded, there, len(listed)), np.bincount(coded, None, len(listed))
    return np.round(totals / np.maximum(sizes, 1), PLACE_DECIMALS)


def _scores(mixed: MixedFiles, name: str) -> tuple[Floats, Floats] | None:
    """The standardised numbers of both files, the mean where missing; None if there are none."""
    plain = not any(data.schema[name].generalised for data in (mixed.counted, mixed.named))
    if not plain or not mixed.counted.level(name) == mixed.named.level(name) == "numeric":
        return None
    counted, named = common_numbers(mixed.counted, mixed.named, column=name)
    scales = [mean_and_deviation(values) for values in (counted, named)]
    if scales[0] is None or scales[1] is None:
        return None
    return (
        np.nan_to_num(scaled(name, counted, scales[0])),
        np.nan_to_num(scaled(name, named, scales[1])),
    )
