"""The laws of chance, against exact fractions and a published table."""

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import UsageError
from unveil.measures.significance import random_links, random_matching


def exact_matching(m, n):
    """The formula, in fractions."""
    return [
        sum(
            (-1) ** v * comb(m, r) * comb(m - r, v) * Fraction(factorial(n - r - v), factorial(n))
            for v in range(m - r + 1)
        )
        for r in range(m + 1)
    ]


@given(st.integers(1, 40), st.integers(0, 40))
def test_a_random_matching_in_fractions(m, more):
    law, exact = random_matching(m, m + more), exact_matching(m, m + more)
    assert law.probabilities == pytest.approx([float(p) for p in exact], rel=1e-13, abs=1e-300)
    tails = [float(sum(exact[r:])) for r in range(m + 1)]
    assert [law.at_least(r) for r in range(m + 1)] == pytest.approx(tails, rel=1e-13)


# Table IV of the paper on fuzzy integrals: r, the probability of r links, of r or more.
PUBLISHED = [
    (0, "0.36787944", "1"),
    (1, "0.36787944", "0.63212056"),
    (2, "0.18393972", "0.26424112"),
    (3, "0.06131324", "0.08030140"),
    (5, "0.00306566", "0.00365985"),
    (10, "1.0138E-7", "1.1143E-7"),
    (15, "2.8132E-13", "3.0000E-13"),
    (20, "1.5121E-19", "1.5875E-19"),
    (26, "9.1219E-28", "9.4723E-28"),
    (28, "1.2066E-30", "1.2496E-30"),
    (30, "1.3869E-33", "1.4331E-33"),
    (50, "1.2096E-65", "1.2338E-65"),
    (100, "1.071E-158", "1.071E-158"),
]


@pytest.mark.parametrize(("r", "exactly", "or_more"), PUBLISHED)
def test_the_published_table(r, exactly, or_more):
    law = random_matching(100, 100)
    for found, printed in ((law.exactly(r), exactly), (law.at_least(r), or_more)):
        digits = printed.split("E")[0]
        last = 10.0 ** -len(digits.partition(".")[2]) * float(f"1E{printed.partition('E')[2] or 0}")
        # Some cells are rounded, some cut off.
        assert -0.51 * last < found - float(printed) < last


def test_all_but_one_cannot_be_right():
    assert random_matching(100, 100).exactly(99) == 0.0


def test_simulated_matchings_follow_the_law():
    rng = np.random.default_rng(1)
    m, n, runs = 4, 6, 40_000
    hits = [(rng.permutation(n)[:m] == np.arange(m)).sum() for _ in range(runs)]
    shares = np.bincount(hits, minlength=m + 1) / runs
    assert shares == pytest.approx(random_matching(m, n).probabilities, abs=0.01)


@pytest.mark.parametrize("law", [random_matching, random_links])
def test_a_million_records(law):
    found = law(10**6, 10**6)
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert found.exactly(0) == pytest.approx(np.exp(-1), rel=1e-6)
    assert found.exactly(20) == pytest.approx(np.exp(-1) / factorial(20), rel=1e-3)
    assert found.at_least(5000) == 0.0
    assert found.mean == 1.0
    few = law(50, 10**6)
    assert few.at_least(1) == pytest.approx(50e-6, rel=1e-4)


@given(st.integers(1, 200), st.integers(1, 50))
def test_random_links_are_binomial(m, n):
    law = random_links(m, n)
    exact = [
        comb(m, r) * Fraction(1, n) ** r * (1 - Fraction(1, n)) ** (m - r) for r in range(m + 1)
    ]
    for r, p in enumerate(exact):
        assert law.exactly(r) == pytest.approx(float(p), rel=1e-9, abs=1e-290)


def test_fractions_of_hits_and_numbers_out_of_range():
    law = random_links(10, 5)
    assert law.at_least(1.5) == law.at_least(2)
    assert law.at_least(-3) == law.at_least(0) == pytest.approx(1)
    assert (law.at_least(11), law.exactly(11), law.exactly(-1)) == (0.0, 0.0, 0.0)
    assert repr(law) == "ChanceLaw(10 records, 5 candidates)"
    for wrong in (0, -1, 1.5, True, "3"):
        with pytest.raises(UsageError, match="records: a whole number from 1"):
            random_links(wrong, 5)
    with pytest.raises(UsageError, match="as many candidates"):
        random_matching(6, 5)
