"""Probabilistic linkage equals its slow twin, and EM never loses likelihood."""

import json
import math
from contextlib import contextmanager
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

import unveil
from naive import linkage as naive
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.attacks.probabilistic.fellegi_sunter import (
    EstimationRules,
    decreasing_ratios,
    estimate,
    initial_model,
)
from unveil.attacks.probabilistic.level_counts import (
    count_equal,
    count_levels,
    count_pairs,
    level_totals,
)
from unveil.attacks.probabilistic.pair_counts import level_shares
from unveil.engines.select import engine
from unveil.values.links import ComparisonBlock

seeds = st.integers(0, 2**32)


def two_files(rng, *, equality=False):
    """Numbers full of ties, some of them missing, and the tolerances of their levels."""
    n, other, width = rng.integers(1, 12), rng.integers(1, 12), rng.integers(1, 5)
    files = [rng.integers(0, 6, size=(rows, width)) / 2 for rows in (n, other)]
    gone = rng.choice([0.0, 0.0, 0.2])
    files = [np.where(rng.random(file.shape) < gone, np.nan, file) for file in files]
    options = [(0.0,)] if equality else [(0.0,), (0.5,), (0.0, 0.5, 1.0), (0.5, 2.0), (9.0,)]
    ends = [options[rng.integers(len(options))] for _ in range(width)]
    return *files, ends


def everybody(a, b):
    return [ComparisonBlock(np.arange(len(a)), np.arange(len(b)))]


def as_counts(patterns):
    """Each pattern's levels, and how many pairs have it."""
    slots = np.concatenate(
        [
            np.array(np.unravel_index(codes, shape))
            for codes, shape in zip(patterns.codes, patterns.shapes, strict=True)
        ]
    )
    rows = [tuple(row) for row in (slots.T - 1).tolist()]
    assert len(set(rows)) == len(rows)
    return dict(zip(rows, patterns.counts.tolist(), strict=True))


@contextmanager
def small(at_once, dense, part, largest):
    """Little room, so that a few pairs take every way."""
    with (
        mock.patch("unveil.attacks.probabilistic.level_counts.PAIRS_AT_ONCE", at_once),
        mock.patch("unveil.attacks.probabilistic.level_patterns.DENSE_PATTERNS", dense),
        mock.patch("unveil.attacks.probabilistic.level_patterns.CODES_PER_PART", part),
        mock.patch("unveil.attacks.probabilistic.level_patterns.LARGEST_KEY", largest),
    ):
        yield


room = st.tuples(
    st.sampled_from([1, 7, 10**6]),
    st.sampled_from([0, 10**6]),
    st.sampled_from([1, 30]),
    st.sampled_from([40, 2**62]),
)


@examples(2)
@given(seeds, room)
def test_patterns_are_those_of_every_pair(seed, sizes):
    rng = np.random.default_rng(seed)
    a, b, ends = two_files(rng)
    pairs = naive.levels(a, b, ends)
    expected = {}
    for pair in pairs.tolist():
        expected[tuple(pair)] = expected.get(tuple(pair), 0) + 1
    with small(*sizes):
        found = count_levels(a, b, ends, everybody(a, b))
        rows = np.argwhere(np.ones((len(a), len(b))))
        listed = count_pairs(a, b, ends, rows, np.ones(len(rows)))
    assert as_counts(found) == as_counts(listed) == expected
    assert found.pairs == len(pairs)
    many = [len(own) + 1 for own in ends]
    totals = np.concatenate(naive.share_of_levels(pairs, np.ones(len(pairs)), many))
    assert found.totals().tolist() == totals.tolist()
    assert level_totals(a, b, ends, everybody(a, b)).tolist() == totals.tolist()


@examples(1)
@given(seeds)
def test_equality_is_counted_without_comparing(seed):
    rng = np.random.default_rng(seed)
    a, b, ends = two_files(rng, equality=True)
    blocks = rng.integers(0, 3, len(a)), rng.integers(0, 3, len(b))
    parts = [ComparisonBlock(*(np.flatnonzero(of == block) for of in blocks)) for block in range(3)]
    by_comparing = count_levels(a, b, ends, parts)
    assert as_counts(count_equal(a, b, blocks, engine())) == as_counts(by_comparing)
    totals = level_totals(a, b, ends, parts)
    assert totals.tolist() == by_comparing.totals().tolist()


@examples(1)
@given(seeds, st.integers(1, 7))
def test_pooling_is_isotonic_regression(seed, n):
    rng = np.random.default_rng(seed)
    above, below = rng.integers(0, 5, n) * 1.0, rng.integers(1, 5, n) * 1.0
    expected = isotonic_regression(above / below, weights=below, increasing=False).x
    assert decreasing_ratios(above, below) == pytest.approx(expected, abs=1e-12)


rules = st.builds(
    EstimationRules,
    constrained=st.booleans(),
    estimate_prior=st.booleans(),
    estimate_u=st.booleans(),
    smoothing=st.sampled_from([0.0, 0.5, 3.0]),
    iterations=st.sampled_from([0, 1, 4]),
    tolerance=st.just(1e-300),
)


def masked_a_little(rng):
    """Two files of the same people, all levels of all attributes among their pairs."""
    while True:
        n, width = rng.integers(5, 14), rng.integers(1, 4)
        a = rng.integers(0, 4, size=(n, width)) * 1.0
        b = np.where(rng.random(a.shape) < 0.3, rng.integers(0, 4, size=a.shape), a)
        b = np.where(rng.random(b.shape) < 0.1, np.nan, b)
        ends = [[(0.0,), (0.0, 1.0), (0.0, 1.0, 2.0)][rng.integers(3)] for _ in range(width)]
        patterns = count_levels(a, b, ends, everybody(a, b))
        if (patterns.totals() > 0).all():
            return a, b, ends, patterns


@examples(1)
@given(seeds, rules)
def test_em_is_that_of_every_pair(seed, rules):
    a, b, ends, patterns = masked_a_little(np.random.default_rng(seed))
    spread = level_shares(patterns.totals(), patterns.first)
    start = initial_model(spread, patterns.first, 1 / len(a), constrained=rules.constrained)
    model = estimate(patterns, spread, 1 / len(a), rules)
    m, u, prior, path = naive.em(
        naive.levels(a, b, ends),
        start.by_attribute(start.m),
        start.by_attribute(spread),
        1 / len(a),
        len(model.path) - 1,
        smoothing=rules.smoothing,
        constrained=rules.constrained,
        estimate_u=rules.estimate_u,
        estimate_prior=rules.estimate_prior,
    )
    assert model.m == pytest.approx(np.concatenate(m), abs=1e-9)
    assert model.u == pytest.approx(np.concatenate(u), abs=1e-9)
    assert model.prior == pytest.approx(prior, abs=1e-9)
    assert model.path == pytest.approx(path, rel=1e-9, abs=1e-9)


@examples(2)
@given(seeds, rules, st.sampled_from([1e-6, 0.01, 0.4]))
def test_the_likelihood_never_falls_and_the_order_is_kept(seed, rules, prior):
    rng = np.random.default_rng(seed)
    a, b, ends = two_files(rng)
    patterns = count_levels(a, b, ends, everybody(a, b))
    spread = level_shares(patterns.totals(), patterns.first)
    long = EstimationRules(**{**vars(rules), "iterations": 60, "tolerance": 1e-9})
    model = estimate(patterns, spread, prior, long)
    assert (np.diff(model.path) >= -1e-10 * (1 + abs(model.path[0]))).all()
    assert model.converged or len(model.path) == 61
    for m, u, weights in zip(
        *map(model.by_attribute, (model.m, model.u, model.weights())), strict=True
    ):
        assert m.sum() == pytest.approx(1)
        assert u.sum() == pytest.approx(1)
        assert np.isfinite(weights).all()
        if long.constrained:
            assert (np.diff(weights) <= 1e-9).all()


SCHEMA = Schema(quasi=["x", "g", "c"], numeric="x", ordinal={"g": list("pqrs")}, nominal="c")


def people(rng, n, gone=0.1):
    """Two files of the same people."""
    x, g, c = rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.integers(0, 3, n)
    changed = rng.random(n) < 0.3
    files = (
        (x, g, c),
        (
            (x + 0.2 * rng.normal(size=n)).round(2),
            np.where(changed, rng.integers(0, 4, n), g),
            np.where(changed, rng.integers(0, 3, n), c),
        ),
    )
    tables = []
    for x, g, c in files:
        holes = [pl.Series(rng.random(n) < gone) for _ in range(3)]
        columns = [
            pl.Series("x", x),
            pl.Series("g", [list("pqrs")[code] for code in g]),
            pl.Series("c", [list("abc")[code] for code in c]),
        ]
        table = [column.set(hole, None) for column, hole in zip(columns, holes, strict=True)]
        tables.append(Microdata(pl.DataFrame(table), SCHEMA))
    return tables


@examples(0.5)
@given(seeds, st.booleans(), st.booleans(), st.booleans())
def test_a_pair_costs_what_its_levels_lack_of_the_most_that_they_could_weigh(
    seed, prorated, of_range, back
):
    mine, released = people(np.random.default_rng(seed), 12)
    ends, agreement = {"x": (0.25, 1.0), "g": (0, 1)}, None
    knots = [0.0, 1.0, 2.0]  # the first level at no gap, the last at twice the last tolerance
    if of_range:
        both = np.concatenate([_numbers(data.column("x")) for data in (mine, released)])
        span, agreement = np.nanmax(both) - np.nanmin(both), 0.1
        del ends["x"]
        knots = [0.0, span]
    direction = "release-to-original" if back else "original-to-release"
    links = unveil.attack(
        mine,
        released,
        attacks.Probabilistic(tolerances=ends, agreement=agreement, prorated=prorated),
        intruder=Intruder(direction=direction),
    )
    ends |= {"x": (0.1 * span,)} if of_range else {}
    weights = [
        [level["match_weight"] * math.log(2) for level in one["comparison_levels"]]
        for one in links.finder.details["comparisons"]
    ]
    scores = np.zeros((12, 12))
    for j, name in enumerate(links.finder.columns):
        a, b = (_numbers(data.column(name)) for data in (mine, released))
        gaps = np.abs(a[:, None] - b)
        if name == "x" and prorated:
            weight = np.interp(gaps, knots, weights[j])
        else:
            weight = np.array(weights[j])[np.searchsorted(ends.get(name, (0,)), gaps)]
        scores += max(weights[j]) - np.where(np.isnan(gaps), 0.0, weight)
    scores = scores.T if back else scores
    assert links.score == pytest.approx(scores.min(axis=1), abs=1e-4)  # ties go by closeness


def _numbers(column):
    return np.array(
        [
            np.nan if cell is None else cell if column.name == "x" else float("abcpqrs".index(cell))
            for cell in column
        ]
    )


ways = st.sampled_from(["all", "sample", "blocks", "gappy"])


@examples(0.2)
@given(seeds, ways, st.booleans())
def test_the_order_of_the_rows_means_nothing(seed, way, back):
    rng = np.random.default_rng(seed)
    mine, released = people(rng, 30, 0.1 if way == "gappy" else 0.0)
    one, two = rng.permutation(30), rng.permutation(30)
    with (
        mock.patch(
            "unveil.attacks.probabilistic.pair_counts.MOST_PAIRS", 10**8 if way == "all" else 0
        ),
        mock.patch("unveil.attacks.probabilistic.pair_counts.SAMPLED_NEAREST", 4),
        mock.patch("unveil.attacks.probabilistic.pair_counts.SAMPLED_OTHERS", 5),
    ):
        found = [
            unveil.attack(
                a,
                b,
                attacks.Probabilistic(sampled=12, p_link_unmatched=1e-6, p_nonlink_matched=1e-6),
                intruder=Intruder(
                    blocks=["c"] if way in ("blocks", "gappy") else [],
                    direction="release-to-original" if back else "original-to-release",
                ),
                truth=truth,
            )
            for a, b, truth in (
                (mine, released, np.arange(30)),
                (mine.take(one), released.take(two), np.argsort(one)[two]),
            )
        ]
    before, after = (json.dumps(links.finder.details) for links in found)
    assert before == after
    assert measures.risk(found[0]).expected == pytest.approx(measures.risk(found[1]).expected)


@examples(0.3)
@given(seeds)
def test_a_sample_of_all_records_says_what_all_pairs_say(seed):
    """With as many candidates as there are, the sample is all pairs, each counted once."""
    mine, released = people(np.random.default_rng(seed), 25)
    told = []
    for most in (10**8, 0):
        with mock.patch("unveil.attacks.probabilistic.pair_counts.MOST_PAIRS", most):
            links = unveil.attack(mine, released, attacks.Probabilistic())
            told.append(links.finder.details)
    assert told[0]["counted"] == "all 625 pairs"
    assert told[1]["counted"] == "a sample of 625 of 625 pairs"
    for one, other in zip(*(each["comparisons"] for each in told), strict=True):
        for a, b in zip(one["comparison_levels"], other["comparison_levels"], strict=True):
            assert a["m_probability"] == pytest.approx(b["m_probability"], abs=1e-9)
            assert a["u_probability"] == pytest.approx(b["u_probability"], abs=1e-12)
