"""What every mask promises, on any table, with any legal parameters and any seed."""

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.masks import CATEGORIES, KINDS, NUMBERS, ORDER, SPECS, masked, sizes, tables
from unveil import masks
from unveil.files.formats.columnar import Parquet
from unveil.masks.generalisation.base import GeneralisingMask
from unveil.support.options import part_of
from unveil.support.specs import method_name
from unveil.table.columns import labels_of

SWAPS_CELLS = (  # every cell after is one from before, of the same column
    masks.RankSwapping,
    masks.DistributionSwapping,
    masks.RecordSwapping,
    masks.TopCoding,
    masks.BottomCoding,
    masks.Sampling,
    masks.Shuffle,
)


def test_every_method_is_here():
    assert list(SPECS) == [method_name(spec) for spec in masks.METHODS]


def rows_of(data, release):
    """The original's rows in the release's order, without what never leaves."""
    return data.select(list(release.data.columns)).take(release.row_map)


def bytes_of(data):
    out = io.BytesIO()
    Parquet().save(data, out)
    return out.getvalue()


@pytest.mark.parametrize("method", SPECS)
@examples(1 / 4)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_cells_are_as_the_mask_promises_and_its_channel_allows(method, data, seed):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec, seed)
    _check_shape_types_and_missing_cells(method, table, spec, release)
    if release.row_map is not None and method not in ("sampling", "shuffle"):
        _check_channels(table, spec, release)


def _check_shape_types_and_missing_cells(method, table, spec, release):
    named = ("who",) if method == "pseudonymisation" else ()
    assert ("who" in release.data.columns) == bool(named)
    if isinstance(spec, masks.Synthesis):
        assert release.row_map is None
        assert len(release) == (spec.records or len(table))
        before = table.select(list(release.data.columns))
        assert set(release.data.columns) == set(spec.columns or KINDS)
    else:
        before = rows_of(table, release)
        assert release.data.columns == (*named, *KINDS)
    ranged = (method == "global-recoding" and spec.intervals is not None) or bool(named)
    for name in release.data.columns:
        x, y = before.column(name), release.data.column(name)
        if name not in spec.targets(table) or method in ("shuffle", "sampling"):
            assert y.equals(x)
            continue
        if isinstance(spec, GeneralisingMask):
            assert y.dtype in (pl.String, x.dtype, pl.Float64)
            assert spec.generalises_cells is False or not (y.is_null() & ~x.is_null()).any()
            continue
        if not getattr(spec, "keep_type", True) and x.dtype.is_integer() and name in NUMBERS:
            assert y.dtype == pl.Float64
        else:
            assert y.dtype == (pl.String if ranged else x.dtype)
        if release.row_map is not None:
            assert (y.is_null() == x.is_null()).all()
        if name in CATEGORIES and method in ("pram", "individual-ranking", "microaggregation"):
            assert set(y.drop_nulls()) <= set(x.drop_nulls()) | set(ORDER)
        if isinstance(spec, SWAPS_CELLS) and getattr(spec, "threshold", None) is None:
            assert set(y.drop_nulls()) <= set(x.drop_nulls())


def _check_channels(table, spec, release):
    """A channel never excludes what the mask did."""
    before = rows_of(table, release)
    covered = {column for channel in release.channels for column in channel.columns}
    assert covered == set(spec.targets(table))
    for channel in release.channels:
        assert not channel.excludes(before, release.data).any(), channel


@pytest.mark.parametrize("method", SPECS)
@examples(1 / 8)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_a_seed_gives_the_same_bytes_whatever_else_is_in_the_plan(method, data, seed):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec, seed)
    again = unveil.mask(table, release.plan)
    assert bytes_of(release.data) == bytes_of(again.data)
    assert release.plan == again.plan
    others = [name for name in NUMBERS[:5] if name not in spec.targets(table)]
    if method in ("sampling", "synthesis", "shuffle") or not others:
        return
    noise = masks.MultiplicativeNoise(scale=0.1, columns=others[:1], name="more", keep_type=False)
    try:
        wider = unveil.mask(table, [noise, spec, masks.Shuffle(name="late")], seed=seed)
    except unveil.UnveilError:
        return
    back = np.argsort(wider.row_map)
    for name in spec.targets(table):
        assert wider.data.take(back).column(name).equals(release.data.column(name))


@examples(1 / 4)
@given(tables(), SPECS["rank-swapping"])
def test_no_value_is_swapped_farther_than_the_window(table, spec):
    release = masked(table, spec)
    for channel in release.channels:
        name = channel.columns[0]
        x = [v for v in labels_of(table.column(name)) if v is not None]
        assert sorted(x) == sorted(v for v in labels_of(release.data.column(name)) if v is not None)
        assert channel.window == part_of(len(x), spec.p, 100)


@examples(1 / 4)
@given(tables(), sizes)
def test_groups_have_at_least_k_equal_cells(table, k):
    for spec in (
        masks.IndividualRanking(k=k, columns=["whole", "number", "grade"]),
        masks.Microaggregation(k=k, columns=["whole", "text", "number", "grade"]),
        masks.Microaggregation(
            k=k, columns=["whole", "text", "number", "grade"], algorithm="v-mdav", gamma=1.1
        ),
        masks.Microaggregation(k=k, columns=["whole"], algorithm="optimal"),
        masks.Microaggregation(k=k, columns=["grade"], algorithm="optimal"),
    ):
        try:
            release = unveil.mask(table, [spec], seed=1)
        except unveil.UnveilError:
            continue
        for name in spec.columns:
            counted = release.data.column(name).drop_nulls().value_counts()
            assert (counted["count"] >= k).all()
        gapless = [name for name in spec.columns if not table.column(name).null_count()]
        if isinstance(spec, masks.Microaggregation) and len(gapless) == len(spec.columns):
            together = release.data.select(gapless).to_frame()
            assert (together.group_by(gapless).len()["len"] >= k).all()


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        (["whole", "number", "text", "grade"], {"algorithm": "mdav"}),
        (["whole", "number", "text", "grade"], {"algorithm": "v-mdav", "gamma": 1.1}),
        (["whole"], {"algorithm": "optimal"}),
        (["step"], {"algorithm": "optimal"}),
    ],
)
@examples(1 / 8)
@given(table=tables(), k=sizes)
def test_groups_over_all_that_is_known_link_at_most_one_in_k(columns, more, table, k):
    known = [~table.column(name).is_null().to_numpy() for name in columns]
    rows = np.flatnonzero(np.all(known, axis=0))
    assume(len(rows) >= k)
    complete = table.take(rows)
    release = masked(complete, masks.Microaggregation(k=k, columns=columns, **more))
    together = release.data.select(columns).to_frame()
    assert (together.group_by(columns).len()["len"] >= k).all()
    assume(together.n_unique() > 1)  # else there is nothing to link by
    for direction in ("original-to-release", "release-to-original"):
        intruder = unveil.Intruder(knows=columns, direction=direction)
        for metric in ("euclid", "manhattan", "chebyshev"):
            attack = unveil.attacks.Distance(metric=metric)
            links = unveil.attack(complete, release, attack, intruder=intruder)
            assert unveil.measures.hits(links).sum() <= len(rows) / k + 1e-9


@examples(1 / 4)
@given(tables(), st.integers(1, 4))
def test_coded_categories_are_gone(table, p):
    for name in ("grade", "step", "whole", "date"):
        for kind, end in ((masks.TopCoding, -1), (masks.BottomCoding, 1)):
            try:
                after = unveil.mask(table, [kind(categories=p, columns=[name])]).data
            except unveil.UnveilError:
                continue
            cells = table.column(name).drop_nulls()
            order = {label: place for place, label in enumerate(ORDER)}
            distinct = sorted(set(cells), key=lambda cell: order.get(cell, cell))[::end]
            left = set(after.column(name).drop_nulls())
            assert left.isdisjoint(distinct[:p]) or len(distinct) <= p
            assert left == set(distinct[min(p, len(distinct) - 1) :])
    for name in CATEGORIES:
        if table.column(name).null_count() == len(table):
            continue
        after = unveil.mask(table, [masks.GlobalRecoding(rarest=p, columns=[name])]).data
        found = table.column(name).drop_nulls().n_unique()
        assert after.column(name).drop_nulls().n_unique() == max(found - p, 1)
