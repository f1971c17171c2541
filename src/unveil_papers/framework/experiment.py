"""What an experiment is made of: trials, each run by itself, and what they found."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np

from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable

Argument = str | int | float
Figures = Mapping[str, float | list[float]]  # what one trial found, by name
Work = Callable[..., Figures]  # called with the arguments of the trial, and seed=


class PaperTrial(msgspec.Struct, frozen=True):
    """One piece of an experiment: it is run in any process, and what it found is kept.

    >>> Trial("swapped", ("census", 10, 3)).key
    'swapped census 10 3'
    """

    work: str  # one of the experiment's WORK
    of: tuple[Argument, ...] = ()
    cost: float = 1.0  # seconds, roughly, for the bar

    @property
    def key(self) -> str:
        """What it is known by."""
        return " ".join(map(str, (self.work, *self.of)))


class TrialLog:
    """What the trials of one experiment found.

    >>> found = Found({"swapped census 10 0": {"DBRL": 60.1}, "swapped census 10 1": {"DBRL": 61}})
    >>> found.each("swapped", "census", 10, figure="DBRL")
    [60.1, 61]
    >>> found.one("swapped", "census", 10, 1, figure="DBRL")
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
        """Whether a trial was run, or any run of it: in a hurry some are not.

        >>> Found({"swapped census 10 0": {"DBRL": 60.1}}).has("swapped", "census", 10)
        True
        """
        key = PaperTrial(work, of).key
        return key in self._figures or key in self._runs

    def of(self, work: str, *of: Argument) -> Figures:
        """What one trial found."""
        return self._figures[PaperTrial(work, of).key]

    def runs(self, work: str, *of: Argument) -> list[Figures]:
        """What the trials found whose last argument is the number of a run, in that order."""
        return [found for _, found in sorted(self._runs[PaperTrial(work, of).key], key=_number)]

    def one(self, work: str, *of: Argument, figure: str) -> float:
        """A figure of one trial."""
        return _one(self.of(work, *of), figure)

    def series(self, work: str, *of: Argument, figure: str) -> list[float]:
        """A figure of one trial that is a list."""
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
    """A package that reproduces a paper, over the public names of unveil only.

    What was printed is in its `published.toml`. Where a paper says something in words, the package
    has `claims(found, published)`, a list of Claim; where something is drawn, `curves(found,
    published)`, a list of Curve.
    """

    DATA: Sequence[str]  # the data sets that it reads
    WORK: Mapping[str, Work]

    def trials(self, *, quick: bool) -> Iterator[PaperTrial]:
        """What is to be run; in a hurry, some of the same."""

    def tables(self, log: TrialLog, published: Published) -> list[ComparedTable]:
        """Ours beside theirs, and ours alone."""


def seed_of(seed: int, *names: Argument) -> int:
    """The seed of one run, so that runs differ and none depends on another.

    >>> seed_of(0, "census", 1) == seed_of(0, "census", 1) != seed_of(0, "census", 2)
    True
    """
    words = (str(seed), "papers", *map(str, names))
    text = "".join(f"{len(word)}:{word}" for word in words)  # ("ab", "c") is not ("a", "bc")
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    sequence = np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())
    return int(np.random.default_rng(sequence).integers(2**31))
