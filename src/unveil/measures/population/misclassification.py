"""Keys that are recorded with error or were masked: the probability that a match is correct.

Shlomo and Skinner, Assessing the protection provided by misclassification-based disclosure
limitation methods for survey microdata (2010); Skinner, Assessing disclosure risk for record
linkage (2008).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.keys import checked_fraction
from unveil.support.arrays import Floats

ROWS_SUM_TO = 1e-6


@dataclass(frozen=True, eq=False)
class MatchProbability:
    """The probability that a released record that agrees with a person in the key is that person's.

    Of each key, in two views. `sample_unique`: of a record that is alone with its key in the
    release (Shlomo and Skinner 2010, equation 2). `fellegi_sunter`: of any pair that agrees, by
    Bayes' rule from m, u and the prior. Without errors both are 1 / F; with errors they differ by
    what it tells that no second record has the key, which vanishes with the sampling fraction.
    """

    sample_unique: Floats
    m: Floats  # probability to agree on the key, of a record with its own person
    u: Floats  # of a record with another person
    prior: float  # that a pair of a record and a person is a match

    @property
    def fellegi_sunter(self) -> Floats:
        """The posterior probability of a match, given agreement on the key."""
        match, other = self.m * self.prior, self.u * (1 - self.prior)
        return np.divide(match, match + other, out=np.zeros_like(match), where=match > 0)


def match_probability(counts: Floats, changes: Floats, fraction: float) -> MatchProbability:
    """The probability that a match on the key is correct, where the population is known.

    Parameters
    ----------
    counts
        The number of people of the population with each key.
    changes
        The probability that a person with one key (row) is released with another (column).
    fraction
        The probability of each person to be in the sample.

    >>> known = match_probability(np.array([1.0, 4.0]), np.eye(2), 0.1)
    >>> known.sample_unique, known.fellegi_sunter
    (array([1.  , 0.25]), array([1.  , 0.25]))
    """
    people, changes = np.asarray(counts, np.float64), np.asarray(changes, np.float64)
    numbers = people.ndim == 1 and bool((np.isfinite(people) & (people >= 0)).all())
    if not numbers or ((people > 0) & (people < 1)).any() or people.sum() < 2:
        raise UsageError(
            "counts: the number of people with each key, 0 or at least 1, and at least two people "
            "in all"
        )
    square = changes.shape == (len(people),) * 2
    if not square or not (changes >= 0).all() or (np.abs(changes.sum(1) - 1) > ROWS_SUM_TO).any():
        raise UsageError(
            "changes: one row and one column for each key, each row with probabilities that sum "
            "to 1"
        )
    fraction = checked_fraction(fraction)
    same = np.diag(changes)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = changes / (1 - fraction * changes)
        unique = np.where(same > 0, np.diag(odds) / (people @ odds), 0.0)
    if fraction == 1:  # a certain key excludes all others who would have it
        unique = np.where(np.isinf(np.diag(odds)), 1 / np.maximum(people, 1), unique)
    total = float(people.sum())
    right = people * same / total
    pairs = people * (people @ changes) / total  # that agree on the key, for each record
    other = np.maximum(pairs - right, 0.0) / (total - 1)
    return MatchProbability(np.where(people > 0, unique, 0.0), right, other, 1 / total)
