"""Pattern counts equal their twin, whatever the rows hold and in whatever order they come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.patterns as naive
from unveil.engines.local.patterns import pattern_counts

HUGE = 2**63 - 1
alphabets = st.sampled_from(
    [[0], [-1], [0, 1], [-1, 0], [-1, 0, 1, 2], list(range(9)), [-1, 5, HUGE - 1, HUGE], [0, HUGE]]
)
seeds = st.integers(0, 2**32 - 1)


def _draw(seed, alphabet, n):
    random = np.random.default_rng(seed)
    columns = [random.choice(np.array(letters), n) for letters in alphabet]
    return np.stack(columns, axis=1) if columns else np.empty((n, 0), int)


@st.composite
def pairs_of_files(draw, most_attributes=7, most_records=60):
    """Two files, each attribute with an alphabet of its own; often with repeated rows."""
    alphabet = draw(st.lists(alphabets, min_size=1, max_size=most_attributes))
    return tuple(_draw(draw(seeds), alphabet, draw(st.integers(0, most_records))) for _ in range(2))


@given(pairs_of_files(), st.sampled_from([1, 2]))
def test_counts_equal_their_twin(files, threads):
    counts = pattern_counts(*files, threads=threads)
    assert counts.tolist() == naive.pattern_counts(*files).tolist()
    assert counts.sum() == len(files[0]) * len(files[1])


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.tuples(
            *2 * [st.lists(st.tuples(*d * [st.integers(-1, 2)]), min_size=1, max_size=6)]
        )
    )
)
def test_few_records_equal_their_twin(files):
    """Cell by cell, so that a counterexample is small."""
    a, b = np.array(files[0]), np.array(files[1])
    assert pattern_counts(a, b).tolist() == naive.pattern_counts(a, b).tolist()


@given(seeds, st.lists(st.integers(1, 40), min_size=2, max_size=9), st.floats(0, 0.5))
def test_enough_records_to_divide_and_to_merge_equal_their_twin(seed, sizes, missing):
    random = np.random.default_rng(seed)
    a, b = (random.integers(0, sizes, (n, len(sizes))) for n in (400, 300))
    a[random.random(a.shape) < missing] = -1
    b[random.random(b.shape) < missing / 2] = -1
    assert pattern_counts(a, b).tolist() == naive.pattern_counts(a, b).tolist()


@given(seeds, st.integers(200, 400))
def test_more_combinations_than_64_bits_equal_their_twin(seed, size):
    random = np.random.default_rng(seed)
    rows = random.integers(0, size, (300, 10))
    a, b = rows[random.integers(0, 300, 400)], rows[random.integers(0, 300, 400)]
    a[:, :2] = random.integers(0, 3, (400, 2))
    assert pattern_counts(a, b).tolist() == naive.pattern_counts(a, b).tolist()


@given(pairs_of_files(), seeds)
def test_the_order_of_rows_means_nothing(files, seed):
    a, b = files
    random = np.random.default_rng(seed)
    shuffled = pattern_counts(random.permutation(a), random.permutation(b))
    assert shuffled.tolist() == pattern_counts(a, b).tolist()


@given(pairs_of_files())
def test_the_files_change_places(files):
    assert pattern_counts(*files).tolist() == pattern_counts(*files[::-1]).tolist()


@given(pairs_of_files(), seeds)
def test_attributes_change_places_with_their_bits(files, seed):
    a, b = files
    order = np.random.default_rng(seed).permutation(a.shape[1])
    patterns = np.arange(1 << a.shape[1])
    moved = sum((patterns >> old & 1) << new for new, old in enumerate(order))
    assert pattern_counts(a[:, order], b[:, order])[moved].tolist() == pattern_counts(a, b).tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_repeated_rows_count_as_often_as_they_occur(threads):
    a, b = np.array([[0, 1], [1, -1]]), np.array([[0, 1], [1, 1]])
    once = naive.pattern_counts(a, b)
    many = pattern_counts(
        np.repeat(a, 70_000, axis=0), np.repeat(b, 80_000, axis=0), threads=threads
    )
    assert many.tolist() == (once * 70_000 * 80_000).tolist()
