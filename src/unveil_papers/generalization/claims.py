"""What Armengol and Torra (2015) say in words, judged by what was found."""

import numpy as np

from unveil_papers.framework.verdicts import Judged, listed, untestable, verdict_of
from unveil_papers.generalization.results import (
    FAR,
    FEW,
    MANY,
    ORDERS,
    REST,
    WITHIN,
    GeneralizationResults,
    falling,
    rising,
)  # fmt: skip
from unveil_papers.generalization.sets import DISJOINT
from unveil_papers.generalization.work import SIZES

AROUND = 0.2  # of a number that is called so


def k_anonymous(results: GeneralizationResults) -> Judged:
    last = results.released()[-1]
    own = [results.release(DISJOINT, k, "below") for k in results.released()]
    return verdict_of(not any(results.every("below"))), (
        "With a row for each record, its first pattern, so many rows are in groups below K: "
        f"{results.pair('below')}; the smallest group has {min(results.every('smallest')):.0f}. "
        "With a row for each pattern, no row occurs K times. Patterns made disjoint keep it: "
        f"{listed(own, 0)} rows up to K = {last}."
    )


def supported(results: GeneralizationResults) -> Judged:
    enough = [results.of(row, k, "least support") >= k for row in ORDERS for k in SIZES]
    return verdict_of(*enough), f"The fewest records of a pattern: {results.pair('least support')}."


def discarded(results: GeneralizationResults) -> Judged:
    return verdict_of(min(results.every("rest")) > 0), (
        f"Records that satisfy no pattern: {results.pair('rest')}. Together with stars "
        f"{results.pair('lost', 1)} % of all cells are lost."
    )


def good(results: GeneralizationResults) -> Judged:
    below = [gap for row in ORDERS for gap in results.gaps(row)]
    near = sum(gap < FAR for gap in below)
    return verdict_of(near > 0, near == len(below)), (
        f"In {near} of {len(below)} cells the tree is less than {FAR:.0f} points below the "
        f"original's on uci, and in the others up to {max(below):.1f}."
    )


def trade_off(results: GeneralizationResults) -> Judged:
    lost = [rising(results.by_size(row, "lost")) for row in ORDERS]
    safer = [falling(results.by_size(row, "one salary")) for row in ORDERS]
    return verdict_of(*lost, *safer), (
        f"As K grows, so do the cells lost: {results.pair('lost', 1)} %. Rows with one salary in "
        f"their group: {results.pair('one salary', 1)} %."
    )


def true(results: GeneralizationResults) -> Judged:
    untrue = sum(results.every("untrue"))
    hit, groups = results.series(MANY, 30, "uneven")
    return verdict_of(not untrue), (
        f"By definition: with a row for each record, {untrue:.0f} cells tell another value than "
        f"the record's. But discards change shares: at K = 30 {MANY} discards more than chance "
        f"explains of {hit:.0f} of {groups:.0f} groups by race and country."
    )


def of_identity(results: GeneralizationResults) -> Judged:
    first = results.released()[0]
    share = results.release(DISJOINT, first, "one salary")
    return untestable(
        "These are definitions, and no file is made by differential privacy here. A "
        f"{first}-anonymous file does not hide attributes: {share:.1f} % of its rows are in groups "
        "with one salary (patterns made disjoint)."
    )


def avoided(results: GeneralizationResults) -> Judged:
    sizes = results.released()
    linked = [results.linked(k, "linked") for k in sizes]
    most = [results.linked(k, "released") / k for k in sizes]
    bounded = [one <= bound for one, bound in zip(linked, most, strict=True)]
    return verdict_of(all(bounded), not any(linked)), (
        f"It is bounded: of a file of disjoint patterns, for K = {listed(sizes, 0)}, "
        f"{listed(linked, 0)} people are expected to be linked whose eight values are known; K "
        f"allows {listed(most, 0)}."
    )


def on_some(results: GeneralizationResults) -> Judged:
    below = results.some("below")
    return verdict_of(below > 0), (
        f"With K = 5 on all attributes but the country, {results.some('below on some'):.0f} of "
        f"{results.some('n'):,.0f} rows are in groups below 5; for who knows it too, {below:,.0f}."
    )


def others(results: GeneralizationResults) -> Judged:
    name = "Mondrian, stars"
    gone = [results.release(name, k, "discarded") for k in results.released()]
    return verdict_of(any(gone)), (
        "Mondrian is one that the paper names. By definition, as it is here, it needs no ontology "
        "(what differs in a group is a star), and an unknown value is a value; of all records, "
        f"with unknown values or without, it leaves out {listed(gone, 0)}, up to K = "
        f"{results.released()[-1]}. What programs of the time could do is not tested."
    )


def unknown(results: GeneralizationResults) -> Judged:
    shares = np.array(results.every("unknown discarded"))
    every_one = 100 * np.array(results.every("rest")) / results.original("train")
    return verdict_of(bool((shares < 50).all()), bool((shares <= every_one).all())), (
        f"All {results.original('unknown'):,.0f} records with unknown values take part. But of "
        f"them {results.pair('unknown discarded', 1)} % are discarded, of all "
        f"{listed(every_one[: len(SIZES)])}; {listed(every_one[len(SIZES) :])} %."
    )


def no_ontology(results: GeneralizationResults) -> Judged:
    coarse = sum(results.every("coarse"))
    return verdict_of(not coarse), (
        "By definition: no hierarchy is declared, and a cell is a value or a star. Cells of "
        f"patterns that are neither: {coarse:.0f}."
    )


def single_out(results: GeneralizationResults) -> Judged:
    alone, n = results.original("alone"), results.original("train")
    return verdict_of(alone > 0), (
        f"{alone:,.0f} of {n:,.0f} records are the only one with their eight values."
    )


def few_stars(results: GeneralizationResults) -> Judged:
    shares = np.array([results.series(row, k, "stars") for row in ORDERS for k in SIZES])
    none = shares[:, 0]
    return verdict_of(shares.shape[1] == 3, bool((none == 0).all())), (
        "By definition of the setting no pattern has more than two. Patterns that have none: "
        f"{FEW} {listed(none[: len(SIZES)])}; {MANY} {listed(none[len(SIZES) :])} %."
    )


def small_classes(results: GeneralizationResults) -> Judged:
    classes = listed(results.originals("classes"), 0)
    return untestable(f"There is none here: the two classes have {classes} records.")


def rejected(results: GeneralizationResults) -> Judged:
    fewest = min(results.originals("classes"))
    return untestable(f"No class is rejected here: the smaller one has {fewest:,.0f} records.")


def specific(results: GeneralizationResults) -> Judged:
    fewer = [
        results.of(MANY, k, "mean support") < results.of(FEW, k, "mean support") for k in SIZES
    ]
    return verdict_of(*fewer), (
        f"A pattern has so many records on average: {results.pair('mean support')}."
    )


def split_again(results: GeneralizationResults) -> Judged:
    again = [results.series(FEW, k, "again")[0] for k in SIZES]
    beside = [results.series(MANY, k, "again")[0] for k in SIZES]
    return verdict_of(*(share > 50 for share in again)), (
        f"Of the parts that the condition < makes first, and that have K records or more, "
        f"{listed(again)} % have to be split again; of those of >, {listed(beside)} %."
    )


def second_pass(results: GeneralizationResults) -> Judged:
    left = {row: [results.left(row, k) for k in SIZES] for row in ORDERS}
    helps = [sum(first > last for first, last in left[row]) for row in ORDERS]
    return verdict_of(*(many == len(SIZES) for many in helps)), (
        f"The second pass of {MANY} leaves {listed([last for _, last in left[MANY]], 0)} of "
        f"{listed([first for first, _ in left[MANY]], 0)} records; that of {FEW} finds something "
        f"at {helps[0]} of {len(SIZES)} K."
    )


def overlap(results: GeneralizationResults) -> Judged:
    return verdict_of(min(results.every("in several")) > 0), (
        f"Of those who satisfy any, so many satisfy several: {results.pair('in several', 1)} %."
    )


def lower_risk(results: GeneralizationResults) -> Judged:
    large, apart = results.every("2K or more"), results.every("told apart")
    return verdict_of(min(large) > 0, not any(apart)), (
        "Of those who satisfy several patterns, so many share some of them with 2K people or more: "
        f"{results.pair('2K or more', 1)} %. But overlaps also tell people apart: of them, so many "
        "satisfy a set of patterns that fewer than K satisfy: "
        f"{results.pair('told apart', 1)} %."
    )


def data_set(results: GeneralizationResults) -> Judged:
    train, test = results.original("train"), results.original("test")
    ours = {"records": train + test, "training": train, "test": test}
    return verdict_of(*(many == results.text(name) for name, many in ours.items())), (
        f"{train + test:,.0f}: {train:,.0f} and {test:,.0f}."
    )


def left_out(results: GeneralizationResults) -> Judged:
    said = results.text("unknown")
    counts = results.original("unknown"), results.original("unknown in both")
    away = [100 * abs(many - said) / said for many in counts]
    return verdict_of(min(away) <= 100 * AROUND), (
        f"{counts[0]:,.0f} records of the training file have unknown values, {counts[1]:,.0f} of "
        f"both: {listed(away)} % away."
    )


def long(results: GeneralizationResults) -> Judged:
    rest, printed = results.some("long: rest"), float(results.printed(REST, MANY, "K = 5"))
    near = [results.near(MANY, k) for k in SIZES]
    return verdict_of(abs(rest - printed) <= WITHIN * printed, sum(near) > len(SIZES) / 2), (
        "In Figure 4 long is the least length. With that at 2, patterns would have "
        f"{results.some('long: stars'):.1f} stars on average and {rest:.0f} records be left at "
        f"K = 5, where {printed:,.0f} are printed. With at most two stars "
        f"{listed(results.by_size(MANY, 'rest'), 0)} are, at {sum(near)} of {len(SIZES)} K as "
        "printed."
    )
