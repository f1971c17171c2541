"""Wilson's interval for a sample, and the bootstrap interval of a difference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from naive.paired import drawn_means
from unveil.errors import UsageError
from unveil.measures.identity import confidence_interval
from unveil.measures.identity.confidence_interval import (
    BOOTSTRAP_DRAWS,
    FEWEST_RECORDS,
    MOST_DISTINCT,
    _bootstrap_means,
    paired_difference,
    wilson,
)

CHANCES = np.array([0, 0, 0, 1 / 3, 0.5, 1])


def test_of_an_endless_population_it_is_the_textbook_one():
    """Ten of a hundred: Wilson's 95 % interval is 5.52 % to 17.44 %."""
    found = wilson(10, 100, 10**12)
    assert found.low == pytest.approx(0.0552, abs=5e-5)
    assert found.high == pytest.approx(0.1744, abs=5e-5)


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0.5, 0.999))
def test_it_holds_what_was_seen_and_narrows_as_more_is(m, more, share, confidence):
    hits, n = share * m, m + more
    found = wilson(hits, m, n, confidence=confidence)
    assert 0 <= found.low <= hits / m + 1e-12
    assert hits / m - 1e-12 <= found.high <= 1
    assert found.low >= hits / n
    assert found.high <= (hits + n - m) / n + 1e-12
    wider = wilson(hits, m, n + 100, confidence=confidence)
    assert wider.high - wider.low >= found.high - found.low - 1e-12


@pytest.mark.parametrize(
    ("population", "right", "sampled", "least"),
    # Hits are whole numbers: with six of them expected, the interval cannot do better.
    [(200, 60, 50, 0.93), (80, 40, 60, 0.93), (1000, 20, 300, 0.915)],
)
def test_it_holds_the_share_about_as_often_as_it_says(population, right, sampled, least):
    rng = np.random.default_rng(3)
    draws = rng.hypergeometric(right, population - right, sampled, 20_000)
    share = right / population
    held = {
        hits: found.low <= share <= found.high
        for hits in set(draws.tolist())
        if (found := wilson(hits, sampled, population))
    }
    assert least <= np.mean([held[hits] for hits in draws.tolist()]) <= 0.99


def test_everybody_was_looked_at():
    assert wilson(3, 10, 10) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1, 0, 5), "sampled"),
        ((1, 6, 5), "population: a whole number from 6"),
        ((7, 6, 10), "hits"),
        ((-1, 6, 10), "hits"),
        ((math.nan, 6, 10), "hits"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(UsageError, match=said):
        wilson(*given)
    with pytest.raises(UsageError, match="confidence"):
        wilson(1, 2, 3, confidence=1.0)


def risks(n, seed, *, kind="ties"):
    rng = np.random.default_rng(seed)
    if kind == "ties":
        return rng.choice(CHANCES, n)
    if kind == "rare":
        return (rng.random(n) < 0.01).astype(float)
    return rng.beta(0.2, 2, n)  # a posterior: every record has a chance of its own


@pytest.mark.parametrize(
    ("kind", "n"),
    [("ties", 12), ("ties", 400), ("rare", 500), ("own", 300), ("own", 2 * MOST_DISTINCT)],
)
def test_it_has_the_law_of_drawing_records(kind, n):
    gaps = risks(n, 1, kind=kind) - risks(n, 2, kind=kind)
    values, many = np.unique(gaps, return_counts=True)
    assert (len(values) > MOST_DISTINCT) == (n == 2 * MOST_DISTINCT)
    pairs = [
        (
            _bootstrap_means(values, many, np.random.default_rng(seed)),
            drawn_means(gaps, BOOTSTRAP_DRAWS, np.random.default_rng(100 + seed)),
        )
        for seed in range(5)
    ]
    # Of the same law each is below 0.05 once in twenty times, three of five once in a thousand.
    # Means of few values tie: rounded, so that the same tie in both.
    assert np.median([ks_2samp(a.round(9), b.round(9)).pvalue for a, b in pairs]) > 0.05
    ours, error = np.concatenate([a for a, _ in pairs]), gaps.std() / np.sqrt(n)
    assert ours.shape == (5 * BOOTSTRAP_DRAWS,)
    assert ours.mean() == pytest.approx(gaps.mean(), abs=4 * error / np.sqrt(5 * BOOTSTRAP_DRAWS))
    assert ours.std() == pytest.approx(error, rel=0.04)


def test_what_is_taken_together_still_varies(monkeypatch):
    """However few are counted apart, the deviation is that of the records."""
    monkeypatch.setattr(confidence_interval, "MOST_DISTINCT", 2)
    gaps = np.sort(risks(500, 1, kind="own") - risks(500, 2, kind="own"))
    drawn = _bootstrap_means(gaps, np.ones(500, np.int64), np.random.default_rng(3))
    assert drawn.std() == pytest.approx(gaps.std() / np.sqrt(500), rel=0.05)


def test_it_holds_the_difference_about_as_often_as_it_says():
    rng = np.random.default_rng(5)
    first = rng.choice([0, 1.0], 4000, p=[0.8, 0.2])
    second = np.where(rng.random(4000) < 0.7, first, rng.choice([0, 0.5], 4000))
    truth = (first - second).mean()
    held = []
    for seed in range(200):
        some = rng.integers(4000, size=200)
        found = paired_difference(first[some], second[some], seed=seed).interval
        held.append(found.low <= truth <= found.high)
    assert 0.91 <= np.mean(held) <= 0.98


@given(st.integers(FEWEST_RECORDS, 60), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_order_of_the_records_means_nothing(n, seed, order):
    first, second = risks(n, seed), risks(n, seed + 100)
    first[0] = second[-1] = np.nan
    places = list(range(n))
    order.shuffle(places)
    found = paired_difference(first, second, seed=seed)
    assert paired_difference(first[places], second[places], seed=seed) == found
    assert found.n == n - 2
    assert found.difference == pytest.approx(np.nanmean(first - second), abs=1e-12)
    assert paired_difference(second, first).difference == pytest.approx(-found.difference)


def test_seed_and_names_say_what_is_drawn():
    first, second = risks(100, 1), risks(100, 2)
    found = paired_difference(first, second, seed=1, names=("a", "b"))
    assert paired_difference(first, second, seed=1, names=("a", "b")) == found
    assert paired_difference(first, second, seed=2, names=("a", "b")) != found
    assert paired_difference(first, second, seed=1, names=("a", "c")) != found
    assert found.interval.low < found.difference < found.interval.high


def test_where_there_is_no_interval():
    few = paired_difference(np.array([1.0, 0.0, np.nan]), np.array([0.0, 0.0, 1.0]))
    assert (few.n, few.difference, few.interval) == (2, 0.5, None)
    same = paired_difference(np.ones(50), np.zeros(50))
    assert (same.n, same.difference, same.interval) == (50, 1.0, None)
    assert paired_difference(np.array([np.nan, 1.0]), np.array([1.0, np.nan])) is None
    assert paired_difference(np.array([]), np.array([])) is None
    with pytest.raises(UsageError, match="the same records"):
        paired_difference(np.ones(3), np.ones(4))


def test_a_million_records_are_soon_compared():
    first, second = risks(10**6, 1), risks(10**6, 2, kind="own")
    found = paired_difference(first, second)
    width = 2 * 1.96 * (first - second).std() / 1000
    assert found.interval.high - found.interval.low == pytest.approx(width, rel=0.1)
