"""What Armengol and Torra (2015) say in words of their experiments, judged by what was found."""

import numpy as np

from unveil_papers.framework.verdicts import Judged, listed, span, untestable, verdict_of
from unveil_papers.framework.yardstick import ERRORS
from unveil_papers.generalization.results import (
    FAR,
    FEW,
    MANY,
    NEAR,
    ORDERS,
    ORIGINAL,
    WITHIN,
    GeneralizationResults,
    rising,
)  # fmt: skip
from unveil_papers.generalization.sets import DISJOINT
from unveil_papers.generalization.work import FIRST, KEYS, SIZES

LEARNT = ("uci", "unpruned", "by support", "by record")  # trees of the same patterns


def around(results: GeneralizationResults) -> Judged:
    rest = [results.of(row, 5, "rest") for row in ORDERS]
    said = [results.text("discarded at 5", place) for place in (0, 1)]
    near = [any(abs(one - each) <= WITHIN * each for one in rest) for each in said]
    return verdict_of(*near), f"{FEW} discards {rest[0]:,.0f}, {MANY} {rest[1]:,.0f}."


def growing(results: GeneralizationResults) -> Judged:
    grows = [
        rising(results.by_size(row, figure)) for row in ORDERS for figure in ("rest", "too small")
    ]
    return verdict_of(*grows), (
        f"Records that satisfy no pattern: {results.pair('rest')}. Of the parts of sets so many "
        f"have fewer than K records: {results.pair('too small', 1)} %."
    )


def seven_to_thirty(results: GeneralizationResults) -> Judged:
    share = {
        k: [100 * results.of(row, k, "rest") / results.original("train") for row in ORDERS]
        for k in (5, 30)
    }
    said = {k: results.text("lost at 5 and 30", place) for place, k in enumerate(share)}
    near = [any(abs(one - said[k]) < 2 for one in share[k]) for k in share]
    return verdict_of(*near), (
        f"At K = 5 {listed(share[5])} %, at K = 30 {listed(share[30])} % ({FEW}, {MANY})."
    )


def equivalent(results: GeneralizationResults) -> Judged:
    spreads = [
        np.ptp([results.of(row, k, figure) for figure in LEARNT]) for row in ORDERS for k in SIZES
    ]
    return verdict_of(*(spread < NEAR for spread in spreads)), (
        "How trees are learnt decides as much: of the same patterns they are right for figures on "
        f"uci that are {span(spreads, 1)} points apart, pruned or not, by pattern, by support or "
        "by record."
    )


def crossed(results: GeneralizationResults) -> Judged:
    apart = np.abs(np.subtract(results.every("crossed"), results.every("uci")))
    return verdict_of(bool(apart.max() > NEAR)), (
        f"Tenfold on the patterns it gives {results.pair('crossed', 1)} %; on the records of uci "
        f"the trees are right for {results.pair('uci', 1)} %."
    )


def size_of_sample(results: GeneralizationResults) -> Judged:
    share, n = results.original("DB") / 100, results.original("train")
    away = 100 * share - float(results.printed("Table 1, S1", ORIGINAL, "K = 5"))
    sizes = [results.text("S1", place) for place in (0, 1)]
    errors = [away / (100 * np.sqrt(share * (1 - share) * (1 / size - 1 / n))) for size in sizes]
    fit = [abs(error) <= ERRORS for error in errors]
    because = (
        "They contradict each other. The original's tree is right for "
        f"{100 * share:.2f} % of all; what is printed for S1 is {listed(errors)} standard errors "
        f"below that with {listed(sizes, 0)} records: {sum(fit)} of {len(fit)} fit."
    )
    return untestable(because) if all(fit) else (verdict_of(*fit), because)


def caption(results: GeneralizationResults) -> Judged:
    uci, train = results.original("uci"), results.original("DB")
    sizes = [results.original("test"), results.original("train")]
    whole = float(np.average([uci, train], weights=sizes))
    of_uci = results.theirs(ORIGINAL, 5)
    of_db = float(results.printed("Table 1, DB", ORIGINAL, "K = 5"))
    return verdict_of(
        abs(train - of_uci) < abs(uci - of_uci), abs(whole - of_db) < abs(train - of_db)
    ), (
        f"The original's tree is right for {uci:.2f} % of the test set, {train:.2f} % of the "
        f"training set and {whole:.2f} % of both. Printed are {of_uci:.2f} for uci and "
        f"{of_db:.2f} for DB: by the text uci is the test set."
    )


def more_accurate(results: GeneralizationResults) -> Judged:
    so = []
    for test in ("S1", "uci", "DB"):
        few, many = (
            [float(np.mean(results.series(row, k, test) if test == "S1" else
                           results.of(row, k, test))) for k in SIZES]
            for row in (FEW, MANY)
        )  # fmt: skip
        above = [one > other for one, other in zip(many, few, strict=True)]
        so += [*above[:-1], not above[-1]]
    return verdict_of(*so), (
        f"In {sum(so)} of {len(so)} cells of three test files it is as said. On uci: "
        f"{results.pair('uci', 2)} %."
    )


def unexplained(results: GeneralizationResults) -> Judged:
    def explained(k: int) -> bool:
        of = FEW if results.of(FEW, k, "uci") < results.of(MANY, k, "uci") else MANY
        better = max(results.of(of, k, figure) for figure in ("unpruned", "by support"))
        return results.of(of, k, "leaves") == 1 and better > results.of(of, k, "uci") + FAR

    *most, last = SIZES
    theirs, commoner = results.theirs(MANY, last), results.original("commoner")
    return verdict_of(not all(explained(k) for k in most), not explained(last)), (
        "Of ours pruning explains K = "
        f"{listed([k for k in SIZES if explained(k)], 0)}: so few rows that it leaves one leaf. "
        f"Leaves: {results.pair('leaves')}. Not pruned the trees are right for "
        f"{results.pair('unpruned', 2)} % of uci, with patterns weighted by their records for "
        f"{results.pair('by support', 2)} %. At K = {last} theirs is right for {theirs:.2f} %, and "
        f"the commoner salary for {commoner:.2f} %: a single leaf would be right for that."
    )


def similar(results: GeneralizationResults) -> Judged:
    two = _two_stars(results)
    return verdict_of(*(many < few for many, few in zip(two[MANY], two[FEW], strict=True))), (
        f"Patterns that need two stars: {MANY} {listed(two[MANY])} %, {FEW} {listed(two[FEW])} %."
    )


def _two_stars(results: GeneralizationResults) -> dict[str, list[float]]:
    return {row: [results.series(row, k, "stars")[2] for k in SIZES] for row in ORDERS}


def different(results: GeneralizationResults) -> Judged:
    few, many = results.originals("alike")
    two = _two_stars(results)[FEW]
    return verdict_of(few < 50, *(share > 50 for share in two)), (
        f"At the first split, by {FIRST[0]}, two records of a set agree in {few:.1f} % of the "
        f"other attributes (by {FIRST[1]}, which has the most values, in {many:.1f} %). Of the "
        f"patterns {listed(two)} % need two stars. Overfitting was not measured in the paper."
    )


def at_twenty(results: GeneralizationResults) -> Judged:
    theirs = {row: results.theirs(ORIGINAL, 20) - results.theirs(row, 20) for row in ORDERS}
    ours = {row: results.gaps(row)[SIZES.index(20)] for row in ORDERS}
    return verdict_of(*(gap < NEAR for gap in ours.values())), (
        f"On uci {FEW} is {ours[FEW]:.2f} and {MANY} {ours[MANY]:.2f} points below the original, "
        f"in the paper {theirs[FEW]:.2f} and {theirs[MANY]:.2f}."
    )


def best(results: GeneralizationResults) -> Judged:
    at = {row: SIZES[int(np.argmax(results.by_size(row, "uci")))] for row in ORDERS}
    own = {row: SIZES[int(np.argmax([results.theirs(row, k) for k in SIZES]))] for row in ORDERS}
    many = [results.of(row, 20, "rest") > results.text("discarded at 20") for row in ORDERS]
    return verdict_of(all(many), *(k == 20 for k in at.values())), (
        f"{listed([results.of(row, 20, 'rest') for row in ORDERS], 0)} records are discarded. On "
        f"uci {FEW} is best at K = {at[FEW]} and {MANY} at K = {at[MANY]}; by the paper's own "
        f"Table 1 at K = {own[FEW]} and K = {own[MANY]}."
    )


def fewer_records(results: GeneralizationResults) -> Judged:
    at = SIZES.index(20)
    learnt, kept = ([results.gaps(row, one)[at] for row in ORDERS] for one in ("uci", "kept"))
    return verdict_of(*(gap < NEAR for gap in (*learnt, *kept))), (
        f"At K = 20 trees of the patterns are {listed(learnt, 2)} points below that of all "
        "records, on uci; trees of the original rows of those who satisfy a pattern "
        f"{listed(kept, 2)}."
    )


def outliers(results: GeneralizationResults) -> Judged:
    gain = -min(gap for row in ORDERS for gap in results.gaps(row, "kept"))
    alone = results.original("alone") / results.original("train")
    return verdict_of(alone > 0.1, gain > 0.3), (
        f"{100 * alone:.1f} % of the records are the only one of their kind. But trees of the "
        f"original rows of those who satisfy a pattern gain {gain:.2f} points at most; a share of "
        f"uci has a standard error of 0.3. They are right for {results.pair('kept', 2)} %, that of "
        f"all for {results.original('uci'):.2f} %."
    )


def fewer_discards(results: GeneralizationResults) -> Judged:
    fewer = [results.of(MANY, k, "rest") < results.of(FEW, k, "rest") for k in SIZES]
    return verdict_of(*fewer), (
        f"It does at {sum(fewer)} of {len(SIZES)} K. Discarded: {results.pair('rest')}."
    )


def partitioning(results: GeneralizationResults) -> Judged:
    deeper, discards = (
        all(results.of(FEW, k, figure) > results.of(MANY, k, figure) for k in SIZES)
        for figure in ("depth", "rest")
    )
    return verdict_of(deeper, discards), (
        "Before it is a pattern, a set was split so often on average: "
        f"{results.pair('depth', 2)}. Of the parts so many have fewer than K records: "
        f"{results.pair('too small', 1)} %. Discarded: {results.pair('rest')}."
    )


def thousand(results: GeneralizationResults) -> Judged:
    ours = [results.of(MANY, k, "patterns") for k in (20, 30)]
    ways = [results.listed(MANY, k) for k in (20, 30)]
    printed = [results.printed("Table 2, patterns", MANY, f"K = {k}") for k in (20, 30)]
    most = results.text("patterns at 20 and 30")
    return verdict_of(*(many < most for many in ours)), (
        f"{listed(ours, 0)} are distinct, and with one for each way on which it is found "
        f"{listed(ways, 0)}. Table 2 has {' and '.join(printed)}, which contradicts the text."
    )


def of_few_patterns(results: GeneralizationResults) -> Judged:
    below = results.gaps(MANY)[2:]
    theirs = [results.theirs(ORIGINAL, k) - results.theirs(MANY, k) for k in (20, 30)]
    return verdict_of(*(gap < NEAR for gap in below)), (
        f"On uci they are {listed(below, 2)} points below the original's at K = 20 and 30; in the "
        f"paper {listed(theirs, 2)}."
    )


def not_general(results: GeneralizationResults) -> Judged:
    lost, last = results.every("lost"), results.released()[-1]
    names = (DISJOINT, "Mondrian, stars")
    beside = {name: [results.release(name, k, "lost") for k in (5, last)] for name in names}
    stars = len(results.series(MANY, 5, "stars")) - 1
    most = 100 * stars / len(KEYS)
    return verdict_of(stars <= 2, max(lost) <= most), (
        f"By definition of the setting no pattern has more than {stars} stars of {len(KEYS)}, "
        f"which is {most:.0f} % of its cells. With the discarded records {span(lost, 0)} % of all "
        f"cells are lost; by disjoint groups {listed(beside[names[0]], 0)} %, by Mondrian with "
        f"stars {listed(beside[names[1]], 0)} % (K = 5 and {last})."
    )


def rejecting(results: GeneralizationResults) -> Judged:
    below = [gap for row in ORDERS for gap in results.gaps(row, "kept")]
    hit, groups = results.series(MANY, 30, "uneven")
    return verdict_of(max(below) < NEAR), (
        f"Trees of the original rows that are left are at most {max(below):.2f} points below that "
        f"of all, on uci. Accuracy does not show whom it falls on: at K = 30 {MANY} discards more "
        f"than chance explains of {hit:.0f} of {groups:.0f} groups by race and country."
    )
