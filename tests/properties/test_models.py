"""Privacy models and the masks that keep them, against their definitions."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import unveil
from naive import antiunification as naive_patterns
from naive import models as naive
from naive import mondrian as naive_mondrian
from strategies.masks import LOSSES
from unveil import Schema, masks, models
from unveil.grouping.classes import (
    DISTINCT,
    SHARE,
    SIZE,
    Classes,
    ClassRequirement,
    Confidential,
    build_rules,
    class_values,
    satisfies,
    within_bound,
)
from unveil.grouping.disjoint_groups import GroupBuilder, masks_with_stars
from unveil.grouping.kernels.suppression import lend
from unveil.grouping.mondrian import axis_of, mondrian
from unveil.grouping.patterns import anti_unify
from unveil.grouping.wildcards import published_cells
from unveil.measures import anonymity_sets, risk
from unveil.table.cells import STAR

ks = st.integers(1, 8)
ORDERS = ["><", "<>", ">", "<"]


@st.composite
def people_with_ties(draw):
    """Few values and many records, so that much ties."""
    rows = draw(coded(most=60, attributes=3, values=4))
    names = [f"v{j}" for j in range(rows.shape[1])]
    frame = pl.DataFrame({name: rows[:, j] for j, name in enumerate(names)})
    return unveil.Microdata(frame, Schema(quasi=names, nominal=names))


@st.composite
def coded(draw, most=30, attributes=4, values=4):
    """Small tables of codes."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, attributes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(0, rng.integers(1, values + 1, d), (n, d)).astype(np.int32)


@given(coded(), st.integers(0, 2**32), st.integers(1, 4))
def test_each_class_has_what_its_definition_says(rows, seed, least):
    rng = np.random.default_rng(seed)
    found, codes = np.unique(rng.integers(-1, rng.integers(1, 9), len(rows)), return_inverse=True)
    codes = (codes - (found[0] < 0)).astype(np.int32)
    labels = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    asked = [ClassRequirement(kind, 0, 1.0, least) for kind in range(7)]
    attributes = [Confidential(codes, int(codes.max()) + 1)]
    rules = build_rules(asked, attributes, len(rows))
    classes = Classes.from_labels(labels)
    everybody = codes.tolist()
    for own, values in zip(
        np.split(classes.members, classes.starts[1:-1]), class_values(rules, classes), strict=True
    ):
        mine = codes[own].tolist()
        expected = [
            naive.size(mine), naive.distinct(mine), naive.entropy(mine),
            naive.recursive(mine, least), naive.equal_distance(mine, everybody),
            naive.ordered_distance(mine, everybody), naive.share(mine),
        ]  # fmt: skip
        assert values.tolist() == pytest.approx(expected, abs=1e-9)
    for kind, bound in product(range(7), (0.0, 0.4, 1.0, 1.5, 2.0, 3.0)):
        rules = build_rules([ClassRequirement(kind, 0, bound, least)], attributes, len(rows))
        values = class_values(rules, classes)[:, 0]
        assert (satisfies(rules, classes) == within_bound(kind, values, bound)).all()


@given(coded(), st.integers(1, 6), st.integers(0, 3), st.sampled_from(ORDERS), st.booleans())
def test_patterns_are_those_of_the_paper(rows, k, stars, order, unknown):
    codes = rows - 1 if unknown else rows  # then the first value is unknown
    classes = codes[:, 0].astype(np.int64) * 0 if len(codes) % 2 else np.arange(len(codes)) % 2
    found = anti_unify(codes, classes, k=k, stars=stars, order=order)
    patterns, rest = naive_patterns.anonymise(codes, classes, k, stars, order)
    d = codes.shape[1]
    mine = {
        (
            int(classes[r]),
            *(int(codes[r, j]) if m >> j & 1 else naive_patterns.STAR for j in range(d)),
        )
        for r, m in zip(found.rows.tolist(), found.masks.tolist(), strict=True)
    }
    assert mine == patterns
    assert np.flatnonzero(~found.identified).tolist() == rest


@given(coded(), st.integers(1, 6), st.integers(0, 3), st.sampled_from(ORDERS), st.randoms())
def test_anonymity_sets_are_those_of_their_twin(rows, k, stars, order, random):
    names = [f"v{j}" for j in range(rows.shape[1])]
    frame = pl.DataFrame({name: rows[:, j] for j, name in enumerate(names)})
    mask = masks.AntiUnification(k=k, stars=stars, order=order, assignment="overlapping")
    places = random.sample(range(len(rows)), len(rows))
    try:
        found, moved = (
            mask.patterns(unveil.Microdata(one, Schema(quasi=names, nominal=names)))
            for one in (frame, frame[places])
        )
    except unveil.UnveilError as error:
        event(str(error)[:40])
        return
    sets, elsewhere = anonymity_sets(found), anonymity_sets(moved)
    patterns = [
        tuple(naive_patterns.STAR if cell == STAR else int(cell) for cell in row)
        for row in found.data.to_frame("polars").iter_rows()
    ]
    expected = naive_patterns.anonymity_sets(rows.tolist(), patterns)
    assert [*zip(sets.patterns, sets.alike, sets.united, strict=True)] == expected
    assert np.flatnonzero(sets.patterns == 0).tolist() == found.rest.tolist()
    # Neither the sets nor the table that is written depends on the order of the records.
    assert sets.united[places].tolist() == elsewhere.united.tolist()
    assert found.table == moved.table
    assert found.table.column("count").to_list() == sorted(found.supports, reverse=True)


@given(coded(values=9), st.integers(1, 5))
def test_mondrian_is_its_slow_twin(rows, k):
    assume(len(rows) >= k)
    axes = []
    for column in rows.T:
        listed, codes = np.unique(column, return_inverse=True)
        spread = listed - listed[0]
        axes.append(axis_of(codes.astype(np.int32), spread / (spread.max() or 1)))
    rules = build_rules([ClassRequirement(SIZE, 0, float(k))], [], len(rows))
    found = mondrian(axes, rules)
    groups = sorted(sorted(g.tolist()) for g in np.split(found.members, found.starts[1:-1]))
    assert groups == naive_mondrian.mondrian(rows.tolist(), k)
    found = mondrian(axes, rules, relaxed=True)
    assert sorted(found.members.tolist()) == list(range(len(rows)))
    for group in np.split(found.members, found.starts[1:-1]):
        assert len(group) >= k
        assert len(group) < 2 * k or len(np.unique(rows[group], axis=0)) == 1


@given(coded(), st.integers(1, 5), st.integers(0, 2**32))
def test_gathered_groups_agree_and_keep_the_rules(rows, k, seed):
    secret = np.random.default_rng(seed).integers(0, 3, len(rows)).astype(np.int32)
    asked = [ClassRequirement(SIZE, 0, float(k)), ClassRequirement(DISTINCT, 0, 1.0 + seed % 2)]
    asked = asked[: 1 + seed % 4] + [ClassRequirement(SHARE, 0, 0.6)] * (seed % 5 == 0)
    rules, d = build_rules(asked, [Confidential(secret, 3)], len(rows)), rows.shape[1]
    made = GroupBuilder(rows - (seed % 3 == 0), rules)
    classes = np.zeros(len(rows), np.int64)
    found = anti_unify(rows, classes, k=k, stars=1, order="><")
    if seed % 3:
        made.add_patterns(found.rows, found.masks, classes)
        _check_groups(made, rules)
    for stars in range(d + 1):
        made.add_groups(made.by_coverage(masks_with_stars(d, stars)))
    made.join_groups()
    _check_groups(made, rules)
    for stars in range(d + 1):
        made.borrow_records(masks_with_stars(d, stars))
    _check_groups(made, rules)
    left = len(made.unassigned)
    stars_before = made.published.sum()
    made.split_groups()
    _check_groups(made, rules)
    assert len(made.unassigned) == left
    assert made.published.sum() >= stars_before  # more is told, never less
    if made.masks.size and made.absorb_rest(np.ones(d)):
        _check_groups(made, rules)
        assert not len(made.unassigned)


def test_who_would_break_a_group_does_not_join_it():
    secret = Confidential(np.array([0, 1, 0], np.int32), 2)
    asked = [ClassRequirement(SIZE, 0, 2.0), ClassRequirement(SHARE, 0, 0.5)]
    made = GroupBuilder(np.zeros((3, 1), np.int32), build_rules(asked, [secret], 3))
    made.group[:2], made.masks = 0, np.array([1])
    made.join_groups()
    assert made.group.tolist() == [0, 0, -1]


def test_what_could_not_be_lent_is_given_back():
    asks, starts = np.array([0, 1]), np.array([0, 1, 2])  # two who ask, each alone
    rich, group = np.array([2, 3, 4, 5]), np.array([-1, -1, 0, 0, 0, 0])
    first, last = np.array([0, 1]), np.array([1, 4])  # one could come to the first: too few
    spare, lent = np.array([2]), np.empty(3, np.int64)
    assert lend(asks, starts, rich, first, last, 3, group, spare, lent, 1) == 1
    assert group.tolist() == [-1, 1, 0, 1, 1, 0]
    assert spare.tolist() == [0]


@given(people_with_ties(), ks, st.integers(0, 2**32), st.sampled_from(["anti", "local", "wild"]))
def test_rows_may_stand_in_any_order(table, k, seed, kind):
    spec = {
        "anti": masks.AntiUnification(k=k, stars=1, by_confidential=False),
        "local": masks.LocalSuppression(k=k),
        "wild": masks.LocalSuppression(k=k, stars="wildcard"),
    }[kind]
    found = []
    for rows in (np.arange(len(table)), np.random.default_rng(seed).permutation(len(table))):
        try:
            release = unveil.mask(table.take(rows), spec, seed=1)
            found.append(sorted(map(str, release.data.to_frame().rows())))
        except unveil.UnveilError as refusal:
            found.append(str(refusal))
    assert found[0] == found[1]


def _check_groups(made, rules):
    classes = made.classes()
    assert len(classes.sizes) == len(made.masks)
    assert satisfies(rules, classes).all()
    for number, mask in enumerate(made.masks.tolist()):
        own = made.codes[:, made.group == number]
        for j in range(len(own)):
            if mask >> j & 1:
                assert len(set(own[j].tolist())) == 1
                assert own[j, 0] >= 0  # an unknown value is not told


@given(coded(), st.integers(1, 6))
def test_stars_as_wildcards_are_enough(rows, k):
    assume(len(rows) >= k)
    d = rows.shape[1]
    order = [mask for stars in range(d + 1) for mask in masks_with_stars(d, stars)]
    told = published_cells(rows, k, order)
    released = np.where(told, rows, -9)
    assert min(naive.fitting(released.tolist(), -9)) >= k
    if min(naive.fitting(rows.tolist(), -9)) >= k:
        assert told.all()


@st.composite
def people(draw):
    """A table with keys of every level, something confidential, and missing cells."""
    n, missing = draw(st.integers(2, 40)), draw(st.sampled_from([0, 0, 0.2]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def column(cells):
        return [None if rng.random() < missing else cell for cell in cells]

    frame = pl.DataFrame(
        {
            "age": column(rng.integers(20, 20 + rng.integers(1, 50), n).tolist()),
            "job": column([f"{'ab'[i % 2]}{i}" for i in rng.integers(0, rng.integers(1, 6), n)]),
            "grade": column([("low", "mid", "high")[i] for i in rng.integers(0, 3, n)]),
            "illness": column([("flu", "cold", "gout", "rash")[i] for i in rng.integers(0, 4, n)]),
            "cost": column((rng.integers(0, 9, n) * 10).tolist()),
        },
        schema_overrides={"age": pl.Int64, "cost": pl.Int64, "job": pl.String, "grade": pl.String},
    )
    hierarchy = [[f"{'ab'[i % 2]}{i}", "ab"[i % 2]] for i in range(6)]
    return unveil.Microdata(
        frame,
        Schema(
            quasi=["age", "job", "grade"],
            confidential=["illness", "cost"],
            nominal=["job", "illness"],
            numeric=["age", "cost"],
            ordinal={"grade": ["low", "mid", "high"]},
            hierarchy={"job": hierarchy} if draw(st.booleans()) else {},
        ),
    )


MODELS = st.one_of(
    st.builds(models.LDiversity, l=st.integers(1, 4)),
    st.builds(models.LDiversity, l=st.floats(1, 3), kind=st.just("entropy")),
    st.builds(
        models.LDiversity, l=st.integers(1, 3), kind=st.just("recursive"), c=st.floats(0.5, 4)
    ),
    st.builds(models.TCloseness, t=st.floats(0, 1), columns=st.just(["illness"])),
    st.builds(models.TCloseness, t=st.floats(0, 1), columns=st.just(["cost"])),
    st.builds(models.AlphaKAnonymity, alpha=st.floats(0.2, 1), k=st.integers(1, 4)),
)
some_models = st.lists(MODELS, max_size=2)
KEEPING = {
    "anti-unification": st.builds(
        masks.AntiUnification,
        k=ks,
        stars=st.integers(0, 3),
        order=st.sampled_from(ORDERS),
        unknown=st.sampled_from(["value", "wildcard"]),
    )
    | st.builds(
        masks.AntiUnification,
        k=ks,
        stars=st.integers(0, 3),
        by_confidential=st.just(False),
        models=some_models,
    )
    | st.builds(
        masks.AntiUnification,
        groups=st.just([{"columns": ["age"], "k": 2}, {"columns": ["job", "grade"], "k": 3}]),
        by_confidential=st.booleans(),
    ),
    "mondrian": st.builds(
        masks.Mondrian,
        k=ks,
        relaxed=st.booleans(),
        cells=st.sampled_from(["ranges", "means", "stars"]),
        models=some_models,
    ),
    "local-suppression": st.builds(masks.LocalSuppression, k=ks, models=some_models)
    | st.builds(masks.LocalSuppression, k=ks, stars=st.just("wildcard")),
    "full-domain": st.builds(
        masks.FullDomain,
        k=ks,
        models=some_models,
        suppress=st.just(0.0) | st.floats(0, 1),
        loss=st.sampled_from(LOSSES),
        star=st.booleans(),
        hierarchies=st.sampled_from([None, {"age": {"intervals": [5, 20]}}]),
    ),
}


@pytest.mark.parametrize("method", KEEPING)
@given(data=st.data())
def test_a_release_keeps_its_models_or_is_refused(method, data):
    table, spec = data.draw(people()), data.draw(KEEPING[method])
    try:
        release = unveil.mask(table, spec, seed=1)
    except unveil.UnveilError as refusal:
        told = str(refusal)
        assert any(
            word in told for word in ("the table has", "cannot be", "could be", "break", "agree in")
        )
        event("refused")
        return
    for promised, keys in spec.guarantees(table):
        for one in promised:
            for column, bound, values, at_least in _by_definition(release.data, one, keys):
                worst = min(values) if at_least else max(values)
                assert worst >= bound - 1e-9 if at_least else worst <= bound + 1e-9, (one, column)
    before = table.select(list(release.data.columns)).take(release.row_map)
    for channel in release.channels:
        assert not channel.excludes(before, release.data).any()


def _by_definition(data, model, keys):
    """What a model asks of each class, counted by the naive twins."""
    frame = data.to_frame()
    rows = [tuple(row) for row in frame.select(keys).iter_rows()]
    if isinstance(model, models.KAnonymity) and model.stars == "wildcard":
        stars = [tuple(STAR if cell is None else cell for cell in row) for row in rows]
        yield None, model.k, naive.fitting(stars, STAR), True
        return
    found = naive.classes(rows)
    if hasattr(model, "k"):
        yield None, model.k, [len(own) for own in found], True
    for column in getattr(model, "columns", ()) or ("illness", "cost"):
        if isinstance(model, models.KAnonymity):
            return
        cells = frame[column].to_list()
        listed = sorted({cell for cell in cells if cell is not None})
        codes = [-1 if cell is None else listed.index(cell) for cell in cells]
        per_class = [[codes[i] for i in own] for own in found]
        if isinstance(model, models.AlphaKAnonymity):
            yield column, model.alpha, [naive.share(own) for own in per_class], False
        elif isinstance(model, models.TCloseness):
            far = naive.ordered_distance if column == "cost" else naive.equal_distance
            yield column, model.t, [far(own, codes) for own in per_class], False
        elif model.kind == "recursive":
            values = [naive.recursive(own, int(model.l)) for own in per_class]
            assert max(values) < model.c
        else:
            count = naive.distinct if model.kind == "distinct" else naive.entropy
            yield column, model.l, [count(own) for own in per_class], True


@given(people(), st.integers(1, 5), st.floats(0, 0.5), st.integers(2, 3), st.booleans())
def test_a_release_of_a_sample_keeps_kmap_or_is_refused(everybody, k, suppress, step, stars):
    table = everybody.take(np.arange(0, len(everybody), step))
    asked = models.KMap(k=k, population=everybody)
    spec = masks.FullDomain(k=1, models=[asked], suppress=suppress, star=stars)
    try:
        release = unveil.mask(table, spec, seed=1)
    except unveil.UnveilError as refusal:
        told = str(refusal)
        assert "cannot be met" in told
        event("refused")
        return
    assert models.check(release.data, asked)[0].kept
    assert len(table) - len(release.data) <= suppress * len(table)


ATTACKS = [
    unveil.attacks.Distance(),
    unveil.attacks.Distance(matching="one-to-one"),
    unveil.attacks.Compatible(),
    unveil.attacks.Compatible(matching="posterior"),
    unveil.attacks.Tailored(),
]


@given(
    people(),
    ks,
    st.sampled_from(["anti", "strict", "stars", "means", "local", "full"]),
    st.sampled_from(ATTACKS),
)
def test_no_attack_expects_more_than_one_in_k(table, k, kind, attack):
    spec = {
        "anti": masks.AntiUnification(k=k, by_confidential=False),
        "strict": masks.Mondrian(k=k),
        "stars": masks.Mondrian(k=k, cells="stars", relaxed=True),
        "means": masks.Mondrian(k=k, cells="means"),
        "local": masks.LocalSuppression(k=k),
        "full": masks.FullDomain(k=k, suppress=0.2),
    }[kind]
    try:
        release = unveil.mask(table, spec, seed=1)
        found = [
            risk(unveil.attack(table, release, attack, intruder=unveil.Intruder(direction=way)))
            for way in ("original-to-release", "release-to-original")
        ]
    except unveil.UnveilError:
        assume(False)
    for one in found:
        assert one.expected <= one.ceiling + 1e-6
        assert one.expected <= len(release.data) / k + 1e-6
