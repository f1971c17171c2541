"""Arrays as columns of the type that the column had."""

import numpy as np
import polars as pl

from unveil.table.encoding.to_columns import Slack, as_column, donated, labelled, slack_of


def test_numbers_are_rounded_to_the_type_of_the_column():
    ages = pl.Series("age", [31, None, 54])
    assert as_column(ages, np.array([30.6, np.nan, 55.2])).to_list() == [31, None, 55]
    assert slack_of(ages) == Slack(absolute=0.5, relative=0.0)


def test_a_donor_gives_its_cell():
    assert donated(pl.Series(["a", "b"]), np.array([1, 1, -1])).to_list() == ["b", "b", None]


def test_categories_are_written_in_the_type_of_the_column():
    codes = pl.Series("code", [1, 2])
    assert labelled(codes, pl.Series(["2", None, "9.0"])).to_list() == [2, None, 9]
    assert labelled(codes, pl.Series(["nine"])) is None
