"""Household linkage against a twin that tries every assignment; what must change nothing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import household_linkage as twin
from strategies.examples import examples
from unveil import Intruder, Microdata, Release, Schema, masks, measures
from unveil.attacks import Households, listed_search
from unveil.attacks.households.assignment import best_assignments, forced_costs
from unveil.attacks.households.kernels.assignment import MemberPairs

seeds, sizes = st.integers(0, 2**32), st.integers(3, 24)
directions = st.sampled_from(["original-to-release", "release-to-original"])
lists = st.sampled_from([(1, 2), (3, 5), (16, 128, 1000)])
SCHEMA = Schema(
    quasi=["x", "job", "roof", "rooms"],
    household="home",
    weight="weight",
    numeric=["x", "rooms"],
    nominal=["job", "roof"],
)
GROUPINGS = st.sampled_from(["shown", "read-off"])


def people(seed, n):
    """Persons in households of 1 to 4; few values, so that many are alike, and some missing."""
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, max(n // 2, 1), n))
    few = int(rng.choice([2, 5, 1000]))
    roof, rooms = rng.choice(["a", "b", "c"], n), rng.integers(1, 1 + few, n).astype(float)
    x = rng.integers(0, few, n).astype(float)
    job = rng.choice(["u", "v"], n)
    missing = rng.random(n) < 0.1
    x[:2], job[:2], missing[:2] = [0, 1], ["u", "v"], False  # masks refuse constant columns
    columns = {
        "x": pl.Series(np.where(missing, np.nan, x), nan_to_null=True),
        "job": job,
        "roof": pl.Series(roof)[home],
        "rooms": rooms[home],
        "weight": 1 + rng.integers(0, 3, n)[home],
        "home": home,
    }
    return Microdata(pl.DataFrame(columns), SCHEMA)


def masked(data, seed, *, sampled=False):
    plan = [masks.AdditiveNoise(scale=0.3, columns=["x"]), masks.Pram(theta=0.2, columns=["job"])]
    if sampled:
        plan.append(masks.Sampling(share=0.7))
    return unveil.mask(data, plan, seed=seed, household="renumber")


def linked(data, release, direction="original-to-release", **how):
    return unveil.attack(data, release, Households(**how), intruder=Intruder(direction=direction))


@given(seeds, st.integers(1, 5), st.integers(1, 5))
def test_the_assignment_is_the_best_of_all(seed, n, m):
    rng = np.random.default_rng(seed)
    costs = rng.integers(-2, 4, (n, m)).astype(float) if seed % 2 else rng.normal(size=(n, m))
    costs[rng.random((n, m)) < 0.1] = np.inf
    pair = MemberPairs(np.array([0]), np.array([n]), np.array([m]), costs.ravel())
    least, forced = twin.best_assignment(costs)
    assert best_assignments(pair)[0] == pytest.approx(least)
    if np.isfinite(least):
        assert forced_costs(pair).reshape(n, m) == pytest.approx(forced, abs=1e-9)


@examples(1 / 2)
@given(seeds, sizes, directions, GROUPINGS, st.booleans(), lists)
def test_persons_are_linked_as_by_the_twin(seed, n, direction, grouping, sampled, lengths):
    data = people(seed, n)
    release = masked(data, seed, sampled=sampled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listed_search, "LIST_LENGTHS", lengths)
        links = linked(data, release, direction, grouping=grouping)
        if links.finder.details["grouping"] == "none":
            return
        search = links.finder.search
        assert measures.hits(links) == pytest.approx(twin.person_hits(search, links.true_rows))
        homes = links.households
        costs, _ = twin.household_costs(search)
        found = homes.finder.rank_of_truth(homes.records, homes.true_rows, None, None)
        for place, row in enumerate(homes.true_rows):
            if row >= 0 and np.isfinite(costs[place, row]):
                closer, tied = twin.rank(costs[place], row)
                assert (found.n_closer[place], found.n_tied[place]) == (closer, tied)
        best = homes.top_candidates
        least = np.where(best.rows[:, 0] >= 0, best.scores[:, 0], np.inf)
        assert least == pytest.approx(costs.min(axis=1))


@examples(1 / 4)
@given(seeds, sizes, GROUPINGS, st.sampled_from(["nearest", "one-to-one", "posterior"]))
def test_row_order_member_order_and_renumbering_change_nothing(seed, n, grouping, matching):
    data = people(seed, n)
    release = masked(data, seed)
    rng = np.random.default_rng(seed)
    order, rows = rng.permutation(len(data)), rng.permutation(len(release.data))
    homes = release.data.column("home").to_numpy()
    renumbered = pl.Series("home", rng.permutation(homes.max() + 1)[homes])
    moved = Release(
        release.data.replace([renumbered]).take(rows),
        release.plan,
        release.channels,
        np.argsort(order)[release.row_map[rows]],
    )
    one = linked(data, release, grouping=grouping, matching=matching)
    other = linked(data.take(order), moved, grouping=grouping, matching=matching)
    assert measures.hits(other) == pytest.approx(measures.hits(one)[order])
    shares = [np.sort(measures.hits(links.households)) for links in (one, other)]
    assert shares[0] == pytest.approx(shares[1])


def homes_of(data):
    return np.unique(data.column("home").to_numpy(), return_inverse=True)[1]


@examples(1 / 2)
@given(seeds, sizes, directions, GROUPINGS, st.booleans())
def test_every_household_counts_as_by_the_twin(seed, n, direction, grouping, sampled):
    data = people(seed, n)
    release = masked(data, seed, sampled=sampled)
    links = linked(data, release, direction, grouping=grouping)
    homes, back = links.households, direction == "release-to-original"
    if links.finder.details["grouping"] == "none":
        return
    costs, _ = twin.household_costs(links.finder.search)
    groups = homes.released.of_record
    known = np.asarray(release.row_map)
    wanted = twin.household_hits(costs, homes.original.of_record, groups, known, reverse=back)
    found = homes.hits_of_households()
    assert {h: found[h] for h in np.flatnonzero(~np.isnan(found))} == pytest.approx(wanted)
    assert homes.n_with_truth == homes.population == len(wanted)
    assert len(wanted) == len(np.unique(homes_of(data)[known[known >= 0]]))
    assert measures.hits(homes).sum() == pytest.approx(sum(wanted.values()))


@examples(1 / 2)
@given(seeds, sizes, directions, st.booleans())
def test_households_of_lone_rows_count_as_by_the_twin(seed, n, direction, sampled):
    data, back = people(seed, n), direction == "release-to-original"
    release = masked(data, seed, sampled=sampled)
    links = linked(data, release, direction, grouping="none")
    finder = links.finder.base
    queries, base = finder.sizes
    first, second = np.repeat(np.arange(queries), base), np.tile(np.arange(base), queries)
    costs = finder.costs(first, second).reshape(queries, base)
    known, home = np.asarray(release.row_map), links.households.original.of_record
    wanted = twin.lone_hits(costs, home, known, reverse=back)
    found = links.households.hits_of_households()
    assert {h: found[h] for h in np.flatnonzero(~np.isnan(found))} == pytest.approx(wanted)
    assert links.households.n_with_truth == len(wanted)
    own, persons = links.true_rows >= 0, measures.hits(links)
    people_of = home[links.true_rows[own] if back else links.records[own]]
    for one in wanted:  # never below the link of a member taken at random to its own row
        assert found[one] >= persons[own][people_of == one].mean() - 1e-9


@examples(1 / 2)
@given(
    seeds,
    sizes,
    directions,
    st.sampled_from(["distance", "tailored", "probabilistic"]),
    st.sampled_from(["nearest", "one-to-one", "posterior"]),
    st.sampled_from(["shown", "read-off", "none"]),
)
def test_no_more_is_linked_than_the_ceiling(seed, n, direction, score, matching, grouping):
    data = people(seed, n)
    release = masked(data, seed, sampled=seed % 3 == 0)
    intruder = Intruder(direction=direction, channel=score == "tailored")
    attack = Households(score=score, matching=matching, grouping=grouping)
    links = unveil.attack(data, release, attack, intruder=intruder)
    for one in (links, links.households):
        found = measures.risk(one)
        if found.ceiling is not None:
            assert found.expected <= found.ceiling + 1e-9
        assert 0 <= found.baseline <= found.n + 1e-9
        assert 0 < found.p_value <= 1
    homes = measures.risk(links.households)
    assert homes.ceiling <= homes.n + 1e-9
    assert homes.n == len(np.unique(homes_of(data)[release.row_map]))
    assert (measures.hits(links.households) <= 1 + 1e-9).all()


@examples(1 / 4)
@given(seeds, sizes, GROUPINGS, st.integers(1, 3))
def test_many_truths_of_a_record_rank_as_one_by_one(seed, n, grouping, stop_at):
    """As a p-value asks, whose truths are drawn: what is beaten anyway is not counted."""
    data = people(seed, n)
    links = linked(data, masked(data, seed), grouping=grouping).households
    records, candidates = (
        np.repeat(links.records, links.candidates),
        np.tile(np.arange(links.candidates), len(links)),
    )
    found = links.finder.rank_of_truth(records, candidates, stop_at, None)
    every = links.finder.rank_of_truth(records, candidates, None, None)
    stopped = every.n_closer >= stop_at
    assert found.n_closer.tolist() == np.minimum(every.n_closer, stop_at).tolist()
    assert found.n_tied.tolist() == np.where(stopped, -1, every.n_tied).tolist()


@examples(1 / 4)
@given(seeds, sizes, GROUPINGS, directions, st.sampled_from(["nearest", "posterior"]))
def test_households_have_the_ranks_that_their_members_were_linked_by(
    seed, n, grouping, direction, matching
):
    data = people(seed, n)
    release = masked(data, seed, sampled=seed % 2 == 0)
    one, other = (
        linked(data, release, direction, grouping=grouping, matching=matching) for _ in range(2)
    )
    assert len(measures.hits(one)) == len(one)  # then the households are ranked already
    assert measures.hits(one.households) == pytest.approx(measures.hits(other.households))
