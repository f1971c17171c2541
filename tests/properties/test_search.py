"""The exact search equals its slow twin, integer for integer."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.search import blocks_of, density, nearest, prepared, rank_of_truth
from naive import search as naive
from strategies.examples import examples
from strategies.searches import cases
from unveil.aggregation.measure import FuzzyMeasure
from unveil.engines import metric as metrics
from unveil.engines.records import Records


@contextmanager
def small_leaves(size):
    """Trees many levels deep over a few records, and work for more than one thread."""
    with (
        mock.patch("unveil.engines.local.index.LEAF", size),
        mock.patch("unveil.engines.local.query_blocks.QUERIES_AT_ONCE", 2),
    ):
        yield


leaves, threads = st.sampled_from([1, 2, 5, 32]), st.sampled_from([1, 2])


@examples(10)
@given(cases(), st.sampled_from([None, 1, 2, 5]), leaves, threads)
def test_rank_of_truth_equals_its_twin(case, stop_at, leaf, threads):
    with small_leaves(leaf):
        ranks = rank_of_truth(
            case.queries, case.base, case.truth, case.metric, stop_at=stop_at, threads=threads
        )
    closer, tied = naive.rank_of_truth(case.distances, case.truth, stop_at)
    assert ranks.n_closer.tolist() == closer
    assert ranks.n_tied.tolist() == tied


@examples(6)
@given(cases(), st.integers(1, 5), leaves, threads)
def test_nearest_equals_its_twin(case, k, leaf, threads):
    with small_leaves(leaf):
        found = nearest(case.queries, case.base, case.metric, k=k, threads=threads)
    rows, n_best = naive.nearest(case.distances, k)
    assert found.n_best.tolist() == n_best
    for i, expected in enumerate(rows):
        best = min(k, n_best[i])
        assert found.rows[i, :best].tolist() == expected[:best]
        # Beyond the ties with the best, equal scores may differ in the last bit.
        scores = [case.distances[i, row] if row >= 0 else math.inf for row in expected]
        assert found.scores[i].tolist() == pytest.approx(scores, rel=1e-9, abs=1e-12)
        reached = [case.distances[i, row] if row >= 0 else math.inf for row in found.rows[i]]
        assert reached == pytest.approx(scores, rel=1e-9, abs=1e-12)
        real = [row for row in found.rows[i].tolist() if row >= 0]
        assert len(set(real)) == len(real)


@examples(5)
@given(cases(), st.sampled_from([0.0, 1e-6, 0.5]), leaves, threads)
def test_density_equals_its_twin_within_its_own_bound(case, error, leaf, threads):
    with small_leaves(leaf):
        sums = density(case.queries, case.base, case.metric, error=error, threads=threads)
    for got, bound, expected in zip(
        sums.log_sum, sums.error, naive.density(case.distances), strict=True
    ):
        assert 0 <= bound <= math.log1p(error) + 1e-15
        if math.isinf(expected):
            assert got == expected
        else:
            assert got - 1e-9 <= expected <= got + bound + 1e-9


@examples(2)
@given(cases(), leaves, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_means_nothing(case, leaf, random):
    n, m = len(case.base), len(case.queries)
    order, asked = random.sample(range(n), n), random.sample(range(m), m)
    back = np.argsort(order)
    base = case.base
    shuffled = Records(
        base.values[order],
        None if base.present is None else base.present[order],
        None if base.offset is None else base.offset[order],
    )
    queries = Records(
        case.queries.values[asked],
        None if case.queries.present is None else case.queries.present[asked],
    )
    truth = np.where(case.truth < 0, -1, back[case.truth])[asked]
    with small_leaves(leaf):
        before = rank_of_truth(case.queries, base, case.truth, case.metric)
        after = rank_of_truth(queries, shuffled, truth, case.metric)
        near, near_after = (
            nearest(case.queries, base, case.metric),
            nearest(queries, shuffled, case.metric),
        )
        thick, thick_after = (
            density(case.queries, base, case.metric),
            density(queries, shuffled, case.metric),
        )
    assert before.n_closer[asked].tolist() == after.n_closer.tolist()
    assert before.n_tied[asked].tolist() == after.n_tied.tolist()
    assert near.n_best[asked].tolist() == near_after.n_best.tolist()
    assert thick.log_sum[asked].tolist() == pytest.approx(thick_after.log_sum.tolist(), abs=1e-12)


@examples(3)
@given(cases(), st.booleans(), st.integers(0, 2**32), leaves, threads)
def test_an_answer_does_not_depend_on_who_else_is_asked_about(case, blocked, seed, leaf, threads):
    rng = np.random.default_rng(seed)
    base, blocks = case.base, None
    if blocked and case.metric.measure is None:  # which has no further attributes
        asking, asked = (rng.integers(-1, 2, (len(f), 2)) for f in (case.queries, case.base))
        blocks = blocks_of(asking, asked)
    questions = [rng.integers(0, len(case.queries), rng.integers(0, 9)) for _ in range(3)]
    truth, metric = case.truth, case.metric
    with small_leaves(leaf):
        ready = prepared(case.queries, base, metric, blocks=blocks, threads=threads)
        ranks = rank_of_truth(case.queries, base, truth, metric, blocks=blocks, stop_at=2)
        near = nearest(case.queries, base, metric, blocks=blocks, k=2)
        thick = density(case.queries, base, metric, blocks=blocks)
        for rows in (*questions, None):
            own = slice(None) if rows is None else rows
            some = ready.rank_of_truth(rows, truth[own], stop_at=2)
            assert some.n_closer.tolist() == ranks.n_closer[own].tolist()
            assert some.n_tied.tolist() == ranks.n_tied[own].tolist()
            found = ready.nearest(rows, k=2)
            for part in ("rows", "scores", "n_best"):
                assert getattr(found, part).tolist() == getattr(near, part)[own].tolist()
            assert ready.density(rows).log_sum.tolist() == thick.log_sum[own].tolist()
            if rows is None or not len(rows):
                continue
            alone = None if blocks is None else replace(blocks, queries=blocks.queries[rows])
            others = rank_of_truth(
                case.queries.take(rows), base, truth[rows], metric, blocks=alone, stop_at=2
            )
            assert some.n_closer.tolist() == others.n_closer.tolist()
            assert some.n_tied.tolist() == others.n_tied.tolist()


@examples(2)
@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from(["bilinear", "whitened"]), leaves)
def test_a_linear_map_equals_the_form_written_out(seed, width, kind, leaf):
    rng = np.random.default_rng(seed)
    root = rng.integers(-2, 3, size=(width, width)).astype(float)
    matrix = root @ root.T
    if not matrix.any():
        matrix = np.eye(width)
    form = matrix
    if kind == "whitened":  # the inverse, where there is one, on the scale of correlations
        deviation = np.sqrt(np.diag(matrix))
        scale = np.diag(np.divide(1, deviation, out=np.zeros(width), where=deviation > 0))
        form = scale @ np.linalg.pinv(scale @ matrix @ scale, rcond=1e-10, hermitian=True) @ scale
    queries, base = (rng.integers(0, 5, size=(n, width)).astype(float) for n in (6, 30))
    truth = rng.integers(0, 30, 6)
    gaps = queries[:, None] - base[None]
    distances = np.sqrt(np.maximum(np.einsum("qbi,ij,qbj->qb", gaps, form, gaps), 0))
    # Zeros of a singular form are zeros up to the square root of rounding.
    distances[distances < 1e-6] = 0
    with small_leaves(leaf):
        ranks = rank_of_truth(queries, base, truth, getattr(metrics, kind)(matrix))
    closer, tied = naive.rank_of_truth(distances, truth)
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == (closer, tied)


@examples(1)
@given(st.integers(0, 2**32))
def test_a_missing_cell_under_a_linear_map_costs_what_it_costs_on_average(seed):
    rng = np.random.default_rng(seed)
    root, weights = rng.standard_normal((3, 3)), rng.integers(1, 4, 3)
    form = root @ np.diag(weights) @ root.T
    metric = metrics.Metric(tuple(map(metrics.squared, weights)), root=True, matrix=root)
    queries, base = rng.standard_normal((4, 3)), rng.standard_normal((9, 3))
    seen, there = rng.random(queries.shape) > 0.3, rng.random(base.shape) > 0.3
    there[0] = True
    values = [base[there[:, j], j] for j in range(3)]
    means, variances = [v.mean() for v in values], [v.var() for v in values]
    filled_q, filled_b = np.where(seen, queries, means), np.where(there, base, means)
    gaps = filled_q[:, None] - filled_b[None]
    extra = np.einsum("ij,j,j->i", ~seen, np.diag(form), variances)[:, None] + np.einsum(
        "ij,j,j->i", ~there, np.diag(form), variances
    )
    distances = np.sqrt(np.einsum("qbi,ij,qbj->qb", gaps, form, gaps) + extra)
    found = nearest(Records(queries, seen), Records(base, there), metric, k=9)
    expected = np.sort(distances, axis=1)
    assert found.scores == pytest.approx(expected, rel=1e-9)


def test_each_kernel_is_compiled_once():
    """The properties above have used every metric: one specialisation serves them all."""
    from unveil.engines.local.kernels import density as densities
    from unveil.engines.local.kernels import filters, missing_costs, neighbours, ranking, tree, walk
    from unveil.support.kernels import rows

    kernels = {
        ranking.rank_block,
        neighbours.nearest_block,
        densities.density_block,
        missing_costs.expected_costs,
        filters.all_to_axes,
        rows.hash_rows,
        rows.mark_new,
        tree.split,
        tree.fill_tiles,
        tree.fill_boxes,
        walk.leaf_of,
    }
    queries = np.zeros((3, 2))
    for metric in (metrics.euclid(), metrics.choquet(FuzzyMeasure([0, 0.5, 0.5, 1]))):
        rank_of_truth(queries, Records(queries, None, np.ones(3)), [0, 1, -1], metric)
        rank_of_truth(queries.astype(int), queries.astype("f4"), [0, 1, 2], metric, stop_at=2)
        nearest(np.asfortranarray(queries), queries, metric)
    for kernel in kernels:
        assert len(kernel.signatures) <= 1
