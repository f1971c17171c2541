"""What Armengol and Torra (2015) say in words, judged by what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.generalization.outcomes import OUTCOMES
from unveil.workflows.reproducing.generalization.results import (
    FAR,
    FEW,
    MANY,
    ORDERS,
    rising,
)  # fmt: skip
from unveil.workflows.reproducing.generalization.work import SIZES
from unveil.workflows.reproducing.verdicts import untestable, verdict_of
from unveil.workflows.reproducing.wording import listed

if TYPE_CHECKING:
    from unveil.workflows.reproducing.generalization.results import Results
    from unveil.workflows.reproducing.verdicts import Judged


def k_anonymous(results: Results) -> Judged:
    """Patterns overlap, so that what is left of one falls below K."""
    last = results.released()[-1]
    own = [results.release("disjoint (>,<)", k, "below") for k in results.released()]
    return verdict_of(not any(results.every("below"))), (
        "With a row for each record, its first pattern, so many rows are in groups below K: "
        f"{results.both('below')}; the smallest group has {min(results.every('smallest')):.0f}. "
        "With a row for each pattern, no row occurs K times. Patterns made disjoint keep it: "
        f"{listed(own, 0)} rows up to K = {last}."
    )


def supported(results: Results) -> Judged:
    """Of its own class."""
    enough = [results.of(row, k, "least support") >= k for row in ORDERS for k in SIZES]
    return verdict_of(*enough), f"The fewest records of a pattern: {results.both('least support')}."


def discarded(results: Results) -> Judged:
    """Some always are."""
    return verdict_of(min(results.every("rest")) > 0), (
        f"Records that satisfy no pattern: {results.both('rest')}. Together with stars "
        f"{results.both('lost', 1)} % of all cells are lost."
    )


def good(results: Results) -> Judged:
    """Near the original or not."""
    below = [gap for row in ORDERS for gap in results.gaps(row)]
    near = sum(gap < FAR for gap in below)
    return verdict_of(near > 0, near == len(below)), (
        f"In {near} of {len(below)} cells the tree is less than {FAR:.0f} points below the "
        f"original's on uci, and in the others up to {max(below):.1f}."
    )


def trade_off(results: Results) -> Judged:
    """With K, more is lost and less told."""
    lost = [rising(results.each(row, "lost")) for row in ORDERS]
    return verdict_of(*lost), (
        f"As K grows, so do the cells lost: {results.both('lost', 1)} %. Of {MANY} rows with one "
        f"salary in their group: {listed(results.each(MANY, 'one salary'))} %."
    )


def on_some(results: Results) -> Judged:
    """Without the country."""
    below = results.some("below")
    return verdict_of(below > 0), (
        f"With K = 5 on all attributes but the country, {results.some('below on some'):.0f} of "
        f"{results.some('n'):,.0f} rows are in groups below 5; for who knows it too, {below:,.0f}."
    )


def unknown(results: Results) -> Judged:
    """They are values; but who has them is rare."""
    share = results.of(MANY, 5, "unknown discarded")
    every_one = 100 * results.of(MANY, 5, "rest") / results.original("train")
    return verdict_of(share < 100), (
        f"All {results.original('unknown'):,.0f} records with unknown values take part. At K = 5 "
        f"{MANY} discards {share:.1f} % of them, and {every_one:.1f} % of all."
    )


def no_ontology(results: Results) -> Judged:
    """Values and stars only."""
    coarse = sum(results.every("coarse"))
    return verdict_of(not coarse), (
        "No hierarchy was declared. Cells of patterns that are neither a value of the file nor a "
        f"star: {coarse:.0f}."
    )


def single_out(results: Results) -> Judged:
    """Unique on the eight attributes."""
    alone, n = results.original("alone"), results.original("train")
    return verdict_of(alone > 0), (
        f"{alone:,.0f} of {n:,.0f} records are the only one with their eight values."
    )


def few_stars(results: Results) -> Judged:
    """None, one or two."""
    shares = np.array([results.several(row, k, "stars") for row in ORDERS for k in SIZES])
    return verdict_of(shares.shape[1] == 3, bool((shares[:, 0] == 0).all())), (
        f"No pattern has more than two. At K = 5 {MANY} has none in {shares[4, 0]:.1f} % of its "
        f"patterns, one in {shares[4, 1]:.1f} and two in {shares[4, 2]:.1f} %."
    )


def small_classes(results: Results) -> Judged:
    """There is none."""
    classes = listed(results.originals("classes"), 0)
    return untestable(f"There is none here: the two classes have {classes} records.")


def specific(results: Results) -> Judged:
    """Mean support, and stars."""
    fewer = [
        results.of(MANY, k, "mean support") < results.of(FEW, k, "mean support") for k in SIZES
    ]
    return verdict_of(*fewer), (
        f"A pattern has so many records on average: {results.both('mean support')}."
    )


def second_pass(results: Results) -> Judged:
    """It helps in one order."""
    left = {row: [results.left(row, k) for k in SIZES] for row in ORDERS}
    helps = [sum(first > last for first, last in left[row]) for row in ORDERS]
    return verdict_of(*(many == len(SIZES) for many in helps)), (
        f"The second pass of {MANY} leaves {listed([last for _, last in left[MANY]], 0)} of "
        f"{listed([first for first, _ in left[MANY]], 0)} records; that of {FEW} finds something "
        f"at {helps[0]} of {len(SIZES)} K."
    )


def overlap(results: Results) -> Judged:
    """Many do."""
    return verdict_of(min(results.every("in several")) > 0), (
        f"Of those who satisfy any, so many satisfy several: {results.both('in several', 1)} %."
    )


def lower_risk(results: Results) -> Judged:
    """Who knows which patterns fit knows more."""
    large = [results.of(row, k, "mean support") >= 2 * k for row in ORDERS for k in SIZES]
    return verdict_of(any(large), not any(results.every("in few"))), (
        f"In {sum(large)} of {len(large)} cells a pattern has 2K records or more on average. But "
        "overlaps also tell people apart: so many of those who satisfy any satisfy a set of "
        f"patterns that fewer than K satisfy: {results.both('in few', 1)} %."
    )


def data_set(results: Results) -> Judged:
    """As the files are."""
    train, test = results.original("train"), results.original("test")
    return verdict_of(train + test == 48842, train == 32561, test == 16281), (
        f"{train + test:,.0f}: {train:,.0f} and {test:,.0f}."
    )


def left_out(results: Results) -> Judged:
    """In the training file, or in both."""
    own, all_of = results.original("unknown"), results.original("unknown in both")
    return verdict_of(own <= 3000 <= all_of), (
        f"{own:,.0f} records of the training file have unknown values, {all_of:,.0f} of both."
    )


def long(results: Results) -> Judged:
    """The two halves of the sentence contradict each other."""
    rest, stars = results.some("long: rest"), results.of(MANY, 5, "rest")
    printed = float(results.printed("Table 2, rest", MANY, "K = 5"))
    nearer = abs(stars - printed) < abs(rest - printed)
    return verdict_of(not nearer, nearer), (
        "In Figure 4 long is the least length. With that at 2, patterns would have "
        f"{results.some('long: stars'):.1f} stars on average and {rest:.0f} records be left at K = "
        f"5. With at most two stars {stars:,.0f} are; the paper has {printed:,.0f}."
    )


JUDGES = (
    k_anonymous, supported, discarded, good, trade_off, on_some, unknown, no_ontology,
    single_out, few_stars, small_classes, specific, second_pass, overlap, lower_risk, data_set,
    left_out, long, *OUTCOMES,
)  # fmt: skip
