"""What the paper on rank-based record linkage says of swapping and microaggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil import attacks
from unveil.workflows.reproducing.rank_based.judging import (
    BOTH,
    DISTANCE,
    EIA,
    ELSEWHERE,
    MAX,
    SUM,
    best_of,
    both,
    if_so,
    judged_by,
    known_at,
    levels,
    over_distance,
)
from unveil.workflows.reproducing.rank_based.work import (
    FILES,
    GROUPING,
    GROUPS,
    IN_WORDS,
    SWAPPED,
)
from unveil.workflows.reproducing.verdicts import untestable
from unveil.workflows.reproducing.wording import listed, span
from unveil.workflows.reproducing.yardstick import compared

if TYPE_CHECKING:
    from unveil.workflows.reproducing.rank_based.judging import Judge, Paper
    from unveil.workflows.reproducing.verdicts import Judged

MARGIN = 5.0  # points that are a considerable margin


# Section 4, rank swapping.


def _margin(paper: Paper) -> Judged:
    wide = {
        (file, level): paper.mean("swapping", file, level, MAX)
        - paper.mean("swapping", file, level, SUM)
        for file in FILES
        for level in SWAPPED
    }
    many = [gap for gap in wide.values() if gap >= MARGIN]
    (file, level), most = max(wide.items(), key=lambda one: one[1])
    return if_so(
        len(many) == len(wide),
        f"Rank max is {MARGIN:g} points or more over rank sum in {len(many)} of {len(wide)} rows, "
        f"at most {most:.1f} ({FILES[file]}, p = {level:g} %); at the ends there is no room: "
        "everybody is linked, or nobody.",
        "holds in part" if many else "does not hold",
    )


def _quarter(paper: Paper) -> Judged:
    runs = paper.found.each("linked", "swapping", "census", 25.0, figure=MAX)
    mean, error = np.mean(runs), np.std(runs, ddof=1) / len(runs) ** 0.5
    return if_so(
        bool(mean > 37.5 - 3 * error - 0.05),
        f"Ours: {mean:.2f} %, standard error {error:.2f}, in windows of 270 ranks.",
    )


def _earlier(paper: Paper) -> Judged:
    by_distance = paper.mean("swapping", "census", 25.0, DISTANCE)
    return untestable(
        f"Its figures are not at hand; distance links {by_distance:.1f} % of these releases."
    )


def _needs(_: Paper) -> Judged:
    known = attacks.Rank(criterion="max").knows
    return if_so(known is None, "The attack is given the two files and nothing else.")


def _half(paper: Paper) -> Judged:
    by_rank = [paper.mean("swapping", "census", level, MAX) for level in (25.0, 50.0)]
    known = known_at(paper, "swapping", 50.0)
    guess = 100 / paper.found.one("described", "census", figure="records")
    return if_so(
        known < 10 * guess,
        f"Rank max links {by_rank[0]:.1f} % at p = 25 % and {by_rank[1]:.1f} % at 50 %. But who "
        f"knows the mask still links {known:.1f} % at 50 %, and a guess {guess:.2f} %: half of the "
        "records is not enough.",
        "holds in part" if by_rank[1] < MARGIN < by_rank[0] else "does not hold",
    )


def _poor(paper: Paper) -> Judged:
    left = [paper.moved("swapping", level, "correlation") for level in SWAPPED]
    return if_so(
        left[4] < 50,
        f"Of the mean size of the correlations, {listed(left)} % are left at p = {levels(SWAPPED)} "
        "% (Census).",
    )


RANK_SWAPPING: tuple[Judge, ...] = (
    lambda paper: best_of(paper, "swapping", MAX, BOTH, always=True),
    _margin, _quarter, _earlier, lambda _: untestable(ELSEWHERE), _needs, _half, _poor,
    lambda paper: judged_by(paper.files("swapping"), "Of Census"),
    lambda paper: best_of(paper, "swapping", MAX, EIA),
    lambda paper: judged_by(paper.between("swapping", SUM, DISTANCE), "Rank sum over distance",
                            always=True),
    lambda _: untestable("It is about what other papers do."),
)  # fmt: skip


# Section 4, p-distribution rank swapping.


def _threat(paper: Paper) -> Judged:
    known = paper.known("likelihood", ["swapping"])
    return known.on_the_whole, (
        f"Who knows p, set against rank max, links {known}. Rank max, which does not know p, links "
        f"{paper.mean('swapping', 'census', 10.0, MAX):.1f} % at p = 10 % of Census."
    )


def _in_words(paper: Paper) -> Judged:
    table = compared(
        paper.published, "Table 3",
        lambda row, column: None if column.startswith("EIA") else paper.found.each(
            "linked", IN_WORDS, "census", float(row.rstrip("%")), figure=column.split(" ")[1]
        ),
        digits=2,
    )  # fmt: skip
    marks = [cell.mark for cell in table.cells if cell.theirs is not None]
    ours = [paper.mean(IN_WORDS, "census", 10.0, of) for of in (DISTANCE, SUM, MAX)]
    return if_so(
        "different" not in marks,
        f"So read, {marks.count('different')} of {len(marks)} cells of Table 3 are different: at p "
        f"= 10 %, {listed(ours)} where 40.8, 63.5 and 81.9 are printed. With the drawn number as "
        "the step itself the table comes out.",
    )


def _unbounded(paper: Paper) -> Judged:
    far = [paper.moved("p-distribution", level, "farthest") for level in SWAPPED[:-1]]
    return if_so(
        min(far) > 1,
        f"The farthest of Census went {listed(far)} times p % of n at p = {levels(SWAPPED[:-1])} "
        "%.",
    )


def _relies(paper: Paper) -> Judged:
    out = [paper.moved("p-distribution", level, "outside") for level in SWAPPED[:-1]]
    known = known_at(paper, "p-distribution", 10.0)
    return if_so(
        min(out) > 50,
        f"A bound of p % of n would rule out the true row of {listed(out)} % of Census records at "
        f"p = {levels(SWAPPED[:-1])} %. But who knows what was done instead links {known:.1f} % at "
        "p = 10 %.",
    )


def _farther(paper: Paper) -> Judged:
    plain, drawn, words = (
        [paper.moved(mask, level, "mean") for level in SWAPPED]
        for mask in ("swapping", "p-distribution", IN_WORDS)
    )
    more = [100 * (b / a - 1) for a, b in zip(plain, drawn, strict=True)]
    less = [100 * (1 - b / a) for a, b in zip(plain, words, strict=True)]
    return if_so(
        max(more) < 5,
        f"Ranks move {listed(more)} % farther at p = {levels(SWAPPED)} % (Census); as the words "
        f"describe the mask, {listed(less)} % less far.",
    )


def _ordered(paper: Paper) -> Judged:
    first, second = (
        paper.between("p-distribution", *pair) for pair in ((MAX, SUM), (SUM, DISTANCE))
    )
    return both(first, second, ("Rank max, rank sum", "Rank sum, distance"))


P_DISTRIBUTION: tuple[Judge, ...] = (
    _threat, _in_words, _unbounded, _relies,
    lambda paper: best_of(paper, "p-distribution", MAX, BOTH),
    lambda paper: judged_by(paper.apart(("swapping", "census"), ("p-distribution", "census")),
                            "Of rank swapping on Census"),
    _farther, _ordered,
)  # fmt: skip


# Section 4, microaggregation.


def _three(paper: Paper, file: str, k: int) -> list[float]:
    return [paper.found.one("grouped", file, k, figure=name) for name in (DISTANCE, SUM, MAX)]


def _small(paper: Paper) -> Judged:
    gaps = [_three(paper, "census", k)[1] - _three(paper, "census", k)[0] for k in GROUPS["census"]]
    return if_so(
        gaps[0] < 1 and min(gaps[1:]) > 3,
        f"Rank sum less distance at k = {levels(GROUPS['census'])}: {listed(gaps)} points.",
        "holds in part" if min(gaps) >= 0 else "does not hold",
    )


def _in_text(paper: Paper) -> Judged:
    ours = _three(paper, "census", 216)
    exact = [round(one, 1) for one in ours] == [60.2, 96.5, 96.5]
    return if_so(
        exact,
        f"Ours: {listed(ours, 2)} %; by distance "
        f"{paper.found.one('grouped', 'census', 216, figure='hits'):g} records, where 650 would "
        "print 60.2.",
        "holds in part",
    )


def _extreme(paper: Paper) -> Judged:
    ours = _three(paper, "census", 360)[1:]
    return if_so([round(one, 1) for one in ours] == [65.0, 65.0], f"Ours: {listed(ours)} %.")


def _susceptible(paper: Paper) -> Judged:
    shares = [
        100 * _three(paper, file, k)[1] / paper.found.one("grouped", file, k, figure="ceiling")
        for file in FILES
        for k in GROUPS[file]
    ]
    return if_so(
        min(shares) > 90,
        f"Ranks link {span(shares, 1)} % of what no attack can exceed, the number of different "
        "released rows.",
    )


def _together(paper: Paper) -> Judged:
    done = {
        k: [
            paper.found.one("together", "census", k, figure=name)
            for name in (DISTANCE, SUM, "done again")
        ]
        for k in (5, 10, 54)
    }
    return if_so(
        all(max(shares) <= 100 / k + 1e-9 for k, shares in done.items()),
        "Census by MDAV: "
        + "; ".join(f"k = {k}: {listed(shares[:2])} % by distance and rank sum, "
                    f"{shares[2]:.1f} % by who does it again" for k, shares in done.items())
        + ". That is 1/k and no more.",
    )  # fmt: skip


def _tenfold(paper: Paper) -> Judged:
    ours = _three(paper, "eia", 341)
    return if_so(
        ours[1] > 9 * ours[0],
        f"Ours: {listed(ours, 2)} %, {ours[1] / ours[0]:.1f} times as many.",
    )


def _alike(paper: Paper) -> Judged:
    apart = [paper.found.one("grouped", f, k, figure="apart") for f in FILES for k in GROUPS[f]]
    return if_so(max(apart) == 0, f"No record is linked by one only, in all {len(apart)} releases.")


def _reason(paper: Paper) -> Judged:
    own, logs, by_sum = (
        [paper.found.one("grouped", f, k, figure=name) for f in FILES for k in GROUPS[f]]
        for name in ("own group", "of logarithms", SUM)
    )
    return if_so(
        logs != by_sum,
        "Magnitudes play no part: logarithms of both files give the same figures. A group's "
        "average rank is its centre, so the own group is nearest by both criteria, for "
        f"{min(own):.1f} to 100 % of the records, and its first row is taken.",
    )


GROUPED: tuple[Judge, ...] = (
    _small, _in_text, _extreme, _susceptible, _together, _tenfold,
    lambda paper: over_distance(paper, GROUPING, EIA, always=True),
    _alike, _reason,
)  # fmt: skip
