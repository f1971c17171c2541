"""The estimators against their definitions, and the choice among them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.super_population as naive
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.errors import DataError, UsageError
from unveil.measures.population import super_population as estimators
from unveil.measures.population.super_population import ClassSizes

HISTOGRAMS = st.fixed_dictionaries(
    {1: st.integers(1, 60), 2: st.integers(1, 30)},
    optional={size: st.integers(1, 9) for size in (3, 4, 7, 20)},
)


def counts_of(histogram, population):
    sizes = sorted(histogram)
    return ClassSizes(np.array(sizes), np.array([histogram[one] for one in sizes]), population)


def people_of(histogram, population):
    """So many people that the fraction is 1 / population."""
    return population * sum(size * classes for size, classes in histogram.items())


def sample(histogram, weight=None):
    """A file with classes of these sizes."""
    keys = [f"{size} {i}" for size, n in histogram.items() for i in range(n) for _ in range(size)]
    schema = {"quasi": ["a"], "nominal": ["a"]}
    if weight is None:
        return Microdata(pl.DataFrame({"a": keys}), Schema(**schema))
    frame = pl.DataFrame({"a": keys, "w": [float(weight)] * len(keys)})
    return Microdata(frame, Schema(**schema, weight="w"))


@examples(1 / 2)
@given(HISTOGRAMS, st.integers(1, 200))
def test_zayatz_is_bayes_rule(histogram, times):
    people = people_of(histogram, times)
    found = estimators.zayatz(counts_of(histogram, people))
    assert found == pytest.approx(naive.zayatz(histogram, people), rel=1e-9)


@examples(1 / 4)
@given(HISTOGRAMS)
def test_no_other_parameters_of_pitman_are_likelier(histogram):
    counts = counts_of(histogram, people_of(histogram, 20))
    found = estimators.pitman_parameters(counts)
    assume(not isinstance(found, str))
    grid = [(a, t) for a in np.linspace(0.0005, 0.995, 30) for t in np.geomspace(0.05, 1e4, 60)]
    best = max(naive.pitman_likelihood(histogram, *at) for at in grid)
    assert naive.pitman_likelihood(histogram, *found) >= best - 1e-3
    expected = naive.pitman_uniques(*found, int(counts.population))
    assert estimators.pitman(counts) == pytest.approx(expected, rel=1e-6)


@examples(1 / 4)
@given(HISTOGRAMS, st.integers(2, 50))
def test_snb_has_the_uniques_and_pairs_of_the_sample(histogram, times):
    counts = counts_of(histogram, people_of(histogram, times))
    classes = estimators.population_classes(counts)
    assert classes == pytest.approx(naive.shlosser(histogram, 1 / times))
    found = estimators.snb(counts)
    assume(not isinstance(found, str))
    share = found / classes  # of classes with one person: b ** a
    parameters = [(a, share ** (1 / a)) for a in np.geomspace(1e-4, 1e4, 4001)]
    near = min(
        abs(naive_uniques / histogram[1] - 1) + abs(naive_pairs / histogram[2] - 1)
        for naive_uniques, naive_pairs in (
            snb_closed(classes, a, b, 1 / times) for a, b in parameters
        )
    )
    assert near < 0.02


def snb_closed(classes, a, b, f):
    x = (1 - f) * (1 - b)
    alike = classes * (b / (1 - x)) ** a
    pairs = f**2 / 2 * a * (1 - b) / (1 - x) ** 2 * (2 - (1 - a) * x)
    return alike * f * (1 + a * x / (1 - x)), alike * pairs


@pytest.mark.parametrize(("a", "b", "f"), [(0.5, 0.05, 0.1), (2.0, 0.3, 0.02), (0.1, 0.5, 0.6)])
def test_the_closed_forms_of_snb_are_sums_over_sizes(a, b, f):
    assert snb_closed(1000, a, b, f) == pytest.approx(naive.snb_sample(1000, a, b, f))


@pytest.mark.parametrize("fraction", [1, 0.6, 0.1, 1e-6])
def test_one_large_class_and_any_fraction(fraction):
    """Pitman's model does not fit: unless the fraction is tiny, it expects too many uniques."""
    found = measures.super_population(sample({1: 40, 2: 9, 3: 2, 30_000: 1}), fraction=fraction)
    for one in found.estimates:
        assert one.reason or 0 <= one.sample_uniques <= 40 * (1 + 1e-9)
    assert (found.chosen == "pitman") == (fraction < 0.001)
    assert found.estimate.sample_uniques is not None


def test_the_choice_by_validity():
    histogram = {1: 120, 2: 30, 3: 12, 5: 6, 9: 2}
    found = measures.super_population(sample(histogram), fraction=0.05)
    assert (found.chosen, found.uniques, found.n) == ("pitman", 120, 264)
    assert found.population == pytest.approx(264 / 0.05)
    by_name = {one.estimator: one for one in found.estimates}
    assert found.estimate == by_name["pitman"]
    assert by_name["benedetti-franconi"].sample_uniques == pytest.approx(6)
    for one in found.estimates:
        assert one.sample_uniques == pytest.approx(one.population_uniques * 0.05)
    half = measures.super_population(sample(histogram), fraction=0.5)
    smaller = min(half.estimates[1:3], key=lambda one: one.population_uniques)
    assert half.chosen == smaller.estimator
    assert "the smaller" in half.reason


def test_what_has_no_estimate_is_said_with_the_fallback():
    unique = measures.super_population(sample({1: 50}), fraction=0.05)
    assert unique.chosen == "zayatz"
    assert "every record of the sample is unique" in unique.reason
    assert unique.estimate.sample_uniques == pytest.approx(50)
    pairless = measures.super_population(sample({1: 50, 3: 2}), fraction=0.5)
    assert pairless.chosen == "zayatz"
    assert "exactly twice" in pairless.reason
    snb = next(one for one in pairless.estimates if one.estimator == "snb")
    assert (snb.population_uniques, snb.sample_uniques) == (None, None)
    nobody = measures.super_population(sample({2: 10}), fraction=0.05)
    assert nobody.estimate.population_uniques == 0
    whole = measures.super_population(sample({1: 9, 2: 5}), fraction=1)
    assert whole.estimate.population_uniques == pytest.approx(9)


def test_the_weights_tell_the_fraction():
    data = sample({1: 20, 2: 9, 4: 3}, weight=25)
    found, given_it = measures.super_population(data), sample({1: 20, 2: 9, 4: 3})
    assert found.sampling_fraction == pytest.approx(0.04)
    again = measures.super_population(given_it, fraction=0.04)
    for own, other in zip(found.estimates, again.estimates, strict=True):
        assert own.sample_uniques == pytest.approx(other.sample_uniques)
    order = np.random.default_rng(1).permutation(len(data))
    assert measures.super_population(data.take(order)) == found


def test_what_is_refused():
    data = sample({1: 20, 2: 9})
    with pytest.raises(UsageError, match="no column has the role weight; give the sampling"):
        measures.super_population(data)
    for fraction in (0, 1.2, -1, True, "a tenth"):
        with pytest.raises(UsageError, match="above 0 and at most 1"):
            measures.super_population(data, fraction=fraction)
    with pytest.raises(DataError, match="below 1 in 38 records"):
        measures.super_population(sample({1: 20, 2: 9}, weight=0.5))
    with pytest.raises(UsageError, match="at least one"):
        measures.super_population(data, ["a", "a"], fraction=0.1)
    numbers = Microdata(pl.DataFrame({"x": range(101)}), Schema(quasi="x", numeric="x"))
    with pytest.raises(UsageError, match="numeric with 101 values.*GlobalRecoding"):
        measures.super_population(numbers, fraction=0.1)
