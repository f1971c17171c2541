"""What the paper on rank-based record linkage says of noise, and whether it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.workflows.reproducing.rank_based.judging import (
    BOTH,
    CENSUS,
    DISTANCE,
    EIA,
    MAX,
    SUM,
    best_of,
    both,
    if_so,
    judged_by,
    levels,
    over_distance,
)
from unveil.workflows.reproducing.rank_based.work import FILES, NOISE
from unveil.workflows.reproducing.wording import listed

if TYPE_CHECKING:
    from unveil.workflows.reproducing.rank_based.judging import Judge, Paper
    from unveil.workflows.reproducing.verdicts import Judged

CORRELATED = ("correlated", "correlated-evenly")


# Section 4, additive noise.


def _text(paper: Paper) -> Judged:
    by_distance, by_sum = (paper.mean("noise", "census", 0.1, of) for of in (DISTANCE, SUM))
    return if_so(
        abs(by_distance - 98.3) < abs(by_distance - 98.4) and abs(by_sum - 90) < 0.5,
        f"Ours: {by_distance:.2f} % and {by_sum:.2f} %, a gap of {by_distance - by_sum:.1f} "
        "points: the figure of the table, not that of the text.",
        "holds in part",
    )


def _gap(paper: Paper) -> Judged:
    gaps = [
        paper.mean("noise", "census", level, DISTANCE) - paper.mean("noise", "census", level, SUM)
        for level in NOISE
    ]
    return if_so(
        max(gaps[1:]) < gaps[0] and min(gaps) > 0,
        f"Distance less rank sum at a = {levels(NOISE)}: {listed(gaps)} points. In the paper's "
        "table, too, the gap is largest at 0.25 (15.7).",
        "holds in part" if min(gaps) > 0 else "does not hold",
    )


def _best(paper: Paper) -> Judged:
    known = paper.known("posterior", ["noise"])
    pairs = paper.known("one to one", ["noise"], CENSUS)
    verdict, three = best_of(paper, "noise", DISTANCE, BOTH)
    return if_so(
        verdict == "holds" and not (known.more or pairs.more),
        f"Of the three: {three} But against it, the same distance one to one links {pairs} on "
        f"Census; who knows the mask links {known}.",
        "holds in part" if verdict != "does not hold" else verdict,
    )


def _correlated(paper: Paper) -> Judged:
    parts = [
        f"{FILES[file]}, {called}: {paper.apart(('noise', file), (mask, file))}"
        for mask, called in (("correlated", "aΣ"), ("correlated-evenly", "a²Σ"))
        for file in FILES
    ]
    every = [paper.apart(("noise", file), (mask, file)) for mask in CORRELATED for file in FILES]
    return if_so(
        all(one.verdict == "holds" for one in every),
        f"Of independent noise is linked: {'. '.join(parts)}.",
        "holds in part" if any(one.more for one in every) else "does not hold",
    )


def _ordered(paper: Paper) -> Judged:
    first = paper.better(CORRELATED, DISTANCE, SUM)
    second = paper.better(CORRELATED, SUM, MAX)
    return both(first, second, ("Distance, rank sum", "Rank sum, rank max"))


ADDITIVE_NOISE: tuple[Judge, ...] = (
    lambda paper: best_of(paper, "noise", DISTANCE, CENSUS, always=True),
    _text, _gap,
    lambda paper: judged_by(paper.files("noise"), "Of Census", always=True),
    lambda paper: best_of(paper, "noise", DISTANCE, EIA, always=True),
    _best,
    lambda paper: judged_by(paper.between("noise", SUM, MAX), "Rank sum over rank max",
                            always=True),
    _correlated, _ordered,
)  # fmt: skip


# Section 4, multiplicative noise.


def _skewed(paper: Paper) -> Judged:
    small, large = (
        [paper.found.one("described", file, figure=name) for file in FILES]
        for name in ("small", "large")
    )
    return if_so(
        all(a > 2 * b for a, b in zip(small, large, strict=True)),
        f"With a = 0.1 the noise's deviation is {listed(small)} % of a value in the lowest quarter "
        f"and {listed(large)} % in the highest (medians, Census and EIA).",
    )


def _logarithms(paper: Paper) -> Judged:
    verdict, words = over_distance(paper, "multiplicative", BOTH)
    logs = paper.found.mean("bent", "multiplicative", "census", 0.25, figure=DISTANCE)
    return verdict, (
        f"{words} But between logarithms, distance links {logs:.1f} % of Census at b = 0.25."
    )


def _sums(paper: Paper) -> Judged:
    result = paper.between("multiplicative", SUM, DISTANCE, CENSUS)
    ours = [paper.mean("multiplicative", "census", 0.25, of) for of in (SUM, DISTANCE)]
    return result.verdict, f"Rank sum links {result}; at b = 0.25, {listed(ours)} %."


def _middle(paper: Paper) -> Judged:
    between = {
        level: [paper.mean("multiplicative", "census", level, of) for of in (DISTANCE, MAX, SUM)]
        for level in (0.05, *NOISE)
    }
    inside = [level for level, (low, mid, high) in between.items() if low < mid < high]
    return if_so(
        inside == list(NOISE[1:]) or inside == list(NOISE),
        f"Rank max is between the two at b = {levels(inside)}. Distance, rank max, rank sum are "
        f"{listed(between[0.05], 2)} % at 0.05 and {listed(between[0.1], 2)} % at 0.10.",
        "holds in part",
    )


def _unlike(paper: Paper) -> Judged:
    eia, census = (paper.between("multiplicative", MAX, SUM, of) for of in (EIA, CENSUS))
    verdict = eia.verdict if census.verdict == "does not hold" else "holds in part"
    return verdict, f"On EIA rank max links {eia}; on Census {census}."


MULTIPLICATIVE_NOISE: tuple[Judge, ...] = (
    _skewed, _logarithms, _sums, _middle,
    lambda paper: judged_by(paper.files("multiplicative"), "Of Census", always=True),
    lambda paper: over_distance(paper, "multiplicative", EIA),
    _unlike,
    lambda paper: over_distance(paper, "multiplicative", BOTH, always=True),
)  # fmt: skip
