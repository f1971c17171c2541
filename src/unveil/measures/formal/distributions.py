"""Distributions: an attack's result for each record as a probability over the candidates.

Definition 2 of the paper on supervised linkage (section 2.4).
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unveil.errors import UsageError
from unveil.measures.formal.belief import ROUNDING
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Floats, Ints
from unveil.values.links import Links
from unveil.wording import count

MOST_TIED = 1000  # candidates that an attack lists for one record
BATCH_SIZE = 5000  # records whose ties are listed together


@runtime_checkable
class Distributed(Protocol):
    """A finder that gives its candidates probabilities."""

    def distribution(self, records: Ints) -> tuple[Ints, Ints, Floats]:
        """The results of records: `starts`, `rows` and `probability` of `Distributions`."""


@dataclass(frozen=True, repr=False, eq=False)
class Distributions:
    """For each record a probability over its candidates, if it has any.

    The candidates of the record at place i of `records` are those from starts[i] to starts[i + 1].

    >>> two = Distributions(*map(np.array, ([0, 1], [0, 2, 3], [0, 1, 1], [0.25, 0.75, 1.0])))
    >>> two.of(np.array([0, 1])).tolist()
    [0.25, 1.0]
    """

    records: Ints  # rows of the intruder's file; in the reverse direction, of the release
    starts: Ints  # one more than records
    rows: Ints  # candidates, no row twice for a record
    probability: Floats

    def __post_init__(self) -> None:
        ends = np.asarray(self.starts)
        if (
            ends.shape != (len(self.records) + 1,)
            or ends[0] != 0
            or (np.diff(ends) < 0).any()
            or not ends[-1] == len(self.rows) == len(self.probability)
        ):
            raise UsageError(
                "distributions: starts are one more than the records, begin at 0, ascend, and end "
                "with the number of rows and of probabilities"
            )
        pairs = np.stack([self._places(), self.rows])
        if (self.rows < 0).any() or np.unique(pairs, axis=1).shape != pairs.shape:
            raise UsageError("distributions: rows are counted from 0, none twice for a record")
        sums = np.bincount(self._places(), self.probability, len(self))
        if (sums > 1 + ROUNDING).any() or not (self.probability >= 0).all():
            raise UsageError(
                "distributions: probabilities are 0 or more, and sum to at most 1 for a record; "
                "the rest is the probability that it has no partner"
            )

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, place: int) -> tuple[Ints, Floats]:
        """The candidates of one record, and their probabilities."""
        here = slice(self.starts[place], self.starts[place + 1])
        return self.rows[here], self.probability[here]

    def of(self, rows: Ints) -> Floats:
        """The probability that each record's result gives to one row, such as its true row."""
        places = self._places()
        right = np.where(self.rows == rows[places], self.probability, 0.0)
        result: Floats = np.bincount(places, right, len(self)).astype(np.float64)
        return result

    def _places(self) -> Ints:
        """The place of each entry's record."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def __repr__(self) -> str:
        return f"Distributions({count(len(self), 'record')}, {count(len(self.rows), 'candidate')})"


def distributions(links: Links, *, sample: int = SAMPLE_SIZE) -> Distributions:
    """Each record's result as a distribution over the candidates (Definition 2).

    It is the attack's own, if that has probabilities; otherwise all candidates that tie for the
    best have equal parts. A record without candidates has none. At most `sample` records are drawn.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> rows, probability = distributions(links)[0]
    >>> rows.tolist(), probability.tolist()
    ([0], [1.0])
    """
    sampled = links.sample(sample)
    records = sampled.records
    if isinstance(sampled.finder, Distributed):
        starts, rows, probability = sampled.finder.distribution(records)
        of_record = np.repeat(np.arange(len(records)), np.diff(starts))
        sums = np.bincount(of_record, probability, len(records))
        # A posterior is approximate, and calibrated link by link: no more than 1 is given away.
        return Distributions(records, starts, rows, probability / np.maximum(sums, 1.0)[of_record])
    n_best = sampled.n_best
    if n_best.max(initial=0) > MOST_TIED:
        raise UsageError(
            f"{count(int((n_best > MOST_TIED).sum()), 'record')} tie with more than "
            f"{MOST_TIED:,} candidates, which are not listed: name more known attributes; "
            "formal(links) needs no list"
        )
    listed = sampled.top_candidates.rows
    complete = np.flatnonzero(n_best <= listed.shape[1])
    parts = [_ties(complete, listed[complete], n_best)]
    more = np.flatnonzero(n_best > listed.shape[1])
    more = more[np.argsort(n_best[more], kind="stable")]  # so that a batch needs about the same k
    for start in range(0, len(more), BATCH_SIZE):
        batch = more[start : start + BATCH_SIZE]
        k = int(n_best[batch[-1]])
        nearest = sampled.finder.nearest(records[batch], k, sampled.progress)
        parts.append(_ties(batch, nearest.rows, n_best))
    places, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
    starts = np.append(0, np.cumsum(n_best))
    probability = np.repeat(1 / np.maximum(n_best, 1), n_best)
    return Distributions(records, starts, rows[np.argsort(places, kind="stable")], probability)


def _ties(places: Ints, rows: Ints, n_best: Ints) -> tuple[Ints, Ints]:
    """The place of the record and the row of each candidate that ties for the best."""
    best = np.arange(rows.shape[1]) < n_best[places, None]
    return np.repeat(places, n_best[places]), rows[best]
