"""Rows in another order: the same table as the rows taken, and no cell copied for a file."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema
from unveil.errors import DataError
from unveil.files import Csv
from unveil.files.formats import columnar
from unveil.files.formats.columnar import Arrow, Parquet
from unveil.files.formats.csv import format as csv
from unveil.table.reordered import Reordered, Slices

ROWS = np.random.default_rng(1).permutation(30)


@pytest.fixture
def table():
    frame = unveil.households(30).to_frame().with_columns(
        pl.Series("code", ["9", "a", "b"] * 10, dtype=pl.Enum(["9", "a", "b"])),
        pl.Series("part", [1.5, -9.0, 2.0] * 10),
    )  # fmt: skip
    missing = {"part": [-9], "code": ["9"]}
    return Microdata(frame, Schema(quasi="part", ordinal={"code": ["a", "b"]}, missing=missing))


def test_it_is_the_table_with_its_rows_taken(table):
    other, taken = Reordered(table, ROWS), table.take(ROWS)
    assert (len(other), other.columns, repr(other)) == (30, table.columns, repr(table))
    assert other._made is None
    assert other == taken
    assert other.to_frame().equals(taken.to_frame())
    assert other.to_text_frame().equals(taken.to_text_frame())
    assert other.order("code") == taken.order("code") == ("a", "b")
    assert other.take([3, 1]) == taken.take([3, 1])
    assert other.select(["code"]) == taken.select(["code"])


@pytest.mark.parametrize("kind", [Csv(missing=["NA"]), Parquet(), Arrow()])
def test_it_is_written_in_slices_without_being_made(tmp_path, monkeypatch, table, kind):
    other, path = Reordered(table, ROWS), tmp_path / f"t{kind.suffixes[0]}"
    kind.save(table.take(ROWS), tmp_path / "whole")
    for module, name in ((columnar, "WRITTEN_ROWS"), (csv, "WRITTEN_CELLS")):
        monkeypatch.setattr(module, name, 34)
    kind.save(other, path)
    assert other._made is None
    assert kind.load(path, table.schema) == table.take(ROWS)
    whole = kind.load(tmp_path / "whole", table.schema).to_frame()
    assert kind.load(path, table.schema).to_frame().equals(whole)


def test_a_column_has_one_type_in_all_slices():
    """A code is text in a text file, though few slices have one."""
    schema = Schema(numeric="x", missing={"x": ["?"]})
    rare = Microdata.from_text(pl.DataFrame({"x": ["1.0", "2.5", "3", "?"]}), schema)
    slices = Slices(Reordered(rare, np.array([3, 2, 1, 0])), Microdata.to_text_frame)
    assert [rows["x"].to_list() for rows in slices.blocks(3)] == [["?", "3", "2.5"], ["1"]]


def test_a_cell_that_cannot_be_written_is_found_in_the_row_that_was_read(tmp_path):
    data = Reordered(Microdata(pl.DataFrame({"a": ["x", "y,z"]})), np.array([1, 0]))
    with pytest.raises(DataError, match="row 2.*need quotes"):
        Csv(quote="", delimiter=",").save(data, tmp_path / "t.csv")
