"""C4.5 against figures of Quinlan's book, trees made by hand, and a naive gain ratio."""

from collections import defaultdict
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import UsageError
from unveil.measures.information_loss.trees.c45 import C45, extra_errors

# Whether to play: outlook (sunny, overcast, rain), temperature, humidity (high, normal), windy.
WEATHER = np.array(
    [[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [2, 1, 0, 0], [2, 2, 1, 0], [2, 2, 1, 1],
     [1, 2, 1, 1], [0, 1, 0, 0], [0, 2, 1, 0], [2, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 1],
     [1, 0, 1, 0], [2, 1, 0, 1]]
)  # fmt: skip
PLAY = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
VALUES = [3, 3, 2, 2]


def test_gains_of_the_book():
    tree = C45(WEATHER, PLAY, values=VALUES)
    gains, ratios, useful = tree.gains(tree.root)
    assert gains.round(3).tolist() == [0.247, 0.029, 0.152, 0.048]
    assert ratios.round(3).tolist() == [0.156, 0.019, 0.152, 0.049]
    assert useful.all()


def test_the_tree_of_the_book():
    tree = C45(WEATHER, PLAY, values=VALUES)
    assert [tree.root.attribute, *(son.attribute for son in tree.root.sons)] == [0, 2, None, 3]
    assert tree.root.leaves == 5
    assert (tree.predict(WEATHER) == PLAY).all()


def test_an_unknown_value_of_the_book():
    """Chapter 3: the outlook of an overcast case is unknown."""
    codes = WEATHER.copy()
    codes[11, 0] = -1
    tree = C45(codes, PLAY, values=VALUES, confidence=None)
    gains, ratios, _ = tree.gains(tree.root)
    assert gains[0] == pytest.approx(0.199, abs=5e-4)
    assert ratios[0] == pytest.approx(0.110, abs=5e-4)
    root = C45(codes[:, [0]], PLAY, values=[3], confidence=None).root
    assert [son.own.sum() for son in root.sons] == pytest.approx([70 / 13, 42 / 13, 70 / 13])
    assert sorted(root.sons[0].weights) == pytest.approx([5 / 13, 1, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("errors", "weight", "limit"), [(0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.75), (1, 1, 1.0)]
)
def test_limits_of_the_book(errors, weight, limit):
    assert (errors + extra_errors(weight, errors)) / weight == pytest.approx(limit, abs=5e-4)


def test_the_limit_of_one_error():
    """The book has 0.157: its table of the normal distribution is coarser (0.6925 for 0.6745)."""
    assert (1 + extra_errors(16, 1)) / 16 == pytest.approx(0.1547, abs=5e-5)
    half = (extra_errors(16, 0) + extra_errors(16, 1)) / 2
    assert extra_errors(16, 0.5) == pytest.approx(half)


def test_pruning_of_the_book():
    """6, 9 and 1 without errors: 3.27 errors are to be expected of the tree, 2.5 of a leaf."""
    codes = np.repeat([0, 1, 2], [6, 9, 1])[:, None]
    classes = np.repeat([0, 0, 1], [6, 9, 1])
    assert C45(codes, classes, values=[3], confidence=None).root.leaves == 3
    assert C45(codes, classes, values=[3]).root.leaves == 1


def test_a_split_needs_two_branches_that_are_large_enough():
    codes, classes = np.array([[0], [0], [0], [0], [1]]), np.array([0, 0, 0, 0, 1])
    assert C45(codes, classes, values=[2], confidence=None).root.leaves == 1
    assert C45(codes, classes, values=[2], confidence=None, least=1).root.leaves == 2


def test_a_tree_that_errs_no_less_collapses():
    codes, classes = np.repeat([0, 1], 10)[:, None], np.repeat([0, 1, 0], [6, 8, 6])
    tree = C45(codes, classes[::-1], values=[2], confidence=None)
    assert tree.root.leaves == 1
    assert tree.predict(np.array([[0], [1]])).tolist() == [0, 0]


def test_values_that_nobody_has_or_that_are_missing():
    codes, classes = np.repeat([0, 1], [6, 9])[:, None], np.repeat([1, 0], [6, 9])
    tree = C45(codes, classes, values=[3])
    assert tree.root.leaves == 3
    assert tree.predict(np.array([[0], [1], [2], [-1]])).tolist() == [1, 0, 0, 0]
    heavy = C45(codes, classes, values=[3], weights=np.repeat([2.0, 1.0], [6, 9]))
    assert heavy.predict(np.array([[0], [1], [2], [-1]])).tolist() == [1, 0, 1, 1]


def test_the_first_class_wins_ties():
    tree = C45(np.zeros((4, 1), np.int64), np.array([1, 0, 1, 0]), values=[1])
    assert tree.predict(np.array([[0], [-1]])).tolist() == [0, 0]


def test_the_largest_branch_is_raised():
    """Errors to expect: of the tree 1.11 + 3.32 + 2.04, the branch 3.49 + 2.04, a leaf 5.67."""
    cells = {(0, 0, 0): 4, (0, 0, 1): 2, (0, 1, 0): 1, (0, 1, 1): 2, (1, 0, 0): 3}
    table = np.repeat(list(cells), list(cells.values()), axis=0)
    codes, classes = table[:, :2], table[:, 2]
    grown = C45(codes, classes, values=[2, 2], confidence=None).root
    assert (grown.attribute, grown.sons[0].attribute, grown.leaves) == (0, 1, 3)
    pruned = C45(codes, classes, values=[2, 2]).root
    assert (pruned.attribute, pruned.leaves) == (1, 2)
    assert [son.own.tolist() for son in pruned.sons] == [[7, 2], [1, 2]]


def test_codes_beyond_the_values_are_refused():
    with pytest.raises(UsageError, match="below the number of values"):
        C45(np.array([[2]]), np.array([0]), values=[2])
    tree = C45(np.array([[1]]), np.array([0]), values=[2])
    with pytest.raises(UsageError, match="below the number of values"):
        tree.predict(np.array([[0, 0]]))


cells = st.tuples(st.integers(-1, 2), st.integers(-1, 3), st.integers(0, 1), st.integers(1, 3))


@given(st.lists(cells, min_size=8, max_size=30))
def test_gains_are_the_naive_ones(records):
    table = np.array(records)
    codes, classes, weights = table[:, :2], table[:, 2], table[:, 3].astype(float)
    tree = C45(codes, classes, values=[3, 4], weights=weights)
    gains, ratios, _ = tree.gains(tree.root)
    for attribute in range(2):
        gain, ratio = naive_gain(codes[:, attribute], classes, weights)
        assert gains[attribute] == pytest.approx(gain, abs=1e-6)
        assert ratios[attribute] == pytest.approx(ratio, abs=1e-5)


@given(st.lists(cells, min_size=20, max_size=40))
def test_a_weight_is_so_many_records(records):
    table = np.array(records)
    codes, classes, weights = table[:, :2], table[:, 2], table[:, 3]
    weighted = C45(codes, classes, values=[3, 4], weights=weights.astype(float))
    repeated = C45(np.repeat(codes, weights, axis=0), np.repeat(classes, weights), values=[3, 4])
    asked = np.array([[a, b] for a in range(-1, 3) for b in range(-1, 4)])
    assert weighted.root.leaves == repeated.root.leaves
    np.testing.assert_allclose(weighted.chances(asked), repeated.chances(asked))


def naive_gain(codes, classes, weights):
    """The gain of the known times their share, and its ratio to the information of the split."""
    whole, branches, sizes = defaultdict(float), defaultdict(lambda: defaultdict(float)), {}
    for code, own, weight in zip(codes, classes, weights, strict=True):
        sizes[code] = sizes.get(code, 0) + weight
        if code >= 0:
            whole[own] += weight
            branches[code][own] += weight
    total, known = weights.sum(), sum(whole.values())
    if not known:
        return 0.0, 0.0
    within = sum(sum(one.values()) / known * info(one.values()) for one in branches.values())
    gain = known / total * (info(whole.values()) - within)
    split = info(sizes.values())
    return gain, gain / split if split else 0.0


def info(parts):
    whole = sum(parts)
    return -sum(part / whole * log2(part / whole) for part in parts)
