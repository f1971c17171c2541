"""Tables and schemas for hypothesis."""

from __future__ import annotations

import datetime

import polars as pl
from hypothesis import strategies as st

from unveil import Schema
from unveil.table.roles import ROLES

cell_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
plain_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
wild_names = cell_text.filter(str.strip)
whole = st.integers(-(2**53), 2**53)
finite = st.floats(allow_nan=False, allow_infinity=False)


dates = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
times = st.datetimes(datetime.datetime(1600, 1, 1), datetime.datetime(2200, 1, 1))
grades = st.sampled_from(["low", "mid", "high"])
_KINDS = {
    "whole": (whole, pl.Int64, "numeric"),
    "number": (finite, pl.Float64, "numeric"),
    "date": (dates, pl.Date, "numeric"),
    "time": (times, pl.Datetime("us"), "numeric"),
    "text": (cell_text, pl.String, "nominal"),
    "truth": (st.booleans(), pl.Boolean, "nominal"),
    "code": (finite, pl.Float64, "nominal"),
    "grade": (grades, pl.String, "ordinal"),
}


@st.composite
def tables(draw, names=plain_names, max_rows=12, max_columns=5):
    """A polars frame and a schema that declares every level, with some missing codes."""
    n = draw(st.integers(1, max_rows))
    columns = draw(st.lists(names, min_size=1, max_size=max_columns, unique=True))
    made, declared = [], {}
    for name in columns:
        cells, kind, level = _KINDS[draw(st.sampled_from(list(_KINDS)))]
        values = draw(st.lists(st.none() | cells, min_size=n, max_size=n))
        made.append(pl.Series(name, values, dtype=kind))
        declared[name] = {"level": level}
        if level == "ordinal":
            declared[name]["order"] = ["low", "mid", "high"]
        if level == "numeric" and draw(st.booleans()):
            declared[name]["missing"] = ["0", "-1", "?"]
    return pl.DataFrame(made), Schema(declared)


@st.composite
def attributes(draw):
    """A legal attribute as a plain mapping."""
    labels = st.text(max_size=5)
    level = draw(st.sampled_from([None, "numeric", "ordinal", "nominal"]))
    table = {
        "role": draw(st.lists(st.sampled_from(ROLES), unique=True)),
        "missing": draw(st.lists(labels.map("code".__add__), max_size=3, unique=True)),
        "labels": draw(st.dictionaries(labels, labels, max_size=3)),
        "generalised": draw(st.booleans()),
        "question": draw(labels),
    }
    if level:
        table["level"] = level
    if level == "ordinal":
        table["order"] = draw(st.lists(labels, max_size=4, unique=True))
    if draw(st.booleans()):
        named = labels.filter(lambda label: label not in ("", "a", "b", "all"))
        leaves = draw(st.lists(named, min_size=1, max_size=4, unique=True))
        table["hierarchy"] = [[leaf, draw(st.sampled_from("ab")), "all"] for leaf in leaves]
    return table


schemas = st.dictionaries(st.text(min_size=1, max_size=6), attributes(), max_size=5).map(Schema)
