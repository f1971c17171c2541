"""The exact search in the lattice of levels, against looking at all of it."""

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import unveil
from naive import fulldomain as naive
from strategies.examples import examples
from strategies.masks import KINDS, tables
from unveil.grouping import classes as kinds
from unveil.grouping import lattice
from unveil.grouping.classes import ClassRequirement, Confidential, build_rules
from unveil.grouping.lattice import LatticeProblem, count_node, search
from unveil.grouping.level_loss import CellLoss, ClassSize, Discernibility
from unveil.grouping.rollup import Ladder, RolledRows
from unveil.masks.generalisation.levels import Coarsening, attribute_levels
from unveil.measures.information_loss.generalisation import openness
from unveil.values.file_pair import FilePair

MODELS = {
    "distinct": lambda c: ((kinds.DISTINCT, 2.0, 0), (c, 2)),
    "entropy": lambda c: ((kinds.ENTROPY, 1.7, 0), (c, 1.7)),
    "recursive": lambda c: ((kinds.RECURSIVE, 2.0, 2), (c, 2.0, 2)),
    "share": lambda c: ((kinds.SHARE, 0.6, 0), (c, 0.6)),
    "equal": lambda c: ((kinds.EQUAL, 0.4, 0), (c, 0.4)),
    "ordered": lambda c: ((kinds.ORDERED, 0.3, 0), (c, 0.3)),
}


def ladder(rng):
    """Levels of up to six values, each of groups of the one before; costs that only grow."""
    groups = [np.arange(rng.integers(1, 7))]
    costs = [np.zeros(len(groups[0]))]
    for _ in range(rng.integers(0, 4)):
        many = int(groups[-1].max()) + 1
        joined = rng.integers(0, max(many - 1, 1), many)[groups[-1]]
        own = np.unique(joined, return_inverse=True)[1]
        highest = np.array([costs[-1][own == g].max() for g in range(own.max() + 1)])
        groups.append(own)
        costs.append((highest + rng.random(len(highest)) * (1 - highest))[own])
    return np.array(groups), np.array(costs)


@st.composite
def problems(draw):
    """A small file, the levels of its attributes, and what is asked; also as plain lists."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    attributes, n = draw(st.integers(1, 4)), draw(st.integers(1, 16))
    made = [ladder(rng) for _ in range(attributes)]
    files = [
        np.column_stack([rng.integers(0, groups.shape[1], many) for groups, _ in made])
        for many in (n, 20)
    ]
    codes, k = rng.integers(-1, 3, n), draw(st.integers(1, 3))
    asked, plain = [ClassRequirement(kinds.SIZE, 0, float(k))], [("size", k)]
    for name in draw(st.lists(st.sampled_from(list(MODELS)), max_size=2, unique=True)):
        (kind, bound, least), given_ = MODELS[name](codes.tolist())
        asked.append(ClassRequirement(kind, 0, bound, least))
        plain.append((name, *given_))
    people = draw(st.sampled_from([(), (), (2,)]))
    plain += [("people", one) for one in people]
    table = {
        "values": files[0].tolist(),
        "population": files[1].tolist(),
        "groups": [groups.tolist() for groups, _ in made],
        "costs": [costs.tolist() for _, costs in made],
        "lost": [1.0] * attributes,
    }
    # Codes without a gap, as tables are read.
    found, places = np.unique(codes, return_inverse=True)
    missing = int(found[0] < 0)
    one = Confidential((places - missing).astype(np.int32), len(found) - missing)
    rows = RolledRows.from_files(files[: 1 + len(people)])
    loss = draw(st.sampled_from(["cells", "discernibility", ("class-size", k)]))
    costs = CellLoss.from_rows(rows, [costs for _, costs in made], np.ones(attributes))
    of = {"cells": costs, "discernibility": Discernibility()}.get(loss) or ClassSize(k)
    problem = LatticeProblem(
        rows,
        tuple(Ladder.from_groups(groups) for groups, _ in made),
        build_rules(asked, [one], n),
        people,
        draw(st.integers(0, n) | st.just(0)),
        of,
    )
    return problem, table, plain, loss


@pytest.mark.parametrize("pays", [0, 4])
@examples(3)
@given(given_=problems())
def test_the_best_of_all_nodes_is_found(pays, given_, monkeypatch):
    monkeypatch.setattr(
        lattice, "NODES_PER_SUBSET", pays
    )  # 0: subsets are counted however few nodes are left
    problem, table, plain, loss = given_
    least, nodes = naive.best(table, plain, problem.most, loss)
    found = search(problem)
    event(f"found: {found.levels is not None}, left out: {found.left_out > 0}")
    assert found.looked <= found.nodes
    if not nodes:
        assert found.levels is None
        assert found.left_out > problem.most or found.left_out == problem.n
        return
    assert found.loss == pytest.approx(least, rel=1e-12, abs=1e-12)
    assert found.levels in nodes
    gone = naive.left_out(table, found.levels, plain)
    seen = count_node(problem, found.levels)
    mine = np.flatnonzero(seen.broken[seen.cut.labels[problem.rows.of_record]])
    assert set(mine.tolist()) == gone
    assert found.left_out == len(gone)


@given(problems(), st.integers(0, 2**32))
def test_the_order_of_the_rows_does_not_matter(given_, seed):
    problem = given_[0]
    order = np.random.default_rng(seed).permutation(problem.n)
    rows = problem.rows
    values = rows.values[:, rows.of_record][:, order].T
    others = [
        np.repeat(rows.values.T, rows.counts[:, file], axis=0)
        for file in range(1, rows.counts.shape[1])
    ]
    codes = problem.rules.codes[:, order]
    moved = LatticeProblem(
        RolledRows.from_files([values, *others]),
        problem.ladders,
        problem.rules._replace(codes=np.ascontiguousarray(codes)),
        problem.people,
        problem.most,
        problem.loss,
    )
    a, b = search(problem), search(moved)
    assert (a.levels, a.loss, a.left_out) == (b.levels, b.loss, b.left_out)


def test_progress_ends_with_the_whole_lattice():
    rng = np.random.default_rng(7)
    groups = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])
    rows = RolledRows.from_files([rng.integers(0, 4, (60, 5))])
    rules = build_rules([ClassRequirement(kinds.SIZE, 0, 4.0)], [], 60)
    cost = np.repeat(np.array([[0.0], [0.5], [1.0]]), 4, axis=1)
    loss = CellLoss.from_rows(rows, [cost] * 5, np.ones(5))
    told = []
    problem = LatticeProblem(rows, (Ladder.from_groups(groups),) * 5, rules, (), 0, loss)
    found = search(problem, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (found.nodes, 3**5)
    assert found.looked < found.nodes // 3


@examples(1 / 2)
@given(tables(), st.booleans(), st.sampled_from([{}, {"intervals": (2.5, 5.0, 100.0)}]))
def test_levels_nest_and_cost_ever_more(table, star, given_):
    for column, (_, _, level) in KINDS.items():
        ranged = given_ and column in ("whole", "number", "single")
        how = Coarsening(**(given_ if ranged else {"prefix": level == "nominal"}))
        made = attribute_levels("full-domain", [table], column, how, star=star)
        assert (np.diff(made.cost, axis=0) >= 0).all()
        assert (made.cost <= 1).all()
        for lower, upper, costs in zip(made.groups, made.groups[1:], made.cost[1:], strict=False):
            pairs = set(zip(lower.tolist(), upper.tolist(), strict=True))
            assert len(pairs) == lower.max() + 1  # each group is in one above
            assert upper.max() < lower.max()  # and some are put together
            assert len({*zip(upper.tolist(), costs.tolist(), strict=True)}) == upper.max() + 1
        assert (made.groups[0] == np.arange(len(made.groups[0]))).all()


@examples(1 / 4)
@given(st.integers(2, 60), st.integers(0, 2**32), st.integers(1, 4))
def test_what_is_lost_is_what_the_measure_of_loss_says(n, seed, k):
    people = unveil.households(n, seed=seed)
    columns = ["age", "sex", "education"]
    assume(n >= k and not any(people.column(name).null_count() for name in columns))
    release = unveil.mask(people, unveil.masks.FullDomain(k=k, columns=columns))
    both = FilePair.of(people.select(columns), release.data.select(columns), np.arange(n))
    assert openness(both).measures[0].value == pytest.approx(release.details["full-domain"].value)
