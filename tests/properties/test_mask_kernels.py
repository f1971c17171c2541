"""Swapping and centres equal their slow twins."""

import math
from collections import Counter
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import centres as naive_centres
from naive import swapping as naive
from unveil.masks import swapping
from unveil.masks.centres import group_means, group_medians, group_modes
from unveil.masks.kernels.swapping import permute_within, swap_by_steps, swap_within
from unveil.masks.microaggregation.individual_ranking import groups_of_k
from unveil.masks.microaggregation.mask import merge_small_groups


@given(st.integers(1, 60), st.integers(0, 80), st.integers(0, 2**32), st.booleans())
def test_partners_within_windows(n, most, seed, fixed):
    rng = np.random.default_rng(seed)
    windows = np.full(n, most) if fixed else rng.integers(0, most + 1, n)
    uniforms, partner = rng.random(n), np.arange(n)
    swap_within(windows, uniforms, partner, np.zeros(n + 1, np.int64))
    assert partner.tolist() == naive.swap_within(windows.tolist(), uniforms.tolist())
    assert (partner[partner] == np.arange(n)).all()
    assert (np.abs(partner - np.arange(n)) <= np.maximum(windows, windows[partner])).all()


@given(st.integers(1, 60), st.integers(0, 80), st.integers(0, 2**32))
def test_a_permutation_within_a_window(n, window, seed):
    rng = np.random.default_rng(seed)
    source, expected = np.arange(n), list(range(n))
    for _ in range(3):
        uniforms = rng.random(n)
        permute_within(window, uniforms, source)
        expected = naive.permute_within(window, uniforms.tolist(), expected)
    assert source.tolist() == expected
    assert sorted(expected) == list(range(n))
    assert (np.abs(source - np.arange(n)) <= window).all()


def test_all_permutations_within_a_window_are_equally_likely():
    """Of 4 places and a window of 2 there are 14."""
    drawn = Counter(
        tuple(swapping.permutation_within(4, 2, np.random.default_rng(seed)).tolist())
        for seed in range(7000)
    )
    within = [
        one
        for one in permutations(range(4))
        if all(abs(k - place) <= 2 for place, k in enumerate(one))
    ]
    assert set(drawn) == set(within)
    assert len(within) == 14
    expected = 7000 / 14
    assert sum((drawn[one] - expected) ** 2 / expected for one in within) < 34.5  # 1 in 1,000


@given(st.integers(1, 60), st.floats(0, 30), st.integers(1, 20), st.integers(0, 2**32))
def test_partners_by_steps_drawn_in_batches(n, half, batch, seed):
    def all_steps():
        rng = np.random.default_rng(seed)
        while True:
            yield from np.rint(rng.normal(half, half, 7))

    expected = naive.swap_by(n, all_steps(), tries=9)
    source, state = all_steps(), np.zeros(2, np.int64)
    partner, settled = np.arange(n), np.zeros(n, np.bool_)
    while not swap_by_steps(np.array([*islice(source, batch)]), state, 9, partner, settled):
        pass
    assert partner.tolist() == expected


def test_the_drawn_steps_are_used_in_order(monkeypatch):
    """However large the batches, the same steps give the same pairs."""
    pairs = []
    for batch in (5, 1000):
        monkeypatch.setattr(swapping, "STEP_BATCH", batch)
        pairs.append(swapping.partners_by_steps(200, 10.0, np.random.default_rng(3)))
    assert (pairs[0] == pairs[1]).all()


cells = st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 4)), min_size=1)


@given(cells)
def test_centres_of_groups(rows):
    groups = np.array([group for group, _ in rows])
    values = [value for _, value in rows]
    numbers = np.array([math.nan if value is None else value / 10 for value in values])
    coded = np.array([-1 if value is None else value for value in values], np.int32)
    expected = naive_centres.centre(
        [None if value is None else value / 10 for value in values],
        groups.tolist(),
        naive_centres.mean,
    )
    found = group_means(numbers, groups)
    assert found == pytest.approx([math.nan if x is None else x for x in expected], nan_ok=True)
    for ours, twin in ((group_medians, naive_centres.median), (group_modes, naive_centres.mode)):
        expected = naive_centres.centre(values, groups.tolist(), twin)
        assert ours(coded, groups).tolist() == [-1 if x is None else x for x in expected]


@given(st.lists(st.floats(0.1, 0.2), min_size=2, max_size=9))
def test_a_mean_lies_among_its_values_and_is_one_number(values):
    found = group_means(np.array(values), np.zeros(len(values), np.int64))
    assert len(set(found.tolist())) == 1
    assert min(values) <= found[0] <= max(values)


@given(st.integers(2, 9), st.integers(0, 60))
def test_fixed_groups_have_k_to_2k_members(k, more):
    groups = groups_of_k(k + more, k)
    sizes = np.bincount(groups)
    assert (np.diff(groups) >= 0).all()
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k


@given(cells, st.integers(2, 5))
def test_every_centre_is_of_at_least_k_known_values(rows, k):
    groups = np.array([group for group, _ in rows])
    keys = np.array([math.nan if value is None else float(value) for _, value in rows])
    known = ~np.isnan(keys)
    if known.sum() < k:
        return
    joined = merge_small_groups(groups, keys, k)
    sizes = np.bincount(joined[known])
    assert (sizes[sizes > 0] >= k).all()
    for group in np.unique(groups[known]):  # whoever was together stays together
        assert len(set(joined[known & (groups == group)])) == 1
    full = np.bincount(groups[known])
    if (full[full > 0] >= k).all():
        assert (joined == groups).all()
