"""The records of one file as numbers of its own: every kind of column, or why it is none."""

import datetime

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.attacks.structural.file_features import (
    FileFeatures,
    correlation_matrix,
    feature_deviations,
    feature_scores,
)
from unveil.errors import DataError

N = 60
LETTERS = [f"category-{i:02d}" for i in range(N)]


def side(schema=None, n=N, **columns):
    frame = pl.DataFrame({name: cells[:n] for name, cells in columns.items()})
    data = Microdata(frame, None if schema is None else Schema(**schema))
    return FileFeatures.of(data, data.columns, "release")


def test_numbers_dates_and_orders_are_one_feature_each():
    days = [datetime.date(2000, 1, 1) + datetime.timedelta(days=i) for i in range(N)]
    found = side(
        {"ordinal": {"grade": ["low", "mid", "high"]}},
        age=range(N), day=days, grade=["mid", None, "high"] * 20,
    )  # fmt: skip
    assert found.columns == ("age", "day", "grade")
    assert len(found) == N
    assert found.values[:3, 0].tolist() == [0, 1, 2]
    assert np.diff(found.values[:, 1]).tolist() == [1] * (N - 1)
    assert np.array_equal(found.values[:3, 2], [1, np.nan, 2], equal_nan=True)
    assert found.left_out == {}


def test_a_nominal_attribute_is_a_feature_for_each_category_that_is_not_rare():
    cells = (["x"] * 30 + ["y"] * 20 + ["z"] * 8 + ["rare", None])[:N]
    found = side({"nominal": ["job"]}, job=cells)
    assert [feature.category for feature in found.features] == ["x", "y", "z"]
    assert found.columns == ("job",)
    assert np.nansum(found.values, axis=0).tolist() == [30, 20, 8]
    assert np.isnan(found.values[-1]).all()


@pytest.mark.parametrize(("many", "features"), [(2, 1), (5, 5), (20, 12)])
def test_how_many_features_categories_make(many, features):
    found = side({"nominal": ["job"]}, job=[LETTERS[i % many] for i in range(N)])
    assert found.values.shape == (N, features)
    assert set(np.unique(found.values)) == {0, 1}


@pytest.mark.parametrize(
    ("schema", "cells", "reason"),
    [
        ({}, [7.5] * N, "is constant"),
        ({}, pl.Series([None] * N, dtype=pl.Float64), "is missing in every record"),
        ({"nominal": ["odd"]}, pl.Series([None] * N, dtype=pl.String), "is missing in every"),
        ({"nominal": ["odd"]}, ["category-07"] * N, "is constant"),
        ({"nominal": ["odd"]}, LETTERS, "each of its categories is rare"),
        ({"ordinal": {"odd": ["a", "b"]}}, pl.Series([None] * N, dtype=pl.String), "is missing"),
        ({"numeric": ["odd"], "generalised": ["odd"]}, ["31..47"] * N, "ranges and sets"),
        ({}, [1e200] + [0.0] * (N - 1), "too large to compute with"),
    ],
)
def test_what_says_nothing_is_left_out_in_words_without_values(schema, cells, reason):
    found = side(schema, odd=cells, age=range(N))
    assert found.columns == ("age",)
    assert list(found.left_out) == ["odd"]
    assert reason in found.left_out["odd"]
    for cell in ("category", "7.5", "31", "47", "1e+200"):
        assert cell not in found.left_out["odd"]
    assert side(schema, odd=cells).values.shape == (N, 0)


def test_of_few_records_nothing_can_be_said():
    with pytest.raises(DataError, match="release has 9 records.*at least 10"):
        side(n=9, age=range(N))
    assert len(side(n=10, age=range(N))) == 10


def test_the_same_features_of_other_people():
    schema = Schema(nominal=["job", "sex"], ordinal={"grade": ["low", "high"]})
    own = {"job": ["x", "y", "z"] * 20, "sex": ["f", "m"] * 30, "grade": ["low", "high"] * 30}
    data = Microdata(pl.DataFrame(own), schema)
    found = FileFeatures.of(data, data.columns, "release")
    assert np.array_equal(found.of_records(data), found.values)
    others = {"job": ["y", "unheard", None], "sex": ["m", "unheard", None], "grade": ["high"] * 3}
    expected = [[0, 1, 0, 1, 1], [0, 0, 0, np.nan, 1], [np.nan] * 4 + [1]]
    assert np.array_equal(
        found.of_records(Microdata(pl.DataFrame(others), schema)), expected, equal_nan=True
    )


def test_rows_go_by_what_they_hold():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 3, (N, 2)).astype(float)
    found, order = side(a=values[:, 0], b=values[:, 1]), rng.permutation(N)
    again = side(a=values[order, 0], b=values[order, 1])
    assert np.array_equal(found.values[found.order], again.values[again.order])


def test_scores_have_unit_deviation_and_missing_ones_are_as_others_suggest():
    rng = np.random.default_rng(2)
    one = rng.standard_normal(300)
    values = np.column_stack([np.exp(one), one + 0.1 * rng.standard_normal(300), np.ones(300)])
    values[:50, 1] = np.nan
    found = feature_scores(values, values)
    assert np.isfinite(found).all()
    assert not found[:, 2].any()  # a constant
    assert feature_deviations(found[50:, 1]) == pytest.approx(1)
    assert found[:, 0].std() == pytest.approx(1)
    assert np.corrcoef(found[:50, 1], found[:50, 0])[0, 1] > 0.95
    strangers = feature_scores(np.array([[1e9, np.nan, 1.0], [np.nan] * 3]), values)
    assert strangers[0, 0] == found[:, 0].max()
    assert strangers[0, 1] > 1
    assert not strangers[1].any()


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_what_is_filled_in_is_no_larger_than_what_is_known(share):
    """Though many attributes say the same, and correlations of pairs cannot all hold together."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 9))
    values[rng.random(values.shape) < share] = np.nan
    values[2:, 0] = np.nan  # hardly known at all
    found = feature_scores(values, values)
    assert np.abs(found).max() < 5
    assert np.linalg.eigvalsh(correlation_matrix(found))[0] > -1e-9
