"""The probabilities of matched pairs, listed or as a matrix of all pairs, and candidates by rank.

Matches ──ranked──▶ Ranking ──ranks──▶ TruthRanks       how many candidates are more probable
                            ──best───▶ RankedMatches    the most probable candidates
                            ──listed─▶ RankedMatches    all that are not negligible
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from unveil.attacks.matched.comparer import PAIRS_AT_ONCE, RecordClasses, pair_keys
from unveil.matching.kernels.ranks import largest, rank
from unveil.matching.kernels.sinkhorn import Matrix
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import run_lines

TIE, TIE_32 = 1e-9, 1e-6  # relative: probabilities nearer than this are equal; in 32 bits
NO_PAIR = -1  # a key
NEGLIGIBLE = 1e-6  # a probability that a list leaves out in 32 bits


class TruthRanks(NamedTuple):
    """The rank of one candidate of each record."""

    n_closer: Ints  # candidates that are more probable
    n_tied: Ints  # other candidates that are as probable
    chance: Floats


class Ranking(Protocol):
    """The candidates of each class of records, the most probable first."""

    def ranks(self, rows: Ints, columns: Ints) -> TruthRanks:
        """The rank of the candidates of a class, for a record of each row."""

    def best(self, rows: Ints, k: int) -> tuple[RankedMatches, Ints]:
        """A table with the k best candidates of these rows, and the place of each row in it."""

    def listed(self, rows: Ints) -> tuple[RankedMatches, Ints]:
        """The same with all candidates that are not negligible."""


class Matches(Protocol):
    """The probability that a record of one class is matched with a given row of another."""

    @property
    def details(self) -> dict[str, Any]:
        """How the matching was found."""

    def ranked(self, n_rows: int, candidates: RecordClasses) -> Ranking:
        """The candidates by rank."""

    def listed_pairs(self, above: float) -> Iterator[tuple[Ints, Ints, Floats]]:
        """The rows, columns and probabilities of all pairs above a probability, some at a time."""

    def times(self, factor: float) -> Self:
        """The same with all probabilities multiplied."""


@dataclass(frozen=True, repr=False, eq=False)
class MatchProbabilities:
    """The probabilities of listed pairs (`Matches`)."""

    rows: Ints  # classes of records
    columns: Ints  # classes of candidates
    chance: Floats  # for each single candidate of the column
    details: dict[str, Any]

    def ranked(self, n_rows: int, candidates: RecordClasses) -> RankedMatches:
        return RankedMatches.of(self, n_rows, candidates)

    def listed_pairs(self, above: float) -> Iterator[tuple[Ints, Ints, Floats]]:
        kept = self.chance > above
        yield self.rows[kept], self.columns[kept], self.chance[kept]

    def times(self, factor: float) -> Self:
        return replace(self, chance=self.chance * factor)


@dataclass(frozen=True, repr=False, eq=False)
class RankedMatches:
    """The listed pairs of each record class, the most probable first (`Ranking`).

    The last entry is no pair: index -1 refers to it.
    """

    starts: Ints
    columns: Ints
    chance: Floats
    n_closer: Ints  # candidates that are more probable
    n_tied: Ints  # other candidates that are as probable
    n_before: Ints  # candidates of all pairs before this one
    keys: Ints  # ascending
    place: Ints  # of the pair of each key
    n_columns: int

    @classmethod
    def of(
        cls, matches: MatchProbabilities, rows: int, candidates: RecordClasses, tie: float = TIE
    ) -> RankedMatches:
        """Sort the pairs; among ties the one with the lowest row comes first."""
        order = np.lexsort((-matches.chance, matches.rows))
        row, chance = matches.rows[order], matches.chance[order]
        new = np.ones(len(row) + 1, np.bool_)
        new[1:-1] = (row[1:] != row[:-1]) | (chance[1:] < chance[:-1] * (1 - tie))
        begins, run = np.flatnonzero(new), np.cumsum(new[:-1]) - 1
        order = order[np.lexsort((candidates.first[matches.columns[order]], run))]
        columns = matches.columns[order]
        starts = np.searchsorted(row, np.arange(rows + 1))
        n_before = np.append(0, np.cumsum(candidates.size[columns]))
        keys = pair_keys(row, columns, len(candidates.first))
        place = np.argsort(keys)
        return cls(
            starts,
            np.append(columns, 0),
            np.append(matches.chance[order], 0.0),
            np.append(n_before[begins[run]] - n_before[starts[row]], 0),
            np.append(n_before[begins[run + 1]] - n_before[begins[run]] - 1, 0),
            n_before,
            np.append(keys[place], NO_PAIR),
            np.append(place, -1),
            len(candidates.first),
        )

    def ranks(self, rows: Ints, columns: Ints) -> TruthRanks:
        """An unlisted candidate comes after the listed ones."""
        keys = pair_keys(rows, columns, self.n_columns)
        at = np.searchsorted(self.keys[:-1], keys)
        at = np.where(self.keys[at] == keys, self.place[at], -1)
        closer = np.where(at < 0, np.maximum(self.n_candidates(rows), 1), self.n_closer[at])
        return TruthRanks(closer, self.n_tied[at], self.chance[at])

    def best(self, rows: Ints, k: int) -> tuple[RankedMatches, Ints]:
        del k
        return self, rows

    def listed(self, rows: Ints) -> tuple[RankedMatches, Ints]:
        return self, rows

    def n_candidates(self, rows: Ints) -> Ints:
        """The number of candidates in the pairs of each row."""
        return self.n_before[self.starts[rows + 1]] - self.n_before[self.starts[rows]]


@dataclass(frozen=True, repr=False, eq=False)
class DenseProbabilities:
    """The probabilities of all pairs, as a matrix (`Matches`)."""

    chance: Matrix  # classes of records x classes of candidates; for each single candidate
    details: dict[str, Any]

    def ranked(self, n_rows: int, candidates: RecordClasses) -> DenseRanking:
        del n_rows
        return DenseRanking(self.chance, candidates)

    def listed_pairs(self, above: float) -> Iterator[tuple[Ints, Ints, Floats]]:
        step = max(1, PAIRS_AT_ONCE // self.chance.shape[1])
        for start in range(0, len(self.chance), step):
            block = self.chance[start : start + step]
            rows, columns = np.nonzero(block > above)
            yield start + rows, columns, block[rows, columns].astype(float)

    def times(self, factor: float) -> Self:
        return replace(self, chance=self.chance * self.chance.dtype.type(factor))


@dataclass(frozen=True, repr=False, eq=False)
class DenseRanking:
    """The candidates by rank, from a matrix: pairs are sorted when they are asked for."""

    chance: Matrix
    candidates: RecordClasses

    def __post_init__(self) -> None:
        prepare("ranks in a posterior", _rehearse)

    @property
    def tie(self) -> float:
        """The relative difference up to which probabilities tie."""
        return TIE if self.chance.dtype == np.float64 else TIE_32

    def ranks(self, rows: Ints, columns: Ints) -> TruthRanks:
        """An impossible candidate comes after the possible ones."""
        closer, tied = np.empty((2, len(rows)), np.int64)

        def work(start: int, stop: int) -> None:
            asked = self.candidates.size, rows, columns, self.tie
            rank(self.chance, *asked, closer, tied, start, stop)

        run_lines(work, len(rows), len(rows) * self.chance.shape[1])
        return TruthRanks(closer, tied, self.chance[rows, columns].astype(float))

    def best(self, rows: Ints, k: int) -> tuple[RankedMatches, Ints]:
        distinct, at = np.unique(rows, return_inverse=True)
        most = np.zeros((len(distinct), max(1, min(k, self.chance.shape[1]))))
        run_lines(
            lambda start, stop: largest(self.chance, distinct, most, start, stop),
            len(distinct),
            len(distinct) * self.chance.shape[1],
        )
        return self._above(distinct, most[:, -1] * (1 - self.tie)), at

    def listed(self, rows: Ints) -> tuple[RankedMatches, Ints]:
        distinct, at = np.unique(rows, return_inverse=True)
        least = 0.0 if self.chance.dtype == np.float64 else NEGLIGIBLE
        return self._above(distinct, np.full(len(distinct), least)), at

    def _above(self, rows: Ints, least: Floats) -> RankedMatches:
        """The pairs of these rows that are possible and at least so probable."""
        step = max(1, PAIRS_AT_ONCE // self.chance.shape[1])
        parts = [(rows[:0], rows[:0], np.zeros(0))]
        for start in range(0, len(rows), step):
            block = self.chance[rows[start : start + step]]
            row, column = np.nonzero((block > 0) & (block >= least[start : start + step, None]))
            parts.append((start + row, column, block[row, column].astype(float)))
        row, column, chance = (np.concatenate(part) for part in zip(*parts, strict=True))
        pairs = MatchProbabilities(row, column, chance, {})
        return RankedMatches.of(pairs, len(rows), self.candidates, self.tie)


def _rehearse() -> None:
    one = np.zeros(1, np.int64)
    for bits in (np.float32, np.float64):
        matrix = np.ones((1, 1), bits)
        rank(matrix, one + 1, one, one, TIE, one.copy(), one.copy(), 0, 1)
        largest(matrix, one, np.zeros((1, 1)), 0, 1)
