"""What the paper on fuzzy integrals says of its operators, tried out on numbers drawn at random."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np

from unveil import aggregation, measures
from unveil_papers.framework.tools import Floats

OPERATORS = {"OWA": aggregation.owa, "SI": aggregation.symmetric_sugeno}
FAMILIES = {"Qe": "exponent", "Qs": "sigmoid", "Qt": "threshold"}
PROPER = ("Qe", "Qt", "anchored Qs")  # from 0 to 1, as Definitions 2 and 3 ask
WIDTHS, MANY = (1, 2, 3, 4, 7), 200  # attributes, and records of so many
FEW = 40  # records that are looked at one by one
EXACT = 1e-9  # what is less is rounding
TABLE_I = np.array(
    [
        [0.2, 0.4, 0.2, 0.4],
        [0.1, 0.2, 0.1, 0.2],
        [0.5, 0.6, 0.5, 0.1],
        [0.8, 0.4, 0.4, 0.7],
        [0.9, 0.2, 0.0, 0.0],
        [0.2, 0.2, 0.3, 0.9],
        [0.5, 0.3, 0.2, 1.0],
        [0.0, 0.1, 0.5, 1.0],
        [1.0, 0.0, 0.9, 0.2],
        [0.5, 1.0, 1.0, 0.8],
    ]
)
PERMUTED = (3, 2, 0, 1)  # the attributes of file B: Table II is V4 V3 V1 V2, where it is legible


def table_3() -> Floats:
    """The ten representatives of each record of Table I."""
    every = aggregation.published_quantifiers("exponent")
    return np.column_stack([aggregation.owa(TABLE_I, q) for q in every])


def records(width: int) -> Floats:
    """Records of so many attributes, from 0 to 1."""
    return np.random.default_rng(width).random((MANY, width))


def quantifiers(family: str) -> tuple[aggregation.Quantifier, ...]:
    """The ten of a family as published, or sigmoids that were made to go from 0 to 1."""
    if family in FAMILIES:
        return aggregation.published_quantifiers(FAMILIES[family])
    return tuple(aggregation.Quantifier("sigmoid", k / 10) for k in range(10))


@cache
def faults(operator: str, family: str, *, beyond: bool = False) -> dict[str, float]:
    """By how much an operator misses each property, at the most, with the quantifiers of a family.

    Whether it lies within its values, returns what all values are, does not fall where values
    rise, knows no order of its values, and no other record; of values from 0 to 1, or of those
    from -2 to 2, since standardised ones lie beyond.
    """
    aggregate, found = OPERATORS[operator], dict[str, float]()
    for width in WIDTHS:
        values = records(width)
        more = values + records(width)[::-1] * (1 - values)
        if beyond:
            values, more = 4 * values - 2, 4 * more - 2
        same = np.repeat(values[:, :1], width, axis=1)
        for q in quantifiers(family):
            made, half = aggregate(values, q), aggregate(values[: MANY // 2], q)
            missed = {
                "bounds": np.maximum(values.min(1) - made, made - values.max(1)),
                "idempotency": np.abs(aggregate(same, q) - same[:, 0]),
                "monotonicity": made - aggregate(more, q),
                "symmetry": np.abs(made - aggregate(values[:, ::-1], q)),
                "independence": np.abs(made[: MANY // 2] - half),
            }
            for name, gaps in missed.items():
                found[name] = max(found.get(name, 0.0), float(gaps.max()))
    return found


def by_power(values: Floats, alpha: float, operator: str = "OWA") -> Floats:
    """The OWA, or the Sugeno integral, whose quantifier is a power."""
    return OPERATORS[operator](values, aggregation.Quantifier("exponent", alpha))


def limits(operator: str) -> tuple[float, float]:
    """How far it is from the maximum for an alpha near 0, and from the minimum for a large one."""
    values = records(4)
    near, far = by_power(values, 1e-9, operator), by_power(values, 1e4, operator)
    return float((values.max(1) - near).max()), float((far - values.min(1)).max())


def falls_with_alpha() -> tuple[float, float]:
    """The share of records whose OWA falls as alpha grows: of different values, of equal ones."""
    values = records(4)
    rows = np.array([by_power(values, alpha) for alpha in (0.2, 0.5, 1.0, 2.0, 5.0)])
    same = np.repeat(values[:, :1], 4, axis=1)
    even = np.array([by_power(same, alpha) for alpha in (0.2, 5.0)])
    return (
        float((np.diff(rows, axis=0) < 0).all(0).mean()),
        float((np.diff(even, axis=0) < -EXACT).all(0).mean()),
    )


def from_choquet() -> float:
    """How far the OWA is from the Choquet integral, at most, with quantifiers from 0 to 1."""
    return max(
        float(np.abs(aggregation.owa(values, q) - aggregation.choquet(values, measure)).max())
        for values, q, measure in _symmetric_measures()
    )


def from_sugeno() -> float:
    """How far Yager's OWMax of the weights Q(i/N) is from the Sugeno integral, at most."""
    return max(
        float(np.abs(_owmax(values, q.by_size(values.shape[1])) - integral).max())
        for values, q, measure in _symmetric_measures()
        for integral in [aggregation.sugeno(values, measure)]
    )


def _owmax(values: Floats, weights: Floats) -> Floats:
    return np.asarray(np.minimum(np.sort(values, axis=1)[:, ::-1], weights).max(1))


def _symmetric_measures() -> Iterator[
    tuple[Floats, aggregation.Quantifier, aggregation.FuzzyMeasure]
]:
    for width, family in product(WIDTHS, PROPER):
        for q in quantifiers(family):
            yield records(width), q, aggregation.FuzzyMeasure.symmetric(q.by_size(width))


def by_others() -> tuple[float, float]:
    """How much a record's first component, and its ranged values, change with other records."""
    values = records(4)
    half = values[: MANY // 2]
    moved = np.abs(_component(values)[: len(half)] - _component(half)).max()
    return float(moved), float(np.abs(_ranged(values)[: len(half)] - _ranged(half)).max())


def _component(values: Floats) -> Floats:
    centred = values - values.mean(0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    return np.asarray(centred @ (axis * np.sign(axis.sum())))


def _ranged(values: Floats) -> Floats:
    return np.asarray((values - values.min(0)) / np.ptp(values, axis=0))


def of_missing() -> float:
    """How far aggregates of incomplete records are from those of what is there."""
    worst, values = 0.0, records(7)[:FEW]
    present = np.random.default_rng(1).random(values.shape) < 0.6
    present[:, 0] = True
    for aggregate in OPERATORS.values():
        for family in FAMILIES.values():
            for q in aggregation.published_quantifiers(family):
                whole = aggregate(np.where(present, values, np.nan), q, present=present)
                each = [aggregate(v[p], q) for v, p in zip(values, present, strict=True)]
                worst = max(worst, float(np.abs(whole - np.array(each)).max()))
    return worst


def permuted_gap() -> tuple[float, int]:
    """How far the representatives of files A and B are apart, and how many records differ."""
    every = aggregation.published_quantifiers("exponent")
    other = np.column_stack([aggregation.owa(TABLE_I[:, PERMUTED], q) for q in every])
    made = table_3()
    return float(np.abs(made - other).max()), len(np.unique(made.round(9), axis=0))


def distinct(family: str, widths: tuple[int, int]) -> int:
    """How many of the ten representatives differ, between files of so many attributes."""
    every = aggregation.published_quantifiers(family)
    return len({tuple(tuple(q.by_size(width)) for width in widths) for q in every})


def law_by_counting(n: int) -> float:
    """How far the law of random matchings is from a count of all permutations of n."""
    right = Counter(sum(a == k for k, a in enumerate(one)) for one in permutations(range(n)))
    law = measures.random_matching(n, n)
    return max(abs(law.exactly(r) - right[r] / factorial(n)) for r in range(n + 1))
