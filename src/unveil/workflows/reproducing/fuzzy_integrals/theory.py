"""What the paper on fuzzy integrals says of operators and of chance: tried out, and judged.

Nothing here depends on data: operators are tried on numbers drawn at random.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from unveil import aggregation, measures
from unveil.workflows.reproducing.fuzzy_integrals.files import RECORDS
from unveil.workflows.reproducing.verdicts import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from unveil.workflows.reproducing.verdicts import Judged

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
FROM_0_TO_1 = ("Qe", "Qt")  # families whose quantifiers are as Definition 2 asks
ALMOST_ZERO = 1e-9


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
    aggregate, found = OPERATORS[operator], dict[str, float]()
    for width in WIDTHS:
        values = records(width)
        more = values + records(width)[::-1] * (1 - values)
        same = np.repeat(values[:, :1], width, axis=1)
        for q in aggregation.published_quantifiers(FAMILIES[family]):
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


def _little(gap: float) -> str:
    return f"{gap:.0e}" if gap > 0 else "0"


def _within_values() -> Judged:
    gaps = {family: faults("OWA", family)["bounds"] for family in FAMILIES}
    return verdict_of(*(gap < EXACT for gap in gaps.values())), (
        "with Qe and Qt nothing is outside; with Qs, which does not go from 0 to 1, an OWA of "
        f"values from 0 to 1 is up to {gaps['Qs']:.2f} outside"
    )


def _limits() -> Judged:
    near, far = limits()
    return verdict_of(max(near, far) < 1e-6), (
        f"at alpha 1E-9 it is {_little(near)} below the maximum, at 10,000 it is {_little(far)} "
        "above the minimum"
    )


def _not_falling() -> Judged:
    falling, _even = falls_with_alpha()
    return verdict_of(not falling), (
        f"it falls in {falling:.0%} of 200 records drawn: the sentence says the opposite of the "
        "formula below it"
    )


def _smaller() -> Judged:
    falling, even = falls_with_alpha()
    return verdict_of(
        falling == 1, falling == even == 1
    ), f"so in {falling:.0%} of the records whose values differ; where all are equal, so is the OWA"


def _symmetric() -> Judged:
    worst = max(faults("OWA", family)["symmetry"] for family in FAMILIES)
    return verdict_of(worst < EXACT), (
        f"values in the opposite order change it by {_little(worst)} at most, with all 30 "
        "quantifiers"
    )


def _choquet() -> Judged:
    worst = from_choquet()
    return verdict_of(worst < EXACT), (
        f"they differ by {_little(worst)} at most, for 1 to 7 attributes and 30 quantifiers that "
        "go from 0 to 1"
    )


def _dependence() -> Judged:
    measures_of_two = (
        aggregation.FuzzyMeasure.additive([0.3, 0.7]),
        aggregation.FuzzyMeasure([0, 0.6, 0.6, 1]),
    )
    additive, other = (aggregation.interaction(one, (0, 1)) for one in measures_of_two)
    return verdict_of(abs(additive) < EXACT < abs(other)), (
        f"the interaction of two attributes is {additive:.1f} in a weighted mean, and {other:.1f} "
        "in a measure in which either weighs 0.6"
    )


def _sugeno() -> Judged:
    wanted = ("idempotency", "monotonicity", "symmetry")
    right = {
        family: all(faults("SI", family)[name] < EXACT for name in wanted) for family in FAMILIES
    }
    gap = faults("SI", "Qs")["idempotency"]
    return verdict_of(*right.values()), (
        f"so with {' and '.join(one for one in right if right[one])} on values from 0 to 1; with "
        f"Qs, which ends below 1, equal values come out up to {gap:.2f} lower"
    )


def _proposition_1() -> Judged:
    wanted = ("independence", "idempotency", "monotonicity")
    worst = max(
        faults(operator, family)[name]
        for operator in OPERATORS for family in FROM_0_TO_1 for name in wanted
    )  # fmt: skip
    return verdict_of(worst < EXACT), (
        "the definition says no more; with Qe and Qt both operators miss none of the three by more "
        f"than {_little(worst)}. Values are normalised by their file before, though, so that a "
        "representative does depend on other records"
    )


def _ruled_out() -> Judged:
    values = records(4)
    mean = aggregation.weighted_mean(values, [4, 3, 2, 1])
    moved = np.abs(mean - aggregation.weighted_mean(values[:, ::-1], [4, 3, 2, 1])).max()
    return verdict_of(moved > EXACT), (
        f"a weighted mean by 4, 3, 2 and 1 changes by up to {moved:.2f} when the values are turned "
        "round"
    )


def _proposition_2() -> Judged:
    worst = {
        f"{operator} {family}": max(
            gap for name, gap in faults(operator, family).items() if name != "bounds"
        )
        for operator in OPERATORS for family in FAMILIES
    }  # fmt: skip
    wrong = [f"{name} (by up to {gap:.2f})" for name, gap in worst.items() if gap >= EXACT]
    return verdict_of(*(gap < EXACT for gap in worst.values())), (
        "Q must go from 0 to 1 as well, and the published Qs does not: not idempotent are "
        + " and ".join(wrong)
    )


def _proposition_3() -> Judged:
    worst = of_missing()
    return verdict_of(worst < EXACT), (
        f"of {FEW} records with two in five values missing, the aggregates are those of what is "
        f"there, within {_little(worst)}; the experiments, though, put 0 in their place"
    )


def _permuted() -> Judged:
    gap, different = permuted_gap()
    return verdict_of(gap == 0 and different == len(TABLE_I)), (
        f"the representatives of both files differ by {_little(gap)}, and all {different} records "
        "of each differ from each other"
    )


def _proposition_4() -> Judged:
    worst = law_by_counting(7)
    return verdict_of(worst < EXACT), (
        f"counted over the 5,040 permutations of 7 records it differs by {_little(worst)} at most. "
        "It is the law of one-to-one links; records that each take anybody follow the binomial law"
    )


def _almost_zero() -> Judged:
    law = measures.random_matching(RECORDS, RECORDS)
    likely = law.at_least(15) - law.at_least(31)
    return verdict_of(likely < ALMOST_ZERO), f"it is {likely:.1e}"


def _26() -> Judged:
    return _by_chance(26, "9.47e-28")


def _28() -> Judged:
    verdict, told = _by_chance(28, "1.24e-30")
    exactly = measures.random_matching(RECORDS, RECORDS).exactly(28)
    return verdict, f"{told}; it is that of 28 or more, cut off: of exactly 28 it is {exactly:.2e}"


def _by_chance(links: int, printed: str) -> Judged:
    matched, free = (
        law(RECORDS, RECORDS).at_least(links)
        for law in (measures.random_matching, measures.random_links)
    )
    same = abs(matched / float(printed) - 1) < 0.01
    return verdict_of(same), (
        f"it is {matched:.4e} of a random matching; where each record takes anybody, as here, "
        f"{free:.1e}"
    )


THEORY: Mapping[int, Callable[[], Judged]] = {
    8: _within_values,
    9: _limits,
    10: _not_falling,
    11: _smaller,
    12: _symmetric,
    13: _choquet,
    14: _dependence,
    15: _sugeno,
    17: _proposition_1,
    18: _ruled_out,
    19: _proposition_2,
    20: _proposition_3,
    21: _permuted,
    30: _proposition_4,
    31: _almost_zero,
    32: _26,
    33: _28,
}
