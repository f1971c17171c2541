"""The surrogate: Gaussian processes of risk and loss, and the improvement that a plan promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import ndtr

from unveil.support.arrays import Bools, Floats, Ints
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.frontier import frontier

LENGTHS = (0.25, 0.5, 1.0, 2.0)  # over which the process changes, in places
NOISES = (1e-4, 1e-3, 1e-2)  # variances of a repeated trial, over that of the process
SHARES = (0.2, 0.6)  # of the variance that depends on strength alone
OWN_LEVEL = 0.3  # share of a combination's own variance that is the same at all its points
PRIOR_TRIALS, PRIOR_SQUARES = 2, 0.1  # of the scale: few trials do not make sure
LEAST_VARIANCE = 1e-10
# The relative risk in the middle of the scale: a plan beyond the limit counts, too, as it shows
# how the frontier goes on. From 2 to 10 times the limit the search is better than with 1.
BEYOND = 3
LIMIT = 0.5  # on the scale of shares of limits on loss

Normal = tuple[Floats, Floats]  # means and standard deviations


class Evaluated(NamedTuple):
    """A candidate that was tried.

    Risk is the largest figure over its limit: 1 is on the limit. Risk and loss are None if the plan
    could not be carried out; risk alone is None if it was not attacked, since it breaks a limit on
    loss. If it is not complete, some attacks were left out, since the others showed that another
    plan is better: the risk is at least this.
    """

    candidate: Candidate
    risk: float | None
    loss: float | None
    complete: bool = True
    loss_share: float = 0.0  # the largest share of a limit on loss that is used


@dataclass(frozen=True, eq=False)
class Points:
    """Candidates as arrays."""

    combination: Ints  # its number
    places: Floats  # those that a combination lacks are 0
    strength: Floats  # the mean place

    def __add__(self, other: Points) -> Points:
        return Points(
            np.concatenate((self.combination, other.combination)),
            np.concatenate((self.places, other.places)),
            np.concatenate((self.strength, other.strength)),
        )


@dataclass(frozen=True)
class Kernel:
    """The covariance of two points.

    One part depends on their strengths, whatever the combinations; the other is of points of one
    combination. Both are Matern 5/2.
    """

    length: float
    noise: float
    share: float

    def __call__(self, one: Points, other: Points) -> Floats:
        strength = np.abs(one.strength[:, None] - other.strength)
        gaps = one.places[:, None] - other.places
        apart = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
        own = OWN_LEVEL + (1 - OWN_LEVEL) * _matern(apart / self.length)
        own *= one.combination[:, None] == other.combination
        return self.share * _matern(strength / self.length) + (1 - self.share) * own


def _matern(distance: Floats) -> Floats:
    scaled = np.sqrt(5.0) * distance
    correlation: Floats = (1 + scaled + scaled**2 / 3) * np.exp(-scaled)
    return correlation


@dataclass(frozen=True, eq=False)
class Process:
    """A Gaussian process that has seen values at some points."""

    kernel: Kernel
    points: Points
    values: Floats
    mean: float
    deviation: float
    factor: Floats  # of the covariance, lower triangular
    weights: Floats
    likelihood: float  # its logarithm, up to a constant

    @classmethod
    def fitted(cls, points: Points, values: Floats) -> Process:
        """The process that makes the values most likely, of a few kernels."""
        kernels = (Kernel(*one) for one in product(LENGTHS, NOISES, SHARES))
        return max((cls.given(kernel, points, values) for kernel in kernels), key=_likelihood)

    @classmethod
    def given(cls, kernel: Kernel, points: Points, values: Floats) -> Process:
        """The process with a kernel; its mean and its scale are estimated."""
        covariance = kernel(points, points)
        covariance[np.diag_indices_from(covariance)] += kernel.noise
        factor = cholesky(covariance, lower=True)
        precision = cho_solve((factor, True), np.ones(len(values)))
        mean = float(precision @ values / precision.sum())
        weights = cho_solve((factor, True), values - mean)
        n = len(values) + PRIOR_TRIALS
        variance = float((values - mean) @ weights + PRIOR_SQUARES) / n
        likelihood = -n / 2 * np.log(variance) - np.log(factor.diagonal()).sum()
        return cls(kernel, points, values, mean, variance**0.5, factor, weights, float(likelihood))

    def at(self, points: Points) -> Normal:
        """Mean and standard deviation of the values at other points."""
        across = self.kernel(self.points, points)
        explained = solve_triangular(self.factor, across, lower=True)
        variance = 1 - np.einsum("ij,ij->j", explained, explained)
        deviation = self.deviation * np.sqrt(np.maximum(variance, LEAST_VARIANCE))
        return self.mean + across.T @ self.weights, deviation

    def expecting(self, points: Points) -> Process:
        """The process that takes its own mean at some points for seen."""
        values = np.concatenate((self.values, self.at(points)[0]))
        updated = Process.given(self.kernel, self.points + points, values)
        return replace(updated, deviation=self.deviation)


def _likelihood(process: Process) -> float:
    return process.likelihood


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A model of the risk and the loss of a pool of candidates.

    Risks r count as r / (3 + r), shares s of limits on loss as s / (1 + s). A plan that breaks a
    limit on loss has no risk, and is no plan of the frontier.
    """

    risk: Process | None  # None: no plan was attacked
    loss: Process
    loss_share: Process | None  # None: no plan uses any of a limit on loss
    best: tuple[Floats, Floats]  # risks and losses of the plans that met every attack
    pool: Points
    space: SearchSpace

    @classmethod
    def of(
        cls, space: SearchSpace, tried: Sequence[Evaluated], pool: Sequence[Candidate]
    ) -> Surrogate:
        """The belief after some trials; a plan that was refused counts as the worst of them."""
        seen = _points(space, [one.candidate for one in tried])
        risks, losses = (np.array([one[i] for one in tried], float) for i in (1, 2))
        relative, refused = 1 - 1 / (1 + risks / BEYOND), np.isnan(losses)  # also of infinite risks
        attacked, whole = ~np.isnan(risks), np.array([one.complete for one in tried])
        shares = np.array([one.loss_share for one in tried])
        return cls(
            _fitted(seen, relative, attacked | refused) if attacked.any() else None,
            _fitted(seen, losses, np.full(len(tried), fill_value=True)),
            _fitted(seen, 1 - 1 / (1 + shares), ~refused) if shares.any() else None,
            (relative[attacked & whole], losses[attacked & whole]),
            _points(space, pool),
            space,
        )

    def expecting(self, candidates: Sequence[Candidate]) -> Surrogate:
        """The belief if some candidates turn out as expected."""
        points = _points(self.space, candidates)
        best = self.best
        if self.risk is not None:
            expected = self.risk.at(points)[0], self.loss.at(points)[0]
            best = np.append(best[0], expected[0]), np.append(best[1], expected[1])
        parts = {"risk": self.risk, "loss": self.loss, "loss_share": self.loss_share}
        updated = {name: one.expecting(points) for name, one in parts.items() if one is not None}
        return replace(self, best=best, **updated)  # type: ignore[arg-type]

    def promise(self) -> Floats:
        """The expected gain in hypervolume by each candidate of the pool.

        It counts as often as the candidate is expected to keep every limit on loss.
        """
        gain = np.ones(len(self.pool.strength))
        if self.risk is not None:
            reference = (1.0, float(self.loss.values.max()))
            gain = expected_gain(
                self.risk.at(self.pool), self.loss.at(self.pool), self.best, reference
            )
        if self.loss_share is not None:
            mean, deviation = self.loss_share.at(self.pool)
            gain *= ndtr((LIMIT - mean) / deviation)
        return gain


def _fitted(points: Points, values: Floats, counted: Bools) -> Process:
    """The process of the points that count; where a value is missing, with the largest."""
    filled = np.where(np.isnan(values), np.nanmax(values), values)
    kept = Points(points.combination[counted], points.places[counted], points.strength[counted])
    return Process.fitted(kept, filled[counted])


def _points(space: SearchSpace, candidates: Sequence[Candidate]) -> Points:
    number = {one.name: i for i, one in enumerate(space.combination)}
    width = max(len(one.dimensions) for one in space.combination)
    places = np.zeros((len(candidates), width))
    for row, one in zip(places, candidates, strict=True):
        row[: len(one.point)] = one.point
    return Points(
        np.array([number[one.combination] for one in candidates], np.int64),
        places,
        np.array([np.mean(one.point) if one.point else 0.5 for one in candidates]),
    )


def expected_gain(
    risk: Normal, loss: Normal, tried: tuple[Floats, Floats], reference: tuple[float, float]
) -> Floats:
    """The expected gain in hypervolume by plans with independent normal risks and losses.

    At each risk u from its own on, a plan gains by how much its loss b is below the least loss
    h(u) of the plans tried. h is constant between neighbours of the frontier: the expectation sums
    over these intervals E(h - b)+ times the integral of P(risk <= u), a difference of E(u - risk)+.
    Exact, as in Yang, Emmerich, Deutz and Bäck, Multi-objective Bayesian global optimization using
    expected hypervolume improvement gradient (2019).
    """
    best = frontier(*tried)
    ends = np.append(tried[0][best], reference[0])
    least = np.append(reference[1], tried[1][best])
    widths = np.diff(_expected_below(ends, *risk), axis=1, prepend=0.0)
    gain: Floats = (widths * _expected_below(least, *loss)).sum(1)
    return gain


def _expected_below(bounds: Floats, mean: Floats, deviation: Floats) -> Floats:
    """E(bound - x)+ of each normal x, in rows, and each bound."""
    z = (bounds - mean[:, None]) / deviation[:, None]
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    below: Floats = deviation[:, None] * (z * ndtr(z) + density)
    return below
