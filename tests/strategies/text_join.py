"""The text join: a release as a reader without a schema sees it, against all that is claimed of it.

A case is a table with missing codes and plain mess, a mask or none, and a file format. The release
is written, its cells are read as text, classes of text are counted, and the original, written in
the same way, is joined by text. `python tests/strategies/text_join.py 10000` runs so many cases.
"""

import csv
import datetime
import logging
import re
import sqlite3
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import unveil
from strategies.masks import KINDS, NUMBERS, ORDER, SPECS
from unveil import Schema, measures, models

FORMATS = ("csv", "parquet", "arrow", "xlsx", "sav", "dta", "xpt", "sqlite")
AT_ONCE = 200  # cases that hypothesis draws, some of them twice
AS_IS = "as it is"  # released by another program, which changed nothing
CODES = {
    "whole": ("-99", "999", "-98"),
    "tiny": ("-99", "-98", "99"),
    "unsigned": ("250", "251", "252"),
    "number": ("-999", "-998.5", "0"),
    "single": ("-999", "-998.5", "0"),
    "date": ("refused", "1800-01-01", "-9"),
    "time": ("refused", "-8", "-9"),
    "text": ("refused", "-9", ""),
    "code": ("-9", "-8", "98"),
    "truth": ("refused", "-8", "-9"),
    "grade": ("refused", "-8", "-9"),
    "step": ("-9", "-8", "refused"),
}
IN_FRAMES = ("whole", "tiny", "unsigned", "number", "single", "text", "code", "grade", "step")


class Case:
    """An original, how it is masked, and where it is written."""

    def __init__(self, rows, codes, *, typed, mask, format, keys, seed):  # noqa: A002
        self.rows = rows  # text cells by column: null is empty, "" a quoted blank
        self.codes = codes  # missing codes by column
        self.typed = typed  # the original is a frame of types, not a text file with its mess
        self.mask = mask  # or AS_IS
        self.format = format
        self.keys = keys
        self.seed = seed

    def __repr__(self):
        used = {name: codes for name, codes in self.codes.items() if codes and name in self.keys}
        return f"Case({self.mask!r}, {self.format}, {self.keys}, {used}, typed={self.typed})"

    @property
    def schema(self):
        """The schema of the original."""
        declared = {
            name: {"role": "quasi", "level": KINDS[name][2], "missing": self.codes[name]}
            for name in self.rows
        }
        if "grade" in declared:
            declared["grade"]["order"] = ORDER
        return Schema(declared)


@st.composite
def cases(draw, method=None):
    """A case, of any method or of a given one."""
    rng = np.random.default_rng(list(draw(st.binary(min_size=8, max_size=8))))
    name = method or str(rng.choice([AS_IS, *SPECS]))
    typed = bool(rng.integers(2)) and name != AS_IS
    n, missing, mess = int(rng.integers(1, 31)), rng.choice([0, 0.1, 0.4, 0.8]), rng.random() / 2
    few = bool(rng.integers(2))  # values, so that there are classes
    mask = AS_IS if name == AS_IS else draw(SPECS[name])
    keys = tuple(rng.permutation(list(KINDS))[: rng.integers(1, 4)].tolist())
    rows, codes = {}, {}
    for column in (one for one in KINDS if one in {*keys, *_columns_of(mask)}):
        several = int(rng.integers(0, 4)) if not typed or column in IN_FRAMES else 0
        codes[column] = tuple(rng.permutation(CODES[column])[:several].tolist())
        if typed:
            codes[column] = tuple(c for c in codes[column] if _fits(c, column))
        values = [_cell(rng, column) for _ in range(4 if few else n)]
        cells = [values[rng.integers(len(values))] for _ in range(n)]
        blanks = [None, *codes[column]] if rng.integers(2) else [*codes[column]] or [None]
        cells = [
            blanks[rng.integers(len(blanks))] if rng.random() < missing else cell for cell in cells
        ]
        if not typed:
            cells = [
                _misspelt(rng, cell, column) if rng.random() < mess else cell for cell in cells
            ]
        rows[column] = cells
    return Case(
        rows=rows,
        codes=codes,
        typed=typed,
        mask=mask,
        format="csv" if name == AS_IS else str(rng.choice(FORMATS)),
        keys=keys,
        seed=int(rng.integers(2**32)),
    )


def _columns_of(mask):
    """The columns that a mask names, or some for one that names none."""
    sets = getattr(mask, "groups", None) or ()
    grouped = [] if isinstance(sets, dict) else [name for one in sets for name in one.columns]
    return getattr(mask, "columns", None) or grouped or ["whole", "text"]


def _cell(rng, column):
    value = KINDS[column][0](rng)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and rng.random() < 0.2:
        return "0.0" if rng.random() < 0.5 else "-0.0"
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds")  # Excel has no finer ones
    return str(value)


def _fits(code, column):
    """Whether a column of this type can hold a code."""
    return column not in (*NUMBERS, "code", "step") or re.fullmatch(r"-?[0-9.]+", code)


def _misspelt(rng, cell, column):
    """The same cell as somebody else would write it; of a category, another category."""
    if cell is None:
        return "" if column not in ("grade", "truth") else None
    if column == "time":
        return cell.replace("T", " ")
    number = column != "date" and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell)
    if number and column in (*NUMBERS, "step"):
        plain = [f" {cell}", f"{cell} ", f"{cell}e0", f"{cell}0" if number[1] else f"{cell}.0"]
        if column in NUMBERS and not cell.startswith("-"):
            plain += [f"+{cell}", f"0{cell}"]
        if column == "step":  # read as numbers while none looks like a code
            plain = [f"{cell}.0"]
        return plain[rng.integers(len(plain))]
    if column in ("text", "code") and cell not in CODES[column]:
        return [f"{cell} ", f" {cell}", cell.upper(), f"{cell}.0"][rng.integers(4)]
    return cell


def check(case, folder):
    """Whether the case could be made; an AssertionError, if more is read than was claimed."""
    raw, path = folder / "raw.csv", folder / f"release.{case.format}"
    _write_text(case.rows, raw)
    try:
        original = _frame(case) if case.typed else unveil.read(raw, case.schema)
        if case.mask == AS_IS:
            _compare_as_is(case, original, raw)
            return True
        release = unveil.mask(original, [case.mask], seed=case.seed)
        _write(release.data, path)
    except unveil.UnveilError:
        return False
    texts = read_text(path)
    _compare_promises(case, original, texts)
    keys = [name for name in case.keys if name in release.data.columns]
    if not keys:
        return True
    in_file = _read_again(path, release)
    for data in (release.data, in_file):
        if data is not None:
            _compare_claims(data, texts, keys)
    if release.row_map is not None:
        joined = _joined(original.select(release.data.columns), texts, keys, release, folder)
        _compare_ceiling(original, release, None, keys, texts, joined)
        if case.seed % 8 == 0:
            _compare_truth(original, release, keys)
        if in_file is not None:
            _compare_ceiling(original, in_file, release.row_map, keys, texts, joined)
    return True


def _compare_as_is(case, original, raw):
    """A file that another program released: every cell is text that an intruder reads."""
    texts, n = read_text(raw), len(original)
    _compare_claims(original, texts, list(case.keys))
    rows = np.arange(n)
    distinct = len(set(_rows(texts, case.keys)))
    _compare_ceiling(original, original, rows, list(case.keys), texts, float(distinct))
    if not any("" in texts[name] for name in case.keys):  # an empty cell is not compared
        _compare_hits(original, list(case.keys), distinct)


def _compare_hits(original, keys, distinct):
    """The nearest rows are those with the same text."""
    intruder, truth = unveil.Intruder(knows=keys), np.arange(len(original))
    try:
        links = unveil.attack(original, original, "distance", intruder=intruder, truth=truth)
    except unveil.UnveilError:
        assert distinct == 1, ("nothing varies", keys)
        return
    hits = measures.risk(links).expected
    assert hits >= distinct - 1e-6, ("hits of a text join", hits, distinct, keys)


def _compare_promises(case, original, texts):
    for promised, keys in case.mask.guarantees(original):
        for model in promised:
            counts = _fitting(texts, keys) if model.counted == "rows" else _sizes(texts, keys)
            assert min(counts) >= model.least_size, ("promise", model, keys)


def _compare_claims(data, texts, keys):
    smallest = min(_sizes(texts, keys))
    (claim,) = models.check(data, models.KAnonymity(k=2), keys=keys)
    assert claim.found <= smallest, ("k", claim.found, smallest, keys)
    (claim,) = models.check(data, models.KAnonymity(k=2, stars="wildcard"), keys=keys)
    assert claim.found <= min(_fitting(texts, keys)), ("wildcard", claim.found, keys)
    uniques = sum(size == 1 for size in _sizes(texts, keys))
    assert measures.uniqueness(data, keys).uniques >= uniques, ("uniques", keys)


def _compare_ceiling(original, release, truth, keys, texts, joined):
    """The ceiling of an attack is at least what a join by text finds."""
    intruder = unveil.Intruder(knows=keys)
    try:
        links = unveil.attack(original, release, "distance", intruder=intruder, truth=truth)
        ceiling = measures.ceiling(links)
    except unveil.UnveilError:  # nothing varies, or the types of the two files differ
        return
    n_known = int((links.true_rows >= 0).sum())
    if n_known == len(texts[keys[0]]):
        assert ceiling >= len(set(_rows(texts, keys))) - 1e-9, ("distinct rows", ceiling, keys)
    if joined is not None:
        assert ceiling >= joined - 1e-9, ("text join", ceiling, joined, keys)


def _compare_truth(original, release, keys):
    """An intruder who knows the mask, and its missing codes, excludes nobody's own row."""
    refusal = ""
    try:
        unveil.attack(original, release, "tailored", intruder=unveil.Intruder(knows=keys))
    except unveil.UnveilError as error:
        refusal = str(error)
    assert "cannot have made" not in refusal, (refusal, keys)


def _joined(original, texts, keys, release, folder):
    """The expected hits of a join by text with the original, written in the same way."""
    path = folder / f"original.{_suffix(folder)}"
    try:
        _write(original, path)
    except unveil.UnveilError:
        return None
    released, rows = Counter(_rows(texts, keys)), _rows(texts, keys)
    known = _rows(read_text(path), keys)
    return sum(
        1 / released[rows[place]]
        for place, record in enumerate(release.row_map.tolist())
        if known[record] == rows[place]
    )


def _suffix(folder):
    return next(p.suffix[1:] for p in folder.iterdir() if p.stem == "release")


def _rows(texts, keys):
    return list(zip(*(texts[name] for name in keys), strict=True))


def _sizes(texts, keys):
    rows = _rows(texts, keys)
    counted = Counter(rows)
    return [counted[row] for row in rows]


def _fitting(texts, keys):
    """For each row those that fit it: a star and an empty cell fit all."""
    rows = np.array(_rows(texts, keys), object)
    hidden = (rows == "*") | (rows == "")
    fits = (rows[:, None] == rows) | hidden[:, None] | hidden
    return fits.all(axis=2).sum(axis=1).tolist()


def _frame(case):
    """The original as a frame of types; missing codes in their cells."""
    columns = []
    for name, cells in case.rows.items():
        texts, kind = pl.Series(name, cells, dtype=pl.String), KINDS[name][1]
        if kind == pl.Boolean:
            column = texts == "true"
        elif kind == pl.Datetime("us"):
            column = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us")
        elif kind == pl.Date:
            column = texts.str.to_date("%Y-%m-%d")
        elif kind.is_integer():
            column = texts.cast(pl.Float64).cast(kind)
        else:
            column = texts.cast(kind)
        columns.append(column.alias(name))
    return unveil.Microdata(pl.DataFrame(columns), case.schema)


def _write_text(rows, path):
    """A text file with the cells as they are; a blank is quoted, an empty cell is not."""
    lines = [",".join(rows)]
    lines += [
        ",".join("" if cell is None else cell or '""' for cell in cells)
        for cells in zip(*rows.values(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def _write(data, path):
    place = f"sqlite:///{path}?table=people" if path.suffix == ".sqlite" else path
    unveil.write(data, place, force=True)


def _read_again(path, release):
    """The release as an auditor reads it; None where its schema does not fit the file's types."""
    place = f"sqlite:///{path}?table=people" if path.suffix == ".sqlite" else path
    try:
        return unveil.read(place, release.schema)
    except unveil.UnveilError:
        return None


def read_text(path):
    """The cells of a file as text, column by column, as a reader without a schema sees them."""
    suffix = path.suffix[1:]
    if suffix == "csv":
        with path.open(newline="") as file:
            header, *rows = (row or [""] for row in csv.reader(file))
        return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    if suffix in ("parquet", "arrow"):
        frame = pl.read_parquet(path) if suffix == "parquet" else pl.read_ipc(path)
        return {c.name: [_text(cell) for cell in c.to_list()] for c in frame}
    if suffix == "sqlite":
        with sqlite3.connect(path) as connection:
            rows = connection.execute("select * from people")
            names = [column[0] for column in rows.description]
            cells = list(zip(*rows.fetchall(), strict=True))
        connection.close()
        return {name: list(map(_text, column)) for name, column in zip(names, cells, strict=True)}
    if suffix == "xlsx":
        return _sheet(path)
    import pyreadstat

    if suffix == "xpt":
        cells, _ = pyreadstat.read_xport(path, output_format="dict")
    else:
        reader = pyreadstat.read_sav if suffix == "sav" else pyreadstat.read_dta
        cells, _ = reader(path, output_format="dict", user_missing=True)
    return {name: list(map(_text, column)) for name, column in cells.items()}


def _text(cell):
    return "" if cell is None or str(cell) == "nan" else str(cell)


def _sheet(path):
    """The cells of the only sheet, as they are in its XML."""
    with zipfile.ZipFile(path) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        strings = book.read("xl/sharedStrings.xml").decode()
    shared = re.findall(r"<si>(.*?)</si>", strings, re.DOTALL)
    table = {}
    for reference, kind, value in re.findall(
        r'<c r="([A-Z]+[0-9]+)"(?: s="[0-9]+")?(?: t="(\w+)")?>(?:<v>(.*?)</v>)?', sheet
    ):
        table[reference] = re.sub("<.*?>", "", shared[int(value)]) if kind == "s" else value
    width = max(_place(reference)[1] for reference in table)
    height = int(re.search(r'<dimension ref="A1(?::[A-Z]+([0-9]+))?"', sheet)[1])
    grid = {place: [""] * height for place in range(width + 1)}
    for reference, text in table.items():
        row, column = _place(reference)
        grid[column][row] = text
    return {column[0]: column[1:] for column in grid.values()}


def _place(reference):
    letters, row = re.fullmatch(r"([A-Z]+)([0-9]+)", reference).groups()
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return int(row) - 1, column - 1


def run(many, seed=0):
    """Run different cases until so many could be made; how many of each format, and refused."""
    logging.getLogger("unveil").setLevel(logging.ERROR)
    counts, seen = Counter(), set()

    def some(case):
        if case.seed in seen:
            return
        seen.add(case.seed)
        with tempfile.TemporaryDirectory() as folder:
            made = check(case, Path(folder))
        counts.update([case.format, "made"] if made else ["refused"])

    chosen = settings(
        max_examples=min(many, AT_ONCE),
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    while counts["made"] < many:
        hypothesis_seed(seed)(chosen(given(cases())(some)))()
        seed += 1
    return counts


if __name__ == "__main__":
    sys.stdout.write(f"{run(*map(int, sys.argv[1:]))}\n")
