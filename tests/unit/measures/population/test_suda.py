"""What SUDA tells, what it does not show, and what it refuses."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, measures
from unveil.errors import UsageError
from unveil.measures.population import suda as module


def categories(n, columns, *, weight=None):
    rng = np.random.default_rng(3)
    names = [f"k{i}" for i in range(columns)]
    frame = pl.DataFrame({name: rng.integers(0, 6, n).astype(str) for name in names})
    schema = {"quasi": names, "nominal": names}
    if weight is None:
        return Microdata(frame, Schema(**schema))
    return Microdata(frame.with_columns(w=pl.lit(float(weight))), Schema(**schema, weight="w"))


def test_categories_are_named_as_on_a_page():
    people = unveil.households(400, seed=7)
    keys = ["sex", "education", "age"]
    found = measures.suda(people, keys).summary
    assert found.columns == tuple(keys)
    named = [(one.column, one.name) for one in found.categories]
    groups = measures.subgroups(people, keys)
    assert named == [(group.column, name) for group in groups for name in group.names]
    assert ("sex", "A (most frequent)") in named
    assert ("age", "lowest fifth") in named
    for column, share in ((one.column, one.share) for one in found.attributes):
        own = [one.share for one in found.categories if one.column == column]
        assert sum(own) == pytest.approx(share)


def test_dis_is_that_of_the_weights_unless_it_is_given():
    data = categories(60, 3, weight=20)
    found = measures.suda(data)
    pairs = data.to_frame().drop("w").group_by(pl.all()).len()["len"]
    uniques, twins = (pairs == 1).sum(), (pairs == 2).sum()
    expected = uniques * 0.05 / (uniques * 0.05 + 2 * twins * 0.95)
    assert found.summary.dis == pytest.approx(expected)
    assert ((found.dis_scores > 0) == (found.scores > 0)).all()
    assert found.dis_scores.max() <= 1
    assert measures.suda(data, dis=0.1).summary.dis == 0.1
    assert not measures.suda(data, dis=0).dis_scores.any()
    certain = measures.suda(data, dis=1)
    assert set(certain.dis_scores[certain.scores > 0]) == {1.0}
    unknown = measures.suda(categories(60, 3))
    assert unknown.dis_scores is None
    assert unknown.summary.dis is None


def test_largest_size():
    data = categories(60, 4)
    whole, small = measures.suda(data), measures.suda(data, max_size=2)
    assert small.summary.max_size == len(small.summary.by_size) == 2
    assert whole.summary.by_size[:2] == small.summary.by_size
    assert small.summary.special <= whole.summary.special <= whole.summary.uniques


def test_no_record_is_unique():
    found = measures.suda(categories(60, 1))
    assert found.summary.sets == ()
    assert not found.scores.any()
    assert {one.share for one in found.summary.attributes} == {0.0}
    single = measures.suda(categories(1, 2))
    assert single.summary.uniques == 1
    assert repr(single) == "Suda(1 record; 1 unique, 1 of them special)"


def test_what_is_refused(monkeypatch):
    with pytest.raises(UsageError, match="name at most 20"):
        measures.suda(categories(5, 21))
    with pytest.raises(UsageError, match="max_size"):
        measures.suda(categories(5, 2), max_size=3)
    with pytest.raises(UsageError, match="dis: a number from 0 to 1"):
        measures.suda(categories(5, 2), dis=2)
    with pytest.raises(UsageError, match="give one of them"):
        measures.suda(categories(5, 2), dis=0.1, fraction=0.1)
    with pytest.raises(UsageError, match="a list of at least one"):
        measures.suda(unveil.households(30, seed=7), "region")
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        measures.suda(categories(5, 2), fraction=2)
    people = unveil.households(300, seed=7)
    with pytest.raises(UsageError, match="'income' is numeric.*recode"):
        measures.suda(people, ["sex", "income"])
    monkeypatch.setattr(module, "MOST_MARKS", 100)
    with pytest.raises(UsageError, match="set a smaller max_size"):
        measures.suda(categories(60, 4))
