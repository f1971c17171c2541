"""Household linkage: figures, default audits, bad input."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.attacks.base import AuditedFiles
from unveil.errors import DataError, SchemaError, SpecError
from unveil.values.file_pair import FilePair

KNOWN = ["age", "income", "hours", "sex", "region"]


@pytest.fixture(scope="module")
def people():
    return unveil.households(1000, seed=7)


@pytest.fixture(scope="module")
def release(people):
    mask = masks.Microaggregation(k=10, columns=["age", "income", "hours"])
    return unveil.mask(people, [mask], seed=7, household="renumber")


def linked(people, release, spec, **intruder):
    return unveil.attack(people, release, spec, intruder=Intruder(knows=KNOWN, **intruder))


def test_households_give_away_what_persons_hide(people, release):
    alone = measures.risk(linked(people, release, "distance"))
    links = linked(people, release, attacks.Households())
    through, homes = measures.risk(links), measures.risk(links.households)
    assert (through.n, homes.n) == (1000, 464)
    assert alone.share < 0.6
    assert min(through.share, homes.share) > 0.9
    assert alone.ceiling is None  # of persons one by one
    assert homes.ceiling <= 464
    assert homes.baseline == pytest.approx(len(np.unique(links.finder.search.queries.sizes)))


def test_a_dropped_number_can_be_read_off(people):
    mask = masks.Microaggregation(k=10, columns=["age", "income", "hours"])
    release = unveil.mask(people, [mask], seed=7)
    links = linked(people, release, attacks.Households())
    assert links.finder.details["grouping"] == "read-off"
    assert (
        measures.risk(links).expected > measures.risk(linked(people, release, "distance")).expected
    )


@pytest.mark.parametrize("matching", ["one-to-one", "posterior"])
def test_households_are_matched_together(people, release, matching):
    nearest = measures.risk(linked(people, release, attacks.Households()).households)
    links = linked(people, release, attacks.Households(matching=matching))
    assert not links.attack.row_by_row
    assert measures.risk(links.households).expected >= nearest.expected - 5
    assert links.finder.details["matching"] == matching


def test_a_default_audit_attacks_households_where_people_live_together(people, release):
    def suited(pair, *, knows):
        audited = AuditedFiles(pair, KNOWN, knows)
        return [
            (s.score, s.grouping, s.matching) for s in attacks.Households.in_default_audit(audited)
        ]

    pair = FilePair.of(people, release.data, release.row_map)
    assert suited(pair, knows=True) == [
        ("distance", None, "nearest"),
        ("tailored", None, "posterior"),
        ("distance", "read-off", "nearest"),
        ("tailored", "read-off", "posterior"),
    ]
    columns = [name for name in people.columns if name != "household"]
    without = FilePair.of(people.select(columns), release.data, release.row_map)
    assert suited(without, knows=False) == []
    kept = [name for name in release.data.columns if name != "household"]
    unnumbered = FilePair.of(people, release.data.select(kept), release.row_map)
    assert suited(unnumbered, knows=False) == [
        ("distance", "read-off", "nearest"),
        ("distance", "read-off", "posterior"),
        ("distance", "none", "nearest"),
        ("distance", "none", "posterior"),
    ]
    hidden = release.data.select(["age", "income", "sex"])
    assert suited(FilePair.of(people, hidden, release.row_map), knows=True) == [
        ("distance", "none", "nearest"),
        ("tailored", "none", "posterior"),
    ]


def small(**columns):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "home": [1, 1, 2, 2]} | columns)
    return Microdata(frame, Schema(quasi="x", household="home"))


def test_without_a_number_the_error_names_the_remedy():
    data = small()
    nobody = data.select(["x"])
    with pytest.raises(SchemaError, match='declare its role in the schema \\(household = "hid"\\)'):
        unveil.attack(nobody, nobody, "households", truth="row-order")
    with pytest.raises(DataError, match="households cannot be derived, .*'none'"):
        unveil.attack(data, nobody, attacks.Households(grouping="read-off"), truth="row-order")
    with pytest.raises(DataError, match="the release has no household number"):
        unveil.attack(data, nobody, attacks.Households(grouping="shown"), truth="row-order")


def test_blocks_and_matchings_of_the_members_are_refused(people, release):
    with pytest.raises(SpecError, match="leave out blocks"):
        linked(people, release, attacks.Households(), blocks=["education"])
    with pytest.raises(SpecError, match="leave matching out"):
        attacks.Households(parameters={"matching": "posterior"})
    with pytest.raises(SpecError, match="rank: .*criterion"):
        attacks.Households(score="rank", parameters={"criterion": "least"})


def test_missing_numbers_are_households_of_one():
    data = small(home=pl.Series([1, 1, None, None]))
    links = unveil.attack(data, data, "households", truth="row-order")
    assert sorted(links.finder.search.queries.sizes.tolist()) == [1, 1, 2]
    assert measures.risk(links).expected == 4


def test_a_household_of_five_hundred_is_linked_and_a_larger_one_refused():
    n = 600
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": rng.normal(size=n), "home": [0] * 500 + [1] * 100})
    data = Microdata(frame, Schema(quasi="x", household="home"))
    links = unveil.attack(data, data, "households", truth="row-order")
    assert measures.risk(links).expected == n
    everybody = Microdata(frame.with_columns(home=pl.lit(1)), Schema(quasi="x", household="home"))
    with pytest.raises(DataError, match="has 600 members, and at most 500 are compared"):
        unveil.attack(everybody, everybody, "households", truth="row-order")


def test_other_attacks_have_no_households(people, release):
    with pytest.raises(unveil.UnveilError, match="links persons one by one"):
        linked(people, release, "distance").households  # noqa: B018


def test_strangers_are_linked_as_households(people, release):
    links = linked(people, release, attacks.Households())
    strangers = links.on(unveil.households(60, seed=1))
    assert len(strangers) == 60
    assert len(strangers.households) == len(
        np.unique(unveil.households(60, seed=1).column("household"))
    )
    assert measures.risk(links, outsiders=strangers).control.n > 0


DIRECTIONS = ["original-to-release", "release-to-original"]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_households_that_are_read_off_as_one_group_all_count(direction):
    """Two households of two under each roof, and one of four: a group of four may be one."""
    home = np.append(np.repeat(np.arange(8), 2), [8] * 4)
    frame = pl.DataFrame(
        {"home": home, "x": home // 2 * 100.0, "roof": [f"{h // 2}" for h in home.tolist()]}
    )
    schema = Schema(quasi=["x", "roof"], household="home", nominal="roof")
    people = Microdata(frame, schema)
    knows = Intruder(direction=direction)
    release = people.select(["x", "roof"])
    links = unveil.attack(people, release, "households", truth="row-order", intruder=knows)
    homes = measures.risk(links.households)
    assert (homes.n, homes.population, homes.absent) == (9, 9, 0)
    # A group of four rows shows no more than that one of two households is there.
    assert homes.expected == homes.ceiling == pytest.approx(5.0)
    assert homes.share == pytest.approx(5 / 9)
    assert links.households.hits_of_households().sum() == pytest.approx(5.0)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_a_release_without_any_grouping_is_measured(people, direction, matching):
    mask = masks.Microaggregation(k=10, columns=["age", "income", "hours"])
    release = unveil.mask(people, [mask], seed=7)
    hidden = release.data.select(["age", "income", "hours", "sex"])
    knows = Intruder(knows=["age", "income", "hours", "sex"], direction=direction)
    how = {"intruder": knows, "truth": release.row_map}
    links = unveil.attack(people, hidden, attacks.Households(matching=matching), **how)
    alone = unveil.attack(people, hidden, attacks.Distance(matching=matching), **how)
    assert links.finder.details["grouping"] == "none"
    assert measures.hits(links) == pytest.approx(measures.hits(alone))
    homes = measures.risk(links.households)
    assert homes.n == 464
    assert homes.baseline == pytest.approx(1)
    assert 10 < homes.expected <= homes.ceiling <= 464
    assert homes.p_value < 0.01
    mean = [hits.mean() for hits in _by_household(people, links)]
    assert homes.expected >= sum(mean) - 1e-6


def _by_household(people, links):
    rows = links.true_rows if links.intruder.reverse else links.records
    home, hits = people.column("household").to_numpy(), measures.hits(links)
    return [hits[home[rows] == one] for one in np.unique(home)]


def test_members_alike_in_a_release_without_grouping_find_their_household():
    frame = pl.DataFrame({"x": [1.0, 1.0, 5.0, 9.0], "home": [1, 1, 2, 2]})
    data = Microdata(frame, Schema(quasi="x", household="home"))
    links = unveil.attack(data, data.select(["x"]), "households", truth="row-order")
    assert measures.hits(links).tolist() == [0.5, 0.5, 1, 1]
    assert measures.hits(links.households).tolist() == [1, 1]


def test_households_lead_back_to_the_rows_of_their_members(people, release):
    order = np.random.default_rng(1).permutation(len(people))
    moved = people.take(order)
    back = np.argsort(order)[release.row_map]
    how = {"intruder": Intruder(knows=KNOWN), "truth": back}
    homes = unveil.attack(moved, release.data, "households", **how).households
    number, shown = moved.column("household"), release.data.column("household")
    for place in range(len(homes)):
        members = homes.original_rows(homes.records[place])
        assert members.tolist() == np.flatnonzero(number == number[int(members[0])]).tolist()
        rows = homes.released_rows(homes.true_rows[place])
        assert sorted(back[rows].tolist()) == members.tolist()
        assert shown.gather(rows).n_unique() == 1
    with pytest.raises(unveil.UnveilError, match="a number from 0 to 463"):
        homes.released_rows(464)


def test_rows_of_members_are_counted_in_the_files_of_the_intruder_and_of_the_release(people):
    held = np.flatnonzero((people.column("household") % 2 == 0).to_numpy())
    release = unveil.mask(people, [masks.RankSwapping(p=5)], seed=1, household="renumber")
    links = linked(people, release, attacks.Households(), records=held)
    homes = links.households
    every = np.concatenate([homes.original_rows(one) for one in homes.records])
    assert sorted(every.tolist()) == held.tolist()
    written = np.concatenate([homes.released_rows(one) for one in range(len(homes.released))])
    assert sorted(written.tolist()) == list(range(len(people)))
    row = homes.original.members(0)
    assert homes.original_rows(0).tolist() == held[row].tolist()


def test_strangers_of_a_release_without_grouping_are_linked_one_by_one(people, release):
    hidden = release.data.select(["age", "income", "sex"])
    knows = Intruder(knows=["age", "income", "sex"])
    links = unveil.attack(people, hidden, "households", intruder=knows, truth=release.row_map)
    strangers = links.on(unveil.households(60, seed=1))
    assert (strangers.households.true_rows < 0).all()
    assert len(strangers.households.best) == len(strangers.households)
    without_truth = unveil.attack(people, hidden, "households", intruder=knows)
    assert (without_truth.households.best >= 0).all()
    assert without_truth.households.truth is None


def test_no_sample_of_rows_links_more_households_than_it_has():
    frame = pl.DataFrame({"x": np.arange(40.0), "home": [0] * 30 + [1] * 10})
    data = Microdata(frame, Schema(quasi="x", household="home"))
    back = Intruder(direction="release-to-original")
    links = unveil.attack(data, data.select(["x"]), "households", truth="row-order", intruder=back)
    for n in (1, 7, 25, 40):
        found = measures.risk(links.households.sample(n))
        assert (found.n, found.population) == (1 if n < 25 else 2, 2)
        assert 0 < found.expected <= found.n


def test_households_of_one_are_persons(people):
    first = people.take(np.unique(people.column("household"), return_index=True)[1])
    mask = masks.Microaggregation(k=5, columns=["age", "income", "hours"])
    for shown in ("keep", "drop"):
        release = unveil.mask(first, [mask], seed=7, household=shown)
        links = linked(first, release, attacks.Households())
        homes = measures.risk(links.households)
        assert homes.n == len(first)
        assert homes.expected == pytest.approx(measures.risk(links).expected)


def test_a_number_that_repeats_over_regions_needs_both_columns(people):
    again = pl.Series("household", people.column("household").to_numpy() % 50)
    mixed = people.replace([again])
    mask = masks.RankSwapping(p=5, columns=["age", "income", "hours"])
    with pytest.raises(SchemaError, match="the household number .which may be of several columns"):
        unveil.mask(mixed, [mask], seed=1, household="keep")
    columns = ["region", "household"]
    schema = Schema(quasi=KNOWN, household=columns, nominal=["sex", "region"])
    both = Microdata(mixed.to_frame(), schema)
    release = unveil.mask(both, [mask], seed=1, household="keep")
    links = unveil.attack(both, release, "households", intruder=Intruder(knows=KNOWN[:4]))
    number = both.to_frame().select(columns).n_unique()
    assert measures.risk(links.households).n == number > 50


def test_a_person_in_two_households_is_a_member_of_both():
    frame = pl.DataFrame(
        {"who": [*"abcda"], "home": [1, 1, 2, 2, 2], "x": [1.0, 2.0, 3.0, 4.0, 1.0]}
    )
    data = Microdata(frame, Schema(quasi="x", household="home", identifier="who"))
    links = unveil.attack(data, data, "households", truth="row-order")
    assert measures.risk(links.households).expected == 2
    with pytest.raises(DataError, match="who"):
        unveil.attack(data, data, "households", truth="who")


def test_columns_of_households_that_vary_within_are_compared_person_by_person():
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "roof": [*"aabc"], "home": [1, 1, 2, 2]})
    schema = Schema(quasi=["x", "roof"], household="home", per_household="roof", nominal="roof")
    data = Microdata(frame, schema)
    links = unveil.attack(data, data, "households", truth="row-order")
    assert links.finder.details["shared"] == []
    assert measures.risk(links.households).expected == 2


def test_who_has_moved_is_not_excluded_though_there_are_as_many_households_of_each_size():
    """One person leaves a household of three for one of two."""
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(20), np.tile([3, 2], 10))
    frame = pl.DataFrame({"person": np.arange(50), "x": rng.normal(size=50), "home": home})
    schema = Schema(identifier="person", quasi="x", numeric="x", household="home")
    moved = home.copy()
    moved[0] = 1
    released = Microdata(frame.with_columns(home=moved), schema)
    links = unveil.attack(Microdata(frame, schema), released, attacks.Households(), truth="person")
    assert links.finder.details["sizes"] == "different"
    homes = links.households
    assert homes.finder.compares(homes.records, homes.true_rows).all()


@pytest.mark.parametrize("household", ["drop", "keep"])
def test_what_members_share_is_not_compared_by_what_was_done_to_one_of_them(household, caplog):
    """The first member whom an insider holds is not the first of the released household."""
    people = unveil.households(300, seed=7)
    plan = [masks.RankPermutation(p=3, columns=["age", "hours", "income"])]
    release = unveil.mask(people, plan, seed=7, household=household)
    caplog.clear()
    insider = Intruder(knows=people.schema.with_role("quasi"), records=tuple(range(1, 300, 5)))
    spec = attacks.Households(score="tailored", matching="posterior")
    links = unveil.attack(people, release, spec, intruder=insider)
    assert measures.hits(links).mean() > 0.9
    assert "region" in links.finder.details["shared"]
    assert not caplog.records
