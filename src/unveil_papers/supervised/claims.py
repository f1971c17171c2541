"""What the paper on supervised linkage says in words, and what our figures say of it."""

from functools import partial

import numpy as np
from scipy.stats import spearmanr

from unveil_papers.framework.verdicts import Judged, listed, span, untestable, verdict_of
from unveil_papers.supervised.files import FILES, SIZE
from unveil_papers.supervised.results import (
    GUESS,
    HARD,
    HASTE,
    IMPORTANT,
    MODELS,
    SMALL,
    SupervisedResults,
    beyond_chance,
    by_file,
    more_in,
)
from unveil_papers.supervised.words import CONSTANTS, FEW

ATTRIBUTES = (4, 5, 6)  # of the files
SURVEYED = 300  # people of whom categories are linked


def blocks(results: SupervisedResults) -> Judged:
    turned, learnt = results.columns("turned", "d2WM")
    (printed,) = results.published("d2WM")
    away, other = (float(np.abs(np.subtract(one, printed)).mean()) for one in (turned, learnt))
    return verdict_of(away < other), (
        "it contradicts Equation 4, where a protected record is set against all originals: so "
        f"weights link {span(learnt)}, on average {other:.4f} away from what is printed; as said "
        f"here {span(turned)}, {away:.4f} away"
    )


def one_violation(results: SupervisedResults) -> Judged:
    violated, missed, plain = results.once("program", "violated", "missed", "plain")
    return verdict_of(missed == FEW - plain), (
        f"of {FEW} records equal weights violate {violated:.0f} rows of {missed:.0f} records, and "
        f"{FEW - plain:.0f} are not linked"
    )


def constant(results: SupervisedResults) -> Judged:
    program = partial(results.log.series, "program")
    solved, margins = program(figure="solved"), program(figure="margins")
    words = ", ".join(
        f"{constant:g}: {'no solution' if count < 0 else f'{count:.0f} linked'}"
        for constant, count in zip(CONSTANTS, solved, strict=True)
    )
    wide = [c for c, count in zip(CONSTANTS, solved, strict=True) if count >= 0]
    return verdict_of(*(margin >= c for margin, c in zip(margins, wide, strict=True))), (
        "it is added to the rows of records that are given up, and must be large enough for these. "
        f"Of {FEW} records, by C: {words}; the least margin of a link is {max(margins):.0e} for "
        "all of them"
    )


def larger_constant(results: SupervisedResults) -> Judged:
    margins = results.log.series("program", figure="margins")
    return verdict_of(margins[-1] > 2 * margins[0]), (
        f"the least margin of a link is {margins[0]:.0e} for the smallest C that has a solution, "
        f"and {margins[-1]:.0e} for C = {CONSTANTS[-1]:g}"
    )


def optimum(results: SupervisedResults) -> Judged:
    program = partial(results.log.series, "program")
    solved, counted = program(figure="solved"), program(figure="counted")
    best = results.log.one("program", figure="proven")
    proofs = {column: results.total(column, "proven") for column in MODELS}
    return verdict_of(
        solved[-1] == counted[-1] == best, *(proven == many for proven, many in proofs.values())
    ), (
        f"of {FEW} records the program of weights links {solved[-1]:.0f}, recounted "
        f"{counted[-1]:.0f}, and {best:.0f} are proven to be the most. Of the files "
        + ", ".join(f"{n:.0f} of {many} optima of {c}" for c, (n, many) in proofs.items())
        + " are proven: a semidefinite matrix is no finite set of linear constraints"
    )


def many_constraints(results: SupervisedResults) -> Judged:
    rows, kept, missed = results.once("program", "rows", "plain", "missed")
    blocks = kept + missed  # each has its K
    return verdict_of(blocks == FEW, rows + FEW == FEW**2 + FEW), (
        f"of {FEW} records {blocks:.0f} variables K, but {rows:,.0f} rows: N squared less N, with "
        f"N for K being 0 or 1 {rows + FEW:,.0f} and not {FEW**2 + FEW:,}. With i = j the row "
        "would read C K > 0, and nobody could be linked"
    )


def greater_k(results: SupervisedResults) -> Judged:
    by_k = {
        figure: [results.log.mean("grouped", "2+2", k, figure=figure) for k in (2, 3, 5, 8)]
        for figure in ("d2AM", "d2MD", "IL1s")
    }
    fall = [bool((np.diff(by_k[one]) < 0).all()) for one in ("d2AM", "d2MD")]
    return verdict_of(*fall, bool((np.diff(by_k["IL1s"]) > 0).all())), "; ".join(
        f"{figure} {listed(each, 3)}" for figure, each in by_k.items()
    ) + " for k = 2, 3, 5, 8 in groups of two"


def _apart_and_together(results: SupervisedResults, figure: str) -> list[list[float]]:
    """A figure of four attributes in groups of two and in one, then of six."""
    return [
        [results.log.mean("grouped", sizes, 3, figure=figure) for sizes in pair]
        for pair in (("2+2", "4"), ("2+2+2", "6"))
    ]


def subsets(results: SupervisedResults) -> Judged:
    lost = _apart_and_together(results, "IL1s")
    return verdict_of(*(a < b for a, b in lost)), (
        f"IL1s with k = 3 is {lost[0][0]:.3f} in groups of two and {lost[0][1]:.3f} of four "
        f"attributes together, {lost[1][0]:.3f} and {lost[1][1]:.3f} of six"
    )


def left_risk(results: SupervisedResults) -> Judged:
    linked = _apart_and_together(results, "d2MD")
    more = [apart > together for apart, together in linked]
    return verdict_of(*(beyond_chance(apart) for apart, _ in linked), *more), (
        f"d2MD links {linked[0][0]:.3f} in groups of two and {linked[0][1]:.3f} of four attributes "
        f"together, {linked[1][0]:.3f} and {linked[1][1]:.3f} of six; a guess {GUESS:.4f}"
    )


def good_degree(results: SupervisedResults) -> Judged:
    plain, pairs = (results.log.mean("grouped", "2+2", 8, figure=one) for one in ("d2AM", "d2MD"))
    return untestable(
        f"what is good is not said; with k = 8 in groups of two d2AM links {plain:.3f} and d2MD "
        f"{pairs:.3f}"
    )


def improvement(results: SupervisedResults) -> Judged:
    columns = ("d2AM", "d2MD", *MODELS)
    plain, pairs, *learnt = results.columns(*columns)
    printed, _, *theirs = results.published(*columns)
    gains, over = _gains(plain, learnt), _gains(pairs, learnt)
    held = by_file(lambda name: results.learnt(name, "d2WM", "halves linked"))
    moments = by_file(lambda name: results.learnt(name, "d2WM", "halves moments"))
    ahead = sum(more_in(held, moments))
    return verdict_of(*(gain > IMPORTANT for gain in gains)), (
        f"they link {span(gains)} more than d2AM (printed: {span(_gains(printed, theirs))}), and "
        f"{span(over)} more than d2MD; of people held out learnt weights link {span(held)}, more "
        f"than inverse variances without the truth in {ahead} of 6 files"
    )


def _gains(before: list[float], after: list[list[float]]) -> list[float]:
    """How much more each column has, file by file."""
    return [b - a for one in after for a, b in zip(before, one, strict=True)]


def between(results: SupervisedResults) -> Judged:
    widest, printed = (
        (np.max(columns, axis=0) - np.min(columns, axis=0)).tolist()
        for columns in (results.columns(*MODELS), results.published(*MODELS))
    )
    return verdict_of(*(one < SMALL for one in (*widest, *printed))), (
        f"by file, the best links {span(widest)} more than the least (printed: {span(printed)})"
    )


def closest(results: SupervisedResults) -> Judged:
    near, far = _apart(*results.columns(*MODELS))
    said, other = _apart(*results.published(*MODELS))
    closer = more_in(far, near)
    printed = more_in(other, said)
    wide = [name for name, so in zip(FILES, printed, strict=True) if not so]
    return verdict_of(*closer, *printed), (
        f"by file d2CI and d2MD* are {span(near, 4)} apart, d2CI and d2WM {span(far, 4)}: closer "
        f"in {sum(closer)} of 6. As printed {span(said, 4)} and {span(other, 4)}: closer in "
        f"{sum(printed)}" + (f", and not in {', '.join(wide)}" if wide else "")
    )


def _apart(
    weights: list[float], choquet: list[float], matrix: list[float]
) -> tuple[list[float], list[float]]:
    """How far the integral is from the matrix, and from the weights."""
    near, far = (np.abs(np.subtract(choquet, one)).round(6) for one in (matrix, weights))
    return near.tolist(), far.tolist()


def expensive(results: SupervisedResults) -> Judged:
    measure = [2**n - 2 for n in ATTRIBUTES]
    products = [n * (n + 1) // 2 for n in ATTRIBUTES]
    in_a_row = [2 * (n - 1) for n in ATTRIBUTES]
    integral, matrix = results.left_open("d2CI", "d2MD*")
    return verdict_of(
        all(more_in(measure, products)), all(more_in(in_a_row, products)), integral > matrix
    ), (
        f"of 4, 5 and 6 attributes the measure has {listed(measure, 0)} unknowns and the matrix "
        f"{listed(products, 0)}, but of the measure's no more than {listed(in_a_row, 0)} are in a "
        f"row, of the matrix all; with {HASTE} linear programs for each, {integral:.4f} of {HARD} "
        f"is left open by the integral and {matrix:.4f} by the matrix"
    )


def constraints(_: SupervisedResults) -> Judged:
    integral = [n * 2 ** (n - 1) + 2 for n in ATTRIBUTES]
    return verdict_of(max(integral) > SIZE**2), (
        f"by Table 1 the measure of 4, 5 and 6 attributes adds {listed(integral, 0)} constraints "
        "(one for each attribute that is added to a set, and two) to the rows of all pairs of "
        f"records, {SIZE**2:,}; the matrix, if its line is read as one for each pair, as many again"
    )


def more_effective(results: SupervisedResults) -> Judged:
    pairs = results.every("d2MD*", "d2CI")
    above, below = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    integral, matrix = results.columns("d2CI", "d2MD*")
    theirs, printed = results.published("d2CI", "d2MD*")
    longer, shorter = results.left_open("d2CI", "d2MD*")
    gaps = [abs(a - b) for a, b in zip(matrix, integral, strict=True)]
    return verdict_of(max(gaps) < SMALL, shorter < longer), (
        f"d2MD* links more than d2CI in {above} of {len(pairs)} files and fewer in {below} "
        f"({span(matrix)} against {span(integral)}; printed {span(printed)} against "
        f"{span(theirs)}). Its work is {'' if shorter < longer else 'not '}less: {HASTE} linear "
        f"programs leave {shorter:.4f} of {HARD} open, and {longer:.4f} of the integral's"
    )


def upper_bound(results: SupervisedResults) -> Judged:
    def shares(name: str) -> list[tuple[float, float]]:
        runs = (
            results.log.by_run("sampled", name, figure=one) for one in ("all", "half", "released")
        )
        return [(whole / SIZE, half / many) for whole, half, many in zip(*runs, strict=True)]

    every = [one for name in FILES for one in shares(name)]
    below = [of_half <= whole for whole, of_half in every]
    return verdict_of(*below), (
        "where half of the masked rows are released, learnt weights link "
        f"{span(one for _, one in every)} of them, no more than of all rows in {sum(below)} of "
        f"{len(every)} files: weights fit fewer rows better"
    )


def scenarios(results: SupervisedResults) -> Judged:
    synthetic, twice = results.once("scenarios", "synthetic", "twice")
    (plain,) = results.columns("d2AM")
    return verdict_of(*map(beyond_chance, (synthetic, twice, *plain))), (
        f"microaggregated files {span(plain)}, synthetic columns {synthetic:.3f}, two releases "
        f"{twice:.3f}; a guess {GUESS:.4f}"
    )


def relevance(results: SupervisedResults) -> Judged:
    agreeing, steady = [], []
    for name in FILES:
        runs = results.learning(name, "d2WM")
        for run in runs:
            moved = -np.asarray(run["differences"])
            agreeing.append(float(spearmanr(run["importance"], moved).statistic))
        steady.append(len({int(np.argmax(run["importance"])) for run in runs}) == 1)
    return verdict_of(np.mean(agreeing) > 0.5, *steady), (
        "the order of the weights and of how little masking changed the attributes agree by a rank "
        f"correlation of {float(np.mean(agreeing)):.2f} on average; the attribute with the largest "
        f"weight is the same in all samples of {sum(steady)} of 6 files"
    )


def categories(results: SupervisedResults) -> Judged:
    distance, likely = results.once("scenarios", "categories", "likely")
    return verdict_of(*(beyond_chance(share, SURVEYED) for share in (distance, likely))), (
        f"of {SURVEYED} people of a survey, by their household and categories changed by PRAM, "
        f"distance links {distance:.3f} and probabilistic linkage {likely:.3f}; a guess "
        f"{1 / SURVEYED:.4f}"
    )


def series(results: SupervisedResults) -> Judged:
    share = results.log.one("scenarios", figure="series")
    return verdict_of(beyond_chance(share)), (
        f"of {SIZE} random walks of 24 points with noise as large as a step Euclid links "
        f"{share:.3f}; a guess {GUESS:.4f}"
    )


def other_types(results: SupervisedResults) -> Judged:
    equal, linked, bound = results.once("scenarios", "categories", "learnt", "bound")
    return verdict_of(linked > SURVEYED * equal), (
        f"weights that are learnt for these categories link {linked:.0f} of {SURVEYED} people (and "
        f"none more than {bound:.0f}), equal weights {SURVEYED * equal:.1f}"
    )
