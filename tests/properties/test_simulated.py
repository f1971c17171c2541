"""Learning from simulation against its twins; what must change nothing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad

import unveil
from naive import simulated as twin
from strategies.examples import examples
from unveil import Intruder, Microdata, Release, Schema, attacks, masks
from unveil.attacks.simulated import conditional_law
from unveil.attacks.simulated.conditional_law import bin_edges, bins_of, learn_law, mixture_shares
from unveil.attacks.simulated.matching_loss import HELD, fit_weights, matching_loss

seeds = st.integers(0, 2**32)


def pairs(seed, n, distinct):
    """Original numbers, some of them negative, and what a noisy mask made of them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-distinct // 2, distinct, n).astype(float)
    return x, x + np.round(rng.normal(0, 2, n) * rng.integers(0, 2, n), rng.integers(0, 3))


@examples(1 / 10)
@given(seeds, st.integers(2, 30), st.sampled_from([4, 50, 10**5]))
def test_laws_equal_their_twins(seed, n, distinct):
    x, y = pairs(seed, n, distinct)
    edges = bin_edges(x), bin_edges(y)
    if not (len(edges[0]) and len(edges[1])):
        return
    unit = max(np.abs(x).max(), np.abs(y).max())
    laws = conditional_law.pooled_laws(x, y, *edges)
    assert laws.sum(axis=2) == pytest.approx(np.ones(laws.shape[:2]))
    for found, pool in zip(laws, conditional_law.POOLS, strict=False):
        expected = twin.law(x / unit, y / unit, edges[0] / unit, edges[1] / unit, *pool)
        # A value at the end of a cell may be in either, by the last digit.
        assert np.abs(found - expected).max() < 1e-9 + 2 / (n * pool[1])
        assert np.median(np.abs(found - expected)) < 1e-9


@given(seeds, st.integers(1, 6), st.integers(1, 4))
def test_the_loss_equals_its_twin_and_its_gradient_the_numeric_one(seed, n, kinds):
    rng = np.random.default_rng(seed)
    evidence, weights = rng.normal(size=(kinds, n, n)), rng.random(kinds)
    assert matching_loss(weights, evidence)[0] == pytest.approx(
        twin.matching_loss(weights, evidence)
    )
    wrong = check_grad(
        lambda one: matching_loss(one, evidence)[0],
        lambda one: matching_loss(one, evidence)[1],
        weights,
    )
    assert wrong < 1e-5


@given(seeds, st.integers(2, 6))
def test_no_other_weights_lose_less(seed, n):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(2, n, n)) + 2 * np.eye(n)
    found, _ = fit_weights([evidence], np.ones(2))
    assert (found >= 0).all()
    least = matching_loss(found, evidence)[0] + HELD * ((found - 1) ** 2).sum()
    for _ in range(5):
        other = found * rng.uniform(0.5, 1.5, 2)
        loss = matching_loss(other, evidence)[0] + HELD * ((other - 1) ** 2).sum()
        assert least <= loss + 1e-6


@given(seeds, st.integers(1, 4), st.integers(0, 20))
def test_shares_are_the_likeliest(seed, laws, n):
    likelihood = np.random.default_rng(seed).random((laws, n)) + 1e-3
    share = mixture_shares(likelihood)
    assert share.sum() == pytest.approx(1)
    even = np.full(laws, 1 / laws)
    assert np.log(share @ likelihood).sum() >= np.log(even @ likelihood).sum() - 0.1


@given(seeds, st.integers(1, 2000), st.sampled_from([1, 3, 300, 10**6]))
def test_bins_keep_the_order_and_equal_values_together(seed, n, distinct):
    values = np.sort(np.random.default_rng(seed).integers(0, distinct, n).astype(float))
    bins = bins_of(values, bin_edges(values))
    assert (np.diff(bins) >= 0).all()
    assert len(np.unique(bins)) <= conditional_law.MOST_BINS
    if len(np.unique(values)) <= conditional_law.MOST_BINS:
        assert len(np.unique(bins)) == len(np.unique(values))


@given(seeds, st.integers(5, 400), st.sampled_from([1e-300, 1.0, 1e300]))
def test_a_law_is_of_any_unit(seed, n, unit):
    x, y = pairs(seed, n, 1000)
    law = learn_law("x", (x * unit, y * unit), (x * unit, y * unit))
    if law is not None:
        assert np.isfinite(np.log(law.probability)).all()
        assert law.probability.sum(axis=1) == pytest.approx(np.ones(len(law.probability)))


def blur(values, rng):
    return values + rng.laplace(0, 0.05 * values.std() + 0.2 * np.abs(values))


@pytest.fixture(scope="module")
def masked():
    """A survey with missing cells, and its release by a function of the user's own."""
    frame = unveil.households(120, seed=7).to_frame("polars")
    frame = frame.select("income", "rent", "savings", "tax", "education").with_columns(
        pl.when(pl.int_range(pl.len()) % 11 > 0).then(pl.col("rent"))
    )
    numbers = ["income", "rent", "savings", "tax"]
    data = Microdata(frame, Schema(quasi=frame.columns, numeric=numbers, nominal=["education"]))
    step = masks.Function(function=blur, channel="unknown", columns=numbers)
    return data, unveil.mask(data, [step, masks.Pram(theta=0.1, columns=["education"])], seed=1)


def linked(data, release, knows, **intruder):
    known = Intruder(knows=knows, **intruder)
    found = unveil.attack(data, release, attacks.Simulated(simulations=8), intruder=known)
    return found, found.rank_of_truth.n_closer


@pytest.mark.parametrize("direction", ["original-to-release", "release-to-original"])
def test_neither_the_order_of_rows_nor_of_columns_counts(masked, direction):
    data, release = masked
    found, ranks = linked(data, release, data.columns, direction=direction)
    rows = np.random.default_rng(3).permutation(len(data))
    place = np.argsort(rows)
    moved = Release(release.data.take(rows), release.plan, release.channels, release.row_map[rows])
    again, other = linked(data, moved, data.columns[::-1], direction=direction)
    back = direction == "release-to-original"
    assert (other[place] if back else other).tolist() == ranks.tolist()
    assert again.finder.details["held_out"] == found.finder.details["held_out"]
    assert found.finder.details["chosen"] == "learnt"
