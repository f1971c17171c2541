"""The decision-tree test on tables: what is a value, what is unknown, what is counted."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil import Microdata, Schema, measures
from unveil.errors import DataError, SchemaError, UsageError
from unveil.measures.information_loss.trees.c45 import C45

ROWS = 4 * [("a", "x", "no"), ("a", "y", "no"), ("b", "x", "yes"), ("b", "y", "yes")]


def table(rows, **schema):
    frame = pl.DataFrame(rows, schema=["u", "v", "buys"], orient="row")
    return Microdata(frame, Schema(nominal=["u", "v", "buys"], **schema))


def starred(rows):
    frame = pl.DataFrame(rows, schema=["u", "v", "buys"], orient="row")
    attributes = Schema(nominal=["u", "v", "buys"], quasi=["u", "v"], generalised=["u", "v"])
    return Microdata(frame, attributes)


def test_it_classifies_what_it_was_taught():
    tree = measures.decision_tree(table(ROWS), "buys")
    assert tree.predict(table([("b", "x", None), ("a", "z", "no")])) == ["yes", "no"]
    found = tree.test(table([("b", "x", "yes"), ("a", "z", "yes"), ("b", "x", None)]))
    assert (found.n, found.accuracy, found.baseline, found.leaves) == (2, 0.5, 1.0, 2)
    some = table([("b", "x", "yes"), ("a", "x", None), ("a", "x", "yes")])
    assert tree.correct(some).tolist() == [True, False, False]
    assert repr(tree) == "DecisionTree(buys by 2 attributes, leaves: 2)"


def test_a_star_and_what_is_not_listed_are_unknown():
    """A record without a value goes down both branches; the larger one decides."""
    rows = [("*", "x", "yes")] * 2 + [("b", "x", "yes")] * 4 + [("a", "*", "no")] * 3
    tree = measures.decision_tree(starred(rows), "buys", confidence=None)
    assert {name: [*one] for name, one in tree.values.items()} == {"u": ["a", "b"], "v": ["x"]}
    assert tree.predict(table([("c", "x", None), ("a", "x", None)])) == ["yes", "no"]
    some = measures.decision_tree(starred(rows), "buys", values={"u": ["b", "a", "c"]})
    assert some.predict(table([("b", "", None)])) == ["yes"]
    assert some.leaves == 3


def test_a_literal_star_of_a_released_column_is_a_value():
    tree = measures.decision_tree(starred([("\\*", "x", "yes"), ("{a|b}", "x", "no")] * 4), "buys")
    assert tree.predict(table([("*", "x", None), ("{a|b}", "x", None)])) == ["yes", "no"]


def test_a_count_is_as_good_as_repetition():
    patterns = table([*ROWS[:4], ("a", "x", "yes")])
    counts = [3, 1, 2, 4, 2]
    repeated = patterns.take(np.repeat(np.arange(5), counts))
    weighted = measures.decision_tree(patterns, "buys", weights=counts)
    assert weighted.test(repeated) == measures.decision_tree(repeated, "buys").test(repeated)


def some_rows(letters):
    return st.lists(
        st.tuples(*[st.sampled_from(letters)] * 2, st.sampled_from("yn")), min_size=1, max_size=40
    )


@given(some_rows([*"ab"]), st.sampled_from([None, 0.1, 0.25]))
def test_it_is_the_tree_of_the_codes(rows, confidence):
    codes = np.array([["ab".index(one) for one in row[:2]] for row in rows])
    classes, own = np.unique([row[2] for row in rows], return_inverse=True)
    plain = C45(codes, own, values=[2, 2], confidence=confidence)
    values = {"u": ["a", "b"], "v": ["a", "b"]}
    tree = measures.decision_tree(table(rows), "buys", values=values, confidence=confidence)
    assert tree.predict(table(rows)) == [classes[one] for one in plain.predict(codes)]


@given(some_rows([*"ab", None]), st.randoms())
def test_the_order_of_the_rows_means_nothing(rows, random):
    values = {"u": ["a", "b"], "v": ["a", "b"]}
    shuffled = table(random.sample(rows, len(rows)))
    tree, again = (
        measures.decision_tree(one, "buys", values=values, confidence=None)
        for one in (table(rows), shuffled)
    )
    assert tree.predict(table(rows)) == again.predict(table(rows))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"confidence": 0}, "confidence: a number above 0"),
        ({"confidence": 0.6}, "confidence: a number above 0"),
        ({"least": 0}, "least: a number above 0"),
        ({"values": {}}, "name at least one attribute"),
        ({"values": {"buys": ["yes"]}}, "not the target"),
        ({"weights": [1, 2]}, "a positive number for each of 16 records"),
        ({"weights": [0] * 16}, "a positive number"),
    ],
)
def test_parameters_are_refused(how, said):
    with pytest.raises(UsageError, match=said):
        measures.decision_tree(table(ROWS), "buys", **how)


def test_columns_are_refused():
    numbers = Microdata(pl.DataFrame({"u": [1.5, 2.5], "buys": ["a", "b"]}))
    with pytest.raises(SchemaError, match="'u' is numeric and the tree splits by categories"):
        measures.decision_tree(numbers, "buys")
    with pytest.raises(SchemaError, match="'u' is numeric"):
        measures.decision_tree(numbers, "u")
    with pytest.raises(DataError, match="'buys' is missing in every record"):
        measures.decision_tree(table([("a", "x", None)]), "buys")
    with pytest.raises(DataError, match="'w' is not in the data"):
        measures.decision_tree(table(ROWS), "w")
