"""Keys that are recorded with error or were masked: the probability that a match is correct.

Shlomo and Skinner, Assessing the protection provided by misclassification-based disclosure
limitation methods for survey microdata (2010); Skinner, Assessing disclosure risk for record
linkage (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import codes, numbers, tied_blocks
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import MatrixChannel, Recoding, Sets
from unveil.values.release.channels import Channel, Exact, Ranges, Replaced
from unveil.values.release.release import Release
from unveil.values.release.swap import Swap
from unveil.wording import listing

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


def match_probability(people: Floats, changes: Floats, fraction: float) -> MatchProbability:
    """The probability that a match on the key is correct, where the population is known.

    Parameters
    ----------
    people
        The number of people of the population with each key.
    changes
        The probability that a person with one key (row) is released with another (column).
    fraction
        The probability of each person to be in the sample.

    >>> known = match_probability(np.array([1.0, 4.0]), np.eye(2), 0.1)
    >>> known.sample_unique, known.fellegi_sunter
    (array([1.  , 0.25]), array([1.  , 0.25]))
    """
    people, changes = np.asarray(people, np.float64), np.asarray(changes, np.float64)
    if changes.shape != (len(people),) * 2 or (np.abs(changes.sum(1) - 1) > ROWS_SUM_TO).any():
        raise UsageError(
            "changes: one row and one column for each key, each row with probabilities that sum "
            "to 1"
        )
    if not 0 < fraction <= 1:
        raise UsageError("fraction: above 0 and at most 1")
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


class KeptProbabilities(NamedTuple):
    """The probability of each released record that its key is right, and the columns in doubt."""

    right: Floats
    perturbed: tuple[str, ...]


def kept_probabilities(release: Release, columns: Sequence[str]) -> KeptProbabilities:
    """The probability that people with each released record's key keep it, by the channels.

    It is the diagonal of the matrix of misclassification. What a mask makes of a value for certain
    (recoding, rounding, ranges) is no error: an intruder does the same to the known values.
    """
    right, perturbed = np.ones(len(release.data)), []
    for channel in release.channels:
        touched = [name for name in channel.columns if name in columns]
        if not touched or isinstance(channel, Recoding | Sets | Exact | Ranges):
            continue
        right *= _kept(channel.only(touched), release.data, touched)
        perturbed += touched
    return KeptProbabilities(right, tuple(dict.fromkeys(perturbed)))


def _kept(channel: Channel, data: Microdata, columns: Sequence[str]) -> Floats:
    if isinstance(channel, MatrixChannel):
        return _diagonal(channel, data)
    if isinstance(channel, Swap) and not channel.noise:
        return _same_block(channel, data, columns[0])
    if isinstance(channel, Replaced):
        earlier = channel.earlier
        kept = 1.0 if earlier is None else _kept(earlier, data, columns)
        return np.full(len(data), 1 - channel.share) * kept
    raise _unknown(columns)


def _unknown(columns: Sequence[str]) -> UsageError:
    return UsageError(
        f"{listing(columns)}: the mask of the plan does not tell how probably a value is right "
        "(PRAM, swapping and recoding do); leave the column out, or attack the release instead"
    )


def _diagonal(channel: MatrixChannel, data: Microdata) -> Floats:
    """The probability of each released category, or combination, to have stayed."""
    place = channel.places(data)
    at = np.maximum(place, 0)
    given = channel.transitions
    kept = given[at, at] if isinstance(given, np.ndarray) else given.at(at, at)
    return np.where(place >= 0, kept, 1.0)  # a missing cell stays


def _same_block(channel: Swap, data: Microdata, column: str) -> Floats:
    """The probability of a value to be replaced by an equal one, all steps equally probable."""
    if data.level(column) == "numeric":
        block = tied_blocks(numbers(data, [column]).values[:, 0])
    else:
        cells = codes(data, column).codes
        block = tied_blocks(cells.astype(np.float64), cells >= 0)
    sizes, window = np.maximum(block.last - block.first + 1, 1), max(channel.window, 1)
    unique, which = np.unique(sizes, return_inverse=True)
    inside = np.array([_steps_inside(int(size), window) for size in unique])
    kept: Floats = np.where(block.last >= 0, inside[which], 1.0)
    return kept if channel.window else np.ones(len(kept))


def _steps_inside(size: int, window: int) -> float:
    """The share of steps of 1 to `window` positions, up or down, that stay within a block."""
    reach = min(size - 1, window)
    steps = reach * (reach + 1) / 2 if reach else 0.0
    return (reach * size - steps) / (size * window)
