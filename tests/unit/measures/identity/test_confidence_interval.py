"""Wilson's interval, for a sample of a finite population."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import UsageError
from unveil.measures.identity.confidence_interval import wilson


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
