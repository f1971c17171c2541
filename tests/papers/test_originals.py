"""`unveil papers --import`: files as their hosts give them become the verified data sets."""

import bz2
import csv
import gzip
import hashlib
import json
import lzma
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.paper_files import path_of
from unveil.errors import FileError, UsageError
from unveil_papers import originals
from unveil_papers.datasets import DATASETS
from unveil_papers.originals import convert, import_originals
from unveil_papers.r_data import read_data_frame

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text()
WIDTHS = (8, 7, 8, 3, 8, 8, 7, 8, 4, 7, 7, 7, 7, 7)  # of the columns of housing.data
TEXTS = [name for name, known in DATASETS.items() if known.column_names]


def described():
    """The files of the page's table: their size and hash, where they are known."""
    cells = [line.strip("| ").split("|") for line in PAGE.splitlines() if line.startswith("| ")]
    rows = [[cell.strip(" `") for cell in row] for row in cells]
    known = {data.original for data in DATASETS.values()}
    return {row[0]: [*row[2:], "", ""][:2] for row in rows if row[0] in known}


def rebuilt(name, content):
    """The original of a converted file: what a host gives, byte by byte."""
    rows = [line.split(",") for line in content.decode().splitlines()[1:]]
    if name == "housing":
        cells = ((cell.rjust(wide) for cell, wide in zip(row, WIDTHS, strict=True)) for row in rows)
        return "".join(f"{''.join(row)}\n" for row in cells).encode()
    first, comma, last = "", ",", ""
    if name == "adult_train":
        comma, last = ", ", "\n"
    elif name == "adult_test":
        first, comma, last = "|1x3 Cross validator\n", ", ", "\n"
        rows = [[*row[:-1], f"{row[-1]}."] for row in rows]
    elif name == "abalone":
        rows = [[re.sub(r"^(\d+)\.0$", r"\1", cell) for cell in row] for row in rows]
    elif name == "iris":
        names = ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
        rows = [[*row[:-1], names[int(row[-1])]] for row in rows]
        rows[34][3:4] = ["0.1"]
        rows[37][1:3] = ["3.1", "1.5"]
        last = "\n"
    return f"{first}{''.join(f'{comma.join(row)}' + chr(10) for row in rows)}{last}".encode()


@pytest.mark.parametrize("name", TEXTS)
def test_an_original_becomes_the_verified_file(paper_data, tmp_path, monkeypatch, name):
    paper_data(name)
    known, content = DATASETS[name], path_of(name).read_bytes()
    original = rebuilt(name, content)
    size, found = described()[known.original]
    if name != "water-treatment":
        assert (size, found) == (str(len(original)), hashlib.sha256(original).hexdigest())
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path))
    for ends in (b"\n", b"\r\n"):
        (tmp_path / known.original).write_bytes(original.replace(b"\n", ends))
        result = import_originals([tmp_path / known.original])
        assert result.written == (str(tmp_path / known.file),)
        assert (tmp_path / known.file).read_bytes() == content
        assert known not in result.missing


@pytest.mark.parametrize("name", ["census", "eia"])
def test_a_data_frame_of_r_becomes_the_verified_file(paper_data, tmp_path, monkeypatch, name):
    paper_data(name)
    known, content = DATASETS[name], path_of(name).read_bytes()
    header, *rows = csv.reader(content.decode().splitlines())
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    frame = {
        name: list(map(float, cells)) if cells[0].isdecimal() else list(cells)
        for name, cells in columns.items()
    }
    (tmp_path / known.original).write_bytes(bz2.compress(r_data(frame)))
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path))
    import_originals([tmp_path / known.original])
    assert (tmp_path / known.file).read_bytes() == content


def test_the_page_lists_every_original():
    assert set(described()) == {known.original for known in DATASETS.values()}


SMALL = {
    "adult_test": (b"|1x3 Cross validator\n25, ?, 11th, <=50K.\n\n", "25,?,11th,<=50K"),
    "adult_train": (b"39, State-gov, >50K\n\n", "39,State-gov,>50K"),
    "abalone": (b"M,0.455,1,0,15\n", "M,0.455,1.0,0.0,15"),
    "housing": (b" 0.00632  18.00   2.310\n", "0.00632,18.00,2.310"),
    "iris": (b"5.1,3.5,1.4,0.2,Iris-virginica\n", "5.1,3.5,1.4,0.2,2"),
    "wdbc": (b"842302,M,17.99\r\n", "842302,M,17.99"),
    "water-treatment": (b"D-1/3/90,44101,?", "D-1/3/90,44101,?"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_of_the_same_form(name):
    content, row = SMALL[name]
    header = ",".join(DATASETS[name].header)
    assert convert(DATASETS[name], content).decode() == f"{header}\n{row}\n"
    assert len(DATASETS[name].header) == DATASETS[name].columns


def r_data(frame, version=2, range_rows=False):
    """A data frame as R's `save` writes it: floats, whole numbers, and text as a factor."""
    whole = lambda *values: struct.pack(f">{len(values)}i", *values)  # noqa: E731
    text = lambda one: whole(9 | 8 << 12, len(one.encode())) + one.encode()  # noqa: E731
    texts = lambda many: whole(16, len(many)) + b"".join(map(text, many))  # noqa: E731
    seen = []

    def symbol(name):
        if name in seen:
            return whole(255 | (seen.index(name) + 1) << 8)
        seen.append(name)
        return whole(1) + text(name)

    def pair(name, value):
        return whole(2 | 0x400) + symbol(name) + value

    def column(cells):
        if any(isinstance(cell, str) for cell in cells):
            levels = sorted({cell for cell in cells if cell is not None})
            codes = [-(2**31) if cell is None else levels.index(cell) + 1 for cell in cells]
            head = whole(13 | 0x300, len(codes), *codes) + pair("levels", texts(levels))
            return head + pair("class", texts(["factor"])) + whole(254)
        if any(isinstance(cell, float) for cell in cells):
            known = [float("nan") if cell is None else cell for cell in cells]
            return whole(14, len(known)) + struct.pack(f">{len(known)}d", *known)
        return whole(13, len(cells), *(-(2**31) if cell is None else cell for cell in cells))

    many = len(next(iter(frame.values())))
    start = whole(version, 0x30600, 0x20300 if version == 2 else 0x30500)
    if version == 3:
        start += whole(5) + b"UTF-8"
    saved = whole(2 | 0x400) + symbol("saved") + whole(19 | 0x300, len(frame))
    body = saved + b"".join(map(column, frame.values())) + pair("names", texts(list(frame)))
    rows = whole(13, 2, -(2**31), -many)
    if range_rows:  # what R 3.5 and later write for 1:many
        state = whole(14, 3) + struct.pack(">3d", many, 1, 1)
        kind = pair("", whole(13, 1, 13)) + whole(254)
        rows = whole(238) + kind + state + whole(254)
    end = pair("row.names", rows) + pair("class", texts(["data.frame"])) + whole(254, 254)
    return f"RDX{version}\nX\n".encode() + start + body + end


FRAME = {"whole": [1, None, 3], "real": [45554.0, 0.5, None], "name": ["b, c", None, "a"]}
TEXT = {"whole": ["1", None, "3"], "real": ["45554", "0.5", None], "name": ["b, c", None, "a"]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(("version", "range_rows"), [(2, False), (3, False), (3, True)])
def test_a_small_data_frame_of_r(pack, version, range_rows):
    content = pack(r_data(FRAME, version, range_rows))
    assert read_data_frame(content) == TEXT
    expected = 'whole,real,name\n1,45554,"b, c"\n?,0.5,?\n3,?,a\n'
    assert convert(DATASETS["eia"], content).decode() == expected


@given(st.data())
def test_a_damaged_file_of_r_is_refused_or_read(data):
    content = bytearray(r_data(FRAME, 3, range_rows=True))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 5))]  # without its end
        damaged = True
    else:
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
        damaged = False
    try:
        read_data_frame(data.draw(st.sampled_from([bytes, gzip.compress]))(bytes(content)))
    except FileError:
        return
    assert not damaged


def test_what_is_not_the_original_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path / "data"))
    wrong, other = tmp_path / "adult.data", tmp_path / "adult.dat"
    wrong.write_text("39, secret, >50K\n")
    other.write_text("39, State-gov, >50K\n")
    with pytest.raises(FileError, match=r"not adult.data as its host gives it.*8fb550d4") as caught:
        import_originals([wrong])
    assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match=r"mean 'adult\.data'"):
        import_originals([other])
    with pytest.raises(FileError, match="cannot be read"):
        import_originals([tmp_path / "wdbc.data"])
    wrong.write_bytes(b"PK\x03\x04\xff")
    with pytest.raises(FileError, match="unpack an archive first"):
        import_originals([wrong])
    (tmp_path / "EIA.rda").write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(FileError, match="one data frame"):
        import_originals([tmp_path / "EIA.rda"])
    assert not (tmp_path / "data").exists()


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Two originals whose converted files are verified by their own hashes."""
    content = {"wdbc": b"1,M,2\n", "iris": b"1,2,3,4,Iris-setosa\n"}
    known = {
        name: originals.msgspec.structs.replace(
            DATASETS[name], sha256=hashlib.sha256(convert(DATASETS[name], original)).hexdigest()
        )
        for name, original in content.items()
    }
    for name, original in content.items():
        (tmp_path / known[name].original).write_bytes(original)
    for module in ("originals", "datasets"):
        monkeypatch.setattr(f"unveil_papers.{module}.DATASETS", known)
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path / "data"))
    return tmp_path


def test_the_command_says_what_it_wrote_and_what_is_missing(unveil_command, tiny):
    ran = unveil_command("papers", "--import")
    assert ran.out.splitlines()[0] == "Still missing:"
    assert ran.out.count("of the UCI") + ran.out.count("scikit-learn") == 2
    ran = unveil_command("papers", "--import", tiny / "wdbc.data")
    assert (ran.code, ran.err) == (0, "")
    assert f"Wrote {tiny / 'data' / 'wdbc.csv'}" in ran.out
    assert [line.split()[:2] for line in ran.out.splitlines()[3:]] == [["iris", "iris.data"]]
    ran = unveil_command("papers", "--import", tiny / "iris.data", "--json")
    assert json.loads(ran.out)["missing"] == []
    assert unveil_command("papers", "--import").out == "No data set is missing.\n"


def test_another_file_is_replaced_by_force_only(unveil_command, tiny):
    target = tiny / "data" / "iris.csv"
    target.parent.mkdir()
    target.write_text("mine\n")
    ran = unveil_command("papers", "--import", tiny / "wdbc.data", tiny / "iris.data")
    assert ran.code
    assert "--force replaces it" in ran.err
    assert target.read_text() == "mine\n"
    assert not (tiny / "data" / "wdbc.csv").exists()
    assert unveil_command("papers", "--import", tiny / "iris.data", "--force").code == 0
    assert target.read_text().endswith("1,2,3,4,0\n")


def test_what_cannot_be_written_leaves_nothing_behind(unveil_command, tiny):
    target = tiny / "data" / "iris.csv"
    target.mkdir(parents=True)
    ran = unveil_command("papers", "--import", tiny / "iris.data")
    assert (ran.code, "iris.csv: cannot be written" in ran.err) == (3, True)
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("option", [["--quick"], ["--fresh"], ["--report", "p.html"]])
def test_an_import_runs_no_paper(unveil_command, tiny, option):
    ran = unveil_command("papers", "--import", tiny / "wdbc.data", *option)
    assert ran.code
    assert "--import runs no paper" in ran.err
    assert not (tiny / "data").exists()
