"""Output of the command line: tables on a terminal, plain text in a pipe, JSON on request."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
import msgspec

from unveil.errors import FileError
from unveil.wording import printable, reason


def say(line: str = "") -> None:
    """Print a line to standard output."""
    _echo(printable(line))


def complain(line: str) -> None:
    """Print a line to standard error."""
    click.echo(printable(line), err=True)


def print_json(value: Any) -> None:
    """Print a result as JSON to standard output, with non-ASCII characters escaped."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    _echo(re.sub(r"[^\n -~]", lambda match: json.dumps(match[0])[1:-1], text))


def _echo(line: str) -> None:
    try:
        click.echo(line)
    except OSError as error:
        # The rest of the buffer would fail again at exit, with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # nobody reads any more
            raise SystemExit(0) from None
        raise FileError(f"the result cannot be printed: {reason(error)}") from None


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()
) -> None:
    """Print a table; the columns in ``numbers`` are right-aligned."""
    rows = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich(head, rows, numbers)
        return
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        cells = [
            cell.rjust(width) if name in numbers else cell.ljust(width)
            for cell, width, name in zip(row, widths, head, strict=True)
        ]
        _echo("  ".join(cells).rstrip())


def _print_rich(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in head:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: a cell is never read as markup
    Console().print(table)


@contextmanager
def progress(task: str) -> Iterator[Callable[[str], None]]:
    """Show the current task on standard error, on a terminal; yields a function for the next."""
    if not sys.stderr.isatty():
        yield lambda _task: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(printable(task))) as status:
        yield lambda task: status.update(Text(printable(task)))


@contextmanager
def bar(task: str) -> Iterator[Callable[[str, float, float], None]]:
    """Show a progress bar on standard error, on a terminal.

    Yields a function of the current task, how much of all tasks is done, and the total.
    """
    if not sys.stderr.isatty():
        yield lambda _task, _done, _total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    left = (TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, *left, console=Console(stderr=True), transient=True) as shown:
        job = shown.add_task(escape(printable(task)), total=None)

        def show(task: str, done: float, total: float) -> None:
            shown.update(job, description=escape(printable(task)), completed=done, total=total)

        yield show
