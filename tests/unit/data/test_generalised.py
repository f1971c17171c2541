"""Ranges, sets and stars as arrays."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.data.cells import parse_cell, write_set
from unveil.data.encode import codes, numbers
from unveil.data.generalised import bounds, code_sets
from unveil.errors import MalformedCellError, SchemaError


def _sets(data, column, categories=None):
    found = code_sets(data, column, categories)
    return [
        None if c < 0 else found.members[found.starts[c] : found.starts[c + 1]].tolist()
        for c in found.cell
    ]


def test_a_star_is_not_missing():
    frame = pl.DataFrame({"x": ["20..24", "*", None, "..5", "65..", "-3.5..-1", "7"]})
    data = Microdata(frame, Schema(numeric="x", generalised="x"))
    found = bounds(data, "x")
    assert found.present.tolist() == [True, True, False, True, True, True, True]
    lower, upper = found.lower[found.present], found.upper[found.present]
    assert lower.tolist() == [20, -np.inf, -np.inf, 65, -3.5, 7]
    assert upper.tolist() == [24, np.inf, 5, np.inf, -1, 7]


def test_ordinal_cells_may_be_ranges_and_sets():
    frame = pl.DataFrame({"x": ["low..mid", "{low|high}", "high", "*", "mid..", None]})
    data = Microdata(frame, Schema(ordinal={"x": ["low", "mid", "high"]}, generalised="x"))
    assert _sets(data, "x") == [[0, 1], [0, 2], [2], [0, 1, 2], [1, 2], None]


def test_ranges_go_by_the_order_whatever_the_list():
    data = Microdata(
        pl.DataFrame({"x": ["low..high"]}),
        Schema(ordinal={"x": ["low", "mid", "high"]}, generalised="x"),
    )
    assert _sets(data, "x", ["high", "low", "z", "mid"]) == [[0, 1, 3]]
    with pytest.raises(SchemaError, match="misses a category"):
        code_sets(data, "x", ["high", "low"])


def test_levels_are_not_mixed_up():
    number = Microdata(pl.DataFrame({"x": ["9..10"]}), Schema(numeric="x", generalised="x"))
    with pytest.raises(SchemaError, match="holds numbers where categories"):
        code_sets(number, "x")
    category = Microdata(pl.DataFrame({"x": ["a"]}), Schema(nominal="x", generalised="x"))
    with pytest.raises(SchemaError, match="holds categories where numbers"):
        bounds(category, "x")


def test_nominal_stars_stand_for_every_category_named():
    data = Microdata(pl.DataFrame({"x": ["{b|a}", "*", "c"]}), Schema(nominal="x", generalised="x"))
    assert _sets(data, "x") == [[0, 1], [0, 1, 2], [2]]
    assert _sets(data, "x", ["c", "b", "a", "z"]) == [[1, 2], [0, 1, 2, 3], [0]]
    with pytest.raises(SchemaError, match=r"in 2 records \(first in row 1\)"):
        code_sets(data, "x", ["a"])


def test_plain_columns_are_sets_of_one():
    data = Microdata(pl.DataFrame({"x": ["b", None, "a"], "y": [1.0, None, 2.0]}))
    assert _sets(data, "x") == [[1], None, [0]]
    found = bounds(data, "y")
    assert found.lower[[0, 2]].tolist() == found.upper[[0, 2]].tolist() == [1, 2]
    assert found.present.tolist() == [True, False, True]


def test_a_generalised_column_is_not_a_number_or_a_code():
    data = Microdata(pl.DataFrame({"x": ["*"]}), Schema(nominal="x", generalised="x"))
    for encode in (lambda: numbers(data, ["x"]), lambda: codes(data, "x")):
        with pytest.raises(SchemaError, match="'x' is generalised"):
            encode()


@pytest.mark.parametrize(
    "text", ["", "..", "{", "{}", "{a|}", "a}", "a*", "1..2..3", "a\\", "{a..b}"]
)
def test_what_the_grammar_does_not_know_is_refused(text):
    with pytest.raises(MalformedCellError) as caught:
        parse_cell(text)
    assert "a generalised cell is" in str(caught.value)


def test_an_empty_label_cannot_be_generalised():
    with pytest.raises(MalformedCellError):
        write_set(["a", ""])
