"""Verdicts on evidence made up for the purpose: what counts, and what does not."""

import msgspec
import pytest

from fixtures.evidence import evidence, finding, made
from unveil import Policy, measures
from unveil.errors import SpecError
from unveil.values.results.disclosure import Diversity, PolicyClasses
from unveil.values.results.evidence import ORDER_CORRELATION, ORDER_P_VALUE
from unveil.values.results.risk import Claims, Forecast, Interval
from unveil.values.results.subgroups import GroupRisk, Subgroups
from unveil.workflows.auditing.policy.check import check_policy

SAMPLED = Interval(0.05, 0.3, 0.95)


def limit(of, **allowed):
    (found,) = check_policy(Policy(**allowed), of).limits
    return found


def test_of_a_sample_the_upper_end_counts_of_whichever_attack_has_the_highest():
    """More was found by the one, more may be there by the other."""
    attacks = finding("rank", 0.2), finding("distance", 0.1, population=1000, interval=SAMPLED)
    found = limit(evidence(attacks=attacks), max_risk=0.25)
    assert (found.found, found.kept) == (0.3, False)
    assert found.reason.startswith("distance")


def test_of_a_subgroup_that_was_sampled_the_upper_end_counts():
    group = made(GroupRisk, column="sex", group="category 1", n=20, share=0.1, interval=SAMPLED)
    found = limit(
        evidence(subgroups=made(Subgroups, groups=(group,), highest=group)), max_subgroup_risk=0.2
    )
    assert (found.found, found.kept) == (0.3, False)
    assert "upper end" in found.reason


def test_of_claims_that_were_looked_at_in_part_the_upper_end_counts():
    some = finding(n=400, population=400, confirmed=Claims(100, 30, 20.0))
    found = limit(evidence(attacks=(some,)), max_confirmed=0.2)
    assert found.found == measures.wilson(20, 100, 400).high > 0.2
    assert not found.kept
    every = finding(n=100, population=100, confirmed=Claims(100, 30, 20.0))
    assert limit(evidence(attacks=(every,)), max_confirmed=0.2).kept


def sure(claimed, right, n=100):
    return Forecast(n=n, share=0.5, found=0.5, above=0.9, claimed=claimed, right=right)


def test_wrong_links_that_an_attack_is_sure_of_count_whatever_its_right_ones_are():
    attacks = (
        finding("rank", n=100, population=100, forecast=sure(60, 58.0)),
        finding("distance", n=100, population=100, forecast=sure(10, 5.0)),
    )
    found = limit(evidence(attacks=attacks), max_wrong_certainty=0.04)
    assert (found.found, found.kept) == (0.05, False)
    assert found.reason.startswith("distance")
    assert limit(evidence(attacks=attacks), max_wrong_certainty=0.05).kept
    some = finding(n=400, population=400, forecast=sure(10, 5.0))
    found = limit(evidence(attacks=(some,)), max_wrong_certainty=0.05)
    assert found.found == measures.wilson(5, 100, 400).high > 0.05


@pytest.mark.parametrize("forecast", [None, sure(3, None)])
def test_without_probabilities_or_truth_nobody_knows_how_many_are_wrongly_sure(forecast):
    found = limit(evidence(attacks=(finding(forecast=forecast),)), max_wrong_certainty=1.0)
    assert (found.found, found.kept) == (None, False)


def test_the_most_confirmed_and_the_nearest_attribute_count():
    few, many = (finding(confirmed=Claims(100, 50, right)) for right in (1.0, 40.0))
    assert limit(evidence(attacks=(few, many)), max_confirmed=0.5).found == 0.4
    inside = {"age": 0.3, "income": 0.9, "rent": 0.5}
    found = limit(evidence(inside=inside), max_interval_disclosure=0.6)
    assert (found.found, found.kept) == (pytest.approx(0.875), False)  # beyond chance, 0.2
    assert found.reason.startswith("income")


def test_the_least_diverse_attribute_counts():
    classes = tuple(
        Diversity(column=name, fewest=fewest, records=4, homogeneous=0)
        for name, fewest in (("rent", 3), ("debt", 2), ("tax", 5))
    )
    counted = made(PolicyClasses, limit="l_diversity", keys=("sex",), diversity=classes)
    found = limit(evidence(policy_classes=(counted,)), l_diversity=3)
    assert (found.found, found.kept, found.keys) == (2, False, ("sex",))
    assert limit(evidence(policy_classes=(counted,)), l_diversity=2).kept
    assert limit(evidence(), l_diversity=2).reason.startswith("not measured")


@pytest.mark.parametrize(
    ("correlation", "unlikely", "stay", "beside", "betrayed"),
    [
        (0.0, 1.0, 1.0, 1.0, False),
        (ORDER_CORRELATION, ORDER_P_VALUE / 2, 1.0, 1.0, True),
        (-ORDER_CORRELATION, ORDER_P_VALUE / 2, 1.0, 1.0, True),  # reversed
        (ORDER_CORRELATION, 2 * ORDER_P_VALUE, 1.0, 1.0, False),  # by chance, in a small file
        (ORDER_CORRELATION / 2, ORDER_P_VALUE / 2, 1.0, 1.0, False),  # a large file
        (0.0, 1.0, ORDER_P_VALUE / 2, 1.0, True),  # too many stand where they stood
        (0.0, 1.0, 1.0, ORDER_P_VALUE / 2, True),  # too many beside whom they stood
    ],
)
def test_what_the_order_of_rows_betrays(correlation, unlikely, stay, beside, betrayed):
    order = {"correlation": correlation, "p_value": unlikely}
    order |= {"neighbours": 3, "neighbours_p_value": beside}
    one = msgspec.structs.replace(finding("position", p_value=stay), row_order=order)
    found = limit(evidence(attacks=(finding(), one)), forbid_row_order=True)
    assert (found.found, found.kept) == (betrayed, not betrayed)


def test_a_limit_on_classes_is_wrong_in_plain_words():
    for limit, rule in (
        ({"k": 3, "keys": []}, "keys: name at least one column"),
        ({"keys": ["age"]}, "k: not given"),
    ):
        with pytest.raises(SpecError, match=f"^policy: k_anonymity: {rule}$"):
            Policy(k_anonymity=limit)
