"""What every mask promises, on any table, with any legal parameters and any seed."""

import datetime
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import unveil
from unveil import Schema, masks
from unveil.data.columns import labels_of
from unveil.data.shares import part_of
from unveil.data.specs import method_name
from unveil.files.columnar import Parquet

EXAMPLES = settings.default.max_examples  # of the profile: the suite's, or the deep one's
ORDER = ["low", "mid", "high", "top"]
DAY, MOMENT = datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1)
KINDS = {
    "whole": (lambda rng: int(rng.choice([*range(-20, 20), 999])), pl.Int64, "numeric"),
    "tiny": (lambda rng: int(rng.integers(-9, 9)), pl.Int8, "numeric"),
    "unsigned": (lambda rng: int(rng.integers(0, 200)), pl.UInt8, "numeric"),
    "number": (
        lambda rng: float(rng.normal() * 10.0 ** rng.integers(-3, 6)),
        pl.Float64,
        "numeric",
    ),
    "single": (lambda rng: float(np.float32(rng.normal())), pl.Float32, "numeric"),
    "date": (lambda rng: DAY + datetime.timedelta(int(rng.integers(900))), pl.Date, "numeric"),
    "time": (
        lambda rng: (
            MOMENT + datetime.timedelta(0, int(rng.integers(10**9)), int(rng.integers(10**6)))
        ),
        pl.Datetime("us"),
        "numeric",
    ),
    "text": (lambda rng: "abcde"[rng.integers(5)], pl.String, "nominal"),
    "code": (lambda rng: int(rng.integers(1, 5)), pl.Int32, "nominal"),
    "truth": (lambda rng: bool(rng.integers(2)), pl.Boolean, "nominal"),
    "grade": (lambda rng: ORDER[rng.integers(4)], pl.String, "ordinal"),
    "step": (lambda rng: int(rng.integers(1, 6)), pl.Int16, "ordinal"),
}
NUMBERS = [name for name, (_, _, level) in KINDS.items() if level == "numeric"]
CATEGORIES = [name for name in KINDS if name not in NUMBERS]


@st.composite
def tables(draw):
    """A table with a column of every kind, missing codes, and an identifier."""
    n, missing = draw(st.integers(1, 24)), draw(st.sampled_from([0, 0.1, 0.5, 0.9]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [pl.Series("who", range(n), dtype=pl.Int64)]
    for name, (cell, kind, _) in KINDS.items():
        cells = [None if rng.random() < missing else cell(rng) for _ in range(n)]
        if rng.random() < 0.1:  # constant
            cells = [None if one is None else cells[0] for one in cells]
        columns.append(pl.Series(name, cells, dtype=kind))
    schema = Schema(
        identifier="who",
        numeric=NUMBERS,
        nominal=[name for name in CATEGORIES if KINDS[name][2] == "nominal"],
        ordinal={"grade": ORDER},
        missing={"whole": ["999"]},
        attributes={"step": {"level": "ordinal"}},
    )
    return unveil.Microdata(pl.DataFrame(columns), schema)


def some(names):
    return st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)


shares, sizes = st.floats(0, 1), st.integers(2, 5)
ANY_P = st.just(0.0) | st.floats(20, 100)
RANKED = [*NUMBERS, "grade", "step"]
SPECS = {
    "additive-noise": st.builds(
        masks.AdditiveNoise, scale=st.floats(0, 2), columns=some(NUMBERS), keep_type=st.booleans()
    ),
    "correlated-noise": st.builds(
        masks.CorrelatedNoise, scale=st.floats(0, 2), columns=some(NUMBERS), keep_type=st.booleans()
    ),
    "multiplicative-noise": st.builds(
        masks.MultiplicativeNoise, scale=shares, columns=some(NUMBERS[:5]), keep_type=st.booleans()
    ),
    "rank-swapping": st.builds(masks.RankSwapping, p=ANY_P, columns=some(RANKED)),
    "distribution-swapping": st.builds(
        masks.DistributionSwapping,
        p=ANY_P,
        reading=st.sampled_from(["table", "text"]),
        columns=some(RANKED),
    ),
    "individual-ranking": st.builds(
        masks.IndividualRanking, k=sizes, columns=some(RANKED), keep_type=st.booleans()
    ),
    "microaggregation": st.builds(
        masks.Microaggregation,
        k=sizes,
        columns=some(list(KINDS)),
        standardise=st.booleans(),
        keep_type=st.booleans(),
    )
    | st.builds(
        masks.Microaggregation,
        groups=st.just([{"columns": ["whole", "text"], "k": 2}, {"columns": ["number"], "k": 3}]),
    ),
    "top-coding": st.builds(masks.TopCoding, categories=st.integers(1, 5), columns=some(RANKED))
    | st.builds(masks.TopCoding, share=shares, columns=some(RANKED))
    | st.builds(masks.TopCoding, threshold=st.integers(0, 5), columns=some(["whole", "number"]))
    | st.builds(masks.TopCoding, threshold=st.sampled_from(ORDER), columns=st.just(["grade"])),
    "bottom-coding": st.builds(
        masks.BottomCoding, categories=st.integers(1, 5), columns=some(RANKED)
    )
    | st.builds(masks.BottomCoding, share=shares, columns=some(RANKED))
    | st.builds(masks.BottomCoding, threshold=st.just("2001-05-01"), columns=st.just(["date"])),
    "global-recoding": st.builds(
        masks.GlobalRecoding, rarest=st.integers(1, 6), columns=some(CATEGORIES)
    )
    | st.builds(
        masks.GlobalRecoding,
        rarest=st.integers(1, 6),
        label=st.just("other"),
        columns=some(["text", "grade"]),
    )
    | st.builds(
        masks.GlobalRecoding,
        intervals=st.sampled_from([0.1, 1, 2.5, 10]) | st.just((-5.0, 0.5, 7.0)) | st.just((0, 9)),
        columns=some(["whole", "tiny", "unsigned", "number", "single"]),
    )
    | st.builds(
        masks.GlobalRecoding,
        groups=st.sampled_from([{"lower": ["low", "mid"]}, {"mid": ["mid", "high", "top"]}]),
        columns=st.just(["grade"]),
    ),
    "pram": st.builds(masks.Pram, theta=shares, invariant=st.booleans(), columns=some(CATEGORIES))
    | st.builds(
        masks.Pram,
        matrix=st.just([[0.7, 0.3, 0, 0], [0.1, 0.8, 0, 0.1], [0, 0, 1, 0], [0.25] * 4]),
        invariant=st.booleans(),
        columns=st.just(["grade"]),
    ),
    "rounding": st.builds(masks.Rounding, base=st.sampled_from([1, 3, 10]), columns=some(NUMBERS))
    | st.builds(masks.Rounding, base=st.sampled_from([0.1, 0.7]), columns=some(["number"])),
    "sampling": st.builds(masks.Sampling, share=st.floats(0.01, 1)),
    "shuffle": st.builds(masks.Shuffle),
    "synthesis": st.builds(
        masks.Synthesis,
        model=st.sampled_from(["trees", "copula"]),
        records=st.none() | st.integers(1, 9),
        columns=st.none() | some(list(KINDS)),
    ),
    "function": st.builds(
        masks.Function,
        function=st.just(lambda values, rng: rng.permutation(values)),
        columns=some(list(KINDS)),
        runs=st.just(2),
        channel=st.sampled_from(["estimate", "unknown"]),
    ),
}
SWAPS_CELLS = (  # every cell after is one from before, of the same column
    masks.RankSwapping,
    masks.DistributionSwapping,
    masks.TopCoding,
    masks.BottomCoding,
    masks.Sampling,
    masks.Shuffle,
)


def test_every_method_is_here():
    assert list(SPECS) == [method_name(spec) for spec in masks.METHODS]


def masked(data, spec, seed=7):
    """The release; a refusal that the data deserves is no counterexample."""
    try:
        release = unveil.mask(data, [spec], seed=seed)
    except unveil.UnveilError as refusal:
        told = str(refusal)
        assert any(
            words in told
            for words in ("constant", "missing in every", "known value", "cannot hold",
                          "none at all", "less than one position", "rows, column", "would change")
        ), told  # fmt: skip
        event("refused")
        assume(False)
    return release


def rows_of(data, release):
    """The original's rows in the release's order, without what never leaves."""
    return data.select(list(release.data.columns)).take(release.row_map)


def bytes_of(data):
    out = io.BytesIO()
    Parquet().save(data, out)
    return out.getvalue()


@pytest.mark.parametrize("method", SPECS)
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_shape_types_missing_cells_and_other_columns(method, data):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec)
    assert "who" not in release.data.columns
    if isinstance(spec, masks.Synthesis):
        assert release.row_map is None
        assert len(release) == (spec.records or len(table))
        before = table.select(list(release.data.columns))
        assert set(release.data.columns) == set(spec.columns or KINDS)
    else:
        before = rows_of(table, release)
        assert release.data.columns == tuple(KINDS)
    ranged = method == "global-recoding" and spec.intervals is not None
    for name in release.data.columns:
        x, y = before.column(name), release.data.column(name)
        if name not in spec.targets(table) or method in ("shuffle", "sampling"):
            assert y.equals(x)
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


@pytest.mark.parametrize("method", SPECS)
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_the_channel_never_excludes_what_the_mask_did(method, data, seed):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec, seed)
    if release.row_map is None:
        return
    before = rows_of(table, release)
    covered = {column for channel in release.channels for column in channel.columns}
    if method not in ("sampling", "shuffle"):
        assert covered == set(spec.targets(table))
        for channel in release.channels:
            assert not channel.excludes(before, release.data).any(), channel


@pytest.mark.parametrize("method", SPECS)
@settings(max_examples=EXAMPLES // 8)
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


@settings(max_examples=EXAMPLES // 4)
@given(tables(), SPECS["rank-swapping"])
def test_no_value_is_swapped_farther_than_the_window(table, spec):
    release = masked(table, spec)
    for channel in release.channels:
        name = channel.columns[0]
        x = [v for v in labels_of(table.column(name)) if v is not None]
        assert sorted(x) == sorted(v for v in labels_of(release.data.column(name)) if v is not None)
        assert channel.window == part_of(len(x), spec.p, 100)


@settings(max_examples=EXAMPLES // 4)
@given(tables(), sizes)
def test_groups_have_at_least_k_equal_cells(table, k):
    for spec in (
        masks.IndividualRanking(k=k, columns=["whole", "number", "grade"]),
        masks.Microaggregation(k=k, columns=["whole", "text", "number", "grade"]),
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


@settings(max_examples=EXAMPLES // 4)
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
