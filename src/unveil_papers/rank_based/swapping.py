"""What the paper on rank-based record linkage says of swapping."""

import numpy as np

from unveil_papers.framework.verdicts import Judged, listed, untestable, verdict_of
from unveil_papers.framework.yardstick import compare_table
from unveil_papers.rank_based.judging import (
    CENSUS,
    DISTANCE,
    EIA,
    GUESSES,
    MARGIN,
    MAX,
    SUM,
    THREE,
    Paper,
    best_of,
    both,
    if_so,
    joint,
    known_at,
    levels,
)
from unveil_papers.rank_based.work import FILES, IN_WORDS, SWAPPED, known_rows

ROOM = (5.0, 95.0)  # percent between which there is room for a margin
UNDER_HALF = [level for level in SWAPPED if level < 50]
BOUNDED = [level for level in SWAPPED if level < 100]  # beyond p % of n there are positions


def margin(paper: Paper) -> Judged:
    wide = {}
    for file in FILES:
        for level in SWAPPED:
            *others, most = (paper.mean("swapping", file, level, of) for of in THREE)
            if ROOM[0] <= most <= ROOM[1]:
                wide[f"{FILES[file]} {level:g} %"] = most - max(others)
    many = [gap for gap in wide.values() if gap >= MARGIN]
    gaps = ", ".join(f"{name}: {gap:.1f}" for name, gap in wide.items())
    return if_so(
        len(many) == len(wide),
        f"Where rank max links {ROOM[0]:g} to {ROOM[1]:g} %, so that there is room, it is "
        f"{MARGIN:g} points or more over both others in {len(many)} of {len(wide)} rows "
        f"({gaps}).",
        "holds in part" if many else "does not hold",
    )


def quarter(paper: Paper) -> Judged:
    runs = paper.log.by_run("linked", "swapping", "census", 25.0, figure=MAX)
    mean, error = float(np.mean(runs)), float(np.std(runs, ddof=1)) / len(runs) ** 0.5
    printed = float(paper.printed("Table 2", "25%", f"Census {MAX}"))
    return if_so(
        mean > printed,
        f"Ours: {mean:.2f} %, standard error {error:.2f}; Table 2 prints {printed:g}.",
        "holds in part" if paper.same("Table 2", "25%", [f"Census {MAX}"]) else "does not hold",
    )


def earlier(paper: Paper) -> Judged:
    by_distance = paper.mean("swapping", "census", 25.0, DISTANCE)
    return (
        "cannot be tested",
        f"Its figures are not at hand; distance links {by_distance:.1f} % of these releases.",
    )


def half(paper: Paper) -> Judged:
    by_rank = [paper.mean("swapping", "census", level, MAX) for level in SWAPPED]
    little = [one >= MARGIN for one in by_rank]
    known = known_at(paper, "swapping", 50.0)
    return if_so(
        little == [level in UNDER_HALF for level in SWAPPED],
        f"Rank max links {listed(by_rank)} % at p = {levels(SWAPPED)} %. Who knows the mask "
        f"still links {known:.1f} % at 50 %, where a guess links "
        f"{paper.guess('census'):.2f} %.",
        "holds in part" if little[0] and not little[-1] else "does not hold",
    )


def poor(paper: Paper) -> Judged:
    left = [paper.moved("swapping", level, "correlation") for level in SWAPPED]
    return if_so(
        paper.moved("swapping", 50.0, "correlation") < 50,
        f"Of the mean size of the correlations, {listed(left)} % are left at p = "
        f"{levels(SWAPPED)} % (Census).",
    )


def knowing(paper: Paper) -> Judged:
    shares = {
        f"{FILES[file]} {level:g}": paper.log.mean(
            "known", mask, file, level, figure="likelihood"
        ) / paper.guess(file)
        for file in FILES
        for mask, level in known_rows(paper.log, file)
        if mask == "swapping" and level in UNDER_HALF
    }  # fmt: skip
    return _threat(shares, "Who knows p")


def unknowing(paper: Paper) -> Judged:
    shares = {
        f"{FILES[file]} {level:g}": paper.mean("swapping", file, level, MAX) / paper.guess(file)
        for file in FILES
        for level in UNDER_HALF
    }
    return _threat(shares, "Rank max")


def in_words(paper: Paper) -> Judged:
    table = compare_table(
        paper.published, "Table 3",
        lambda row, column: None if column.startswith("EIA") else paper.log.by_run(
            "linked", IN_WORDS, "census", float(row.rstrip("%")), figure=column.split(" ")[1]
        ),
        digits=2,
    )  # fmt: skip
    marks = [cell.mark for cell in table.cells if cell.mark != "ours"]
    ours = [paper.mean(IN_WORDS, "census", 10.0, of) for of in THREE]
    printed = [paper.printed("Table 3", "10%", f"Census {of}") for of in THREE]
    said = f"at p = 10 %, {listed(ours)} where {', '.join(printed)} are printed"
    if not marks:
        return untestable(f"These are too few runs to tell: {said}.")
    return if_so(
        "different" not in marks,
        f"So read, {marks.count('different')} of {len(marks)} cells of Table 3 are different: "
        f"{said}. With the drawn number as the step itself the table comes out.",
    )


def unbounded(paper: Paper) -> Judged:
    drawn, plain = (
        paper.placed(mask, "farthest", BOUNDED) for mask in ("p-distribution", "swapping")
    )
    return if_so(
        min(drawn) > 1 >= max(plain),
        f"The farthest of Census went {listed(drawn)} times p % of n positions at p = "
        f"{levels(BOUNDED)} %; under rank swapping {listed(plain)}.",
        "holds in part" if max(drawn) > 1 else "does not hold",
    )


def anywhere(paper: Paper) -> Judged:
    far = paper.placed("p-distribution", "of n", SWAPPED)
    return if_so(
        max(far) > ROOM[1],
        f"The farthest of Census went {listed(far)} % of n positions at p = {levels(SWAPPED)} "
        "%. A normal distribution has no bound, but at small p nobody goes so far in practice.",
    )


def relies(paper: Paper) -> Judged:
    plain, drawn = (
        paper.placed(mask, "bound", UNDER_HALF) for mask in ("swapping", "p-distribution")
    )
    known = known_at(paper, "p-distribution", 10.0)
    return if_so(
        all(b < a / 2 for a, b in zip(plain, drawn, strict=True)),
        "Their attack was not run, but its idea: who guesses among the rows within p % of n "
        f"positions in every attribute links {listed(plain)} % of Census under rank swapping "
        f"at p = {levels(UNDER_HALF)} %, and {listed(drawn)} % under this. But who knows what "
        f"was done instead links {known:.1f} % at p = 10 %.",
    )


def somewhat(paper: Paper) -> Judged:
    less = paper.apart(("swapping", "census"), ("p-distribution", "census"))
    rows = [
        (paper.mean("p-distribution", "census", level, of), plain, of, level)
        for of in THREE
        for level in SWAPPED
        if (plain := paper.mean("swapping", "census", level, of)) >= MARGIN
    ]
    drawn, plain, of, level = min(rows, key=lambda row: row[0] / row[1])
    return (
        joint(less.on_the_whole, verdict_of(drawn >= plain / 2)),
        f"Of rank swapping on Census: {less}. It is more than somewhat less for {of} at p = "
        f"{level:g} %: {drawn:.1f} in place of {plain:.1f} %."
        if drawn < plain / 2
        else f"Of rank swapping on Census: {less}.",
    )


def better(paper: Paper) -> Judged:
    verdict, said = best_of(paper, "p-distribution", MAX, CENSUS)
    return verdict, f"{said} On EIA, which Table 3 leaves out: {_aside(paper, MAX, SUM)}."


def farther(paper: Paper) -> Judged:
    plain, drawn, words = (
        [paper.moved(mask, level, "mean") for level in SWAPPED]
        for mask in ("swapping", "p-distribution", IN_WORDS)
    )
    more = [100 * (b / a - 1) for a, b in zip(plain, drawn, strict=True)]
    less = [100 * (1 - b / a) for a, b in zip(plain, words, strict=True)]
    return if_so(
        max(more) < 5,
        f"Ranks move {listed(more)} % farther at p = {levels(SWAPPED)} % (Census); as the "
        f"words describe the mask, {listed(less)} % less far.",
    )


def ordered(paper: Paper) -> Judged:
    first, second = (
        paper.between("p-distribution", *pair, CENSUS) for pair in ((MAX, SUM), (SUM, DISTANCE))
    )
    verdict, said = both(first, second, ("Rank max, rank sum", "Rank sum, distance"))
    return verdict, (
        f"{said} On EIA, which Table 3 leaves out: {_aside(paper, MAX, SUM)}; "
        f"{_aside(paper, SUM, DISTANCE)}."
    )


def _aside(paper: Paper, first: str, second: str) -> str:
    return f"{first} over {second}, {paper.between('p-distribution', first, second, EIA)}"


def _threat(times: dict[str, float], who: str) -> Judged:
    """Whether what is linked at small p is many times what a guess links, in every row."""
    rows = ", ".join(f"{one:.0f} at {name}" for name, one in times.items())
    return (
        verdict_of(*(one >= GUESSES for one in times.values())),
        f"{who} links so many times what a guess does, with p up to {UNDER_HALF[-1]:g} %: {rows}.",
    )
