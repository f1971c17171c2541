"""Files that share no attribute, against twins that list every matching and every pair."""

import math
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.no_common_attribute import files_of
from naive import matching as twin
from naive import structural as naive
from strategies.examples import examples
from unveil import Microdata, Schema
from unveil.attacks.structural import soft_matching as soft
from unveil.attacks.structural.alignment import shape_gaps
from unveil.attacks.structural.canonical import CanonicalCorrelations, FeaturePair
from unveil.attacks.structural.null_files import NULL_FILES
from unveil.attacks.structural.search import Structure, StructureSearch
from unveil.attacks.structural.shared_values import SharedValues, compare_values
from unveil.attacks.structural.soft_matching import (
    log_likelihood_ratio,
    match_probabilities,
    partial_match_probabilities,
    prior_log_odds,
    propagate_beliefs,
)
from unveil.matching.posterior import MatchGraph, marginals

seeds = st.integers(0, 2**32)
few = examples(1 / 4)
fewer = examples(1 / 8)
shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))


def drawn(shape, seed, size=1.0):
    return size * np.random.default_rng(seed).standard_normal(shape)


# Posteriors over matchings.


@few
@given(st.tuples(st.integers(1, 12), st.integers(1, 12)), seeds)
def test_scaling_is_that_of_the_engine(shape, seed):
    weights = drawn(shape, seed)
    found = match_probabilities(weights)
    rows, columns = shape
    graph = MatchGraph(
        np.arange(rows + 1) * columns, np.tile(np.arange(columns), rows), -weights.ravel(),
        np.ones(rows, int), np.ones(columns, int),
    )  # fmt: skip
    assert found == pytest.approx(marginals(graph).probability.reshape(shape), abs=2e-3)


@few
@given(st.tuples(st.integers(1, 12), st.integers(1, 12)), seeds, st.sampled_from([0.1, 1, 30, 900]))
def test_everybody_of_the_smaller_file_has_one_partner(shape, seed, size):
    weights = drawn(shape, seed, size)
    found = match_probabilities(weights)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    smaller = int(shape[0] > shape[1])  # of rows and columns
    assert found.sum(1 - smaller) == pytest.approx(1)
    if size <= 1:  # so that scaling has settled
        assert match_probabilities(weights.T) == pytest.approx(found.T, abs=0.01)
        assert (found.sum(smaller) <= 1.01).all()
        if shape[0] == shape[1]:
            assert found.sum(smaller) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("shape", [(5, 5), (4, 6), (6, 4)])
@pytest.mark.parametrize("size", [1, 3])
def test_beliefs_are_nearer_to_the_truth_than_scaling_is(shape, size):
    """Of four or more; where two are matched with two, beliefs decide."""
    gaps = []
    for seed in range(6):
        weights = drawn(shape, seed, size)
        true = naive.chances(weights)
        gaps.append(
            [np.abs(way(weights) - true).mean() for way in (propagate_beliefs, match_probabilities)]
        )
    nearer, scaled = np.mean(gaps, axis=0)
    assert nearer < scaled


@few
@given(shapes, seeds, st.sampled_from([0.0, 0.3, 1, 4, 20]))
def test_the_likelihood_is_bethes_of_the_permanent(shape, seed, size):
    """Gurvits, and Anari and Rezaei: at most the permanent, and at least its 2^(-n/2)th part."""
    weights = drawn(shape, seed, size)
    found = propagate_beliefs(weights)
    gap = naive.free_energy(found, weights) - naive.log_sum(weights)
    room = min(shape) / 2 * math.log(2)
    settled = 0.02 * min(shape)  # to which belief propagation has come
    if shape[0] == shape[1]:
        assert -room - settled <= gap <= settled
    likelihood = log_likelihood_ratio(weights, found)
    assert abs(likelihood - naive.log_mean(weights)) <= max(shape) / 2 * math.log(2) + settled
    assert ((found >= 0) & (found <= 1)).all()
    assert log_likelihood_ratio(weights.T, found.T) == pytest.approx(likelihood)


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 9), (60, 40)])
def test_where_nothing_speaks_for_any_pair_the_likelihood_is_1(shape):
    weights = np.zeros(shape)
    for found in (match_probabilities(weights), propagate_beliefs(weights)):
        assert found == pytest.approx(np.full(shape, 1 / max(shape)))
        assert log_likelihood_ratio(weights, found) == pytest.approx(0, abs=1e-9)


@few
@given(seeds, st.integers(1, 7), st.integers(1, 7), st.floats(0.1, 0.9))
def test_who_is_in_no_pair_is_alone(seed, rows, columns, share):
    """Pairs and those who are alone make up everybody, and a pair is as likely as both alone."""
    weights = 2 * np.random.default_rng(seed).standard_normal((rows, columns))
    pairs = share * min(rows, columns)
    with patch.multiple(soft, SCALING_TOLERANCE=1e-9, PARTIAL_SCALINGS=20_000):  # to the end
        chance = partial_match_probabilities(weights, pairs)
    alone = 1 - chance.sum(1), 1 - chance.sum(0)
    assert min(one.min() for one in alone) > 0
    ratio = np.log(chance) - np.log(alone[0])[:, None] - np.log(alone[1])
    assert ratio == pytest.approx(weights + prior_log_odds(pairs, rows, columns), abs=1e-4)
    for some in (
        partial_match_probabilities(weights, pairs),
        partial_match_probabilities(weights.T, pairs).T,
    ):
        assert some == pytest.approx(chance, abs=0.01)


# What speaks for a pair.


@fewer
@given(seeds, st.integers(2, 6), st.integers(2, 6))
def test_weights_are_log_ratios_of_normal_densities(seed, n, m):
    rng = np.random.default_rng(seed)
    mine, released = rng.standard_normal((n, 3)), rng.standard_normal((m, 2))
    part = CanonicalCorrelations(FeaturePair.of(mine, released), 0.99)
    part.sizes = rng.uniform(0.02, 0.995, 2)
    part.directions = rng.standard_normal((3, 2)), rng.standard_normal((2, 2))
    expected = naive.normal_ratio(mine, released, part.sizes, part.directions)
    assert part.weights() == pytest.approx(expected, rel=1e-9, abs=1e-9)


cells = st.sampled_from([None, None, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
columns = st.lists(cells, min_size=1, max_size=20).filter(any)


@few
@given(columns, columns, st.booleans())
def test_copies_are_weighed_by_how_often_a_value_is_released(mine, released, text):
    if text:
        mine, released = ([None if c is None else f"x{c}" for c in own] for own in (mine, released))
    schema = Schema(nominal=["a"]), Schema(nominal=["b"])
    both = [
        Microdata(pl.DataFrame({name: own}), kind if text else None)
        for name, own, kind in zip("ab", (mine, released), schema, strict=True)
    ]
    copy = compare_values(*both, "a", "b")
    rare, chance, surprise = naive.copied(mine, released)
    assert (copy.rare, copy.copied, copy.surprise) == pytest.approx((rare, chance, surprise))
    expected = naive.copy_ratio(mine, released, chance, rare)
    assert copy.weights() == pytest.approx(expected)
    for i, j in np.ndindex(expected.shape):
        same = mine[i] == released[j] and mine[i] is not None
        assert same == (copy.codes[0][i] == copy.codes[1][j] >= 0)


# The exact search, which never holds every pair, by what a structure says of one.


def some_files(seed, n, m):
    """Numbers, some missing, most of them unlike any other; and some that are found again."""
    rng = np.random.default_rng(seed)
    own = {}
    for letter, size in (("a", n), ("b", m)):
        values = rng.standard_normal((size, 3)) @ rng.standard_normal((3, 3))
        often = rng.choice(12, size, p=np.array([8, 4, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1]) / 28)
        fine = rng.integers(0, 3 * max(n, m), size)
        both = np.column_stack([values, often, fine])
        both[rng.random(both.shape) < rng.choice([0.0, 0.2])] = np.nan
        both[:2] = [[0.0] * 5, [1.0] * 5]
        names = [f"{letter}{place}" for place in range(5)]
        own[letter] = Microdata(pl.DataFrame(both, schema=names, nan_to_null=True))
    return own["a"], own["b"]


def some_structure(apart, seed, parts):
    """Any one; the rows of its records by what they hold."""
    rng = np.random.default_rng(seed)
    correlations = copies = None
    if "correlations" in parts:
        correlations = CanonicalCorrelations(apart._pair, 0.999)
        shape = len(apart.reference), len(apart.released)
        correlations.fit(match_probabilities(3 * rng.standard_normal(shape)))
    if "copies" in parts:
        files = apart.files
        pairs = [("a3", "b3"), ("a4", "b4"), ("a0", "b0")]
        found = [compare_values(files.reference, files.release, *pair) for pair in pairs]
        copies = SharedValues(tuple(found)).take(apart.reference.order, apart.released.order)
    return Structure(correlations, copies)


@few
@given(
    seeds,
    st.integers(10, 30),
    st.integers(10, 30),
    st.sampled_from([("correlations",), ("copies",), ("correlations", "copies")]),
    st.booleans(),
)
def test_the_search_costs_what_a_structure_says_of_each_pair(seed, n, m, parts, reverse):
    mine, release = some_files(seed, n, m)
    apart = StructureSearch.of(files_of(mine, release, reverse=reverse), 0)
    structure = some_structure(apart, seed, parts)
    costs = twin.every_pair(apart.linkage(structure, {}))
    weights = np.empty((n, m))
    weights[np.ix_(apart.reference.order, apart.released.order)] = structure.weights
    total = costs + (weights.T if reverse else weights)  # what a record itself costs is left out
    assert total == pytest.approx(np.repeat(total[:, :1], total.shape[1], axis=1), abs=1e-8)
    expected = np.zeros((n, m))
    if structure.correlations is not None:
        found = structure.correlations
        expected += naive.normal_ratio(*apart.scores, found.sizes, found.directions)
    for copy in structure.shared:
        both = mine.column(copy.intruder).to_list(), release.column(copy.released).to_list()
        expected += naive.copy_ratio(*both, copy.copied, copy.rare)
    assert weights == pytest.approx(expected, abs=1e-8)


@fewer
@given(seeds)
def test_strangers_are_searched_by_what_was_learnt_of_the_people(seed):
    """Ranks, directions, and how often values are copied, stay: a record costs what it did."""
    people, release = some_files(seed, 24, 20)
    apart = StructureSearch.of(files_of(people, release), 0)
    structure = some_structure(apart, seed, ("correlations", "copies"))
    every = twin.every_pair(apart.linkage(structure, {}))
    rows = np.random.default_rng(seed).permutation(24)[:7]
    others = StructureSearch.of(files_of(people.take(rows), release, people=people), 0)
    more = twin.every_pair(others.linkage(structure, {})) - every[rows]
    assert more == pytest.approx(np.repeat(more[:, :1], 20, axis=1), abs=1e-8)


# The simpler parts.


@few
@given(seeds, st.integers(3, 12), st.booleans())
def test_shapes_differ_as_their_quantiles_do(seed, n, gappy):
    rng = np.random.default_rng(seed)
    mine, released = rng.standard_normal((n, 2)), np.exp(rng.standard_normal((n + 3, 3)))
    if gappy:
        mine[0], released[1, :2] = np.nan, np.nan
    same, turned = shape_gaps(mine, released)
    for i, j in np.ndindex(same.shape):
        assert same[i, j] == pytest.approx(naive.shape_gap(mine[:, i], released[:, j]))
        expected = naive.shape_gap(mine[:, i], released[:, j], turned=True)
        assert turned[i, j] == pytest.approx(expected)


@few
@given(st.sampled_from(sorted(NULL_FILES)), seeds, st.integers(10, 25), st.integers(1, 4))
def test_controls_hold_what_the_file_holds(kind, seed, n, wide):
    rng = np.random.default_rng(seed)
    values = np.round(rng.standard_normal((n, wide)), int(rng.integers(0, 3)))
    values[rng.random(values.shape) < 0.2] = np.nan
    found = NULL_FILES[kind](values, np.random.default_rng(seed))
    again = NULL_FILES[kind](values, np.random.default_rng(seed))
    assert np.array_equal(found, again, equal_nan=True)
    for own, other in zip(values.T, found.T, strict=True):
        if kind == "redrawn":
            assert np.array_equal(np.sort(own), np.sort(other), equal_nan=True)
        else:
            assert set(naive.known(other.tolist())) <= set(naive.known(own.tolist()))
