"""What a missing cell says: as much as a cell of anybody's, on average."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unveil.engines.metrics import Metric
from unveil.engines.pairing import costs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.attacks.evidence import Evidence
    from unveil.data.encode import Floats

LOOKED_AT = 200  # cells of each file, from the least to the greatest
MOST = 50.0  # what a missing cell costs at most


def with_missing(part: Evidence) -> Evidence:
    """The same evidence, with what a missing cell costs, on either side.

    As much as if its probability were that of anybody's cell: minus the log of the mean
    over pairs, not the mean of the log, which for little noise is so much that nobody who
    misses a cell could be linked. It is the same for all, so that it makes no hubs either.
    """
    if not (np.isnan(part.mine).any() or np.isnan(part.released).any()):
        return part
    width = range(len(part.costs))
    costs = list(part.costs)
    for group in [[j] for j in width] if part.apart else [list(width)]:
        typical = _typical(part, group)
        for j in group:
            costs[j] = replace(costs[j], missing=typical if j == group[0] else 0.0)
    return replace(part, costs=tuple(costs))


def _typical(part: Evidence, group: Sequence[int]) -> float:
    """Minus the log of how likely some column of anybody is made of anybody's."""
    mine, released = (_some(values[:, group]) for values in (part.mine, part.released))
    if not (len(mine) and len(released)):
        return 0.0
    rows, others = np.divmod(np.arange(len(mine) * len(released)), len(released))
    metric = Metric(tuple(part.costs[j] for j in group))
    likely = np.exp(-costs_of(mine, released, metric, (rows, others))).mean()
    return float(min(-np.log(max(likely, np.exp(-MOST))), MOST)) + 0.0


def _some(values: Floats) -> Floats:
    """Complete rows, evenly from the least to the greatest."""
    known = values[~np.isnan(values).any(axis=1)]
    order = np.lexsort(known.T[::-1])
    places = np.linspace(0, max(len(known) - 1, 0), min(LOOKED_AT, len(known)))
    return known[order[places.round().astype(np.int64)]]
