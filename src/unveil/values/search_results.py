"""Results of a search: the rank of the true candidate, the nearest candidates, densities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats, Ints


class RankOfTruth(NamedTuple):
    """The rank of the true candidate of each record; -1 where it is not a candidate."""

    n_closer: Ints  # strictly closer candidates; at least so many where the count was stopped
    n_tied: Ints  # other candidates at the same score; -1 where the count was stopped
    chance: Floats | None = None  # probability of the true link, where a matching decides
    work: int = 0  # cells compared, as `unveil.support.work` counts them; 0: next to nothing

    def take(self, positions: Ints) -> RankOfTruth:
        """The ranks of some of the records."""
        chance = None if self.chance is None else self.chance[positions]
        return RankOfTruth(self.n_closer[positions], self.n_tied[positions], chance)

    @property
    def hits(self) -> Floats:
        """The probability that each record is linked to its true row."""
        if self.chance is not None:
            return self.chance
        nearest = self.n_closer == 0
        shares: Floats = nearest / np.where(nearest, 1 + self.n_tied, 1)
        return shares


class Neighbours(NamedTuple):
    """The best candidates of each record, a row each; -1 and infinity where none is left."""

    rows: Ints  # ties with the best by row number, the others by score
    scores: Floats  # the lower, the better
    n_best: Ints  # candidates at the best score
    work: int = 0  # cells compared

    @classmethod
    def none_yet(cls, records: int, k: int) -> Neighbours:
        """Room for the k best candidates of so many records."""
        rows, scores = np.full((records, k), -1), np.full((records, k), np.inf)
        return cls(rows, scores, np.zeros(records, np.int64))


class Densities(NamedTuple):
    """For each record the log of the sum of exp(-score) over its candidates, and its error."""

    log_sum: Floats  # a lower bound; minus infinity where every candidate is impossible
    error: Floats  # what is to be added at most
