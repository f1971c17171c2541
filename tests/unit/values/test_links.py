"""Links in another process."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import unveil
from unveil import Intruder, attacks, masks
from unveil.workflows.inputs.scenario import prepare

KNOWS = ["age", "hours", "income", "rent"]
SPECS = [
    *(attacks.Distance(matching=matching) for matching in ("nearest", "one-to-one", "posterior")),
    attacks.Rank(),
    attacks.Probabilistic(),
    attacks.Tailored(),
    attacks.Compatible(),
    attacks.Combined(attacks=(attacks.Distance(), attacks.Rank())),
    attacks.Supervised(model="weights", budget=None, steps=5, splits=1),
]


@pytest.fixture(scope="module")
def files():
    people = unveil.households(120, seed=7)
    release = unveil.mask(people, [masks.RankSwapping(p=10, columns=KNOWS)], seed=7)
    return people, release.shuffled()


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.name}-{spec.matching}")
def test_links_answer_alike_in_a_worker(files, spec):
    intruder = Intruder(knows=KNOWS)
    scenario = prepare(*files, intruder=intruder, truth=None, seed=3)
    scenario = replace(scenario, on_bound=lambda _linked, _bound: None)
    links = replace(scenario.links(spec, intruder), progress=lambda _done, _total: None)
    for _ in ("before it is asked", "after"):
        sent = pickle.loads(pickle.dumps(links))  # noqa: S301 - as a pool of processes does
        assert np.array_equal(sent.n_closer, links.n_closer)
        assert np.array_equal(sent.n_tied, links.n_tied)
        assert np.array_equal(sent.sample(20).records, links.sample(20).records)
        strangers = unveil.households(30, seed=9)
        assert np.array_equal(sent.on(strangers).best, links.on(strangers).best)
