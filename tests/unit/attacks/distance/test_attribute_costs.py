"""What a pair costs, attribute by attribute, worked out by hand."""

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures

PLACES = Schema(quasi="job", hierarchy={"job": [[c, "all"] for c in "abcd"]})


def scores(mine, released, spec, schema, released_schema=None, **intruder):
    """What each of mine costs with each released row, by attacking one row at a time."""
    people = Microdata(pl.DataFrame(mine), schema)
    rows = Microdata(pl.DataFrame(released), released_schema or schema)
    links = unveil.attack(people, rows, spec, intruder=Intruder(**intruder), truth="row-order")
    found = links.nearest(links.candidates)
    table = np.empty(found.rows.shape)
    np.put_along_axis(table, found.rows, found.scores, axis=1)
    return table


def test_ranges_are_as_far_as_their_nearest_value():
    plain = Schema(quasi="age", numeric="age")
    ranges = Schema(quasi="age", numeric="age", generalised="age")
    mine, released = {"age": [10, 20, 30]}, {"age": ["10..19", "25..", "..40"]}
    found = scores(mine, released, attacks.Distance(metric="manhattan"), plain, ranges)
    # One deviation of the original's ages is 10.
    assert found == pytest.approx(np.array([[0, 1.5, 0], [0.1, 0.5, 0], [1.1, 0, 0]]))
    squares = scores(mine, released, attacks.Distance(), plain, ranges)
    assert squares == pytest.approx(found)
    back = scores(
        mine, released, attacks.Distance(), plain, ranges, direction="release-to-original"
    )
    assert back == pytest.approx(found.T)


def test_ranges_on_both_sides():
    schema = Schema(quasi="age", numeric="age", generalised="age")
    found = scores(
        {"age": ["0..10", "20..30"]}, {"age": ["5..12", "40..50"]}, attacks.Distance(), schema
    )
    unit = np.std([5, 25], ddof=1)  # the middles of the original's
    assert found == pytest.approx(np.array([[0, 30], [8, 10]]) / unit)
    by_release = scores(
        {"age": ["0..10", "20..30"]},
        {"age": ["5..12", "40..50"]},
        attacks.Distance(scale="release"),
        schema,
    )
    assert by_release == pytest.approx(found * unit / np.std([8.5, 45], ddof=1))


def test_a_star_is_no_hub():
    """It tells nothing, and costs what is missing costs: not nothing, which is nearest to all."""
    plain, cells = (Schema(quasi="x", numeric="x", generalised=g) for g in ([], ["x"]))
    mine, released = {"x": [1, 5, 9]}, {"x": ["1", "5", "*"]}
    found = scores(mine, released, attacks.Distance(), plain, cells)
    assert found[0].argmin() == 0
    assert found[1].argmin() == 1
    assert (found[:, 2] > 0).all()
    named, sets = (Schema(quasi="x", nominal="x", generalised=g) for g in ([], ["x"]))
    found = scores({"x": list("abc")}, {"x": ["a", "b", "*"]}, attacks.Distance(), named, sets)
    assert found[0, 2] > found[0, 0] == 0


def test_sets_are_as_far_as_their_nearest_member():
    order = Schema(quasi="grade", ordinal={"grade": list("abcde")})
    cells = Schema(quasi="grade", ordinal={"grade": list("abcde")}, generalised="grade")
    mine, released = {"grade": list("abe")}, {"grade": ["{a|c}", "d..", "b"]}
    found = scores(mine, released, attacks.Distance(metric="manhattan"), order, cells)
    assert found == pytest.approx(np.array([[0, 3, 1], [1, 2, 0], [2, 0, 3]]) / 4)
    counted = scores(
        mine, released, attacks.Distance(metric="manhattan", inclusive=True), order, cells
    )
    assert counted == pytest.approx(np.array([[1, 4, 2], [2, 3, 1], [3, 1, 4]]) / 5)
    nominal = Schema(quasi="grade", nominal="grade")
    loose = Schema(quasi="grade", nominal="grade", generalised="grade")
    names = scores(mine, {"grade": ["{a|c}", "{a|b}", "b"]}, attacks.Distance(), nominal, loose)
    assert names == pytest.approx(np.array([[0, 0, 1], [1, 0, 0], [1, 1, 1]]))


def test_a_table_of_the_users_is_read_from_the_original_to_the_release():
    schema = Schema(quasi="job", nominal="job")
    table = {"job": {"categories": ["a", "b"], "distances": [[0, 3], [1, 0]]}}
    spec = attacks.Distance(tables=table, weights={"job": 4})
    files = {"job": ["a", "b"]}, {"job": ["a", "b"]}
    assert scores(*files, spec, schema) == pytest.approx(np.array([[0, 6], [2, 0]]))
    back = scores(*files, spec, schema, direction="release-to-original")
    assert back == pytest.approx(np.array([[0, 2], [6, 0]]))


def test_places_with_both_ends_do_not_change_who_is_nearest():
    schema = Schema(quasi="grade", ordinal={"grade": list("abcd")})
    files = {"grade": list("abcd")}, {"grade": list("dcba")}
    for metric, power in (("manhattan", 1), ("euclid", 2)):
        found = scores(*files, attacks.Distance(metric=metric, inclusive=True), schema)
        apart = np.abs(np.arange(4)[:, None] - np.arange(4)[::-1])
        assert found**power == pytest.approx(((apart + 1) / 4) ** power)


def test_dates_and_truth_values_are_compared_too():
    frame = {
        "born": pl.Series(["2000-01-01", "2000-01-11", "2000-01-21"]).str.to_date(),
        "ill": [True, False, True],
    }
    schema = Schema(quasi=["born", "ill"], nominal="ill")
    found = scores(frame, frame, attacks.Distance(metric="manhattan"), schema)
    assert found == pytest.approx(np.array([[0, 2, 2], [2, 0, 2], [2, 2, 0]]))


def test_what_does_not_vary_is_left_out_and_said(caplog):
    frame = pl.DataFrame({"age": [1, 2, 3], "same": [5, 5, 5], "gone": [None, None, 1.0]})
    data = Microdata(frame, Schema(quasi=["age", "same", "gone"]))
    with caplog.at_level(logging.WARNING, "unveil"):
        links = unveil.attack(data, data, attacks.Distance(), truth="row-order")
    assert links.finder.columns == ("age",)
    assert "column 'same' does not vary" in caplog.text
    assert "column 'gone' does not vary" in caplog.text
    assert measures.hits(links).sum() == 3
    whitened = attacks.Distance(metric="mahalanobis")
    assert unveil.attack(data, data, whitened).finder.columns == ("age",)
    kernel = attacks.Distance(metric="polynomial")
    assert unveil.attack(data, data, kernel).finder.columns == ("age",)
    integral = attacks.Distance(aggregation=[0, 0.5, 0.3, 0.9, 0.2, 0.6, 0.5, 1])
    assert measures.hits(unveil.attack(data, data, integral, truth="row-order")).sum() == 3


def test_an_attribute_without_weight_is_not_used():
    data = Microdata(pl.DataFrame({"a": [1, 1], "b": [1, 2]}), Schema(quasi=["a", "b"]))
    for spec in (attacks.Distance(weights={"b": 0}), attacks.Rank(weights={"b": 0})):
        if isinstance(spec, attacks.Distance):
            with pytest.raises(unveil.UnveilError, match="no known attribute varies"):
                unveil.attack(data, data, spec)
            continue
        links = unveil.attack(data, data, spec, truth="row-order")
        assert (links.finder.columns, measures.risk(links).expected) == (("a",), 1)
        assert measures.ceiling(links) == 2  # of an intruder who knows b, too


def test_whose_scale():
    people = Microdata(pl.DataFrame({"x": [0.0, 2.0]}), Schema(quasi="x"))
    rows = Microdata(pl.DataFrame({"x": [0.0, 20.0]}), Schema(quasi="x"))
    unit = {"own": 0, "original": 18 / 2**0.5, "release": 18 / 200**0.5}
    for scale, expected in unit.items():
        found = unveil.attack(people, rows, attacks.Distance(scale=scale), truth="row-order")
        farther = found.finder.rank_of_truth(np.arange(2), np.arange(2), None, None)
        assert farther.n_closer.tolist() == ([0, 0] if scale == "own" else [0, 1])
        costs = found.nearest(2)
        own = costs.scores[1][costs.rows[1] == 1][0]
        assert own == pytest.approx(expected)


def test_numbers_too_large_to_square_are_refused():
    data = Microdata(pl.DataFrame({"x": [0.0, 1e200]}), Schema(quasi="x"))
    for spec in (attacks.Distance(), attacks.Rank(), attacks.Distance(metric="mahalanobis")):
        with pytest.raises(unveil.UnveilError, match="column 'x' has numbers beyond 1e150"):
            unveil.attack(data, data, spec)


@pytest.mark.parametrize("metric", ["euclid", "mahalanobis", "polynomial"])
def test_numbers_whose_deviation_is_rounded_to_nothing(metric):
    """The least number above 0 is told from 0; what is measured in such a unit may be endless."""
    tiny, plain = (
        Microdata(pl.DataFrame({"x": [0.0, 0, a, 0]}), Schema(quasi="x")) for a in (5e-324, 1.0)
    )
    spec = attacks.Distance(metric=metric)
    links = unveil.attack(tiny, tiny, spec, truth="row-order")
    assert measures.hits(links) == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3])
    spec = attacks.Distance(metric=metric, scale=None if metric == "mahalanobis" else "release")
    with pytest.raises(unveil.UnveilError, match="'x' varies too little in one file"):
        unveil.attack(plain, tiny, spec, truth="row-order")
