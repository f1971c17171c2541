"""The pairs that parameters are estimated from: all pairs, or a sample that contains matches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.blocking import block_records
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.fellegi_sunter import initial_model
from unveil.attacks.probabilistic.level_counts import (
    count_equal,
    count_levels,
    count_pairs,
    level_totals,
)
from unveil.attacks.probabilistic.level_patterns import LevelPatterns, key_words
from unveil.attacks.probabilistic.match_weights import weight_metric
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.table.row_identity import content_order
from unveil.values.links import ComparisonBlock

MOST_PAIRS, MOST_WIDE_PAIRS = 10**8, 10**7  # compared one by one; where patterns are very long
FEW_ATTRIBUTES = 12  # up to which equalities are counted faster than compared
SAMPLED_NEAREST, SAMPLED_OTHERS = 32, 1000  # candidates of a sampled record


@dataclass(frozen=True, repr=False, eq=False)
class CountedPairs:
    """Pairs by their comparison levels."""

    patterns: LevelPatterns
    u: Floats  # the distribution of all pairs over the levels of each attribute
    pairs: int  # that are compared
    sampled: int = 0  # pairs in the patterns; 0 for all
    pairs_each: float = 1.0  # that a counted pair represents

    @property
    def description(self) -> str:
        """The counted pairs, in words."""
        if not self.sampled:
            return f"all {self.pairs:,} pairs"
        return f"a sample of {self.sampled:,} of {self.pairs:,} pairs"


def count_comparisons(
    files: LinkageFiles, comparisons: Sequence[AttributeComparison], sampled: int
) -> CountedPairs:
    """Count the comparison levels of reference records and released rows, or sample the pairs."""
    own = replace(files, intruder_records=files.reference)
    if files.links_strangers:  # the blocks at hand are the strangers'
        blocks = block_records(files.reference, files.release, files.blocks.columns)
        own = replace(own, blocks=blocks)
    blocks = own.blocks
    reference, released = _cells(comparisons)
    ends, gaps = [one.tolerances for one in comparisons], [one.pairs for one in comparisons]
    every = np.arange(len(reference))
    pairs = int(blocks.between.n_candidates(every).sum())
    most = MOST_PAIRS if len(key_words(ends)) == 1 else MOST_WIDE_PAIRS
    equality = all(one.equality for one in comparisons) and not blocks.between.has_missing
    if equality and (len(ends) <= FEW_ATTRIBUTES or pairs > most):
        numbers = blocks.intruder, blocks.released
        patterns = count_equal(reference, released, numbers, files.engine)
        if patterns is not None:
            return CountedPairs(patterns, level_shares(patterns.totals(), patterns.first), pairs)
    if pairs > most:
        return _sample(own, comparisons, pairs, sampled)
    patterns = count_levels(reference, released, ends, _all_blocks(own), gaps)
    return CountedPairs(patterns, level_shares(patterns.totals(), patterns.first), pairs)


def level_shares(totals: Floats, first: Ints) -> Floats:
    """The share of each level of an attribute; if no pair has any, none agrees."""
    shares = [
        own / own.sum() if own.sum() > 0 else np.eye(len(own))[-1]
        for own in np.split(totals, first[1:-1])
    ]
    return np.concatenate(shares)


def _cells(comparisons: Sequence[AttributeComparison]) -> tuple[Floats, Floats]:
    reference = np.column_stack([one.reference for one in comparisons])
    return reference, np.column_stack([one.released for one in comparisons])


def _all_blocks(files: LinkageFiles) -> list[ComparisonBlock]:
    return files.blocks.between.comparison_blocks(np.arange(len(files.intruder_records)))


def _sample(
    files: LinkageFiles, comparisons: Sequence[AttributeComparison], pairs: int, sampled: int
) -> CountedPairs:
    """The pairs of some records: their most probable candidates, and a sample of the others.

    Matches are one pair in as many as the larger file has records, so a simple sample of pairs
    would contain almost none. A sampled candidate represents all other candidates of its record,
    so that sums over all pairs are estimated without bias. Rows are first sorted by content: the
    sample does not depend on the row order.
    """
    search = _search_by_content(files, comparisons)
    a, b = search.intruder_records.cells(), search.released.cells()
    queries, _ = search.files.queries_first(len(a), len(b))
    rng = stream(0, "probabilistic", "sample")
    records = np.sort(rng.choice(queries, min(sampled, queries), replace=False))
    near = search.nearest(records, SAMPLED_NEAREST, None).rows
    listed, pairs_each = [], []
    for block in search.comparison_blocks(records):
        own, size = near[block.records], len(block.candidates)
        if not size:
            continue
        drawn = block.candidates[rng.integers(size, size=(len(own), SAMPLED_OTHERS))]
        others = ~(drawn[:, :, None] == own[:, None, :]).any(axis=2)
        left = size - (own >= 0).sum(axis=1)
        represents = left / np.maximum(others.sum(axis=1), 1)
        for rows, kept, each in ((own, own >= 0, np.ones(len(own))), (drawn, others, represents)):
            which, place = np.nonzero(kept)
            listed.append(np.column_stack([records[block.records[which]], rows[which, place]]))
            pairs_each.append(each[which])
    rows = np.concatenate(listed)
    if search.files.reverse:
        rows = rows[:, ::-1]
    ends, gaps = [one.tolerances for one in comparisons], [one.pairs for one in comparisons]
    listed_rows = np.ascontiguousarray(rows)
    patterns = count_pairs(a, b, ends, listed_rows, np.concatenate(pairs_each), gaps)
    # Blocks with missing cells overlap, and their pairs are too many to list.
    exact = not files.blocks.between.has_missing
    blocks = _all_blocks(search.files) if exact else []
    totals = level_totals(a, b, ends, blocks, gaps) if exact else patterns.totals()
    u = level_shares(totals, patterns.first)
    return CountedPairs(patterns, u, pairs, len(rows), pairs / patterns.pairs)


def _search_by_content(
    files: LinkageFiles, comparisons: Sequence[AttributeComparison]
) -> NearestSearch:
    """A search by the initial weights, with the rows of both files sorted by content.

    The records of the smaller file are the queries: nearly every one has a match.
    """
    known = dict.fromkeys([*files.columns, *files.blocks.attributes])
    orders = [np.argsort(content_order(data.select([*known]))) for data in files.pair]
    ordered = replace(
        files, blocks=files.blocks.take(*orders), reverse=len(orders[1]) < len(orders[0])
    )
    a, b = (side[order] for side, order in zip(_cells(comparisons), orders, strict=True))
    ends, gaps = [one.tolerances for one in comparisons], [one.pairs for one in comparisons]
    first = np.cumsum([0, *(len(own) + 1 for own in ends)])
    everybody = [ComparisonBlock(np.arange(len(a)), np.arange(len(b)))]
    totals = level_totals(a, b, ends, everybody, gaps)
    start = initial_model(level_shares(totals, first), first, 0.5)
    metric = weight_metric(comparisons, start.by_attribute(start.weights()), prorate=False)
    metric = metric.reversed if ordered.reverse else metric
    columns = tuple(one.column for one in comparisons)
    return NearestSearch(ordered, as_records(a), as_records(b), metric, columns)
