"""Fractional belief propagation against exact permanents, and classes against single records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import matching as twin
from strategies.examples import examples
from unveil.matching import messages, posterior
from unveil.matching.posterior import DenseGraph, MatchGraph, marginals

seeds = st.integers(0, 2**32)


@pytest.fixture
def converged(monkeypatch):
    monkeypatch.setattr(posterior, "MESSAGE_TOLERANCE", 1e-12)


def dense(costs, supply=None, capacity=None, bits=np.float64):
    least = costs.min(axis=1)
    sizes = [
        np.ones(n, int) if size is None else size
        for n, size in zip(costs.shape, (supply, capacity), strict=True)
    ]
    return DenseGraph((costs - least[:, None]).astype(bits), least, *sizes)


def listed(costs):
    rows, columns = costs.shape
    starts, every = np.arange(rows + 1) * columns, np.tile(np.arange(columns), rows)
    return MatchGraph(starts, every, costs.ravel(), np.ones(rows, int), np.ones(columns, int))


def test_messages_come_closer_to_exact_permanents_than_scaling():
    rng, fractions = np.random.default_rng(0), (0.0, 0.8, 1.0)
    wrong = dict.fromkeys(fractions, 0.0)
    for _ in range(200):
        logs = 2 * rng.standard_normal((7, 7))
        exact = twin.exact_marginals(np.exp(logs))
        for one in fractions:
            found = marginals(dense(-logs), fraction=one).probability
            wrong[one] += np.abs(found - exact).mean() / 200
    assert wrong[0.0] == pytest.approx(0.042, abs=1e-3)
    assert wrong[0.8] == pytest.approx(0.0155, abs=1e-3)
    assert wrong[1.0] == pytest.approx(0.019, abs=3e-3)


@examples(1 / 4)
@given(seeds, st.integers(2, 12), st.sampled_from([np.float32, np.float64]))
def test_messages_are_those_of_the_damped_twin(seed, n, bits):
    costs = np.random.default_rng(seed).exponential(2, (n, n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "MESSAGE_TOLERANCE", 1e-12)
        found = marginals(dense(costs, bits=bits), fraction=0.8)
        pairs = marginals(listed(costs), fraction=0.8)
    expected = twin.messages(twin.posterior(costs), 0.8, 400, damped=True)
    assert found.probability == pytest.approx(expected, abs=2e-5)
    assert pairs.probability.reshape(n, n) == pytest.approx(expected, abs=2e-5)


@examples(1 / 4)
@given(seeds, st.integers(20, 60), st.sampled_from([np.float32, np.float64]))
def test_pairs_of_little_weight_need_no_messages_of_their_own(seed, n, bits):
    costs = np.random.default_rng(seed).exponential(2, (n, n))
    graph = dense(costs, bits=bits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "MESSAGE_TOLERANCE", 1e-9)
        found = {}
        for heavy in (0.0, 1 / 50.5):
            patch.setattr(messages, "HEAVY", heavy)
            found[heavy] = marginals(graph, fraction=0.8).probability
    # To second order: the messages of a pair of weight 1/50 are off by 0.0004 of themselves.
    assert found[1 / 50.5] == pytest.approx(found[0.0], rel=1e-3, abs=1e-5)


@pytest.mark.usefixtures("converged")
@pytest.mark.parametrize("fraction", [0.0, 0.8])
def test_a_class_is_as_many_records(fraction):
    costs = np.random.default_rng(1).exponential(2, (4, 5))
    supply, capacity = np.array([2, 1, 3, 1]), np.array([1, 2, 1, 2, 1])
    found = marginals(dense(costs, supply, capacity), fraction=fraction).probability
    single = np.repeat(np.repeat(costs, supply, axis=0), capacity, axis=1)
    expected = marginals(dense(single), fraction=fraction).probability
    every = np.repeat(np.repeat(found, supply, axis=0), capacity, axis=1)
    assert every == pytest.approx(expected, abs=1e-6)


@pytest.mark.usefixtures("converged")
@pytest.mark.parametrize("form", [dense, listed])
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 4)])
def test_the_surplus_competes_for_being_unmatched(form, shape):
    costs = np.random.default_rng(2).exponential(2, shape)
    found = marginals(form(costs), fraction=0.8)
    usual = np.median(costs.min(axis=1))
    rows, columns = shape
    ghosts = np.full((max(rows, columns), max(rows, columns)), usual)
    ghosts[:rows, :columns] = costs
    expected = marginals(dense(ghosts), fraction=0.8).probability
    assert found.probability.reshape(shape) == pytest.approx(expected[:rows, :columns], abs=1e-6)
    alone = expected[:rows, columns:].sum(axis=1)
    assert found.unmatched == pytest.approx(alone, abs=1e-6)


@pytest.mark.usefixtures("converged")
@pytest.mark.parametrize("form", [dense, listed])
def test_on_a_tree_beliefs_are_exact(form):
    """One record that may have any of three candidates, or nobody."""
    costs, alone = np.array([[0.5, 1.0, 3.0]]), np.array([-0.2])
    found = marginals(form(costs), fraction=1.0, alone=alone)
    weights = np.append(np.exp(-costs[0]), np.exp(alone))
    expected = weights / weights.sum()
    assert found.probability.ravel() == pytest.approx(expected[:3], abs=1e-9)
    assert found.unmatched == pytest.approx(expected[3:], abs=1e-9)


@pytest.mark.parametrize("fraction", [0.0, 0.8])
def test_who_is_left_out_has_a_share_of_each_record(fraction):
    costs, more = np.random.default_rng(3).exponential(2, (5, 5)), np.array([0.0, 0.5, 1, 3, 9])
    every = marginals(listed(costs), fraction=fraction)
    found = marginals(listed(costs), fraction=fraction, left_out=lambda _: more)
    chance, before = (one.probability.reshape(5, 5).sum(axis=1) for one in (found, every))
    assert before == pytest.approx(np.ones(5), abs=1e-6)
    assert chance + found.left_out == pytest.approx(np.ones(5), abs=1e-6)
    assert chance[0] == pytest.approx(1, abs=1e-6)
    assert (np.diff(chance) < 0).all()
    if not fraction:
        assert chance == pytest.approx(1 / (1 + more), abs=1e-6)


def test_ties_are_kept_and_impossible_pairs_stay_impossible():
    costs = np.array([[0.0, 0, 1], [0, 0, 1], [np.inf, 2, 2]])
    for bits in (np.float32, np.float64):
        found = marginals(dense(costs, bits=bits), fraction=0.8).probability
        assert found[2, 0] == 0
        assert found[0] == pytest.approx(found[1], rel=1e-6)
        assert found.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def a_chain(preferred, far, n=60):
    """Each row prefers its right neighbour's column, which has no room: prices must pass along."""
    costs, place = np.full((n, n), float(far)), np.arange(n)
    costs[place, place], costs[place[:-1], place[1:]] = preferred, 0.0
    return costs


@pytest.mark.parametrize(
    ("preferred", "far"), [(4, 60), (8, 60), (16, 60), (40, 60), (16, 200), (40, 200)]
)
def test_prices_that_pass_along_a_chain_leave_no_column_without_a_partner(preferred, far):
    """Messages from a scaling of twenty rounds diverged: sums of columns of 5e-6, of rows of .4."""
    found = marginals(dense(a_chain(preferred, far)), fraction=0.8)
    assert found.probability.sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert found.probability.sum(axis=0) == pytest.approx(1, abs=0.005)
    assert found.fraction == 0.8


@pytest.mark.parametrize("preferred", [4, 8])
def test_messages_that_do_not_converge_give_way_to_scaling(preferred):
    costs = dense(a_chain(preferred, 200))
    found, scaled = (marginals(costs, fraction=fraction) for fraction in (0.8, 0.0))
    assert found.fraction == 0
    assert np.array_equal(found.probability, scaled.probability)
    assert found.probability.sum(axis=1) == pytest.approx(1, abs=1e-6)
