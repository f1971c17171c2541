"""What the paper on fuzzy integrals says of its operators, tried out on numbers drawn at random."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from unveil import aggregation, measures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OPERATORS = {"OWA": aggregation.owa, "SI": aggregation.symmetric_sugeno}
FAMILIES = {"Qe": "exponent", "Qs": "sigmoid", "Qt": "threshold"}
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
PERMUTED = (1, 3, 0, 2)  # the attributes of file B; Table II is not legible throughout


def table_3() -> Floats:
    """The ten representatives of each record of Table I."""
    every = aggregation.published_quantifiers("exponent")
    return np.column_stack([aggregation.owa(TABLE_I, q) for q in every])


def records(width: int) -> Floats:
    """Records of so many attributes, from 0 to 1."""
    return np.random.default_rng(width).random((MANY, width))


@cache
def faults(operator: str, family: str) -> dict[str, float]:
    """By how much an operator misses each property, at the most, with the quantifiers of a family.

    Whether it lies within its values, returns what all values are, does not fall where values
    rise, knows no order of its values, and no other record.
    """
    aggregate, found = OPERATORS[operator], Counter[str]()
    for width in WIDTHS:
        values = records(width)
        more = values + records(width)[::-1] * (1 - values)
        same = np.repeat(values[:, :1], width, axis=1)
        for q in aggregation.published_quantifiers(FAMILIES[family]):
            made = aggregate(values, q)
            below, above = values.min(1) - made, made - values.max(1)
            found["bounds"] = max(found["bounds"], below.max(), above.max())
            found["idempotency"] = max(
                found["idempotency"], np.abs(aggregate(same, q) - same[:, 0]).max()
            )
            found["monotonicity"] = max(found["monotonicity"], (made - aggregate(more, q)).max())
            turned = aggregate(values[:, ::-1], q)
            found["symmetry"] = max(found["symmetry"], np.abs(made - turned).max())
            alone = aggregate(values[: MANY // 2], q)
            found["independence"] = max(
                found["independence"], np.abs(made[: MANY // 2] - alone).max()
            )
    return {name: float(value) for name, value in found.items()}


def by_power(values: Floats, alpha: float) -> Floats:
    """The OWA whose quantifier is a power."""
    return aggregation.owa(values, aggregation.Quantifier("exponent", alpha))


def limits() -> tuple[float, float]:
    """How far the OWA is from the maximum for an alpha near 0, and from the minimum for a large."""
    values = records(4)
    near, far = by_power(values, 1e-9), by_power(values, 1e4)
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
    worst = 0.0
    anchored = [aggregation.Quantifier("sigmoid", k / 10) for k in range(10)]
    families = [aggregation.published_quantifiers(f) for f in ("exponent", "threshold")]
    for width in WIDTHS:
        for q in (*families[0], *families[1], *anchored):
            measure = aggregation.FuzzyMeasure.symmetric(q.by_size(width))
            gaps = aggregation.owa(records(width), q) - aggregation.choquet(records(width), measure)
            worst = max(worst, float(np.abs(gaps).max()))
    return worst


def interaction_of(measure: aggregation.FuzzyMeasure) -> float:
    """How much two attributes say together beyond what each says."""
    return aggregation.interaction(measure, (0, 1))


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
