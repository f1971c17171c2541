"""Ranges, sets and stars as arrays."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.errors import DataError, MalformedCellError, SchemaError
from unveil.table.cells import Prefix, parse_cell, write_prefix, write_set
from unveil.table.encoding.generalised import bounds, cell_texts, code_sets, common_members
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.hierarchies import Hierarchy
from unveil.values.release.category_channels import Recoding, Sets, Transition
from unveil.values.release.channels import Ranges, Rounded
from unveil.values.release.composition import compose


def _sets(data, column, categories=None):
    found = code_sets(data, column, categories)
    return [
        None if c < 0 else found.members[found.starts[c] : found.starts[c + 1]].tolist()
        for c in found.cell
    ]


def test_a_star_is_not_missing():
    frame = pl.DataFrame({"x": ["20..24", "*", None, "..5", "65..", "-3.5..-1", "7"]})
    data = Microdata(frame, Schema(numeric="x", generalised="x"))
    found = bounds(data, "x")
    assert found.present.tolist() == [True, True, False, True, True, True, True]
    lower, upper = found.lower[found.present], found.upper[found.present]
    assert lower.tolist() == [20, -np.inf, -np.inf, 65, -3.5, 7]
    assert upper.tolist() == [24, np.inf, 5, np.inf, -1, 7]


def test_cells_with_a_common_category_and_cells_as_text():
    frame = pl.DataFrame({"job": ["{a|b}", "a", "b", None]})
    data = Microdata(frame, Schema(nominal="job", generalised="job"))
    cells = code_sets(data, "job")
    pairs = cells.cell[[0, 1, 2]], cells.cell[[1, 2, 2]]
    assert common_members(cells, cells, *pairs).tolist() == [True, False, True]
    texts = cell_texts(data, "job")
    assert (texts.codes.tolist(), texts.categories) == ([2, 0, 1, -1], ("a", "b", "{a|b}"))


def test_ordinal_cells_may_be_ranges_and_sets():
    frame = pl.DataFrame({"x": ["low..mid", "{low|high}", "high", "*", "mid..", None]})
    data = Microdata(frame, Schema(ordinal={"x": ["low", "mid", "high"]}, generalised="x"))
    assert _sets(data, "x") == [[0, 1], [0, 2], [2], [0, 1, 2], [1, 2], None]


def test_ranges_go_by_the_order_whatever_the_list():
    data = Microdata(
        pl.DataFrame({"x": ["low..high"]}),
        Schema(ordinal={"x": ["low", "mid", "high"]}, generalised="x"),
    )
    assert _sets(data, "x", ["high", "low", "z", "mid"]) == [[0, 1, 3]]
    with pytest.raises(SchemaError, match="misses a category"):
        code_sets(data, "x", ["high", "low"])


def test_levels_are_not_mixed_up():
    number = Microdata(pl.DataFrame({"x": ["9..10"]}), Schema(numeric="x", generalised="x"))
    with pytest.raises(SchemaError, match="holds numbers where categories"):
        code_sets(number, "x")
    category = Microdata(pl.DataFrame({"x": ["a"]}), Schema(nominal="x", generalised="x"))
    with pytest.raises(SchemaError, match="holds categories where numbers"):
        bounds(category, "x")


def test_nominal_stars_stand_for_every_category_named():
    data = Microdata(pl.DataFrame({"x": ["{b|a}", "*", "c"]}), Schema(nominal="x", generalised="x"))
    assert _sets(data, "x") == [[0, 1], [0, 1, 2], [2]]
    assert _sets(data, "x", ["c", "b", "a", "z"]) == [[1, 2], [0, 1, 2, 3], [0]]
    with pytest.raises(SchemaError, match=r"in 2 records \(first in row 1\)"):
        code_sets(data, "x", ["a"])


def test_plain_columns_are_sets_of_one():
    data = Microdata(pl.DataFrame({"x": ["b", None, "a"], "y": [1.0, None, 2.0]}))
    assert _sets(data, "x") == [[1], None, [0]]
    found = bounds(data, "y")
    assert found.lower[[0, 2]].tolist() == found.upper[[0, 2]].tolist() == [1, 2]
    assert found.present.tolist() == [True, False, True]


def test_a_generalised_column_is_not_a_number_or_a_code():
    data = Microdata(pl.DataFrame({"x": ["*"]}), Schema(nominal="x", generalised="x"))
    for encode in (lambda: numbers(data, ["x"]), lambda: codes(data, "x")):
        with pytest.raises(SchemaError, match="'x' is generalised"):
            encode()


@pytest.mark.parametrize(
    "text",
    ["", "..", "{", "{}", "{a|}", "a}", "*a", "a**", "a..b*", "1..2..3", "a\\", "{a..b}", "{a*}"],
)
def test_what_the_grammar_does_not_know_is_refused(text):
    with pytest.raises(MalformedCellError) as caught:
        parse_cell(text)
    assert "a generalised cell is" in str(caught.value)


def test_an_empty_label_cannot_be_generalised():
    with pytest.raises(MalformedCellError):
        write_set(["a", ""])


@pytest.mark.parametrize("text", ["010", "a.", "..", "a*b", "{", "\\"])
def test_a_prefix_is_read_as_it_was_written(text):
    assert parse_cell(write_prefix(text)) == Prefix(text)


def test_a_prefix_may_be_whatever_begins_so():
    cells = ["010*", "01067", "0*", "*", "9*"]
    data = Microdata(pl.DataFrame({"x": cells}), Schema(nominal="x", generalised="x"))
    assert _sets(data, "x") == [[0], [0], [0], [0], []]
    assert _sets(data, "x", ["01067", "01099", "04103"]) == [[0, 1], [0], [0, 1, 2], [0, 1, 2], []]


@pytest.mark.parametrize("declared", [{"numeric": "x"}, {"ordinal": {"x": ["10", "11"]}}])
def test_only_names_begin_with_something(declared):
    with pytest.raises(DataError, match="some cells do not fit"):
        Microdata(pl.DataFrame({"x": ["1*"]}), Schema(generalised="x", **declared))


JOBS = [["nurse", "care", "all"], ["doctor", "care", "all"], ["clerk", "clerk", "all"]]


def test_a_group_is_all_categories_below_it():
    cells = ["care", "nurse", "all", "{care|clerk}", "*", "clerk", "nur*"]
    schema = Schema(nominal="x", generalised="x", hierarchy={"x": JOBS})
    data = Microdata(pl.DataFrame({"x": cells}), schema)
    listed = ["nurse", "doctor", "clerk"]
    assert _sets(data, "x", listed) == [[0, 1], [0], [0, 1, 2], [0, 1, 2], [0, 1, 2], [2], [0]]
    assert code_sets(data, "x").categories == ("clerk", "doctor", "nurse")
    assert _sets(data, "x", ["nurse", "clerk"])[0] == [0]  # a category that nobody has
    with pytest.raises(DataError, match="some cells do not fit"):
        Microdata(pl.DataFrame({"x": ["cook"]}), schema)


def test_a_label_at_several_levels_means_all_that_it_means_at_any():
    rows = [["a", "b", "x"], ["b", "c", "x"], ["d", "c", "c"], ["c", "e", "e"]]
    with pytest.raises(SchemaError, match="own ancestor|two groups"):
        Schema(hierarchy={"x": [*rows[:2], ["x", "b", "c"]]})
    rows = [["a", "b", "x"], ["b", "c", "x"], ["d", "d", "c"]]
    schema = Schema(nominal="x", generalised="x", hierarchy={"x": rows})
    data = Microdata(pl.DataFrame({"x": ["b", "c", "a", "d"]}), schema)
    assert _sets(data, "x", ["a", "b", "d"]) == [[0, 1], [1, 2], [0], [2]]


def test_ordered_categories_have_groups_too():
    schema = Schema(
        ordinal={"x": ["1", "2", "3"]},
        generalised="x",
        hierarchy={"x": [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]]},
    )
    data = Microdata(pl.DataFrame({"x": ["low", "2..3", "*", "high", r"\*"]}), schema)
    assert _sets(data, "x") == [[0, 1], [1, 2], [0, 1, 2], [2], [0, 1, 2]]


def test_levels_of_a_hierarchy_are_arrays():
    jobs = Hierarchy.of(JOBS)
    assert jobs.depth == 2
    assert jobs.labels == (("nurse", "doctor", "clerk"), ("care", "clerk"), ("all",))
    assert jobs.codes.tolist() == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    assert (jobs.below("care"), jobs.below("cook")) == (("nurse", "doctor"), ())
    nothing = Hierarchy.of(())
    assert (nothing.leaves, nothing.depth, "x" in nothing) == ((), 0, False)


def _pair(before, after, schema, after_schema):
    return Microdata(pl.DataFrame({"x": before}), schema), Microdata(
        pl.DataFrame({"x": after}), after_schema
    )


def test_a_cell_that_cannot_hold_a_category_excludes_it():
    after = Schema(nominal="x", generalised="x", hierarchy={"x": JOBS})
    pair = _pair(
        ["nurse", "nurse", "nurse", "clerk", "clerk", None, "nurse", "clerk"],
        ["care", "{clerk|doctor}", "n*", "care", "*", "*", None, "n*"],
        Schema(nominal="x"),
        after,
    )
    held = Sets(("x",)).excludes(*pair)
    assert held.tolist() == [False, True, False, True, False, False, False, True]
    recoded = Sets(("x",), {"clerk": "nurse"}).excludes(*pair)
    assert recoded.tolist() == [False, True, False, False, False, False, False, False]


def test_ranges_hold_what_lies_in_them_and_a_star_all():
    number = Schema(numeric="x", generalised="x")
    before, after = _pair(
        [1.0, 5.0, 9.0, None, 3.0], ["1..5", "1..5", "1..5", "*", "*"], Schema(numeric="x"), number
    )
    assert Ranges(("x",)).excludes(before, after).tolist() == [False, False, True, False, False]
    assert Ranges(("x",), closed=False).excludes(before, after).tolist()[1]
    wider = Microdata(pl.DataFrame({"x": ["0..9", "6..9", "*", "1..2", "1.."]}), number)
    assert Ranges(("x",)).excludes(after, wider).tolist() == [False, True, False, False, False]


def test_several_generalisations_are_one():
    many = compose([Recoding(("x",), {"a": "b", "b": "b"}), Sets(("x",)), Sets(("x",))], ["x"])
    assert isinstance(many.channels[0], Sets)
    assert many.channels[0].table == {"a": "b", "b": "b"}
    (ranges,) = compose([Ranges(("x",), closed=False), Ranges(("x",))], ["x"]).channels
    assert ranges.closed
    matrix = Transition(("x",), ("a", "b"), np.eye(2))
    for pair in (
        [matrix, Sets(("x",))],
        [Sets(("x",)), matrix],
        [Sets(("x",)), Rounded(("x",), 5)],
    ):
        assert compose(pair, ["x"]).unsettled == ("x",)
