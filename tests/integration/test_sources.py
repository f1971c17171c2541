"""Inspecting, and the sources that every workflow takes."""

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema
from unveil.errors import UsageError
from unveil.workflows.inputs.sources import as_microdata
from unveil.workflows.methods import method


def test_paths_frames_and_microdata_go_in(tmp_path):
    data = unveil.households(50)
    unveil.write(data, tmp_path / "t.parquet")
    unveil.write(data.schema, tmp_path / "s.toml")
    for source, schema in [
        (tmp_path / "t.parquet", tmp_path / "s.toml"),
        (str(tmp_path / "t.parquet"), str(tmp_path / "s.toml")),
        (data.to_frame(), data.schema),
        (data.to_frame("pandas"), data.schema),
        (data, None),
    ]:
        assert as_microdata(source, schema) == data
    with pytest.raises(UsageError, match="has its own schema"):
        as_microdata(data, data.schema)
    for source in (data, data.to_frame()):
        with pytest.raises(UsageError, match="leave out format="):
            as_microdata(source, format=unveil.files.Csv())


def test_inspection_counts():
    frame = pl.DataFrame({"a": [1, 1, 2, None], "b": ["x", "y", "z", "x"]})
    found = unveil.inspect(frame, Schema(quasi="a", confidential="b"))
    a, b = found.columns
    assert (a.missing, a.distinct, a.unique, a.level) == (1, 2, 1, "numeric")
    assert (b.missing, b.distinct, b.unique, b.level) == (0, 3, 2, "nominal")
    assert a.values is None
    assert len(found.notes) == 1
    assert found.notes[0].startswith("1 question to answer in the schema: a; correct the level")


def test_values_are_shown_when_asked():
    frame = pl.DataFrame({"a": [5, 1, 9, None], "b": ["x", "y", "y", None], "c": [None] * 4})
    a, b, c = unveil.inspect(frame, show_values=True).columns
    assert a.values == ("1", "5", "9")
    assert b.values == ("y", "x")
    assert c.values == ()


def test_what_is_not_declared_is_noted():
    notes = " ".join(unveil.inspect(Microdata(pl.DataFrame({"a": [1.5]}))).notes)
    for part in ("1 column without a role: a", "has the role quasi", "has the role confidential"):
        assert part in notes


def test_a_file_cut_by_the_wrong_delimiter_is_noted(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    found = unveil.inspect(tmp_path / "t.csv", format=unveil.files.Csv(delimiter=";"))
    assert "whose name contains a delimiter" in found.notes[0]


def test_generalised_columns_are_said_to_be():
    frame = pl.DataFrame({"a": ["20..24", "*"]})
    found = unveil.inspect(frame, Schema(numeric="a", generalised="a"), show_values=True)
    assert found.columns[0].stored == "generalised cells"
    assert set(found.columns[0].values) == {"20..24", "*"}


def test_an_unknown_method_is_suggested():
    with pytest.raises(UsageError, match="mean 'parquet'"):
        method("parket")
