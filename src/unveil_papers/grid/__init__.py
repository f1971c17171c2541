"""The grid: every attack against every mask, the best published beside the best of ours.

Each mask is carried out on Census and on the embedded sample, several times where anything is
drawn, and each attack links everybody on the columns that it can compare. A cell is how many are
linked, or why there is no figure. Beside them: the best of each row, a guess, the ceiling, and some
people linked where no column has its name.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from unveil import Links, UnveilError, measures
from unveil.wording import listing
from unveil_papers.framework.experiment import Figures, PaperTrial, TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable
from unveil_papers.framework.yardstick import own_table
from unveil_papers.grid.scene import GridScenario, NothingToFindError
from unveil_papers.grid.sides import FILES, WAYS, GridAttack, Who, absent, masked

Noted = tuple[list[float], str]

DATA = ("census",)
RUNS = {"nearest": 5, "posterior": 5, "matched": 3, "learnt": 1, "apart": 1}
QUICK = {"nearest": 1, "posterior": 1}
COSTS = {"nearest": 1.5, "posterior": 4.0, "matched": 8.0, "learnt": 6.0, "apart": 3.0}
PEOPLE = 100  # who are linked by the attack that takes longest
GUESS, CEILING = "a guess", "the ceiling"
APART = ("representatives", "structural")
NEAREST, HIDDEN = "nearest", "apart"  # trials that are always made; where no name is known
HEADS: dict[Who, str] = {
    "published": "{}",
    "given the truth": "{} *",
    "ours": "ours: {}",
    "a control": "control: {}",
}
BEST: dict[str, Who] = {
    "best published": "published",
    "best of ours": "ours",
    "best, given the truth *": "given the truth",
}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """Each mask of each file, by all attacks that take about as long, run by run."""
    for file in FILES:
        for row, mask in masked(file).items():
            for work, runs in (QUICK if quick else RUNS).items():
                for run in range(runs if mask.drawn else 1):
                    yield PaperTrial(work, (file, row, run), COSTS[work])


def attacked(work: str, file: str, row: str, run: int, *, seed: int) -> Figures:
    """What those of the attacks find that are made together."""
    wanted = {name: way for name, way in WAYS.items() if way.work == work}
    return _figures((file, row, run, seed), wanted, GridScenario.links)


def apart(file: str, row: str, run: int, *, seed: int) -> Figures:
    """What is found of some people where no name of a column is known."""
    wanted = {name: WAYS[name] for name in APART}
    return _figures((file, row, run, seed), wanted, _of_some)


WORK = {work: partial(attacked, work) for work in RUNS if work != HIDDEN} | {HIDDEN: apart}


def _of_some(scene: GridScenario, way: GridAttack) -> Links:
    return scene.nameless(way.spec, PEOPLE)


def _figures(
    of: tuple[str, str, int, int],
    wanted: Mapping[str, GridAttack],
    links_of: Callable[[GridScenario, GridAttack], Links],
) -> Figures:
    """Percent of the people linked by each attack; the name of one that has none says why."""
    found: dict[str, float] = {}
    try:
        scene = GridScenario.of(*of)
    except (NothingToFindError, UnveilError) as why:
        return {f"{name}: {why}": 0.0 for name in wanted}
    for name, way in wanted.items():
        try:
            links = links_of(scene, way)
            people = int((links.true_rows >= 0).sum())
            found[name] = 100 * float(measures.hits(links).sum()) / people
        except (NothingToFindError, UnveilError) as why:
            found[f"{name}: {why}"] = 0.0
            continue
        if name == "DBRL":  # which compares all that is known
            found[GUESS] = 100 * measures.baseline(links) / people
            found[CEILING] = 100 * measures.ceiling(links) / people
    return found


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:  # noqa: ARG001 - nothing is printed
    """For each file every figure, the best of them, and what is found without names."""
    made = []
    for file in FILES:
        name = file.capitalize()
        rows = [row for row in masked(file) if log.has(NEAREST, file, row)]
        every = {row: _every(log, file, row) for row in rows}
        best = {row: _best(log, file, row) for row in rows}
        made += [
            _table(name, "every attack against every mask (* given the truth)", every),
            _table(f"{name}, the best", "the best attacks on each mask", best),
        ]
        hidden = {row: _hidden(log, file, row) for row in rows if log.has(HIDDEN, file, row)}
        if hidden:
            title = f"{PEOPLE} people among their own rows, no name of a column being known"
            made.append(_table(f"{name}, names hidden", title, hidden))
    return made


def remarks() -> list[str]:
    """What the grid lacks."""
    return [f"Not in the grid: {listing(names)}."] if (names := absent()) else []


def _table(name: str, title: str, rows: Mapping[str, Mapping[str, Noted]]) -> ComparedTable:
    figures = {
        row: {column: each or None for column, (each, _) in columns.items()}
        for row, columns in rows.items()
    }
    title = f"{title}: people linked"
    return own_table(
        name, title, "%", figures, digits=1, why=lambda row, column: rows[row][column][1]
    )


def _said(log: TrialLog, work: str, file: str, row: str, name: str) -> Noted:
    """The figures of all runs that have one; or none, and why (a remedy is of no use here)."""
    runs = log.runs(work, file, row)
    figures = [figure for run in runs if isinstance(figure := run.get(name), float)]
    begin = f"{name}: "
    why = next((key.removeprefix(begin) for key in runs[0] if key.startswith(begin)), "")
    return figures, "" if figures else why.partition(";")[0]


def _every(log: TrialLog, file: str, row: str) -> dict[str, Noted]:
    return {
        HEADS[way.who].format(name): _said(log, way.work, file, row, name)
        for name, way in _tried(log, file, row).items()
    }


def _tried(log: TrialLog, file: str, row: str) -> dict[str, GridAttack]:
    """The attacks on everybody: in a hurry some are not made."""
    return {
        name: way
        for name, way in WAYS.items()
        if way.work != HIDDEN and log.has(way.work, file, row)
    }


def _best(log: TrialLog, file: str, row: str) -> dict[str, Noted]:
    """The best attacks, each with its name; what nobody can be below and above."""
    every = _every(log, file, row)
    columns: dict[str, Noted] = {}
    for column, who in BEST.items():
        each = {name: every[HEADS[who].format(name)]
                for name, way in _tried(log, file, row).items() if way.who == who}  # fmt: skip
        best = max(each, key=lambda name: np.mean(each[name][0] or [-1.0]))
        figures, why = each[best]
        columns[column] = figures, f"by {best}" if figures else why
    for name in (GUESS, CEILING):
        figures, _ = _said(log, NEAREST, file, row, name)
        columns[name] = figures, "" if figures else every["DBRL"][1]
    return columns


def _hidden(log: TrialLog, file: str, row: str) -> dict[str, Noted]:
    return {
        HEADS[WAYS[name].who].format(name): _said(log, HIDDEN, file, row, name) for name in APART
    }
