"""The least cost is that of the twin, by all costs or by asking for the cheapest, and proven."""

from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.assignment as naive
from unveil.errors import DataError
from unveil.matching import alternatives as module
from unveil.matching import one_to_one as assignment
from unveil.matching.alternatives import alternatives
from unveil.matching.one_to_one import one_to_one
from unveil.matching.pair_costs import CostTable

tame = st.sampled_from(["few", "signed", "normal", "plane", "tiny", "equal"])
wild = st.one_of(tame, st.sampled_from(["huge", "mixed"]))


def _costs(random, kind, n, m):
    normal = random.standard_normal((n, m))
    points = random.standard_normal((n, 2)), random.standard_normal((m, 2))
    return {
        "few": random.integers(0, 4, (n, m)).astype(float),
        "signed": random.integers(-3, 4, (n, m)).astype(float),
        "plane": ((points[0][:, None] - points[1]) ** 2).sum(2),
        "huge": normal * 1e12,
        "tiny": random.integers(0, 4, (n, m)) * 1e-12,
        "mixed": np.exp(8 * normal),
        "equal": np.full((n, m), 0.1),
    }.get(kind, normal)


@st.composite
def tables(draw, most=25, kinds=wild):
    """Costs, often with ties, of two files that need not be as large; some are impossible."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    costs = _costs(random, draw(kinds), n, m)
    costs[random.random((n, m)) < draw(st.sampled_from([0.0, 0.0, 0.3, 0.9]))] = np.inf
    fewest, copies = draw(st.sampled_from([(1, 1), (1, 1), (0, 1), (1, 3), (0, 3)]))
    supply, capacity = (random.integers(fewest, copies + 1, size) for size in (n, m))
    return CostTable(costs, supply, capacity)


class Asked:
    """A provider that is never asked for all costs."""

    def __init__(self, table):
        self.supply, self.capacity = table.supply, table.capacity
        self.cheapest, self.cheapest_rows = table.cheapest, table.cheapest_rows

    def dense(self):
        raise AssertionError


@contextmanager
def _small(first, more, bids=50):
    """Few pairs at a time, and many looks at progress."""
    with (
        mock.patch.multiple(assignment, DENSE_PAIRS=0, FIRST_COLUMNS=first, MORE_COLUMNS=more),
        mock.patch.multiple(assignment, BIDS_PER_ROW=bids, EDGES_AT_ONCE=10),
    ):
        yield


def _hold(table, found):
    """Nobody is matched twice, the cost is right, and the twin finds none that is cheaper."""
    for which, limit in ((found.rows, table.supply), (found.columns, table.capacity)):
        sums = np.zeros(len(limit), int)
        np.add.at(sums, which, found.amount)
        assert (sums <= limit).all()
    assert (found.amount > 0).all()
    paid = table.costs[found.rows, found.columns]
    assert found.cost == pytest.approx((paid * found.amount).sum(), rel=1e-12, abs=1e-300)
    matched, cost = naive.least(table.costs, table.supply, table.capacity)
    scale = (np.abs(paid) * found.amount).sum() + np.abs(cost)
    assert found.amount.sum() == matched
    assert found.cost - cost <= 1e-9 * scale  # the twin is less exact where costs differ much
    assert found.proven
    assert found.bound <= cost + found.rounding


@given(tables())
def test_all_costs_at_once(table):
    _hold(table, one_to_one(table))


@given(tables(), st.sampled_from([(1, 1), (2, 1), (3, 4)]))
def test_the_cheapest_asked_for(table, asked):
    with _small(*asked):
        found = one_to_one(Asked(table), memory=0)
    _hold(table, found)


@given(tables(), st.sampled_from([0, 1]))
def test_paths_alone_or_after_a_few_bids(table, bids):
    with _small(2, 2, bids):
        _hold(table, one_to_one(Asked(table), memory=0))


@given(tables(most=7, kinds=tame))
def test_who_has_an_alternative(table):
    found = one_to_one(table)
    differ = alternatives(table, found)
    twin = np.array(naive.differing(table.costs, table.supply, table.capacity))
    assert not (twin & ~differ).any()
    if table.supply.max() <= 1:
        assert differ.tolist() == twin.tolist()


@given(tables(most=9, kinds=tame))
def test_where_many_tie_whoever_is_tied_may_have_an_alternative(table):
    found = one_to_one(table)
    with mock.patch.multiple(module, FIRST_COLUMNS=1, MAX_COLUMNS=1):
        some = alternatives(table, found)
    assert not (alternatives(table, found) & ~some).any()


@pytest.mark.parametrize("kind", ["normal", "plane", "few", "mixed"])
@pytest.mark.parametrize("size", [(300, 300), (200, 300), (300, 200)])
def test_hundreds_of_records(kind, size):
    random = np.random.default_rng(5)
    table = CostTable(_costs(random, kind, *size), np.ones(size[0], int), np.ones(size[1], int))
    with _small(4, 4):
        _hold(table, one_to_one(Asked(table), memory=0))


def test_as_many_as_can_be_are_matched_however_dear():
    """Each row but the last can have two columns; one order of filling them leaves none out."""
    n = 40
    costs = np.full((n, n), np.inf)
    costs[np.arange(n), np.arange(n)] = 1e3
    costs[np.arange(n - 1), np.arange(1, n)] = -1e3
    table = CostTable(costs, np.ones(n, int), np.ones(n, int))
    found = one_to_one(table)
    assert (found.columns == np.arange(n)).all()
    _hold(table, found)


def test_nothing_to_match():
    for shape in ((0, 3), (3, 0), (0, 0)):
        table = CostTable(np.zeros(shape), np.ones(shape[0], int), np.ones(shape[1], int))
        found = one_to_one(table)
        assert (len(found.rows), found.cost, found.proven) == (0, 0.0, True)
        assert not alternatives(table, found).any()


def test_progress_ends_with_all_and_can_interrupt():
    table = CostTable(np.random.default_rng(1).random((300, 300)), *np.ones((2, 300), int))
    seen = []
    with _small(2, 2):
        one_to_one(table, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (300, 300)
    assert len(seen) > 10
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one_to_one(table, progress=interrupt)


@pytest.mark.parametrize(
    ("costs", "supply", "capacity"),
    [
        ([[np.nan]], [1], [1]),
        ([[-np.inf]], [1], [1]),
        ([[1.0]], [1, 1], [1]),
        ([[1.0]], [-1], [1]),
        ([[1.0]], [1], [1.5]),
    ],
)
def test_what_cannot_be_matched(costs, supply, capacity):
    with pytest.raises(DataError):
        one_to_one(CostTable(np.array(costs), np.array(supply), np.array(capacity)))
