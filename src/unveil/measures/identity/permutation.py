"""The permutation law: the hits that an attack finds when the truth is drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.values.links import ComparisonBlock, Links

MOST_DRAWS = 10**6
AT_ONCE = 2_000_000  # records with a drawn truth in one search


@dataclass(frozen=True, repr=False, eq=False)
class DrawnLaw:
    """The hits that were found when the truth was drawn at random, again and again."""

    drawn: Floats  # ascending

    def at_least(self, hits: float) -> float:
        """The share of draws with so many hits or more, the one that is tested among them.

        >>> DrawnLaw(np.array([0.0, 1.0, 4.0])).at_least(2)
        0.5
        """
        # Hits are sums of fractions: equal ones may differ in their last digit.
        more = len(self.drawn) - np.searchsorted(self.drawn, hits - 1e-9)
        return float((1 + more) / (1 + len(self.drawn)))

    @property
    def mean(self) -> float:
        """The hits that chance alone can expect."""
        return float(self.drawn.mean())

    def __repr__(self) -> str:
        return f"DrawnLaw({len(self.drawn):,} draws)"


def permutation_law(attacks: Sequence[Links], *, draws: int = 999) -> DrawnLaw:
    """The law of the hits when every true row is one of its block's rows, drawn at random.

    It holds whatever ties, blocks and fractions there are. Of several attacks with the same
    records and the same truth it is the law of the best of them: what the worst of many attacks
    is to be held against. No two records of a block have the same true row, as long as there
    are enough.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> permutation_law([links], draws=9).at_least(50)
    0.1
    """
    draws = whole_number(draws, "draws", 1, MOST_DRAWS)
    if not attacks:
        raise UsageError("the law is one of at least one attack")
    one = attacks[0]
    if not (one.true_rows >= 0).any():
        raise UsageError("nobody's true row is among the candidates: there is nothing to draw")
    if any(
        other.candidates != one.candidates
        or not np.array_equal(other.records, one.records)
        or not np.array_equal(other.true_rows, one.true_rows)
        for other in attacks
    ):
        raise UsageError("the law of the best of several attacks is of the same records")
    records = one.records[one.true_rows >= 0]
    records = records[np.argsort(one.order.records[records])]  # wherever they stand
    lots = _Lots.of(one.finder.comparison_blocks(records), len(records), one.order.candidates)
    rng = stream(one.seed, "attack", "chance")
    many = max(1, AT_ONCE // max(len(records), 1))  # truths that are tried at a time
    found: list[Floats] = []
    for start in range(0, draws, many):
        truths = [lots.draw(rng) for _ in range(min(many, draws - start))]
        tried = np.concatenate(truths)
        asked = np.tile(records, len(truths))
        hits = []
        for links in attacks:
            each = links.finder.rank_of_truth(asked, tried, 1, None).hits
            hits.append(each.reshape(len(truths), -1).sum(axis=1))
        found.append(np.max(hits, axis=0))
    return DrawnLaw(np.sort(np.concatenate(found)))


@dataclass(frozen=True, repr=False, eq=False)
class _Lots:
    """The candidates of every part, one part after the other, from which truths are drawn."""

    candidates: Ints
    part: Ints  # of each candidate
    asking: Ints  # the records that have candidates, part after part
    start: Ints  # for each of these, where its candidates begin
    size: Ints  # and how many there are
    rank: Ints  # and its place among those that ask for them
    rivals: Ints  # and how many ask for them
    records: int

    @classmethod
    def of(cls, parts: Sequence[ComparisonBlock], records: int, order: Ints) -> _Lots:
        """Put parts in the order of their records, and candidates in that of their contents."""
        parts = sorted(
            (part for part in parts if len(part.candidates)),
            key=lambda part: int(part.records.min()),
        )
        sizes = np.array([len(part.candidates) for part in parts], np.int64)
        rivals = np.array([len(part.records) for part in parts], np.int64)
        each = np.repeat(np.arange(len(parts)), rivals)
        candidates = np.concatenate([np.zeros(0, np.int64), *(part.candidates for part in parts)])
        part = np.repeat(np.arange(len(parts)), sizes)
        return cls(
            candidates=candidates[np.lexsort((order[candidates], part))],
            part=part,
            asking=np.concatenate([np.zeros(0, np.int64), *(np.sort(p.records) for p in parts)]),
            start=(np.cumsum(sizes) - sizes)[each],
            size=sizes[each],
            rank=np.arange(len(each)) - (np.cumsum(rivals) - rivals)[each],
            rivals=rivals[each],
            records=records,
        )

    def draw(self, rng: np.random.Generator) -> Ints:
        """A true row for each record, none twice in a part as long as there are enough."""
        at = self.start + (rng.random(len(self.start)) * self.size).astype(np.int64)
        many = self.rivals > self.size / 2
        dealt = many & (self.rivals <= self.size)
        if dealt.any():  # where most are asked for, all are shuffled
            shuffled = np.lexsort((rng.random(len(self.part)), self.part))
            at[dealt] = shuffled[(self.start + self.rank)[dealt]]
        rest = np.flatnonzero(~many)
        taken = np.zeros(len(self.candidates), np.bool_)
        while len(rest):  # drawn again until none is drawn twice
            _, first = np.unique(at[rest], return_index=True)
            new = np.zeros(len(rest), np.bool_)
            new[first] = ~taken[at[rest[first]]]
            taken[at[rest[new]]] = True
            rest = rest[~new]
            at[rest] = self.start[rest] + (rng.random(len(rest)) * self.size[rest]).astype(np.int64)
        truth = np.full(self.records, -1)
        truth[self.asking] = self.candidates[at]
        return truth
