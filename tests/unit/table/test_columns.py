"""Single columns: their labels, numbers and types."""

import datetime

import polars as pl

from unveil.table.columns import cell_of, labels_of, typed_from_text, values_of, whole_numbers


def test_a_category_has_one_label_however_it_is_stored():
    assert labels_of(pl.Series([1.0, 2.5, None])).to_list() == ["1", "2.5", None]
    assert cell_of("-9.0", pl.Int64()).item() == -9
    assert cell_of("?", pl.Int64()) is None


def test_floats_become_integers_only_if_all_are_whole():
    assert whole_numbers(pl.Series([1.0, None])).dtype == pl.Int64
    assert whole_numbers(pl.Series([1.5])).dtype == pl.Float64


def test_a_date_counts_days():
    assert values_of(pl.Series([datetime.date(1970, 1, 2), None])).to_list() == [1.0, None]


def test_codes_stay_text():
    assert typed_from_text(pl.Series(["1", None, "2"])).dtype == pl.Int64
    assert typed_from_text(pl.Series(["01", "02"])).dtype == pl.String
