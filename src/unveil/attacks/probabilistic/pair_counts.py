"""The pairs that parameters are estimated from: all of them, or a sample that holds matches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.blocking import block_records
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.fellegi_sunter import start_of
from unveil.attacks.probabilistic.match_weights import metric_of
from unveil.engines.local.level_comparison import (
    count_equal,
    count_levels,
    count_pairs,
    level_totals,
)
from unveil.engines.local.level_patterns import LevelPatterns, key_words
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.table.row_identity import content_order
from unveil.values.links import ComparisonBlock

MOST_PAIRS, MOST_WIDE = 10**8, 10**7  # compared one by one; where patterns are very long
FEW_ATTRIBUTES = 12  # of so many, agreements are counted quicker than compared
NEAREST, OTHERS = 32, 1000  # candidates of a sampled record: the likeliest, and some more


@dataclass(frozen=True, repr=False, eq=False)
class CountedPairs:
    """Pairs by their comparison levels."""

    patterns: LevelPatterns
    u: Floats  # how all pairs are spread over the levels of each attribute
    pairs: int  # that are compared
    sampled: int = 0  # of how many the patterns are; 0: of all
    times: float = 1.0  # for how many pairs one that was counted stands

    @property
    def said(self) -> str:
        """What was counted, in words."""
        if not self.sampled:
            return f"all {self.pairs:,} pairs"
        return f"a sample of {self.sampled:,} of {self.pairs:,} pairs"


def count(
    files: LinkageFiles, comparisons: Sequence[AttributeComparison], sampled: int
) -> CountedPairs:
    """Count the pairs of people and released rows that are compared, or sample them."""
    own = replace(files, intruder_records=files.reference)
    if files.reference is not files.intruder_records:  # the blocks at hand are the strangers'
        own = replace(
            own, blocks=block_records(files.reference, files.release, files.blocks.columns)
        )
    reference = np.column_stack([one.reference for one in comparisons])
    released = np.column_stack([one.released for one in comparisons])
    ends = [one.tolerances for one in comparisons]
    blocks = own.blocks
    pairs = int(blocks.n_candidates(blocks.intruder, blocks.released).sum())
    most = MOST_PAIRS if len(key_words(ends)) == 1 else MOST_WIDE
    equality = all(one.equality for one in comparisons) and not blocks.has_missing
    if equality and (len(ends) <= FEW_ATTRIBUTES or pairs > most):
        found = count_equal(reference, released, (blocks.intruder, blocks.released))
        if found is not None:
            return CountedPairs(found, shares(found.totals(), found.first), pairs)
    if pairs <= most:
        found = count_levels(reference, released, ends, _parts(own))
        return CountedPairs(found, shares(found.totals(), found.first), pairs)
    return _sample(own, comparisons, pairs, sampled)


def shares(totals: Floats, first: Ints) -> Floats:
    """The share of each level; where no pair has any, all that is known is that none agrees."""
    found = [
        own / own.sum() if own.sum() > 0 else np.eye(len(own))[-1]
        for own in np.split(totals, first[1:-1])
    ]
    return np.concatenate(found)


def _parts(files: LinkageFiles) -> list[ComparisonBlock]:
    return files.blocks.comparison_blocks(
        files.blocks.intruder, files.blocks.released, np.arange(len(files.intruder_records))
    )


def _sample(
    files: LinkageFiles, comparisons: Sequence[AttributeComparison], pairs: int, sampled: int
) -> CountedPairs:
    """Some records, each with its likeliest candidates and, for all others, a few of them.

    True matches are one pair in as many as the larger file has records, so that pairs drawn
    blindly hold next to none. Each record drawn brings all its candidates: those that are
    likeliest by the start values as they are, the others by a sample that stands for them. So
    sums over all pairs are estimated without bias. Rows are put in the order of their contents
    first: who is drawn does not depend on where rows stand.
    """
    search = _by_content(files, comparisons)
    a, b = search.intruder_records.cells(), search.released.cells()
    asking, _ = search.files.queries_first(len(a), len(b))
    rng = stream(0, "probabilistic", "sample")
    records = np.sort(rng.choice(asking, min(sampled, asking), replace=False))
    near = search.nearest(records, NEAREST, None).rows
    listed, times = [], []
    for part in search.comparison_blocks(records):
        own, many = near[part.records], len(part.candidates)
        if not many:
            continue
        drawn = part.candidates[rng.integers(many, size=(len(own), OTHERS))]
        others = ~(drawn[:, :, None] == own[:, None, :]).any(axis=2)
        left = many - (own >= 0).sum(axis=1)
        stands_for = left / np.maximum(others.sum(axis=1), 1)
        for rows, kept, time in (
            (own, own >= 0, np.ones(len(own))),
            (drawn, others, stands_for),
        ):
            which, place = np.nonzero(kept)
            listed.append(np.column_stack([records[part.records[which]], rows[which, place]]))
            times.append(time[which])
    rows = np.concatenate(listed)
    if search.files.reverse:
        rows = rows[:, ::-1]
    ends = [one.tolerances for one in comparisons]
    found = count_pairs(a, b, ends, np.ascontiguousarray(rows), np.concatenate(times))
    # With missing cells in what parts them, blocks overlap, and their pairs are too many to list.
    exact = not files.blocks.has_missing
    totals = level_totals(a, b, ends, _parts(search.files)) if exact else found.totals()
    u = shares(totals, found.first)
    return CountedPairs(found, u, pairs, len(rows), pairs / found.pairs)


def _by_content(files: LinkageFiles, comparisons: Sequence[AttributeComparison]) -> NearestSearch:
    """A search by the start values, with the rows of both files in the order of their contents.

    The smaller file asks: nearly every one of its records has a match.
    """
    known = [*files.columns, *files.blocks.columns]
    intruder, released = (np.argsort(content_order(data.select(known))) for data in files.pair)
    blocks = files.blocks.take(intruder, released)
    ordered = replace(files, blocks=blocks, reverse=len(released) < len(intruder))
    a, b = (
        np.column_stack([getattr(one, whose) for one in comparisons])[order]
        for whose, order in (("reference", intruder), ("released", released))
    )
    ends = [one.tolerances for one in comparisons]
    first = np.cumsum([0, *(len(own) + 1 for own in ends)])
    start = start_of(shares(level_totals(a, b, ends, _everybody(a, b)), first), first, 0.5)
    metric = metric_of(comparisons, start.each(start.weights()), prorate=False)
    return NearestSearch(
        ordered, as_records(a), as_records(b), metric, tuple(one.column for one in comparisons)
    )


def _everybody(a: Floats, b: Floats) -> list[ComparisonBlock]:
    return [ComparisonBlock(np.arange(len(a)), np.arange(len(b)))]
