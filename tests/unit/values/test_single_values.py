"""Ranges, sets and stars as single values."""

import numpy as np
import polars as pl
import pytest

from unveil.errors import DataError
from unveil.table.microdata import Microdata
from unveil.table.sample import households
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair
from unveil.values.single_values import (
    changed_cells,
    columns_of_level,
    distinct_cells,
    hidden_cells,
    number_bounds,
    single_codes,
    single_numbers,
    single_values,
    star_cells,
)

SAMPLE = households(3)
AGES = Microdata(pl.DataFrame({"age": [20, 30, 40, None]}))
COARSE = Microdata(
    pl.DataFrame({"age": ["20..30", "30..", "*", None]}), Schema(numeric="age", generalised="age")
)


@pytest.fixture
def pair():
    return FilePair.of(SAMPLE, SAMPLE, np.arange(3))


def test_columns_by_level(pair):
    assert columns_of_level(pair, "ordinal") == ("education",)


def test_missing_cells_and_stars_say_nothing():
    assert hidden_cells(AGES, "age").tolist() == [False, False, False, True]
    assert star_cells(AGES, "age").tolist() == [False, False, False, False]
    assert hidden_cells(COARSE, "age").tolist() == [False, False, True, True]
    assert star_cells(COARSE, "age").tolist() == [False, False, True, False]


def test_a_range_is_its_middle_within_the_range_of_the_original(pair):
    assert number_bounds(pair, "age")[2:] == (21.0, 67.0)
    released = single_numbers(FilePair.of(AGES, COARSE, None), "age")[1]
    assert np.array_equal(released, [25.0, 35.0, np.nan, np.nan], equal_nan=True)


def test_categories_are_codes(pair):
    original, released, n_categories = single_codes(pair, "sex")
    assert (original.tolist(), released.tolist(), n_categories) == ([1, 0, 1], [1, 0, 1], 2)
    assert single_values(pair, "sex")[0].tolist() == [1.0, 0.0, 1.0]
    assert distinct_cells(pair, "sex")[1].tolist() == [1, 0, 1]
    assert not changed_cells(pair, "sex").any()


def test_a_set_of_several_is_no_single_category():
    jobs = Microdata(pl.DataFrame({"job": ["a", "b", "c"]}))
    schema = Schema(nominal="job", generalised="job")
    coarse = Microdata(pl.DataFrame({"job": ["a", "{a|b}", None]}), schema)
    pair = FilePair.of(jobs, coarse, np.arange(3))
    assert single_codes(pair, "job")[1].tolist() == [0, -1, -1]
    assert changed_cells(pair, "job").tolist() == [False, True, True]


def test_ranges_beyond_what_can_be_squared_are_refused():
    """As numbers are, whatever measures them: a deviation would be infinite."""
    wide = Microdata(
        pl.DataFrame({"age": ["-1e300", "0..5", None, "*"]}),
        Schema(numeric="age", generalised="age"),
    )
    pair = FilePair.of(AGES, wide, np.arange(4))
    with pytest.raises(DataError, match="column 'age' has numbers beyond 1e150"):
        single_numbers(pair, "age")
    assert number_bounds(pair, "age")[1].lower[0] == -1e300  # nothing is computed of it
