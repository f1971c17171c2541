"""Every attack and every matching gives the same integers on every engine."""

from __future__ import annotations

from functools import partial

import msgspec
import polars as pl
import pytest

import unveil
from unveil import Intruder, attacks, masks
from unveil.aggregation.measure import FuzzyMeasure
from unveil.attacks.matched import one_to_one as by_cost
from unveil.engines.select import engine_names

N = 60
NUMBERS = ["age", "hours", "income", "rent"]
KNOWS = (*NUMBERS, "sex", "education", "region")
GAPPY = ("hours", "household_size")
MATCHINGS = ("nearest", "one-to-one", "posterior")
OTHERS = engine_names()[2:]  # but for auto and local
MEASURE = FuzzyMeasure.symmetric([0.1, 0.5, 0.7, 1])
ATTACKS = {
    "euclid": attacks.Distance(),
    "chebyshev": attacks.Distance(metric="chebyshev"),
    "choquet": attacks.Distance(aggregation=MEASURE),
    "mahalanobis": attacks.Distance(metric="mahalanobis"),
    "polynomial": attacks.Distance(metric="polynomial", degree=2),
    "rank-sum": attacks.Rank(),
    "rank-max": attacks.Rank(criterion="max"),
    "probabilistic": attacks.Probabilistic(),
    "equalities": attacks.Probabilistic(),
    "compatible": attacks.Compatible(),
    "tailored": attacks.Tailored(),
    "tailored, by the method": attacks.Tailored(level="method"),
    "exchange": attacks.Exchange(),
    "exchange, by the parameters": attacks.Exchange(level="parameters"),
    "simulated": attacks.Simulated(simulations=6),
    "combined": attacks.Combined(attacks=[attacks.Probabilistic(), attacks.Tailored()]),
    "households": attacks.Households(),
    "structural": attacks.Structural(),
    "supervised": attacks.Supervised(budget=None, steps=20, splits=0),
    "supervised matrix": attacks.Supervised(model="bilinear", budget=None, steps=5, splits=0),
    "position": attacks.Position(),
}
KNOWN = {
    "choquet": NUMBERS,
    "rank-sum": NUMBERS,
    "rank-max": NUMBERS,
    "mahalanobis": NUMBERS,
    "polynomial": NUMBERS,
    "equalities": ["sex", "education", "region"],
    "structural": ["age", "education", "income", "savings"],
    "supervised matrix": NUMBERS,
    "exchange": NUMBERS,
    "exchange, by the parameters": NUMBERS,
    "position": None,
}

SLOW = {"structural": pytest.mark.slow}  # which fits null files, each by dense matrices


def test_every_attack_is_here():
    assert {attacks.Pairs, *map(type, ATTACKS.values())} == {*attacks.METHODS}  # Pairs asks none


@pytest.fixture(scope="module")
def people():
    """People some of whose cells are missing, and some of whom are the same but for their name."""
    table = unveil.households(N, seed=7)
    place = pl.int_range(pl.len())
    frame = table.to_frame("polars").with_columns(
        pl.col("income") // 10_000 * 10_000,
        *(pl.when(place % 9 != nth).then(pl.col(name)) for nth, name in enumerate(GAPPY)),
    )
    frame = pl.concat([frame, frame.head(5).with_columns(pl.col("person") + 1000)])
    return unveil.Microdata(frame, table.schema)


@pytest.fixture(scope="module")
def release(people):
    plan = [
        masks.RankSwapping(p=10, columns=["age", "rent"]),
        masks.AdditiveNoise(scale=0.2, columns=["income"]),
        masks.Pram(theta=0.1, invariant=False, columns=["education"]),
    ]
    return unveil.mask(people, plan, seed=3)


@pytest.fixture(autouse=True)
def exact_densities(monkeypatch):
    """Sums over all candidates without an error, by which engines may differ."""
    for module in ("nearest", "tailored.attack", "tailored.likelihood", "tailored.pair_likelihood"):
        monkeypatch.setattr(f"unveil.attacks.{module}.DENSITY_ERROR", 0.0)
    monkeypatch.setattr("unveil.attacks.tailored.channel_estimates.DENSITY_ERROR", 0.0)


def integers(links):
    """What an attack says in whole numbers: ranks and ties, the nearest rows, the ties for best."""
    ranks, near = links.rank_up_to(None), links.nearest(1)
    return {
        "n_closer": ranks.n_closer.tolist(),
        "n_tied": ranks.n_tied.tolist(),
        "stopped": links.n_closer.tolist(),
        "rows": near.rows.tolist(),
        "n_best": near.n_best.tolist(),
    }


def attack(people, release, name, matching, engine, **intruder):
    matching = "posterior" if name.startswith("exchange") else matching  # which has no other
    spec = msgspec.structs.replace(ATTACKS[name], matching=matching)
    known = Intruder(knows=KNOWN.get(name, KNOWS), **intruder)
    if name == "structural":
        released = release.data.select(["hours", "rent", "tax", "occupation"])
        mine, rows = people.select(KNOWN[name]), release.row_map
        return unveil.attack(mine, released, spec, intruder=known, truth=rows, engine=engine)
    return unveil.attack(people, release, spec, intruder=known, engine=engine)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize("name", [pytest.param(one, marks=SLOW.get(one, ())) for one in ATTACKS])
def test_every_attack_and_matching(people, release, name, matching, engine):
    ours, theirs = (attack(people, release, name, matching, one) for one in ("local", engine))
    assert (ours.finder.engine, theirs.finder.engine) == ("local", engine)
    assert integers(theirs) == integers(ours)
    if ours.rank_of_truth.chance is not None:  # a matching of all records decides
        assert theirs.rank_of_truth.chance.tolist() == ours.rank_of_truth.chance.tolist()
    assert theirs.score == pytest.approx(ours.score, rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("name", ["euclid", "choquet", "rank-max", "probabilistic", "tailored"])
@pytest.mark.parametrize("direction", ["original-to-release", "release-to-original"])
def test_in_blocks_and_in_both_directions(people, release, name, direction, engine):
    for blocks in (("sex",), ("household_size",)):  # the latter with missing cells
        known = {"direction": direction, "blocks": blocks}
        ours, theirs = (
            attack(people, release, name, "nearest", one, **known) for one in ("local", engine)
        )
        assert integers(theirs) == integers(ours)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("matching", ["one-to-one", "posterior"])
def test_a_matching_whose_pairs_are_searched_for(people, release, monkeypatch, matching, engine):
    """As in large files, where only the cheapest pairs are listed and prices prove the rest."""
    monkeypatch.setattr(by_cost, "one_to_one", partial(by_cost.one_to_one, memory=0))
    monkeypatch.setattr("unveil.matching.one_to_one.DENSE_PAIRS", 0)
    monkeypatch.setattr("unveil.attacks.matched.posterior.MOST_PAIRS", 0)
    for name in ("euclid", "tailored", "combined"):
        ours, theirs = (attack(people, release, name, matching, one) for one in ("local", engine))
        assert integers(theirs) == integers(ours)
