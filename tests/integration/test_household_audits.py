"""Audits of households as units: what the verdict and the cautions say of them."""

import msgspec
import numpy as np
import polars as pl
import pytest

from unveil import AuditSettings, Policy, Schema, audit
from unveil.attacks import Households
from unveil.values.results.risk import Claims

QUASI = ["age", "sex", "roof"]
SCHEMA = Schema(household="home", quasi=QUASI, numeric="age", nominal=["sex", "roof"])


def survey(n_homes=30):
    rng = np.random.default_rng(1)
    home = np.repeat(np.arange(n_homes), 1 + np.arange(n_homes) % 3)
    columns = {
        "home": home,
        "age": rng.integers(0, 90, len(home)),
        "sex": rng.choice(["f", "m"], len(home)),
        "roof": rng.choice(list("abc"), n_homes)[home],
    }
    return pl.DataFrame(columns)


def audited(people, release, schema=SCHEMA, attacks=("distance", "households")):
    return audit(
        people,
        release,
        schema=schema,
        attacks=attacks,
        truth="row-order",
        policy=Policy(max_household_risk=0.1),
        settings=AuditSettings(effort="quick", errors=(), worst_case=False),
    )


def limit(found):
    return next(one for one in found.verdict.limits if one.limit == "max_household_risk")


def test_the_limit_counts_the_households_that_the_best_attack_links():
    found = audited(survey(), survey())
    assert limit(found).found == max(h.highest for _, h in found.evidence.household_attacks)
    assert not limit(found).kept


@pytest.mark.parametrize(
    ("people", "release", "schema", "attacks", "said"),
    [
        (survey(), survey(), SCHEMA, ["distance"], "no attack on households was chosen"),
        (survey().drop("home"), survey(), Schema(quasi=QUASI), None, "declare the household"),
    ],
)
def test_the_limit_says_why_no_household_was_attacked(people, release, schema, attacks, said):
    unmeasured = limit(audited(people, release.select(pl.exclude("home")), schema, attacks))
    assert (unmeasured.found, unmeasured.kept) == (None, False)
    assert said in unmeasured.reason


@pytest.mark.parametrize("attacks", [None, ["distance", "households"]])
def test_the_limit_is_measured_where_the_release_shows_no_grouping(attacks):
    found = audited(survey(), survey().select("age", "sex"), attacks=attacks)
    measured = limit(found)
    assert measured.found == max(homes.highest for _, homes in found.evidence.household_attacks)
    assert {homes.risk.n for _, homes in found.evidence.household_attacks} == {30}
    assert "persons are linked one by one, as the release shows no grouping" in measured.reason


def test_a_safe_release_without_grouping_keeps_the_limit():
    found = audited(survey(), survey().select("sex"), attacks=None)
    assert limit(found).kept
    assert limit(found).found < 0.1


def test_households_of_one_are_measured():
    alone = survey().unique("home", maintain_order=True)
    assert limit(audited(alone, alone, attacks=None)).found == pytest.approx(1)


def test_numbers_that_nobody_shares_tell_nobody_who_lives_together():
    missing = survey().with_columns(home=pl.lit(None, dtype=pl.Int64))
    found = audited(survey(), missing, attacks=None).evidence
    assert found.grouping == ()
    assert {homes.grouping for _, homes in found.household_attacks} <= {"read-off", "none"}


def test_several_columns_make_one_household_number():
    people = survey()
    parts = people.with_columns(area=pl.col("home") // 10, home=pl.col("home") % 10)
    schema = Schema(household=["area", "home"], quasi=QUASI, numeric="age")
    assert audited(parts, parts, schema).evidence.households.n == people["home"].n_unique()


def test_households_are_claimed_by_their_probability_too():
    attack = Households(matching="posterior")
    evidence = audited(survey(), survey(), attacks=["distance", attack]).evidence
    _, homes = evidence.household_attacks[0]
    risk = msgspec.structs.replace(homes.risk, confirmed=Claims(30, 0, 0.0))
    without_margins = msgspec.structs.replace(homes, risk=risk)
    assert without_margins.claims == Claims(30, homes.forecast.claimed, homes.forecast.right)
    assert homes.forecast.claimed > 0


def test_members_of_a_household_are_found_together():
    """Of two equal households, nobody finds the right one more often than every second time."""
    one = survey(9)
    twins = pl.concat([one, one.with_columns(home=pl.col("home") + 9)])
    found = audited(twins, twins, attacks=["households"]).evidence
    assert found.household_attacks[0][1].risk.share == pytest.approx(0.5)
    assert found.households.share == pytest.approx(0.5)
