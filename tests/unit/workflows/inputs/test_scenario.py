"""Several attacks on files that were read once."""

import numpy as np
import pytest

import unveil
from unveil import Intruder, attacks, masks, measures
from unveil.errors import SpecError, UsageError
from unveil.values import file_pair
from unveil.workflows.inputs.scenario import prepare

KNOWS = ["age", "hours", "income", "rent"]
SPECS = (
    attacks.Distance(),
    attacks.Rank(criterion="max"),
    attacks.Distance(matching="posterior"),
    attacks.Tailored(level="original"),
)


@pytest.fixture(scope="module")
def sample():
    return unveil.households(60, seed=4)


@pytest.fixture(scope="module")
def release(sample):
    steps = [
        masks.Microaggregation(k=3, columns=["age", "hours"]),
        masks.RankSwapping(p=4, columns=["income", "rent"]),
    ]
    return unveil.mask(sample, steps, seed=1).shuffled()


@pytest.mark.parametrize("records", [None, (5, 3, 40)])
def test_attacks_on_one_scene_are_attacks(sample, release, records):
    every = Intruder(knows=KNOWS, records=records)
    scene = prepare(sample, release, intruder=every, truth=None, seed=3)
    specs = SPECS if records is None else SPECS[:3]
    for spec in specs:
        for knows in (KNOWS, KNOWS[1:]):
            for direction in ("original-to-release", "release-to-original"):
                intruder = Intruder(knows=knows, records=records, direction=direction)
                links = scene.links(spec, intruder)
                alone = unveil.attack(sample, release, spec, intruder=intruder, seed=3)
                some, other = links.sample(20), alone.sample(20)
                assert np.array_equal(some.records, other.records)
                assert np.array_equal(some.top_candidates.rows, other.top_candidates.rows)
                assert measures.risk(links) == measures.risk(alone)


def test_the_order_of_rows_is_found_once(sample, release, monkeypatch):
    asked = []

    def watched(*files):
        asked.append(files)
        return content_order(*files)

    content_order = file_pair.content_order
    monkeypatch.setattr(file_pair, "content_order", watched)
    scene = prepare(sample, release, intruder=Intruder(), truth=None, seed=3)
    for spec in SPECS[:2]:
        for direction in ("original-to-release", "release-to-original"):
            scene.links(spec, Intruder(knows=KNOWS, direction=direction)).sample(5)
    assert len(asked) == 2


def test_strangers_on_a_scene_are_nobody(sample, release):
    scene = prepare(sample, release, intruder=Intruder(), truth=None, seed=3)
    for direction in ("original-to-release", "release-to-original"):
        links = scene.links(attacks.Distance(), Intruder(knows=KNOWS, direction=direction))
        others = links.on(unveil.households(30, seed=8))
        assert (others.true_rows == -1).all()
        assert others.sample(7).top_candidates.n_best.min() >= 1


def test_other_records_need_another_scene(sample, release):
    scene = prepare(sample, release, intruder=Intruder(records=20), truth=None, seed=3)
    scene.links(attacks.Distance(), Intruder(records=20, knows=KNOWS))
    for records in (None, 0.5, 21, sample):
        with pytest.raises(UsageError, match="prepare another scenario"):
            scene.links(attacks.Distance(), Intruder(records=records, knows=KNOWS))
    own = prepare(sample, release, intruder=Intruder(records=sample), truth="person", seed=3)
    own.links(attacks.Distance(), Intruder(records=sample, knows=KNOWS))


def test_the_order_of_rows_does_not_betray_what_it_tells(sample):
    scene = prepare(sample, sample, intruder=Intruder(), truth="row-order", seed=3)
    with pytest.raises(SpecError, match="both the truth and the attack"):
        scene.links(attacks.Position(), Intruder())
