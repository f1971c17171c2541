"""The choice of a model: it stops at the truth, and shrinks what the sample says little of."""

import numpy as np
import pytest

from unveil.measures.population.grid import BLOCK_CELLS, Grid
from unveil.measures.population.key_table import key_table
from unveil.measures.population.log_linear import independence, shrunk_target, term_deviance
from unveil.measures.population.minimum_error import choose, given_terms


def table(keys, sizes, people=50.0):
    names = [f"c{axis}" for axis in range(len(sizes))]
    return key_table(names, Grid(tuple(sizes)), list(keys), np.full(len(keys[0]), people))


def independent(n, sizes=(8, 9, 10), seed=1):
    rng = np.random.default_rng(seed)
    return [rng.choice(size, n, p=np.arange(size, 0, -1) * 2 / size / (size + 1)) for size in sizes]


def test_independent_columns_need_no_term():
    path = choose(table(independent(3000), (8, 9, 10)))
    assert path.model.terms == ((0,), (1,), (2,))
    assert path.errors.acceptable
    assert len(path.steps) == 1


def test_the_pair_that_depends_comes_first():
    keys = independent(3000)
    keys[2] = np.where(np.random.default_rng(2).random(3000) < 0.7, keys[0], keys[2])
    sample = table(keys, (8, 9, 10))
    start = independence(sample)
    missed = {t: term_deviance(sample, t, sample.grid.margin(start.fitted, t))
              for t in ((0, 1), (0, 2), (1, 2))}  # fmt: skip
    assert max(missed, key=missed.__getitem__) == (0, 2)
    path = choose(sample)
    assert path.steps[0][1].bias[1] > 0  # too few terms overstate
    assert path.steps[1][0] == (0, 2)
    assert path.errors.acceptable


def test_a_triple_is_tried_when_all_pairs_do_not_do():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 12, (2, 8000))
    c = np.where(rng.random(8000) < 0.9, (a * b) % 12, rng.integers(0, 12, 8000))
    path = choose(table([a, b, c], (12, 12, 12), people=2.0))
    assert path.model.terms == ((0, 1, 2),)


def test_a_shrunk_margin_lies_between_and_keeps_single_values():
    keys = independent(400)
    keys[1] = (keys[0] + keys[1]) % 9
    sample = table(keys, (8, 9, 10))
    expected = sample.grid.margin(independence(sample).fitted, (0, 1))
    target = shrunk_target(sample, (0, 1), expected)
    observed = sample.observed((0, 1))
    assert (target.counts[expected > 0] > 0).all()
    assert (observed[expected > 0] == 0).any()
    for axis in (0, 1):
        sums = [one.reshape(8, 9).sum(axis) for one in (target.counts, observed)]
        assert sums[0] == pytest.approx(sums[1], abs=0.05)
    assert shrunk_target(sample, (0, 1), observed) is None  # nothing is left to explain


def test_blocks_give_the_same_fit(monkeypatch):
    keys = independent(2000)
    keys[1] = (keys[0] + keys[1]) % 9
    sample = table(keys, (8, 9, 10))
    terms = [(0, 1), (1, 2), (0, 2)]
    together = given_terms(sample, terms).model
    assert len(sample.grid.blocks(terms)) == 1
    monkeypatch.setattr("unveil.measures.population.grid.BLOCK_CELLS", 1)
    assert BLOCK_CELLS > 1
    assert len(sample.grid.blocks(terms)) == 3
    apart = given_terms(sample, terms).model
    assert apart.fitted == pytest.approx(together.fitted, abs=0.02)
