"""The learnt worst case is the worst case: held against trying every set of records."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import naive.supervised as naive
import unveil
from unveil.attacks import Supervised
from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.hitting_set import Conflicts
from unveil.attacks.supervised.skyline import Competition
from unveil.engines.metric import euclid
from unveil.engines.records import Records
from unveil.engines.select import engine


@st.composite
def two_files(draw, most=6, attributes=(1, 3)):
    """Whole numbers with many ties, in both files."""
    n = draw(st.integers(2, most))
    width = draw(st.integers(*attributes))
    cells = arrays.arrays(np.int64, (n, width), elements=st.integers(0, 6))
    asking, asked = draw(cells), draw(cells)
    for side in (asking, asked):
        assume((side.max(axis=0) > side.min(axis=0)).all())
    return asking.astype(float), asked.astype(float)


def learnt(asking, asked, model, **options):
    columns = [f"x{place}" for place in range(asking.shape[1])]
    schema = unveil.Schema(quasi=columns)
    mine, released = (
        unveil.Microdata(pl.DataFrame(side, schema=columns), schema) for side in (asking, asked)
    )
    attack = Supervised(model=model, budget=None, splits=0, counting="strict", **options)
    links = unveil.attack(mine, released, attack, truth="row-order")
    return links, links.finder.details["learnt"]


@pytest.mark.parametrize("model", ["weights", "choquet"])
@given(files=two_files())
def test_the_proven_optimum_is_the_optimum(model, files):
    links, found = learnt(*files, model)
    assert found["ended"] == "proven"
    assert found["linked"] == found["bound"] == found["strict"]
    assert found["linked"] == naive.most_linked(naive.costs(*files), model)
    assert found["strict"] == unveil.measures.hits(links, ties="unique").sum()


@given(files=two_files(most=5, attributes=(2, 2)))
def test_no_bilinear_form_links_more_than_is_proven(files):
    _, found = learnt(*files, "bilinear")
    assert found["linked"] == found["strict"] <= found["bound"]
    assert naive.best_on_grid(*files, steps=24) <= found["bound"]
    if found["ended"] == "proven":
        assert naive.best_on_grid(*files, steps=24) <= found["linked"]


@given(files=two_files(most=8))
def test_a_larger_family_links_no_less(files):
    weights, choquet, bilinear = (
        learnt(*files, model, steps=200)[1] for model in ("weights", "choquet", "bilinear")
    )
    cost = naive.costs(*files).sum(axis=2) ** 0.5  # every attribute alike
    others = cost + np.diag(np.full(len(cost), np.inf))
    plain = (others.min(axis=1) > np.diag(cost) + 1e-6).sum()
    assert plain <= weights["linked"]
    assert weights["linked"] <= choquet["linked"]
    assert weights["linked"] <= bilinear["linked"]


@given(files=two_files(most=8), data=st.data())
def test_competitors_are_those_that_none_dominates(files, data):
    asking, asked = files
    record = data.draw(st.integers(0, len(asking) - 1))
    contest = Competition(
        engine(), Records(asking), Records(asked), euclid(), range(asking.shape[1])
    )
    every = np.arange(len(asked))
    found = contest.skyline(np.array([record]), np.array([record]), [every], np.ones_like(every))
    cost = contest.costs(np.full(len(asked), record), every)
    assert (cost == (asking[record] - asked) ** 2).all()
    twins = [j for j in every if j != record and (cost[j] == cost[record]).all()]
    assert found.twins[0] == len(twins) or found.dominated[0]
    others = [j for j in every if j not in twins]
    lost = any((cost[j] <= cost[record]).all() for j in others if j != record)
    assert found.dominated[0] == lost
    if not lost:
        kept = naive.undominated(cost[others], others.index(record))
        expected = {tuple(cost[others[j]]) for j in kept}
        assert {tuple(cost[j]) for j in found.rows} == expected
        assert len(found.rows) == len(expected)


@given(
    sets=st.lists(st.sets(st.integers(0, 6), min_size=1, max_size=3), min_size=1, max_size=8),
    costs=st.lists(st.sampled_from([1.0, 0.5, 1 / 3]), min_size=7, max_size=7),
    seed=st.integers(0, 5),
)
def test_the_least_that_leaves_no_conflict(sets, costs, seed):
    conflicts = Conflicts(np.array(costs), dict.fromkeys(tuple(sorted(one)) for one in sets))
    least = naive.cheapest_hitting(sets, costs)
    given_up = conflicts.minimum(100.0, seconds=10, nodes=1000)
    assert given_up.least_cost == pytest.approx(least, abs=1e-6)
    assert np.array(costs)[given_up.records].sum() == pytest.approx(least, abs=1e-6)
    assert all(set(given_up.records.tolist()) & one for one in sets)
    quick = conflicts.local_search(least, np.zeros(7, np.bool_), np.random.default_rng(seed))
    if quick is not None:
        assert np.array(costs)[quick].sum() <= least + 1e-5
        assert all(quick[list(one)].any() for one in sets)
    below = conflicts.local_search(least - 0.1, np.zeros(7, np.bool_), np.random.default_rng(seed))
    assert below is None


@st.composite
def inequalities(draw):
    """Rows of whole numbers, and a line through the parameters."""
    n, size = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    many = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    small = st.integers(-4, 4).map(float)
    value = draw(arrays.arrays(np.float64, (sum(many), size), elements=small))
    rows = LinkageConstraints(
        index=np.tile(np.arange(size, dtype=np.int32), (sum(many), 1)),
        value=value,
        starts=np.concatenate([[0], np.cumsum(many)]),
        competitors=np.arange(sum(many)),
        hit_value=np.array(draw(st.lists(st.sampled_from([1.0, 0.5]), min_size=n, max_size=n))),
        linkable=np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))),
    )
    point, direction = (draw(arrays.arrays(np.float64, size, elements=small)) for _ in range(2))
    return rows, point, direction


@given(inequalities())
def test_the_best_along_a_line_is_the_best(given_rows):
    rows, point, direction = given_rows
    found, where = rows.best_on_line(point, direction, (-3.0, 5.0))
    here, slope = rows.value @ point, rows.value @ direction
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = -here / slope
    ends = np.unique(np.concatenate([[-3.0, 5.0], ends[(ends > -3) & (ends < 5)]]))
    counts = [rows.hits(point + t * direction) for t in (ends[1:] + ends[:-1]) / 2]
    assert found == max(counts)
    assert rows.hits(point + where * direction) == found or found == 0
    assert rows.linked(point).sum() == sum(
        rows.linkable[i] and (here[rows.starts[i] : rows.starts[i + 1]] > 0).all()
        for i in range(len(rows))
    )


@given(inequalities(), st.integers(1, 4))
def test_the_tightest_rows_are_the_least(given_rows, many):
    rows, point, _ = given_rows
    size = np.abs(rows.value) @ np.abs(point)
    values = rows.value @ point / np.where(size > 0, size, 1.0)  # of what each row is made of
    found, slack = rows.tightest(point, many)
    assert (slack[found < 0] == 1).all()
    found = found[found >= 0]
    for record in range(len(rows)):
        own = np.arange(rows.starts[record], rows.starts[record + 1])
        kept = [row for row in found.tolist() if row in own]
        assert values[kept] == pytest.approx(np.sort(values[own])[:many])
    some = rows.restrict(found)
    assert some.owners.tolist() == np.sort(rows.owners[found]).tolist()
    assert sorted(some.competitors.tolist()) == sorted(found.tolist())
