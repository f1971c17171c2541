"""A CSV file that is read in pieces of a few bytes is what it is when read at once."""

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import unveil
from naive import csv_whole
from strategies.tables import finite
from unveil import Schema
from unveil.errors import UnveilError
from unveil.files import Csv
from unveil.files.formats.csv import decoding
from unveil.files.formats.csv import format as csv

CELLS = [
    "1", "22", "-3", "007", "1.5", "1.50", "2e3", "12345678901234567", "true", "false", "word",
    "2020-01-02", "2020-02-30", "2020-01-02T03:04:05", "2020-01-02 03:04:05.1234567", "", '""',
    '"a,b"', '"x\ny"', '"x\r\n\r\ny"', '"say ""hi"""', '"\n"', "é", "\ufeff", "x\ry", '5" pipe',
    '"', " ", "NA", "9", '"9"', "x" * 40,
]  # fmt: skip
ENDS = ["\n", "\r\n", "\r", "\n\n", "\r\r\n"]


@st.composite
def hostile(draw):
    """Lines of cells, most of them as they should be."""
    width = draw(st.integers(1, 3))
    end = draw(st.sampled_from(ENDS[:3]))
    kinds = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=3))
    lines = []
    for number in range(draw(st.integers(0, 12))):
        odd = draw(st.integers(0, 9)) == 0
        cells = draw(
            st.lists(
                st.sampled_from(CELLS if odd else kinds),
                min_size=width - (odd and number % 2),
                max_size=width,
            )
        )
        lines.append(",".join(cells) + (draw(st.sampled_from(ENDS)) if odd else end))
    header = ",".join(["a", "b", '"c\nd"'][:width]) + end
    whole = header + "".join(lines)
    return whole + draw(st.sampled_from(["", end, end * 3, "1,2", '"', " "]))


@st.composite
def files(draw):
    """The bytes of a file, and how it is to be read; not always in its own encoding."""
    text = draw(hostile())
    stored = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"]))
    raw = text.encode(stored, errors="replace")
    if draw(st.integers(0, 9)) == 0:
        place = draw(st.integers(0, len(raw)))
        raw = raw[:place] + draw(st.sampled_from([b"\xe9", b"\0", b"\xff\xfe"])) + raw[place:]
    read = (
        stored if draw(st.integers(0, 9)) else draw(st.sampled_from(["utf-8", "utf-16", "cp932"]))
    )
    form = Csv(
        delimiter=draw(st.sampled_from([None, ",", ","])),
        encoding=read,
        quote=draw(st.sampled_from(['"', '"', ""])),
        missing=draw(st.sampled_from([(), ("NA",), ("9", "1")])),
    )
    return raw, form


schemas = st.sampled_from(
    [
        None,
        Schema(nominal="a"),
        Schema(numeric="a"),
        Schema(quasi="a", missing={"a": ["9", "9.0"]}),
        Schema(nominal="a", missing={"a": ["9.0", "1"]}),
        Schema(ordinal={"a": ["1", "22"]}),
    ]
)


def _outcome(load):
    try:
        data = load()
    except UnveilError as error:
        return type(error), str(error)
    frame = data.to_frame()
    inside = [data.column(name).to_list() for name in data.columns]
    return data.schema, frame.schema, frame.rows(), inside


@given(files(), schemas, st.integers(1, 9))
@example((b'a,b\n1,x\ry\n2,z\n3,"w"\n', Csv()), None, 5)
@example((b"a,b\n1,2\r\r\n\r\r\n", Csv()), None, 3)
@example((b"a,b\n" + b"1,2020-01-02\n" * 5 + b"007,word\n", Csv()), None, 8)
@example((b"a,b\n1,2\n3\n4,\xe9\n5,\0\n", Csv()), None, 4)
@example((b"a,b\n1,2\n\n\n\n\n", Csv()), None, 2)
@example((b'a,b\n1,"2\n3,4\n5,6\n7,8\n', Csv()), None, 2)
def test_pieces_come_to_the_whole(tmp_path, file, schema, size):
    raw, form = file
    path = tmp_path / "t.csv"
    path.write_bytes(raw)
    expected = _outcome(lambda: csv_whole.load(raw, schema, form))
    assert _outcome(lambda: form.load(path, schema)) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "PIECE_BYTES", size)
        assert _outcome(lambda: form.load(path, schema)) == expected


@given(
    st.lists(st.tuples(st.sampled_from(["x", "é", "a,b", '"', "", None]), finite), min_size=1),
    st.sampled_from(
        ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7", "iso2022_jp_2"]
    ),
)
def test_rows_written_one_by_one_are_the_same_bytes(tmp_path, rows, encoding):
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Float64}, orient="row")
    data, form = unveil.Microdata(frame), Csv(encoding=encoding)
    form.save(data, tmp_path / "whole.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "WRITTEN_CELLS", 2)
        form.save(data, tmp_path / "rows.csv")
    whole = (tmp_path / "whole.csv").read_bytes()
    assert (tmp_path / "rows.csv").read_bytes() == whole
    assert whole == whole.decode(encoding).encode(encoding)
