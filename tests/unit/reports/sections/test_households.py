"""Households in an audit: the headline, the limit, the caution and the section of the page."""

import pytest

import unveil
from unveil import AuditSettings, Policy, masks
from unveil.reports.summary import summary
from unveil.support.phrases import plain

QUICK = AuditSettings(sweep=False, remedies=False, worst_case=False, remask=0, errors=())
KNOWN = ["age", "income", "hours", "sex", "region"]


def audited(release, people, *attacks):
    limits = Policy(max_household_risk=0.1, max_risk=0.9)
    return unveil.audit(people, release, attacks=attacks, settings=QUICK, policy=limits)


@pytest.fixture(scope="module")
def people():
    return unveil.households(300, seed=7)


@pytest.fixture(scope="module")
def found(people):
    mask = masks.Microaggregation(k=5, columns=["age", "income", "hours"])
    release = unveil.mask(people, [mask], seed=7, household="renumber")
    return audited(release, people, "distance", "households", "households-read-off")


def test_the_worse_of_both_is_the_headline(found):
    worst = found.evidence.attacks[0]
    assert worst.households is not None
    alone = next(one for one in found.evidence.attacks if one.name == "distance")
    assert worst.risk.share > alone.risk.share
    said = plain(summary(found.evidence)["attacks"].paragraphs[0])
    assert "knows 9 attributes of each member of every household exactly" in said
    assert f"of {worst.households.risk.n:,}" in said
    assert found.evidence.ceiling == max(
        one.risk.ceiling for one, _ in found.evidence.household_attacks if one.risk.ceiling
    )


def test_the_limit_on_households_is_judged_by_the_best_attack_on_these(found, people):
    limit = next(one for one in found.verdict.limits if one.limit == "max_household_risk")
    best = found.evidence.household_attacks[0][1]
    assert (limit.kept, limit.found) == (False, best.risk.share)
    assert f"of {best.risk.n} households" in limit.reason
    columns = [name for name in people.columns if name != "household"]
    single = people.select(columns)
    nobody = audited(unveil.mask(single, [masks.Shuffle()], seed=1), single, "distance")
    limit = next(one for one in nobody.verdict.limits if one.limit == "max_household_risk")
    assert not limit.kept
    assert "no household was attacked: declare the household number" in limit.reason


def test_the_page_says_what_the_grouping_adds(found):
    page = summary(found.evidence)
    section = page["households"]
    assert section.title == "Additional risk through households"
    said = " ".join(map(plain, section.paragraphs))
    assert "one by one and" in said
    assert "through their households" in said
    assert "Without it, rows that agree" in said
    assert [one.name for one in section.exhibits] == ["households", "household_groups"]
    groupings = {plain(row[2]) for row in section.exhibits[0].table.rows}
    assert groupings == {"household number", "derived"}
    assert "Through them the attack links" in plain(page.cautions[0])
    others = summary(found.evidence, external=True)["households"]
    assert [one.name for one in others.exhibits] == ["households"]  # no subgroup is named


def test_without_an_attack_on_households_the_caution_says_so(people):
    mask = masks.Microaggregation(k=5, columns=["age", "income", "hours"])
    release = unveil.mask(people, [mask], seed=7, household="keep")
    alone = audited(release, people, "distance")
    page = summary(alone.evidence)
    assert "No attack of this audit used them" in plain(page.cautions[0])
    assert "no attack on these attributes" not in plain(page["attacks"].paragraphs[0])
    assert all(one.key != "households" for one in page.sections)


def test_members_and_shared_columns_make_subgroups(found):
    groups = found.evidence.household_attacks[0][1].subgroups
    assert {one.column for one in groups} >= {"members", "region"}
    sizes = [one for one in groups if one.column == "members"]
    assert sum(one.n for one in sizes) == found.evidence.household_attacks[0][1].risk.n


def test_the_page_says_that_no_rows_are_grouped(people):
    mask = masks.Microaggregation(k=5, columns=["age", "income", "hours"])
    release = unveil.mask(people.select(["age", "income", "hours", "sex", "household"]), [mask])
    alone = audited(release, people, "households")
    assert alone.evidence.households.share > alone.evidence.household_attacks[0][1].risk.share
    section = summary(alone.evidence)["households"]
    said = plain(section.paragraphs[0])
    assert "finds the household if the row belongs to any member, because no" in said
    assert "through their households" not in said
    assert {plain(row[2]) for row in section.exhibits[0].table.rows} == {"not used"}
    assert "of each member of every household" not in plain(
        summary(alone.evidence)["attacks"].paragraphs[0]
    )
