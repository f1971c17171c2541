"""What the paper on rank-based record linkage says of noise, and whether it holds."""

from unveil_papers.framework.verdicts import Judged, listed, verdict_of
from unveil_papers.rank_based.judging import (
    BOTH,
    CENSUS,
    DISTANCE,
    EIA,
    MARGIN,
    MAX,
    SUM,
    TEXT,
    THREE,
    Paper,
    below_distance,
    best_of,
    both,
    if_so,
    joint,
    levels,
    not_so,
    over_distance,
)
from unveil_papers.rank_based.work import FILES, NOISE

CORRELATED = ("correlated", "correlated-evenly")


def reverses(paper: Paper) -> Judged:
    verdict, three = best_of(paper, "noise", DISTANCE, BOTH)
    known = paper.known("likelihood", ["noise"])
    gaps = [abs(a - b) for rows in known for _, a, b in rows]
    return joint(verdict, verdict_of(max(gaps) < MARGIN)), (
        f"{three} Who knows the mask, row by row, links {known}: {min(gaps):.1f} to "
        f"{max(gaps):.1f} points from distance."
    )


def text(paper: Paper) -> Judged:
    by_distance, by_sum = (paper.mean("noise", "census", 0.1, of) for of in (DISTANCE, SUM))
    in_text = float(paper.printed(TEXT, "noise 0.10 DBRL", "Census"))
    in_table = float(paper.printed("Table 1", "0.10", f"Census {DISTANCE}"))
    nearer = abs(by_distance - in_text) < abs(by_distance - in_table)
    return verdict_of(
        by_distance - by_sum >= MARGIN, nearer, paper.same("Table 1", "0.10", [f"Census {SUM}"])
    ), (
        f"Ours: {by_distance:.2f} % and {by_sum:.2f} %, a gap of {by_distance - by_sum:.1f} "
        f"points; by distance that is nearer to the {'text' if nearer else 'table'}."
    )


def gap(paper: Paper) -> Judged:
    gaps = [
        paper.mean("noise", "census", level, DISTANCE) - paper.mean("noise", "census", level, SUM)
        for level in NOISE
    ]
    printed = [
        float(paper.printed("Table 1", f"{level:.2f}", f"Census {DISTANCE}"))
        - float(paper.printed("Table 1", f"{level:.2f}", f"Census {SUM}"))
        for level in NOISE
    ]
    return if_so(
        max(gaps[1:]) < gaps[0] and min(gaps) > 0,
        f"Distance less rank sum at a = {levels(NOISE)}: {listed(gaps)} points; in the paper's "
        f"own table {listed(printed)}.",
        "holds in part" if min(gaps) > 0 else "does not hold",
    )


def much_less(paper: Paper) -> Judged:
    result = paper.files("noise")
    shares = [
        100 * paper.mean("noise", "eia", level, of) / paper.mean("noise", "census", level, of)
        for of in THREE
        for level in NOISE
    ]
    return (
        joint(result.verdict, verdict_of(max(shares) < 50)),
        f"Of Census: {result}; of EIA {min(shares):.0f} to {max(shares):.0f} % as much.",
    )


def best(paper: Paper) -> Judged:
    known = paper.known("posterior", ["noise"])
    pairs = paper.known("one to one", ["noise"], CENSUS)
    verdict, three = best_of(paper, "noise", DISTANCE, BOTH)
    return joint(verdict, not_so(known), not_so(pairs)), (
        f"Of the three: {three} But against it, the same distance one to one links {pairs} on "
        f"Census; who knows the mask links {known}."
    )


def meant_for(paper: Paper) -> Judged:
    noise = paper.between("noise", SUM, MAX)
    factors = [paper.between("multiplicative", MAX, by, EIA) for by in (SUM, DISTANCE)]
    ahead = min(len(one.more) for one in factors)
    return joint(noise.verdict, "does not hold" if ahead else "holds"), (
        f"Under additive noise rank sum over rank max: {noise}. But under "
        f"multiplicative noise rank max is ahead of both others on EIA in {ahead} of "
        f"{len(NOISE)} rows."
    )


def correlated(paper: Paper) -> Judged:
    every = {
        f"{FILES[file]}, {called}": paper.apart(("noise", file), (mask, file))
        for mask, called in zip(CORRELATED, ("aΣ", "a²Σ"), strict=True)
        for file in FILES
    }
    parts = [f"{name}: {one}" for name, one in every.items()]
    return (
        joint(*(one.verdict for one in every.values())),
        f"Of independent noise is linked: {'. '.join(parts)}.",
    )


def ordered(paper: Paper) -> Judged:
    first = paper.between(CORRELATED, DISTANCE, SUM)
    second = paper.between(CORRELATED, SUM, MAX)
    return both(first, second, ("Distance, rank sum", "Rank sum, rank max"))


def skewed(paper: Paper) -> Judged:
    small, large = (
        [paper.log.one("described", file, figure=name) for file in FILES]
        for name in ("small", "large")
    )
    return if_so(
        all(a > 2 * b for a, b in zip(small, large, strict=True)),
        f"With a = 0.1 the noise's deviation is {listed(small)} % of a value in the lowest "
        f"quarter and {listed(large)} % in the highest (medians, Census and EIA).",
    )


def logarithms(paper: Paper) -> Judged:
    verdict, words = over_distance(paper, "multiplicative", BOTH)
    logs = paper.log.mean("bent", "multiplicative", "census", 0.25, figure=DISTANCE)
    return verdict, (
        f"{words} But between logarithms, distance links {logs:.1f} % of Census at b = 0.25."
    )


def sums(paper: Paper) -> Judged:
    result = paper.between("multiplicative", SUM, DISTANCE, CENSUS)
    ours = [paper.mean("multiplicative", "census", 0.25, of) for of in (SUM, DISTANCE)]
    same = paper.same("Table 4", "0.25", [f"Census {of}" for of in (SUM, DISTANCE)])
    return joint(result.verdict, verdict_of(same, ours[0] - ours[1] >= MARGIN)), (
        f"Rank sum links {result}; at b = 0.25, {listed(ours)} %, "
        f"{'the same as' if same else 'other than'} the printed figures."
    )


def middle(paper: Paper) -> Judged:
    between = {
        level: [paper.mean("multiplicative", "census", level, of) for of in (DISTANCE, MAX, SUM)]
        for level in (0.05, *NOISE)
    }
    inside = [level for level, (low, mid, high) in between.items() if low < mid < high]
    return verdict_of(set(NOISE[1:]) <= set(inside), 0.05 not in inside), (
        f"Rank max is between the two at b = {levels(inside)}. Distance, rank max, rank sum "
        f"are {listed(between[0.05], 2)} % at 0.05 and {listed(between[0.1], 2)} % at 0.10. "
        f"{_own_table(paper)}"
    )


def unlike(paper: Paper) -> Judged:
    eia, census = (paper.between("multiplicative", MAX, SUM, of) for of in (EIA, CENSUS))
    return (joint(eia.verdict, not_so(census)), f"On EIA rank max links {eia}; on Census {census}.")


def always(paper: Paper) -> Judged:
    verdict, words = over_distance(paper, "multiplicative", BOTH, always=True)
    return verdict, f"{words} {_own_table(paper)}"


def with_care(paper: Paper) -> Judged:
    uniform, normal = (
        [max(paper.log.one("turned", f, level, figure=name) for f in FILES) for level in NOISE]
        for name in ("uniform", "normal")
    )
    return if_so(
        max(uniform) == 0 < max(normal),
        f"By definition, uniform factors up to b = 1 turn no sign (of {max(uniform):.1f} % of "
        f"the values); normal ones of the same deviation turn {listed(normal)} % at b = "
        f"{levels(NOISE)} (of the file with more).",
    )


def _own_table(paper: Paper) -> str:
    """Where the paper's own table has it the other way."""
    below = below_distance(paper, "Table 4")
    return f"The paper's own table has below distance: {', '.join(below) or 'nothing'}."
