"""What the paper on fuzzy integrals says of operators and of chance, and whether it is so."""

import numpy as np

from unveil import aggregation, measures
from unveil_papers.framework.verdicts import Judged, verdict_of
from unveil_papers.framework.yardstick import half_a_digit
from unveil_papers.fuzzy_integrals import operators
from unveil_papers.fuzzy_integrals.files import RECORDS
from unveil_papers.fuzzy_integrals.operators import EXACT, FAMILIES, PROPER
from unveil_papers.fuzzy_integrals.results import FuzzyIntegralResults

ALMOST_ZERO = 1e-9
NEAR = 1e-6  # a limit
PROPERTIES = ("independence", "idempotency", "monotonicity", "symmetry")  # of the six


def _little(gap: float) -> str:
    return f"{gap:.0e}" if gap > 0 else "0"


def _worst(operator: str, *names: str, beyond: bool) -> float:
    """By how much it misses properties at the most, with quantifiers from 0 to 1."""
    return max(
        operators.faults(operator, family, beyond=beyond)[name]
        for family in PROPER for name in names
    )  # fmt: skip


def within_values(_: FuzzyIntegralResults) -> Judged:
    worst = max(_worst("OWA", "bounds", beyond=beyond) for beyond in (False, True))
    sigmoid = operators.faults("OWA", "Qs")["bounds"]
    return verdict_of(worst < EXACT), (
        f"with 30 quantifiers that go from 0 to 1 nothing is outside by more than {_little(worst)}"
        "; the sigmoid of Section 4.3 does not, against Definition 2, and its OWA of values from 0 "
        f"to 1 is up to {sigmoid:.2f} outside"
    )


def limits(_: FuzzyIntegralResults) -> Judged:
    near, far = operators.limits("OWA")
    return verdict_of(near < NEAR, far < NEAR), (
        f"at alpha 1E-9 it is {_little(near)} below the maximum, at 10,000 it is {_little(far)} "
        "above the minimum"
    )


def not_falling(_: FuzzyIntegralResults) -> Judged:
    falling, _even = operators.falls_with_alpha()
    return verdict_of(not falling), (
        f"it falls in {falling:.0%} of 200 records drawn: the sentence says the opposite of the "
        "formula below it"
    )


def smaller(_: FuzzyIntegralResults) -> Judged:
    falling, even = operators.falls_with_alpha()
    return verdict_of(falling == 1, even == 1), (
        f"so in {falling:.0%} of the records whose values differ, and in {even:.0%} of those whose "
        "values are all equal"
    )


def symmetric(_: FuzzyIntegralResults) -> Judged:
    return _turned("OWA")


def _turned(operator: str) -> Judged:
    worst = max(
        operators.faults(operator, family, beyond=beyond)["symmetry"]
        for family in (*FAMILIES, *PROPER) for beyond in (False, True)
    )  # fmt: skip
    return verdict_of(worst < EXACT), (
        f"values in the opposite order change it by {_little(worst)} at most, with all 40 "
        "quantifiers"
    )


def choquet(_: FuzzyIntegralResults) -> Judged:
    worst = operators.from_choquet()
    return verdict_of(worst < EXACT), (
        f"they differ by {_little(worst)} at most, for 1 to 7 attributes and 30 quantifiers that "
        "go from 0 to 1"
    )


def dependence(_: FuzzyIntegralResults) -> Judged:
    measures_of_two = (
        aggregation.FuzzyMeasure.additive([0.3, 0.7]),
        aggregation.FuzzyMeasure([0, 0.6, 0.6, 1]),
    )
    additive, other = (aggregation.interaction(one, (0, 1)) for one in measures_of_two)
    return verdict_of(abs(additive) < EXACT < abs(other)), (
        f"the interaction of two attributes is {additive:.1f} in a weighted mean, and {other:.1f} "
        "in a measure in which either weighs 0.6"
    )


def sugeno_symmetric(_: FuzzyIntegralResults) -> Judged:
    return _turned("SI")


def owmax(_: FuzzyIntegralResults) -> Judged:
    worst = operators.from_sugeno()
    return verdict_of(worst < EXACT), (
        "the OWMax of the weights Q(i/N) and the Sugeno integral of the symmetric measure differ "
        f"by {_little(worst)} at most, for 1 to 7 attributes and 30 quantifiers"
    )


def sugeno(_: FuzzyIntegralResults) -> Judged:
    wanted = ("idempotency", "monotonicity")
    worst, beyond = (_worst("SI", *wanted, beyond=beyond) for beyond in (False, True))
    twos = float(aggregation.symmetric_sugeno([2.0, 2.0, 2.0], operators.quantifiers("Qt")[0]))
    return verdict_of(worst < EXACT, beyond < EXACT), (
        f"so of values from 0 to 1, within {_little(worst)}; of all real numbers, as Definition 3 "
        f"has it, not: of three values of 2 it is {twos:.0f}, since nothing exceeds Q(1), and from "
        f"-2 to 2 idempotency is missed by up to {beyond:.2f}"
    )


def modulates(_: FuzzyIntegralResults) -> Judged:
    near, far = operators.limits("SI")
    return verdict_of(near < NEAR, far < NEAR), (
        f"with a power alpha near 0 it is {_little(near)} below the maximum, with a large one "
        f"{_little(far)} above the minimum"
    )


def components(_: FuzzyIntegralResults) -> Judged:
    component, ranged = operators.by_others()
    alone = max(_worst(operator, "independence", beyond=False) for operator in operators.OPERATORS)
    return verdict_of(component > EXACT, alone < EXACT), (
        f"without half of 200 records the first component of the others changes by up to "
        f"{component:.2f}, OWA and Sugeno integral by {_little(alone)}. Yet the values are "
        f"normalised by their file before: ranged ones change by up to {ranged:.2f}"
    )


def weighted(_: FuzzyIntegralResults) -> Judged:
    values = operators.records(4)
    mean = aggregation.weighted_mean(values, [4, 3, 2, 1])
    moved = np.abs(mean - aggregation.weighted_mean(values[:, ::-1], [4, 3, 2, 1])).max()
    return verdict_of(moved > EXACT), (
        f"by 4, 3, 2 and 1 it changes by up to {moved:.2f} when the values are turned round; it "
        "has a weight for each attribute by definition"
    )


def extensible(_: FuzzyIntegralResults) -> Judged:
    worst = _worst("OWA", *PROPERTIES, "bounds", beyond=True)
    return verdict_of(worst < EXACT), (
        "as many weights as values are needed by definition; one Q serves 1, 2, 3, 4 and 7 "
        f"attributes, and no property is missed by more than {_little(worst)}"
    )


def proposition_2(_: FuzzyIntegralResults) -> Judged:
    owa = max(_worst("OWA", *PROPERTIES, beyond=beyond) for beyond in (False, True))
    within, beyond = (_worst("SI", *PROPERTIES, beyond=beyond) for beyond in (False, True))
    sigmoid = operators.faults("OWA", "Qs")["idempotency"]
    return verdict_of(owa < EXACT, within < EXACT, beyond < EXACT), (
        f"OWA has them, within {_little(owa)}, and so has the Sugeno integral of values from 0 to "
        f"1; beyond, where standardised values are, it is not idempotent, by up to {beyond:.2f} "
        "from -2 to 2. Q is to go from 0 to 1, as Definitions 2 and 3 ask: with the sigmoid of "
        f"Section 4.3, which does not, the OWA of equal values is up to {sigmoid:.2f} away"
    )


def proposition_3(_: FuzzyIntegralResults) -> Judged:
    worst = operators.of_missing()
    return verdict_of(worst < EXACT), (
        f"of {operators.FEW} records with two in five values missing, the aggregates are those of "
        f"what is there, within {_little(worst)}; the experiments, though, put 0 in their place"
    )


def permuted(_: FuzzyIntegralResults) -> Judged:
    gap, different = operators.permuted_gap()
    return verdict_of(gap < EXACT, different == len(operators.TABLE_I)), (
        f"the representatives of both files differ by {_little(gap)}, and {different} of the "
        f"{len(operators.TABLE_I)} records of each differ from all others"
    )


def proposition_4(_: FuzzyIntegralResults) -> Judged:
    worst = operators.law_by_counting(7)
    return verdict_of(worst < EXACT), (
        f"counted over the 5,040 permutations of 7 records it differs by {_little(worst)} at most. "
        "It is the law of one-to-one links; records that each take anybody follow the binomial law"
    )


def almost_zero(_: FuzzyIntegralResults, least: float, most: float, *_of: float) -> Judged:
    law = measures.random_matching(RECORDS, RECORDS)
    likely = law.at_least(least) - law.at_least(most + 1)
    return verdict_of(likely < ALMOST_ZERO), f"it is {likely:.1e}"


def as_in_wdbc(results: FuzzyIntegralResults) -> Judged:
    return _by_chance(results, "wdbc")


def as_in_ionosphere(results: FuzzyIntegralResults) -> Judged:
    verdict, told = _by_chance(results, "ionosphere")
    links = int(results.in_words("one run", "ionosphere", "linked"))
    exactly = measures.random_matching(RECORDS, RECORDS).exactly(links)
    return verdict, (
        f"{told}; it is that of {links} or more, cut off: of exactly {links} it is {exactly:.2e}"
    )


def _by_chance(results: FuzzyIntegralResults, name: str) -> Judged:
    links = int(results.in_words("one run", name, "linked"))
    printed = results.published.tables["Section 4.4, by chance"].figures()[str(links), "r or more"]
    matched, free = (
        law(RECORDS, RECORDS).at_least(links)
        for law in (measures.random_matching, measures.random_links)
    )
    cut_off = 0 <= matched - float(printed) < 2 * half_a_digit(printed)
    return verdict_of(cut_off), (
        f"it is {matched:.4e} of a random matching; where each record takes anybody, as here, "
        f"{free:.1e}"
    )
