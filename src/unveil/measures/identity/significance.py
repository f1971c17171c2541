"""Significance: whether chance explains the correct links of an attack."""

from collections import Counter
from math import floor
from typing import NamedTuple

import numpy as np

from unveil.measures.identity.chance import (
    baseline,
    permutation_law,
    random_links,
    random_matching,
    truth_weights,
    upper_tail,
)
from unveil.measures.identity.hits import hits
from unveil.support.arrays import Floats
from unveil.values.links import Links
from unveil.values.results.risk import LawOfChance

LEAST_BINOMIAL = 1000  # candidates from which on links are right as if independently
DRAWS, MOST_PERMUTED = 199, 5_000  # drawn truths; records for which truths are drawn


class Significance(NamedTuple):
    """A p-value, and the law of chance that it is from."""

    p_value: float
    law: LawOfChance


def p_value(links: Links, *, draws: int = DRAWS) -> float:
    """The probability of this number of correct links or more, if the attack knew nothing.

    It goes from 0 to 1. A small p-value, below 0.01 say, means that chance does not explain the
    correct links; it does not mean that they are many.

    It is exact if nothing ties and no two records share a true row: the probability for a random
    one-to-one matching by Proposition 4 of Torra and Nin, Record linkage for database integration
    using fuzzy integrals (2008); with blocks, of a matching in each. Otherwise, as with ties,
    truths are drawn at random, and it is never below 1 / (draws + 1). For more than 5,000 records,
    where that takes long, it is from the Poisson law with the baseline as its mean, whose variance
    is at least as large.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> p_value(links) < 0.01
    True
    """
    return significance(links, draws=draws).p_value


def significance(links: Links, *, draws: int = DRAWS) -> Significance:
    """The p-value of an attack, with the law of chance that it is from."""
    records, weights = truth_weights(links)
    if not len(records):
        return Significance(1.0, "matching")
    per_record = hits(links)
    expected = float(np.sort(per_record).sum())
    if np.isin(per_record, (0, 1)).all() and (weights == 1).all():  # nothing ties
        if (law := _matching_in_blocks(links)) is not None:
            return Significance(upper_tail(law, expected), "matching")
        sizes = np.unique(links.finder.n_candidates(records))
        if len(sizes) == 1 and sizes[0] >= LEAST_BINOMIAL:
            binomial = random_links(len(records), int(sizes[0]))
            return Significance(binomial.at_least(expected), "binomial")
    if len(records) <= MOST_PERMUTED:
        return Significance(permutation_law([links], draws=draws).at_least(expected), "drawn")
    from scipy.stats import poisson

    most = max(float(weights.max()), 1.0)  # that one link counts
    tail = poisson.sf(floor(expected / most + 1e-9) - 1, baseline(links) / most)
    return Significance(float(tail), "poisson")


def _matching_in_blocks(links: Links) -> Floats | None:
    """The law of the hits of a random one-to-one matching in each block; None: there is none."""
    records, rows, _ = links.true_links
    blocks = links.finder.comparison_blocks(records)
    listed = np.concatenate([block.candidates for block in blocks])
    several = len(np.unique(rows)) < len(rows)  # records with one true row: no matching has both
    overlap = len(blocks) > 1 and len(np.unique(listed)) < len(listed)
    if several or overlap or (len(blocks) > 1 and len(records) > MOST_PERMUTED):
        return None
    there = links.finder.compares(records, rows)  # blocks may separate a record from its row
    sizes = [(int(there[one.records].sum()), len(one.candidates)) for one in blocks]
    total = np.ones(1)
    for (matched, candidates), times in sorted(Counter(sizes).items()):
        if matched:
            alike = _repeated(random_matching(matched, candidates).probabilities, times)
            total = np.convolve(total, alike)
    return total


def _repeated(law: Floats, times: int) -> Floats:
    """The law of the sum of so many independent counts of one law."""
    if times == 1:
        return law
    half = _repeated(law, times // 2)
    both = np.convolve(half, half)
    return np.convolve(both, law) if times % 2 else both
