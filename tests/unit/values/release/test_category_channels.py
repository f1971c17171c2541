"""Transitions of several columns together: areas of a hierarchy."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil import Microdata, Schema
from unveil.values.release.category_channels import AreaChanges, JointTransition

AREAS = (("north", "n1"), ("north", "n2"), ("south", "s1"), ("south", "s2"))
LEVELS = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])


def exchanged(before, after):
    changes = AreaChanges.counted(LEVELS, np.array(before), np.array(after))
    return JointTransition(("region", "district"), AREAS, changes.sizes, changes)


def test_a_record_leaves_for_any_other_at_as_many_levels_in_common():
    before = [0] * 4 + [1] * 4 + [2] * 2 + [3] * 2
    after = [1] + [0] * 3 + [1] * 3 + [0] + [2, 3, 2, 3]
    matrix = exchanged(before, after).matrix
    # Of each area (left + 5/14) / (size + 1) left: five in six within the region, one outside.
    left = [(1 + 5 / 14) / 5, (1 + 5 / 14) / 5, (1 + 5 / 14) / 3, (1 + 5 / 14) / 3]
    outside = np.array([[0, 0, 2 / 4, 2 / 4]] * 2 + [[4 / 8, 4 / 8, 0, 0]] * 2)
    within = np.eye(4)[[1, 0, 3, 2]]
    expected = np.diag(1 - np.array(left)) + np.diag(left) @ (5 / 6 * within + 1 / 6 * outside)
    assert matrix == pytest.approx(expected)


moves = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@given(moves)
def test_rows_are_probabilities_and_nothing_that_was_done_is_excluded(pairs):
    before, after = np.array([*pairs, *((i, i) for i in range(4))]).T
    channel = exchanged(before, after)
    assert channel.matrix.sum(1) == pytest.approx(np.ones(4))
    assert (channel.matrix[before, after] > 0).all()
    assert channel.transitions.at(before, after) == pytest.approx(channel.matrix[before, after])
    assert (channel.matrix > 0).all()  # with other random numbers, other records move
    assert channel.evenly(0.3).matrix.sum(1) == pytest.approx(np.ones(4))


@given(moves)
def test_one_column_has_the_sums_of_the_matrix(pairs):
    before, after = np.array([*pairs, *((i, i) for i in range(4))]).T
    channel = exchanged(before, after)
    region = channel.only(["region", "age"])
    assert region.columns == ("region",)
    assert region.categories == ("north", "south")
    flows = channel.sizes[:, None] * channel.matrix
    north = channel.sizes[:2].sum()
    assert region.matrix[0] == pytest.approx(
        [flows[:2, :2].sum() / north, flows[:2, 2:].sum() / north]
    )
    assert channel.only(["district", "region"]) is channel
    assert channel.only(["district"]).matrix == pytest.approx(channel.matrix)


def test_what_is_missing_or_unheard_of_has_no_place():
    cells = pl.DataFrame(
        {"district": ["n2", "s1", None, "s1"], "region": ["north", "north", "south", "south"]}
    )
    data = Microdata(cells, Schema(nominal=["region", "district"]))
    assert exchanged([0, 1, 2, 3], [1, 0, 2, 3]).places(data).tolist() == [1, -1, -1, 2]
