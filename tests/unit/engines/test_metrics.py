"""Metrics that cannot be are refused when they are made."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.aggregation.measure import FuzzyMeasure
from unveil.engines import metrics
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
        (lambda: metrics.levels([1], [0]), "one cost for each tolerance"),
        (lambda: metrics.levels([1, 1], [0, 1, 2]), "ascend"),
        (lambda: metrics.levels([-1], [0, 1]), "ascend"),
        (lambda: metrics.levels([1], [1, 0]), "never fall"),
        (lambda: metrics.levels([1], [-1, 0]), "start at 0"),
        (lambda: metrics.prorated([], []), "at least one knot"),
        (lambda: metrics.prorated([0, 1], [0, np.inf]), "finite"),
        (lambda: metrics.prorated([1, 0], [0, 1]), "ascend"),
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
        (lambda: metrics.Metric(()), "at least one attribute"),
        (lambda: metrics.Metric(metrics.squared(), combine="choquet"), "a measure goes with"),
        (lambda: metrics.Metric(metrics.squared(), measure=THREE), "a measure goes with"),
        (lambda: metrics.Metric(metrics.squared(), combine="product"), "'largest'"),
        (lambda: metrics.choquet(THREE, (metrics.squared(),)), "3 attributes"),
        (lambda: metrics.choquet(FuzzyMeasure.additive(np.ones(11))), "at most 10"),
        (
            lambda: metrics.Metric((metrics.squared(),), matrix=np.eye(2)),
            "a cost for each of the 2 columns",
        ),
        (lambda: metrics.Metric(metrics.squared(), matrix=np.array([[np.nan]])), "finite"),
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
    assert matrix.shape == (2, 1)
    assert abs(matrix[0, 0]) == 0.5
