"""What the command line prints: tables for people, plain text in a pipe, JSON on request."""

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


def say_lines(text: str) -> None:
    """Print a text of several lines to standard output."""
    for line in text.splitlines():
        say(line)


def complain(line: str) -> None:
    """Print a line to standard error."""
    click.echo(printable(line), err=True)


def print_json(value: Any) -> None:
    """Print a result as JSON to standard output; what is not printable is escaped."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    _echo(re.sub(r"[^\n -~]", lambda found: json.dumps(found[0])[1:-1], text))


def _echo(line: str) -> None:
    try:
        click.echo(line)
    except OSError as error:
        # What is still in the buffer would fail again at the end, with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has gone: nobody is left to tell
            raise SystemExit(0) from None
        raise FileError(f"the result cannot be printed: {reason(error)}") from None


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()
) -> None:
    """Print a table; the columns named in ``numbers`` are set flush right."""
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
def progress(doing: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error what is being done, while it is, on a terminal only.

    What it yields is called with what is being done next.
    """
    if not sys.stderr.isatty():
        yield lambda _doing: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(printable(doing))) as status:
        yield lambda doing: status.update(Text(printable(doing)))


@contextmanager
def bar(doing: str) -> Iterator[Callable[[str, float, float], None]]:
    """Show on standard error how far a long job has come and how long it will take, on a terminal.

    What it yields is called with what is being done, how much of all, and of how much.
    """
    if not sys.stderr.isatty():
        yield lambda _doing, _done, _total: None
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
        job = shown.add_task(escape(printable(doing)), total=None)

        def show(doing: str, done: float, total: float) -> None:
            shown.update(job, description=escape(printable(doing)), completed=done, total=total)

        yield show
