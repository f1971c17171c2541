"""The records of a CSV file in blocks: cut at the ends of records, each as wide as the header."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import DataError
from unveil.files.formats.csv.header import Dialect, countable, records, unreadable
from unveil.wording import count

Widths = NDArray[np.int64]


def blocks(pieces: Iterable[bytes], dialect: Dialect, width: int) -> Iterator[bytes]:
    """The text after the header in blocks of whole records; blank last lines are left out.

    Rows that are not as wide as the header are refused at the end, when they are counted;
    after the first of them no block is handed out.
    """
    ragged = _Ragged(width)
    rest, ahead, last = b"", _with_last(pieces), False
    while not last:
        text, last = _grown(rest, ahead)
        if last and width > 1:
            text = text.rstrip(b"\r\n")
        found = _whole_records(text, dialect, last=last)
        ragged.add(found.widths)
        block, rest = text[: found.end], text[found.end :]
        if block and not ragged.many:
            yield block
    ragged.refuse()


def _with_last(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each piece, and whether it is the last."""
    ahead = iter(pieces)
    piece = next(ahead)
    for following in ahead:
        yield piece, False
        piece = following
    yield piece, True


def _grown(rest: bytes, ahead: Iterator[tuple[bytes, bool]]) -> tuple[bytes, bool]:
    """A text with what follows: at least as much again, so that no record is parsed often."""
    parts, size = [rest], 0
    for piece, last in ahead:
        parts.append(piece)
        size += len(piece)
        if last or size >= len(rest):
            break
    return b"".join(parts), last


class _Found(NamedTuple):
    end: int  # of the text that is whole records
    widths: Widths  # how many cells each of them has


def _whole_records(text: bytes, dialect: Dialect, *, last: bool) -> _Found:
    """The records that a text holds.

    If more follows, the last that is not blank is left for later, with all blank lines after
    it: it may go on, and blank lines at the end of a file are no records.
    """
    if dialect.quote and dialect.quote.encode() in text:
        return _quoted_records(text, dialect, last=last)
    end = len(text) if last else text.rstrip(b"\r\n").rfind(b"\n") + 1
    return _Found(end, _unquoted_widths(text[:end], dialect.delimiter))


def _unquoted_widths(text: bytes, delimiter: str) -> Widths:
    """The number of cells in each line of a text without quotes."""
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if text and not text.endswith(b"\n"):
        ends = np.append(ends, len(characters))
    marks = np.searchsorted(np.flatnonzero(characters == ord(delimiter)), ends)
    return np.diff(marks, prepend=0) + 1


def _quoted_records(text: bytes, dialect: Dialect, *, last: bool) -> _Found:
    read, ended = 0, False

    def lines() -> Iterator[str]:
        nonlocal read, ended
        for line in io.BytesIO(text):
            read += len(line)
            yield countable(line)
        ended = True

    widths, start, end, many = list[int](), 0, 0, 0
    try:
        for record in records(lines(), dialect):
            if record:
                end, many = start, len(widths)
            widths.append(max(len(record), 1))
            start = read
    except csv.Error:
        if last or not ended:
            raise unreadable() from None
        end, many = start, len(widths)  # a cell with a line break goes on
    if last:
        end, many = len(text), len(widths)
    return _Found(end, np.array(widths[:many], np.int64))


class _Ragged:
    """The rows that are not as wide as the header."""

    def __init__(self, width: int) -> None:
        self.width, self.rows, self.many = width, 0, 0
        self._first = (0, 0)  # the row, and its cells

    def add(self, widths: Widths) -> None:
        """Look at the next rows."""
        ragged = np.flatnonzero(widths != self.width)
        if len(ragged) and not self.many:
            self._first = (self.rows + int(ragged[0]) + 1, int(widths[ragged[0]]))
        self.rows += len(widths)
        self.many += len(ragged)

    def refuse(self) -> None:
        """Refuse them, if there are any."""
        if self.many:
            row, cells = self._first
            raise DataError(
                f"the header names {count(self.width, 'column')} and row {row} has "
                f"{count(cells, 'cell')}; such rows: {self.many:,} of {self.rows:,}"
            )
