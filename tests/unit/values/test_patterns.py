"""Patterns as a table, and who satisfies them."""

import polars as pl
import pytest

from unveil import Microdata, Schema, masks, measures
from unveil.errors import DataError, UsageError

ROWS = ["aax", "aay", "bax", "bay", "bbx"]  # the patterns "*ax" and so on overlap


def patterns(names="uvw", **how):
    frame = pl.DataFrame({name: [row[j] for row in ROWS] for j, name in enumerate(names)})
    mask = masks.AntiUnification(k=2, stars=1, order="<", assignment="overlapping", **how)
    return mask.patterns(Microdata(frame, Schema(quasi=[*names], nominal=[*names])))


def test_the_table_has_supports_and_the_largest_first():
    table = patterns().table
    assert table.to_frame("polars").rows() == [
        ("*", "a", "x", 2),
        ("*", "a", "y", 2),
        ("a", "a", "*", 2),
        ("b", "*", "x", 2),
        ("b", "a", "*", 2),
    ]
    assert (table.level("count"), table.schema["u"].generalised) == ("numeric", True)
    with pytest.raises(DataError, match="a column 'count', which the patterns have already"):
        _ = patterns(["u", "v", "count"]).table


def test_anonymity_sets_by_hand():
    """The first record satisfies a a * and * a x: with the second or the third, and so on."""
    sets = measures.anonymity_sets(patterns())
    assert sets.patterns.tolist() == [2, 2, 3, 2, 1]
    assert sets.alike.tolist() == [1, 1, 1, 1, 1]
    assert sets.united.tolist() == [3, 3, 4, 3, 2]
    assert (sets.below(1), sets.below(2)) == (0, 5)
    assert repr(sets) == "AnonymitySets(5 records, 4 in several patterns)"
    with pytest.raises(UsageError, match="make them by"):
        measures.anonymity_sets(ROWS)


def test_one_condition_stops_where_the_other_goes_on():
    """By > alone every set falls apart into single records; by >< the rest is split by <."""
    frame = pl.DataFrame({"u": [*"aabb"], "v": [*"cdcd"], "w": ["1", "2", "3", "4"]})
    data = Microdata(frame, Schema(quasi=["u", "v", "w"], nominal=["u", "v", "w"]))
    left = {
        order: len(
            masks.AntiUnification(k=2, stars=2, order=order, assignment="overlapping")
            .patterns(data)
            .rest
        )
        for order in ("<", "><")
    }
    assert left == {"<": 0, "><": 0}
    with pytest.raises(DataError, match="no 2 records agree"):
        masks.AntiUnification(k=2, stars=2, order=">", assignment="overlapping").patterns(data)
