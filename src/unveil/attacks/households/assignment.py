"""The best assignment of the members of two households: drives the kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unveil.attacks.households.kernels import assignment
from unveil.attacks.households.kernels.assignment import MemberPairs, Workspace
from unveil.support.arrays import Floats
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks


def best_assignments(pairs: MemberPairs) -> Floats:
    """The least total cost of assigning the members of each pair of households.

    Every member of the smaller household gets another member of the larger one.

    >>> costs = np.array([1.0, 2.0, 2.0, 9.0])
    >>> pair = MemberPairs(np.array([0]), np.array([2]), np.array([2]), costs)
    >>> best_assignments(pair).tolist(), forced_costs(pair).tolist()
    ([4.0], [6.0, 0.0, 0.0, 6.0])
    """
    prepare("the assignment of members", _rehearse)
    totals = np.empty(len(pairs.starts))
    _run(assignment.assign, pairs, totals)
    return totals


def forced_costs(pairs: MemberPairs) -> Floats:
    """The additional cost of the best assignment for each forced pair of members."""
    prepare("the assignment of members", _rehearse)
    extra = np.empty(len(pairs.costs))
    _run(assignment.forced_costs, pairs, extra)
    return extra


def _run(kernel: Callable[..., None], pairs: MemberPairs, result: Floats) -> None:
    finite = np.isfinite(pairs.costs)
    if not finite.all():
        pairs, impossible = _with_finite_costs(pairs)
    threads = cores(None)
    run_blocks(
        lambda start, stop: kernel(pairs, result, _workspace(pairs), start, stop),
        thread_blocks(len(pairs.starts), threads, records_each=16),
        threads=threads,
    )
    if not finite.all():
        result[result > impossible / 2] = np.inf


def _with_finite_costs(pairs: MemberPairs) -> tuple[MemberPairs, float]:
    """Infinite costs as a number above any sum of other costs, and that number."""
    finite = np.isfinite(pairs.costs)
    most = int(max(pairs.queries.max(initial=1), pairs.candidates.max(initial=1)))
    impossible = 4.0 * (most + 1) * (float(np.abs(pairs.costs[finite]).max(initial=0.0)) + 1.0)
    return pairs._replace(costs=np.where(finite, pairs.costs, impossible)), impossible


def _workspace(pairs: MemberPairs) -> Workspace:
    most = int(max(pairs.queries.max(initial=0), pairs.candidates.max(initial=0))) + 1
    rows = int(np.minimum(pairs.queries, pairs.candidates).max(initial=0)) + 1
    u, v, least, leave, enter = np.empty((5, most))
    row, column, before, seen = np.empty((4, most), np.int64)
    return Workspace(u, v, least, row, column, before, seen, np.empty((rows, rows)), leave, enter)


def _rehearse() -> None:
    one = np.array([1])
    pairs = MemberPairs(np.array([0]), one, one, np.ones(1))
    assignment.assign(pairs, np.empty(1), _workspace(pairs), 0, 1)
    assignment.forced_costs(pairs, np.empty(1), _workspace(pairs), 0, 1)
