"""Comparisons: each attribute of both files, and the levels by which it is compared."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.attribute_costs import code_values, leave_out, mean_and_deviation
from unveil.engines.local.level_comparison import level_totals
from unveil.errors import SchemaError, SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_categories, common_level
from unveil.values.links import ComparisonBlock
from unveil.wording import absent_column

Given = Mapping[str, tuple[float, ...]]


# In the release's deviations; of ten sets, the one that did well under all five masks of census.
DEVIATIONS = (0.05, 0.2, 0.5)
PLACES = (0.0, 1.0, 2.0)  # of ordinal categories
EQUAL = (0.0,)
LEAST = 1e-250  # a tolerance that is more than nothing
SAME = 1e-9  # standardised numbers nearer than this are equal


@dataclass(frozen=True, repr=False, eq=False)
class AttributeComparison:
    """One attribute: its numbers or codes, a NaN where missing, and its tolerances."""

    column: str
    tolerances: tuple[float, ...]  # ascending; a level for each, and one beyond the last
    kind: Literal["numbers", "places", "codes"]
    intruder: Floats
    reference: Floats
    released: Floats
    far: float | None = None  # the gap from which on none is farther, where that is said

    @property
    def equality(self) -> bool:
        """Whether cells are equal or not, and no degrees of it."""
        return self.tolerances == EQUAL

    @property
    def labels(self) -> tuple[str, ...]:
        """What each level is, in words."""
        return (*(self._label(end) for end in self.tolerances), "All other comparisons")

    def _label(self, end: float) -> str:
        if end == 0:
            return "Exact match"
        unit = "" if self.kind == "numbers" else " place" if end == 1 else " places"
        return f"Within {end:,.10g}{unit}"


def comparisons_of(
    files: LinkageFiles, given: Given, agreement: float | None = None
) -> list[AttributeComparison]:
    """How each attribute is compared; those that do not vary are left out, and said.

    With an `agreement`, numbers agree up to that share of their range, or do not.
    """
    for column in given:
        if column not in files.columns:
            raise SpecError(f"probabilistic: tolerances: {absent_column(column, files.columns)}")
    found = []
    for column in files.columns:
        if files.generalised(column):
            raise SchemaError(
                f"probabilistic: column '{column}' is generalised, and ranges and sets are no "
                "values that agree or not: leave it out of what the intruder knows, or attack by "
                "distance"
            )
        level = common_level(*files.pair, column)
        own = given.get(column)
        made = _numbers(files, column, own, agreement) if level == "numeric" else None
        if level == "ordinal":
            made = _places(files, column, own)
        elif level == "nominal":
            made = _codes(files, column, own)
        if made is not None:
            found.append(made)
    return found


def _numbers(
    files: LinkageFiles, column: str, given: tuple[float, ...] | None, agreement: float | None
) -> AttributeComparison | None:
    """Numbers as they are, with tolerances in their own units."""
    values = files.numbers(column)
    _, reference, released = values
    by_release, every = given is None and agreement is None, np.concatenate([reference, released])
    scale = mean_and_deviation(released if by_release else every)
    if scale is None:
        leave_out(column, "release" if by_release else "original, nor in the release")
        return None
    if given is None and agreement is not None:
        span = max(float(np.nanmax(every) - np.nanmin(every)), LEAST / agreement)
        return AttributeComparison(column, (agreement * span,), "numbers", *values, far=span)
    ends = given or _near(reference, released, scale[1])
    return AttributeComparison(column, ends, "numbers", *values)


def _near(reference: Floats, released: Floats, deviation: float) -> tuple[float, ...]:
    """Round tolerances by the release's deviation; equality first where numbers are equal.

    A tolerance that no pair needs, as of whole numbers that are few, is left out.
    """
    ends = (0.0, *(float(f"{deviation * part:.3g}") for part in DEVIATIONS))
    ends = tuple(sorted({end for end in ends if end == 0 or end > LEAST}))
    everybody = ComparisonBlock(np.arange(len(reference)), np.arange(len(released)))
    pairs = level_totals(reference[:, None], released[:, None], [ends], [everybody])
    used = tuple(end for end, many in zip(ends, pairs[:-1].tolist(), strict=True) if many)
    return used or ends[-1:]


def _places(
    files: LinkageFiles, column: str, given: tuple[float, ...] | None
) -> AttributeComparison | None:
    """Ordered categories by the places between them."""
    listed = files.categories(column)
    if len(listed) < 2:
        leave_out(column, "original, nor in the release")
        return None
    intruder, released = (code_values(data, column, listed) for data in files.pair)
    reference = (
        intruder
        if files.reference is files.intruder_records
        else code_values(files.reference, column, listed)
    )
    ends = given or tuple(end for end in PLACES if end < len(listed) - 1)
    return AttributeComparison(column, ends, "places", intruder, reference, released)


def _codes(
    files: LinkageFiles, column: str, given: tuple[float, ...] | None
) -> AttributeComparison | None:
    """Categories without an order: equal or not."""
    if given not in (None, EQUAL):
        raise SpecError(
            f"probabilistic: tolerances: column '{column}' is nominal, and its categories are "
            "equal or not: leave it out, or declare its order"
        )
    listed = files.categories(column)
    if len(listed) < 2:
        leave_out(column, "original, nor in the release")
        return None
    # Strangers may have categories that nobody has in either file: they equal none.
    named = common_categories(*files.pair, column)
    every = tuple(dict.fromkeys((*listed, *named)))
    intruder, released = (code_values(data, column, every) for data in files.pair)
    reference = (
        intruder
        if files.reference is files.intruder_records
        else code_values(files.reference, column, every)
    )
    return AttributeComparison(column, EQUAL, "codes", intruder, reference, released)


def without_doubles(
    comparisons: Sequence[AttributeComparison],
) -> tuple[list[AttributeComparison], dict[str, str]]:
    """The comparisons but those that say what another has said, and as which these compare.

    Two that are equal or not, when each category of the one is one of the other in both files;
    two by tolerances, when their numbers are the same once both are put on one scale.
    """
    kept: list[AttributeComparison] = []
    told: list[Floats] = []
    doubles = {}
    for one in comparisons:
        tells = _told(one)
        same = [
            other.column
            for other, known in zip(kept, told, strict=True)
            if other.equality == one.equality and _same(tells, known)
        ]
        if not same:
            kept.append(one)
            told.append(tells)
            continue
        doubles[one.column] = same[0]
        logging.getLogger("unveil").warning(
            "column '%s' compares as column '%s' does: it is left out, since what is said twice "
            "would count twice",
            one.column,
            same[0],
        )
    return kept, doubles


def _told(one: AttributeComparison) -> Floats:
    """What a comparison tells apart, in numbers that do not depend on what cells are called."""
    values = np.concatenate([one.reference, one.released])
    known = ~np.isnan(values)
    told = np.full(len(values), -1.0)
    if one.equality:  # numbered as they first come up
        _, first, code = np.unique(values[known], return_index=True, return_inverse=True)
        told[known] = np.argsort(np.argsort(first))[code]
    elif known.any():
        least, most = values[known].min(), values[known].max()
        told[known] = (values[known] - least) / ((most - least) or 1.0)
    return told


def _same(one: Floats, other: Floats) -> bool:
    """Whether both tell the same apart; a scale may be turned round."""
    turned = np.where(one < 0, one, 1 - one)
    few = slice(0, 100)  # which nearly always suffice to see that they do not
    return any(
        all(np.abs(way[rows] - other[rows]).max() <= SAME for rows in (few, slice(None)))
        for way in (one, turned)
    )
