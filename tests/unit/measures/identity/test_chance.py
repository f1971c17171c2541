"""The laws of chance, against exact fractions and a published table."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from unveil import Intruder, Microdata, Schema, attacks
from unveil.errors import UsageError
from unveil.measures import permutation_law, random_links, random_matching


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


def links_of(cells, truth, *, released=None, **intruder):
    schema = Schema(quasi=list(cells), numeric=list(cells))
    people, rows = (Microdata(pl.DataFrame(file), schema) for file in (cells, released or cells))
    return unveil.attack(
        people, rows, attacks.Distance(), intruder=Intruder(**intruder), truth=truth
    )


def test_permutation_law_is_that_of_random_matching_where_nothing_ties():
    links = links_of({"x": np.arange(6.0) ** 2}, "row-order")
    law = permutation_law([links], draws=20_000)
    exact = random_matching(6, 6)
    for hits in range(7):
        error = 4 * (exact.at_least(hits) / 20_000) ** 0.5 + 1e-4
        assert law.at_least(hits) == pytest.approx(exact.at_least(hits), abs=error)
    assert law.mean == pytest.approx(1, abs=0.04)
    assert repr(law) == "DrawnLaw(20,000 draws)"


def test_permutation_law_with_ties_and_blocks():
    """Two blocks of two twins and one other: every law can be counted out."""
    cells = {"x": np.array([1.0, 1, 5, 1, 1, 5]), "block": np.array([0.0, 0, 0, 1, 1, 1])}
    links = links_of(cells, "row-order", knows=["x"], blocks=["block"])
    law = permutation_law([links], draws=5000)
    # A block's hits: the other is right in 1 of 3, then the twins share 1 hit each: 2, else 0.5.
    worth = Counter()
    for order in product(permutations(range(3)), repeat=2):
        hits = sum((t == 2) if i == 2 else (t < 2) / 2 for one in order for i, t in enumerate(one))
        worth[hits] += 1 / 36
    for least in sorted(worth):
        exact = sum(share for hits, share in worth.items() if hits >= least)
        assert law.at_least(least) == pytest.approx(exact, abs=0.03)


def test_the_best_of_many_attacks_is_held_against_the_law_of_the_best():
    rng = np.random.default_rng(1)
    cells, released = ({name: rng.normal(size=40) for name in "abcdefgh"} for _ in range(2))
    many = [links_of(cells, "row-order", released=released, knows=[name]) for name in cells]
    one, best = permutation_law(many[:1], draws=300), permutation_law(many, draws=300)
    assert best.mean > one.mean + 0.5
    assert (best.hits >= one.hits).all()
    with pytest.raises(UsageError, match="of the same records"):
        permutation_law([many[0], many[1].sample(5)])
    with pytest.raises(UsageError, match="attacks: at least one"):
        permutation_law([])
    with pytest.raises(UsageError, match="draws"):
        permutation_law(many, draws=0)


def test_few_records_draw_their_truth_from_all_candidates():
    links = links_of({"x": np.arange(30.0)}, "row-order", records=[3, 7])
    law = permutation_law([links], draws=4000)
    assert law.mean == pytest.approx(2 / 30, abs=0.02)
    exact = random_matching(2, 30)
    assert law.at_least(1) == pytest.approx(exact.at_least(1), abs=0.02)


def test_a_law_of_very_many_links_takes_no_memory():
    law = random_links(10**9, 10**9)
    assert len(law.probabilities) < 1000
    assert law.probabilities.sum() == pytest.approx(1)
    assert random_links(10**9, 10**6).mean == 1000
    assert random_links(10**9, 10**6).probabilities.sum() == pytest.approx(1)
    with pytest.raises(UsageError, match="hits"):
        law.at_least(float("nan"))


def test_nobody_there_has_no_law():
    links = links_of({"x": np.arange(4.0)}, [-1, -1, -1, -1])
    with pytest.raises(UsageError, match="nothing to draw"):
        permutation_law([links])


def test_no_two_records_of_a_block_are_drawn_the_same_truth():
    from unveil.measures.identity.chance import TruthLottery
    from unveil.values.links import ComparisonBlock

    sizes = [(3, 3), (4, 40), (30, 100), (1, 1), (9, 5)]  # records, candidates
    parts, asking, asked = [], 0, 0
    for records, candidates in sizes:
        rows = np.arange(asked, asked + candidates)
        parts.append(ComparisonBlock(np.arange(asking, asking + records), rows))
        asking, asked = asking + records, asked + candidates
    lots = TruthLottery.of(parts[::-1], asking, np.arange(asked)[::-1])
    rng = np.random.default_rng(1)
    for _ in range(200):
        truth = lots.draw(rng)
        for (records, candidates), part in zip(sizes, parts, strict=True):
            drawn = truth[part.records]
            assert np.isin(drawn, part.candidates).all()
            assert records > candidates or len(set(drawn.tolist())) == records
