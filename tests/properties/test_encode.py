"""Encoding keeps order, ties and what is missing, whatever the order of the rows."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.encode as naive
import unveil
from strategies.tables import cell_text, finite, whole
from unveil.table.columns import labels_of
from unveil.table.encoding.to_arrays import codes, numbers, scale_of, standardise, tied_blocks

few = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e300])
columns = st.lists(st.none() | few, min_size=1, max_size=30) | st.lists(
    st.none() | finite, min_size=1, max_size=30
)


def _numbers(cells):
    return numbers(unveil.Microdata(pl.DataFrame({"x": pl.Series(cells, dtype=pl.Float64)})), ["x"])


@given(columns)
def test_numbers_keep_values_and_gaps(cells):
    encoded = _numbers(cells)
    assert encoded.present[:, 0].tolist() == [c is not None for c in cells]
    assert [v for v, p in zip(encoded.values[:, 0], encoded.present[:, 0], strict=True) if p] == [
        c for c in cells if c is not None
    ]


@given(columns)
def test_blocks_and_ranks_equal_their_twin(cells):
    encoded = _numbers(cells)
    values, present = encoded.values[:, 0], encoded.present[:, 0]
    blocks = tied_blocks(values, present)
    expected = naive.blocks(values, present)
    assert list(zip(blocks.first.tolist(), blocks.last.tolist(), strict=True)) == expected
    assert blocks.twice_rank.tolist() == [0 if e < 0 else s + e + 2 for s, e in expected]


@given(st.lists(whole, min_size=1, max_size=30))
def test_ranks_keep_order_and_ties_of_whole_numbers(cells):
    ranks = tied_blocks(np.array(cells)).twice_rank
    for i, a in enumerate(cells):
        for j, b in enumerate(cells):
            assert (a < b) == (ranks[i] < ranks[j])


@given(st.lists(st.none() | cell_text, min_size=1, max_size=20), st.randoms())
def test_codes_keep_categories_and_gaps_in_any_row_order(cells, random):
    def encode(rows):
        frame = pl.DataFrame({"c": pl.Series(rows, dtype=pl.String)})
        return codes(unveil.Microdata(frame, unveil.Schema(nominal="c")), "c")

    encoded = encode(cells)
    back = [None if c < 0 else encoded.categories[c] for c in encoded.codes]
    assert back == cells
    shuffled = random.sample(cells, len(cells))
    assert encode(shuffled).categories == encoded.categories


@given(st.lists(st.integers(-99, 99), min_size=1, max_size=20))
def test_codes_of_numbers_keep_their_order(cells):
    for kind in (pl.Int64, pl.Float64):
        frame = pl.DataFrame({"c": pl.Series(cells, dtype=kind)})
        encoded = codes(unveil.Microdata(frame, unveil.Schema(ordinal=["c"])), "c")
        assert encoded.ordered
        assert [int(encoded.categories[c]) for c in encoded.codes] == cells
        assert [int(c) for c in encoded.categories] == sorted(set(cells))


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=30).filter(lambda c: len(set(c)) > 1)
)
def test_standardised_values_equal_their_twin(cells):
    encoded = _numbers([float(c) for c in cells])
    scale = scale_of(encoded)
    mean, deviation = naive.mean_and_deviation(cells)
    assert scale.mean[0] == pytest.approx(mean, abs=1e-9)
    assert scale.deviation[0] == pytest.approx(deviation)
    done = standardise(encoded, scale).values[:, 0]
    assert done == pytest.approx([(c - mean) / deviation for c in cells], abs=1e-9)


@given(finite.filter(lambda v: abs(v) < 1e100), st.integers(2, 9))
def test_a_constant_column_has_deviation_zero_exactly(value, n):
    assert scale_of(_numbers([value] * n)).deviation[0] == 0


@given(st.lists(st.none() | finite, min_size=1, max_size=9))
def test_labels_tell_numbers_apart(cells):
    labels = labels_of(pl.Series(cells, dtype=pl.Float64)).to_list()
    for a, label_a in zip(cells, labels, strict=True):
        for b, label_b in zip(cells, labels, strict=True):
            assert (a == b) == (label_a == label_b)
