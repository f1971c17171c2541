"""Measures of loss against their naive twins, and what must hold of all of them."""

import math
from itertools import pairwise

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import loss as naive
from strategies.examples import examples
from unveil import Microdata, Schema
from unveil.measures import (
    categorical,
    discernibility,
    il1s,
    loss,
    numeric,
    openness,
    propensity,
    subgroups,
    suppression,
    tables,
)
from unveil.measures.information_loss.catalogue import GLOSSARY
from unveil.measures.information_loss.categorical import entropy_lost
from unveil.values.file_pair import FilePair

ORDER = ("a", "b", "c", "d")
SCHEMA = Schema(
    quasi=["x", "grade", "job"],
    confidential="y",
    numeric=["x", "y"],
    nominal=["job"],
    ordinal={"grade": ORDER},
)
seeds = st.integers(0, 2**32)
LEARNED = {"propensity", "prediction", "overall"}


def people(rng, n, *, missing=0.0):
    """Attributes that depend on each other, heaped and skewed."""
    core = rng.normal(size=n)
    cells = {
        "x": np.round(np.exp(core), 1),
        "y": np.round(3 * core + rng.normal(size=n)) * 1000,
        "grade": np.clip(np.round(core + 1.5 + 0.3 * rng.normal(size=n)), 0, 3).astype(int),
        "job": (rng.integers(0, 2, n) + 2 * (core > 0)).astype(int),
    }
    cells["x"][0], cells["y"][0] = 50.0, -9000.0
    return table(cells, {name: rng.random(n) < missing for name in cells})


def table(cells, holes):
    columns = [
        pl.Series(
            name, values.astype(float) if name in "xy" else [ORDER[code] for code in values]
        ).set(pl.Series(holes[name]), None)
        for name, values in cells.items()
    ]
    return Microdata(pl.DataFrame(columns), SCHEMA)


def shuffled(data, rng):
    """Each column by itself in another order."""
    return data.replace(
        [data.column(name).gather(rng.permutation(len(data))) for name in data.columns]
    )


def noisy(data, rng, scale=0.3):
    n = len(data)
    some = pl.Series(rng.random(n) < scale)
    drawn = [
        data.column(name).zip_with(~some, data.column(name).gather(rng.integers(0, n, n)))
        for name in ("grade", "job")
    ]
    spread = {"x": 1.0, "y": 3000.0}
    moved = [
        data.column(name) + pl.Series(rng.normal(size=n) * scale * spread[name]) for name in "xy"
    ]
    return Microdata(pl.DataFrame([*moved, *drawn]), SCHEMA)


def numbers(data, name):
    return data.column(name).cast(float).fill_null(math.nan).to_list()


@given(seeds, st.integers(5, 40), st.sampled_from([0.0, 0.2]))
@examples(1 / 4)
def test_cells_and_tables_against_their_twins(seed, n, missing):
    rng = np.random.default_rng(seed)
    before = people(rng, n, missing=missing)
    after = noisy(before, rng)
    pair = FilePair.of(before, after, np.arange(n))
    columns = [(numbers(before, name), numbers(after, name)) for name in "xy"]
    varying = [pair for pair in columns if len({v for v in pair[0] if not math.isnan(v)}) > 1]
    if varying:
        assert il1s(pair).measures[0].value == pytest.approx(naive.il1s(varying), abs=1e-12)
    cut = {
        name: [[naive.tenth(v, sides[0]) for v in side] for side in sides]
        for name, sides in zip("xy", columns, strict=True)
        if any(not math.isnan(v) for v in sides[0])
    } | {
        name: [data.column(name).to_list() for data in (before, after)] for name in ("grade", "job")
    }
    found = {one.name: one.value for one in tables(pair).measures}
    single = [naive.total_variation(*sides) for sides in cut.values()]
    names = list(cut)
    double = [
        naive.total_variation(*(list(zip(a, b, strict=True))
                                for a, b in zip(cut[one], cut[other], strict=True)))
        for i, one in enumerate(names) for other in names[i + 1 :]
    ]  # fmt: skip
    if len(cut) == 4:
        expected = (np.mean(single), max(single), np.mean(double), max(double))
        assert list(found.values()) == pytest.approx(expected, abs=1e-12)
    changed = [a != b for name in ("grade", "job") for a, b in zip(*cut[name], strict=True)]
    each = categorical(pair)
    assert each.measures[0].value == pytest.approx(np.mean(changed))
    for name in ("grade", "job"):
        if len(set(cut[name][0])) > 1:
            lost = naive.entropy_lost(*cut[name])
            assert each.attributes[name]["entropy"] == pytest.approx(lost, abs=1e-12)


def coarse(rng, n):
    """Cells that are told, ranges or sets, stars or missing, and what they were before."""
    ages, jobs = rng.integers(0, 4, n), rng.integers(0, 3, n)
    wide = [
        {"age": [f"{a}", f"{a}..{a + 1}", "*", None], "job": ["xyz"[j], "{x|y|z}", "*", None]}
        for a, j in zip(ages, jobs, strict=True)
    ]
    cells = {name: [row[name][rng.integers(4)] for row in wide] for name in ("age", "job")}
    plain = Schema(quasi=["age", "job"], numeric="age", nominal="job")
    open_cells = Schema(
        quasi=["age", "job"], numeric="age", nominal="job", generalised=["age", "job"]
    )
    known = {"age": ages, "job": ["xyz"[j] for j in jobs]}
    holes = pl.Series(rng.random(n) < 0.2)
    frame = pl.DataFrame(known).with_columns(
        pl.when(holes).then(None).otherwise(pl.col("age")).alias("age")
    )
    types = dict.fromkeys(cells, pl.String)
    return Microdata(frame, plain), Microdata(pl.DataFrame(cells, types), open_cells)


@given(seeds, st.integers(2, 30), st.sampled_from([0.0, 0.3]))
@examples(1 / 2)
def test_classes_and_stars_against_their_twins(seed, n, discarded):
    rng = np.random.default_rng(seed)
    before, after = coarse(rng, n)
    kept = np.flatnonzero(rng.random(n) >= discarded)
    kept = kept if len(kept) else np.arange(1)
    pair = FilePair.of(before, after.take(kept), kept)
    mine, released = (data.to_frame().rows() for data in (pair.original, pair.release))
    found = {one.name: one.value for one in discernibility(pair).measures}
    twin = naive.discernibility(mine, released, n - len(kept))
    assert found["discernibility"] == (None if twin is None else pytest.approx(twin, abs=1e-12))
    assert found["class size"] == pytest.approx(naive.class_size(mine, released), abs=1e-12)
    old = [cell for row in kept for cell in mine[row]]
    new = [cell for row in released for cell in row]
    lost = {one.name: one.value for one in openness(pair).measures}
    assert lost["stars"] == pytest.approx(naive.stars(old, new), abs=1e-12)
    assert lost["stars"] <= lost["suppressed"] <= 1
    # Nobody knows whose rows they are: classes are counted as before, and nobody is discarded.
    alone = discernibility(FilePair.of(before, pair.release, None)).measures[0]
    twin = naive.discernibility(mine, released, 0)
    assert alone.value == (None if twin is None else pytest.approx(twin, abs=1e-12))


@given(seeds, st.integers(2, 40))
@examples(1 / 5)
def test_a_coarser_release_is_never_told_apart_better(seed, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 10, n)
    values[0] = 10  # not all are the same
    files = [Microdata(pl.DataFrame({"x": values // base})) for base in (1, 2, 4, 100)]
    found = [
        [one.value for one in discernibility(FilePair.of(files[0], file, np.arange(n))).measures]
        for file in files
    ]
    for less, more in pairwise(found):
        assert all(a <= b + 1e-12 for a, b in zip(less, more, strict=True))
    assert found[0] == [0, 0]
    assert found[-1][0] == 1  # nobody can be told from anybody
    # And who is discarded is told from nobody; where others were the same, that may lose nothing.
    half, everybody = np.arange((n + 1) // 2), Microdata(pl.DataFrame({"x": rng.permutation(n)}))
    gone = discernibility(FilePair.of(everybody, everybody.take(half), half)).measures[0].value
    assert gone > 0


@given(seeds, st.integers(2, 40))
@examples(1 / 5)
def test_what_groups_lose_comes_to_what_all_lose(seed, n):
    rng = np.random.default_rng(seed)
    before, after = coarse(rng, n)
    kept = np.flatnonzero(rng.random(n) < 0.8)
    kept = kept if len(kept) else np.arange(1)
    pair = FilePair.of(before, after.take(kept), kept)
    found = suppression(pair, subgroups(before, ["age"], least=1))
    whole = openness(pair).measures
    assert found.generalisation == pytest.approx(whole[0].value, abs=1e-12)
    assert found.suppressed == whole[1].value
    there = [(one, round(one.n * (1 - one.discarded))) for one in found.groups]
    assert sum(many for _, many in there) == len(kept)
    total = sum((one.generalisation or 0) * many for one, many in there)
    assert total == pytest.approx(found.generalisation * len(kept), abs=1e-9)
    assert all((one.generalisation is None) == (many == 0) for one, many in there)


@given(seeds, st.integers(5, 60))
@examples(1 / 10)
def test_pil_against_its_twin(seed, n):
    rng = np.random.default_rng(seed)
    before = people(rng, n)
    after = noisy(before, rng, rng.choice([0.01, 0.1, 1.0])).take(rng.permutation(n)[: n - 2])
    found = {one.name: one.value for one in numeric(FilePair.of(before, after, None)).measures}
    sides = [[numbers(data, name) for name in "xy"] for data in (before, after)]
    twin = naive.pil(*sides)
    for name, value in twin.items():
        assert found[f"PIL of {name}"] == pytest.approx(value, abs=1e-9)
    assert found["PIL"] == pytest.approx(np.mean(list(twin.values())), abs=1e-9)
    assert found["IL1s"] is None


@given(seeds, st.sampled_from([0.0, 0.1]))
@examples(1 / 20)
def test_an_unchanged_file_loses_exactly_nothing(seed, missing):
    rng = np.random.default_rng(seed)
    before = people(rng, 150, missing=missing)
    order = rng.permutation(150)
    for one in (loss(FilePair.of(before, before, np.arange(150))),
                loss(FilePair.of(before, before.take(order), order))):  # fmt: skip
        assert {use.value for use in one.uses} == {0.0}
        for measure in (one.overall, *one.measures):
            assert measure.value is not None, measure.reading
            assert measure.value == measure.best == 0, measure.reading
        assert all(value == 0 for each in one.attributes for value in each.values.values())
        assert one.suppression.discarded == one.suppression.suppressed == 0
        assert one.suppression.generalisation == 0
    # Nobody knows whose rows they are: what compares the files is still at its best.
    alone = numeric(FilePair.of(before, before.take(order), None)).measures[1:]
    same = (*alone, *tables(FilePair.of(before, before.take(order), None)).measures)
    assert {measure.value for measure in same} == {0.0}


def test_shuffled_columns_are_the_bad_end_of_what_sees_them():
    rng = np.random.default_rng(5)
    before = people(rng, 2000)
    found = loss(FilePair.of(before, shuffled(before, rng), np.arange(2000)))
    stay = ["PIL of quantiles", "PIL of means", "PIL of variances", "means", "variances"]
    stay += ["single tables", "largest single table", "generalisation", "suppressed", "discarded"]
    for name in stay:
        assert found[name].value == pytest.approx(0, abs=1e-9), name
    least = {
        "IL1s": 0.6, "PIL of covariances": 0.99, "PIL of correlations": 0.99, "correlations": 0.5,
        "covariances": 0.5, "change": 0.6, "steps": 0.3, "entropy": 0.99, "pair tables": 0.3,
        "pMSE": 0.3, "told apart": 0.3, "prediction": 0.9, "first component": 0,
    }  # fmt: skip
    for name, end in least.items():
        assert found[name].value >= end, found[name].reading
    assert found.overall.value > 0.99


def test_components_that_the_release_does_not_have():
    rng = np.random.default_rng(6)
    a, b, e = rng.normal(size=(3, 3000))
    columns = {"a": a, "b": a + 0.1 * e, "c": b, "d": b + 2 * rng.normal(size=3000)}
    other = {"a": a, "b": b + 0.1 * e, "c": b, "d": a + 2 * rng.normal(size=3000)}
    frames = [Microdata(pl.DataFrame(cells)) for cells in (columns, other)]
    found = {one.name: one.value for one in numeric(FilePair.of(*frames, None)).measures}
    assert found["first component"] > 0.3
    assert found["components"] > 0.1
    same = {
        one.name: one.value for one in numeric(FilePair.of(frames[0], frames[0], None)).measures
    }
    assert same["first component"] == same["components"] == 0


def test_none_grows_with_the_number_of_records():
    found = []
    for n in (3000, 12000):
        rng = np.random.default_rng(11)
        before = people(rng, n)
        found.append(loss(FilePair.of(before, noisy(before, rng), np.arange(n))))
    few, many = found
    for one in few.measures:
        if one.family == "estimates":  # intervals of more records are narrower
            continue
        value = many[one.name].value
        allowed = 0.05 if one.family in LEARNED or "PIL" in one.name else 0.02
        assert value <= one.value + allowed, (one.reading, many[one.name].reading)


@given(seeds)
@examples(1 / 20)
def test_the_order_of_the_rows_means_nothing(seed):
    rng = np.random.default_rng(seed)
    n = 150
    before = people(rng, n, missing=0.05)
    kept = rng.permutation(n)[:120]
    rows = np.where(rng.random(120) < 0.05, -1, kept)
    after = noisy(before, rng).take(kept)
    mine, theirs = rng.permutation(n), rng.permutation(120)
    place = np.argsort(mine)
    moved = np.where(rows[theirs] < 0, -1, place[rows[theirs]])
    one = loss(FilePair.of(before, after, rows))
    other = loss(FilePair.of(before.take(mine), after.take(theirs), moved))
    for a, b in zip((one.overall, *one.measures), (other.overall, *other.measures), strict=True):
        assert a.n == b.n
        assert a.value == pytest.approx(b.value, abs=1e-12), a.name
    for a, b in zip(one.uses, other.uses, strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-9), a.name
        assert a.error == pytest.approx(b.error, abs=1e-9), a.name
    for a, b in zip(one.attributes, other.attributes, strict=True):
        assert a.values == pytest.approx(b.values, abs=1e-12)


@given(seeds, st.sampled_from(["pairs", "none", "strangers"]), st.integers(1, 8))
@examples(1 / 10)
def test_small_and_odd_files_give_numbers_in_range_or_reasons(seed, kind, n):
    rng = np.random.default_rng(seed)
    before = people(rng, n, missing=rng.choice([0.0, 0.5, 1.0]))
    after = noisy(before, rng).take(rng.integers(0, n, rng.integers(1, n + 1)))
    rows = {"pairs": np.arange(len(after)), "none": None, "strangers": np.full(len(after), -1)}
    found = loss(FilePair.of(before, after, rows[kind]))
    for one in (found.overall, *found.measures):
        assert one.name in GLOSSARY
        if one.value is None:
            assert one.note, one.name
        else:
            assert math.isfinite(one.value)
            assert one.best <= one.value <= (math.inf if one.worst is None else one.worst)
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found
    if kind == "none":
        assert found["IL1s"].value is None
        assert found["suppressed"].value is None
        assert found.suppression.discarded is None


def test_two_samples_of_the_same_people_are_not_told_apart():
    sample = unveil.households(4000, seed=3).select(["age", "region", "income", "hours", "rent"])
    halves = sample.take(np.arange(2000)), sample.take(np.arange(2000, 4000))
    found = {one.name: one.value for one in propensity(FilePair.of(*halves, None)).measures}
    assert found["told apart"] < 0.01
    assert found["pMSE"] < 0.1
    assert openness(FilePair.of(*halves, None)).measures[0].value < 0.02


def test_entropy_does_not_see_a_relabelling():
    codes = np.array([0, 1, 2, 0, 1], np.int32)
    assert entropy_lost(codes, 2 - codes) == 0
    assert entropy_lost(codes, np.zeros(5, np.int32)) == 1
    assert entropy_lost(np.zeros(5, np.int32), codes) is None
