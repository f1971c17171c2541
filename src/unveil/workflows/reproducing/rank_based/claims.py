"""What the paper on rank-based record linkage says in words, and whether it holds.

A judge for each claim, in the order of the published file; here those of the abstract and of
Sections 1 to 3 and 5.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from unveil.workflows.reproducing.rank_based.judging import (
    DISTANCE,
    ELSEWHERE,
    MAX,
    SUM,
    Paper,
    both,
    if_so,
    judged_by,
    levels,
)
from unveil.workflows.reproducing.rank_based.noise import ADDITIVE_NOISE, MULTIPLICATIVE_NOISE
from unveil.workflows.reproducing.rank_based.swapping import GROUPED, P_DISTRIBUTION, RANK_SWAPPING
from unveil.workflows.reproducing.rank_based.work import (
    FILES,
    GROUPING,
    GROUPS,
    LEVELS,
    NOISE,
    SURE,
    SWAPPED,
    known_rows,
)
from unveil.workflows.reproducing.verdicts import judged, untestable
from unveil.workflows.reproducing.wording import listed

if TYPE_CHECKING:
    from unveil.data.reproduction import Claim
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published
    from unveil.workflows.reproducing.rank_based.judging import Judge
    from unveil.workflows.reproducing.verdicts import Judged

FEW = 10  # links that are claimed to be right: of fewer nothing is said
BY_VALUE = ("swapping", "p-distribution", "multiplicative", GROUPING)
BY_RANK = ("swapping", "p-distribution", GROUPING)
OF_ANY_VALUE = ("noise", "correlated", "correlated-evenly")


def claims(found: Found, published: Published) -> list[Claim]:
    """Every claim with a verdict."""
    judges = (
        *BEFORE, *ADDITIVE_NOISE, *RANK_SWAPPING, *P_DISTRIBUTION, *MULTIPLICATIVE_NOISE, *GROUPED,
        *AFTER,
    )  # fmt: skip
    return judged(published, judges, Paper(found, published))


# Abstract, Sections 1 to 3, and what Section 4 says of files and runs.


def _depends(paper: Paper) -> Judged:
    sums = paper.better((*LEVELS, GROUPING), SUM, DISTANCE)
    return if_so(
        bool(sums.more and sums.less),
        f"Rank sum links more than distance in {len(sums.more)} of {sum(map(len, sums))} rows of "
        f"both files, less in {len(sums.less)}.",
    )


def _verified(paper: Paper) -> Judged:
    asserted = {
        f"{FILES[file]} {mask} {level:g}": [
            sum(paper.found.each("known", mask, file, level, figure=name))
            for name in ("claimed", "right")
        ]
        for file in FILES
        for mask, level in known_rows(paper.found, file)
    }
    claimed, right = (sum(row[side] for row in asserted.values()) for side in (0, 1))
    some = {name: row for name, row in asserted.items() if row[0] >= FEW}
    wrong = [name for name, row in some.items() if row[1] < SURE * row[0]]
    except_for = f" But not so at {', '.join(wrong)}." if wrong else ""
    return if_so(
        len(wrong) == len(some),
        f"Who knows the mask gives each link a probability, without the truth: of {claimed:,.0f} "
        f"links above 90 %, {100 * right / max(claimed, 1):.1f} % are right.{except_for}",
        "holds in part" if wrong else "does not hold",
    )


def _worst(paper: Paper) -> Judged:
    known = paper.known("posterior")
    return if_so(
        not known.more,
        f"Who also knows the mask links more. Against the best of the three: {known}.",
    )


def _compares(paper: Paper) -> Judged:
    places = [(mask, level) for mask in LEVELS for level in LEVELS[mask]]
    turned = [
        (a, b)
        for a, b in combinations(places, 2)
        if _order(paper, a, b, DISTANCE) * _order(paper, a, b, MAX) < 0
    ]
    pairs = len(places) * (len(places) - 1) // 2
    return if_so(
        not turned,
        f"It depends on the attack: of {pairs} pairs of Census releases, {len(turned)} are in one "
        "order by distance and in the other by rank max, by more than a point each.",
        "holds in part",
    )


def _unscaled(paper: Paper) -> Judged:
    same = [
        value
        for file in FILES
        for level in NOISE
        for value in paper.found.each("bent", "multiplicative", file, level, figure="same by rank")
    ]
    moved = paper.mean("multiplicative", "census", 0.25, DISTANCE)
    logs = paper.found.mean("bent", "multiplicative", "census", 0.25, figure=DISTANCE)
    return if_so(
        min(same) == 1,
        f"On the logarithms of both files, ranks link the same records in {sum(same):.0f} of "
        f"{len(same)} releases; by distance it is {logs:.1f} % in place of {moved:.1f} % (Census, "
        "multiplicative noise, b = 0.25).",
    )


def _squared(paper: Paper) -> Judged:
    squares = paper.found.mean("bent", "noise", "census", 0.1, figure="squared ranks")
    plain = paper.mean("noise", "census", 0.1, SUM)
    return if_so(
        abs(squares - 90.0) <= abs(plain - 90.0),
        f"Table 1 is of absolute differences, as Section 3's procedure has it: {plain:.1f} % at a "
        f"= 0.1 on Census (printed 90.0); squares give {squares:.1f} %.",
    )


def _bounded(paper: Paper) -> Judged:
    shares = [paper.moved("swapping", level, "outside") for level in SWAPPED]
    return if_so(
        max(shares) == 0,
        "Positions do, but not the average ranks that are compared, where values tie: of Census "
        f"records {listed(shares)} % have an attribute farther away at p = {levels(SWAPPED)} %.",
        "holds in part",
    )


def _sizes(paper: Paper) -> Judged:
    of = [
        [paper.found.one("described", file, figure=one) for one in ("records", "attributes")]
        for file in FILES
    ]
    return if_so(
        of == [[1080, 13], [4092, 10]],
        "The files have as many; of EIA these are the last 10 columns of the file.",
    )


def _undrawn(paper: Paper) -> Judged:
    again = [paper.found.one("grouped", f, k, figure="again") for f in FILES for k in GROUPS[f]]
    return if_so(min(again) == 1, f"Two seeds make the same release, in all {len(again)} cases.")


BEFORE: tuple[Judge, ...] = (
    _depends, _verified, _worst, _compares, lambda _: untestable(ELSEWHERE),
    lambda paper: judged_by(paper.better(("swapping", "p-distribution"), SUM, DISTANCE),
                            "Rank sum over distance"),
    _unscaled, _squared, _bounded, _sizes, _undrawn,
)  # fmt: skip


# Section 5.


def _hypothesis(paper: Paper) -> Judged:
    grouped = paper.between(GROUPING, SUM, DISTANCE)
    noisy = paper.between("multiplicative", SUM, DISTANCE)
    names = ("Multiplicative noise, rank sum over distance", "microaggregation")
    return both(noisy, grouped, names)


def _by_value(paper: Paper) -> Judged:
    plain = paper.better(BY_VALUE, SUM, DISTANCE)
    logs = {
        f"{FILES[file]} {level:g}": (
            paper.found.mean("bent", "multiplicative", file, level, figure=DISTANCE),
            paper.mean("multiplicative", file, level, SUM),
        )
        for file in FILES
        for level in NOISE
    }
    ahead = sum(a > b for a, b in logs.values())
    return if_so(
        plain.verdict == "holds" and not ahead,
        f"Rank sum over distance: {plain}. But under multiplicative noise distance is ahead of "
        f"rank sum in {ahead} of {len(logs)} rows once both files are logarithms, where the noise "
        "is as large for small values as for large ones: what counts is the scale.",
        "holds in part",
    )


def _criteria(paper: Paper) -> Judged:
    sums = paper.better((*LEVELS, GROUPING), SUM, MAX)
    return if_so(
        bool(sums.more and sums.less),
        f"Rank sum links more than rank max in {len(sums.more)} rows, less in {len(sums.less)}, "
        f"and no difference shows in {len(sums.even)}.",
    )


def _only(paper: Paper) -> Judged:
    here = paper.better(OF_ANY_VALUE, DISTANCE, SUM)
    elsewhere = paper.better(BY_VALUE, DISTANCE, SUM)
    return if_so(
        here.verdict == "holds" and not elsewhere.more,
        f"Distance over rank sum under these two: {here}. Under the other masks it links more in "
        f"{len(elsewhere.more)} of {sum(map(len, elsewhere))} rows.",
        "holds in part",
    )


AFTER: tuple[Judge, ...] = (
    lambda paper: both(paper.better(BY_RANK, SUM, DISTANCE), paper.better(BY_RANK, MAX, DISTANCE),
                       ("Rank sum, distance", "rank max, distance")),
    _criteria, _hypothesis, _by_value, _only,
)  # fmt: skip


def _order(paper: Paper, a: tuple[str, float], b: tuple[str, float], attack: str) -> int:
    """Which of two releases of Census an attack links more of, by a point at least."""
    gap = paper.mean(a[0], "census", a[1], attack) - paper.mean(b[0], "census", b[1], attack)
    return 0 if abs(gap) < 1 else 1 if gap > 0 else -1
