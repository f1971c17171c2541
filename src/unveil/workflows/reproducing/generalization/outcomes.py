"""What Armengol and Torra (2015) say in words of their experiments, judged by what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.generalization.results import (
    FAR,
    FEW,
    MANY,
    NEAR,
    ORDERS,
    ORIGINAL,
    WITHIN,
    rising,
)  # fmt: skip
from unveil.workflows.reproducing.generalization.work import FIRST, SAMPLED, SIZES
from unveil.workflows.reproducing.verdicts import untestable, verdict_of
from unveil.workflows.reproducing.wording import listed, span

if TYPE_CHECKING:
    from unveil.workflows.reproducing.generalization.results import Results
    from unveil.workflows.reproducing.verdicts import Judged


def around(results: Results) -> Judged:
    """Within 4 %, as Table 2."""
    rest = [results.of(row, 5, "rest") for row in ORDERS]
    near = [any(abs(one - said) <= WITHIN * said for one in rest) for said in (2500, 3300)]
    return verdict_of(*near), f"{FEW} discards {rest[0]:,.0f}, {MANY} {rest[1]:,.0f}."


def growing(results: Results) -> Judged:
    """In both combinations."""
    grows = [rising(results.each(row, "rest")) for row in ORDERS]
    return verdict_of(*grows), f"Records that satisfy no pattern: {results.both('rest')}."


def seven_to_thirty(results: Results) -> Judged:
    """Within two points."""
    share = {
        k: [100 * results.of(row, k, "rest") / results.original("train") for row in ORDERS]
        for k in (5, 30)
    }
    near = [any(abs(one - said) < 2 for one in share[k]) for k, said in ((5, 7), (30, 30))]
    return verdict_of(*near), (
        f"At K = 5 {listed(share[5])} %, at K = 30 {listed(share[30])} % ({FEW}, {MANY})."
    )


def crossed(results: Results) -> Judged:
    """Another figure than that of records."""
    apart = np.abs(np.subtract(results.every("crossed"), results.every("uci")))
    return verdict_of(bool(apart.max() > NEAR)), (
        f"Tenfold on the patterns it gives {results.both('crossed', 1)} %; on the records of uci "
        f"the trees are right for {results.both('uci', 1)} %."
    )


def size_of_sample(results: Results) -> Judged:
    """Both fit."""
    share, n = results.original("DB") / 100, results.original("train")
    away = 100 * share - float(results.printed("Table 1, S1", ORIGINAL, "K = 5"))
    errors = [
        away / (100 * np.sqrt(share * (1 - share) * (1 / size - 1 / n)))
        for size in (SAMPLED, 16000)
    ]
    return untestable(
        "They contradict each other, and both fit. The original's tree is right for "
        f"{100 * share:.2f} % of all; what is printed for S1 is {listed(errors)} standard errors "
        f"below that with {SAMPLED:,} records and with 16,000."
    )


def caption(results: Results) -> Judged:
    """The figures are those of the test set."""
    uci, train = results.original("uci"), results.original("DB")
    printed = results.theirs(ORIGINAL, 5)
    return verdict_of(abs(train - printed) < abs(uci - printed)), (
        f"The original's tree is right for {uci:.2f} % of the test set and {train:.2f} % of the "
        f"training set. For uci {printed:.2f} is printed: it is the test set, as the text says."
    )


def more_accurate(results: Results) -> Judged:
    """On uci."""
    above = [results.of(MANY, k, "uci") > results.of(FEW, k, "uci") for k in SIZES]
    return verdict_of(*above[:-1], not above[-1]), f"On uci: {results.both('uci', 2)} %."


def unexplained(results: Results) -> Judged:
    """Pruning explains ours."""
    leaves, uci, unpruned, weighted, many = (
        results.of(MANY, 30, figure)
        for figure in ("leaves", "uci", "unpruned", "by support", "patterns")
    )
    explained = leaves == 1 and min(unpruned, weighted) > uci + FAR
    theirs, commoner = results.theirs(MANY, 30), results.original("commoner")
    return verdict_of(not explained, theirs < commoner), (
        f"For ours there is one: {many:,.0f} rows are so few that pruning leaves {leaves:.0f} "
        f"leaf, right for {uci:.2f} % of uci. Not pruned the tree is right for {unpruned:.2f} %, "
        f"with patterns weighted by their records for {weighted:.2f} %. Leaves at every K: "
        f"{results.both('leaves')}. Theirs is right for {theirs:.2f} %, which is less than the "
        "commoner salary is, so it was no single leaf."
    )


def similar(results: Results) -> Judged:
    """By the share of patterns with two stars."""
    two = {row: [results.several(row, k, "stars")[2] for k in SIZES] for row in ORDERS}
    return verdict_of(*(many < few for many, few in zip(two[MANY], two[FEW], strict=True))), (
        f"Patterns that need two stars: {MANY} {listed(two[MANY])} %, {FEW} {listed(two[FEW])} %."
    )


def different(results: Results) -> Judged:
    """At the first split."""
    few, many = results.originals("alike")
    return verdict_of(many - few > NEAR), (
        f"At the first split two records of a set agree in another attribute in {few:.1f} % by "
        f"{FIRST[0]} (the fewest values), and in {many:.1f} % by {FIRST[1]} (the most). "
        "Overfitting was not measured in the paper."
    )


def at_twenty(results: Results) -> Judged:
    """As near as the paper's own figures are, or nearer."""
    theirs = {row: results.theirs(ORIGINAL, 20) - results.theirs(row, 20) for row in ORDERS}
    ours = {row: results.gaps(row)[SIZES.index(20)] for row in ORDERS}
    return verdict_of(*(ours[row] <= theirs[row] for row in ORDERS)), (
        f"On uci {FEW} is {ours[FEW]:.2f} and {MANY} {ours[MANY]:.2f} points below the original, "
        f"in the paper {theirs[FEW]:.2f} and {theirs[MANY]:.2f}."
    )


def best(results: Results) -> Judged:
    """Of each combination, on uci."""
    at = {row: SIZES[int(np.argmax(results.each(row, "uci")))] for row in ORDERS}
    own = {row: SIZES[int(np.argmax([results.theirs(row, k) for k in SIZES]))] for row in ORDERS}
    many = [results.of(row, 20, "rest") > 7000 for row in ORDERS]
    return verdict_of(all(many), *(k == 20 for k in at.values())), (
        f"{listed([results.of(row, 20, 'rest') for row in ORDERS], 0)} records are discarded. On "
        f"uci {FEW} is best at K = {at[FEW]} and {MANY} at K = {at[MANY]}; by the paper's own "
        f"Table 1 at K = {own[FEW]} and K = {own[MANY]}."
    )


def fewer_records(results: Results) -> Judged:
    """The same records with all their cells, at K = 20."""
    below = [results.gaps(row, "kept")[SIZES.index(20)] for row in ORDERS]
    return verdict_of(*(gap < NEAR for gap in below)), (
        "At K = 20 trees of the original rows of those who satisfy a pattern are "
        f"{listed(below, 2)} points below that of all, on uci."
    )


def outliers(results: Results) -> Judged:
    """There are; but nothing is gained without them."""
    gain = -min(gap for row in ORDERS for gap in results.gaps(row, "kept"))
    alone = results.original("alone") / results.original("train")
    return verdict_of(alone > 0.1, gain > 0.3), (
        f"{100 * alone:.1f} % of the records are the only one of their kind. But trees of the "
        f"original rows of those who satisfy a pattern gain {gain:.2f} points at most; a share of "
        f"uci has a standard error of 0.3. They are right for {results.both('kept', 2)} %, that of "
        f"all for {results.original('uci'):.2f} %."
    )


def fewer_discards(results: Results) -> Judged:
    """At each K."""
    fewer = [results.of(MANY, k, "rest") < results.of(FEW, k, "rest") for k in SIZES]
    return verdict_of(*fewer), (
        f"It does at {sum(fewer)} of {len(SIZES)} K. Discarded: {results.both('rest')}."
    )


def partitioning(results: Results) -> Judged:
    """Fewer patterns, and fewer discards."""
    more = [results.of(FEW, k, "patterns") > results.of(MANY, k, "patterns") for k in SIZES]
    discards = [results.of(FEW, k, "rest") > results.of(MANY, k, "rest") for k in SIZES]
    return verdict_of(all(more), all(discards)), (
        f"It makes fewer patterns ({results.both('patterns')}) and discards fewer records."
    )


def thousand(results: Results) -> Judged:
    """Distinct ones."""
    ours = [results.of(MANY, k, "patterns") for k in (20, 30)]
    ways = [results.listed(MANY, k) for k in (20, 30)]
    printed = [results.printed("Table 2, patterns", MANY, f"K = {k}") for k in (20, 30)]
    return verdict_of(*(many < 1000 for many in ours)), (
        f"{listed(ours, 0)} are distinct, and with one for each way on which it is found "
        f"{listed(ways, 0)}. Table 2 has {' and '.join(printed)}, which contradicts the text."
    )


def of_few_patterns(results: Results) -> Judged:
    """At 20 and 30."""
    below = results.gaps(MANY)[2:]
    theirs = [results.theirs(ORIGINAL, k) - results.theirs(MANY, k) for k in (20, 30)]
    return verdict_of(*(gap < NEAR for gap in below)), (
        f"On uci they are {listed(below, 2)} points below the original's at K = 20 and 30; in the "
        f"paper {listed(theirs, 2)}."
    )


def not_general(results: Results) -> Judged:
    """Two stars at most, but many records gone."""
    lost, last = results.every("lost"), results.released()[-1]
    names = ("disjoint (>,<)", "Mondrian, stars")
    beside = {name: [results.release(name, k, "lost") for k in (5, last)] for name in names}
    return verdict_of(len(results.several(MANY, 5, "stars")) == 3, max(lost) < 25), (
        f"No pattern has more than two stars of eight. With the discarded records {span(lost, 0)} "
        f"% of all cells are lost; by disjoint groups {listed(beside[names[0]], 0)} %, by Mondrian "
        f"with stars {listed(beside[names[1]], 0)} % (K = 5 and {last})."
    )


def rejecting(results: Results) -> Judged:
    """The same records with all their cells."""
    below = [gap for row in ORDERS for gap in results.gaps(row, "kept")]
    hit, groups = results.several(MANY, 30, "uneven")
    return verdict_of(max(below) < NEAR), (
        f"Trees of the original rows that are left are at most {max(below):.2f} points below that "
        f"of all, on uci. Accuracy does not show whom it falls on: at K = 30 {MANY} discards more "
        f"than chance explains of {hit:.0f} of {groups:.0f} groups by race and country."
    )


OUTCOMES = (
    around, growing, seven_to_thirty, crossed, size_of_sample, caption, more_accurate, unexplained,
    similar, different, at_twenty, best, fewer_records, outliers, fewer_discards, partitioning,
    thousand, of_few_patterns, not_general, rejecting,
)  # fmt: skip
