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
        self.numbers, self.kind = (seed, number), kind
        self.draw, self.tables = Draw(seed, number, 1), Draw(seed, number, 2)
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

    def failure(self, invariant, said):
        """What failed, with all that was done."""
        columns = tuple(self.made[0].frame.columns) if self.made else ()
        tables = [
            f"{made.shape} {made.frame.to_dict(as_series=False)}\n"
            f"types {list(map(str, made.frame.dtypes))}\nschema {made.schema}"
            for made in self.made
        ]
        shown = "\n".join([*(one[:2000] for one in self.done), *tables])
        return Failure(*self.numbers, self.kind, invariant, said, shown, columns)


def kind_of(seed, number):
    return Draw(seed, number, 0).one_by_weight(WEIGHTS)


def run_case(seed, number, *, smaller=None, kind=None):
    """Run one case, and judge it."""
    case = Case(seed, number, kind or kind_of(seed, number), smaller)
    refused, failure = False, None
    with _stage(case):
        try:
            try:
                BY_NAME[case.kind](case)
            except unveil.UnveilError as refusal:
                refused = True
                case.refuse(refusal)
            checks.no_canary(case.said)
            checks.readable(case.said)
        except checks.BrokenError as broken:
            failure = case.failure(broken.invariant, str(broken))
        except (Exception, HangError, SystemExit) as error:  # noqa: BLE001 - this is the test
            frames = traceback.extract_tb(error.__traceback__)
            last = ([one for one in frames if "/unveil/" in one.filename] or frames)[-1]
            where = f"{last.name}, {Path(last.filename).name}:{last.lineno}"
            failure = case.failure(type(error).__name__, f"{str(error)[:500]} in {where}")
    return Result(case.kind, refused, failure, case.counts)


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


def _compiles(frame):
    """Whether numba is at work in a frame or in those that called it."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(("numba.", "llvmlite.")):
            return True
        frame = frame.f_back
    return False


@contextmanager
def _stage(case):
    """A folder of its own; an ear for what is logged; warnings are errors; an end to a hang."""

    def end(_number, frame):
        if _compiles(frame):  # once per machine; numba does not survive an error in the middle
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        else:
            raise HangError(f"more than {SECONDS} s")

    logger, ear = logging.getLogger("unveil"), logging.Handler()
    ear.emit = lambda record: case.heard("log", record.getMessage())
    place, propagates, handler = Path.cwd(), logger.propagate, signal.signal(signal.SIGPROF, end)
    case.folder = tempfile.mkdtemp(prefix="unveil-fuzz-", dir=HOME)
    data = os.environ.pop("UNVEIL_DATA", None)  # the papers would be reproduced: minutes
    logger.addHandler(ear)
    logger.propagate = False
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        logger.removeHandler(ear)
        logger.propagate = propagates
        if data is not None:
            os.environ["UNVEIL_DATA"] = data
        os.chdir(place)
        shutil.rmtree(case.folder, ignore_errors=True)
