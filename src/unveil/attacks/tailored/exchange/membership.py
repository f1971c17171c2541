"""Membership: a swapped release has the values of its people, and those of others by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.attacks.tailored.exchange.implied_pairs import WRONG_CELLS
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.matching.posterior import MatchGraph
from unveil.support.arrays import Bools, Floats, Ints

FITS, TOLERANCE = 200, 1e-6  # rounds of expectation and maximisation; change of the share
LEAST_GAIN = 10.0  # in log-likelihood, from which on some records are held to have no row
LEAST_SPARE = 0.5  # candidates that are left without a record, at least


class Membership(NamedTuple):
    """The evidence that each record is of a person in the release."""

    share: float  # of the records that are
    log_ratio: Floats  # of each record, the likelihood of a member to that of another person

    @classmethod
    def of(cls, columns: Sequence[ValueBlocks], supply: Ints) -> Membership | None:
        """Fit a mixture of members and others; None if members alone explain the records.

        The release has the values of its people, except for wrong cells and rows left out: the
        share of their values that it has is fitted for each column. The values of others are
        estimated from the release (Good 1953): absent values are as frequent as values that occur
        once, and values that occur once are as frequent as values that occur twice, times two.
        Noisy columns carry no evidence.
        """
        exact = [one for one in columns if one.likeness is None]
        if not exact:
            return None
        shown = np.column_stack([np.append(one.shown, np.nan)[one.records] for one in exact])
        absent, present = shown == 0, shown > 0
        against = np.zeros(len(supply))  # what the number of rows with its values says of a record
        for j, one in enumerate(exact):
            logs = _log_against(one.shown)
            known = absent[:, j] | present[:, j]
            against[known] += logs[np.minimum(shown[known, j], 2).astype(np.int64)]

        def log_ratio(rates: Floats) -> Floats:
            ratio: Floats = present @ np.log(rates) + absent @ np.log1p(-rates) - against
            return ratio

        share, ratio = 0.5, log_ratio(np.full(len(exact), 1 - WRONG_CELLS))
        for _ in range(FITS):
            before, members = share, supply / (1 + np.exp(-ratio) * (1 - share) / share)
            share = float(np.clip(members.sum() / supply.sum(), 1e-9, 1 - 1e-9))
            ratio = log_ratio(_rates(present, absent, members))
            if abs(share - before) < TOLERANCE:
                break
        mixed = supply @ np.logaddexp(np.log(share) + ratio, np.log1p(-share))
        members_only = supply @ log_ratio(_rates(present, absent, supply))
        return None if mixed - members_only < LEAST_GAIN else cls(share, ratio)

    def log_unmatched(self, graph: MatchGraph) -> Floats:
        """The log-likelihood that a record of each row has no partner.

        A partner must explain the record better than a random candidate does.
        """
        n_records, n_candidates = float(graph.supply.sum()), float(graph.capacity.sum())
        matched = min(self.share * n_records, n_candidates - LEAST_SPARE)
        odds = matched / (n_records - matched) / (n_candidates - matched)
        least = np.where(np.isfinite(graph.least), graph.least, 0.0)
        likely = graph.capacity[graph.columns] * np.exp(least[graph.rows] - graph.costs)
        mean = np.bincount(graph.rows, likely, len(least)) / n_candidates
        unmatched: Floats = np.log(np.maximum(mean, 1e-300)) - least - np.log(odds) - self.log_ratio
        return unmatched


def _log_against(shown: Floats) -> Floats:
    """The log-probability of others, less that of members, of values shown 0, 1, 2 or more times.

    Members are counted without the share of their values that the release lacks.
    """
    rows, once, twice = shown.sum(), (shown == 1).sum(), (shown == 2).sum()
    members = np.array([1.0, (once + 1) / (rows + 2), (rows - once + 1) / (rows + 2)])
    more = max(rows - once - 2 * twice, 0) + 1
    others = np.array([once + 1, 2 * twice + 1 + WRONG_CELLS * once, more])
    against: Floats = np.log(others / others.sum()) - np.log(members)
    return against


def _rates(present: Bools, absent: Bools, weight: Floats | Ints) -> Floats:
    """The share of each column's values that the release has."""
    has, lacks = weight @ present, weight @ absent
    rates: Floats = np.minimum((has + 0.5) / (has + lacks + 1), 1 - WRONG_CELLS)
    return rates
