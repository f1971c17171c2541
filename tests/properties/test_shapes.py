"""Shapes and tails against their naive twins, and what must hold of all of them."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import shapes as naive
from strategies.examples import examples
from unveil import Microdata, Schema
from unveil.measures import record_risks, shapes
from unveil.values.file_pair import FilePair

seeds = st.integers(0, 2**32)
AWKWARD = 1234.567
KINDS = {
    "normal": lambda rng, n: rng.normal(size=n) * 10 ** rng.uniform(-3, 4),
    "skewed": lambda rng, n: np.round(np.exp(rng.normal(size=n) * 2) * 100, 2),
    "whole": lambda rng, n: np.round(rng.normal(size=n) * rng.choice([1, 5, 300])),
    "heaped": lambda rng, n: rng.choice([0, 5, 10, 1000], n, p=[0.8, 0.1, 0.07, 0.03]),
    "awkward": lambda rng, n: AWKWARD + rng.choice([0.0, 0.01, 1.0, 100.0]) * rng.random(n),
    "two": lambda rng, n: rng.choice(rng.choice([0, 1, 0.25, 1234, 7], 2), n),
}
kinds = st.sampled_from(sorted(KINDS))


def one_column(before, after, **said):
    """The files of one column; a NaN is missing."""
    files = [
        Microdata(
            pl.DataFrame({"c": pl.Series(side).fill_nan(None) if side.dtype.kind == "f" else side}),
            Schema({"c": said}),
        )
        for side in (before, after)
    ]
    return FilePair.of(*files, None)


def counted(shape):
    return [(bar.label, bar.original, bar.release) for bar in shape.bars]


@given(seeds, kinds, st.integers(20, 700), st.sampled_from([0.0, 0.3]), st.floats(0.3, 1))
@examples(1 / 2)
def test_numbers_against_their_twin(seed, kind, n, missing, kept):
    rng = np.random.default_rng(seed)
    before = KINDS[kind](rng, n).astype(float)
    after = before[rng.random(n) < kept]
    after = after + rng.choice([0, 1]) * rng.normal(size=len(after)) * before.std() / 3
    for side in (before, after):
        side[rng.random(len(side)) < missing] = np.nan
    both = one_column(before, after, level="numeric")
    (found,) = shapes(both)
    there = [side[~np.isnan(side)] for side in (before, after)]
    assert found.original_missing == len(before) - len(there[0])
    assert found.release_missing == len(after) - len(there[1])
    if min(map(len, there)) < 20:
        assert "fewer than 20 records" in found.note
        assert (found.bars, found.shift) == ((), None)
        return
    twin = naive.ranges(*(side.tolist() for side in there))
    assert counted(found) == (twin or [])
    assert (found.note == "") == bool(twin)
    for which, side in zip(("original", "release"), there, strict=True):
        counts = [getattr(bar, which) for bar in found.bars]
        if counts:
            assert sum(counts) == len(side)
            assert min(counts[0], counts[-1]) >= 10
            assert len(counts) <= 12
        shares = [getattr(bar, f"{which}_share") for bar in found.bars]
        assert shares == [count / len(side) for count in counts]
        told = re.findall(r"-?[\d,.]*\d", " ".join(bar.label for bar in found.bars))
        ends = {float(one.replace(",", "")) for one in told}
        assert not ends & {float(side.min()), float(side.max())}
        if kind == "awkward":
            assert not ends & {*side.tolist()}
    if found.shift is not None:
        sd = there[0].std(ddof=1)
        assert found.shift == pytest.approx((there[1].mean() - there[0].mean()) / sd, abs=1e-9)
        assert found.spread == pytest.approx(there[1].std(ddof=1) / sd)
    again = one_column(rng.permutation(before), rng.permutation(after), level="numeric")
    assert shapes(again) == (found,)


@given(seeds, st.integers(20, 300), st.integers(1, 40), st.booleans())
@examples(1 / 4)
def test_categories_against_their_twin(seed, n, many, ordinal):
    rng = np.random.default_rng(seed)
    listed = [f"c{i}" for i in range(many)]
    skewed = rng.dirichlet(np.full(many, 0.5))
    before, after = (rng.choice([*listed, "only here"[:k]], n, p=[*skewed * 0.95, 0.05])
                     for k in (9, 4))  # fmt: skip
    declared = rng.choice(listed, rng.integers(0, many + 1), replace=False).tolist()
    said = {"level": "nominal", "labels": {label: label for label in declared}}
    if ordinal:
        declared = [*listed, "only here", "only"]
        said = {"order": declared}
    both = one_column(before, after, **said)
    (found,) = shapes(both)
    twin = naive.categories(before.tolist(), after.tolist(), {*declared})
    if ordinal:
        twin.sort(key=lambda bar: [*declared, "other"].index(bar[0]))
    assert counted(found) == twin
    assert len(found.bars) <= 12
    assert [sum(bar[k] for bar in twin) for k in (1, 2)] == [n, n]
    assert (found.shift, found.spread, found.note) == (None, None, "")
    again = one_column(rng.permutation(before), rng.permutation(after), **said)
    assert shapes(again) == (found,)


risks = st.none() | st.sampled_from([0, 0.05, 1 / 3, 0.33, 0.5, 0.1, 1]) | st.floats(0, 1)


@given(st.lists(st.tuples(risks, risks, risks), min_size=1, max_size=60), st.randoms())
def test_tails_against_their_twin(rows, random):
    rows = [tuple(None if r is None else round(r, 6) for r in row) for row in rows]

    def found_of(rows):
        columns = {f"{name} out": list(each) for name, each in zip("abc", zip(*rows, strict=True),
                                                                   strict=True)}  # fmt: skip
        given = {name: np.array(each, float) for name, each in columns.items()}
        return record_risks(given, attack="b", direction="out"), columns

    found, columns = found_of(rows)
    twin = naive.record_risks(columns, "b out")
    if not twin["n"]:
        assert found is None
        return
    assert (found.attack, found.direction, found.n, found.attacks) == ("b", "out", twin["n"], 3)
    assert [(one.by_worst, one.by_mean) for one in found.bins] == twin["bins"]
    assert sum(one.by_worst for one in found.bins) == found.n
    assert [one.records for one in found.above] == twin["above"]
    assert [one.share for one in found.carried] == pytest.approx(twin["carried"])
    assert [(o.row, o.mean, o.found_by, o.made) for o in found.riskiest] == twin["riskiest"]
    assert sum(one.by_mean for one in found.bins) == found.n
    random.shuffle(rows)
    again, _ = found_of(rows)
    assert (again.bins, again.above, again.carried) == (found.bins, found.above, found.carried)
    told = [[(one.mean, one.found_by) for one in both.riskiest] for both in (found, again)]
    assert told[0] == told[1]
