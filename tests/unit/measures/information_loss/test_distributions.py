"""One attribute before and after: by hand, and of files that are odd."""

import datetime

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Microdata, Schema, masks
from unveil.errors import DataError, UsageError
from unveil.measures import record_risks, shapes
from unveil.values.file_pair import FilePair


def shape(before, after=None, rows=None, **said):
    """Of one column; what is said of both files, or of the release by `released`."""
    released = said.pop("released", said)
    files = [
        Microdata(pl.DataFrame({"c": side}), Schema({"c": declared}))
        for side, declared in ((before, said), (before if after is None else after, released))
    ]
    (found,) = shapes(FilePair.of(*files, rows))
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found
    for which, side in zip(("original", "release"), files, strict=True):
        counts = [getattr(bar, which) for bar in found.bars]
        there = len(side) - getattr(found, f"{which}_missing")
        assert not counts or sum(counts) == there
    return found


def counted(found):
    return [(bar.label, bar.original, bar.release) for bar in found.bars]


def labels(found):
    return [bar.label for bar in found.bars]


def test_numbers_by_hand():
    ages = [*range(15, 95)] * 2
    found = shape(ages, [age + 10 for age in ages])
    assert counted(found) == [
        ("under 30", 30, 10),
        ("30 to 39", 20, 20),
        ("40 to 49", 20, 20),
        ("50 to 59", 20, 20),
        ("60 to 69", 20, 20),
        ("70 to 79", 20, 20),
        ("80 and over", 30, 50),
    ]
    assert found.spread == pytest.approx(1)
    assert found.shift == pytest.approx(10 / np.std(ages, ddof=1))
    assert found.bars[0].original_share == 30 / 160


def test_whole_numbers_are_parted_by_whole_numbers():
    children = [0] * 40 + [1] * 30 + [2] * 30 + [3] * 12 + [4] * 3
    assert labels(shape(children)) == ["under 1", "1", "2", "3 and over"]
    flags = [0.0] * 30 + [1.0] * 30
    assert counted(shape(flags)) == [("under 0.5", 30, 30), ("0.5 and over", 30, 30)]
    assert labels(shape([-one for one in flags])) == ["under -0.5", "-0.5 and over"]


def test_one_value_spoils_no_axis():
    values = np.linspace(0, 99, 1000).tolist()
    assert labels(shape([*values, 1e12])) == labels(shape(values))
    mostly = [0.0] * 990 + np.linspace(1, 40, 60).tolist()
    assert labels(shape(mostly))[0] == "under 2.5"  # further out than the 98th percentile


def test_numbers_too_near_each_other_for_few_digits_are_told_by_none():
    found = shape([88_077_013 + i % 3 for i in range(60)])
    assert (found.bars, found.note != "", found.spread) == ((), True, 1.0)
    years = [2010 + i % 9 for i in range(300)]
    assert labels(shape(years))[:2] == ["under 2,011", "2,011 to 2,012"]


@pytest.mark.parametrize("power", [-307, -160, -9, 0, 14, 149])
def test_numbers_of_any_size(power):
    values = (np.arange(1.0, 101.0) / 100) * 10.0**power
    for side in (values, -values):
        found = shape(side)
        assert len(found.bars) > 4
        assert all(len(label) < 60 for label in labels(found))
    first = {-307: "2e-308", -160: "2e-161", -9: "2e-10", 0: "0.2", 14: "20,000,000,000,000"}
    assert labels(shape(values))[0] == f"under {first.get(power, '2e+148')}"


def test_numbers_that_nothing_can_be_computed_with_are_refused():
    with pytest.raises(DataError, match="beyond 1e150"):
        shape([1e300 * (1 + i / 50) for i in range(50)])
    with pytest.raises(DataError, match="infinite"):
        shape([float("inf")] * 30)
    tiny = shape([5e-324 * (i % 9) for i in range(200)])  # whose squares are nothing
    assert (tiny.shift, tiny.spread) == (None, None)
    wide = shape([1e-161 * i for i in range(50)], [1.9e148 * i for i in range(50)])
    assert (wide.bars, wide.shift, wide.spread) == ((), None, None)
    far = [f"{i}e200..{i}e300" for i in range(1, 60)]
    with pytest.raises(DataError, match="beyond 1e150"):
        shape(far, level="numeric", generalised=True)


def test_few_constant_and_missing():
    assert "of the original" in shape([3.0]).note
    assert shape(["x"], level="nominal").note == shape([3.0]).note
    assert "of the release" in shape([1.0 * i for i in range(50)], [1.0, 2.0]).note
    gone = shape([1.0 * i for i in range(50)], pl.Series([None] * 50, dtype=pl.Float64))
    assert (gone.bars, gone.release_missing, gone.shift) == ((), 50, None)
    same = shape([7.25] * 50)
    assert (same.bars, same.shift, same.spread) == ((), None, None)
    assert "round" in same.note
    flat = shape([1.0 * i for i in range(50)], [24.5] * 50)  # nothing to hold an outer range
    assert (flat.bars, flat.shift, flat.spread) == ((), 0.0, 0.0)
    holes = shape([*range(50), None, None], [*range(40), None])
    assert (holes.original_missing, holes.release_missing) == (2, 1)


def test_dates_and_times():
    days = [datetime.date(1950, 1, 1) + datetime.timedelta(200 * i) for i in range(120)]
    found = shape(days)
    assert labels(found)[0] == "before 1960"
    assert labels(found)[1:] == [
        *(f"{year} to {year + 5}" for year in range(1960, 2005, 5)),
        "2005 and later",
    ]
    assert found.bars[0].original == sum(day.year < 1960 for day in days)
    weeks = [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(150)]
    assert labels(shape(weeks)) == ["before 2020-02", "2020-02 to 2020-03", "2020-03 to 2020-04",
                                    "2020-04 to 2020-05", "2020-05 and later"]  # fmt: skip
    times = [datetime.datetime.combine(day, datetime.time(9)) for day in days]
    assert counted(shape(days, times)) == counted(found)
    early = [datetime.date(1 + i, 5, 5) for i in range(60)]
    assert labels(shape(early))[-1] == "50 and later"
    assert "round" in shape([datetime.date(1977, 1, 1 + i) for i in range(24)]).note


def test_truth_values_and_long_texts_have_letters():
    assert counted(shape([True] * 12 + [False] * 11)) == [
        ("A (most frequent)", 12, 12),
        ("B (2nd most frequent)", 11, 11),
    ]
    long = "x" * 300
    found = shape([long] * 15 + ["b"] * 9, [long] * 10 + ["new"] * 10, level="nominal")
    assert counted(found) == [("A (most frequent)", 15, 10), ("other", 9, 10)]
    every = shape([f"n{i}" for i in range(99)], level="nominal")
    assert counted(every) == [("other", 99, 99)]


def test_declared_categories_keep_their_names_and_order():
    grades = ["hi"] * 15 + ["lo"] * 12 + ["mid"] * 3
    found = shape(grades, grades[:25], order=["none", "lo", "mid", "hi"])
    assert counted(found) == [("lo", 12, 10), ("mid", 3, 0), ("hi", 15, 15)]
    codes = shape([1] * 20 + [2] * 15 + [3], level="nominal", labels={"1": "one", "2": "one"})
    assert labels(codes) == ["one", "one (2)", "other"]
    many = [f"{i:02}" for i in range(40) for _ in range(i + 1)]
    some = shape(many, order=[f"{i:02}" for i in range(40)])
    assert labels(some) == [*(f"{i:02}" for i in range(29, 40)), "other"]
    assert some.bars[-1].original == sum(range(1, 30))
    typed = pl.Series(["b"] * 20 + ["a"] * 30, dtype=pl.Enum(["b", "a"]))
    assert counted(shape(typed)) == [
        ("B (2nd most frequent)", 20, 20),
        ("A (most frequent)", 30, 30),
    ]


def test_merged_categories_stand_at_the_end():
    sample = unveil.households(300, seed=7)
    groups = masks.GlobalRecoding(groups={"low": ["none", "primary"]}, columns=["education"])
    release = unveil.mask(sample, [groups], seed=1)
    found = {one.column: one for one in shapes(FilePair.of(sample, release.data, release.row_map))}
    assert labels(found["education"])[-1] == "low"
    assert {"person", "household", "weight"}.isdisjoint(found)


def test_ranges_sets_and_stars():
    ages = [20 + i % 60 for i in range(240)]
    tens = [f"{age // 10 * 10}..{age // 10 * 10 + 9}" for age in ages]
    range_said = {"level": "numeric", "generalised": True}
    found = shape(ages, tens, level="numeric", released=range_said)
    assert labels(found) == ["under 30", "30 to 40", "40 to 50", "50 to 60", "60 to 70",
                             "70 and over"]  # fmt: skip
    assert [bar.original for bar in found.bars] == [bar.release for bar in found.bars]
    touching = [f"{age // 10 * 10}..{age // 10 * 10 + 10}" for age in ages]
    assert counted(shape(ages, touching, level="numeric", released=range_said)) == counted(found)
    coarse = ["*"] * 40 + [".." + "39" if age < 40 else "40.." for age in ages[40:]]
    wide = shape(ages, coarse, level="numeric", released=range_said)
    assert (wide.bars[-1].label, wide.bars[-1].release) == ("generalised", 40)
    assert labels(shape(tens, **range_said)) == labels(found)
    stars = shape(ages, ["*"] * 240, level="numeric", released=range_said)
    assert (stars.bars, stars.shift) == ((), None)
    jobs = ["a"] * 20 + ["b"] * 20
    sets = ["{a|b}"] * 5 + ["a"] * 14 + ["b"] * 20 + ["*"]
    open_cells = shape(jobs, sets, level="nominal", released={"level": "nominal",
                                                              "generalised": True})  # fmt: skip
    assert counted(open_cells) == [
        ("B (2nd most frequent)", 20, 20),  # "b", as frequent as "a" in the original
        ("A (most frequent)", 20, 14),
        ("generalised", 0, 6),
    ]


def test_a_release_of_fewer_rows_needs_no_pairs():
    values = [1.5 * i for i in range(100)]
    found = shape(values, values[:40])
    assert shape(values, values[:40], rows=np.full(40, -1)) == found
    assert sum(bar.release for bar in found.bars) == 40


def test_the_tail_by_hand():
    sure = np.array([1.0] * 5 + [0.0] * 94 + [0.5])
    half = np.full(100, 0.5)
    half[:4] = np.nan
    found = record_risks({"a b": sure, "c d": half}, attack="a", direction="b")
    assert [one.by_worst for one in found.bins] == [94, 0, 0, 0, 1, 0, 5]
    assert [one.by_mean for one in found.bins] == [0, 0, 0, 94, 1, 1, 4]
    assert [one.records for one in found.above] == [6, 6, 6, 6, 5]
    assert [(one.part, one.share) for one in found.carried] == [
        (0.01, 1 / 5.5), (0.05, 5 / 5.5), (0.1, 1.0), (0.25, 1.0),
    ]  # fmt: skip
    assert [(one.row, one.mean, one.found_by) for one in found.riskiest[:6]] == [
        (1, 1.0, 1), (2, 1.0, 1), (3, 1.0, 1), (4, 1.0, 1), (5, 0.75, 1), (100, 0.5, 0),
    ]  # fmt: skip
    assert [one.row for one in found.riskiest[6:]] == [6, 7, 8, 9]


def test_a_tail_of_nobody_and_of_nothing():
    nobody = np.array([np.nan])
    assert record_risks({"a b": nobody}, attack="a", direction="b") is None
    safe = record_risks({"a b": np.zeros(3), "c d": nobody.repeat(3)}, attack="a", direction="b")
    assert (safe.carried, safe.riskiest, safe.n, safe.bins[0].by_worst) == ((), (), 3, 3)
    one = record_risks({"a b": np.ones(1)}, attack="a", direction="b")
    assert (one.riskiest[0].row, one.carried[0].share) == (1, 1.0)
    for wrong in ({}, {"x y": np.ones(1)}, {"a b": np.ones(1), "c d": np.ones(2)}):
        with pytest.raises(UsageError, match="same originals"):
            record_risks(wrong, attack="a", direction="b")


@pytest.mark.slow
def test_an_audit_has_both():
    sample = unveil.households(200, seed=3)
    release = unveil.mask(sample, [masks.RankSwapping(p=5)], seed=3)
    quick = {"sweep": False, "errors": (), "remask": 0, "worst_case": False}
    found = audits.audit(sample, release, attacks=["distance", "position"], **quick).evidence
    assert len(found.shapes) == len(found.loss.columns)
    worst, tail = found.attacks[0], found.record_risks
    assert (tail.attack, tail.direction, tail.n) == (worst.name, worst.risk.direction, 200)
    assert tail.attacks == len(found.attacks) == 3
    nobody = audits.audit(sample, release.data, truth="none", **quick).evidence
    assert (nobody.record_risks, len(nobody.shapes)) == (None, len(found.shapes))
