"""Gaps: what a cell says of a pair that is missing on one side, or on both.

A released cell that is missing is as likely whoever it was of, of those who know it. One that
is known is, for somebody whose own is missing, as likely as it is in the whole file: what
everybody together explains well is no evidence for anybody. But masks leave missing cells
missing, so that both sides miss them together, or nearly always: somebody may know what the
file does not, and the truth is never excluded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unveil.engines.local.engine import density
from unveil.engines.metric import Metric, table
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from unveil.attacks.tailored.likelihood import PairLikelihood


BINS = 32  # sizes of probabilities that are told apart
ERROR = 1e-3  # relative, of a probability
RARELY = 4.6  # masks leave missing cells missing: on one side only, it is 100 times less likely


def neutral(part: PairLikelihood, everybody: PairLikelihood) -> PairLikelihood:
    """The evidence where what a missing cell would have said counts for nothing.

    Numbers that miss the same cells have one number more, a code, whose table has the costs
    of pairs where one side is missing. `everybody` is the same of all people.
    """
    absent = np.vstack([np.isnan(part.intruder), np.isnan(part.released)])
    if not absent.any():
        return part
    free = replace(part, costs=tuple(replace(cost, missing=0.0) for cost in part.costs))
    width = everybody.intruder.shape[1]
    if part.intruder.shape[1] != width:  # of one attribute, which is missing or not
        return _coded(free, np.arange(absent.shape[1]), _surprise(everybody, np.arange(width)))
    patterns = np.vstack([absent, np.isnan(everybody.intruder)])
    gappy = np.flatnonzero(absent.any(axis=0))
    together: dict[bytes, list[int]] = {}
    for column in gappy.tolist():
        together.setdefault(patterns[:, column].tobytes(), []).append(column)
    for columns in map(np.array, together.values()):
        free = _coded(free, columns, _surprise(everybody, columns))
    return free


def _coded(part: PairLikelihood, columns: Ints, surprise: Floats) -> PairLikelihood:
    """One code more, for some numbers that are missing together."""
    absent, unknown = (np.isnan(side[:, columns[0]]) for side in (part.intruder, part.released))
    usual = float(surprise[~unknown].mean()) if (~unknown).any() else 0.0
    rows, widths = _binned(part.spread, ~absent)
    cells, surprises = _binned(surprise, ~unknown)
    last = max(len(widths), len(surprises))
    costs = np.zeros((last + 1, last + 1))
    costs[: len(widths), last] = usual - widths + RARELY  # a spread that is of what is missing
    costs[last, : len(surprises)] = surprises + RARELY
    costs[last, last] = usual
    least = min(0.0, float(costs.min()))
    return replace(
        part,
        intruder=np.column_stack([part.intruder, np.where(absent, last, rows)]),
        released=np.column_stack([part.released, np.where(unknown, last, cells)]),
        costs=(*part.costs, table(costs - least)),
        constant=part.constant + least,
    )


def _surprise(everybody: PairLikelihood, columns: Ints) -> Floats:
    """Minus the log of how likely each released cell is of anybody; 0 where it is missing."""
    known, there = (
        ~np.isnan(side[:, columns[0]]) for side in (everybody.intruder, everybody.released)
    )
    found = np.zeros(len(there))
    if not (known.any() and there.any()):
        return found
    base = Records(everybody.intruder[known][:, columns], offset=everybody.spread[known])
    asked = Records(everybody.released[there][:, columns])
    metric = Metric(tuple(everybody.costs[j] for j in columns))
    log_sum = density(asked, base, metric.reversed, error=ERROR).log_sum
    unlikely = np.log(known.sum()) - log_sum
    possible = np.isfinite(unlikely)
    most = float(unlikely[possible].max()) if possible.any() else 0.0
    found[there] = np.where(possible, unlikely, most)
    return found


def _binned(values: Floats, used: Bools) -> tuple[Ints, Floats]:
    """Each value's place among a few, and these."""
    distinct = np.unique(values[used]) if used.any() else np.zeros(1)
    if len(distinct) > BINS:
        distinct = np.unique(np.quantile(values[used], (np.arange(BINS) + 0.5) / BINS))
    between = (distinct[1:] + distinct[:-1]) / 2
    return np.searchsorted(between, values), distinct
