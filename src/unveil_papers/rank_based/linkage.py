"""What the paper on rank-based record linkage says of linkage itself: Sections 1 to 5."""

from itertools import combinations

from unveil_papers.framework.contests import contest
from unveil_papers.framework.verdicts import Judged, listed, verdict_of
from unveil_papers.rank_based.judging import (
    DISTANCE,
    GUESSES,
    MAX,
    SUM,
    TEXT,
    Paper,
    both,
    either_way,
    if_so,
    joint,
    levels,
    not_so,
)
from unveil_papers.rank_based.work import (
    FILES,
    GROUPING,
    GROUPS,
    LEVELS,
    NOISE,
    SURE,
    SWAPPED,
    known_rows,
)

FEW = 10  # links that are claimed to be right: of fewer nothing is said
BY_VALUE = ("swapping", "p-distribution", "multiplicative", GROUPING)
OF_ANY_VALUE = ("noise", "correlated", "correlated-evenly")


def verified(paper: Paper) -> Judged:
    asserted = {
        f"{FILES[file]} {mask} {level:g}": [
            sum(paper.log.by_run("known", mask, file, level, figure=name))
            for name in ("claimed", "right")
        ]
        for file in FILES
        for mask, level in known_rows(paper.log, file)
    }
    claimed, right = (sum(row[side] for row in asserted.values()) for side in (0, 1))
    some = {name: row for name, row in asserted.items() if row[0] >= FEW}
    wrong = [name for name, row in some.items() if row[1] < SURE * row[0]]
    except_for = f" But not so at {', '.join(wrong)}." if wrong else ""
    return if_so(
        len(wrong) == len(some),
        "Who knows the mask gives each link a probability, without the truth: of "
        f"{claimed:,.0f} links above 90 %, {100 * right / max(claimed, 1):.1f} % are right."
        f"{except_for}",
        "holds in part" if wrong else "does not hold",
    )


def worst(paper: Paper) -> Judged:
    known = paper.known("posterior")
    return not_so(known), (
        f"Who also knows the mask, set against the best of the three, links {known}."
    )


def compares(paper: Paper) -> Judged:
    places = [(mask, level) for mask in LEVELS for level in LEVELS[mask]]
    turned = [
        (a, b)
        for a, b in combinations(places, 2)
        if _order(paper, a, b, DISTANCE) * _order(paper, a, b, MAX) < 0
    ]
    pairs = len(places) * (len(places) - 1) // 2
    return if_so(
        not turned,
        f"It depends on the attack: of {pairs} pairs of Census releases, {len(turned)} are in "
        "one order by distance and in the other by rank max, by more than a point each.",
        "holds in part" if len(turned) < pairs / 2 else "does not hold",
    )


def _probabilistic(paper: Paper, figure: str) -> float:
    return paper.log.mean("agreed", figure=figure)


def told_nothing(paper: Paper) -> Judged:
    near, equal = _probabilistic(paper, "near"), _probabilistic(paper, "equal")
    return verdict_of(*(one > GUESSES * paper.guess("census") for one in (near, equal))), (
        f"Told nothing, not even the probabilities, it links {near:.1f} % of Census at a = "
        f"0.1 (distance {paper.mean('noise', 'census', 0.1, DISTANCE):.1f} %). But it "
        "compares numbers by levels of closeness in shares of their deviation, which is a "
        f"scale: by equality alone it links {equal:.2f} %."
    )


def every_kind(paper: Paper) -> Judged:
    near, equal = _probabilistic(paper, "near"), _probabilistic(paper, "equal")
    return if_so(
        equal > near / 2,
        f"Cells that are compared for equality, as of categories, link {equal:.2f} % of Census "
        f"at a = 0.1 (a guess {paper.guess('census'):.2f} %); adapted to numbers, by levels of "
        f"closeness, {near:.1f} %.",
        "holds in part" if equal > GUESSES * paper.guess("census") else "does not hold",
    )


def _sums(paper: Paper) -> tuple[float, float, float, str]:
    """What absolute and squared differences of ranks link, and what is printed."""
    squares = paper.log.mean("bent", "noise", "census", 0.1, figure="squared ranks")
    plain = paper.mean("noise", "census", 0.1, SUM)
    printed = paper.printed("Table 1", "0.10", f"Census {SUM}")
    return plain, squares, float(printed), (
        f"At a = 0.1 on Census absolute differences link {plain:.1f} % and squared ones "
        f"{squares:.1f} %; Table 1 prints {printed}."
    )  # fmt: skip


def absolute(paper: Paper) -> Judged:
    plain, squares, printed, said = _sums(paper)
    return if_so(abs(plain - printed) < abs(squares - printed), said)


def squared(paper: Paper) -> Judged:
    plain, squares, printed, said = _sums(paper)
    return if_so(
        abs(squares - printed) < abs(plain - printed),
        f"{said} The procedure of the same section has absolute differences.",
    )


def unscaled(paper: Paper) -> Judged:
    same = [
        value
        for file in FILES
        for level in NOISE
        for value in paper.log.by_run("bent", "multiplicative", file, level, figure="same by rank")
    ]
    moved = paper.mean("multiplicative", "census", 0.25, DISTANCE)
    logs = paper.log.mean("bent", "multiplicative", "census", 0.25, figure=DISTANCE)
    return if_so(
        min(same) == 1,
        "By definition: no scale changes an order. On the logarithms of both files, ranks "
        f"link the same records in {sum(same):.0f} of {len(same)} releases; by distance it is "
        f"{logs:.1f} % in place of {moved:.1f} % (Census, multiplicative noise, b = 0.25).",
    )


def criteria(paper: Paper) -> Judged:
    sums = paper.between(tuple(LEVELS), SUM, MAX)
    return either_way(sums), (
        f"The sum links more than the maximum in {len(sums.more)} rows of both files, less in "
        f"{len(sums.less)}. But the largest difference could be taken of magnitudes, too."
    )


def bounded(paper: Paper) -> Judged:
    positions = paper.placed("swapping", "outside", SWAPPED)
    ranks = [paper.moved("swapping", level, "outside") for level in SWAPPED]
    return verdict_of(max(positions) == 0, max(ranks) == 0), (
        f"In positions {listed(positions)} % of Census records have an attribute farther away "
        f"at p = {levels(SWAPPED)} %; but in the average ranks that are compared, where values "
        f"tie, {listed(ranks)} %."
    )


def _order(paper: Paper, a: tuple[str, float], b: tuple[str, float], attack: str) -> int:
    """Which of two releases of Census an attack links more of, by a point at least."""
    gap = paper.mean(a[0], "census", a[1], attack) - paper.mean(b[0], "census", b[1], attack)
    return 0 if abs(gap) < 1 else 1 if gap > 0 else -1


def depends(paper: Paper) -> Judged:
    sums = paper.between((*LEVELS, GROUPING), SUM, DISTANCE)
    return either_way(sums), (
        f"Rank sum links more than distance in {len(sums.more)} of {sum(map(len, sums))} rows "
        f"of both files, less in {len(sums.less)}."
    )


def sizes(paper: Paper) -> Judged:
    wanted = [(file, what) for file in FILES for what in ("records", "attributes")]
    ours = [paper.log.one("described", file, figure=what) for file, what in wanted]
    theirs = [float(paper.printed(TEXT, what, FILES[file])) for file, what in wanted]
    return if_so(
        ours == theirs,
        "Census {:,.0f} and {:.0f}, EIA {:,.0f} and {:.0f}, the last columns of its file.".format(
            *ours
        ),
    )


def undrawn(paper: Paper) -> Judged:
    again = [paper.log.one("grouped", f, k, figure="again") for f in FILES for k in GROUPS[f]]
    return if_so(min(again) == 1, f"Two seeds make the same release, in all {len(again)} cases.")


def hypothesis(paper: Paper) -> Judged:
    grouped = paper.between(GROUPING, SUM, DISTANCE)
    noisy = paper.between("multiplicative", SUM, DISTANCE)
    return both(noisy, grouped, ("Multiplicative noise, rank sum over distance",
                                  "microaggregation"))  # fmt: skip


def by_value(paper: Paper) -> Judged:
    plain = paper.between(BY_VALUE, SUM, DISTANCE)
    logs = contest(
        {
            f"{FILES[file]} {level:g}": (
                paper.log.by_run("bent", "multiplicative", file, level, figure=DISTANCE),
                paper.log.by_run("linked", "multiplicative", file, level, figure=SUM),
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


def criteria_by_mask(paper: Paper) -> Judged:
    sums = paper.between((*LEVELS, GROUPING), SUM, MAX)
    return either_way(sums), (
        f"Rank sum links more than rank max in {len(sums.more)} rows, less in "
        f"{len(sums.less)}, and no difference shows in {len(sums.even) + len(sums.open)}."
    )


def only(paper: Paper) -> Judged:
    here = paper.between(OF_ANY_VALUE, DISTANCE, SUM)
    elsewhere = paper.between(BY_VALUE, DISTANCE, SUM)
    return joint(here.verdict, not_so(elsewhere)), (
        f"Distance over rank sum under these two: {here}. Under the other masks it links more "
        f"in {len(elsewhere.more)} of {sum(map(len, elsewhere))} rows."
    )
