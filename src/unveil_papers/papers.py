"""The papers by name, and `reproduce`: their tables, claims and charts, ours beside theirs.

Each paper is a package with its trials, its tables and, where the paper has any, the results that
its claims are judged by and its charts. `published.toml` holds what the paper printed.
"""

from collections.abc import Callable, Iterable

from unveil import __version__
from unveil.errors import UsageError
from unveil.wording import listing, suggest
from unveil_papers.datasets import check_datasets
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.journal import Journal
from unveil_papers.framework.published import published
from unveil_papers.framework.reproduction import Reproduction, Reproductions
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
    """Reproduce the tables of papers on all cores.

    The user's cache keeps the figures of each trial: a run that was stopped continues, and the
    trials of a quick run are part of a full one.

    Parameters
    ----------
    names
        The papers; "grid" is every attack against every mask.
    quick
        Make a few runs of each trial only.
    seed
        Random seed.
    fresh
        Run every trial again.
    progress
        Called with the paper, the work done and the total work, in seconds.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in NAMES:
            raise UsageError(
                f"'{name}' is not one of the papers; they are: "
                f"{listing(NAMES)}{suggest(name, NAMES)}"
            )
    check_datasets(data for name in wanted for data in experiment(name).DATA)
    journal = Journal(seed)
    journal.check()
    trials = {name: list(experiment(name).trials(quick=quick)) for name in wanted}
    every = [(name, trial) for name in wanted for trial in trials[name]]
    if fresh:
        journal.forget((name, trial.key) for name, trial in every)
    run(every, seed=seed, journal=journal, progress=progress or (lambda *_: None))
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


def reproduction_of(name: str, log: TrialLog) -> Reproduction:
    """The tables, claims and charts of a paper, from the figures of its trials."""
    paper, printed = experiment(name), published(name)
    return Reproduction(
        name=name,
        title=printed.title,
        source=printed.source,
        setting=(*printed.setting, *(paper.remarks() if hasattr(paper, "remarks") else ())),
        tables=tuple(paper.tables(log, printed)),
        claims=tuple(judge_claims(paper, log, printed)),
        curves=tuple(paper.curves(log, printed)) if hasattr(paper, "curves") else (),
    )
