"""Exchange linkage of whole files: what it undoes, and what it must not claim."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Release, Schema, attacks, masks, measures
from unveil.errors import DataError, SpecError, UsageError
from unveil.table.attribute import Attribute

N, COLUMNS = 300, list("abcde")
BLIND, KNOWING = attacks.Exchange(), attacks.Exchange(level="parameters")
SWAP = masks.RankSwapping(p=50)
TWICE = [masks.RankSwapping(p=25), masks.RankSwapping(p=25, name="again")]


def people(seed=1, *, n=N, distinct=10**9, columns=COLUMNS):
    """Correlated numbers."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=(n, 1)) + rng.normal(size=(n, len(columns)))
    cells = (size * distinct / 10).round()
    return Microdata(pl.DataFrame(cells, schema=columns), Schema(quasi=columns, numeric=columns))


def shuffled(release, seed=1):
    rows = np.random.default_rng(seed).permutation(len(release.data))
    return Release(release.data.take(rows), release.plan, release.channels, release.row_map[rows])


def links(data, release, attack, channel=True, **intruder):
    intruder = Intruder(channel=channel if attack.knows else False, **intruder)
    return unveil.attack(data, release, attack, intruder=intruder)


def linked(data, plan, attack, seed=1, **intruder):
    return links(data, shuffled(unveil.mask(data, plan, seed=seed)), attack, **intruder)


@pytest.mark.parametrize("attack", [BLIND, KNOWING])
@pytest.mark.parametrize(
    "plan", [SWAP, masks.RankSwapping(p=100), masks.DistributionSwapping(p=50)]
)
def test_swapping_is_undone_however_far_values_move(plan, attack):
    found = linked(people(), [plan], attack)
    assert measures.risk(found).share == 1
    assert measures.forecast(found).claimed == N


def test_the_windows_alone_link_few():
    found = linked(people(), [SWAP], attacks.Tailored(matching="posterior"))
    assert measures.risk(found).share < 0.1


@pytest.mark.parametrize("attack", [BLIND, KNOWING])
def test_tied_values_are_blocks(attack):
    found = linked(people(distinct=100), [masks.RankSwapping(p=20)], attack)
    assert measures.risk(found).share > 0.7


def test_some_of_the_people_are_enough():
    found = linked(people(), [SWAP], KNOWING, records=0.5)
    forecast = measures.forecast(found)
    assert measures.risk(found).share > 0.8
    assert forecast.share == pytest.approx(forecast.found, abs=0.1)
    assert forecast.right >= 0.98 * forecast.claimed


def test_a_sample_of_the_people_is_undone():
    plan = [SWAP, masks.Sampling(share=0.5)]
    assert measures.risk(linked(people(), plan, BLIND)).share > 0.8


@pytest.mark.parametrize("attack", [BLIND, KNOWING])
@pytest.mark.parametrize("others", [N // 10, N // 2])
def test_nothing_is_claimed_of_people_who_are_not_in_the_release(others, attack):
    """Each file has people whom the other lacks; those who are in both are linked."""
    everybody = people(n=N + others)
    data = everybody.take(np.arange(N))
    release = shuffled(unveil.mask(everybody.take(np.arange(others, N + others)), [SWAP], seed=1))
    truth = np.where(release.row_map + others < N, release.row_map + others, -1)
    known = Intruder(channel=release.plan if attack.knows else False)
    found = unveil.attack(data, release.data, attack, intruder=known, truth=truth)
    claimed = measures.certainty(found) > 0.9
    members = found.true_rows >= 0
    assert not claimed[~members].any()
    assert claimed[members].mean() > 0.7
    assert measures.hits(found)[claimed].mean() > 0.95
    share = found.finder.details["exchange"]["members"]
    assert share == pytest.approx(members.mean(), abs=0.02)


@pytest.mark.parametrize("attack", [BLIND, KNOWING])
def test_some_of_the_cells_are_wrong(attack):
    data, rng = people(), np.random.default_rng(5)
    release = shuffled(unveil.mask(data, [masks.RankSwapping(p=25)], seed=1))
    wrong = []
    for name in COLUMNS:
        cells = data.column(name).to_numpy()
        other = np.where(rng.random(N) < 0.1, rng.permutation(cells), cells)
        wrong.append(pl.Series(name, other))
    channel = release.plan if attack.knows else False
    found = unveil.attack(
        data.replace(wrong),
        release.data,
        attack,
        intruder=Intruder(channel=channel),
        truth=release.row_map,
    )
    assert measures.risk(found).share > 0.9


def test_small_noise_after_the_swap_is_no_remedy():
    plan = [SWAP, masks.AdditiveNoise(scale=0.005)]
    assert measures.risk(linked(people(), plan, KNOWING)).share > 0.9
    assert measures.risk(linked(people(), plan, attacks.Tailored())).share < 0.2


def test_rounding_after_the_swap_is_no_remedy():
    plan = [SWAP, masks.Rounding(base=1e6)]
    assert measures.risk(linked(people(), plan, KNOWING)).share > 0.9


@pytest.mark.parametrize("columns", [2, 3, 5])
@pytest.mark.parametrize("attack", [BLIND, KNOWING])
def test_two_swaps_in_a_row_are_no_exchange(columns, attack):
    """Told of one swap, an intruder claims nothing on the strength of exchanges."""
    data = people(columns=COLUMNS[:columns])
    release = shuffled(unveil.mask(data, TWICE, seed=1))
    told = unveil.mask(data, [SWAP], seed=2).plan
    found = links(data, release, attack, channel=told)
    assert not found.finder.details["exchange"]["passed"]


@pytest.mark.parametrize("attack", [BLIND, KNOWING])
def test_nothing_is_claimed_of_a_permutation(attack):
    data = people()
    release = shuffled(unveil.mask(data, [masks.RankPermutation(p=50)], seed=1))
    told = unveil.mask(data, [SWAP], seed=2).plan
    found = links(data, release, attack, channel=told)
    assert not found.finder.details["exchange"]["passed"]
    assert measures.risk(found).share < 0.1


@pytest.mark.parametrize("kind", ["strangers", "recombined"])
def test_nothing_is_claimed_of_other_people(kind):
    data = people()
    release = unveil.mask(data, [SWAP], seed=1)
    rng = np.random.default_rng(2)
    others = people(seed=2)
    if kind == "recombined":  # the same values, of people who do not exist
        columns = [pl.Series(c, rng.permutation(data.column(c).to_numpy())) for c in COLUMNS]
        others = data.replace(columns)
    found = unveil.attack(others, release.data, BLIND)
    assert not found.finder.details["exchange"]["passed"]
    assert found.finder.details["exchange"]["propagated"] == 0


def test_a_plan_without_pairs_is_refused():
    with pytest.raises(UsageError, match="exchanges no values of the known attributes in pairs"):
        linked(people(), [masks.RankPermutation(p=50)], KNOWING)


def test_records_are_not_linked_one_by_one():
    with pytest.raises(SpecError, match="leave out matching"):
        attacks.Exchange(matching="nearest")


def test_a_column_of_one_value_says_nothing():
    data = people(columns=COLUMNS[:3])
    data = data.replace([pl.Series("c", [1.0] * N)])
    plan = [masks.RankSwapping(p=20, columns=["a", "b"])]
    assert measures.risk(linked(data, plan, KNOWING)).share > 0.5


def test_a_plan_of_other_windows_is_refused():
    """Cells may be wrong; that most true rows are outside of a window is no error of cells."""
    data = people()
    release = unveil.mask(data, [masks.RankSwapping(p=60)], seed=1)
    narrow = unveil.mask(data, [masks.RankSwapping(p=1)], seed=2)
    wrong = Release(release.data, narrow.plan, narrow.channels, release.row_map)
    with pytest.raises(DataError, match="exchange: the known masking cannot have produced"):
        measures.risk(links(data, wrong, KNOWING))


def test_columns_without_an_order_are_left_out_where_nothing_is_known_of_the_masking():
    data = people()
    town = pl.Series("town", np.random.default_rng(3).choice(["n", "s"], N))
    data = data.with_column(town, Attribute(role={"quasi"}, level="nominal"))
    plan = [masks.RankSwapping(p=50, columns=COLUMNS)]
    assert measures.risk(linked(data, plan, BLIND)).share == 1
    with pytest.raises(UsageError, match="exchange: at least 2 known attributes have numbers"):
        linked(data, plan, BLIND, knows=["a", "town"])
