"""CSV in the dialects that people send, and the ways a file can be broken."""

import datetime

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema
from unveil.errors import DataError, FileError, SchemaError, SpecError, UnveilError, UsageError
from unveil.files import Csv
from unveil.table.encoding.to_arrays import numbers


@pytest.fixture
def file(tmp_path):
    def make(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def _cells(data):
    return data.to_frame().rows()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,x\n2,y\n", [(1, "x"), (2, "y")]),
        ("a;b\n1;x\n", [(1, "x")]),
        ("a\tb\n1\tx\n", [(1, "x")]),
        ("a|b\n1|x\n", [(1, "x")]),
        ("a\n1\n\n2\n", [(1,), (None,), (2,)]),
        ("a,b\r\n1,x\r\n\r\n", [(1, "x")]),
        ("a,b\r1,x\r2,y", [(1, "x"), (2, "y")]),
        ("a,b\n1,\n,y\n", [(1, None), (None, "y")]),
        ('a,b\n1,""\n', [(1, "")]),
        ('a,b\n1,"x, y"\n2,"line\nbreak"\n3,"say ""hi"""\n',
         [(1, "x, y"), (2, "line\nbreak"), (3, 'say "hi"')]),
        ('"a,1",b\n1,x\n', [(1, "x")]),
        ("a,b\n1,\"\"\n2,5\n", [(1, None), (2, 5)]),
        ("a,b\n+49,x\n", [("+49", "x")]),
        ("a,b\n0.30000000000000004,x\n", [(0.1 + 0.2, "x")]),
        ("a,b\n-1234567890.1234567,x\n", [(-1234567890.1234567, "x")]),
        ("a,b\n1234567890.123456789,x\n", [("1234567890.123456789", "x")]),
        ("a,b\n1234567890123456,x\n1.5,y\n", [("1234567890123456", "x"), ("1.5", "y")]),
        ("a,b\n0.00012345678901234,x\n", [(0.00012345678901234, "x")]),
        ("a,b\ntrue,x\nfalse,y\n", [(True, "x"), (False, "y")]),
        ("a,b\n1,2020-01-02 03:04:05\n", [(1, datetime.datetime(2020, 1, 2, 3, 4, 5))]),
        ("a,b\n٣,x\n", [("٣", "x")]),
        ("a,b;c\n1,x;y;z\n2,x;y;z\n", [(1, "x;y;z"), (2, "x;y;z")]),
        ("a;b\n" + "1;2\n" * 10 + "1;2,5\n" * 9, [(1, "2")] * 10 + [(1, "2,5")] * 9),
        ("a\n" + "x" * 200_000 + "\n", [("x" * 200_000,)]),
        ('a,b\n1,"' + "x" * 200_000 + '"\n', [(1, "x" * 200_000)]),
        ("a,b\n007,x\n", [("007", "x")]),
        ("a,b\n1.50,2020-02-29\n", [(1.5, pl.Series(["2020-02-29"]).str.to_date().item())]),
        ("a,b\n1,2020-02-30\n", [(1, "2020-02-30")]),
        ("a,b\n12345678901234567890,1\n", [("12345678901234567890", 1)]),
        ("a,b\n1e5,-.5\n", [(1e5, -0.5)]),
        ("a,b\n1,1e999\n", [(1, "1e999")]),
    ],
)  # fmt: skip
def test_cells_are_found(file, text, rows):
    assert _cells(unveil.read(file(text))) == rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_not_a_name(file, encoding):
    path = file("\ufeffa,b\n1,x\n".encode(encoding))
    assert unveil.read(path, format=Csv(encoding=encoding)).columns == ("a", "b")


def test_a_decimal_comma_is_never_the_delimiter(file):
    path = file("a;b\n1,5;2,5\n")
    assert _cells(unveil.read(path, format=Csv(decimal=","))) == [(1.5, 2.5)]
    with pytest.raises(DataError, match="needs a header"):
        unveil.read(file("1,5;2,5\n3,5;4,5\n"), format=Csv(delimiter=";", decimal=","))


def test_what_is_written_with_a_decimal_comma_has_semicolons(tmp_path):
    schema = Schema(nominal="b", missing={"a": ["?"]}, numeric="a")
    data = Microdata.from_text(pl.DataFrame({"a": ["1.5", "?"], "b": ["2.5", "x"]}), schema)
    unveil.write(data, tmp_path / "t.csv", format=Csv(decimal=","))
    assert (tmp_path / "t.csv").read_text() == "a;b\n1,5;2.5\n?;x\n"
    assert unveil.read(tmp_path / "t.csv", schema, format=Csv(decimal=",")) == data


def test_categories_are_written_as_their_labels(tmp_path):
    pandas = pytest.importorskip("pandas")
    schema = Schema(ordinal={"e": [1, 2]}, nominal="f")
    data = Microdata(pandas.DataFrame({"e": [1, 2, None], "f": [1.5, 2.0, None]}), schema)
    for dialect in (Csv(), Csv(decimal=",")):
        unveil.write(data, tmp_path / "t.csv", format=dialect, force=True)
        assert unveil.read(tmp_path / "t.csv", schema, format=dialect) == data


def test_a_guessed_schema_can_be_used(file, tmp_path):
    path = file(
        "born,seen,sex,code,pay\n1980-01-02,2020-01-01T00:00:00,true,007,1.5\n"
        "1990-05-06,2020-01-02T00:00:00,false,008,\n"
    )
    guessed = Schema.infer(unveil.read(path))
    unveil.write(guessed, tmp_path / "s.toml")
    assert Schema.infer(unveil.read(path, tmp_path / "s.toml")) == guessed
    assert [guessed[name].level for name in guessed] == [
        "numeric", "numeric", "nominal", "nominal", "numeric",
    ]  # fmt: skip


def test_nanoseconds_come_back(tmp_path):
    moment = pl.Series([1_600_000_000_123_456_789]).cast(pl.Datetime("ns"))
    data = Microdata(pl.DataFrame({"t": moment}), Schema(numeric="t"))
    unveil.write(data, tmp_path / "t.csv")
    assert unveil.read(tmp_path / "t.csv", data.schema) == data


def test_truth_values_may_be_declared_numeric(file):
    data = unveil.read(file("a,b\ntrue,1\nfalse,2\n"), Schema(numeric="a"))
    assert numbers(data, ["a"]).values[:, 0].tolist() == [1, 0]


def test_a_dialect_can_be_said(file):
    path = file("a;b\n1,5;'x;y'\nNA;'NA'\n".encode("latin-1"))
    data = unveil.read(
        path, format=Csv(delimiter=";", decimal=",", quote="'", missing=["NA"], encoding="latin-1")
    )
    assert _cells(data) == [(1.5, "x;y"), (None, None)]


def test_decimal_points_are_not_read_under_a_decimal_comma(file):
    path = file("a;b\n1.500;x\n")
    assert _cells(unveil.read(path, format=Csv(decimal=","))) == [("1.500", "x")]
    with pytest.raises(DataError, match="decimal point"):
        unveil.read(path, Schema(numeric="a"), format=Csv(decimal=","))


def test_what_is_declared_nominal_stays_as_it_was_written(file):
    path = file("a,b\n1.50,01\n")
    assert _cells(unveil.read(path, Schema(nominal=["a", "b"]))) == [("1.50", "01")]


def test_missing_codes_of_a_column_do_not_hide_its_numbers(file):
    path = file("a,b\n1,x\n9.0,y\n?,9\n")
    data = unveil.read(path, Schema(quasi="a", missing={"a": [9, "?"], "b": ["y"]}))
    assert data.schema["a"].level == "numeric"
    assert _cells(data) == [(1.0, "x"), (9.0, "y"), (None, "9")]
    assert data.column("a").to_list() == [1.0, None, None]


def test_missing_codes_are_written_back(file, tmp_path):
    path = file("a,b\n1,x\n9,y\n?,z\n,w\n")
    data = unveil.read(path, Schema(numeric="a", missing={"a": [9, "?"]}))
    unveil.write(data, tmp_path / "back.csv")
    assert (tmp_path / "back.csv").read_text() == path.read_text()


def test_null_is_written_as_the_files_code(tmp_path):
    data = Microdata(pl.DataFrame({"a": [1, None], "b": ["NA", "x"]}))
    unveil.write(data, tmp_path / "t.csv", format=Csv(missing=["?"]))
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,NA\n?,x\n"
    for code, column in (("NA", "b"), ("1", "a")):
        with pytest.raises(DataError, match=f"'{column}' has 1 cell equal to a code for missing"):
            unveil.write(data, tmp_path / "u.csv", format=Csv(missing=[code]))
    with pytest.raises(DataError, match="the code for missing has a delimiter"):
        unveil.write(data, tmp_path / "u.csv", format=Csv(missing=["N,A"]))
    with pytest.raises(DataError, match="zero bytes"):
        unveil.write(Microdata(pl.DataFrame({"a": ["\0"]})), tmp_path / "u.csv")
    assert not (tmp_path / "u.csv").exists()


def test_without_quotes_text_must_be_plain(tmp_path):
    data = Microdata(pl.DataFrame({"a": ["x", "y,z"]}))
    with pytest.raises(DataError, match="row 2.*need quotes"):
        unveil.write(data, tmp_path / "t.csv", format=Csv(quote=""))
    with pytest.raises(DataError, match="row 1.*need quotes"):
        unveil.write(Microdata(pl.DataFrame({"a": [""]})), tmp_path / "t.csv", format=Csv(quote=""))
    unveil.write(data, tmp_path / "t.csv", format=Csv(quote="", delimiter=";"))
    assert _cells(unveil.read(tmp_path / "t.csv", format=Csv(quote="", delimiter=";"))) == [
        ("x",), ("y,z",),
    ]  # fmt: skip
    with pytest.raises(DataError, match="name of column 'a;b'"):
        unveil.write(
            Microdata(pl.DataFrame({"a;b": [1]})), tmp_path / "u.csv",
            format=Csv(quote="", delimiter=";"),
        )  # fmt: skip


def test_an_encoding_that_cannot_hold_the_text_is_refused(tmp_path):
    data = Microdata(pl.DataFrame({"a": ["Łódź"]}))
    with pytest.raises(DataError, match="does not fit the encoding latin-1"):
        unveil.write(data, tmp_path / "t.csv", format=Csv(encoding="latin-1"))
    assert list(tmp_path.iterdir()) == []


def test_a_header_of_numbers_is_not_written(tmp_path):
    with pytest.raises(DataError, match="a header of numbers only"):
        unveil.write(Microdata(pl.DataFrame({"2019": [1], "2020": [2]})), tmp_path / "t.csv")


def test_a_lone_column_keeps_its_delimiters(tmp_path):
    data = Microdata(pl.DataFrame({"a;b": ["x;y", "p;q", "r;s", None, ""]}))
    unveil.write(data, tmp_path / "t.csv")
    assert unveil.read(tmp_path / "t.csv") == data


def test_a_tsv_file_has_tabs(tmp_path):
    unveil.write(Microdata(pl.DataFrame({"a": [1], "b": [2]})), tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_text() == "a\tb\n1\t2\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"a,b\n", "a header and no record"),
        (b"a,b", "a header and no record"),
        (b"a,a\n1,2\n", "columns 1 and 2 have the same name"),
        (b"a,\n1,2\n", "column 2 has a blank name"),
        (b"a,*\n1,2\n", "column 2 is called"),  # which would select the identifiers, too
        (b"^a.*$,ab\n1,2\n", "column 1 is called"),
        (b"1,2\n3,4\n", "needs a header"),
        (
            b"a,b\n1,2\n3\n",
            "row 2 has 1 cell and the header 2 columns \\(such rows: 1 of 2\\); correct",
        ),
        (b"a,b\n1,2,3\n4,5\n", "row 1 has 3"),
        (b"a,b\n1,2\n\n3,4\n", "row 2 has 1"),
        (b'a,b\n1,"2"\n3\n', "row 2 has 1"),
        (b'a,b\n1,"2\n3,4\n', "quotes do not match"),
        (b'a,b\n"x" y,2\n', "quotes do not match"),
        (b'"a,b\n1,2\n', "quotes do not match"),
        (b"a,b\n1,\xe9\n", "row 1 has bytes that are not utf-8 text; .* perhaps latin-1"),
        (b"\xe9,b\n1,2\n", "the header has bytes"),
        (b'a,b\n"x\ny\nz",1\n2,\xe9\n', "row 2 has bytes"),
        (b"a,b\r1,2\r3,\xe9\r", "row 2 has bytes"),
        ("a,b\n1,2\n".encode("utf-32"), "read it with encoding='utf-32'"),
        (b"a;b\n1;2\n3;4;5\n", "row 2 has 3 cells"),
        (b"a;b\n1\n2;3;4\n", "the delimiter cannot be detected"),
        (b"a,b\n" + b"1,x;y\n" * 6 + b"1;2\n" * 4, "row 7 has 1 cell"),
        (b"title\n1;2\n3;4\n", "row 1 has 2 cells and the header 1 column"),
        (b"\na,b\n1,2\n", "the first line is blank"),
        ("a,b\n1,2\n".encode("utf-16"), "read it with encoding='utf-16'"),
        (b"a,b\n1,\0\n", "zero bytes"),
        (b"PAR1....PAR1", "this is a Parquet file"),
        (b"PK\x03\x04abc", "this is a zip file"),
        (b"\x1f\x8babc", "this is a gzip file"),
    ],
)
def test_a_broken_file_is_refused_by_name(file, content, said):
    path = file(content)
    with pytest.raises(UnveilError, match=said) as caught:
        unveil.read(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ",,"}, {"delimiter": "é"}, {"delimiter": "\n"}, {"quote": "\n"},
        {"delimiter": ",", "decimal": ","}, {"delimiter": '"'}, {"decimal": ";"},
        {"encoding": "klingon"}, {"missing": "NA"}, {"delimiter": ""}, {"encoding": "base64"},
        {"encoding": "rot13"}, {"encoding": "a\0"}, {"encoding": "undefined"}, {"delimiter": "1"},
        {"delimiter": "-"}, {"quote": "a"}, {"delimeter": ","},
    ],
)  # fmt: skip
def test_an_impossible_dialect_is_refused(options):
    with pytest.raises(SpecError, match="^csv: "):
        Csv(**options)


def test_the_file_is_named_once(file):
    path = file("a\n1\n")
    with pytest.raises(SchemaError) as caught:
        unveil.read(path, Schema(quasi="b"))
    assert str(caught.value).count(str(path)) == 1


def test_a_file_that_is_not_there_is_suggested(file):
    path = file("a\n1\n", "survey.csv")
    with pytest.raises(FileError, match="no such file; did you mean 'survey.csv'"):
        unveil.read(path.with_name("survye.csv"))
    with pytest.raises(FileError, match="this is a folder"):
        unveil.read(path.parent)
    with pytest.raises(FileError, match="file name too long"):
        unveil.read("x" * 300 + ".csv")
    with pytest.raises(UsageError, match="not int"):
        unveil.read(5)
    with pytest.raises(UsageError, match="not str"):
        unveil.read(path, format="csv")
    assert len(unveil.read(file("a\n1\n", "CAPITALS.CSV"))) == 1
    with pytest.raises(FileError, match="'.xyz' names no known format; endings are: .csv"):
        unveil.read(file("a\n", "t.xyz"))
