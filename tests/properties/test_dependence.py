"""EM with dependence equals its slow twin, and the linkage that of every pair."""

from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import unveil
from naive import dependence as naive
from naive import linkage
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks
from unveil.attacks.probabilistic.dependent_search import DependentSearch
from unveil.attacks.probabilistic.fellegi_sunter import EstimationRules
from unveil.attacks.probabilistic.level_counts import count_levels
from unveil.attacks.probabilistic.pair_classes import (
    DependentClasses,
    SlotPatterns,
    fit,
    forest,
    tables_of,
)
from unveil.attacks.probabilistic.pair_counts import level_shares
from unveil.errors import SchemaError
from unveil.values.links import ComparisonBlock

seeds = st.integers(0, 2**32)


def masked_a_little(rng):
    """Two files of the same people, some cells missing; all levels are among their pairs."""
    while True:
        n, width = rng.integers(4, 9), rng.integers(2, 5)
        a = rng.integers(0, 4, size=(n, width)) * 1.0
        b = np.where(rng.random(a.shape) < 0.3, rng.integers(0, 4, size=a.shape), a)
        b = np.where(rng.random(b.shape) < 0.1, np.nan, b)
        ends = [[(0.0,), (0.0, 1.0)][rng.integers(2)] for _ in range(width)]
        everybody = [ComparisonBlock(np.arange(n), np.arange(n))]
        patterns = count_levels(a, b, ends, everybody)
        if (patterns.totals() > 0).all():
            return a, b, ends, patterns


def some_classes(rng, levels, n_classes):
    """Random classes of pairs, each with a random forest."""
    classes = []
    for _ in range(n_classes):
        edges = [
            tuple(sorted((j, int(rng.integers(j))))) for j in range(1, len(levels))
            if rng.random() < 0.6
        ]  # fmt: skip
        one = forest(levels, tuple(edges), [rng.dirichlet(np.ones(n)) for n in levels])
        tables = [rng.dirichlet(np.ones(t.shape[1]), len(t)) for t in tables_of(one)]
        one = one._replace(probability=np.concatenate([table.ravel() for table in tables]))
        classes.append(one)
    return DependentClasses(tuple(classes), rng.dirichlet(np.ones(n_classes)))


def as_naive(model):
    return [(one.parent.tolist(), [t.copy() for t in tables_of(one)]) for one in model.classes]


@examples(0.5)
@given(seeds, st.integers(2, 3), st.booleans(), st.booleans(), st.sampled_from([0.5, 2.0]))
def test_em_is_that_of_every_pair(seed, n_classes, constrained, estimate_prior, smoothing):
    rng = np.random.default_rng(seed)
    a, b, ends, counted = masked_a_little(rng)
    patterns = SlotPatterns.decode(counted)
    start = some_classes(rng, patterns.levels, n_classes)
    rules = EstimationRules(
        constrained=constrained, estimate_prior=estimate_prior, smoothing=smoothing,
        iterations=3, tolerance=1e-300,
    )  # fmt: skip
    spread = np.split(level_shares(counted.totals(), counted.first), counted.first[1:-1])
    model = fit(patterns, start, spread, rules)
    pairs = linkage.levels(a, b, ends).tolist()
    many = patterns.levels.tolist()
    classes, shares, path = naive.em(
        pairs, many, as_naive(start), start.shares, spread, 3,
        smoothing=smoothing, constrained=constrained, estimate_prior=estimate_prior,
    )  # fmt: skip
    assert model.path == pytest.approx(path, rel=1e-8)
    assert model.shares == pytest.approx(shares, abs=1e-8)
    for (_, expected), one in zip(classes, model.classes, strict=True):
        for table, own in zip(expected, tables_of(one), strict=True):
            assert own == pytest.approx(table, abs=1e-7)
    weights = [naive.weight(pair, many, as_naive(model), model.shares) for pair in pairs]
    assert model.weigh(np.array(pairs, np.int64).astype(np.uint16) + np.uint16(1)) == pytest.approx(
        np.array(weights), abs=1e-8
    )


@examples(1)
@given(seeds, st.integers(2, 4), st.booleans())
def test_the_likelihood_never_falls(seed, n_classes, constrained):
    rng = np.random.default_rng(seed)
    *_, counted = masked_a_little(rng)
    patterns = SlotPatterns.decode(counted)
    spread = np.split(level_shares(counted.totals(), counted.first), counted.first[1:-1])
    rules = EstimationRules(constrained=constrained, iterations=40, tolerance=1e-9)
    start = fit(patterns, some_classes(rng, patterns.levels, n_classes), spread,
                EstimationRules(constrained=constrained, iterations=1))  # fmt: skip
    path = fit(patterns, start, spread, rules).path
    assert (np.diff(path) >= -1e-6 * (1 + abs(path[0]))).all()


SCHEMA = Schema(quasi=["x", "g", "c"], numeric="x", ordinal={"g": list("pqrs")}, nominal="c")


def people(rng, n):
    """Two files of the same people, the attributes of whom depend on each other."""
    g = rng.integers(0, 4, n)
    c = np.where(rng.random(n) < 0.6, g % 3, rng.integers(0, 3, n))
    x = (g + rng.normal(size=n)).round(1)
    files = []
    for noise in (0.0, 0.2):
        changed = rng.random(n) < noise
        columns = [
            pl.Series("x", (x + noise * rng.normal(size=n)).round(2)),
            pl.Series("g", np.array(list("pqrs"))[np.where(changed, rng.integers(0, 4, n), g)]),
            pl.Series("c", np.array(list("abc"))[np.where(changed, rng.integers(0, 3, n), c)]),
        ]
        holes = [pl.Series(rng.random(n) < 0.1) for _ in columns]
        table = [column.set(hole, None) for column, hole in zip(columns, holes, strict=True)]
        files.append(Microdata(pl.DataFrame(table), SCHEMA))
    return files


ways = st.sampled_from(["all", "sample", "blocks"])


@examples(0.2)
@example(0, "sample", "latent", False, False)  # no bound of the unlisted
@given(seeds, ways, st.sampled_from(["log-linear", "latent"]), st.booleans(), st.booleans())
def test_the_search_is_that_of_every_pair(seed, way, dependence, prorated, back):
    """Short lists and few patterns in memory, so that every bound decides."""
    mine, released = people(np.random.default_rng(seed), 15)
    intruder = Intruder(
        blocks=["c"] if way == "blocks" else [],
        direction="release-to-original" if back else "original-to-release",
    )
    spec = attacks.Probabilistic(dependence=dependence, prorated=prorated, iterations=30)
    with (
        mock.patch("unveil.attacks.listed_search.LIST_LENGTHS", (1, 3)),
        mock.patch("unveil.attacks.probabilistic.dependent_search.MOST_POSSIBLE", seed % 2 * 10**6),
        mock.patch(
            "unveil.attacks.probabilistic.pair_counts.MOST_PAIRS", 0 if way == "sample" else 10**8
        ),
    ):
        try:
            links = unveil.attack(mine, released, spec, intruder=intruder, truth=np.arange(15))
        except SchemaError:  # fewer patterns than parameters, or no start is right
            return
        finder, every = links.finder, np.arange(15)
        if not isinstance(finder, DependentSearch):
            assert finder.details["dependence"]["chosen"] == "none"
            return
        costs = finder.costs(np.repeat(every, 15), np.tile(every, 15)).reshape(15, 15)
        if not prorated:
            assert costs == pytest.approx(naive_costs(finder), abs=1e-8)
        tolerance = 1e-9 * np.abs(costs) + 1e-12
        own = costs.diagonal()[:, None]
        with np.errstate(invalid="ignore"):
            tied = (np.abs(costs - own) <= tolerance) | (costs == own)
        known = np.isfinite(own[:, 0])
        closer = ((costs < own) & ~tied).sum(axis=1)
        rank = finder.rank_of_truth(every, every, None, None)
        assert np.array_equal(rank.n_closer[known], closer[known])
        assert np.array_equal(rank.n_tied[known], tied.sum(axis=1)[known] - 1)
        assert np.array_equal(links.n_closer[known] == 0, closer[known] == 0)
        nearest = np.sort(costs, axis=1)[:, :4]
        there = np.isfinite(nearest)
        found = finder.nearest(every, 4, None).scores
        assert found[there] == pytest.approx(nearest[there], abs=1e-8)
        with np.errstate(divide="ignore"):
            expected = np.log(np.exp(-costs).sum(axis=1))
        assert finder.log_totals(every) == pytest.approx(expected, abs=1e-8)


def naive_costs(finder):
    """What each pair lacks of the heaviest pattern's weight; infinite in other blocks."""
    a, b = finder._cells
    ends, first = finder.weights.tolerances
    pairs = linkage.levels(a, b, np.split(ends, first[1:-1])).tolist()
    model = finder.weights.model
    many = model.classes[0].levels.tolist()
    memory = {}
    for pair in pairs:
        if tuple(pair) not in memory:
            memory[tuple(pair)] = naive.weight(pair, many, as_naive(model), model.shares)
    weights = np.array([memory[tuple(pair)] for pair in pairs])
    every = np.arange(len(a))
    compared = finder.compares(np.repeat(every, len(b)), np.tile(np.arange(len(b)), len(a)))
    costs = np.where(compared, finder.weights.greatest - weights, np.inf)
    return costs.reshape(len(a), len(b))
