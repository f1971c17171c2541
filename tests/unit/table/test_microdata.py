"""Tables held to their schema: levels, missing codes, frames of every kind."""

import copy
import datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema
from unveil.errors import DataError, MissingPackageError, SchemaError, UsageError
from unveil.table import microdata
from unveil.table.attribute import Attribute
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.frames import to_polars

YEAR_2020 = datetime.datetime(2020, 1, 1)
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


def test_results_of_a_column_are_computed_once_and_never_kept_too_long(monkeypatch):
    data = Microdata(FRAME, Schema(nominal=["job", "age"]))
    first = codes(data, "job")
    assert codes(data, "job") is codes(data.select(["job"]), "job") is first
    other = data.replace([pl.Series("job", ["c", "c", "c", "a"])])
    assert codes(other, "job").categories == ("a", "c")
    assert codes(other, "age") is codes(data, "age")
    ordered = data.replace([], {"job": Attribute(level="ordinal", order=("b", "a", "?"))})
    assert codes(ordered, "job").categories == ("b", "a", "?")
    assert codes(data.take([0, 0]), "job").codes.tolist() == [0, 0]
    monkeypatch.setattr(microdata, "REMEMBERED", 3)
    assert codes(data, "pay") is not codes(data, "pay")


def test_several_codes_are_told_apart_when_they_come_back():
    frame = pl.DataFrame({"x": [8, 9, 1, None]})
    data = Microdata(frame, Schema(numeric="x", missing={"x": [8, 9]}))
    assert data.column("x").null_count() == 3
    assert data.to_frame().equals(frame)


def test_a_code_that_the_type_cannot_hold_is_null():
    data = Microdata(pl.DataFrame({"x": ["1", "?"]}), Schema(numeric="x", missing={"x": ["?"]}))
    assert data.column("x").to_list() == [1, None]
    for kind in ("polars", "pandas", "pyarrow"):
        again = Microdata(data.to_frame(kind))
        assert again.column("x").to_list() == [1, None]
    assert data.to_text_frame()["x"].to_list() == ["1", "?"]


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
        (["1", "b", "c"], {"numeric": "x"}, "are not numbers: 2, the first in row 2;"),
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
        (["1e999"], {"numeric": "x", "generalised": "x"}, "do not fit"),
        (["{a|c}"], {"ordinal": {"x": ["a", "b"]}, "generalised": "x"}, "do not fit"),
        (["1..3"], {"ordinal": ["x"], "generalised": "x"}, "without an order"),
        ([1, 2], {"ordinal": ["x"], "generalised": "x"}, "and generalised without an order"),
        (["٣"], {"numeric": "x"}, "are not numbers: 1,"),
        (["٣..٤"], {"numeric": "x", "generalised": "x"}, "do not fit"),
        ([Decimal("12345678901234567.89")], {}, "too many digits"),
        ([datetime.timedelta(1)], {}, "unsupported type"),
        (["{1|2}"], {"numeric": "x", "generalised": "x"}, "do not fit"),
        (["{a|"], {"nominal": "x", "generalised": "x"}, "do not fit"),
        (["a..b"], {"nominal": "x", "generalised": "x"}, "do not fit"),
        (["b..a"], {"ordinal": {"x": ["a", "b"]}, "generalised": "x"}, "do not fit"),
        ([[1]], {}, "unsupported type"),
    ],
)
def test_what_does_not_fit_is_refused_by_column_and_row(column, declared, said):
    with pytest.raises((DataError, SchemaError), match=said):
        Microdata(pl.DataFrame({"x": column}), Schema.from_dict(declared))


def test_a_column_that_is_not_there_is_suggested():
    with pytest.raises(SchemaError, match="'agee' is not in the data; did you mean 'age'"):
        Microdata(FRAME, Schema(quasi="agee"))
    with pytest.raises(DataError, match="'agee' is not .* mean 'age'"):
        Microdata(FRAME).column("agee")


def test_a_role_that_nobody_has_is_asked_for_by_name():
    data = Microdata(FRAME, Schema(quasi="age"))
    assert data.require("quasi") == ("age",)
    with pytest.raises(SchemaError, match="no attribute has the role weight; .*: job, pay"):
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
    assert data.order("kind") == ("b", "a")
    assert data.schema["kind"].order == ()  # nobody declared it, and it may list cells


def test_a_category_that_its_type_does_not_know_is_kept():
    pandas = pytest.importorskip("pandas")
    _, origin = to_polars(pandas.DataFrame({"kind": pandas.Categorical(["a", "b"])}))
    assert origin.to_frame(pl.DataFrame({"kind": ["a", "new"]}))["kind"].tolist() == ["a", "new"]


def test_mixed_cells_are_refused_by_type():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="mixes 2 types of cell"):
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
    with pytest.raises(AttributeError, match="is immutable"):
        Microdata(FRAME).schema = Schema()


def test_a_copy_is_itself():
    data = Microdata(FRAME)
    assert copy.copy(data) is copy.deepcopy(data) is data


def test_columns_are_taken_in_the_order_asked():
    data = Microdata(FRAME, Schema(quasi="age", confidential="pay"))
    assert data.select(["pay", "age"]).columns == ("pay", "age")
    assert "job" not in data.select(["pay"]).schema
    with pytest.raises(DataError, match="no rows"):
        data.take([])


def test_numpy_rows_can_be_taken():
    assert unveil.households(20).take(np.array([3, 1])).column("person").to_list() == [4, 2]


def test_a_pandas_frame_may_change_afterwards():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": [1.5, 2.5], "c": [1.5, None]})
    data = Microdata(frame)
    frame.loc[0] = [9, 9.5, 9.5]
    assert data.to_frame("polars").rows() == [(1, 1.5, 1.5), (2, 2.5, None)]
    back = data.to_frame()
    back.loc[0] = [8, 8.5, 8.5]
    assert data.to_frame("polars").rows() == [(1, 1.5, 1.5), (2, 2.5, None)]


@pytest.mark.parametrize(
    "kind",
    [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Int128,
     pl.Float32, pl.Float64, pl.Decimal(10, 2)],
)  # fmt: skip
def test_numbers_of_every_type_go_in_and_come_back(kind):
    frame = pl.DataFrame({"x": pl.Series([1, 2, None, 99], dtype=pl.Int64).cast(kind)})
    data = Microdata(frame, Schema(numeric="x", missing={"x": [99]}))
    assert unveil.inspect(data).columns[0].missing == 2
    assert data.to_frame().equals(frame)
    assert data.to_frame().schema == frame.schema
    for other in ("pandas", "pyarrow"):
        assert Microdata(data.to_frame(other), data.schema) == data


@pytest.mark.parametrize(
    ("values", "exact"),
    [([2**53, 0, -(2**53)], True), ([2**53 + 1], False), ([-(2**53) - 1], False)],
)
def test_whole_numbers_are_numeric_while_a_float_can_hold_them(values, exact):
    level = Schema.infer(pl.DataFrame({"x": values}))["x"].level
    assert level == ("numeric" if exact else "nominal")


def test_times_keep_their_nanoseconds_and_zones():
    pandas = pytest.importorskip("pandas")
    moments = pandas.to_datetime(["2020-01-01T00:00:00.123456789", None])
    frame = pandas.DataFrame({"a": moments, "b": moments.tz_localize("Europe/Berlin")})
    pandas.testing.assert_frame_equal(Microdata(frame).to_frame(), frame)


def test_dates_that_cannot_be_written_are_refused():
    far = pl.DataFrame({"d": pl.Series([2**31 - 1], dtype=pl.Int32).cast(pl.Date)})
    with pytest.raises(DataError, match="outside the years 1 to 9999"):
        Microdata(far)


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (pl.Series([1.5, 99.9], dtype=pl.Float32), 99.9),
        (pl.Series([1.5, float("inf")]), "inf"),
        (pl.Series([YEAR_2020, datetime.datetime(1900, 1, 1)]), "1900-01-01 00:00:00"),
        (pl.Series([datetime.date(2020, 1, 1), datetime.date(1900, 1, 1)]), "1900-01-01"),
        (pl.Series([True, False]), "false"),
        (pl.Series(["a", "?"], dtype=pl.Enum(["a", "?"])), "?"),
    ],
)  # fmt: skip
def test_codes_of_every_type_mean_missing(column, code):
    frame = pl.DataFrame({"x": column})
    data = Microdata(frame, Schema(quasi="x", missing={"x": [code]}))
    assert data.column("x").null_count() == 1
    assert "?" not in data.order("x")
    assert data.to_frame().equals(frame)


def test_ordered_types_of_other_than_text_have_their_order():
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": pandas.Categorical([1.0, 2.0], [2.0, 1.0], ordered=True)})
    assert Microdata(frame, Schema(quasi="a")).order("a") == ("2", "1")
    codes = pyarrow.array([0, 1], pyarrow.int8())
    ordered = pyarrow.DictionaryArray.from_arrays(codes, ["lo", "hi"], ordered=True)
    assert Microdata(pyarrow.table({"a": ordered}), Schema(quasi="a")).order("a") == ("lo", "hi")


def test_text_numbers_of_a_declared_order_are_its_categories():
    data = Microdata(pl.DataFrame({"e": ["1.0", "2", None]}), Schema(ordinal={"e": [1, 2]}))
    assert data.column("e").to_list() == ["1", "2", None]


def test_identifiers_are_not_quantities():
    data = Microdata(pl.DataFrame({"a": [1, 2], "b": [1, 1]}), Schema(identifier="a", hhId="b"))
    assert {data.schema[name].level for name in "ab"} == {"nominal"}
    assert not data.schema.questions


def test_a_question_stays_until_it_is_answered():
    schema = Schema({"a": {"question": "mine", "role": "quasi"}})
    assert Microdata(pl.DataFrame({"a": [1, 2]}), schema).schema["a"].question == "mine"


@pytest.mark.parametrize("rows", [[True, False, True, False], [0.5], [-1], [4], ["a"]])
def test_rows_that_are_not_there_are_refused(rows):
    with pytest.raises(UsageError, match="from 0 to 3"):
        Microdata(FRAME).take(rows)


@pytest.mark.parametrize("columns", [[], ["age", "age"]])
def test_a_selection_has_each_column_once(columns):
    with pytest.raises(UsageError, match="at least one column, and none twice"):
        Microdata(FRAME).select(columns)


def test_a_schema_is_a_schema():
    with pytest.raises(UsageError, match="not dict"):
        Microdata(FRAME, {"quasi": "age"})


def test_a_lazy_frame_that_fails_quotes_nothing():
    with pytest.raises(DataError, match="cannot be collected"):
        Microdata(pl.LazyFrame({"a": ["Canary"]}).select(pl.col("a").cast(pl.Int64)))


def test_whole_numbers_are_compared_exactly():
    a, b = (Microdata(pl.DataFrame({"x": [2**60 + i]})) for i in (0, 1))
    assert a != b


def test_a_star_over_a_missing_cell_forgets_the_code():
    frame = pl.DataFrame({"x": ["a", "9", "9", "b"]})
    data = Microdata(frame, Schema(nominal="x", missing={"x": ["9"]}))
    hidden = data.replace(
        [pl.Series("x", ["a", "*", None, "*"])],
        {"x": Attribute(level="nominal", missing=["9"], generalised=True)},
    )
    assert hidden.to_frame()["x"].to_list() == ["a", "*", "9", "*"]
    assert hidden.to_text_frame()["x"].to_list() == ["a", "*", "9", "*"]
    assert data.to_frame().equals(frame)


def test_a_text_is_one_column_and_nothing_is_none():
    data = unveil.households(5)
    assert data.select("age").columns == ("age",)
    with pytest.raises(unveil.UnveilError, match="column 'zz' is not in the data"):
        data.select("zz")
    for wrong in (None, 0):
        with pytest.raises(unveil.UnveilError, match=r"^a column is named by a text, not by \w+$"):
            data.column(wrong)
