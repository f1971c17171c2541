"""Encoders refuse what they cannot encode."""

import datetime

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.errors import DataError, SchemaError
from unveil.table.encoding.to_arrays import (
    Scale,
    code_numbers,
    codes,
    numbers,
    scale_of,
    spread,
    standardise,
    tied_blocks,
)

DATA = Microdata(pl.DataFrame({"x": [1.0, 2.0, None], "c": [5.0, 5.0, 5.0], "t": ["a", "b", "c"]}))


def test_a_constant_column_is_an_error_that_names_it_or_is_left_out():
    both = numbers(DATA, ["x", "c"])
    with pytest.raises(DataError, match="^c: constant"):
        standardise(both, scale_of(both))
    kept = standardise(both, scale_of(both), constant="drop")
    assert kept.columns == ("x",)
    assert kept.present.tolist() == [[True], [True], [False]]


def test_the_scale_is_stated():
    scale = Scale(("x",), np.array([10.0]), np.array([2.0]))
    assert standardise(numbers(DATA, ["x"]), scale).values[:2, 0].tolist() == [-4.5, -4.0]
    with pytest.raises(DataError, match="other columns: x"):
        standardise(numbers(DATA, ["c"]), scale)


def test_text_is_not_numbers():
    with pytest.raises(SchemaError, match="'t' holds categories"):
        numbers(DATA, ["t"])
    with pytest.raises(SchemaError, match="'x' holds categories"):
        numbers(Microdata(pl.DataFrame({"x": [1, 2]}), Schema(nominal="x")), ["x"])


def test_a_column_without_values_has_no_scale():
    empty = Microdata(pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Float64)}))
    with pytest.raises(DataError, match="'x' is missing in every record"):
        scale_of(numbers(empty, ["x"]))


def test_codes_go_by_the_declared_order_and_by_the_list_given():
    data = Microdata(
        pl.DataFrame({"e": ["mid", "low"]}), Schema(ordinal={"e": ["low", "mid", "top"]})
    )
    assert codes(data, "e").codes.tolist() == [1, 0]
    assert codes(data, "e", ["x", "mid", "low"]).codes.tolist() == [1, 2]
    with pytest.raises(
        SchemaError, match=r"misses a category found in 1 record \(first in row 2\)"
    ):
        codes(data, "e", ["mid"])


@pytest.mark.parametrize("categories", [["a", "a"], [1, 2]])
def test_a_list_of_categories_is_text_none_twice(categories):
    with pytest.raises(SchemaError, match="is text, none twice"):
        codes(DATA, "t", categories)


def test_times_are_seconds():
    frame = pl.DataFrame({"d": [datetime.datetime(1970, 1, 1, 0, 1, 0, 500_000)]})
    assert numbers(Microdata(frame), ["d"]).values[0, 0] == 60.5


def test_only_levels_with_an_order_are_ordered():
    data = Microdata(pl.DataFrame({"a": [1], "b": ["x"]}), Schema(numeric="a", nominal="b"))
    assert codes(data, "a").ordered
    assert not codes(data, "b").ordered


def test_nothing_present_has_no_ranks():
    blocks = tied_blocks(np.array([np.nan]), np.array([False]))
    assert (blocks.first[0], blocks.last[0], blocks.twice_rank[0]) == (0, -1, 0)


def test_missing_codes_and_numbers_are_left_out_of_a_spread():
    assert np.array_equal(code_numbers(np.array([1, -1, 0])), [1.0, np.nan, 0.0], equal_nan=True)
    assert spread(np.array([3.0, 1.0, np.nan, 2.0])) == (2.0, 1.0)
    assert spread(np.array([np.nan])) == (0.0, 0.0)
