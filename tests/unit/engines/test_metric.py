"""Metrics that cannot be are refused when they are made."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.search import rank_of_truth
from unveil.aggregation.measure import FuzzyMeasure
from unveil.engines import metric as metrics
from unveil.engines.code_pairs import CodePairs
from unveil.errors import SpecError

THREE = FuzzyMeasure.additive([1, 1, 1])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: metrics.euclid([1, -1]), "not negative"),
        (lambda: metrics.manhattan([0, 0]), "not all of them zero"),
        (lambda: metrics.chebyshev([np.nan, 1]), "finite"),
        (lambda: metrics.squared(-1), "0 or more"),
        (lambda: metrics.absolute(np.inf), "finite"),
        (lambda: metrics.absolute(side="left"), "'both', 'above' or 'below'"),
        (
            lambda: metrics.levels([1], [0]),
            "give one cost per tolerance and one more for larger gaps",
        ),
        (lambda: metrics.levels([1, 1], [0, 1, 2]), "ascend"),
        (lambda: metrics.levels([-1], [0, 1]), "ascend"),
        (lambda: metrics.levels([1], [1, 0]), "never fall"),
        (lambda: metrics.levels([1], [-1, 0]), "start at 0"),
        (lambda: metrics.prorated([], []), "at least one knot"),
        (lambda: metrics.prorated([0, 1], [0, np.inf]), "finite"),
        (lambda: metrics.prorated([1, 0], [0, 1]), "ascend"),
        (lambda: metrics.prorated([0, 1], [1, 2], equal=3), "never fall"),
        (lambda: metrics.levels([0], [0, 1], missing=-1), "a missing cell costs a finite number"),
        (lambda: metrics.table([[0.0]], missing=np.inf), "a missing cell costs a finite number"),
        (
            lambda: metrics.Metric(metrics.levels([0], [0, 1], missing=1), matrix=np.eye(1)),
            "no cell is missing",
        ),
        (lambda: metrics.window(-1), "ascend"),
        (lambda: metrics.window(np.nan), "ascend"),
        (lambda: metrics.table([[0, 1]]), "square"),
        (lambda: metrics.table([[0, -1], [1, 0]]), "0 or more"),
        (lambda: metrics.table([[0, np.nan], [1, 0]]), "0 or more"),
        (lambda: metrics.bilinear([[1, 2], [2, 1]]), "positive semidefinite"),
        (lambda: metrics.bilinear([[1, 1], [0, 1]]), "symmetric"),
        (lambda: metrics.bilinear(np.zeros((2, 2))), "not zero"),
        (lambda: metrics.bilinear([[1, np.inf], [np.inf, 1]]), "finite"),
        (lambda: metrics.bilinear([1, 2]), "square"),
        (lambda: metrics.whitened([[-1.0]]), "positive semidefinite"),
        (lambda: metrics.Metric(()), "has costs"),
        (lambda: metrics.Metric(metrics.squared(), combine="choquet"), "a fuzzy measure goes with"),
        (lambda: metrics.Metric(metrics.squared(), measure=THREE), "a fuzzy measure goes with"),
        (lambda: metrics.Metric(metrics.squared(), combine="product"), "'largest'"),
        (lambda: metrics.choquet(THREE, (metrics.squared(),)), "3 attributes"),
        (lambda: metrics.choquet(FuzzyMeasure.additive(np.ones(11))), "at most 10"),
        (
            lambda: metrics.Metric((metrics.squared(),), matrix=np.eye(2)),
            "a cost for each of the 2 columns",
        ),
        (lambda: metrics.Metric(metrics.squared(), matrix=np.array([[np.nan]])), "finite"),
        (lambda: metrics.Metric(metrics.table([[0.0]]), matrix=np.eye(1)), "linear map does not"),
        (
            lambda: metrics.Metric(
                metrics.squared(), combine="choquet", matrix=np.ones((3, 5)), measure=THREE
            ),
            "one of 3 attributes",
        ),
        (lambda: metrics.Metric([metrics.squared(), None]), "has costs"),
        (lambda: metrics.choquet([0, 1]), "a fuzzy measure goes with"),
        (lambda: metrics.window(np.inf), "finite"),
        (lambda: metrics.prorated([0, 1e-320], [0, 1]), "ascend"),
        (lambda: metrics.squared("much"), "numbers are needed"),
        (lambda: metrics.table([[0, 1], [0]]), "rows of equal length"),
        (lambda: metrics.whitened([["a"]]), "numbers are needed"),
        (lambda: metrics.whitened([[0.0, 1.0], [1.0, 1.0]]), "positive semidefinite"),
    ],
)
def test_refused(make, said):
    with pytest.raises(SpecError, match=said):
        make()


def test_words():
    assert repr(metrics.manhattan()) == "Metric(sum of gaps)"
    assert repr(metrics.bilinear([[2.0]])) == "Metric(sum of squares, root, after a linear map)"
    mixed = metrics.Metric((metrics.squared(), metrics.window(2)), combine="largest")
    assert repr(mixed) == "Metric(largest of costs)"


def test_a_singular_covariance_leaves_its_dead_direction_out():
    matrix = metrics.whitened([[4.0, 0.0], [0.0, 0.0]]).matrix
    assert np.abs(matrix).tolist() == [[0.5], [0.0]]


def test_whitening_does_not_depend_on_units():
    """Income in cents beside a share: both count."""
    rng = np.random.default_rng(0)
    records = np.stack([rng.normal(5e6, 1e7, 500), rng.normal(0.5, 0.05, 500)], axis=1)
    metric = metrics.whitened(np.cov(records.T))
    assert metric.matrix.shape == (2, 2)
    moved = np.array([[0.0, 0.25]]) @ metric.matrix
    assert np.linalg.norm(moved) == pytest.approx(0.25 / records[:, 1].std(ddof=1), rel=0.01)
    assert metrics.bilinear(np.diag([1.0, 1e-14])).matrix.any(0).all()


def test_what_a_singular_form_does_not_see_is_at_distance_zero():
    rng = np.random.default_rng(1)
    for _ in range(50):
        root = rng.integers(-2, 3, (3, 2)).astype(float)
        root[0, 0] = 1
        base = rng.integers(0, 3, (40, 3)).astype(float)
        gaps = (base - base[0]) @ root
        ranks = rank_of_truth(base[:1], base, [0], metrics.bilinear(root @ root.T))
        assert ranks.n_closer.tolist() == [0]
        assert ranks.n_tied.tolist() == [int((gaps == 0).all(1).sum()) - 1]


def test_listed_pairs_cost_what_is_listed_and_others_alike():
    pairs = CodePairs.of(np.array([0, 2]), np.array([1, 0]), np.array([3.0, 5.0]), 3)
    cost = metrics.listed(pairs, 7.0)
    assert (cost.categories, cost.integral, cost.largest(2)) == (3, True, 7.0)
    assert cost.reversed.pairs.rows.tolist() == [0, 1]
    assert cost.reversed.pairs.values.tolist() == [5.0, 3.0]
    assert cost.scale(0.5).pairs.values.tolist() == [1.5, 2.5]
    assert not cost.scale(0.5).integral
    for wrong in (np.inf, np.nan, -1.0):
        with pytest.raises(SpecError, match="0 or more"):
            metrics.listed(pairs, wrong)
