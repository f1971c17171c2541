"""What was released as it is."""

import datetime

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.tables import tables
from unveil import Microdata, Schema, masks, measures
from unveil.values.file_pair import FilePair


def shares(found):
    return {one.column: one.share for one in found.columns}


def test_by_hand():
    schema = Schema(quasi=["a", "g"], nominal=["c"], numeric="g", confidential="m")
    columns = {"a": [1, 2, 2, 3], "c": ["1", "2", "x", None], "m": [1, None, 3, 4]}
    original = Microdata(pl.DataFrame(columns | {"g": [1, 2, 3, 4]}), schema)
    other = Schema(
        {name: schema[name] for name in "acm"} | {"g": {"level": "numeric", "generalised": True}}
    )
    released = Microdata(
        pl.DataFrame(columns | {"a": [2.0, 1.0, 3.0, 2.0], "c": ["2", "1", None, "x"],
                                "m": [None, 2, 4, 3], "g": ["2", "1..2", "4", "*"]}),
        other,
    )  # fmt: skip
    found = measures.unchanged(FilePair.of(original, released, np.array([1, 0, 3, 2])))
    assert found.known
    assert shares(found) == {"a": 1, "c": 1, "m": 0.75, "g": 0.5}
    assert found.unchanged == ("a", "c")
    assert found.singled_out == 4
    assert (found.quasi, found.singled_out_quasi) == (("a",), 2)


def test_without_pairs_columns_are_perhaps_unchanged():
    people = unveil.households(50)
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.1, columns=["income"])], seed=1)
    for rows in (None, np.full(50, -1)):
        found = measures.unchanged(FilePair.of(people, release.shuffled().data, rows))
        assert not found.known
        assert set(shares(found).values()) == {None}
        assert "income" not in found.unchanged
        assert {"age", "sex", "weight"} < set(found.unchanged)
        assert "person" not in found.unchanged
    fewer = FilePair.of(people, release.data.take(range(40)), None)
    assert measures.unchanged(fewer).unchanged == ()
    assert measures.unchanged(fewer).singled_out == 0


def test_of_fewer_rows_the_paired_ones_count():
    people = unveil.households(50)
    pair = FilePair.of(people, people.take([4, 8, 9]), np.array([4, -1, 9]))
    found = measures.unchanged(pair)
    assert (found.n, found.records) == (2, 3)
    assert set(shares(found).values()) == {1.0}
    assert found.singled_out == 3


def test_a_date_is_the_time_at_its_start():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    original = Microdata(pl.DataFrame({"d": days}))
    release = Microdata(pl.DataFrame({"d": days}).cast({"d": pl.Datetime("us")}))
    assert measures.unchanged(FilePair.of(original, release, np.arange(2))).unchanged == ("d",)


@examples(1 / 4)
@given(tables(max_columns=3), st.randoms())
def test_a_table_is_unchanged_in_any_order_of_its_rows(made, random):
    data = Microdata(*made)
    order = random.sample(range(len(data)), len(data))
    found = measures.unchanged(FilePair.of(data, data.take(order), np.array(order)))
    assert found.unchanged == data.columns
    assert found.singled_out == measures.uniqueness(data, data.columns).uniques
    perhaps = measures.unchanged(FilePair.of(data, data.take(order), None))
    assert perhaps.unchanged == data.columns
    assert not perhaps.known


def test_columns_without_a_role_single_out_records_alone_and_with_the_quasi_identifiers():
    columns = {"q": [1, 1, 2, 2], "a": [1, 1, 1, 2], "b": [5, 6, 7, 8], "o": [1, 2, 3, 4]}
    original = Microdata(pl.DataFrame(columns), Schema(quasi="q", other="o"))
    released = original.replace([pl.Series("b", [6, 7, 8, 5])])
    pair = FilePair.of(original, released, np.arange(4))
    found = measures.unchanged(pair).without_role
    assert (found.columns, found.changed, found.records) == (("a",), ("b",), 4)  # q, o have a role
    assert (found.singled_out, found.singled_out_with_quasi) == (1, 2)
    assert 'role = "other"' in found.sentence
    declared = Microdata(released.to_frame(), Schema(quasi="q", other=["a", "b", "o"]))
    assert measures.unchanged(FilePair.of(original, declared, np.arange(4))).without_role is None


def test_a_few_changed_cells_do_not_make_a_column_changed():
    original = Microdata(pl.DataFrame({"a": range(40)}), Schema(numeric="a"))
    for changed, nearly in ((2, True), (3, False)):
        cells = pl.Series("a", [*range(40 - changed), *[0] * changed])
        pair = FilePair.of(original, original.replace([cells]), np.arange(40))
        found = measures.unchanged(pair).without_role
        assert (found.columns, found.changed) == ((("a",), ()) if nearly else ((), ("a",)))
        assert found.every == ("a",)
        assert (
            "released changed (a): no attack compares the values by default" in found.sentence
        ) is (not nearly)


def test_columns_of_the_release_only_need_a_role_in_its_schema():
    original = Microdata(pl.DataFrame({"q": [1, 1, 2, 2], "h": [1, 1, 1, 2]}), Schema(quasi="q"))
    frame = original.to_frame().rename({"h": "hh_no"})
    released = Microdata(frame, Schema(quasi="q"))
    found = measures.unchanged(FilePair.of(original, released, np.arange(4))).without_role
    assert (found.columns, found.changed, found.added) == ((), (), ("hh_no",))
    assert found.added_single_out == 1
    for words in ("hh_no", "no attack compares the values", "singles out 1 of 4 records",
                  "--rename NEW=OLD", 'role = "other"', "drop it"):  # fmt: skip
        assert words in found.sentence
    declared = Microdata(frame, Schema(quasi="q", household="hh_no"))
    assert measures.unchanged(FilePair.of(original, declared, np.arange(4))).without_role is None
