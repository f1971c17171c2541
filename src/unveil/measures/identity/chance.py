"""Chance: the laws of the number of hits of an intruder who knows nothing.

`random_matching` and `random_links` give it in closed form. `permutation_law` draws it for given
attacks, whatever ties and blocks they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isnan, log

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.values.links import ComparisonBlock, Links

MOST_RECORDS = 10**9
MOST_DRAWS = 10**6
DRAWN_AT_ONCE = 2_000_000  # records with a drawn truth in one search
UNDERFLOW = 760.0  # exp(-760) is 0 in 64 bits


@dataclass(frozen=True, eq=False)
class ChanceLaw:
    """The probability of each number of hits for an intruder who knows nothing.

    Numbers of hits beyond the last have a probability too small for 64 bits.
    """

    records: int  # that the intruder links
    candidates: int  # of each record
    probabilities: Floats  # of 0, 1, 2, ... hits

    def exactly(self, hits: int) -> float:
        """The probability of this number of hits."""
        return float(self.probabilities[hits]) if 0 <= hits < len(self.probabilities) else 0.0

    def at_least(self, hits: float) -> float:
        """The probability of this number of hits or more: the p-value of an attack.

        Shared ties make a fraction of a hit.
        """
        if isnan(hits):
            raise UsageError("hits: a number")
        return upper_tail(self.probabilities, hits)

    @property
    def mean(self) -> float:
        """The expected number of hits."""
        return self.records / self.candidates

    def __repr__(self) -> str:
        return f"ChanceLaw({self.records:,} records, {self.candidates:,} candidates)"


def upper_tail(probabilities: Floats, hits: float) -> float:
    """The probability of this number of hits or more, by those of 0, 1, 2, ... hits."""
    # From the smallest up, so that no digit of a small sum is lost.
    return min(float(probabilities[max(ceil(hits), 0) :][::-1].sum()), 1.0)


def random_matching(records: int, candidates: int) -> ChanceLaw:
    """The law of the hits when records are matched one-to-one with candidates at random.

    Every record's true candidate is there, and none is matched twice. The probability of
    exactly r hits for m records and n candidates is the sum over v of
    (-1)^v C(m, r) C(m - r, v) (n - r - v)! / n!. For m = n it is Proposition 4 of Torra and Nin,
    Record linkage for database integration using fuzzy integrals (2008).

    >>> random_matching(3, 3).probabilities.round(12).tolist()
    [0.333333333333, 0.5, 0.0, 0.166666666667]
    """
    m, n = _sizes(records, candidates)
    if m > n:
        raise UsageError("a one-to-one matching needs at least as many candidates as records")
    result, places = [], 1.0  # places: C(m, r) (n - r)! / n!, the rest being a short series
    for r in range(m + 1):
        result.append(places * _no_hit(m - r, n - r))
        places *= (m - r) / ((r + 1) * (n - r)) if r < m else 0.0
        if places == 0.0:
            break
    return ChanceLaw(m, n, np.array(result))


def _no_hit(m: int, n: int) -> float:
    """The probability that no record is right in a random matching of m records, n candidates."""
    total, term = 0.0, 1.0
    for v in range(m + 1):
        total += term
        # Each term is at most 1 / v! in size, so few are needed and few digits cancel.
        term *= -(m - v) / ((v + 1) * (n - v)) if v < m else 0.0
        if abs(term) < 1e-18:
            break
    return total


def random_links(records: int, candidates: int) -> ChanceLaw:
    """The law of the hits when each record is linked at random, independently of the others.

    It is binomial. Several records may be linked with one candidate, as when each takes
    its nearest.

    >>> random_links(2, 4).probabilities.tolist()
    [0.5625, 0.375, 0.0625]
    """
    from scipy.stats import binom

    m, n = _sizes(records, candidates)
    mean = m / n
    most = 64.0 + mean
    while most < m and most * log(most / mean) - most + mean < UNDERFLOW:  # Chernoff's bound
        most = 1.2 * most + 1
    most = min(m, int(most))
    law = binom.pmf(np.arange(most + 1), m, 1 / n)
    return ChanceLaw(m, n, np.trim_zeros(law, "b"))


def _sizes(records: int, candidates: int) -> tuple[int, int]:
    return (
        whole_number(records, "records", 1, MOST_RECORDS),
        whole_number(candidates, "candidates", 1, MOST_RECORDS),
    )


@dataclass(frozen=True, repr=False, eq=False)
class DrawnLaw:
    """The hits of an attack when the truth is drawn at random, in many draws."""

    hits: Floats  # of each draw, ascending

    def at_least(self, hits: float) -> float:
        """The share of draws with this number of hits or more, the tested one among them."""
        # Hits are sums of fractions: equal ones may differ in their last digit.
        more = len(self.hits) - np.searchsorted(self.hits, hits - 1e-9)
        return float((1 + more) / (1 + len(self.hits)))

    @property
    def mean(self) -> float:
        """The expected number of hits."""
        return float(self.hits.mean())

    def __repr__(self) -> str:
        return f"DrawnLaw({len(self.hits):,} draws)"


def permutation_law(attacks: Sequence[Links], *, draws: int = 999) -> DrawnLaw:
    """The law of the hits when each record's true row is drawn at random from its block.

    It is valid for all ties, blocks and fractions. For several attacks on the same records with
    the same truth, it is the law of the best attack: the baseline of the worst case. No two
    records of a block get the same true row, as long as there are enough.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> permutation_law([links], draws=9).at_least(50)
    0.1
    """
    draws = whole_number(draws, "draws", 1, MOST_DRAWS)
    if not attacks:
        raise UsageError("attacks: at least one")
    first = attacks[0]
    if not (first.true_rows >= 0).any():
        raise UsageError("no record's true row is among the candidates: there is nothing to draw")
    if any(
        other.candidates != first.candidates
        or not np.array_equal(other.records, first.records)
        or not np.array_equal(other.true_rows, first.true_rows)
        for other in attacks
    ):
        raise UsageError("attacks: all of the same records, with the same truth")
    records, weights = truth_weights(first)
    in_order = np.argsort(first.order.records[records])  # row order has no effect
    records, weights = records[in_order], weights[in_order]
    lots = TruthLottery.of(
        first.finder.comparison_blocks(records), len(records), first.order.candidates
    )
    rng = stream(first.seed, "attack", "chance")
    at_once = max(1, DRAWN_AT_ONCE // max(len(records), 1))
    best: list[Floats] = []
    for start in range(0, draws, at_once):
        truths = [lots.draw(rng) for _ in range(min(at_once, draws - start))]
        tried, queries = np.concatenate(truths), np.tile(records, len(truths))
        hits = []
        for links in attacks:
            per_record = links.finder.rank_of_truth(queries, tried, 1, None).hits
            hits.append((per_record.reshape(len(truths), -1) * weights).sum(axis=1))
        best.append(np.max(hits, axis=0))
    return DrawnLaw(np.sort(np.concatenate(best)))


def truth_weights(links: Links) -> tuple[Ints, Floats]:
    """The records that have a true row, and what links to all true rows of each count."""
    true = links.true_links
    records, place = np.unique(true.records, return_inverse=True)
    return records, np.asarray(np.bincount(place, true.counts), np.float64)


@dataclass(frozen=True, repr=False, eq=False)
class TruthLottery:
    """The candidates of all blocks, block after block, from which truths are drawn."""

    candidates: Ints
    block: Ints  # of each candidate
    records: Ints  # those that have candidates, block after block
    start: Ints  # for each of these records, where its block's candidates begin,
    size: Ints  # how many candidates there are,
    rank: Ints  # its place among the records of the block,
    rivals: Ints  # and how many records the block has
    n_records: int  # all, also those without candidates

    @classmethod
    def of(cls, blocks: Sequence[ComparisonBlock], n_records: int, order: Ints) -> TruthLottery:
        """Sort blocks by their records, and candidates by their contents (`order`)."""
        blocks = sorted(
            (block for block in blocks if len(block.candidates)),
            key=lambda block: int(block.records.min()),
        )
        sizes = np.array([len(block.candidates) for block in blocks], np.int64)
        rivals = np.array([len(block.records) for block in blocks], np.int64)
        block_of_record = np.repeat(np.arange(len(blocks)), rivals)
        block_of_candidate = np.repeat(np.arange(len(blocks)), sizes)
        none = np.zeros(0, np.int64)
        candidates = np.concatenate([none, *(block.candidates for block in blocks)])
        return cls(
            candidates=candidates[np.lexsort((order[candidates], block_of_candidate))],
            block=block_of_candidate,
            records=np.concatenate([none, *(np.sort(block.records) for block in blocks)]),
            start=(np.cumsum(sizes) - sizes)[block_of_record],
            size=sizes[block_of_record],
            rank=np.arange(len(block_of_record)) - (np.cumsum(rivals) - rivals)[block_of_record],
            rivals=rivals[block_of_record],
            n_records=n_records,
        )

    def draw(self, rng: np.random.Generator) -> Ints:
        """A true row for each record, none twice in a block as long as there are enough."""
        at = self.start + (rng.random(len(self.start)) * self.size).astype(np.int64)
        crowded = self.rivals > self.size / 2
        dealt = crowded & (self.rivals <= self.size)
        if dealt.any():  # where most candidates are needed, all are shuffled
            shuffled = np.lexsort((rng.random(len(self.block)), self.block))
            at[dealt] = shuffled[(self.start + self.rank)[dealt]]
        rest = np.flatnonzero(~crowded)
        taken = np.zeros(len(self.candidates), np.bool_)
        while len(rest):  # drawn again until none is drawn twice
            _, first = np.unique(at[rest], return_index=True)
            new = np.zeros(len(rest), np.bool_)
            new[first] = ~taken[at[rest[first]]]
            taken[at[rest[new]]] = True
            rest = rest[~new]
            at[rest] = self.start[rest] + (rng.random(len(rest)) * self.size[rest]).astype(np.int64)
        truth = np.full(self.n_records, -1)
        truth[self.records] = self.candidates[at]
        return truth


def baseline(links: Links) -> float:
    """The expected correct links of an intruder who picks rows at random.

    It is what an attack has to beat. If there are as many people as released rows it is 1, whatever
    their number; blocking, which compares each record with the rows of its block only, raises it.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> baseline(unveil.attack(people, people, unveil.attacks.Distance(), truth="person"))
    1.0
    """
    records, rows, counts = links.true_links
    compared = links.finder.compares(records, rows)
    return sum_of_quotients(counts[compared], links.finder.n_candidates(records)[compared])


def sum_of_quotients(counts: Floats, sizes: Ints) -> float:
    """The sum of count / size, each size at once, so that whole numbers stay whole."""
    distinct, place = np.unique(sizes, return_inverse=True)
    return float((np.bincount(place, counts, len(distinct)) / distinct).sum())
