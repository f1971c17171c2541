"""What the paper on fuzzy integrals says of operators and of chance, and whether it is so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil import aggregation, measures
from unveil.workflows.reproducing.fuzzy_integrals import operators
from unveil.workflows.reproducing.fuzzy_integrals.files import RECORDS
from unveil.workflows.reproducing.fuzzy_integrals.operators import EXACT, FAMILIES, OPERATORS
from unveil.workflows.reproducing.verdicts import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unveil.workflows.reproducing.verdicts import Judged


FROM_0_TO_1 = ("Qe", "Qt")  # families whose quantifiers are as Definition 2 asks
ALMOST_ZERO = 1e-9


def _little(gap: float) -> str:
    return f"{gap:.0e}" if gap > 0 else "0"


def _within_values() -> Judged:
    gaps = {family: operators.faults("OWA", family)["bounds"] for family in FAMILIES}
    return verdict_of(*(gap < EXACT for gap in gaps.values())), (
        "with Qe and Qt nothing is outside; with Qs, which does not go from 0 to 1, an OWA of "
        f"values from 0 to 1 is up to {gaps['Qs']:.2f} outside"
    )


def _limits() -> Judged:
    near, far = operators.limits()
    return verdict_of(max(near, far) < 1e-6), (
        f"at alpha 1E-9 it is {_little(near)} below the maximum, at 10,000 it is {_little(far)} "
        "above the minimum"
    )


def _not_falling() -> Judged:
    falling, _even = operators.falls_with_alpha()
    return verdict_of(not falling), (
        f"it falls in {falling:.0%} of 200 records drawn: the sentence says the opposite of the "
        "formula below it"
    )


def _smaller() -> Judged:
    falling, even = operators.falls_with_alpha()
    return verdict_of(
        falling == 1, falling == even == 1
    ), f"so in {falling:.0%} of the records whose values differ; where all are equal, so is the OWA"


def _symmetric() -> Judged:
    worst = max(operators.faults("OWA", family)["symmetry"] for family in FAMILIES)
    return verdict_of(worst < EXACT), (
        f"values in the opposite order change it by {_little(worst)} at most, with all 30 "
        "quantifiers"
    )


def _choquet() -> Judged:
    worst = operators.from_choquet()
    return verdict_of(worst < EXACT), (
        f"they differ by {_little(worst)} at most, for 1 to 7 attributes and 30 quantifiers that "
        "go from 0 to 1"
    )


def _dependence() -> Judged:
    additive = operators.interaction_of(aggregation.FuzzyMeasure.additive([0.3, 0.7]))
    other = operators.interaction_of(aggregation.FuzzyMeasure([0, 0.6, 0.6, 1]))
    return verdict_of(abs(additive) < EXACT < abs(other)), (
        f"the interaction of two attributes is {additive:.1f} in a weighted mean, and {other:.1f} "
        "in a measure in which either weighs 0.6"
    )


def _sugeno() -> Judged:
    wanted = ("idempotency", "monotonicity", "symmetry")
    right = {
        family: all(operators.faults("SI", family)[name] < EXACT for name in wanted)
        for family in FAMILIES
    }
    gap = operators.faults("SI", "Qs")["idempotency"]
    return verdict_of(*right.values()), (
        f"so with {' and '.join(one for one in right if right[one])} on values from 0 to 1; with "
        f"Qs, which ends below 1, equal values come out up to {gap:.2f} lower"
    )


def _proposition_1() -> Judged:
    wanted = ("independence", "idempotency", "monotonicity")
    worst = max(
        operators.faults(operator, family)[name]
        for operator in OPERATORS for family in FROM_0_TO_1 for name in wanted
    )  # fmt: skip
    return verdict_of(worst < EXACT), (
        "the definition says no more; with Qe and Qt both operators miss none of the three by more "
        f"than {_little(worst)}. Values are normalised by their file before, though, so that a "
        "representative does depend on other records"
    )


def _ruled_out() -> Judged:
    values = operators.records(4)
    mean = aggregation.weighted_mean(values, [4, 3, 2, 1])
    moved = np.abs(mean - aggregation.weighted_mean(values[:, ::-1], [4, 3, 2, 1])).max()
    return verdict_of(moved > EXACT), (
        f"a weighted mean by 4, 3, 2 and 1 changes by up to {moved:.2f} when the values are turned "
        "round"
    )


def _proposition_2() -> Judged:
    worst = {
        f"{operator} {family}": max(
            gap for name, gap in operators.faults(operator, family).items() if name != "bounds"
        )
        for operator in OPERATORS for family in FAMILIES
    }  # fmt: skip
    wrong = [f"{name} (by up to {gap:.2f})" for name, gap in worst.items() if gap >= EXACT]
    return verdict_of(*(gap < EXACT for gap in worst.values())), (
        "Q must go from 0 to 1 as well, and the published Qs does not: not idempotent are "
        + " and ".join(wrong)
    )


def _proposition_3() -> Judged:
    worst = operators.of_missing()
    return verdict_of(worst < EXACT), (
        f"of {operators.FEW} records with two in five values missing, the aggregates are those of "
        f"what is there, within {_little(worst)}; the experiments, though, put 0 in their place"
    )


def _permuted() -> Judged:
    gap, different = operators.permuted_gap()
    return verdict_of(gap == 0 and different == len(operators.TABLE_I)), (
        f"the representatives of both files differ by {_little(gap)}, and all {different} records "
        "of each differ from each other"
    )


def _proposition_4() -> Judged:
    worst = operators.law_by_counting(7)
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
