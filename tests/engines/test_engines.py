"""Every engine gives the answers of the definitions, integer for integer.

What is special to one engine (leaves, threads, progress) is tested beside it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.search import blocks_of
from naive import search as naive
from naive.patterns import pattern_counts
from strategies.examples import examples
from strategies.searches import cases
from unveil.engines import metric as metrics
from unveil.engines.base import ABSOLUTE, RELATIVE, ties
from unveil.engines.records import Records
from unveil.engines.select import engine, engine_names
from unveil.errors import DataError, SpecError, UsageError

ENGINES = engine_names()[1:]
EUCLID = metrics.euclid()
TWO = np.array([[1.0, 2.0], [3.0, 4.0]])
every_engine = pytest.mark.parametrize("name", ENGINES)
seeds = st.integers(0, 2**32)


@st.composite
def blocked_cases(draw):
    """A case, perhaps with blocks; what they part is impossible."""
    case, rng = draw(cases()), np.random.default_rng(draw(seeds))
    lowest = draw(st.sampled_from([None, 0, -1]))  # no blocks, codes, missing codes
    if lowest is None:
        return case, None
    codes = [rng.integers(lowest, 2, (len(file), 2)) for file in (case.queries, case.base)]
    a, b = codes[0][:, None], codes[1][None]
    apart = ((a != b) & (a >= 0) & (b >= 0)).any(axis=2)
    distances, sums = (np.where(apart, np.inf, scores) for scores in (case.distances, case.sums))
    return replace(case, distances=distances, sums=sums), blocks_of(*codes)


def prepared(name, case, blocks=None):
    return engine(name).prepare(case.queries, case.base, case.metric, blocks=blocks)


def test_a_second_engine_is_tested():
    assert {"local", "numpy"} <= {*ENGINES}


@every_engine
@examples(3)
@given(case=blocked_cases(), stop_at=st.sampled_from([None, 1, 2, 5]))
def test_rank_of_truth(name, case, stop_at):
    case, blocks = case
    search = prepared(name, case, blocks)
    assert search.engine == name
    ranks = search.rank_of_truth(None, case.truth, stop_at=stop_at)
    closer, tied = naive.rank_of_truth(case.distances, case.truth, stop_at)
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == (closer, tied)


@every_engine
@examples(3)
@given(case=blocked_cases(), k=st.integers(1, 5))
def test_nearest(name, case, k):
    case, blocks = case
    found = prepared(name, case, blocks).nearest(None, k=k)
    rows, n_best = naive.nearest(case.distances, k)
    assert found.n_best.tolist() == n_best
    for i, expected in enumerate(rows):
        best = min(k, n_best[i])
        assert found.rows[i, :best].tolist() == expected[:best]
        # Beyond the ties with the best, equal scores may differ in the last bit.
        scores = [case.distances[i, row] if row >= 0 else math.inf for row in expected]
        assert found.scores[i].tolist() == pytest.approx(scores, rel=1e-9, abs=1e-12)
        assert (found.rows[i] < 0).tolist() == [row < 0 for row in expected]


@every_engine
@examples(2)
@given(case=blocked_cases(), error=st.sampled_from([0.0, 1e-6, 0.5]))
def test_density(name, case, error):
    case, blocks = case
    sums = prepared(name, case, blocks).density(None, error=error)
    expected = naive.density(case.distances)
    for got, bound, exact in zip(sums.log_sum, sums.error, expected, strict=True):
        assert 0 <= bound <= math.log1p(error) + 1e-15
        assert got == exact or got - 1e-9 <= exact <= got + bound + 1e-9


@every_engine
@examples(2)
@given(case=blocked_cases(), seed=seeds)
def test_costs(name, case, seed):
    case, blocks = case
    pairs = np.random.default_rng(seed).integers(0, case.sums.shape, (20, 2)).T
    found = prepared(name, case, blocks).costs(*pairs)
    assert found.tolist() == pytest.approx(case.sums[tuple(pairs)].tolist(), rel=1e-9, abs=1e-12)


@every_engine
@examples(2)
@given(case=blocked_cases(), seed=seeds)
def test_rows_and_offsets_change_no_other_answer(name, case, seed):
    """Some of the queries at other offsets are as if both files had been prepared anew."""
    case, blocks = case
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(case.queries), rng.integers(0, 9))
    offset = rng.integers(-9, 10, len(case.base)) / 2 if rng.integers(3) else None
    base = replace(case.base, offset=offset)
    search = prepared(name, case, blocks).with_offset(offset)
    anew = prepared(name, replace(case, base=base), blocks)
    some, every = (
        one.rank_of_truth(own, case.truth[own])
        for one, own in ((search, rows), (anew, np.arange(len(case.queries))))
    )
    assert some.n_closer.tolist() == every.n_closer[rows].tolist()
    assert some.n_tied.tolist() == every.n_tied[rows].tolist()
    near, all_near = search.nearest(rows, k=2), anew.nearest(None, k=2)
    for part in ("rows", "scores", "n_best"):
        assert getattr(near, part).tolist() == getattr(all_near, part)[rows].tolist()
    again = search.with_offset(case.base.offset).rank_of_truth(None, case.truth)
    assert again.n_closer.tolist() == naive.rank_of_truth(case.distances, case.truth)[0]


@every_engine
@examples(1)
@given(seed=seeds, kind=st.sampled_from(["bilinear", "whitened"]))
def test_a_linear_map_is_the_form_written_out(name, seed, kind):
    rng = np.random.default_rng(seed)
    root = rng.integers(-2, 3, (3, 3)).astype(float) + 3 * np.eye(3)
    form = root @ root.T
    queries, base = (rng.integers(0, 5, (n, 3)).astype(float) for n in (6, 20))
    gaps, truth = queries[:, None] - base[None], rng.integers(0, 20, 6)
    used = form if kind == "bilinear" else np.linalg.pinv(form, hermitian=True)
    distances = np.sqrt(np.maximum(np.einsum("qbi,ij,qbj->qb", gaps, used, gaps), 0))
    if np.linalg.cond(form) > 1e6:
        return
    search = engine(name).prepare(queries, base, getattr(metrics, kind)(form))
    ranks = search.rank_of_truth(None, truth)
    closer, tied = naive.rank_of_truth(distances, truth)
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == (closer, tied)


@every_engine
def test_scores_tie_up_to_the_tolerance_and_not_beyond(name):
    """Both sides of the rule, on a sum and on a root; whole numbers have no tolerance."""
    for gap, tied in ((0.9, True), (1.1, False)):
        nearly = 1.0 + gap * (RELATIVE + ABSOLUTE)
        assert bool(ties(np.array(1.0), np.array(nearly))) is tied
        for metric in (metrics.manhattan(), EUCLID):
            search = engine(name).prepare([[0.0]], [[1.0], [nearly]], metric)
            assert search.rank_of_truth(None, [0]).n_tied.tolist() == [int(tied)]
            assert search.rank_of_truth(None, [1]).n_closer.tolist() == [int(not tied)]
    for metric in (metrics.manhattan(), EUCLID):
        near = 94_000_000
        whole = engine(name).prepare([[0, 0]], [[near, 0], [near, 1]], metric)
        assert whole.rank_of_truth(None, [1]).n_closer.tolist() == [1]
        assert whole.nearest(None).n_best.tolist() == [1]
        parts = engine(name).prepare([[0.0, 0.0]], [[near * 1.0, 0], [near, 1.0]], EUCLID)
        assert parts.nearest(None).n_best.tolist() == [2]


@every_engine
@examples(1)
@given(seed=seeds, width=st.integers(1, 4))
def test_patterns_and_distinct_rows(name, seed, width):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-1, 3, (rng.integers(1, 30), width)) for _ in range(2))
    assert engine(name).pattern_counts(a, b).tolist() == pattern_counts(a, b).tolist()
    values = np.where(a < 0, np.nan, a * rng.choice([0.5, -0.0]))
    groups = engine(name).distinct_rows(values).of_record()
    cells = [tuple("missing" if np.isnan(v) else v + 0.0 for v in row) for row in values.tolist()]
    same = [[one == other for other in cells] for one in cells]
    assert (groups[:, None] == groups).tolist() == same


@every_engine
@pytest.mark.parametrize(
    ("queries", "base", "metric", "said"),
    [
        (TWO * np.nan, TWO, EUCLID, "4 cells not usable, the first in row 1, attribute 1"),
        (TWO[:, :1], TWO, EUCLID, "same attributes"),
        (TWO, TWO[:0], EUCLID, "no records"),
        (TWO, TWO, metrics.euclid([1, 1, 1]), "3 attributes"),
        (TWO, TWO, metrics.Metric(metrics.squared(0)), "all weights are zero"),
        (TWO, TWO, metrics.Metric(metrics.table(np.zeros((3, 3)))), "codes go from 0 to 2"),
    ],
)
def test_bad_input_is_refused_in_the_same_words(name, queries, base, metric, said):
    with pytest.raises((DataError, SpecError), match=said):
        engine(name).prepare(queries, base, metric)


@every_engine
def test_bad_questions_are_refused_in_the_same_words(name):
    search = engine(name).prepare(TWO, TWO, EUCLID)
    with pytest.raises(DataError, match="1 row that the base does not have"):
        search.rank_of_truth(None, [0, 2])
    with pytest.raises(UsageError, match="stop_at"):
        search.rank_of_truth(None, [0, 1], stop_at=0)
    with pytest.raises(UsageError, match="k: a whole number from 1 to 1,000"):
        search.nearest(None, k=0)
    far = engine(name).prepare(np.full((1, 1), 2**53), np.full((1, 1), -(2**53)), EUCLID)
    with pytest.raises(DataError, match=r"2\^53"):
        far.nearest(None)


@every_engine
def test_nobody_is_asked_about_and_nobody_is_possible(name):
    none = engine(name).prepare(TWO[:0], TWO, EUCLID)
    assert none.nearest(None, k=3).rows.shape == (0, 3)
    assert none.rank_of_truth(None, []).n_closer.tolist() == []
    far = engine(name).prepare(TWO + 100, Records(TWO), metrics.Metric(metrics.window(0.5)))
    assert far.nearest(None).n_best.tolist() == [0, 0]
    assert far.rank_of_truth(None, [0, 1]).n_closer.tolist() == [-1, -1]
    assert far.density(None).log_sum.tolist() == [-np.inf, -np.inf]
