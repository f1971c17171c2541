"""Calibration by simulation: how often links of a claimed probability are right.

An intruder with the plan masks a file again with another seed and makes the same attack on it.
The true links of that file are known. A logistic curve of the claimed probability is fitted to
those hits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from scipy.optimize import minimize

from unveil.attacks.base import LinkageFiles
from unveil.errors import UnveilError
from unveil.support.arrays import Floats, Ints
from unveil.values.file_pair import FilePair
from unveil.values.links import Finder

ENOUGH_LINKS = 1000  # simulated; of a small file in two simulations
MOST_SIMULATIONS = 2
MOST_PAIRS = 100_000_000  # of larger files a simulation takes too long
LEAST = 1e-9  # the distance of a probability from 0 and from 1, at least
# Deviations of the prior, as if the curve were known to be about the identity.
INTERCEPT_DEVIATION, LOG_SLOPE_DEVIATION = 1.0, 0.5


@dataclass(frozen=True)
class Calibration:
    """A curve of probabilities: logit p' = intercept + slope * logit p."""

    intercept: float
    slope: float
    simulations: int
    links: int  # simulated

    @classmethod
    def fit(cls, probability: Floats, hits: Floats, simulations: int = 1) -> Calibration:
        """The likeliest curve of these links; `hits` are 0 or 1, or between them where rows tie.

        >>> claimed = np.repeat([0.1, 0.5, 0.9], 200)
        >>> curve = Calibration.fit(claimed, claimed)
        >>> round(abs(curve.intercept), 3), round(curve.slope, 3)
        (0.0, 1.0)
        """
        logits = _logit(probability)

        def loss(curve: Floats) -> tuple[float, Floats]:
            intercept, log_slope = curve
            slope = np.exp(log_slope)
            z = intercept + slope * logits
            wrong = _logistic(z) - hits
            prior = curve / np.array([INTERCEPT_DEVIATION, LOG_SLOPE_DEVIATION]) ** 2
            total = float((np.logaddexp(0.0, z) - hits * z).sum() + curve @ prior / 2)
            return total, np.array([wrong.sum(), (wrong * logits).sum() * slope]) + prior

        best = minimize(loss, np.zeros(2), jac=True, method="BFGS").x
        return cls(float(best[0]), float(np.exp(best[1])), simulations, len(logits))

    def __call__(self, probability: Floats) -> Floats:
        """The calibrated probabilities; what is impossible stays so."""
        curve = _logistic(self.intercept + self.slope * _logit(probability))
        return np.where(probability > 0, curve, 0.0)

    def among_candidates(self, chance: Floats, best: Floats, n_best: Ints) -> Floats:
        """Calibrated probabilities of candidates, given the best of their record and its ties.

        The curve is that of the best. The others share what it leaves, as before.
        """
        new = np.minimum(self(best), 1.0 / np.maximum(n_best, 1))
        rest, new_rest = (np.maximum(1.0 - n_best * one, LEAST) for one in (best, new))
        # A candidate that ties with the best to the last digits stays so.
        tied = chance >= best * (1 - 1e-6)
        return np.where(tied, new, np.minimum(chance * (new_rest / rest), new))

    def as_dict(self) -> dict[str, Any]:
        """The curve, for the details of an attack."""
        return {
            "calibrated": True,
            "simulations": self.simulations,
            "intercept": self.intercept,
            "slope": self.slope,
        }


@dataclass(frozen=True, repr=False, eq=False)
class Simulation:
    """The same attack on files that are masked again."""

    files: LinkageFiles
    link: Callable[[LinkageFiles], tuple[Finder, FilePair]]

    def calibration(self, sizes: tuple[int, int]) -> Calibration | None:
        """The curve of simulated links; None if the plan cannot be carried out again."""
        remask, runs = self.files.remask, n_simulations(*sizes)
        if remask is None or not runs:
            return None
        probability, hits = [np.zeros(0)], [np.zeros(0)]
        for run in range(runs):
            again = remask(run)
            if again is None:
                return None
            try:
                finder, pair = self.link(again)
                rows, truth = _queries(pair, reverse=again.reverse)
                rank = finder.rank_of_truth(rows, truth, 1, None)
            except UnveilError:  # what is masked again does not suit the attack
                return None
            probability.append(np.exp(-finder.nearest(rows, 1, None).scores[:, 0]))
            hits.append(rank.hits)
        return Calibration.fit(np.concatenate(probability), np.concatenate(hits), runs)


def n_simulations(records: int, candidates: int) -> int:
    """The number of simulations that calibrate an attack of so many records; 0: none does."""
    if records * candidates > MOST_PAIRS:
        return 0
    return min(MOST_SIMULATIONS, ceil(ENOUGH_LINKS / max(records, 1)))


def _queries(pair: FilePair, *, reverse: bool) -> tuple[Ints, Ints]:
    """The rows to link, and the true row of each, -1 for none."""
    if pair.truth is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    truth = pair.truth.record_of_row if reverse else pair.truth.row_of_record
    return np.arange(len(truth)), truth


def _logit(probability: Floats) -> Floats:
    inside = np.clip(probability, LEAST, 1.0 - LEAST)
    logits: Floats = np.log(inside) - np.log1p(-inside)
    return logits


def _logistic(z: Floats) -> Floats:
    curve: Floats = 0.5 * (1.0 + np.tanh(z / 2))
    return curve
