"""Reproducing: the tables of five papers, ours beside theirs.

Each paper has a package, which says what is run (trials), what was found (tables) and, where there
is any, whether what the paper says in words is so (claims) and what is drawn (curves). What it
printed is in the package's `published.toml`.
"""

from collections.abc import Callable, Iterable
from typing import Any

from unveil import __version__
from unveil.errors import UsageError, listing, nearest
from unveil_papers.datasets import check_datasets
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.journal import Journal
from unveil_papers.framework.published import Published, published
from unveil_papers.framework.reproduction import Claim, Reproduction, Reproductions
from unveil_papers.framework.running import experiment, run
from unveil_papers.framework.verdicts import judge_claims

PAPERS = ("rank-based", "categorical", "fuzzy-integrals", "generalization", "supervised")
GRID = "grid"  # every attack against every mask
NAMES = (*PAPERS, GRID)


def reproduce(
    names: Iterable[str] = NAMES,
    *,
    quick: bool = False,
    seed: int = 0,
    fresh: bool = False,
    progress: Callable[[str, float, float], None] | None = None,
) -> Reproductions:
    """Reproduce the tables of papers.

    It runs on all cores. What is found is kept in the user's cache, piece by piece: a run that
    was stopped goes on where it was, and one in a hurry is part of a full one.

    Parameters
    ----------
    names
        Which papers; "grid" is every attack against every mask.
    quick
        Whether a few runs will do.
    seed
        Of all that is drawn.
    fresh
        Whether to run everything again.
    progress
        Told what is being done, how much is done, and of how much.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in NAMES:
            raise UsageError(
                f"'{name}' is not one of the papers; they are: "
                f"{listing(NAMES)}{nearest(name, NAMES)}"
            )
    check_datasets(data for name in wanted for data in experiment(name).DATA)
    journal = Journal(seed)
    journal.check()
    trials = {name: list(experiment(name).trials(quick=quick)) for name in wanted}
    every = [(name, trial) for name in wanted for trial in trials[name]]
    if fresh:
        journal.forget((name, trial.key) for name, trial in every)
    run(every, seed=seed, journal=journal, progress=progress or _unseen)
    found = {name: journal.of(name) for name in wanted}
    return Reproductions(
        papers=tuple(
            reproduction_of(name, TrialLog({one.key: found[name][one.key] for one in trials[name]}))
            for name in wanted
        ),
        seed=seed,
        quick=quick,
        version=__version__,
    )


def _unseen(_doing: str, _done: float, _total: float) -> None:
    """Nobody is told."""


def reproduction_of(name: str, log: TrialLog) -> Reproduction:
    """What the trials of a paper come to."""
    paper, printed = experiment(name), published(name)
    return Reproduction(
        name=name,
        title=printed.title,
        source=printed.source,
        setting=printed.setting,
        tables=tuple(paper.tables(log, printed)),
        claims=tuple(_claims(paper, log, printed)),
        curves=tuple(paper.curves(log, printed)) if hasattr(paper, "curves") else (),
    )


def _claims(paper: Any, log: TrialLog, printed: Published) -> list[Claim]:
    return (
        judge_claims(paper.__name__, printed, paper.results(log, printed)) if printed.claims else []
    )
