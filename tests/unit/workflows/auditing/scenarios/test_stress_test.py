"""The stress test: the upper reference of every intruder who knows no more."""

import msgspec
import pytest

import unveil
from fixtures.evidence import evidence, made
from unveil import AuditSettings, Policy, masks
from unveil.reports.sections.verdict import estimates
from unveil.values.results.disclosure import Inference
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import ScenarioResult, SharedCount
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.auditing.scenarios.stress_test import with_weaker_intruders
from unveil.workflows.compare import compare

QUICK = AuditSettings(sweep=False, remedies=False, worst_case=False, errors=(), remask=0)
STRESS = "stress test"


def shared(share, of=100, interval=None):
    return SharedCount(count=share * of, of=of, share=share, interval=interval)


def row(name="acquaintance", linked=0.5, confirmed=0.1, wrong=0.2, learned=(), **given):
    found = tuple(made(Inference, column=column, n=100, learned=share) for column, share in learned)
    of = {"knows": ("age",), "people": 100, "released": 100, "member": True, "ceiling": 95.0}
    of |= {"attack": f"distance of {name}", "claimed_by": name, "direction": "original-to-release"}
    figures = {"linked": linked, "confirmed": confirmed, "wrongly_confirmed": wrong}
    counted = {key: shared(value) for key, value in figures.items()}
    return made(ScenarioResult, name=name, learned=found, **of | counted | given)


def own(**given):
    return row(STRESS, **{"knows": ("age", "income"), "learned": [("tax", 0.3)]} | given)


def test_an_intruder_who_knows_less_and_links_more_counts_for_the_stress_test():
    """Coarse values of fewer attributes linked 92 % by distance, exact values of all 89 %."""
    people = unveil.households(200, seed=7)
    plan = [masks.RankPermutation(p=10), masks.Sampling(share=0.5)]
    release = unveil.mask(people, plan, seed=7)
    audit = unveil.audit(
        people,
        release,
        attacks=["distance"],
        settings=QUICK,
        policy=Policy(max_risk=0.9, max_confirmed=0.6),
    )
    rows = {one.name: one for one in audit.evidence.scenarios}
    stress, weaker = rows[STRESS], rows["acquaintance"]
    assert weaker.linked.share > audit.worst.risk.share  # else this release shows nothing
    assert stress.linked == weaker.linked
    assert stress.confirmed == weaker.confirmed
    assert stress.most_learned.learned == weaker.most_learned.learned
    assert stress.taken_in == ("acquaintance",)
    assert audit.evidence.stress_test is stress
    broken = {one.limit: one for one in audit.verdict.broken}
    assert broken["max_risk"].found == weaker.linked.share
    assert broken["max_confirmed"].found == weaker.confirmed.share


def test_each_figure_is_the_highest_of_all_who_know_no_more():
    others = [
        row("a", linked=0.8, learned=[("income", 0.9), ("tax", 0.2)]),
        row("b", confirmed=0.3),
    ]
    found = with_weaker_intruders(own(), [*others, row("c", learned=[("pay", 0.4)])])
    assert found.linked.share == 0.8
    assert found.attack == "distance of a"
    assert found.attacks[0].linked.share == 0.8
    assert (found.claimed_by, found.confirmed.share) == ("b", 0.3)
    assert [one.column for one in found.learned] == ["pay"]  # the stress test knows the income
    assert found.taken_in == ("a", "b", "c")
    assert found.ceiling == 95.0


@pytest.mark.parametrize(
    "other",
    [
        row(linked=0.5, confirmed=0.1, learned=[("tax", 0.3)]),  # no more than its own
        row(linked=0.9, knows=("age", "hours")),  # knows more
        row(linked=0.9, released=10),  # a part of the people
        row(linked=0.1, learned=[("income", 0.9)]),  # learns what the stress test knows
    ],
)
def test_who_knows_more_or_a_part_of_the_people_changes_nothing(other):
    assert with_weaker_intruders(own(), [other]) == own()


def test_the_upper_end_of_what_few_people_learn_is_no_more_than_an_estimate():
    wide = Interval(0.0, 0.9, 0.95)
    few = row(linked=0.1, learned=[("tax", 0.2)])
    learned = msgspec.structs.replace(few.learned[0], gain=wide)
    few = msgspec.structs.replace(few, linked=shared(0.1, interval=wide), learned=(learned,))
    assert with_weaker_intruders(own(), [few]) == own()


def test_claims_about_strangers_do_not_count_for_the_stress_test():
    found = with_weaker_intruders(own(), [row("register", linked=0.9, confirmed=0.9, member=False)])
    assert (found.linked.share, found.confirmed.share) == (0.9, 0.1)


def test_a_ceiling_of_other_people_is_not_given():
    sampled = shared(0.9, of=40, interval=Interval(0.8, 0.95, 0.95))
    found = with_weaker_intruders(own(), [msgspec.structs.replace(row(), linked=sampled)])
    assert found.linked is sampled
    assert found.ceiling is None


def test_limits_and_comparisons_count_what_the_stress_test_takes_in():
    stress = own(linked=0.4, confirmed=0.35)
    found = evidence(risk=0.3, scenarios=(stress,))
    for name, share in {"max_risk": 0.4, "max_linked": 0.4}.items():
        policy = (
            Policy(max_risk=0.33)
            if name == "max_risk"
            else Policy(intruder=[{"name": STRESS, "max_linked": 0.33}])
        )
        limit = check_policy(policy, found).limits[0]
        assert (limit.limit, limit.found, limit.kept) == (name, share, False)
    assert estimates(found)[STRESS, "max_risk"] == 0.4
    compared = compare([found, evidence("other.csv", risk=0.35)], names=["a", "b"])
    assert compared["a"].risk == 0.4
    assert compared["a"].worst.name == "distance of stress test"
    risk = next(one for one in compared.best if one.criterion == "risk")
    assert risk.releases == ("b",)
    assert "no risk of each record is recorded" in compared.differences[0].note
