"""Excel workbooks: what is written comes back, what a workbook cannot hold is refused."""

import datetime
import io
import subprocess
import sys
import zipfile

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.tables import cell_text, finite, whole, wild_names
from unveil import Microdata, Schema
from unveil.errors import DataError, FileError, MissingPackageError
from unveil.files import Excel
from unveil.files.formats.excel_limits import check_fits

DAY = datetime.date(2020, 1, 2)
NOON = datetime.datetime(2020, 1, 2, 12)
first = datetime.datetime(1900, 3, 1)
last = datetime.datetime(9999, 12, 31, 23, 59, 59, 999000)
moments = st.datetimes(first, last).map(
    lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)
)
KINDS = {
    "whole": (whole, pl.Int64),
    "number": (finite, pl.Float64),
    "date": (st.dates(first.date(), last.date()), pl.Date),
    "time": (moments, pl.Datetime("us")),
    "text": (cell_text, pl.String),
    "truth": (st.booleans(), pl.Boolean),
}


@st.composite
def sheets(draw):
    """Columns of every kind, and one that is never missing, so that no row is blank."""
    n = draw(st.integers(1, 6))
    columns = [pl.Series("there", range(n))]
    for name in draw(st.lists(wild_names.filter(lambda one: one != "there"), unique=True)):
        cells, kind = KINDS[draw(st.sampled_from(list(KINDS)))]
        values = draw(st.lists(st.none() | cells, min_size=n, max_size=n))
        columns.append(pl.Series(name, values, dtype=kind))
    return pl.DataFrame(columns)


@pytest.fixture
def book(tmp_path):
    """A workbook of sheets, each a list of rows, written as its cells are."""

    def make(sheets, hidden=(), name="t.xlsx"):
        path = tmp_path / name
        with xlsxwriter.Workbook(str(path), {"strings_to_formulas": False}) as made:
            day = made.add_format({"num_format": "yyyy-mm-dd"})
            clock = made.add_format({"num_format": "hh:mm:ss"})
            for sheet, rows in sheets.items():
                page = made.add_worksheet(sheet)
                for row, cells in enumerate(rows):
                    for column, cell in enumerate(cells):
                        if isinstance(cell, datetime.time):
                            page.write_datetime(row, column, cell, clock)
                        elif isinstance(cell, datetime.date):
                            page.write_datetime(row, column, cell, day)
                        elif isinstance(cell, str) and cell.startswith("#"):
                            page.write_formula(row, column, "=A1", None, cell)
                        elif cell is not None:
                            page.write(row, column, cell)
                if sheet in hidden:
                    page.hide()
        return path

    return make


def _rows(data):
    return data.to_frame().rows()


@examples(2)
@given(sheets())
def test_a_table_comes_back(tmp_path, frame):
    data = Microdata(frame)
    unveil.write(data, tmp_path / "t.xlsx", force=True)
    back = unveil.read(tmp_path / "t.xlsx")
    assert back.columns == data.columns
    for ours, theirs in zip(data.to_frame(), back.to_frame(), strict=True):
        if ours.null_count() == len(ours):
            assert theirs.null_count() == len(ours)  # a column without a cell has no type
        elif ours.dtype == pl.Datetime and theirs.dtype == pl.Date:
            assert ours.cast(pl.Date).cast(ours.dtype).equals(ours)  # midnights are dates
            assert ours.cast(pl.Date).equals(theirs)
        else:
            assert theirs.cast(ours.dtype).equals(ours)
            assert theirs.dtype.is_numeric() == ours.dtype.is_numeric()


def test_cells_are_what_they_were(tmp_path):
    frame = pl.DataFrame(
        {
            "code": ["007", None, "=1+1"],
            "link": ["https://example.org", "mailto:a@b.c", "12"],
            "born": [DAY, None, DAY],
            "seen": [NOON, NOON, None],
            "sex": [True, None, False],
            "age": [31, None, 2**53],
            "pay": [0.1 + 0.2, 1.7976931348623157e308, -5e-324],
        }
    )
    unveil.write(Microdata(frame), tmp_path / "t.xlsx#people")
    back = unveil.read(tmp_path / "t.xlsx#people").to_frame()
    assert back.equals(frame.with_columns(pl.col("seen").dt.cast_time_unit("ms")))
    with zipfile.ZipFile(tmp_path / "t.xlsx") as parts:
        page = parts.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in page
    assert b"hyperlink" not in page
    # A schema reads the same file: 12 in a column of text is a number if it is declared to be.
    data = unveil.read(tmp_path / "t.xlsx", Schema(quasi=["age", "code"], nominal="code"))
    assert data.schema["age"].level == "numeric"


def test_the_same_table_is_the_same_bytes(tmp_path):
    for name in ("a.xlsx", "b.xlsx"):
        unveil.write(unveil.households(20), tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    assert (tmp_path / "a.xlsx").stat().st_mode & 0o077 == 0
    assert unveil.read(tmp_path / "a.xlsx", unveil.households(20).schema) == unveil.households(20)


def test_a_column_of_several_kinds_is_text(book):
    rows = [["a", "b", "c", "d"], [1, True, DAY, 1], ["?", 2, "x", "2"], [2.5, None, 3, 3]]
    path = book({"s": rows})
    assert _rows(unveil.read(path)) == [
        ("1", "true", "2020-01-02 00:00:00", "1"), ("?", "2", "x", "2"), ("2.5", None, "3", "3"),
    ]  # fmt: skip
    schema = Schema(numeric=["a", "d"], missing={"a": ["?"]})
    assert unveil.read(path, schema).column("a").to_list() == [1, None, 2.5]
    assert unveil.read(path, schema).column("d").to_list() == [1, 2, 3]
    with pytest.raises(DataError, match="'c' is numeric and some cells are not numbers"):
        unveil.read(path, Schema(numeric="c"))


def test_a_late_cell_counts_for_the_type_of_its_column(book):
    path = book({"s": [["a", "b"], *([i, i] for i in range(1500)), ["x", 0.5]]})
    data = unveil.read(path).to_frame()
    assert data["a"][-1] == "x"
    assert data["b"][-1] == 0.5
    assert data.null_count().row(0) == (0, 0)


def test_blank_rows_and_columns_around_the_table_are_left_out(book):
    path = book({"s": [[], [None, "a", "b"], [None, 1, "x"], [], [None, 2, "#N/A"], [], [" "]]})
    with pytest.raises(DataError, match="column 1 has a blank name"):
        unveil.read(path)
    path = book({"s": [[], [None, "a", "b"], [None, 1, "x"], [], [None, 2, "#N/A"], [], []]})
    assert _rows(unveil.read(path)) == [(1, "x"), (None, None), (2, None)]
    path = book({"s": [["a", "b"], [1, None], ["#N/A", "#DIV/0!"]]})
    assert _rows(unveil.read(path)) == [(1, None)]


def test_times_of_day_are_text(book):
    path = book({"s": [["a"], [datetime.time(7, 8, 9)], [datetime.time(0)]]})
    assert _rows(unveil.read(path)) == [("07:08:09",), ("00:00:00",)]
    path = book({"s": [["a"], [datetime.time(7, 8, 9)], [DAY]]})
    with pytest.raises(DataError, match="'a' holds dates and times of day at once"):
        unveil.read(path)


def test_the_sheet_is_the_one_that_is_named(book):
    table, other = [["a"], [1]], [["b"], [2]]
    path = book({"people": table, "homes": other})
    assert unveil.read(f"{path}#homes").columns == ("b",)
    assert unveil.read(path, format=Excel(sheet="people")).columns == ("a",)
    with pytest.raises(FileError, match=r"several sheets: people, homes; name one: t.xlsx#people"):
        unveil.read(path)
    with pytest.raises(FileError, match="no such sheet .*; did you mean 'homes'"):
        unveil.read(f"{path}#home")
    path = book({"people": table, "homes": other, "Sheet3": []}, hidden=["homes"], name="u.xlsx")
    assert unveil.read(path).columns == ("a",)
    assert unveil.read(f"{path}#homes").columns == ("b",)
    with pytest.raises(FileError, match="no sheet with cells that is not hidden"):
        unveil.read(book({"s": []}))
    path.with_name("u.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="only a workbook has sheets"):
        unveil.read(path.with_name("u.csv#homes"))


def test_a_chart_is_no_table_and_nothing_is_said_of_it(tmp_path):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as made:
        page, chart = made.add_worksheet("a"), made.add_chart({"type": "line"})
        page.write_row(0, 0, ["x", "blank"])
        page.write_row(1, 0, [1])
        chart.add_series({"values": "=a!$A$2:$A$2"})
        made.add_chartsheet("b").set_chart(chart)
    code = f"import unveil; print(unveil.read({str(path)!r}))"  # where no log is set up
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Microdata(1 record, 2 columns)"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["a", "b"]], "a header and no record"),
        ([["a", "a"], [1, 2]], "columns 1 and 2 have the same name"),
        ([["a", None, "b"], [1, 2, 3]], "column 2 has a blank name"),
        ([["a"], [1, 2]], "column 2 has a blank name"),
        ([["a", " "], [1, 2]], "column 2 has a blank name"),
        ([[1, 2], [3, 4]], "needs a header"),
        ([["Survey of 2020"], ["a", "b"], [1, 2]], "column 2 has a blank name"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(book, rows, said):
    path = book({"s": rows})
    with pytest.raises(DataError, match=said) as caught:
        unveil.read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_names_may_be_numbers_among_words_or_as_text(book, tmp_path):
    assert unveil.read(book({"s": [["a", 2020], [1, 2]]})).columns == ("a", "2020")
    unveil.write(Microdata(pl.DataFrame({"2019": [1], "2020": [2]})), tmp_path / "n.xlsx")
    assert unveil.read(tmp_path / "n.xlsx").columns == ("2019", "2020")


@pytest.mark.parametrize("keep", [0, 3, 10, 200, -1, -30])
def test_a_workbook_cut_short_is_refused(tmp_path, keep):
    unveil.write(unveil.households(20), tmp_path / "whole.xlsx")
    (tmp_path / "cut.xlsx").write_bytes((tmp_path / "whole.xlsx").read_bytes()[:keep])
    with pytest.raises(FileError, match="not a whole Excel workbook: .* a password"):
        unveil.read(tmp_path / "cut.xlsx")


def _with_part(path, part, change):
    """A workbook of which one part is another."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    path.write_bytes(out.getvalue())


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("xl/worksheets/sheet1.xml", lambda xml: xml[: xml.index(b"</sheetData>")]),
        ("xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'r="A2"', b'r="2A"')),
        ("xl/sharedStrings.xml", lambda _: b"<sst></sst>"),
        ("xl/workbook.xml", lambda xml: xml[:50]),
    ],
)
def test_a_damaged_workbook_is_refused(book, part, change):
    path = book({"s": [["a", "b"], [1, "x"]]})
    _with_part(path, part, change)
    with pytest.raises(FileError, match="not a whole Excel workbook") as caught:
        unveil.read(path)
    assert caught.value.__cause__ is None


def test_a_reader_that_panics_has_read_a_damaged_workbook(book, monkeypatch):
    class PanicException(BaseException):
        pass

    def fail(kind):
        def raises(_content):
            raise kind

        return raises

    path = book({"s": [["a"], [1]]})
    monkeypatch.setattr("fastexcel.read_excel", fail(PanicException))
    with pytest.raises(FileError, match="not a whole Excel workbook"):
        unveil.read(path)
    monkeypatch.setattr("fastexcel.read_excel", fail(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        unveil.read(path)


def test_a_workbook_called_csv_is_known(book, tmp_path):
    path = book({"s": [["a"], [1]]}, name="t.xlsx")
    (tmp_path / "t.csv").write_bytes(path.read_bytes())
    (tmp_path / "u.csv").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    for name in ("t.csv", "u.csv"):
        with pytest.raises(FileError, match="this is an Excel workbook, not CSV"):
            unveil.read(tmp_path / name)


@pytest.mark.parametrize("ending", [".xlsm", ".xlsb", ".xls", ".ods"])
def test_other_workbooks_are_not_written(tmp_path, ending):
    with pytest.raises(FileError, match=f"written as .xlsx, not as {ending}"):
        unveil.write(unveil.households(5), tmp_path / f"t{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 32, "at most 31"), ("🙂" * 16, "at most 31"), (" ", "not blank"), ("", "not blank"),
        *((f"a{mark}b", "has none of") for mark in "[]:*?/\\"),
        ("'a", "begins nor ends"), ("a'", "begins nor ends"), ("History", "for itself"),
    ],
)  # fmt: skip
def test_a_name_that_excel_refuses_is_refused(tmp_path, name, said):
    with pytest.raises(FileError, match=said):
        unveil.write(unveil.households(5), tmp_path / "t.xlsx", format=Excel(sheet=name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            ["x", "y" * 32_768],
            "'a' has text of over 32,767 characters.* 1 cell, the first in row 2",
        ),
        (["🙂" * 16_384], "over 32,767"),
        (["<r>x</r>"], "treats as markup"),
        (["_x0041_x0041_"], "treats as markup"),
        (["\uffff"], "treats as markup"),
        ([2**53 + 1], "'a' has whole numbers beyond 2\\^53.* make it text"),
        ([DAY, datetime.date(1900, 2, 28)], "'a' has 1 date before March 1900 .*row 2"),
        ([datetime.datetime(1899, 1, 1, 5)], "before March 1900"),
        ([NOON.replace(microsecond=1)], "finer than a millisecond"),
        ([NOON.replace(tzinfo=datetime.UTC)], "a time zone"),
        ([1, None], "the last record has no cell"),
    ],
)
def test_what_a_workbook_cannot_hold_is_refused(tmp_path, cells, said):
    with pytest.raises(DataError, match=said):
        unveil.write(Microdata(pl.DataFrame({"a": cells})), tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_the_longest_that_it_can_hold_is_written(tmp_path):
    data = Microdata(pl.DataFrame({"a": ["y" * 32_767, "<r>", "_x0041_", "\x01"]}))
    unveil.write(data, f"{tmp_path}/t.xlsx#{'x' * 31}")
    assert unveil.read(tmp_path / "t.xlsx") == data


def test_a_sheet_has_so_many_rows_and_columns():
    with pytest.raises(DataError, match="there are 1,048,576 and 1: write it as CSV"):
        check_fits(pl.DataFrame({"a": pl.zeros(1_048_576, pl.Int8, eager=True)}))
    with pytest.raises(DataError, match="16,384 columns; there are 1 and 16,385"):
        check_fits(pl.DataFrame({str(i): [1] for i in range(16_385)}))
    with pytest.raises(DataError, match="names of the columns have text of over"):
        check_fits(pl.DataFrame({"x" * 40_000: [1]}))


def test_an_infinite_code_for_missing_is_refused(tmp_path):
    frame = pl.DataFrame({"a": [1.5, float("inf"), 2.5]})
    data = Microdata(frame, Schema(numeric="a", missing={"a": ["inf"]}))
    with pytest.raises(DataError, match="infinite; choose another code"):
        unveil.write(data, tmp_path / "t.xlsx")


def test_an_absent_package_is_named_with_its_extra(book, tmp_path, monkeypatch):
    path, data = book({"s": [["a"], [1]]}), unveil.households(5)
    for package in ("fastexcel", "xlsxwriter"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=r"package fastexcel.* 'unveil\[excel\]'"):
        unveil.read(path)
    with pytest.raises(MissingPackageError, match=r"package xlsxwriter.* 'unveil\[excel\]'"):
        unveil.write(data, tmp_path / "new.xlsx")


ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content
  xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="people">{rows}</table:table>
</office:spreadsheet></office:body></office:document-content>"""


def _ods_cell(cell):
    kind, name = {bool: ("boolean", "boolean-value"), str: ("string", "string-value")}.get(
        type(cell),
        ("date", "date-value") if isinstance(cell, datetime.date) else ("float", "value"),
    )
    told = cell.isoformat() if kind == "date" else str(cell).lower()
    value = f'office:value-type="{kind}" office:{name}="{told}"'
    return f"<table:table-cell {value}><text:p>{told}</text:p></table:table-cell>"


def test_an_open_document_is_read(tmp_path):
    rows = [["a", "b", "c", "d"], [1, "007", True, DAY], [2, "x", False, DAY]]
    cells = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
    )
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        parts.writestr("META-INF/manifest.xml", "<manifest/>")
        parts.writestr("content.xml", ODS.format(rows=cells))
    assert _rows(unveil.read(tmp_path / "t.ods#people")) == [tuple(row) for row in rows[1:]]
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.ods").read_bytes())
    with pytest.raises(FileError, match="this is an Excel workbook, not CSV"):
        unveil.read(tmp_path / "t.csv")


def test_no_part_of_a_workbook_lies_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "not there"))
    unveil.write(unveil.households(5), tmp_path / "t.xlsx")
    assert len(unveil.read(tmp_path / "t.xlsx")) == 5
    with zipfile.ZipFile(tmp_path / "t.xlsx") as whole:
        assert b"1980-01-01T00:00:00Z" in whole.read("docProps/core.xml")
