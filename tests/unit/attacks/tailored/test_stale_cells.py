"""An intruder some of whose cells are out of date: the truth stays possible and is found."""

import numpy as np
import pytest

import unveil
from unveil import Intruder, attacks, masks, measures
from unveil.errors import DataError
from unveil.workflows.inputs.stale_cells import stale_cells

NUMBERS = ["age", "hours", "income", "rent", "savings", "tax"]
KNOWS = [*NUMBERS, "sex", "education", "occupation"]
MASKS = {
    "swapping": [masks.RankSwapping(p=10, columns=NUMBERS)],
    "noise": [masks.AdditiveNoise(scale=0.2, columns=NUMBERS)],
    "correlated": [masks.CorrelatedNoise(scale=0.2, columns=NUMBERS)],
    "factors": [masks.MultiplicativeNoise(scale=0.3, columns=NUMBERS)],
    "groups": [masks.Microaggregation(k=3, columns=NUMBERS)],
    "ranges": [masks.GlobalRecoding(intervals=5, columns=["age", "income"])],
    "categories": [masks.Pram(theta=0.8, columns=["sex", "education", "occupation"])],
    "rounding": [masks.Rounding(base=50, columns=["income", "rent"])],
}
E = 0.2


@pytest.fixture(scope="module")
def people():
    return unveil.households(200, seed=7)


@pytest.fixture(scope="module")
def stale(people):
    return stale_cells(people, KNOWS, E, np.arange(len(people)), seed=3)


def link(held, release, attack=None, *, error=E, **intruder):
    return unveil.attack(
        held,
        release,
        attack or attacks.Tailored(),
        intruder=Intruder(knows=KNOWS, channel=True, error=error, **intruder),
        truth=release.row_map,
    )


@pytest.mark.parametrize(
    "intruder", [{}, {"records": 60}, {"direction": "release-to-original"}], ids=str
)
@pytest.mark.parametrize("name", MASKS)
def test_the_truth_is_never_excluded(people, stale, name, intruder):
    links = link(stale, unveil.mask(people, MASKS[name], seed=1), **intruder)
    assert (links.n_closer[links.true_rows >= 0] >= 0).all()


def test_a_plan_that_stale_cells_contradict_is_refused_only_without_the_share(people, stale):
    release = unveil.mask(people, MASKS["swapping"], seed=1)
    with pytest.raises(DataError, match="cannot have produced these true rows"):
        link(stale, release, error=0)
    found = measures.risk(link(stale, release)).expected
    by_distance = attacks.Distance()
    intruder = Intruder(knows=KNOWS)
    plain = unveil.attack(stale, release, by_distance, intruder=intruder, truth=release.row_map)
    assert found > 1.5 * measures.risk(plain).expected


@pytest.mark.parametrize("name", ["noise", "factors", "categories"])
def test_knowing_the_share_helps_more_than_exact_knowledge_assumed(people, stale, name):
    release = unveil.mask(people, MASKS[name], seed=1)
    few = {"records": tuple(range(100))}  # records that contradict the plan are only warned of
    without, with_share = (
        measures.risk(link(stale, release, error=error, **few)).expected for error in (0, E)
    )
    assert with_share > without


def test_without_stale_cells_the_integers_are_the_same(people):
    """Those of the version before the share existed."""
    steps = [
        masks.RankSwapping(p=10, columns=["age", "hours"]),
        masks.AdditiveNoise(scale=0.25, columns=["income", "rent"]),
        masks.Pram(theta=0.8, columns=["sex"]),
    ]
    release = unveil.mask(people, steps, seed=7)
    knows = ["age", "hours", "income", "rent", "region", "sex"]
    for recorded, kind in (
        ((35, 165), {}),
        ((16, 34), {"records": 50}),
        ((46, 154), {"direction": "release-to-original"}),
    ):
        intruder = Intruder(knows=knows, error=0.0, **kind)
        closer = unveil.attack(people, release, attacks.Tailored(), intruder=intruder).n_closer
        assert (closer.sum(), (closer == 0).sum()) == recorded


def test_missing_cells_and_an_error_of_one_are_allowed(people):
    some = people.replace(
        [people.column(name).scatter(np.arange(j, 200, 9), None) for j, name in enumerate(NUMBERS)]
    )
    release = unveil.mask(some, MASKS["correlated"], seed=1)
    for error in (E, 1.0):
        links = link(some, release, error=error)
        assert (links.n_closer >= 0).all()


@pytest.mark.parametrize("matching", ["one-to-one", "posterior"])
def test_matchings_allow_for_stale_cells(people, stale, matching):
    release = unveil.mask(people, MASKS["swapping"], seed=1)
    nearest = measures.risk(link(stale, release)).expected
    together = measures.risk(link(stale, release, attacks.Tailored(matching=matching))).expected
    assert together > nearest


def test_probabilities_are_calibrated_with_stale_cells(people, stale):
    release = unveil.mask(people, MASKS["noise"], seed=1)
    links = link(stale, release, attacks.Tailored(matching="posterior"))
    assert links.finder.details["calibrated"]
    assert measures.reliability(links).error < 0.15


def test_strangers_are_linked_with_the_same_share(people, stale):
    links = link(stale, unveil.mask(people, MASKS["swapping"], seed=1))
    others = links.on(unveil.households(30, seed=9))
    assert others.finder.files.error == E
    assert (others.nearest(1).rows >= 0).all()


@pytest.mark.parametrize("attack", [attacks.Exchange(level="parameters"), attacks.Simulated()])
def test_attacks_built_on_it_take_the_share(people, stale, attack):
    release = unveil.mask(people, MASKS["swapping"], seed=1)
    assert measures.risk(link(stale, release, attack)).expected > 20
