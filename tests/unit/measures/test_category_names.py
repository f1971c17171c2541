"""Names of categories: never a number that could be another code."""

import polars as pl

from unveil import Microdata, Schema, measures

ROOF = [2] * 40 + [1] * 20 + [9] * 15 + [6] * 12 + [4] * 3


def data(**declared):
    schema = Schema({"roof": {"level": "nominal", "role": "quasi", **declared}})
    return Microdata(pl.DataFrame({"roof": ROOF}), schema)


def names(declared=None, **how):
    found = measures.subgroups(data(labels=declared or {}), **how)[0].names
    assert found[-1] == "fewer than 10 records each"
    return found[:-1]


def test_the_name_of_a_category_is_no_code_of_another():
    assert names() == (
        "A (most frequent)", "B (2nd most frequent)", "C (3rd most frequent)",
        "D (4th most frequent)",
    )  # fmt: skip


def test_a_rank_is_that_among_all_categories():
    assert names({"2": "tiles"})[:2] == ("tiles", "B (2nd most frequent)")


def test_codes_are_shown_on_request():
    assert names(show_values=True) == ("2", "1", "9", "6")
    assert names({"2": "tiles"}, show_values=True) == ("tiles", "1", "9", "6")


def test_bars_have_the_same_names_as_subgroups():
    pair = measures.FilePair.of(data(), data().take(range(60)), None)
    for show in (False, True):
        bars = measures.shapes(pair, show_values=show)[0].bars
        assert tuple(bar.label for bar in bars) == (*names(show_values=show), "other")
