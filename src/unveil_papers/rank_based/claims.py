"""What the paper on rank-based record linkage says in words, and whether it holds.

A judge for each claim, in the order of the published file; here those of the abstract, of what
Section 4 says of files and runs, and of Section 5.
"""

from unveil_papers.framework.contests import contest
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Claim
from unveil_papers.framework.verdicts import Judged, judged, untestable
from unveil_papers.rank_based.grouping import GROUPED
from unveil_papers.rank_based.judging import (
    DISTANCE,
    MAX,
    SUM,
    TEXT,
    Judge,
    Paper,
    both,
    either_way,
    if_so,
    joint,
    not_so,
    over_distance,
)
from unveil_papers.rank_based.linkage import BACKGROUND, BY_RANKS, INTRODUCTION
from unveil_papers.rank_based.noise import ADDITIVE_NOISE, MULTIPLICATIVE_NOISE
from unveil_papers.rank_based.swapping import P_DISTRIBUTION, RANK_SWAPPING
from unveil_papers.rank_based.work import FILES, GROUPING, GROUPS, LEVELS, NOISE

BY_VALUE = ("swapping", "p-distribution", "multiplicative", GROUPING)
BY_RANK = ("swapping", "p-distribution", GROUPING)
OF_ANY_VALUE = ("noise", "correlated", "correlated-evenly")


def claims(found: TrialLog, published: Published) -> list[Claim]:
    """Every claim with a verdict."""
    judges = (
        *ABSTRACT, *INTRODUCTION, *BACKGROUND, *BY_RANKS, *EXPERIMENT, *ADDITIVE_NOISE,
        *RANK_SWAPPING, *P_DISTRIBUTION, *MULTIPLICATIVE_NOISE, *GROUPED, *CONCLUSIONS,
    )  # fmt: skip
    return judged(published, judges, Paper(found, published))


# Abstract.


def _depends(paper: Paper) -> Judged:
    sums = paper.between((*LEVELS, GROUPING), SUM, DISTANCE)
    return either_way(sums), (
        f"Rank sum links more than distance in {len(sums.more)} of {sum(map(len, sums))} rows "
        f"of both files, less in {len(sums.less)}."
    )


ABSTRACT: tuple[Judge, ...] = (_depends,)


# What Section 4 says of masks, files and runs.


def _sizes(paper: Paper) -> Judged:
    wanted = [(file, what) for file in FILES for what in ("records", "attributes")]
    ours = [paper.found.one("described", file, figure=what) for file, what in wanted]
    theirs = [float(paper.printed(TEXT, what, FILES[file])) for file, what in wanted]
    return if_so(
        ours == theirs,
        "Census {:,.0f} and {:.0f}, EIA {:,.0f} and {:.0f}, the last columns of its file.".format(
            *ours
        ),
    )


def _undrawn(paper: Paper) -> Judged:
    again = [paper.found.one("grouped", f, k, figure="again") for f in FILES for k in GROUPS[f]]
    return if_so(min(again) == 1, f"Two seeds make the same release, in all {len(again)} cases.")


EXPERIMENT: tuple[Judge, ...] = (
    lambda _: untestable("What is representative is a matter of opinion."),
    _sizes,
    _undrawn,
)


# Section 5.


def _hypothesis(paper: Paper) -> Judged:
    grouped = paper.between(GROUPING, SUM, DISTANCE)
    noisy = paper.between("multiplicative", SUM, DISTANCE)
    return both(noisy, grouped, ("Multiplicative noise, rank sum over distance",
                                  "microaggregation"))  # fmt: skip


def _by_value(paper: Paper) -> Judged:
    plain = paper.between(BY_VALUE, SUM, DISTANCE)
    logs = contest(
        {
            f"{FILES[file]} {level:g}": (
                paper.found.each("bent", "multiplicative", file, level, figure=DISTANCE),
                paper.found.each("linked", "multiplicative", file, level, figure=SUM),
            )
            for file in FILES
            for level in NOISE
        },
        paired=False,
    )
    return if_so(
        joint(plain.verdict, not_so(logs)) == "holds",
        f"Rank sum over distance: {plain}. But under multiplicative noise distance between "
        f"logarithms, where the noise is as large for small values as for large ones, set "
        f"against rank sum, links {logs}: what counts is the scale.",
        joint(plain.verdict, not_so(logs)),
    )


def _criteria(paper: Paper) -> Judged:
    sums = paper.between((*LEVELS, GROUPING), SUM, MAX)
    return either_way(sums), (
        f"Rank sum links more than rank max in {len(sums.more)} rows, less in "
        f"{len(sums.less)}, and no difference shows in {len(sums.even) + len(sums.open)}."
    )


def _only(paper: Paper) -> Judged:
    here = paper.between(OF_ANY_VALUE, DISTANCE, SUM)
    elsewhere = paper.between(BY_VALUE, DISTANCE, SUM)
    return joint(here.verdict, not_so(elsewhere)), (
        f"Distance over rank sum under these two: {here}. Under the other masks it links more "
        f"in {len(elsewhere.more)} of {sum(map(len, elsewhere))} rows."
    )


CONCLUSIONS: tuple[Judge, ...] = (
    lambda paper: over_distance(paper, BY_RANK),
    _criteria, _hypothesis, _by_value, _only,
    lambda _: untestable(
        "It was not run: PRAM is for categories, and both files hold numbers only. Whether it "
        "goes by ranks is up to its matrix."
    ),
)  # fmt: skip
