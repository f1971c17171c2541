"""Exchange linkage against its twins; what must change nothing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import exchange as twin
from strategies.examples import examples
from unveil import Intruder, Microdata, Release, Schema, attacks, masks, measures
from unveil.attacks.matched import matches
from unveil.attacks.tailored.exchange import implied_pairs, posterior, propagation
from unveil.attacks.tailored.exchange.implied_pairs import ImpliedPairs
from unveil.attacks.tailored.exchange.membership import Membership
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.matching.posterior import MatchGraph

seeds = st.integers(0, 2**32)


def swapped(seed, n, columns, *, distinct=10**6):
    """Numbers, and the same after swaps of any length, in another order of the rows."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, distinct, (n, columns)).astype(float)
    y = x.copy()
    for j in range(columns):
        partner = np.arange(n)
        pairs = rng.permutation(n)[: n - n % 2].reshape(-1, 2)
        partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
        y[:, j] = x[partner, j]
    return x, y[rng.permutation(n)]


@examples(1 / 2)
@given(seeds, st.integers(1, 24), st.integers(1, 4), st.sampled_from([8, 40, 10**6]), st.booleans())
def test_propagation_equals_its_twin(seed, n, columns, distinct, wrong):
    x, y = swapped(seed, n, columns, distinct=distinct)
    if wrong:  # and some people are not in the release
        rng = np.random.default_rng(seed)
        x[rng.random(x.shape) < 0.1] = rng.integers(0, distinct)
        y = y[: n - n // 4]
    blocks = [ValueBlocks.of(x[:, j], y[:, j]) for j in range(columns)]
    records, rows = propagation.propagate(blocks)
    shows = np.column_stack([block.unique_links()[0] for block in blocks])
    count = (shows >= 0).sum(axis=1)
    order = [i for i in np.argsort(-count, kind="stable").tolist() if count[i] >= 3]
    if columns < 3:
        order = []
    expected = twin.propagate(x, y, order, propagation.LEAST_CONFIRMED, propagation.MOST_FAILURES)
    assert dict(zip(records.tolist(), rows.tolist(), strict=True)) == expected


@given(seeds, st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.booleans())
def test_the_evidence_of_a_column_equals_its_twin(seed, n, m, distinct, sorts):
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, distinct, size).astype(float) for size in (n, m))
    x[rng.random(n) < 0.1], y[rng.random(m) < 0.1] = np.nan, np.nan
    listed = np.flatnonzero(rng.random(n * m) < 0.7)
    rows, columns = listed // m, listed % m
    starts = np.searchsorted(rows, np.arange(n + 1))
    ones = np.ones(n, np.int64), np.ones(m, np.int64)
    graph = MatchGraph(starts, columns, np.zeros(len(rows)), *ones)
    with pytest.MonkeyPatch.context() as patch:
        if sorts:  # as of so many values that a table has no room
            patch.setattr(implied_pairs, "TABLE_CELLS", 0)
        pairs = ImpliedPairs.of(graph, ValueBlocks.of(x, y))
    factor = np.ones(len(rows))
    for _ in range(3):  # each round passes on what the round before has not said
        probability, product = rng.random(len(rows)), np.ones(len(rows))
        pairs.update(probability, product, damped=False)
        factor = twin.factors(list(zip(rows, columns, strict=True)), probability, factor, x, y)
        assert product == pytest.approx(np.array(factor), rel=1e-4)


@given(seeds, st.integers(1, 3), st.sampled_from([30, 10**6]))
def test_membership_equals_its_twin(seed, columns, distinct):
    """Half of the people are not in the release; the fitted rates are those of its own members."""
    x, y = swapped(seed, 40, columns, distinct=distinct)
    rng = np.random.default_rng(seed)
    x[20:] = rng.integers(0, distinct, (20, columns)) + 0.5 * (rng.random((20, columns)) < 0.8)
    x[rng.random(x.shape) < 0.05] = np.nan
    blocks = [ValueBlocks.of(x[:, j], y[:, j]) for j in range(columns)]
    found = Membership.of(blocks, np.ones(40, np.int64))
    if found is None:  # too few values tell
        return
    share, ratio = found
    member = 1 / (1 + np.exp(-ratio) * (1 - share) / share)
    assert share == pytest.approx(member.mean(), abs=0.01)
    present = np.column_stack([np.isin(x[:, j], y[:, j]) for j in range(columns)])
    absent = ~present & ~np.isnan(x)
    rates = (member @ present + 0.5) / (member @ present + member @ absent + 1)
    expected = twin.membership(x, y, np.minimum(rates, 0.99))
    assert ratio == pytest.approx(np.array(expected), abs=0.05)
    costs = rng.random((40, 40)) * 9
    graph = MatchGraph(np.arange(41) * 40, np.tile(np.arange(40), 40), costs.ravel(), *ONES)
    unmatched = twin.log_unmatched(costs.tolist(), share, ratio)
    assert found.log_unmatched(graph) == pytest.approx(np.array(unmatched))


@given(seeds, st.sampled_from([30, 10**6]), st.booleans())
def test_where_all_are_members_nobody_is_held_for_another(seed, distinct, wrong):
    """Nor where cells are wrong, or rows left out, in everybody alike."""
    x, y = swapped(seed, 60, 5, distinct=distinct)
    if wrong:
        x[np.random.default_rng(seed).random(x.shape) < 0.1] += 0.5
        y = y[:40]
    blocks = [ValueBlocks.of(x[:, j], y[:, j]) for j in range(5)]
    assert Membership.of(blocks, np.ones(60, np.int64)) is None


@given(seeds, st.integers(1, 12), st.integers(1, 12), st.integers(1, 30))
def test_pairs_read_in_parts_are_the_most_probable_of_all(seed, n, m, most):
    rng = np.random.default_rng(seed)
    chance = rng.integers(0, 6, (n, m)) / 6 * 2e-3  # ties, and some below what seeds leave
    has_seed = rng.random(n) < 0.5, rng.random(m) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "PAIRS_AT_ONCE", 2 * m)
        patch.setattr(posterior, "MOST_LISTED", most)
        base = matches.DenseProbabilities(chance, {})
        found = posterior._most_probable(base, tuple(map(np.flatnonzero, has_seed)))
    plausible = (chance > 0) & ((chance > 1e-3) | ~np.outer(*has_seed))
    values = np.sort(chance[plausible])[::-1]
    least = values[most - 1] if len(values) > most else 0.0
    expected = {
        (i, j) for i, j in zip(*np.nonzero(plausible), strict=True) if chance[i, j] >= least
    }
    assert set(zip(*found[:2], strict=True)) == expected
    assert found[2].tolist() == chance[found[0], found[1]].tolist()


ONES = np.ones((2, 40), np.int64)
SCHEMA = Schema(quasi=["a", "b", "c"], numeric=["a", "b", "c"])


@examples(1 / 10)
@given(seeds, st.sampled_from([None, "parameters"]), st.sampled_from([20, 10**6]))
def test_the_order_of_rows_and_columns_changes_nothing(seed, level, distinct):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, distinct, (60, 3)).astype(float)
    people = Microdata(pl.DataFrame(cells, schema=["a", "b", "c"]), SCHEMA)
    release = unveil.mask(people, [masks.RankSwapping(p=40)], seed=seed % 1000)
    order, rows = rng.permutation(60), rng.permutation(60)
    moved = Release(
        release.data.select(["c", "a", "b"]).take(rows),
        release.plan,
        release.channels,
        np.argsort(order)[release.row_map[rows]],
    )
    intruder = Intruder(channel=level is not None)
    attack = attacks.Exchange(level=level)
    one = unveil.attack(people, release, attack, intruder=intruder)
    other = unveil.attack(people.take(order), moved, attack, intruder=intruder)
    assert measures.hits(other) == pytest.approx(measures.hits(one)[order])
