"""Models of the population against their naive twins, and what must hold of all of them."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import population_models as naive
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.measures.population.grid import Grid
from unveil.measures.population.key_table import key_table
from unveil.measures.population.log_linear import independence, variance_of
from unveil.measures.population.minimum_error import estimated_errors, given_terms
from unveil.measures.population.posterior import inverse_moments
from unveil.values.release.swap import Swap
from unveil.values.release.swap_steps import step_law

shapes = st.lists(st.integers(2, 4), min_size=2, max_size=3)
seeds = st.integers(0, 2**32)


def sample(shape, seed, most=6):
    """A table in which every cell occurs, so that all models exist."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, most, np.prod(shape))
    keys = np.repeat(np.array(np.unravel_index(np.arange(len(counts)), shape)), counts, axis=1)
    weights = np.full(keys.shape[1], 8.0)
    names = [f"c{axis}" for axis in range(len(shape))]
    return counts.astype(float), key_table(names, Grid(tuple(shape)), list(keys), weights)


def some_terms(axes, seed):
    pairs = list(combinations(range(axes), 2))
    kept = np.random.default_rng(seed).random(len(pairs)) < 0.6
    return [pair for pair, yes in zip(pairs, kept, strict=True) if yes]


@examples(1 / 4)
@given(shapes, seeds)
def test_the_fit_is_that_of_maximum_likelihood(shape, seed):
    counts, table = sample(shape, seed)
    terms = some_terms(len(shape), seed)
    model = given_terms(table, terms).model
    singles = [(axis,) for axis in range(len(shape))]
    expected = naive.poisson_means(shape, [*singles, *terms], counts)
    assert model.fitted == pytest.approx(expected, rel=0.01, abs=0.02)
    for term in model.terms:
        assert table.grid.margin(model.fitted, term) == pytest.approx(
            table.observed(term), abs=0.05
        )


@examples(1 / 4)
@given(shapes, seeds)
def test_the_criterion_is_the_sum_over_all_cells(shape, seed):
    counts, table = sample(shape, seed)
    model = independence(table)
    found = estimated_errors(table, model)
    expected = naive.minimum_errors(counts, model.fitted, 1 / 8)
    assert found.bias == pytest.approx([bias for bias, _ in expected], rel=1e-3, abs=1e-3)
    assert found.error**2 == pytest.approx([square for _, square in expected], rel=1e-3)


@examples(1 / 4)
@given(shapes, seeds)
def test_the_errors_of_the_parameters_are_those_of_the_information(shape, seed):
    _, table = sample(shape, seed)
    terms = some_terms(len(shape), seed)
    model = given_terms(table, terms).model
    gradient = np.random.default_rng(seed).normal(size=len(table.cells))
    singles = [(axis,) for axis in range(len(shape))]
    expected = naive.estimation_variance(shape, [*singles, *terms], model.fitted, gradient)
    found = variance_of(table, model, table.cells, gradient)
    assert found == pytest.approx(expected, rel=0.1)


@given(st.integers(1, 40), st.floats(1e-6, 30))
def test_the_moments_are_sums_over_the_poisson_law(records, unseen):
    found = inverse_moments(np.array([float(records)]), np.array([unseen]))
    assert found.mean[0] == pytest.approx(naive.inverse_moment(records, unseen, 1), rel=1e-9)
    assert found.square[0] == pytest.approx(naive.inverse_moment(records, unseen, 2), rel=1e-9)
    step = 1e-4 * unseen
    ends = [naive.inverse_moment(records, unseen + move, 1) for move in (-step, step)]
    assert found.slope[0] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-4)


@given(st.integers(2, 5), seeds, st.floats(0.001, 0.99))
def test_both_views_of_a_match(keys, seed, fraction):
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 9, keys)
    people[0] += 2
    changes = rng.dirichlet(np.ones(keys), keys)
    found = measures.match_probability(people, changes, fraction)
    expected = naive.match_probability(people, changes, fraction)
    assert found.sample_unique == pytest.approx(expected, rel=1e-9)
    assert found.fellegi_sunter == pytest.approx(naive.fellegi_sunter(people, changes), rel=1e-9)
    rare = measures.match_probability(people, changes, 1e-9)
    assert rare.sample_unique == pytest.approx(rare.fellegi_sunter, rel=1e-6)
    certain = measures.match_probability(people, np.eye(keys), fraction)
    inverse = np.divide(1.0, people, out=np.zeros(keys), where=people > 0)
    assert certain.sample_unique == pytest.approx(inverse)
    assert certain.fellegi_sunter == pytest.approx(inverse)


@examples(1 / 4)
@given(seeds, st.integers(1, 12), st.booleans())
def test_moved_values_are_counted_by_position(seed, window, paired):
    values = np.random.default_rng(seed).integers(0, 4, 30)
    values = np.unique(values, return_inverse=True)[1]
    data = Microdata(pl.DataFrame({"x": values}), Schema(numeric=["x"]))
    size = int(values.max()) + 1
    channel = Swap(("x",), window, paired=paired)
    found = channel.changes(data, data, (values, values), size)
    expected = naive.moved(values, step_law(channel, window), size)
    assert found == pytest.approx(expected, abs=1e-9)


@examples(1 / 4)
@given(seeds, st.integers(2, 4), st.sampled_from([0.02, 0.3, 1.0]))
def test_any_sample_has_estimates_in_order(seed, columns, fraction):
    rng = np.random.default_rng(seed)
    names = [f"c{j}" for j in range(columns)]
    n = int(rng.integers(1, 80))
    frame = pl.DataFrame({name: rng.integers(0, rng.integers(1, 9), n) for name in names})
    data = Microdata(frame, Schema(nominal=names, quasi=names))
    found = measures.population_model(data, fraction=fraction)
    one = found.estimates
    for number in (one.tau1, one.tau2, one.expected_matches):
        assert 0 <= number.low <= number.value <= number.high <= n
    assert one.tau1.value <= one.tau2.value + 1e-9 <= one.expected_matches.value + 1e-6
    assert ((found.risks > 0) & (found.risks <= 1 + 1e-9)).all()
    if fraction == 1:
        assert found.risks == pytest.approx(1 / np.bincount(_classes(frame))[_classes(frame)])
    order = rng.permutation(n)
    mixed = measures.population_model(
        Microdata(frame[order.tolist()], data.schema), fraction=fraction
    )
    assert mixed.estimates == one
    assert (mixed.risks == found.risks[order]).all()


def _classes(frame):
    return np.unique(frame.to_numpy(), axis=0, return_inverse=True)[1].ravel()
