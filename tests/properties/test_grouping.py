"""Groups equal those of the twin, whatever the records and however often trees are made anew."""

from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.microaggregation as naive
from unveil.grouping import mdav as grouping
from unveil.grouping import optimal as partition
from unveil.grouping.mdav import Categories, mdav, v_mdav
from unveil.grouping.optimal import optimal_groups

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(
    ["grid", "coarse", "constant", "continuous", "huge", "tiny", "vanishing", "outlier", "shifted"]
)


def _draw(seed, kind, n, width):
    random = np.random.default_rng(seed)
    normal = random.standard_normal((n, width))
    if kind == "outlier":
        normal[random.integers(n)] *= 1e9
    return {
        "grid": random.integers(0, 3, (n, width)).astype(float),
        "coarse": np.round(normal, 1),
        "constant": np.full((n, width), 0.1),
        "huge": normal * 1e150,
        "tiny": normal * 1e-138,  # squares of differences nearly vanish
        "vanishing": normal * 1e-160,
        "shifted": np.round(normal, 1) + 1e8,
    }.get(kind, normal)


@st.composite
def files(draw, most=60):
    """Records and a k for them; often with ties and duplicates."""
    k = draw(st.integers(2, 6))
    n, width = draw(st.integers(k, most)), draw(st.integers(1, 5))
    return _draw(draw(seeds), draw(kinds), n, width), k


def _small(leaf):
    """Deep trees, made anew all the time; a new order of the far rows; many batches."""
    return mock.patch.multiple(grouping, LEAF=leaf, LANES=8, NUMBERS_AT_ONCE=2000, MAX_SCANS=1)


@given(files(), st.sampled_from([1, 3, 32]))
def test_groups_equal_their_twins(given_file, leaf):
    points, k = given_file
    with _small(leaf):
        groups = mdav(points, k)
    assert groups.tolist() == naive.mdav(points, k).tolist()
    assert set(np.bincount(groups)) <= set(range(k, 2 * k))


@st.composite
def mixed_files(draw):
    """The same with two categorical attributes, one ordered, and codes that are missing."""
    points, k = draw(files(most=40))
    random = np.random.default_rng(draw(seeds))
    columns, categories, column = [points], [], points.shape[1]
    for ordered in (False, True):
        count, width = draw(st.integers(1, 5)), draw(st.integers(1, 3))
        places = random.integers(0, 3, (count, width)) * np.abs(points).max()
        codes = random.integers(draw(st.integers(-1, 0)), count, len(points))
        if draw(st.integers(0, 4)) == 0:
            codes[:] = -1
        columns.append(places[codes])
        categories.append(Categories(codes, places, column, ordered))
        column += width
    return np.hstack(columns), k, categories


@given(mixed_files(), st.sampled_from([2, 32]))
def test_groups_with_categories_equal_their_twins(given_file, leaf):
    points, k, categories = given_file
    with _small(leaf):
        groups = mdav(points, k, categories=categories)
    assert groups.tolist() == naive.mdav(points, k, categories).tolist()


gammas = st.sampled_from([0, 0.2, 0.7, 1.0, 1.1, 3.0, 1e9])


@given(files(most=40), gammas, st.sampled_from([1, 3, 32]))
def test_variable_groups_equal_their_twins(given_file, gamma, leaf):
    points, k = given_file
    with _small(leaf):
        groups = v_mdav(points, k, gamma=gamma)
    assert groups.tolist() == naive.v_mdav(points, k, gamma).tolist()
    sizes = np.bincount(groups)
    assert sizes.min() >= k
    assert np.maximum(sizes - (2 * k - 1), 0).sum() < k  # the last that joined, if any


@given(mixed_files(), gammas, st.sampled_from([2, 32]))
def test_variable_groups_with_categories_equal_their_twins(given_file, gamma, leaf):
    points, k, categories = given_file
    with _small(leaf):
        groups = v_mdav(points, k, gamma=gamma, categories=categories)
    assert groups.tolist() == naive.v_mdav(points, k, gamma, categories).tolist()


@given(st.integers(2, 4), st.integers(0, 10), seeds, kinds)
def test_no_partition_is_better_than_the_optimal_one(k, more, seed, kind):
    values = np.sort(_draw(seed, kind, k + more, 1)[:, 0])
    with mock.patch.object(partition, "RUNS_AT_ONCE", 20):
        groups = optimal_groups(values, k)
    assert set(np.diff(groups)) <= {0, 1}
    assert set(np.bincount(groups)) <= set(range(k, 2 * k))
    exact = (values - values[0]) / max(np.ptp(values), 1e-300)  # squares that do not vanish
    runs = [exact[groups == group] for group in range(groups[-1] + 1)]
    within = sum(((run - run.mean()) ** 2).sum() for run in runs)
    assert within == pytest.approx(naive.best_partition(exact, k), rel=1e-9, abs=1e-13)


@given(st.integers(2, 4), st.integers(0, 30), seeds)
def test_an_offset_does_not_change_the_optimal_groups(k, more, seed):
    """Where the values are whole multiples, so that the sum itself is exact."""
    values = np.sort(np.random.default_rng(seed).integers(0, 10**4, k + more)) / 1024
    groups = optimal_groups(values, k)
    for offset in (1e9, -1e9, 2.0**40):
        assert optimal_groups(values + offset, k).tolist() == groups.tolist()


def test_equally_good_partitions_end_with_small_groups():
    assert optimal_groups(np.zeros(7), 2).tolist() == [0, 0, 0, 1, 1, 2, 2]
    for n in (0, 1, 3):
        assert optimal_groups(np.zeros(n), 2).tolist() == [0] * n
    assert optimal_groups(np.array([-1.7e308, 0, 0, 1.7e308]), 2).tolist() == [0, 0, 1, 1]


def test_a_category_may_lie_far_from_every_record():
    points = _draw(5, "continuous", 60, 2)
    far = Categories(np.zeros(60, int), np.full((1, 2), 1e60), 0, ordered=False)
    assert (mdav(points, 3, categories=[far]) == naive.mdav(points, 3, [far])).all()


@pytest.mark.parametrize("kind", ["grid", "coarse", "continuous", "outlier", "constant"])
@pytest.mark.parametrize("width", [1, 4, 15])
def test_thousands_of_records_equal_their_twins(kind, width):
    points = _draw(7, kind, 2000, width)
    assert (mdav(points, 5) == naive.mdav(points, 5)).all()
    some = points[:800]
    assert (v_mdav(some, 5, gamma=1.1) == naive.v_mdav(some, 5, 1.1)).all()


def test_many_attributes_and_records_that_cannot_be_written_to():
    points = _draw(3, "continuous", 300, 200)
    points.flags.writeable = False
    assert (mdav(points, 3) == naive.mdav(points, 3)).all()


def test_more_attributes_than_are_turned_to_their_axes(monkeypatch):
    points = _draw(3, "continuous", 300, 40)
    turned = mdav(points, 3), v_mdav(points, 3, gamma=0.5)
    monkeypatch.setattr(grouping, "MOST_TURNED", 20)
    assert (mdav(points, 3) == turned[0]).all()
    assert (v_mdav(points, 3, gamma=0.5) == turned[1]).all()


def test_records_on_a_line_across_memory():
    points = np.asfortranarray(_draw(3, "coarse", 100, 3))
    assert (mdav(points[::2], 3) == naive.mdav(points[::2], 3)).all()


@pytest.mark.parametrize("n", [2, 5, 6, 8, 9])
def test_few_records_make_few_groups(n):
    """Below 2k one group; below 3k the farthest and its nearest, and the rest."""
    groups = mdav(np.arange(n)[:, None] * 1.0, 3)
    assert np.bincount(groups).tolist() == {2: [2], 5: [5], 6: [3, 3], 8: [3, 5], 9: 3 * [3]}[n]


METHODS = {
    "mdav": mdav,
    "v-mdav": partial(v_mdav, gamma=0.2),
    "optimal": lambda points, k, progress: optimal_groups(
        np.sort(points[:, 0]), k, progress=progress
    ),
}


@pytest.mark.parametrize("method", METHODS)
def test_progress_is_told_and_can_interrupt(method, monkeypatch):
    points, seen, made = _draw(1, "continuous", 500, 3), [], METHODS[method]
    monkeypatch.setattr(partition, "RUNS_AT_ONCE", 100)
    with _small(8):
        made(points, 3, progress=lambda done, total: seen.append((done, total)))
    done = [each for each, _ in seen]
    assert done[0] == 0
    assert done[-1] == 500
    assert done == sorted(done)
    assert len(done) > 10
    assert {total for _, total in seen} == {500}

    def interrupt(done, _):
        if done:
            raise KeyboardInterrupt

    with _small(8), pytest.raises(KeyboardInterrupt):
        made(points, 3, progress=interrupt)
