"""What goes out comes back equal: schemas, files, frames, cells."""

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from strategies.tables import cell_text, finite, plain_names, schemas, tables, wild_names
from unveil.files.formats.columnar import Arrow, Parquet
from unveil.table.cells import OneOf, Range, Star, parse_cell, write_range, write_set

dialects = st.builds(
    unveil.files.Csv,
    delimiter=st.sampled_from([";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
    decimal=st.sampled_from([".", ","]),
    quote=st.sampled_from(['"', "'"]),
    missing=st.sampled_from([(), ("NA",), ("n/a", "?")]),
)


@given(schemas)
def test_a_schema_comes_back_from_toml(schema):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        unveil.write(schema, f"{folder}/s.toml")
        assert unveil.files.read_schema(f"{folder}/s.toml") == schema


@given(tables(names=wild_names), dialects)
def test_a_table_comes_back_from_csv(tmp_path, table, dialect):
    frame, schema = table
    # A header of numbers only is taken for a record.
    frame = frame.rename({frame.columns[0]: "x" + frame.columns[0]}, strict=False)
    assume(frame.width == len(set(frame.columns)))
    schema = unveil.Schema(
        {("x" + n if i == 0 else n): schema[n] for i, n in enumerate(table[0].columns)}
    )
    data = unveil.Microdata(frame, schema)
    path = tmp_path / "t.csv"
    unveil.write(data, path, format=dialect, force=True)
    assert unveil.read(path, data.schema, format=dialect) == data


@given(tables(), st.sampled_from([unveil.files.Csv(), unveil.files.Csv(decimal=",")]))
def test_a_delimiter_is_found_again(tmp_path, table, dialect):
    frame, schema = table
    first = frame.columns[0]
    data = unveil.Microdata(
        frame.select(first, pl.lit(1.5).alias("zz_last")),
        unveil.Schema({first: schema[first], "zz_last": {"level": "numeric"}}),
    )
    unveil.write(data, tmp_path / "t.csv", format=dialect, force=True)
    assert unveil.read(tmp_path / "t.csv", data.schema, format=dialect) == data


@given(st.lists(st.none() | finite, min_size=1, max_size=9).filter(any))
def test_numbers_are_found_in_what_a_computer_writes(tmp_path, cells):
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=pl.Float64)})
    unveil.write(unveil.Microdata(frame), tmp_path / "t.csv", force=True)
    assert unveil.read(tmp_path / "t.csv").to_frame()["x"].to_list() == cells


@given(tables(names=plain_names))
def test_a_guess_reads_the_same_file(tmp_path, table):
    """What inspect writes can be used: guess, write, read, and the guess is the same."""
    frame, _ = table
    unveil.write(unveil.Microdata(frame), tmp_path / "t.csv", force=True)
    read = unveil.read(tmp_path / "t.csv", format=unveil.files.Csv(delimiter=","))
    unveil.write(unveil.Schema.infer(read), tmp_path / "s.toml", force=True)
    again = unveil.read(
        tmp_path / "t.csv", tmp_path / "s.toml", format=unveil.files.Csv(delimiter=",")
    )
    assert unveil.Schema.infer(again) == unveil.Schema.infer(read)
    assert again == unveil.Microdata(read.to_frame(), again.schema)


@given(tables(names=wild_names), st.sampled_from([Parquet(), Arrow(), Parquet(compression="gzip")]))
def test_a_table_comes_back_from_columnar_files(tmp_path, table, kind):
    data = unveil.Microdata(*table)
    path = tmp_path / f"t{kind.suffixes[0]}"
    unveil.write(data, path, format=kind, force=True)
    back = unveil.read(path, data.schema)
    assert back == data
    assert back.to_frame().schema == data.to_frame().schema


@given(tables())
def test_a_frame_comes_back_as_its_own_kind(table):
    frame, schema = table
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    data = unveil.Microdata(frame, schema)
    assert data.to_frame().equals(frame)
    for kind, package in (("pandas", pandas.DataFrame), ("pyarrow", pyarrow.Table)):
        native = data.to_frame(kind)
        assert isinstance(native, package)
        again = unveil.Microdata(native, schema)
        assert again == data
        assert type(again.to_frame()) is package
        assert unveil.Microdata(again.to_frame(), schema) == data


@given(tables(), st.data())
def test_missing_codes_come_back(table, data):
    frame, _ = table
    column = data.draw(st.sampled_from(frame.columns))
    present = [c for c in frame[column].cast(pl.String).to_list() if c is not None]
    assume(present)
    codes = data.draw(st.lists(st.sampled_from(sorted(set(present))), min_size=1, unique=True))
    coded = unveil.Microdata(frame, unveil.Schema(nominal=[column], missing={column: codes}))
    assert coded.to_frame().equals(frame)
    assert coded.column(column).null_count() >= len(codes) + frame[column].null_count()


@given(st.lists(cell_text.filter(bool), min_size=1, max_size=4))
def test_sets_of_any_labels_come_back(values):
    assert parse_cell(write_set(values)) == OneOf(tuple(values))


@given(st.none() | cell_text.filter(bool), st.none() | cell_text.filter(bool))
def test_ranges_of_any_labels_come_back(lower, upper):
    expected = Star() if lower is None and upper is None else Range(lower, upper)
    assert parse_cell(write_range(lower, upper)) == expected
