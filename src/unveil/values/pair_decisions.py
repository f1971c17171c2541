"""Decisions on pairs: linked, to be reviewed, or not linked; lists, reviews and charts of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import numpy as np
import polars as pl

from unveil.errors import UsageError
from unveil.support import display
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.checked_calls import checked_class
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.values.pair_table import ANSWER, CLASS, MOST_PAIRS, PAIR_COLUMNS
from unveil.values.results.pair_classes import PAIR_CLASSES, PairClass, PairClasses, WeightStep
from unveil.wording import count, fitted, listing

if TYPE_CHECKING:
    from unveil.values.links import Links

MOST_COMPARED = 2 * 10**10  # pairs that are weighed one by one to list some of them
REVIEWED = 200  # pairs of a review, if no number is given
CLERICAL: PairClass = "clerical"


class ClassifiedPairs(NamedTuple):
    """Pairs with their weight and class."""

    records: Ints  # rows of the intruder's file
    rows: Ints  # of the release
    weights: Floats  # in bits
    chance: Floats  # of a match
    classes: Ints  # places in PAIR_CLASSES

    def take(self, places: Ints | Bools) -> ClassifiedPairs:
        """Some of the pairs, in this order."""
        records, rows, weights, chance, classes = self
        return ClassifiedPairs(
            records[places], rows[places], weights[places], chance[places], classes[places]
        )


class PairDecider(Protocol):
    """An attack that classifies all pairs of two files; a finder has it as `pair_decisions`."""

    @property
    def pairs(self) -> int:
        """The number of compared pairs."""

    def classes(self) -> PairClasses:
        """All pairs by class, with the error rates."""

    def listed(self, wanted: Collection[int]) -> Iterator[ClassifiedPairs]:
        """The pairs of these classes, by their places in PAIR_CLASSES; some at a time."""

    def steps(self, record: int, row: int) -> tuple[WeightStep, ...]:
        """The parts of one pair's match weight."""


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class Decisions:
    """All pairs of two files as linked, clerical or non-linked, by two error rates.

    >>> import unveil
    >>> people = unveil.households(200, seed=7)
    >>> release = unveil.mask(people, [unveil.masks.Pram(theta=0.2)], seed=7)
    >>> attack = unveil.attacks.Probabilistic(p_link_unmatched=1e-4, p_nonlink_matched=0.05)
    >>> intruder = unveil.Intruder(knows=["region", "sex", "education", "occupation"])
    >>> links = unveil.attack(people, release, attack, intruder=intruder)
    >>> decisions = unveil.measures.decisions(links)
    >>> [one.name for one in decisions.classes.classes]
    ['linked', 'clerical', 'non-linked']
    >>> decisions.pairs(["linked"]).columns
    ['unique_id_l', 'unique_id_r', 'match_weight', 'match_probability', 'class']
    """

    links: Links
    decider: PairDecider = field(repr=False)

    def __repr__(self) -> str:
        sizes = (f"{one.pairs:,} {one.name}" for one in self.classes.classes)
        return fitted(f"Decisions({self.links.name}: {', '.join(sizes)})")

    _repr_html_ = display.html

    @cached_property
    def classes(self) -> PairClasses:
        """The pairs of each class, the thresholds, and both error rates with their intervals."""
        return self.decider.classes()

    def pairs(self, classes: Collection[PairClass] = ("linked", "clerical")) -> pl.DataFrame:
        """The pairs of these classes, the heaviest first, in the columns of splink.

        Left is the original, right the release, by row numbers from 1. The match weight is in bits;
        the match probability is that of the pair by itself, whatever other candidates there are.

        >>> import unveil
        >>> people = unveil.households(100, seed=7)
        >>> attack = unveil.attacks.Probabilistic(p_link_unmatched=1e-6, p_nonlink_matched=1e-3)
        >>> decisions = unveil.measures.decisions(unveil.attack(people, people, attack))
        >>> decisions.pairs(["linked"])["class"].unique().to_list()
        ['linked']
        """
        found = self._listed(classes)
        left, right, weight, chance = PAIR_COLUMNS
        names = pl.Series(CLASS, np.array(PAIR_CLASSES)[found.classes], dtype=pl.String)
        return pl.DataFrame(
            {
                left: self.links.origin[found.records] + 1,
                right: found.rows + 1,
                weight: found.weights,
                chance: found.chance,
                CLASS: names,
            }
        )

    def review(self, n: int = REVIEWED, *, show_values: bool = False) -> pl.DataFrame:
        """A table of clerical pairs to answer by yes or no, n of them drawn at random.

        Write it by :func:`unveil.write`, fill in the column `answer`, and give the file to
        `Probabilistic(answers=)`. The pairs are named by their rows. `show_values` adds the cells
        of the compared attributes, and makes the table as private as the original.

        >>> import unveil
        >>> people = unveil.households(100, seed=7)
        >>> attack = unveil.attacks.Probabilistic(p_link_unmatched=1e-6, p_nonlink_matched=1e-3)
        >>> decisions = unveil.measures.decisions(unveil.attack(people, people, attack))
        >>> decisions.review(10).columns[-1]
        'answer'
        """
        n = whole_number(n, "a review", 1, MOST_PAIRS)
        found = self._listed([CLERICAL])
        if len(found.rows) > n:
            rng = stream(self.links.seed, "attack", "review")
            chosen = np.sort(rng.choice(len(found.rows), n, replace=False))
            found = found.take(chosen)
        left, right, weight, chance = PAIR_COLUMNS
        columns = {
            left: pl.Series(self.links.origin[found.records] + 1),
            right: pl.Series(found.rows + 1),
            weight: pl.Series(found.weights),
            chance: pl.Series(found.chance),
        }
        for name in self.links.finder.columns if show_values else ():
            # A column unique_id, as splink's files have it, must not take the place of the rows.
            shown = f"{name}_cell" if f"{name}_l" in columns else name
            columns[f"{shown}_l"] = self.links.pair.original.column(name)[found.records]
            columns[f"{shown}_r"] = self.links.pair.release.column(name)[found.rows]
        columns[ANSWER] = pl.Series([None] * len(found.rows), dtype=pl.String)
        return pl.DataFrame(columns)

    def chart(self, name: str = "match-weights", pair: tuple[int, int] | None = None) -> Any:
        """An Altair chart: "match-weights", their distribution and both thresholds, or "waterfall".

        The waterfall leads from the prior to the final weight of one pair, a bar for each
        attribute. `pair` is its rows in the original and in the release, from 1; without it, the
        pattern of the most expected matches in review.
        """
        shown = self if pair is None else self.of_pair(*pair)
        return display.chart(shown, name)

    def of_pair(self, original: int, release: int) -> Decisions:
        """The same decisions with this pair, by rows from 1, as the example of the waterfall."""
        record = np.flatnonzero(self.links.origin == original - 1)
        released = len(self.links.pair.release)
        if not len(record):
            raise UsageError(
                f"pair: row {original:,} of the original is none of the "
                f"{count(len(self.links.origin), 'row')} that the attack compares, counted from 1"
            )
        if not 1 <= release <= released:
            raise UsageError(
                f"pair: row {release:,} of the release is out of range: it has "
                f"{count(released, 'row')}, counted from 1"
            )
        steps = self.decider.steps(int(record[0]), release - 1)
        shown = replace(self)
        vars(shown)["classes"] = msgspec.structs.replace(self.classes, example=steps)
        return shown

    def _listed(self, classes: Collection[PairClass]) -> ClassifiedPairs:
        """The pairs of these classes, whatever the order of the rows."""
        wrong = [one for one in classes if one not in PAIR_CLASSES]
        if isinstance(classes, str) or wrong or not len(classes):
            raise UsageError(f"classes: a list of some of {listing(PAIR_CLASSES)}")
        counted = {one.name: one.pairs for one in self.classes.classes}
        n_pairs = sum(counted[one] for one in classes)
        if n_pairs > MOST_PAIRS or self.decider.pairs > MOST_COMPARED:
            raise UsageError(
                f"{count(n_pairs, 'pair')} of {self.decider.pairs:,} are to be listed; at most "
                f"{MOST_PAIRS:,} are, of at most {MOST_COMPARED:,}: use blocks, or lower error "
                "rates"
            )
        batches = self.decider.listed([PAIR_CLASSES.index(one) for one in classes])
        parts = [*zip(*batches, strict=True)]
        found = ClassifiedPairs(*map(np.concatenate, parts))
        ranks = self.links.pair.release_order, self.links.pair.original_order
        by_content = ranks[0][found.rows], ranks[1][found.records]
        order = np.lexsort((*by_content, -found.weights))
        return found.take(order)
