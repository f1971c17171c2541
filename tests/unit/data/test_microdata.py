"""Tables held to their schema: levels, missing codes, frames of every kind."""

import datetime

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema
from unveil.data.encode import numbers
from unveil.errors import DataError, MissingPackageError, SchemaError, UsageError

FRAME = pl.DataFrame(
    {"age": [31, 9, None, 40], "job": ["a", "?", "b", None], "pay": [1.5, 2, 3, 4]}
)


def test_missing_codes_are_missing_inside_and_come_back_outside():
    data = Microdata(FRAME, Schema(missing={"age": ["9.0"], "job": ["?"]}, numeric="age"))
    assert data.column("age").to_list() == [31, None, None, 40]
    assert data.column("job").to_list() == ["a", None, "b", None]
    assert data.to_frame().equals(FRAME)
    assert data.take([1, 0]).to_frame().rows() == [(9, "?", 2.0), (31, "a", 1.5)]
    assert data.select(["job"]).to_frame().equals(FRAME.select("job"))


def test_several_codes_are_told_apart_when_they_come_back():
    frame = pl.DataFrame({"x": [8, 9, 1, None]})
    data = Microdata(frame, Schema(numeric="x", missing={"x": [8, 9]}))
    assert data.column("x").null_count() == 3
    assert data.to_frame().equals(frame)


def test_a_code_that_the_type_cannot_hold_is_null():
    data = Microdata(pl.DataFrame({"x": ["1", "?"]}), Schema(numeric="x", missing={"x": ["?"]}))
    assert data.column("x").to_list() == [1, None]
    assert data.to_frame()["x"].to_list() == ["1", "?"]  # back in its own type, text
    read = Microdata.from_text(pl.DataFrame({"x": ["1", "?"]}), data.schema)
    assert read.to_frame()["x"].to_list() == [1, None]  # a file has no types to go back to
    assert read.to_text_frame()["x"].to_list() == ["1", "?"]


@pytest.mark.parametrize("code", ["9.5", "?", ""])
def test_a_code_of_another_kind_marks_nothing(code):
    data = Microdata(pl.DataFrame({"x": [9, 1]}), Schema(numeric="x", missing={"x": [code]}))
    assert data.column("x").null_count() == 0


def test_not_a_number_is_missing():
    assert Microdata(pl.DataFrame({"x": [1.0, float("nan")]})).column("x").null_count() == 1


def test_numbers_in_text_are_read_where_they_are_declared():
    data = Microdata(pl.DataFrame({"x": ["1", " 2.5 ", None]}), Schema(numeric="x"))
    assert data.column("x").to_list() == [1.0, 2.5, None]


@pytest.mark.parametrize(
    ("column", "declared", "said"),
    [
        ([1.0, float("inf")], {}, r"'x' has 1 infinite number \(first in row 2\)"),
        ([1.0, float("-inf")], {"numeric": "x"}, r"infinite number"),
        (["1", "b", "c"], {"numeric": "x"}, "do not read as a number: 2, the first in row 2;"),
        (["1,5", "2,5"], {"numeric": "x"}, "decimal comma"),
        (["1e999"], {"numeric": "x"}, "1 infinite number"),
        ([2**60], {"numeric": "x"}, "beyond 2\\^53"),
        (["a", "c"], {"ordinal": {"x": ["a", "b"]}}, r"order of attribute 'x' misses .*row 2"),
        (["a", "c"], {"hierarchy": {"x": [["a", "*"]]}}, r"hierarchy of attribute 'x' misses"),
        ([1, 2], {"numeric": "x", "hierarchy": {"x": [[1, "*"]]}}, "hierarchy .* misses .*row 2"),
        (["a"], {"ordinal": ["x"]}, "ordinal text without an order"),
        (
            ["20..1"],
            {"numeric": "x", "generalised": "x"},
            "some cells do not fit: 1, the first in row 1;",
        ),
        (["{1|2}"], {"numeric": "x", "generalised": "x"}, "do not fit"),
        (["{a|"], {"nominal": "x", "generalised": "x"}, "do not fit"),
        (["a..b"], {"nominal": "x", "generalised": "x"}, "do not fit"),
        (["b..a"], {"ordinal": {"x": ["a", "b"]}, "generalised": "x"}, "do not fit"),
        ([[1]], {}, "type that microdata cannot have"),
    ],
)
def test_what_does_not_fit_is_refused_by_column_and_row(column, declared, said):
    with pytest.raises((DataError, SchemaError), match=said):
        Microdata(pl.DataFrame({"x": column}), Schema.from_dict(declared))


def test_a_column_that_is_not_there_is_suggested():
    with pytest.raises(SchemaError, match="'agee' is not .* it has: age, job, pay; .* 'age'"):
        Microdata(FRAME, Schema(quasi="agee"))
    with pytest.raises(DataError, match="'agee' is not .* mean 'age'"):
        Microdata(FRAME).column("agee")


def test_a_role_that_nobody_has_is_asked_for_by_name():
    data = Microdata(FRAME, Schema(quasi="age"))
    assert data.require("quasi") == ("age",)
    with pytest.raises(SchemaError, match="no attribute has the role weight: .*: job, pay"):
        data.require("weight")


@pytest.mark.parametrize("names", [["a", "a"], ["a", " "], ["", "b"]])
def test_names_are_there_and_differ(names):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="column"):
        Microdata(pandas.DataFrame([[1, 2]], columns=names))
    with pytest.raises(DataError, match="not text"):
        Microdata(pandas.DataFrame([[1, 2]]))


@pytest.mark.parametrize("nothing", [pl.DataFrame({"x": []}), pl.DataFrame()])
def test_an_empty_frame_is_refused(nothing):
    with pytest.raises(DataError, match="there are no"):
        Microdata(nothing)


def test_what_is_no_frame_is_refused():
    with pytest.raises(UsageError, match="not list"):
        Microdata([[1, 2]])
    with pytest.raises(UsageError, match="'duckdb' is not a kind"):
        Microdata(FRAME).to_frame("duckdb")


def test_a_missing_package_says_which_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'unveil\[pandas\]'") as caught:
        Microdata(FRAME).to_frame("pandas")
    assert caught.value.exit_code == 4


def test_pandas_types_come_back():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "whole": pandas.array([1, None], dtype="Int64"),
            "small": np.array([1, 2], dtype="int16"),
            "float": [1.5, None],
            "text": ["a", None],
            "old": pandas.Series(["a", None], dtype="object"),
            "kind": pandas.Categorical(["b", "a"], categories=["b", "a"], ordered=True),
            "when": pandas.to_datetime(["2020-01-01", None]),
            "true": [True, False],
        }
    )
    data = Microdata(frame, Schema(quasi="kind"))
    pandas.testing.assert_frame_equal(data.to_frame(), frame)
    assert data.schema["kind"].order == ("b", "a")


def test_mixed_cells_are_refused_by_type():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="2 types of cell at once"):
        Microdata(pandas.DataFrame({"x": pandas.Series(["a", 1], dtype="object")}))


def test_arrow_types_come_back():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(
        {
            "a": pyarrow.array([1, None], pyarrow.int32()),
            "b": pyarrow.array(["x", None], pyarrow.string()),
            "c": pyarrow.array(["x", "y"]).dictionary_encode(),
            "d": pyarrow.array([datetime.date(2020, 1, 1), None]),
        }
    )
    back = Microdata(table).to_frame()
    assert back.schema.types[:2] == table.schema.types[:2]
    assert back.to_pydict() == table.to_pydict()


def test_a_lazy_frame_is_collected():
    assert len(Microdata(FRAME.lazy())) == 4


def test_dates_are_numbers_of_days():
    frame = pl.DataFrame({"d": [datetime.date(1970, 1, 3), None]})
    assert numbers(Microdata(frame), ["d"]).values[0, 0] == 2


def test_equality_is_of_meaning_not_of_storage():
    schema = Schema(nominal="x")
    same = [
        Microdata(pl.DataFrame({"x": cells}), schema) for cells in ([1, 2], [1.0, 2.0], ["1", "2"])
    ]
    assert same[0] == same[1] == same[2]
    assert same[0] != Microdata(pl.DataFrame({"x": [1, 3]}), schema)
    assert same[0] != Microdata(pl.DataFrame({"x": [1, None]}), schema)
    assert same[0] != Microdata(pl.DataFrame({"x": [1, 2]}), Schema(numeric="x"))
    assert same[0] != Microdata(pl.DataFrame({"y": [1, 2]}))
    assert same[0] != 3


def test_microdata_never_changes():
    with pytest.raises(AttributeError, match="never changes"):
        Microdata(FRAME).schema = Schema()


def test_columns_are_taken_in_the_order_asked():
    data = Microdata(FRAME, Schema(quasi="age", confidential="pay"))
    assert data.select(["pay", "age"]).columns == ("pay", "age")
    assert "job" not in data.select(["pay"]).schema
    with pytest.raises(DataError, match="no rows"):
        data.take([])


def test_numpy_rows_can_be_taken():
    assert unveil.households(20).take(np.array([3, 1])).column("person").to_list() == [4, 2]
