"""Every attack against its naive twin, and what must hold of all of them."""

from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import attacks as naive
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.aggregation.measure import FuzzyMeasure
from unveil.aggregation.operators import choquet
from unveil.values.correspondence import Correspondence

ORDER = ("a", "b", "c", "d")
LEVELS = {"x": "numeric", "y": "numeric", "grade": len(ORDER), "job": "nominal"}
SCHEMA = Schema(
    quasi=list(LEVELS),
    numeric=["x", "y"],
    nominal=["job"],
    ordinal={"grade": ORDER},
    hierarchy={"job": [["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]]},
)
NUMBERS = ("x", "y")
seeds = st.integers(0, 2**32)
PARTS = ("n_closer", "n_tied", "best", "score", "n_best", "second")

EVERY = {
    "euclid": attacks.Distance(),
    "manhattan": attacks.Distance(metric="manhattan", scale="release", inclusive=True),
    "chebyshev": attacks.Distance(metric="chebyshev", weights={"x": 2, "job": 0.5}),
    "choquet": attacks.Distance(aggregation=FuzzyMeasure.symmetric([0.1, 0.5, 0.7, 1])),
    "table": attacks.Distance(
        tables={"job": {"categories": list(ORDER), "distances": np.ones((4, 4)).tolist()}}
    ),
    "rank-sum": attacks.Rank(),
    "rank-max": attacks.Rank(criterion="max"),
    "rank-choquet": attacks.Rank(aggregation=FuzzyMeasure.symmetric([0.1, 0.5, 0.7, 1])),
}
OF_NUMBERS = {
    "moments": attacks.Distance(metric="mahalanobis"),
    "groups": attacks.Distance(metric="mahalanobis", groups=[["x", "y"]]),
    "sum": attacks.Distance(metric="mahalanobis", covariance="sum"),
    "pairs": attacks.Distance(metric="mahalanobis", covariance="pairs"),
    "polynomial": attacks.Distance(metric="polynomial", degree=3),
}
# Its twin is that of tests/properties/test_probabilistic.py.
OTHERS = {
    "likely": attacks.Probabilistic(),
    "free": attacks.Probabilistic(
        constrained=False, prior="estimated", u="estimated", smoothing=0, iterations=50
    ),
}
names = st.sampled_from([*EVERY, *OF_NUMBERS, *OTHERS])


def table(seed, n, *, missing=0.0):
    """People, and the same people masked a little; how much they differ varies, too."""
    rng = np.random.default_rng(seed)
    spread = rng.choice([2, 5, 1000])
    before = {
        "x": rng.integers(0, spread, n).astype(float),
        "y": rng.normal(size=n).round(1),
        "grade": rng.integers(0, 4, n),
        "job": rng.integers(0, 4, n),
    }
    before["x"][:2], before["y"][:2] = [0, 1], [-1, 1]  # what does not vary is left out
    noise = rng.choice([0.0, 0.2, 2.0])
    change = rng.random(n) < noise / 3
    after = {
        "x": before["x"] + noise * rng.integers(-1, 2, n),
        "y": before["y"] + (noise * rng.normal(size=n)).round(1),
        "grade": np.where(change, rng.integers(0, 4, n), before["grade"]),
        "job": np.where(change, rng.integers(0, 4, n), before["job"]),
    }
    for name in NUMBERS:
        after[name][:2] = before[name][:2]
    gone = [{name: rng.random(n) < missing for name in LEVELS} for _ in range(2)]
    return [_microdata(cells, holes) for cells, holes in zip((before, after), gone, strict=True)]


def _microdata(cells, holes):
    columns = []
    for name, values in cells.items():
        plain = values if name in NUMBERS else [ORDER[code] for code in values]
        columns.append(pl.Series(name, plain).set(pl.Series(holes[name]), None))
    return Microdata(pl.DataFrame(columns), SCHEMA)


def arrays(data):
    return {
        name: data.column(name).to_numpy()
        if name in NUMBERS
        else np.array([ORDER.index(label) for label in data.column(name)])
        for name in LEVELS
    }


def attacked(name, mine, released, rows, **intruder):
    spec = (EVERY | OF_NUMBERS | OTHERS)[name]
    if name == "free":  # attributes that are equal or not
        intruder["knows"] = ["job"]
    if name in OF_NUMBERS:
        intruder["knows"] = [
            column for column in NUMBERS if column not in intruder.get("blocks", ())
        ]
    return unveil.attack(mine, released, spec, intruder=Intruder(**intruder), truth=rows)


def naive_distances(name, mine, released, truth):
    """Every pair's distance, mine x released."""
    a, b = arrays(mine), arrays(released)
    if name.startswith("rank"):
        return _by_ranks(name, a, b)
    if name in OF_NUMBERS:
        return _of_numbers(name, a, b, truth)
    options = {"manhattan": {"scale": "release", "inclusive": True}}.get(name, {})
    parts = np.array(
        [naive.attribute_distance(kind, a[c], b[c], **options) for c, kind in LEVELS.items()]
    )
    if name == "choquet":
        return np.sqrt(choquet(np.moveaxis(parts**2, 0, -1), FuzzyMeasure(EVERY[name].aggregation)))
    if name == "table":
        parts[3] = 1.0
    weights = [2, 1, 1, 0.5] if name == "chebyshev" else [1, 1, 1, 1]
    return naive.combine(parts, name if name in ("manhattan", "chebyshev") else "euclid", weights)


def _by_ranks(name, a, b):
    ranks = [naive.rank_distances(_keys(a, column), _keys(b, column)) for column in LEVELS]
    if name == "rank-choquet":
        return choquet(np.moveaxis(ranks, 0, -1), FuzzyMeasure(EVERY[name].aggregation))
    return np.sum(ranks, axis=0) if name == "rank-sum" else np.max(ranks, axis=0)


def _keys(cells, column):
    if column != "job":
        return cells[column]
    from unveil.attacks.rank.attack import marginality, semantic_distances

    rows = SCHEMA["job"].hierarchy
    return marginality(semantic_distances(rows), cells["job"])[cells["job"]]


def _of_numbers(name, a, b, truth):
    x, y = (np.column_stack([file[column] for column in NUMBERS]) for file in (a, b))
    if name == "polynomial":
        z = [(file - file.mean(0)) / file.std(0, ddof=1) for file in (x, y)]
        return naive.kernel_distance(*z, 3)
    if name == "pairs":
        covariance = np.cov((x - y[truth]).T)
    elif name == "sum":
        covariance = np.cov(x.T) + np.cov(y.T)
    elif name == "moments":
        variances = x.var(0, ddof=1), y.var(0, ddof=1)
        least = 1e-4 * np.maximum(*variances)
        covariance = np.diag(np.maximum(np.abs(variances[0] - variances[1]), least))
    else:
        return None  # of groups there is a table in tests/golden
    if np.linalg.cond(covariance) > 1e8:
        return None  # what does not vary is left out, which an inverse cannot
    return naive.mahalanobis(x, y, covariance)


@examples(1 / 8)
@pytest.mark.parametrize("name", [*EVERY, *OF_NUMBERS])
@given(seed=seeds, n=st.integers(4, 30), reverse=st.booleans())
def test_every_attack_is_its_naive_twin(name, seed, n, reverse):
    mine, released = table(seed, n)
    order = np.random.default_rng(seed + 1).permutation(n)
    released = released.take(order)
    truth = np.argsort(order)
    direction = "release-to-original" if reverse else "original-to-release"
    links = attacked(name, mine, released, order, direction=direction)
    distances = naive_distances(name, mine, released, truth)
    if distances is None:
        return
    if reverse:
        distances, truth = distances.T, order
    assert measures.hits(links) == pytest.approx(naive.hits(distances, truth), abs=1e-12)
    best = distances.min(axis=1)
    assert links.score / (2 if name.startswith("rank") else 1) == pytest.approx(best, abs=1e-6)


def by_content(links, mine):
    """Whom was attacked, and what was found, in an order that is not that of the rows."""
    rows = mine.take(links.origin).to_frame("polars").rows()
    found = zip(links.n_closer.tolist(), links.n_tied.tolist(), links.n_best.tolist(), strict=True)
    return sorted(map(repr, zip(rows, found, strict=True)))


@examples(1 / 4)
@given(
    name=names,
    seed=seeds,
    n=st.integers(6, 25),
    blocks=st.sampled_from([(), ("grade",)]),
    gaps=st.booleans(),
)
def test_the_order_of_the_rows_means_nothing(name, seed, n, blocks, gaps):
    mine, released = table(seed, n, missing=0.2 * gaps)
    rng = np.random.default_rng(seed + 1)
    one, two = rng.permutation(n), rng.permutation(n)
    intruder = {"blocks": blocks, "records": None if seed % 2 else 0.5}
    try:
        links = attacked(name, mine, released, np.arange(n), **intruder)
    except unveil.UnveilError:
        return  # nothing varies, or there is no complete record
    again = attacked(name, mine.take(one), released.take(two), np.argsort(one)[two], **intruder)
    # Records that are equal, and so are their true rows, may stand in for each other.
    assert by_content(links, mine) == by_content(again, mine.take(one))
    a, b = measures.risk(links), measures.risk(again)
    for field in ("expected", "share", "ceiling", "baseline", "p_value"):
        assert getattr(a, field) == pytest.approx(getattr(b, field), rel=1e-12), field
    assert (a.unique, a.confirmed, a.control) == (b.unique, b.confirmed, b.control)


@examples(1 / 2)
@given(
    name=names,
    seed=seeds,
    n=st.integers(4, 25),
    reverse=st.booleans(),
    gaps=st.booleans(),
    few=st.booleans(),
)
def test_no_attack_expects_more_than_the_ceiling(name, seed, n, reverse, gaps, few):
    mine, released = table(seed, n, missing=0.2 * gaps)
    rows = np.random.default_rng(seed).permutation(n)
    intruder = {
        "direction": "release-to-original" if reverse else "original-to-release",
        "records": list(range(0, n, 2)) if few else None,
    }
    try:
        links = attacked(name, mine, released.take(rows), rows, **intruder)
    except unveil.UnveilError:
        return
    assert measures.hits(links).sum() <= measures.ceiling(links) + 1e-9
    some = links.sample(max(1, n // 3))
    assert measures.hits(some).sum() <= measures.ceiling(some) + 1e-9


@examples(1 / 2)
@given(
    name=names,
    matching=st.sampled_from(["nearest", "one-to-one", "posterior"]),
    seed=seeds,
    n=st.integers(6, 25),
    reverse=st.booleans(),
    few=st.booleans(),
)
def test_no_record_is_at_a_higher_risk_than_one_of_its_equal_rows(
    name, matching, seed, n, reverse, few
):
    mine, released = table(seed, n)
    rows = np.random.default_rng(seed).permutation(n)
    released = released.take(np.arange(n) // 3 * 3).take(rows)  # threes of equal rows
    spec = (EVERY | OF_NUMBERS | OTHERS)[name]
    intruder = Intruder(
        knows=["job"] if name == "free" else NUMBERS if name in OF_NUMBERS else None,
        direction="release-to-original" if reverse else "original-to-release",
        records=list(range(0, n, 2)) if few else None,
    )
    if name == "polynomial" and matching == "posterior":
        return  # its distances are no likelihoods
    spec = msgspec.structs.replace(spec, matching=matching)
    links = unveil.attack(mine, released, spec, intruder=intruder, truth=rows)
    shared, classes = measures.shared_hits(links), links.finder.classes()
    there = links.true_rows >= 0
    own = classes[links.records if reverse else links.true_rows][there]
    assert (shared[there] <= 1 / np.bincount(classes)[own] + 1e-12).all()
    if not few:
        assert shared.sum() == pytest.approx(measures.hits(links).sum())
    if reverse:
        assert all(len({*shared[there][own == one].round(12)}) == 1 for one in own)
    some = links.sample(max(1, n // 3))
    assert measures.shared_hits(some) == pytest.approx(shared[some.records])


@examples(1 / 2)
@given(name=names, seed=seeds, n=st.integers(4, 25))
def test_people_are_linked_with_themselves_up_to_their_doubles(name, seed, n):
    mine, _ = table(seed, n)
    links = attacked(name, mine, mine, np.arange(n))
    same = pl.DataFrame(
        {column: mine.column(column) for column in (NUMBERS if name in OF_NUMBERS else LEVELS)}
    )
    alike = same.select(pl.len().over(same.columns)).to_series().to_numpy()
    if name == "table":  # to which all jobs are alike
        alike = same.select(pl.len().over(["x", "y", "grade"])).to_series().to_numpy()
    if name == "free":  # to which agreement may speak against a match
        return
    if name in ("pairs", "sum", "likely"):
        assert (measures.hits(links) <= 1 / alike + 1e-12).all()
    elif not name.startswith("rank"):  # marginality may rank two jobs alike
        assert measures.hits(links) == pytest.approx(1 / alike)
    assert (links.n_closer == 0).all()


@examples(1 / 8)
@given(name=names, seed=seeds, n=st.integers(4, 12), blocks=st.sampled_from([(), ("grade",)]))
def test_over_all_truths_every_attack_is_at_the_baseline(name, seed, n, blocks):
    """A record is linked with somebody: over all people it may be, that is one hit."""
    mine, released = table(seed, n, missing=0.1)
    try:
        links = attacked(name, mine, released, np.arange(n), blocks=blocks)
    except unveil.UnveilError:
        return
    total = bases = 0.0
    for shift in range(n):
        truth = Correspondence.from_rows(np.roll(np.arange(n), shift), n)
        other = replace(links, pair=replace(links.pair, truth=truth))
        total += measures.hits(other).sum()
        bases += measures.baseline(other)
    assert total == pytest.approx(bases)
    assert blocks or bases == pytest.approx(n)


@examples(1 / 4)
@given(name=names, seed=seeds, n=st.integers(6, 20))
def test_a_missing_cell_makes_nobody_unlinkable(name, seed, n):
    mine, released = table(seed, n, missing=0.3)
    try:
        links = attacked(name, mine, released, np.arange(n), blocks=("grade",))
    except unveil.UnveilError:
        return
    ours, theirs = (data.column("grade").to_list() for data in (mine, released))
    open_to = [a is None or b is None or a == b for a, b in zip(ours, theirs, strict=True)]
    assert ((links.n_closer >= 0) == open_to).all()
    there = [[a is None or b is None or a == b for b in theirs] for a in ours]
    assert ((links.best >= 0) == np.any(there, axis=1)).all()


@examples(1 / 10)
@given(name=st.sampled_from(["euclid", "rank-max", "moments"]), seed=seeds)
def test_the_number_of_threads_means_nothing(name, seed):
    mine, released = table(seed, 60, missing=0.05)
    links = attacked(name, mine, released, np.arange(60))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.engines.local.query_blocks.QUERIES_AT_ONCE", 7)
        for threads in (1, 2, 7):
            patch.setattr("unveil.engines.local.engine.cores", lambda _asked, many=threads: many)
            other = replace(links, finder=replace(links.finder))  # which made nothing ready yet
            for part in PARTS:
                assert np.array_equal(getattr(other, part), getattr(links, part)), part


@examples(1 / 4)
@given(name=st.sampled_from(["euclid", "rank-max", "pairs"]), seed=seeds, n=st.integers(4, 40))
def test_a_sample_keeps_the_scales_ranks_and_candidates_of_all(name, seed, n):
    size = seed % n + 1
    mine, released = table(seed, n)
    links = attacked(name, mine, released, np.arange(n))
    some = links.sample(size)
    assert len(some) == size
    assert np.array_equal(measures.hits(some), measures.hits(links)[some.records])
    assert np.array_equal(some.best, links.best[some.records])


@examples(1 / 8)
@given(seed=seeds, n=st.integers(4, 30))
def test_a_curve_of_places_is_the_naive_one(seed, n):
    mine, released = table(seed, n)
    links = attacked("euclid", mine, released, np.arange(n))
    distances = naive_distances("euclid", mine, released, np.arange(n))
    curve = measures.top_k(links, 5).share
    expected = np.zeros((5, n))
    for i, row in enumerate(distances):
        near = np.abs(row - row[i]) <= 1e-9 * np.maximum(row, row[i]) + 1e-12
        closer, tied = ((row < row[i]) & ~near).sum(), near.sum() - 1
        expected[:, i] = [min(max((k - closer) / (1 + tied), 0), 1) for k in range(1, 6)]
    assert curve == pytest.approx(expected.mean(axis=1))
    assert curve[0] == pytest.approx(measures.risk(links).share)


@examples(1 / 4)
@given(name=names, seed=seeds, n=st.integers(6, 40), gaps=st.booleans())
def test_small_blocks_are_searched_together_or_one_by_one(name, seed, n, gaps):
    mine, released = table(seed, n, missing=0.15 * gaps)
    blocks = ("grade", "job") if name in OF_NUMBERS else ("grade",)
    try:
        links = attacked(name, mine, released, np.arange(n), blocks=blocks)
    except unveil.UnveilError:
        return
    found = []
    for few, gappy in ((0, False), (1000, False), (1000, None)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("unveil.engines.local.block_problems.FEW_BLOCKS", few)
            if gappy is not None:  # as if no cell were missing: then parts are listed
                patch.setattr("unveil.engines.blocks.Blocks.has_missing", gappy)
            other = replace(links, finder=replace(links.finder))  # prepared anew
            found.append([getattr(other, part) for part in PARTS])
    for one in found[1:]:
        for part, value, first in zip(PARTS, one, found[0], strict=True):
            assert np.array_equal(value, first), part
    sizes = np.zeros(n, np.int64)
    for part in links.finder.comparison_blocks(np.arange(n)):
        sizes[part.records] = len(part.candidates)
    assert np.array_equal(links.finder.n_candidates(np.arange(n)), sizes)


@examples(1 / 4)
@given(name=names, seed=seeds, n=st.integers(6, 25), reverse=st.booleans())
def test_strangers_are_attacked_with_the_ranks_and_scales_of_the_people(name, seed, n, reverse):
    """So the same people, taken for strangers, are as far from everybody as they were."""
    mine, released = table(seed, n)
    direction = "release-to-original" if reverse else "original-to-release"
    links = attacked(name, mine, released, np.arange(n), direction=direction)
    again = links.on(mine)
    assert np.array_equal(again.top_candidates.scores, links.top_candidates.scores)
    assert (again.truth == -1).all()
    some = np.arange(0, n, 2)
    part = links.on(mine.take(some))
    if not reverse:
        assert np.array_equal(part.top_candidates.scores, links.top_candidates.scores[some])
    if links.finder.margins:
        assert measures.control(links, outsiders=part).right == 0


@examples(1 / 8)
@given(name=names, seed=seeds, n=st.integers(12, 30))
def test_who_is_drawn_does_not_depend_on_where_rows_stand(name, seed, n):
    mine, released = table(seed, n, missing=0.1)
    rng = np.random.default_rng(seed + 1)
    one, two = rng.permutation(n), rng.permutation(n)
    try:
        links = attacked(name, mine, released, np.arange(n))
    except unveil.UnveilError:
        return
    again = attacked(name, mine.take(one), released.take(two), np.argsort(one)[two])
    few, others = links.sample(n // 3), again.sample(n // 3)
    assert sorted(measures.hits(few)) == pytest.approx(sorted(measures.hits(others)))
    rows = [
        sorted(map(repr, data.take(some.records).to_frame("polars").rows()))
        for data, some in ((mine, few), (mine.take(one), others))
    ]
    assert rows[0] == rows[1]


def test_strangers_change_nothing_in_how_they_are_compared():
    """Neither the categories that they have, nor those that they lack."""
    schema = Schema({"g": {"level": "ordinal", "role": "quasi"}, "c": {"role": "quasi"}})
    rng = np.random.default_rng(1)
    cells = [{"g": rng.integers(1, 6, 30), "c": rng.choice(["p", "q"], 30)} for _ in range(2)]
    files = [Microdata(pl.DataFrame(file), schema) for file in cells]
    links = unveil.attack(*files, attacks.Distance(), truth="row-order")
    strangers = pl.DataFrame({"g": [1, 5, 3], "c": ["p", "z", "p"]})
    few, one = links.on(strangers), links.on(strangers.head(1))
    assert few.finder.columns == one.finder.columns == links.finder.columns
    assert few.score[0] == one.score[0]
    assert few.score[1] >= 1  # a category that nobody has equals none
    with pytest.raises(unveil.UnveilError, match="column 'c' is not in the data"):
        links.on(strangers.drop("c"))


def expected_hits(links, mine):
    """The people, and how often each is linked, in an order that is not that of the rows."""
    rows = mine.select(sorted(mine.columns)).take(links.origin).to_frame("polars").rows()
    found = zip(rows, measures.hits(links).round(9).tolist(), strict=True)
    return sorted(found, key=repr)


@examples(1 / 2)
@given(
    name=names,
    matching=st.sampled_from(["nearest", "one-to-one", "posterior"]),
    seed=seeds,
    n=st.integers(6, 25),
    gaps=st.booleans(),
    reverse=st.booleans(),
)
def test_the_order_of_columns_means_nothing(name, matching, seed, n, gaps, reverse):
    """In either file, and among what the intruder knows; whatever the order of the rows."""
    mine, released = table(seed, n, missing=0.2 * gaps)
    rng = np.random.default_rng(seed + 1)
    spec = msgspec.structs.replace((EVERY | OF_NUMBERS | OTHERS)[name], matching=matching)
    knows = list(NUMBERS if name in OF_NUMBERS else ["job"] if name == "free" else LEVELS)
    direction = "release-to-original" if reverse else "original-to-release"

    def linked(original, release, rows, knows):
        intruder = Intruder(knows=knows, direction=direction)
        return unveil.attack(original, release, spec, intruder=intruder, truth=rows)

    try:
        links = linked(mine, released, np.arange(n), knows)
    except unveil.UnveilError:
        return  # nothing varies, or there is no complete record
    one, two = rng.permutation(n), rng.permutation(n)
    original, release = (
        data.select(rng.permutation(data.columns).tolist()).take(rows)
        for data, rows in ((mine, one), (released, two))
    )
    again = linked(original, release, np.argsort(one)[two], rng.permutation(knows).tolist())
    sides = (released, release) if reverse else (mine, original)
    assert expected_hits(links, sides[0]) == expected_hits(again, sides[1])
