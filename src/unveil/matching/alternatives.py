"""Rows that another matching of the same least cost treats differently."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from unveil.matching.one_to_one import Matching
from unveil.matching.pair_costs import CostProvider
from unveil.support.arrays import Bools, Floats, Ints

TIE_RELATIVE = 1e-9  # of what rows pay
FIRST_COLUMNS, MAX_COLUMNS = 8, 512  # requested per row; where more tie, all of these may differ


def alternatives(provider: CostProvider, matching: Matching) -> Bools:
    """For each row, whether another matching of the least cost treats it differently.

    A matching can be changed at no cost along cycles of columns that cost a row as much as
    its own, prices included. A row in no such cycle has the same columns in every cheapest
    matching. A row whose identical records have different columns counts as having an
    alternative; so may rows that such a row is tied with.
    """
    n, m = len(provider.supply), len(provider.capacity)
    rows, columns, stay, known = _tied(provider, matching)
    out = provider.supply > _sums(matching.rows, matching.amount, n)
    ways = np.bincount(matching.rows, minlength=n) + out
    own = np.isin(rows * m + columns, matching.rows * m + matching.columns)
    if not known.all():
        tied = np.bincount(rows[~own], minlength=n) > 0
        return np.asarray(tied | (ways > 1) | (stay & ~out) | ~known)
    one_way = ways[rows] == 1  # there and back by the only way is no cycle
    filled = _sums(matching.columns, matching.amount, m)
    dispensable = matching.prices <= matching.floor + TIE_RELATIVE * (abs(matching.floor) + 1e-300)
    outside, side = np.int64(n + m), n + np.arange(m)
    arcs = [
        (rows[~(own & one_way)], n + columns[~(own & one_way)]),
        (n + matching.columns, matching.rows),
        (np.flatnonzero(stay & ~(out & (ways == 1))), outside),
        (outside, np.flatnonzero(out)),
        (side[filled < provider.capacity], outside),
        (outside, side[(filled > 0) & dispensable]),
    ]
    pairs = [np.broadcast_arrays(*arc) for arc in arcs]
    start, end = (np.concatenate([pair[which] for pair in pairs]) for which in (0, 1))
    shape = (n + m + 1, n + m + 1)
    graph = coo_array((np.ones(len(start), np.int8), (start, end)), shape=shape)
    _, part = connected_components(graph.tocsr(), directed=True, connection="strong")
    shared: Bools = np.bincount(part)[part[:n]] > 1
    return shared


def _tied(provider: CostProvider, matching: Matching) -> tuple[Ints, Ints, Bools, Bools]:
    """Pairs at which rows pay their least; rows that may stay out; rows with all ties known."""
    m, k = len(provider.capacity), FIRST_COLUMNS
    while True:
        columns, costs = provider.cheapest(matching.prices, min(k, m))
        prices = matching.prices[columns]
        paid: Floats = np.where(columns < 0, np.inf, costs + prices)
        values = np.minimum(paid.min(axis=1, initial=np.inf), matching.outside)
        sums = np.abs(costs) + np.abs(prices) + np.abs(values)[:, None]
        tied = (columns >= 0) & (paid <= values[:, None] + TIE_RELATIVE * sums)
        known: Bools = ~tied.all(axis=1) | (k >= m)
        if known.all() or k >= MAX_COLUMNS:
            rows, places = np.nonzero(tied)
            stay: Bools = values >= matching.outside - TIE_RELATIVE * abs(matching.outside)
            return rows, columns[rows, places], stay, known
        k *= 4


def _sums(which: Ints, amount: Ints, n: int) -> Ints:
    sums = np.zeros(n, np.int64)
    np.add.at(sums, which, amount)
    return sums
