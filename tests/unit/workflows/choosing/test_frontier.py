import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import frontier as naive
from unveil.workflows.choosing.frontier import frontier, hypervolume

FEW_VALUES = st.integers(0, 6).map(lambda sixth: sixth / 4)  # ties, and beyond the reference
PLANS = st.lists(st.tuples(FEW_VALUES, FEW_VALUES), max_size=12)


def columns(plans):
    return [risk for risk, _ in plans], [loss for _, loss in plans]


@given(PLANS)
def test_as_by_every_pair(plans):
    risks, losses = columns(plans)
    assert frontier(risks, losses).tolist() == naive.frontier(risks, losses)
    assert hypervolume(risks, losses) == pytest.approx(naive.hypervolume(risks, losses, (1, 1)))


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1)), max_size=30))
def test_as_by_every_pair_without_ties(plans):
    risks, losses = columns(plans)
    assert frontier(risks, losses).tolist() == naive.frontier(risks, losses)
    expected = naive.hypervolume(risks, losses, (4, 0.9))
    assert hypervolume(risks, losses, (4, 0.9)) == pytest.approx(expected)


def test_loss_falls_along_the_frontier():
    rng = np.random.default_rng(1)
    risk, loss = rng.random((2, 5000))
    best = frontier(risk, loss)
    assert (np.diff(risk[best]) > 0).all()
    assert (np.diff(loss[best]) < 0).all()


def test_nothing_tried():
    assert frontier([], []).tolist() == []
    assert hypervolume([], []) == 0


def test_without_risk_one_plan_is_left():
    assert frontier([0, 0, 0], [0.5, 0.2, 0.2]).tolist() == [1]
    assert hypervolume([0, 0, 0], [0.5, 0.2, 0.2]) == pytest.approx(0.8)
