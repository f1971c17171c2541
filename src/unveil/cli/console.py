"""Output of the command line: tables on a terminal, plain text in a pipe, JSON on request."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click
import msgspec

from unveil.errors import FileError
from unveil.support.options import TaskProgress
from unveil.wording import printable, reason

if TYPE_CHECKING:
    from unveil.reports.content import Line

SECONDS_BEFORE, SHARE_BEFORE = 5, 0.01  # of the work, before its speed is known
WIDEST = 120  # characters of a table in a pipe, before cells are wrapped
STYLES = {"broken": "bold red", "kept": "green"}  # of the cells of a policy's limits
FAILED = 1  # exit code: a policy is not kept, or a replay differs


def say(line: str = "") -> None:
    """Print a line to standard output."""
    _echo(printable(line))


def print_lines(lines: Iterable[Line]) -> None:
    """Print the lines and tables of a result."""
    for line in lines:
        if isinstance(line, str):
            say(line)
        else:
            print_table(*line)


def note(line: str) -> None:
    """Print a line beside the result, such as which files were written; not if quiet."""
    if not has_flag("quiet"):
        say(line)


def complain(line: str) -> None:
    """Print a line to standard error, if that can be written."""
    with suppress(OSError):
        click.echo(printable(line), err=True)


def print_json(value: Any) -> None:
    """Print a result as JSON to standard output, with non-ASCII characters escaped."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    _echo(re.sub(r"[^\n -~]", lambda match: json.dumps(match[0])[1:-1], text))


def _echo(line: str) -> None:
    with printing():
        click.echo(line)


@contextmanager
def printing() -> Iterator[None]:
    """Turn a standard output that cannot be written into an error, but for a closed pipe.

    Then the command goes on without output: whether a policy is kept must not depend on how much
    of the result is read (``unveil audit ... | head``).
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:  # a file's
            raise
        # The rest of the buffer would fail again at exit, with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # nobody reads any more
            return
        raise FileError(f"the result cannot be printed: {reason(error)}") from None


def open_streams() -> None:
    """Give standard streams that are closed (`>&-`) a place; a file would get their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def print_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[str] = (),
    *,
    stacked: bool = False,
) -> None:
    """Print a table; the columns in ``numbers`` are right-aligned.

    The lines of a cell are printed below each other if the table is ``stacked``; else a line break
    in a cell is escaped like every control character.
    """
    rows = [
        ["\n".join(map(printable, cell.split("\n") if stacked else [cell])) for cell in row]
        for row in rows
    ]
    if sys.stdout.isatty():
        _print_rich(head, rows, numbers)
        return
    widths = _widths([head, *rows])
    for row in [head, *rows]:
        columns = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for cells in zip_longest(*columns, fillvalue=""):
            aligned = (
                cell.rjust(width) if name in numbers else cell.ljust(width)
                for cell, width, name in zip(cells, widths, head, strict=True)
            )
            _echo("  ".join(aligned).rstrip())


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The widths of columns; the widest are narrowed to fit, but no word is cut."""
    columns = list(zip(*rows, strict=True))
    widths = [
        max(len(line) for cell in column for line in [*cell.split("\n"), ""]) for column in columns
    ]
    least = [
        max(len(word) for cell in column for word in [*cell.split(), ""]) for column in columns
    ]
    while sum(widths) + 2 * (len(widths) - 1) > WIDEST:
        wide = [place for place in range(len(widths)) if widths[place] > least[place]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _wrapped(cell: str, width: int) -> list[str]:
    return [
        line
        for part in cell.split("\n")
        for line in textwrap.wrap(
            part, max(width, 1), break_long_words=False, break_on_hyphens=False
        )
    ]


def _print_rich(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in head:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        # Text: a cell is never read as markup. Rich leaves colours out if NO_COLOR is set.
        table.add_row(*(Text(cell, STYLES.get(cell.lower(), "")) for cell in row))
    Console().print(table)


@contextmanager
def progress(task: str) -> Iterator[TaskProgress]:
    """Show what is done, on standard error: a bar on a terminal, or lines if verbose."""
    if has_flag("quiet"):
        yield lambda _task, _done, _total: None
    elif has_flag("verbose"):
        yield _lines(task)
    elif sys.stderr.isatty():
        with _bar(task) as show:
            yield show
    else:
        yield lambda _task, _done, _total: None


def _lines(task: str) -> TaskProgress:
    logger, last = logging.getLogger("unveil"), [task]
    logger.info("%s", printable(task))

    def show(task: str, _done: float, _total: float) -> None:
        if task != last[0]:
            last[0] = task
            logger.info("%s", printable(task))

    return show


def time_left(done: float, total: float, seconds: float) -> str:
    """The time that the rest of the work takes at the speed so far; nothing until that is known.

    >>> time_left(20, 80, seconds=30), time_left(20, 80, seconds=1)
    ('left: 0:01:30', '')
    """
    if seconds < SECONDS_BEFORE or done <= SHARE_BEFORE * total:
        return ""
    return f"left: {timedelta(seconds=round((total - done) / done * seconds))}"


@contextmanager
def _bar(task: str) -> Iterator[TaskProgress]:
    from rich import progress as rich
    from rich.console import Console
    from rich.markup import escape

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.TimeElapsedColumn())
    left = rich.TextColumn("{task.fields[left]}")
    with rich.Progress(*columns, left, console=Console(stderr=True), transient=True) as shown:
        job, begun = shown.add_task(escape(printable(task)), total=None, left=""), 0.0

        def show(task: str, done: float, total: float) -> None:
            nonlocal begun
            begun = begun or shown.get_time()  # what was before, such as reading, is not counted
            said, known = escape(printable(task)), total or None  # the work may be unknown
            left = time_left(done, total, shown.get_time() - begun)
            shown.update(job, description=said, completed=done, total=known, left=left)

        yield show


@contextmanager
def log_level(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Set the logger `unveil` to print warnings, only errors, or each task as well."""
    logger, handler = logging.getLogger("unveil"), logging.StreamHandler()
    before = logger.level
    if quiet:
        logger.setLevel(logging.ERROR)
    if verbose:
        handler.setFormatter(_Seconds())
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        if verbose:
            logger.info("done")
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Seconds(logging.Formatter):
    """Messages with the seconds since the start."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{record.relativeCreated / 1000:8.2f} s  {super().format(record)}"


def has_flag(option: str) -> bool:
    """Whether a global option is given, such as `unveil --quiet`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get(option))
