"""Limits of scenarios: each names its own, and what was not measured is not kept."""

import pytest
from msgspec.structs import replace

import unveil
from fixtures.evidence import evidence, finding, made
from unveil import Policy
from unveil.errors import SpecError
from unveil.values.results.disclosure import Inference
from unveil.values.results.loss import UseLoss, UsePart
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import KNOWS_ALL, ScenarioResult, SharedCount
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.auditing.scenarios.limits import use_limits


def counted(count, of=100, interval=None):
    return SharedCount(count=count, of=of, share=count / of, interval=interval)


def row(name="register", **fields):
    found = {
        "name": name, "knows": ("age",), "error": 0.05, "member": False, "plan": False,
        "coarse": False, "together": True, "records": 200, "people": 200, "released": 100,
        "linked": counted(4.0), "confirmed": counted(2.0),
        "wrongly_confirmed": counted(20.0, 200), "learned": (), "not_learned": "", "draws": 1,
    }  # fmt: skip
    return made(ScenarioResult, **(found | fields))


def limits(rows, **table):
    verdict = check_policy(
        Policy(intruder=[{"name": "register"} | table]), evidence(scenarios=tuple(rows))
    )
    return verdict.limits


def test_the_reason_of_no_claim_has_no_lower_end_above_0():
    """It was: 0.0 of 200 people (0 %); under 0.1 % to 1.9 %."""
    nobody = counted(0.0, 200, Interval(1.7e-18, 0.019, 0.95))
    (found,) = limits([row(confirmed=nobody)], max_confirmed=0.01)
    assert "(0 %); 0 % to 1.9 % (the upper end" in found.reason


@pytest.mark.parametrize(
    ("limit", "share", "people"),
    [("max_linked", 0.04, 100), ("max_confirmed", 0.02, 100), ("max_wrongly_confirmed", 0.1, 200)],
)
def test_a_limit_names_its_scenario_and_its_people(limit, share, people):
    for allowed, kept in ((share, True), (share / 2, False)):
        (found,) = limits([row()], **{limit: allowed})
        assert (found.limit, found.scenario, found.found, found.kept) == (
            limit, "register", share, kept,
        )  # fmt: skip
        assert (found.people, found.allowed_people) == (people, int(allowed * people + 1e-9))
        assert found.excess == (None if kept else pytest.approx(share / 2))


def test_where_people_were_drawn_the_upper_end_counts():
    drawn = counted(4.0, interval=Interval(0.02, 0.09, 0.95))
    (found,) = limits([row(linked=drawn)], max_linked=0.05)
    assert (found.found, found.kept) == (0.09, False)


def learned(gain, interval=None, column="pay", **fields):
    return made(
        Inference, column=column, linked=0.5 + gain, control=0.5, learned=gain, n=90, gain=interval,
        **fields,
    )  # fmt: skip


def test_the_most_learned_column_counts_and_nothing_is_learned_where_all_is_known():
    (found,) = limits([row(learned=(learned(0.2),), error=0.0)], max_learned=0.1)
    assert (found.found, found.kept, found.people) == (0.2, False, 90)
    assert "pay" in found.reason
    drawn = learned(0.08, Interval(0.02, 0.14, 0.95))
    of_some = counted(4.0, interval=Interval(0.01, 0.1, 0.95))
    (found,) = limits([row(learned=(drawn,), linked=of_some)], max_learned=0.1)
    assert (found.found, found.kept) == (0.14, False)  # people or cells were drawn
    (found,) = limits([row(learned=(learned(0.0),), linked=of_some)], max_learned=0.01)
    assert 0.01 < found.found < 0.06  # nobody of 90: the interval of a share
    assert not found.kept
    (found,) = limits([row(not_learned=KNOWS_ALL)], max_learned=0.0)
    assert (found.found, found.kept) == (0.0, True)
    (found,) = limits([row(not_learned="every unknown column is generalised")], max_learned=0.5)
    assert (found.found, found.kept) == (None, False)


def test_the_column_with_the_largest_upper_end_is_judged():
    columns = (
        learned(0.08, Interval(0.05, 0.11, 0.95)),
        learned(0.06, Interval(-0.05, 0.17, 0.95), "rent"),
    )
    of_some = counted(4.0, interval=Interval(0.01, 0.1, 0.95))
    (found,) = limits([row(learned=columns, linked=of_some)], max_learned=0.12)
    assert (found.found, found.kept) == (0.17, False)
    assert "rent" in found.reason
    assert "at most 17.0 %" in found.reason
    (found,) = limits([row(learned=columns)], max_learned=0.12)  # nothing was drawn
    assert (found.found, found.kept) == (0.08, True)


def test_where_the_links_of_a_sample_are_read_the_upper_end_counts():
    sampled = learned(0.08, Interval(0.02, 0.14, 0.95), sampled=True)
    (found,) = limits([row(learned=(sampled,))], max_learned=0.1)
    assert (found.found, found.kept) == (0.14, False)


def test_a_limit_names_the_columns_that_it_does_not_cover():
    of = row(learned=(learned(0.08),), not_counted=("town", "job"))
    (found,) = limits([of], max_learned=0.1)
    assert "not counted, as generalised or empty: town, job" in found.reason


def test_a_synthetic_release_has_nobody_to_attack():
    people = unveil.households(30)
    policy = Policy(intruder=[{"name": "register", "max_linked": 1.0}])
    quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    audit = unveil.audit(people, people, truth="none", policy=policy, settings=quick)
    (found,) = (one for one in audit.verdict.limits if one.scenario == "register")
    assert (found.kept, found.reason) == (False, "not measured: nobody was attacked")


def test_what_was_not_measured_is_not_kept():
    without = evidence(scenarios=(), attacks=(finding("rank", 0.2),))
    table = {"name": "register", "max_linked": 1.0}
    (found,) = check_policy(Policy(intruder=[table]), without).limits
    assert (found.found, found.kept) == (None, False)
    assert "audit the release with this policy" in found.reason
    (found,) = limits([row(confirmed=None)], max_confirmed=1.0)
    assert not found.kept
    (found,) = limits([row(linked=None, left_out=("rank: no",))], max_linked=1.0)
    assert not found.kept


def test_an_intruder_of_the_same_name_who_knows_something_else_is_another():
    for other in ({"knows": ["sex"]}, {"error": 0.1}, {"records": 300}):
        (found,) = limits([row()], max_linked=1.0, **other)
        assert (found.found, found.kept) == (None, False)
        assert next(iter(other)) in found.reason
    (found,) = limits([row(given=("error",))], max_linked=1.0)  # which this policy leaves out
    assert (found.found, found.kept) == (None, False)
    (same,) = limits(
        [row(given=("error",))], max_linked=1.0, knows=["age"], error=0.05, records=200
    )
    assert same.kept


def test_limits_of_the_audit_itself_are_those_of_the_stress_test():
    of = evidence(attacks=(finding("rank", 0.2),), pairs=50)
    (found,) = check_policy(Policy(max_risk=0.1), of).limits
    assert (found.scenario, found.people, found.allowed_people) == ("stress test", 50, 5)
    assert found.excess == pytest.approx(0.1)
    (loss,) = check_policy(Policy(max_loss=1.0), of).limits
    assert loss.scenario == ""


def test_the_limits_of_uses():
    relations = {"name": "relations", "kind": "relations", "max_loss": 0.2}
    policy = Policy(use=[relations, {"name": "means", "kind": "estimates", "max_loss": 0.1}])
    assert policy.to_dict()["use"][0] == relations
    lost = UseLoss(
        name="relations", kind="relations", value=0.3, error=0.01, n=1, records=5,
        parts=(UsePart(name="age and sex", value=0.3),), definition="",
    )  # fmt: skip
    broken, unmeasured = use_limits(policy, (lost,))
    assert (broken.title, broken.found, broken.kept) == ("use relations: max_loss", 0.3, False)
    assert broken.reason == "0.300 of 1; most: age and sex"
    assert (unmeasured.found, unmeasured.kept) == (None, False)
    other = replace(lost, columns=("age", "sex"), value=0.1)
    assert [one.found for one in use_limits(policy, (other,))] == [None, None]
    assert next(use_limits(policy, (replace(lost, value=0.1),))).kept
    for tables, rule in (
        ([relations, relations], "a name occurs twice"),
        (relations, "a table of each use"),
        ([{"name": "a", "kind": "sums"}], "policy: use 'a': kind"),
        ([{"name": "a", "kind": "relations"}], "it sets no limit"),
    ):
        with pytest.raises(SpecError, match=rule):
            Policy(use=tables)
