"""What the paper on supervised linkage says in words, and what our figures say of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace
from scipy.stats import spearmanr

from unveil.workflows.reproducing.supervised.background import BACKGROUND
from unveil.workflows.reproducing.supervised.files import FILES, SIZE
from unveil.workflows.reproducing.supervised.results import (
    GUESS,
    IMPORTANT,
    MODELS,
    SMALL,
    Results,
    by_file,
    more_in,
)
from unveil.workflows.reproducing.supervised.words import CONSTANTS, FEW
from unveil.workflows.reproducing.verdicts import judged, untestable, verdict_of
from unveil.workflows.reproducing.wording import listed, span

if TYPE_CHECKING:
    from unveil.data.reproduction import Claim
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published
    from unveil.workflows.reproducing.verdicts import Judged


def claims(found: Found, published: Published) -> list[Claim]:
    """Every claim with its verdict."""
    judges = (*BACKGROUND, *PROGRAM, *MASKING, *EVALUATION, *CONCLUSIONS)
    found_so = judged(published, judges, Results(found, published))
    return [replace(claim, because=f"{claim.because}.") for claim in found_so]


# Section 3.1


def _blocks(results: Results) -> Judged:
    turned = by_file(lambda name: results.found.each("turned", name, figure="linked"))
    (learnt,) = results.columns("d2WM")
    printed = [results.printed[name, "d2WM"] for name in FILES]
    away, other = (float(np.abs(np.subtract(one, printed)).mean()) for one in (turned, learnt))
    return verdict_of(away < other), (
        f"so read, weights link {span(turned)}, on average {away:.4f} away from what is printed; "
        f"by Equation 4, where a protected record is set against all originals, {span(learnt)}, "
        f"{other:.4f} away"
    )


def _one_violation(results: Results) -> Judged:
    violated, missed, plain = results.once("program", "violated", "missed", "plain")
    return verdict_of(missed == FEW - plain), (
        f"of {FEW} records equal weights violate {violated:.0f} rows of {missed:.0f} records, and "
        f"{FEW - plain:.0f} are not linked"
    )


def _constant(results: Results) -> Judged:
    program = partial(results.found.several, "program")
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


def _larger_constant(results: Results) -> Judged:
    margins = results.found.several("program", figure="margins")
    return verdict_of(margins[-1] > 2 * margins[0]), (
        f"the least margin of a link is {margins[0]:.0e} for the smallest C that has a solution, "
        f"and {margins[-1]:.0e} for C = {CONSTANTS[-1]:g}"
    )


def _optimum(results: Results) -> Judged:
    program = partial(results.found.several, "program")
    solved, counted = program(figure="solved"), program(figure="counted")
    proven = results.found.one("program", figure="proven")
    return verdict_of(solved[-1] == counted[-1] == proven), (
        f"of {FEW} records the program links {solved[-1]:.0f}, recounted {counted[-1]:.0f}; by "
        f"conflicts {proven:.0f} are proven to be the most"
    )


def _many_constraints(results: Results) -> Judged:
    rows = results.found.one("program", figure="rows")
    return verdict_of(rows == FEW * (FEW - 1), rows + FEW == FEW**2 + FEW), (
        f"of {FEW} records {FEW} variables K, and {rows:.0f} rows: N squared less N, since no "
        f"record is set against itself; with N for K being 0 or 1 it is {FEW**2}, not "
        f"{FEW**2 + FEW}"
    )


PROGRAM = (
    _blocks, _one_violation, _constant, _larger_constant, _optimum, _many_constraints,
)  # fmt: skip


# Section 3.2


def _greater_k(results: Results) -> Judged:
    by_k = {
        figure: [results.found.mean("grouped", "2+2", k, figure=figure) for k in (2, 3, 5, 8)]
        for figure in ("d2AM", "d2MD", "IL1s")
    }
    fall = [bool((np.diff(by_k[one]) < 0).all()) for one in ("d2AM", "d2MD")]
    return verdict_of(*fall, bool((np.diff(by_k["IL1s"]) > 0).all())), "; ".join(
        f"{figure} {listed(each, 3)}" for figure, each in by_k.items()
    ) + " for k = 2, 3, 5, 8 in groups of two"


def _apart_and_together(results: Results, figure: str) -> list[list[float]]:
    """A figure of four attributes in groups of two and in one, then of six."""
    return [
        [results.found.mean("grouped", sizes, 3, figure=figure) for sizes in pair]
        for pair in (("2+2", "4"), ("2+2+2", "6"))
    ]


def _subsets(results: Results) -> Judged:
    lost = _apart_and_together(results, "IL1s")
    return verdict_of(*(a < b for a, b in lost)), (
        f"IL1s with k = 3 is {lost[0][0]:.3f} in groups of two and {lost[0][1]:.3f} of four "
        f"attributes together, {lost[1][0]:.3f} and {lost[1][1]:.3f} of six"
    )


def _left_risk(results: Results) -> Judged:
    linked = _apart_and_together(results, "d2MD")
    return verdict_of(*(a > b for a, b in linked)), (
        f"d2MD links {linked[0][0]:.3f} in groups of two and {linked[0][1]:.3f} of four attributes "
        f"together, {linked[1][0]:.3f} and {linked[1][1]:.3f} of six"
    )


def _good_degree(results: Results) -> Judged:
    plain, pairs = (results.found.mean("grouped", "2+2", 8, figure=one) for one in ("d2AM", "d2MD"))
    return untestable(
        f"what is good is not said; with k = 8 in groups of two d2AM links {plain:.3f} and d2MD "
        f"{pairs:.3f}"
    )


MASKING = (_greater_k, _subsets, _left_risk, _good_degree)


def _improvement(results: Results) -> Judged:
    plain, pairs, *learnt = results.columns("d2AM", "d2MD", *MODELS)
    gains = [float(b - a) for one in learnt for a, b in zip(plain, one, strict=True)]
    over = [float(b - a) for one in learnt for a, b in zip(pairs, one, strict=True)]
    held = by_file(lambda name: results.learnt(name, "d2WM", "halves linked"))
    moments = by_file(lambda name: results.learnt(name, "d2WM", "halves moments"))
    ahead = sum(more_in(held, moments))
    return verdict_of(*(gain > IMPORTANT for gain in gains)), (
        f"they link {span(gains)} more than d2AM, and {span(over)} more than d2MD; of people held "
        f"out learnt weights link {span(held)}, more than inverse variances without the truth in "
        f"{ahead} of 6 files"
    )


def _between(results: Results) -> Judged:
    learnt = np.array(results.columns(*MODELS))
    widest = learnt.max(axis=0) - learnt.min(axis=0)
    return verdict_of(*widest < SMALL), (
        f"by file, the best links {span(widest.tolist())} more than the least"
    )


def _closest(results: Results) -> Judged:
    weights, choquet, matrix = results.columns(*MODELS)
    near = [abs(a - b) for a, b in zip(choquet, matrix, strict=True)]
    far = [abs(a - b) for a, b in zip(choquet, weights, strict=True)]
    return verdict_of(*more_in(far, near)), (
        f"by file d2CI and d2MD* are {span(near)} apart, d2CI and d2WM {span(far)}"
    )


def _expensive(results: Results) -> Judged:
    integral, matrix = (sum(results.every(column, "proven")) for column in ("d2CI", "d2MD*"))
    measure = [2**n - 2 for n in (4, 5, 6)]
    products = [n * (n + 1) // 2 for n in (4, 5, 6)]
    return verdict_of(measure > products, integral < matrix), (
        f"more complex, yes: of 4, 5 and 6 attributes the measure has {listed(measure, 0)} "
        f"unknowns, the matrix {listed(products, 0)}. But of {len(results.every('d2CI'))} optima "
        f"of the integral {integral:.0f} are proven, and of the matrix, whose rows cannot be "
        f"reduced to those that are not dominated, {matrix:.0f}"
    )


def _constraints(_: Results) -> Judged:
    integral = [n * 2 ** (n - 1) + 2 for n in (4, 5, 6)]
    return verdict_of(max(integral) > SIZE**2), (
        f"by Table 1 the measure of 4, 5 and 6 attributes adds {listed(integral, 0)} constraints "
        "(one for each attribute that is added to a set, and two), weights 5, 6, 7, and the matrix "
        f"one for each pair of records, {SIZE**2:,}"
    )


def _more_effective(results: Results) -> Judged:
    pairs = list(zip(results.every("d2MD*"), results.every("d2CI"), strict=True))
    above, below = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    integral, matrix = results.columns("d2CI", "d2MD*")
    files = [a >= b for a, b in zip(matrix, integral, strict=True)]
    return verdict_of(*files), (
        f"d2MD* links more than d2CI in {above} of {len(pairs)} files and fewer in {below}; on "
        f"average by file at least as many in {sum(files)} of 6 ({span(matrix)} against "
        f"{span(integral)})"
    )


def _upper_bound(results: Results) -> Judged:
    def shares(name: str) -> list[tuple[float, float, float]]:
        runs = (
            results.found.each("sampled", name, figure=one) for one in ("all", "half", "released")
        )
        return [(a / SIZE, b / SIZE, b / c) for a, b, c in zip(*runs, strict=True)]

    every = [one for name in FILES for one in shares(name)]
    above = sum(of_those > whole for whole, _, of_those in every)
    below = [of_all <= whole for whole, of_all, _ in every]
    return verdict_of(*below), (
        f"where half of the masked rows are released, weights link {span(b for _, b, _ in every)} "
        f"of all people, no more than of all rows in {sum(below)} of {len(every)} files; but of "
        f"the released rows they link more than without sampling in {above}"
    )


EVALUATION = (
    _improvement, _between, _closest, _expensive, _constraints, _more_effective, _upper_bound,
)  # fmt: skip


# Section 4


def _scenarios(results: Results) -> Judged:
    synthetic, twice = results.once("scenarios", "synthetic", "twice")
    (plain,) = results.columns("d2AM")
    return verdict_of(*(share > 2 * GUESS for share in (synthetic, twice, *plain))), (
        f"microaggregated files {span(plain)}, synthetic columns {synthetic:.3f}, two releases "
        f"{twice:.3f}; a guess {GUESS:.4f}"
    )


def _relevance(results: Results) -> Judged:
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


def _categories(results: Results) -> Judged:
    distance, likely = results.once("scenarios", "categories", "likely")
    return verdict_of(*(share > 2 / 300 for share in (distance, likely))), (
        f"of 300 people of a survey, categories changed by PRAM, distance links {distance:.3f} and "
        f"probabilistic linkage {likely:.3f}; a guess {1 / 300:.4f}"
    )


def _series(results: Results) -> Judged:
    share = results.found.one("scenarios", figure="series")
    return verdict_of(share > 2 * GUESS), (
        f"of {SIZE} random walks of 24 points with noise as large as a step Euclid links "
        f"{share:.3f}"
    )


def _other_types(results: Results) -> Judged:
    linked, bound = results.once("scenarios", "learnt", "bound")
    return verdict_of(linked == bound), (
        f"weights of these categories are learnt and proven: {linked:.0f} of 300 are linked, and "
        "no more can be"
        if linked == bound
        else f"weights of these categories link {linked:.0f} of 300, and at most {bound:.0f}"
    )


CONCLUSIONS = (_scenarios, _relevance, _categories, _series, _other_types)
