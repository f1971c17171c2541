"""Subgroups: who is in which, and no cell in a name."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.disclosure as naive
import unveil
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.errors import DataError, UsageError
from unveil.values.results.disclosure import HouseholdHits


def grouped(cells, least=2, **said):
    schema = Schema({"c": {"role": "quasi", **said}})
    return measures.subgroups(Microdata(pl.DataFrame({"c": cells}), schema), least=least)[0]


def test_categories_by_frequency_and_rare_ones_together():
    found = grouped(["b", "a", "b", "a", "c", "d", None, "b"], level="nominal")
    assert found.names == (
        "A (most frequent)",
        "B (2nd most frequent)",
        "fewer than 2 records each",
        "missing",
    )
    assert found.sizes == (3, 2, 2, 1)
    assert found.small == (False, False, False, True)
    assert found.codes.tolist() == [0, 1, 0, 1, 2, 2, 3, 0]
    lone = grouped(["b", "b", "x"], level="nominal")
    assert (lone.names[-1], lone.small) == ("fewer than 2 records each", (False, True))
    tied = grouped(["z", "z", "a", "a"], level="nominal")
    assert tied.codes.tolist() == [1, 1, 0, 0]  # as frequent: by content


def test_declared_categories_have_their_names():
    order = grouped(["hi", "hi", "hi", "lo", "lo"], order=["lo", "mid", "hi"])
    assert order.names == ("lo", "hi")
    assert order.codes.tolist() == [1, 1, 1, 0, 0]
    labels = grouped([1, 1, 2, 2, 2], level="nominal", labels={"1": "north"})
    assert labels.names == ("A (most frequent)", "north")
    tree = grouped(["a", "a", "b"], level="nominal", hierarchy=[["a", "all"], ["b", "all"]])
    assert tree.names == ("a", "fewer than 2 records each")
    ranges = grouped(["20..24", "20..24", "*"], level="numeric", generalised=True)
    assert ranges.names == ("A (most frequent)", "fewer than 2 records each")


def test_numbers_in_fifths_with_ties_together():
    found = grouped([float(v) for v in range(10)] + [None])
    assert found.names == (
        "lowest fifth", "second fifth", "middle fifth", "fourth fifth", "highest fifth", "missing",
    )  # fmt: skip
    assert found.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    zeros = grouped([0.0] * 6 + [1.0, 2.0, 3.0, 4.0])
    assert zeros.names == ("second fifth", "fourth fifth", "highest fifth")
    assert grouped([5.0, 5.0]).names == ("middle fifth",)


def test_strata_come_before_quasi_identifiers():
    people = unveil.households(60)
    quasi = measures.subgroups(people)
    assert {g.column for g in quasi} == set(people.schema.with_role("quasi"))
    frame = pl.DataFrame({"s": [7] * 12 + [9] * 3, "q": [1.0] * 15})
    strata = measures.subgroups(Microdata(frame, Schema(stratum="s", quasi="q", numeric="s")))
    assert [g.names for g in strata] == [("A (most frequent)", "fewer than 10 records each")]
    with pytest.raises(DataError, match="'z'"):
        measures.subgroups(people, ["z"])
    with pytest.raises(UsageError, match="least"):
        measures.subgroups(people, least=0)


@examples(1 / 4)
@given(
    st.lists(st.tuples(st.none() | st.sampled_from("abc"), st.floats(0, 1)), min_size=1),
    st.randoms(),
)
def test_means_are_of_the_groups_in_any_order_of_the_rows(rows, random):
    cells, values = [r[0] for r in rows], np.array([r[1] for r in rows])
    found = grouped(pl.Series(cells, dtype=pl.String), level="nominal")
    means = measures.by_subgroup(values, found)
    assert tuple(one.n for one in means) == found.sizes
    for place, one in enumerate(means):
        assert one.mean == pytest.approx(values[found.codes == place].mean())
    order = np.array(random.sample(range(len(rows)), len(rows)))
    again = grouped(pl.Series(cells, dtype=pl.String)[order], level="nominal")
    assert measures.by_subgroup(values[order], again) == means


def test_what_has_no_value_is_left_out():
    found = grouped(["a", "a", "b", "b"], level="nominal")
    means = measures.by_subgroup(np.array([1.0, np.nan, np.nan, np.nan]), found)
    assert [(one.n, one.mean) for one in means] == [(1, 1.0), (0, None)]
    with pytest.raises(UsageError, match="each of the grouping's 4 records"):
        measures.by_subgroup(np.zeros(3), found)


homes = st.lists(st.tuples(st.sampled_from([0, 0.25, 1]) | st.floats(0, 1), st.integers(-1, 3)))


@examples(1 / 2)
@given(homes)
def test_households_are_found_with_any_member(rows):
    hits, of = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], int)
    found = measures.household_hits(hits, of)
    twin = naive.at_least_one(hits, of)
    assert found.n == len(twin)
    assert found.share == (pytest.approx(np.mean(twin), abs=1e-12) if twin else None)
    each, who = measures.household_chances(hits, of)
    assert (each[who] >= hits - 1e-12).all()


def test_households_are_given_for_each_record():
    assert measures.household_hits(np.array([1.0, 0.5]), np.array([4, 4])) == HouseholdHits(1, 1.0)
    with pytest.raises(UsageError, match="one for each record"):
        measures.household_hits(np.zeros(2), np.zeros(3, int))
