"""Interval disclosure, worked out by hand and against its twin."""

import datetime

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.disclosure as naive
import unveil
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.errors import UsageError
from unveil.measures.disclosure.intervals import MOST_CROSSED
from unveil.values.file_pair import FilePair

GRADES = ("low", "mid", "high")
SCHEMA = Schema(numeric=["x"], ordinal={"g": GRADES})


def table(rows):
    x, g = ([row[i] for row in rows] for i in (0, 1))
    grades = [None if c is None else GRADES[c] for c in g]
    columns = {"x": pl.Series(x, dtype=pl.Float64), "g": pl.Series(grades, dtype=pl.String)}
    return Microdata(pl.DataFrame(columns), SCHEMA)


def test_by_hand():
    # Ranks 0 to 9; 20 % reach two places. Record i was moved by i places, the last ones back.
    original = [(float(v), None) for v in range(10)]
    moved = [0, 2, 4, 3, 8, 5, 6, 1, 7, 9]
    pair = FilePair.of(table(original), table([(float(v), None) for v in moved]), np.arange(10))
    found = measures.interval_disclosure(pair, widths=[20, 0])
    assert found.n == 10
    assert [one.column for one in found.attributes] == ["x"]  # no grade is there
    rank, exact = found.attributes[0].by_rank
    assert (rank.share, exact.share) == (0.8, 0.5)  # 4 and 7 went farther
    assert rank.chance == pytest.approx((3 + 4 + 5 * 6 + 4 + 3) / 100)
    assert exact.chance == pytest.approx(0.1)
    assert found.attributes[0].by_deviation[0].share == 0.5  # 0.2 * 3.03 < 1
    assert found.together.by_rank[0].share == 0.8
    assert found.together.by_rank[0].chance == pytest.approx(rank.chance)


cells = st.none() | st.integers(0, 4).map(float)
rows = st.tuples(cells, st.none() | st.integers(0, 2))
pairs = st.lists(st.tuples(rows, rows), min_size=1, max_size=12)


@examples(1 / 2)
@given(pairs, st.lists(rows, max_size=3), st.sampled_from([0, 5, 10, 30, 50, 100]), st.randoms())
def test_it_is_its_twin_in_any_order_of_the_rows(pairs, others, width, random):
    original, released = [a for a, _ in pairs], [b for _, b in pairs]
    release = released + others  # of nobody
    assume(any(v is not None for row in original for v in row))
    pair = FilePair.of(
        table(original), table(release), np.array([*range(len(pairs)), *[-1] * len(others)])
    )
    found = measures.interval_disclosure(pair, widths=[width])

    def by_rank(j, value):
        return naive.interval_by_rank([row[j] for row in release], value, width)

    def by_deviation(j, value):
        return naive.interval_by_deviation([row[j] for row in original], value, width)

    for ends in (by_rank, by_deviation):
        method = ends.__name__
        boxes = [[None if v is None else ends(j, v) for j, v in enumerate(r)] for r in released]
        curves = {c.column: getattr(c, method)[0] for c in (*found.attributes, found.together)}
        for j, column in enumerate(["x", "g", None]):
            wanted = slice(None) if column is None else slice(j, j + 1)
            if all(v is None for row in original for v in row[wanted]):
                assert column not in curves
                continue
            share, chance = naive.shares_inside(
                [b[wanted] for b in boxes], [o[wanted] for o in original]
            )
            assert curves[column].share == pytest.approx(share, abs=1e-12)
            assert curves[column].chance == pytest.approx(chance, abs=1e-12)

    places, standing = list(range(len(original))), list(range(len(release)))
    random.shuffle(places)
    random.shuffle(standing)
    back = {row: at for at, row in enumerate(places)} | {-1: -1}
    again = FilePair.of(
        pair.original.take(places),
        pair.release.take(standing),
        np.array([back[int(pair.truth.record_of_row[row])] for row in standing]),
    )
    assert measures.interval_disclosure(again, widths=[width]) == found


def test_of_many_records_the_chance_of_all_at_once_is_sampled():
    rng = np.random.default_rng(1)
    n = 3 * MOST_CROSSED
    frame = pl.DataFrame({"x": rng.permutation(n) * 1.0, "y": rng.permutation(n) * 1.0})
    shuffled = pl.DataFrame({"x": rng.permutation(n) * 1.0, "y": rng.permutation(n) * 1.0})
    pair = FilePair.of(Microdata(frame), Microdata(shuffled), np.arange(n))
    found = measures.interval_disclosure(pair)
    assert found.looked_at == MOST_CROSSED
    one = found.average.by_rank[0]
    assert one.width == 10
    assert one.chance == pytest.approx(0.19, abs=0.001)  # less at the ends
    assert one.share == pytest.approx(one.chance, abs=0.03)
    assert found.together.by_rank[0].chance == pytest.approx(0.19**2, abs=0.005)
    assert msgspec.json.decode(msgspec.json.encode(found))["n"] == n


def test_dates_and_constants():
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
    frame = pl.DataFrame({"day": days, "one": [5, 5, 5, 5]})
    pair = FilePair.of(Microdata(frame), Microdata(frame), np.arange(4))
    found = measures.interval_disclosure(pair, widths=[1])
    assert [one.column for one in found.attributes] == ["day", "one"]
    assert all(one.by_deviation[0].share == 1 for one in found.attributes)
    assert found.attributes[1].by_deviation[0].chance == 1


def test_what_has_no_intervals():
    sample = unveil.households(20)
    assert measures.interval_disclosure(FilePair.of(sample, sample, None)) is None
    assert measures.interval_disclosure(FilePair.of(sample, sample, np.full(20, -1))) is None
    words = sample.select(["sex"])
    assert measures.interval_disclosure(FilePair.of(words, words, np.arange(20))) is None
    pair = FilePair.of(sample, sample, np.arange(20))
    with pytest.raises(UsageError, match="'sex' has no numbers"):
        measures.interval_disclosure(pair, columns=["sex"])
    with pytest.raises(UsageError, match="did you mean 'age'"):
        measures.interval_disclosure(pair, columns=["agee"])
    for bad in ([], [101], [-1], ["a"], 5):
        with pytest.raises(UsageError, match="widths"):
            measures.interval_disclosure(pair, widths=bad)


def test_weights_and_households_are_left_out():
    sample = unveil.households(50)
    found = measures.interval_disclosure(FilePair.of(sample, sample, np.arange(50)))
    assert {"weight", "household", "person"}.isdisjoint(c.column for c in found.attributes)
    lone = sample.take([0])
    found = measures.interval_disclosure(FilePair.of(lone, lone, np.arange(1)))
    assert found.together.by_rank[0].chance == 1


def test_side_columns_do_not_count():
    """A weight or another side column that stays as it is was 100 % inside, and the worst."""
    people = unveil.households(200, seed=7)
    roles = {"hours": "other", "household_size": "stratum", "tax": ()}
    schema = {
        name: msgspec.structs.replace(people.schema[name], role=roles[name])
        if name in roles
        else people.schema[name]
        for name in people.schema
    }
    data = Microdata(people.to_frame(), Schema(schema))
    noise = unveil.masks.AdditiveNoise(scale=1, columns=["age", "income", "savings", "rent"])
    release = unveil.mask(data, [noise], seed=7)
    pair = FilePair.of(data, release.data, release.row_map)
    found = measures.interval_disclosure(pair)
    counted = ["age", "education", "income", "savings", "rent"]
    assert [one.column for one in found.attributes] == counted
    every = ["age", "income", "tax", "savings", "rent", "hours", "household_size", "weight"]
    with_side = measures.interval_disclosure(pair, columns=every)
    assert with_side.worst.by_rank[0].share == 1
    assert measures.interval_disclosure(pair, columns=counted) == found
    noisy = unveil.mask(
        data, [noise, unveil.masks.AdditiveNoise(name="tax", scale=1, columns=["tax"])], seed=7
    )
    changed = measures.interval_disclosure(FilePair.of(data, noisy.data, noisy.row_map))
    assert "tax" in [one.column for one in changed.attributes]  # without a role, and masked
