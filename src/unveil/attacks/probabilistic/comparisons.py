"""Comparisons: each attribute of both files, and the levels by which it is compared."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.comparators.comparison import TextComparison
from unveil.attacks.comparators.text_pairs import day_numbers, similar_pairs, text_column
from unveil.attacks.distance.attribute_costs import mean_and_deviation, warn_constant
from unveil.attacks.probabilistic.level_counts import level_totals
from unveil.engines.code_pairs import CodePairs
from unveil.errors import SchemaError, SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_level
from unveil.values.links import ComparisonBlock

# In deviations of the release; of ten sets, the one that did well under all five masks of census.
DEVIATIONS = (0.05, 0.2, 0.5)
PLACES = (0.0, 1.0, 2.0)  # between ordinal categories
EQUALITY = (0.0,)
LEAST_TOLERANCE = 1e-250  # above 0
SAME_NUMBER = 1e-9  # the largest difference of equal standardised numbers
PREVIEW = slice(0, 100)  # records that nearly always show that two comparisons differ


@dataclass(frozen=True, repr=False, eq=False)
class AttributeComparison:
    """One attribute as numbers or codes, NaN where missing, and the tolerances of its levels."""

    column: str
    tolerances: tuple[float, ...]  # ascending; a level for each, and one beyond the last
    kind: Literal["numbers", "places", "codes", "days", "text"]
    intruder: Floats
    reference: Floats
    released: Floats
    farthest: float | None = None  # the largest gap, where weights are prorated up to it
    pairs: CodePairs | None = None  # of text: codes that are alike, and their levels
    names: tuple[str, ...] = ()  # of the levels, where the tolerances do not name them

    @property
    def equality(self) -> bool:
        """Whether cells are equal or not, without further levels."""
        return self.tolerances == EQUALITY and self.pairs is None

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the levels."""
        names = self.names or tuple(self._label(end) for end in self.tolerances)
        return (*names, "All other comparisons")

    def _label(self, end: float) -> str:
        if end == 0:
            return "Exact match"
        unit = "" if self.kind == "numbers" else " place" if end == 1 else " places"
        return f"Within {end:,.10g}{unit}"


def compare_attributes(
    files: LinkageFiles,
    tolerances: Mapping[str, tuple[float, ...]],
    agreement: float | None = None,
    by_column: Mapping[str, TextComparison] | None = None,
) -> list[AttributeComparison]:
    """The comparison of each attribute; constant attributes are left out with a warning.

    With an `agreement`, numbers agree up to that share of their range, and have no other levels.
    `by_column` has the columns that are compared by a comparator of text.
    """
    by_column = by_column or {}
    for name, columns in (("tolerances", tolerances), ("comparisons", by_column)):
        files.check_compared(f"probabilistic: {name}", columns)
    found = []
    for column in files.with_forms:
        if files.generalised(column):
            raise SchemaError(
                f"probabilistic: column '{column}' is generalised, and ranges and sets neither "
                "agree nor disagree; leave it out of the known attributes, or attack by distance"
            )
        ends = tolerances.get(column)
        if column in by_column:
            comparison = _compare_text(files, column, by_column[column])
        elif common_level(*files.pair, column) == "numeric":
            comparison = _compare_numbers(files, column, ends, agreement)
        else:
            comparison = _compare_categories(files, column, ends)
        if comparison is not None:
            found.append(comparison)
    return found


def _compare_text(
    files: LinkageFiles, column: str, comparison: TextComparison
) -> AttributeComparison | None:
    """Text by the levels of its similarity, dates by the days between them."""
    names = comparison.labels
    if comparison.by == "days":
        days = day_numbers(files, column)
        varies = mean_and_deviation(np.concatenate(days[1:])) is not None
        one = AttributeComparison(column, comparison.ends, "days", *days, names=names)
    else:
        texts = text_column(files, column, comparison)
        varies = len(texts.texts) > 1
        pairs = similar_pairs(files, column, texts, comparison)
        pairs = pairs.with_values(comparison.levels_of(pairs.values).astype(np.float64))
        ends = tuple(map(float, range(len(names))))
        cells = texts.intruder, texts.reference, texts.released
        one = AttributeComparison(column, ends, "text", *cells, pairs=pairs, names=names)
    if not varies:
        warn_constant(files, column, "original, nor in the release")
        return None
    return one


def _compare_numbers(
    files: LinkageFiles, column: str, ends: tuple[float, ...] | None, agreement: float | None
) -> AttributeComparison | None:
    values = files.numbers(column)
    _, reference, released = values
    by_release, both = ends is None and agreement is None, np.concatenate([reference, released])
    scale = mean_and_deviation(released if by_release else both)
    if scale is None:
        warn_constant(files, column, "release" if by_release else "original, nor in the release")
        return None
    if ends is None and agreement is not None:
        span = max(float(np.nanmax(both) - np.nanmin(both)), LEAST_TOLERANCE / agreement)
        return AttributeComparison(column, (agreement * span,), "numbers", *values, farthest=span)
    ends = ends or _default_tolerances(reference, released, scale[1])
    return AttributeComparison(column, ends, "numbers", *values)


def _default_tolerances(reference: Floats, released: Floats, deviation: float) -> tuple[float, ...]:
    """Equality and round shares of the release's deviation, without those that no pair needs."""
    ends = (0.0, *(float(f"{deviation * part:.3g}") for part in DEVIATIONS))
    ends = tuple(sorted({end for end in ends if end == 0 or end > LEAST_TOLERANCE}))
    everybody = ComparisonBlock(np.arange(len(reference)), np.arange(len(released)))
    pairs = level_totals(reference[:, None], released[:, None], [ends], [everybody])
    used = tuple(end for end, many in zip(ends, pairs[:-1].tolist(), strict=True) if many)
    return used or ends[-1:]


def _compare_categories(
    files: LinkageFiles, column: str, ends: tuple[float, ...] | None
) -> AttributeComparison | None:
    """Ordinal categories by the places between them, nominal ones by equality."""
    ordered = common_level(*files.pair, column) == "ordinal"
    if not ordered and ends not in (None, EQUALITY):
        raise SpecError(
            f"probabilistic: tolerances: column '{column}' is nominal, and its categories are "
            "equal or not: leave it out, or declare its order"
        )
    listed = files.categories(column)
    if len(listed) < 2:
        warn_constant(files, column, "original, nor in the release")
        return None
    if not ordered:
        codes = files.codes(column, files.all_categories(column))
        return AttributeComparison(column, EQUALITY, "codes", *codes)
    ends = ends or tuple(end for end in PLACES if end < len(listed) - 1)
    return AttributeComparison(column, ends, "places", *files.codes(column, listed))


def drop_redundant(
    comparisons: Sequence[AttributeComparison],
) -> tuple[list[AttributeComparison], dict[str, str]]:
    """The comparisons without redundant ones, and for each of these the column it repeats.

    A comparison by equality is redundant if its categories correspond one to one to another's in
    both files; one by tolerances, if its numbers are the same on a common scale. Categories stay
    before numbers, whatever the order of the columns.
    """
    kept: list[tuple[AttributeComparison, Floats]] = []
    dropped = {}
    for one in sorted(comparisons, key=lambda one: one.kind == "numbers"):
        numbers = _canonical(one)
        same = [
            other.column
            for other, known in kept
            if other.equality == one.equality
            and (other.pairs is None) == (one.pairs is None)
            and _is_same(numbers, known)
        ]
        if not same:
            kept.append((one, numbers))
            continue
        dropped[one.column] = same[0]
        logging.getLogger("unveil").warning(
            "column '%s' duplicates column '%s' and is left out", one.column, same[0]
        )
    return [one for one in comparisons if one.column not in dropped], dropped


def _canonical(one: AttributeComparison) -> Floats:
    """The cells as numbers that do not depend on the names of categories or the unit."""
    values = np.concatenate([one.reference, one.released])
    known = ~np.isnan(values)
    numbers = np.full(len(values), -1.0)
    if one.equality or one.pairs is not None:  # numbered in the order of their first occurrence
        _, first, code = np.unique(values[known], return_index=True, return_inverse=True)
        numbers[known] = np.argsort(np.argsort(first))[code]
    elif known.any():
        least, most = values[known].min(), values[known].max()
        numbers[known] = (values[known] - least) / ((most - least) or 1.0)
    return numbers


def _is_same(one: Floats, other: Floats) -> bool:
    """Whether both distinguish the same cells; a scale may be reversed."""
    return any(
        all(np.abs(way[rows] - other[rows]).max() <= SAME_NUMBER for rows in (PREVIEW, slice(None)))
        for way in (one, np.where(one < 0, one, 1 - one))
    )
