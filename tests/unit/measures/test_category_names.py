"""Names of categories: never a number that could be another code."""

import polars as pl

from unveil import Microdata, Schema, measures
from unveil.measures.category_names import category_codes

ROOF = [2] * 40 + [1] * 20 + [9] * 15 + [6] * 12 + [4] * 3


def data(**declared):
    schema = Schema({"roof": {"level": "nominal", "role": "quasi", **declared}})
    return Microdata(pl.DataFrame({"roof": ROOF}), schema)


def test_the_name_of_a_category_is_no_code_of_another():
    names = measures.subgroups(data())[0].names
    assert names == (
        "A (most frequent)", "B (2nd most frequent)", "C (3rd most frequent)",
        "D (4th most frequent)", "fewer than 10 records each",
    )  # fmt: skip
    assert category_codes(data(), ["roof"])["roof"] == dict(zip(names, "2196", strict=False))


def test_a_rank_is_that_among_all_categories():
    declared = data(labels={"2": "tiles"})
    assert measures.subgroups(declared)[0].names[:2] == ("tiles", "B (2nd most frequent)")
    assert "tiles" not in category_codes(declared, ["roof"])["roof"]


def test_bars_have_the_same_letters_as_subgroups():
    pair = measures.FilePair.of(data(), data().take(range(60)), None)
    bars = measures.shapes(pair)[0].bars
    assert [bar.label for bar in bars[:4]] == list(measures.subgroups(data())[0].names[:4])
    assert bars[4].label == "other"
