"""The rows of an audit beside counts in plain Python, and what must hold of them."""

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from naive import scenarios as naive
from unveil import AuditSettings, Policy, masks
from unveil.values.disclosure_scenario import FIXED

QUICK = AuditSettings(sweep=False, remedies=False, worst_case=False, errors=(), remask=0)
KEYS = ["age", "hours"]


def survey(n=80, seed=3):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            "hours": rng.normal(30, 5, n).round(1),
            "sex": rng.integers(0, 2, n),
            "pay": rng.normal(1000, 200, n).round(),
            "ill": rng.integers(0, 4, n),
        }
    )
    schema = unveil.Schema(
        quasi=[*KEYS, "sex"], confidential=["pay", "ill"], nominal=["sex", "ill"]
    )
    return unveil.Microdata(frame, schema)


def rows_of(people, release, policy=None, **options):
    found = unveil.audit(
        people, release, attacks=["distance"], policy=policy, settings=QUICK, **options
    )
    return {one.name: one for one in found.evidence.scenarios}


def noisy(people, seed=5, columns=KEYS):
    return unveil.mask(people, [masks.AdditiveNoise(scale=0.6, columns=columns)], seed=seed)


@pytest.fixture(scope="module")
def people():
    return survey()


@pytest.fixture(scope="module")
def release(people):
    return noisy(people)


@pytest.fixture(scope="module")
def rows(people, release):
    return rows_of(people, release)


@pytest.mark.parametrize("kind", [masks.AdditiveNoise(scale=0.1), masks.RankSwapping(p=2)])
def test_of_a_part_of_the_people_the_stress_test_links_no_fewer_than_an_insider(kind):
    """The oldest are released: the scales of both files differ, and the insider has one only."""
    whole = survey(300)
    masked = unveil.mask(whole, [msgspec.structs.replace(kind, columns=KEYS)], seed=5)
    old = np.argsort(whole.column("age").to_numpy())[-90:]
    truth = masked.row_map[old]
    found = rows_of(whole, masked.data.take(old), truth=truth)
    stress, insider = found["stress test"], found["insider"]
    assert stress.attack == "distance-release"
    assert insider.linked.share > 0.3
    assert stress.linked.share > insider.linked.interval.low  # he holds a third of the people


def test_every_audit_has_four_rows_and_the_stress_test_comes_first(rows):
    assert tuple(rows) == FIXED
    assert rows["stress test"].people == rows["stress test"].released == 80


def values(table, names):
    return np.column_stack([table.column(name).to_numpy().astype(float) for name in names])


@pytest.mark.parametrize("others", [0, 80, 400])
def test_a_register_without_errors_is_what_plain_counts_say(people, release, others):
    """Strangers look like the people of the file, whose own rows are taken out."""
    policy = Policy(
        intruder=[{"name": "register", "error": 0, "records": 80 + others, "max_linked": 1}]
    )
    found = rows_of(people, release, policy)["register"]
    names = ["age", "hours", "sex"]
    costs = naive.distances(values(people, names), values(release.data, names), [1, 1, 0])
    truth = np.argsort(release.row_map)
    linked, right, wrong, near = naive.achieved(costs, truth, others)
    assert found.linked.share == pytest.approx(linked)
    assert found.confirmed.share == pytest.approx(right)
    assert found.wrongly_confirmed.share == pytest.approx(wrong)
    assert (found.wrongly_confirmed.of, found.people) == (80 + others, 80 + others)
    for column, numeric in (("pay", True), ("ill", False)):
        pay, released = (values(data, [column])[:, 0] for data in (people, release.data))
        by_link, by_control = naive.learned(near, pay, released, numeric=numeric)
        one = next(one for one in found.learned if one.column == column)
        assert (one.linked, one.control) == pytest.approx((by_link, by_control))
        assert one.learned == pytest.approx(max(by_link - by_control, 0))


def test_the_usual_attackers_are_the_rows_that_they_resemble(people, release):
    """A prosecutor is an exact acquaintance, a marketer a register without errors."""
    crowd = {"records": 480, "max_linked": 1}
    policy = Policy(
        intruder=[
            {"name": "register", "error": 0} | crowd,
            {"name": "acquaintance", "coarse": False, "knows": [*KEYS, "sex"], "max_linked": 1},
            {"name": "prosecutor", "max_linked": 1},
            {"name": "journalist"} | crowd,
            {"name": "marketer"} | crowd,
        ]
    )
    found = rows_of(people, release, policy)
    alike = {"prosecutor": "acquaintance", "journalist": "register", "marketer": "register"}
    for name, other in alike.items():
        assert found[name].membership == found[other].membership
        for figure in ("linked", "confirmed", "wrongly_confirmed"):
            own, same = (getattr(found[one], figure) for one in (name, other))
            assert own.share == pytest.approx(same.share)
    assert found["marketer"].membership == pytest.approx(80 / 480)


def test_an_acquaintance_knows_tenths_which_plain_counts_say(people, release):
    found = rows_of(people, release)["acquaintance"]
    names = list(found.knows)
    rough = values(people, names)
    for place, name in enumerate(names):
        if name in KEYS:
            column = rough[:, place].copy()
            ends = np.quantile(column, np.arange(1, 10) / 10)
            tenth = np.searchsorted(ends, column, "left")
            for one in range(10):
                rough[tenth == one, place] = np.median(column[tenth == one])
    # One person at a time: the release shows how values are distributed.
    released = values(release.data, names)
    costs = np.zeros((80, 80))
    for place, name in enumerate(names):
        a, b = rough[:, place], released[:, place]
        gap = (a[:, None] - b) / b.std(ddof=1) if name in KEYS else a[:, None] != b
        costs += gap**2 if name in KEYS else gap
    linked, right, wrong, _ = naive.achieved(costs, np.argsort(release.row_map), 0)
    assert found.linked.share == pytest.approx(linked)
    assert (found.confirmed.share, found.wrongly_confirmed.share) == pytest.approx((right, wrong))


def test_an_insider_is_counted_on_disjoint_tenths_with_an_interval(rows):
    insider = rows["insider"]
    assert (insider.people, insider.draws, insider.linked.of) == (8, 3, 24)
    low, high = insider.linked.interval.low, insider.linked.interval.high
    assert low <= insider.linked.share <= high


def test_what_is_released_unchanged_is_learned_and_what_is_swapped_away_is_not(people):
    """Linking is not learning."""
    noise = masks.AdditiveNoise(scale=0.1, columns=KEYS)
    keys_only = unveil.mask(people, [noise], seed=5)
    away = masks.RankPermutation(p=100, columns=["pay"])
    shuffled = unveil.mask(people, [noise, away], seed=5)
    plan = Policy(intruder=[{"name": "register", "error": 0, "max_linked": 1}])
    told = rows_of(people, keys_only, plan)["register"]
    hidden = rows_of(people, shuffled, plan)["register"]
    pay = {one.column: one.learned for one in told.learned}["pay"]
    assert pay > 0.7 * told.linked.share > 0.2
    assert {one.column: one.learned for one in hidden.learned}["pay"] < 0.12
    assert hidden.linked.share > 0.5


def test_released_columns_of_other_roles_are_learned_and_generalised_ones_are_named():
    frame = survey().to_frame()
    ages = pl.Series("band", [f"[{10 * (int(age) // 10)}, {10 * (int(age) // 10) + 9}]"
                              for age in frame["age"]])  # fmt: skip
    schema = unveil.Schema(
        quasi=KEYS, confidential=["band"], other=["pay", "sex"], nominal=["sex", "ill"],
        generalised=["band"],
    )  # fmt: skip
    people = unveil.Microdata(frame.with_columns(ages), schema)
    found = rows_of(people, noisy(people))
    for row in found.values():
        assert {one.column for one in row.learned} == {"pay", "sex", "ill"}
        assert row.not_counted == ("band",)
        assert row.learned_by == "distance"


@pytest.mark.parametrize("attack", ["rank", "distance"])
def test_the_ceiling_is_that_of_all_that_the_intruder_knows(people, attack):
    """An attack that compares fewer attributes can link no more than rows they tell apart."""
    coarse = people.replace([(people.column(name) / 10).round() * 10 for name in KEYS])
    release = noisy(coarse, columns=["pay"])
    found = unveil.audit(coarse, release, attacks=[attack], settings=QUICK).evidence
    for row in found.scenarios:
        if row.name != "insider":  # who holds a part of the people
            of_all = release.data.to_frame().select(row.knows).unique().height
            assert row.ceiling == pytest.approx(of_all)
    compared = release.data.to_frame().select(KEYS).unique().height
    assert compared < found.scenarios[0].ceiling
    assert (found.attacks[0].risk.ceiling < found.scenarios[0].ceiling) == (attack == "rank")


def test_who_lives_together_is_known_to_those_of_whom_the_policy_says_so():
    people = unveil.households(60, seed=7)
    tables = [
        {"name": name, "knows": ["income", "hours"], "max_linked": 1} | more
        for name, more in (("bank", {}), ("neighbours", {"knows_households": True}))
    ]
    found = unveil.audit(
        people, noisy(people, columns=["income"]), policy=Policy(intruder=tables), settings=QUICK
    ).evidence.scenarios
    of_households = {
        one.name: any("households" in attack.name for attack in one.attacks) for one in found
    }
    assert not of_households["bank"]
    assert of_households["neighbours"]


def test_where_every_column_is_known_nothing_is_left_to_learn(people, release):
    everything = [*KEYS, "sex", "pay", "ill"]
    policy = Policy(intruder=[{"name": "tax office", "knows": everything, "max_learned": 0.01}])
    found = rows_of(people, release, policy)["tax office"]
    assert (found.learned, found.knows_all) == ((), True)


def test_stale_cells_and_fewer_keys_link_fewer(people):
    release = noisy(people, columns=["age"])
    policy = Policy(
        intruder=[
            {"name": f"error {round(100 * error)}", "knows": KEYS, "error": error, "max_linked": 1}
            for error in (0, 0.5, 1)
        ]
    )
    found = rows_of(people, release, policy)
    shares = [found[f"error {error}"].linked.share for error in (0, 50, 100)]
    assert shares[0] > shares[1] > shares[2]
    assert found["error 0"].linked.interval is None  # nothing was drawn
    assert found["error 50"].linked.interval is not None


def test_the_order_of_the_rows_means_nothing(people):
    release = noisy(people)
    found = rows_of(people, release)
    again = np.random.default_rng(1).permutation(80)
    truth = np.argsort(again)[release.row_map]
    shuffled = unveil.audit(
        people.take(again), release.data, attacks=["distance"], truth=truth, settings=QUICK
    ).evidence.scenarios
    for one in shuffled:
        if one.name != "insider":  # it knows the plan of a Release, and not of a table
            assert one.linked == found[one.name].linked
            assert one.wrongly_confirmed == found[one.name].wrongly_confirmed


def test_a_row_survives_the_evidence(people, release, tmp_path):
    found = unveil.audit(people, release, attacks=["distance"], settings=QUICK)
    from unveil.files.documents.evidence import read_evidence, write_evidence

    write_evidence(found.evidence, tmp_path / "audit.json")
    assert read_evidence(tmp_path / "audit.json").scenarios == found.evidence.scenarios


def test_synthetic_rows_have_no_scenarios(people):
    found = unveil.audit(people, people.take(np.arange(40)), truth="none", settings=QUICK)
    assert found.evidence.scenarios == ()


def test_one_person_can_be_audited(people):
    one = people.take([0, 1])
    found = rows_of(one, one, truth="row-order")
    assert found["insider"].people == 1
    assert all(row.linked is not None for row in found.values())


def test_people_who_are_not_in_the_release_are_strangers_and_their_claims_are_wrong(people):
    """The original has people whom the release has not."""
    truth = np.arange(40)
    found = rows_of(people, people.take(truth), truth=truth)["register"]
    assert (found.released, found.linked.of) == (40, 40)
    assert found.people == 80
    assert found.wrongly_confirmed.of == 80


def test_a_scenario_is_attacked_by_nobody_who_knows_more(people):
    release = noisy(people)
    found = unveil.audit(people, release, settings=QUICK).evidence.scenarios
    by_name = {one.name: [attack.name for attack in one.attacks] for one in found}
    for blind in ("register", "acquaintance"):
        assert not any("tailored" in name or "posterior" in name for name in by_name[blind])
    assert any("tailored" in name for name in by_name["insider"])
    assert "probabilistic" not in by_name["acquaintance"]
    assert msgspec.to_builtins(found[0])["name"] == "stress test"
