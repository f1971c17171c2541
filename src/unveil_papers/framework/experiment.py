"""Experiments: trials that run independently, and the log of their figures."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np

from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable

Argument = str | int | float
Figures = Mapping[str, float | list[float]]  # of one trial, by name
Work = Callable[..., Figures]  # called with the arguments of the trial, and seed=


class PaperTrial(msgspec.Struct, frozen=True):
    """One piece of an experiment, which runs in any process.

    >>> PaperTrial("swapped", ("census", 10, 3)).key
    'swapped census 10 3'
    """

    work: str  # one of the experiment's WORK
    of: tuple[Argument, ...] = ()
    cost: float = 1.0  # seconds, roughly, for the bar

    @property
    def key(self) -> str:
        """The name of the trial in the journal."""
        return " ".join(map(str, (self.work, *self.of)))


class TrialLog:
    """The figures of all trials of one experiment.

    >>> log = TrialLog({"swapped census 10 0": {"DBRL": 60.1}, "swapped census 10 1": {"DBRL": 61}})
    >>> log.by_run("swapped", "census", 10, figure="DBRL")
    [60.1, 61]
    >>> log.one("swapped", "census", 10, 1, figure="DBRL")
    61
    """

    def __init__(self, figures: Mapping[str, Figures]) -> None:
        self._figures = figures
        self._runs: dict[str, list[tuple[int, Figures]]] = {}
        for key, found in figures.items():
            begin, _, run = key.rpartition(" ")
            if run.isdecimal():
                self._runs.setdefault(begin, []).append((int(run), found))

    def has(self, work: str, *of: Argument) -> bool:
        """Whether a trial, or any run of it, was made: a quick reproduction omits some.

        >>> TrialLog({"swapped census 10 0": {"DBRL": 60.1}}).has("swapped", "census", 10)
        True
        """
        key = PaperTrial(work, of).key
        return key in self._figures or key in self._runs

    def of(self, work: str, *of: Argument) -> Figures:
        """The figures of one trial."""
        return self._figures[PaperTrial(work, of).key]

    def runs(self, work: str, *of: Argument) -> list[Figures]:
        """The figures of the trials whose last argument is the number of a run, in that order."""
        return [found for _, found in sorted(self._runs[PaperTrial(work, of).key], key=_number)]

    def one(self, work: str, *of: Argument, figure: str) -> float:
        """A figure of one trial."""
        return _one(self.of(work, *of), figure)

    def series(self, work: str, *of: Argument, figure: str) -> list[float]:
        """A figure of one trial that is a list of numbers."""
        value = self.of(work, *of)[figure]
        if not isinstance(value, list):
            raise TypeError(f"'{figure}' is one figure")
        return value

    def by_run(self, work: str, *of: Argument, figure: str) -> list[float]:
        """A figure of each of the runs."""
        return [_one(found, figure) for found in self.runs(work, *of)]

    def mean(self, work: str, *of: Argument, figure: str) -> float:
        """The mean of the runs."""
        return float(np.mean(self.by_run(work, *of, figure=figure)))


def _number(run: tuple[int, Figures]) -> int:
    return run[0]


def _one(figures: Figures, figure: str) -> float:
    value = figures[figure]
    if isinstance(value, list):
        raise TypeError(f"'{figure}' is a list of figures")
    return value


class Experiment(Protocol):
    """A package that reproduces a paper over the public names of unveil only.

    `published.toml` holds what the paper printed. Where the paper makes claims, the package has
    `results(log, published)`, which their judges take; where it has charts, `curves(log,
    published)`, a list of LineChart.
    """

    DATA: Sequence[str]  # the data sets that it reads
    WORK: Mapping[str, Work]

    def trials(self, *, quick: bool) -> Iterator[PaperTrial]:
        """All trials; if quick, a part of them."""

    def tables(self, log: TrialLog, published: Published) -> list[ComparedTable]:
        """The published tables with our figures, and tables of ours."""


def seed_of(seed: int, *names: Argument) -> int:
    """The seed of one run: runs differ, and none depends on another.

    >>> seed_of(0, "census", 1) == seed_of(0, "census", 1) != seed_of(0, "census", 2)
    True
    """
    words = (str(seed), "papers", *map(str, names))
    text = "".join(f"{len(word)}:{word}" for word in words)  # ("ab", "c") is not ("a", "bc")
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    sequence = np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())
    return int(np.random.default_rng(sequence).integers(2**31))
