"""One case: made from its seed and number, run in a folder of its own, watched and judged."""

import logging
import os
import shutil
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import unveil
from tests.fuzz import checks
from tests.fuzz.draw import Draw
from tests.fuzz.kinds import KINDS
from tests.fuzz.tables import a_table

MOST_CUTS = 150  # runs of a case that is made smaller
SECONDS = 20  # of computing, after which a case hangs
HOME = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder in memory
WEIGHTS = {kind.__name__: weight for kind, weight in KINDS.items()}
BY_NAME = {kind.__name__: kind for kind in KINDS}


class Failure(NamedTuple):
    """A case that broke an invariant."""

    seed: int
    number: int
    kind: str
    invariant: str  # or the class of a foreign error
    said: str
    shown: str  # what was done, and the table
    columns: tuple = ()  # of the table

    def __str__(self):
        head = f"--case {self.seed}:{self.number}  {self.kind}, {self.invariant}: {self.said}"
        return f"{head}\n{self.shown}"


class Result(NamedTuple):
    """The end of a case."""

    kind: str
    refused: bool  # whether an UnveilError ended it
    failure: Failure | None
    counts: Counter  # of UnveilErrors by class, and of exit codes


class HangError(BaseException):
    """A case that takes too long."""


class Case:
    """What a case draws, makes, does and hears."""

    def __init__(self, seed, number, kind, smaller=None):
        self.draw = Draw(seed, number, 1)
        self.tables = Draw(seed, number, 2)
        self.kind = kind
        self.smaller = smaller or (lambda table: table)
        self.done, self.said, self.made = [], [], []
        self.counts = Counter()
        self.folder = None

    def table(self, **options):
        self.made.append(self.smaller(a_table(self.tables, **options)))
        return self.made[-1]

    def did(self, what, with_what):
        self.done.append(f"{what} {with_what}")

    def heard(self, where, text):
        self.said.append((where, text))

    def refuse(self, refusal):
        name = type(refusal).__name__
        self.counts[name] += 1
        self.done.append(f"refused: {refusal}"[:200])
        self.heard(name, _chain(refusal))

    def failure(self, seed, number, invariant, said):
        columns = tuple(self.made[0].frame.columns) if self.made else ()
        return Failure(seed, number, self.kind, invariant, said, self.shown(), columns)

    def shown(self):
        tables = [
            f"{made.shape} {made.frame.to_dict(as_series=False)}\n"
            f"types {list(map(str, made.frame.dtypes))}\nschema {made.schema}"
            for made in self.made
        ]
        return "\n".join([*(one[:2000] for one in self.done), *tables])


def kind_of(seed, number):
    return Draw(seed, number, 0).one_by_weight(WEIGHTS)


def run_case(seed, number, *, smaller=None, kind=None):
    """Run one case, and judge it."""
    case = Case(seed, number, kind or kind_of(seed, number), smaller)
    refused, error = False, None
    with _folder(case), _ears(case), warnings.catch_warnings(), _watch():
        warnings.simplefilter("error")
        try:
            BY_NAME[case.kind](case)
        except unveil.UnveilError as refusal:
            refused = True
            case.refuse(refusal)
        except (Exception, HangError, SystemExit) as found:  # noqa: BLE001 - this is the test
            error = found
        if error is None:
            try:
                checks.no_canary(case.said)
                checks.readable(case.said)
            except checks.BrokenError as found:
                error = found
    failure = None if error is None else _failure(seed, number, case, error)
    return Result(case.kind, refused, failure, case.counts)


def _failure(seed, number, case, error):
    if isinstance(error, checks.BrokenError):
        return case.failure(seed, number, error.invariant, str(error))
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/unveil/" in frame.filename] or frames
    where = f"{ours[-1].name}, {Path(ours[-1].filename).name}:{ours[-1].lineno}"
    said = f"{str(error)[:500]} in {where}"
    return case.failure(seed, number, type(error).__name__, said)


def smallest(failure, kind=None):
    """The same failure with as few records and columns as a greedy search finds."""
    sizes = []

    def cut(rows, columns):
        """The failure of the same case with these records and columns; None if it has gone."""

        def smaller(table):
            sizes.append(table.frame.shape)
            kept = [row for row in rows or range(table.frame.height) if row < table.frame.height]
            return table.take(kept, columns or table.frame.columns)

        found = run_case(failure.seed, failure.number, smaller=smaller, kind=kind).failure
        same = found is not None and found[2:4] == failure[2:4]
        return found if same else None

    first = cut(None, None)
    if first is None or len(sizes) != 1:
        return failure  # it has several tables, or none
    rows = list(range(sizes[0][0]))
    for step in (len(rows) // 2, len(rows) // 4, 4, 2, 1):
        start = 0
        while step > 0 and start < len(rows) and len(rows) > step and len(sizes) < MOST_CUTS:
            fewer = rows[:start] + rows[start + step :]
            found = cut(fewer, None)
            first, rows, start = (found, fewer, start) if found else (first, rows, start + step)
    columns = list(failure.columns)
    for name in failure.columns:
        fewer = [one for one in columns if one != name]
        if fewer and len(sizes) < MOST_CUTS and (found := cut(rows, fewer)):
            first, columns = found, fewer
    return first


def _chain(error):
    """The messages of an error and of those that a traceback shows above it."""
    said = []
    while error is not None:
        said += [str(error), *getattr(error, "__notes__", ())]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(said)


@contextmanager
def _folder(case):
    case.folder = tempfile.mkdtemp(prefix="unveil-fuzz-", dir=HOME)
    before = Path.cwd()
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(case.folder, ignore_errors=True)


class _Ears(logging.Handler):
    def __init__(self, case):
        super().__init__()
        self.case = case

    def emit(self, record):
        self.case.heard("log", record.getMessage())


@contextmanager
def _ears(case):
    """Hear what is logged, and keep it from the screen."""
    logger, handler = logging.getLogger("unveil"), _Ears(case)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


@contextmanager
def _watch():
    """End a case that computes for too long."""

    def end(_number, _frame):
        raise HangError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
