"""The records of a CSV file in blocks: cut between records, each as wide as the header."""

import csv
import io
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.errors import DataError
from unveil.files.formats.csv.header import Dialect, malformed, parsable, parse_records
from unveil.wording import count

Widths = NDArray[np.int64]  # the number of cells of each record


def record_blocks(pieces: Iterable[bytes], dialect: Dialect, width: int) -> Iterator[bytes]:
    """The text after the header in blocks of whole records; blank last lines are left out.

    Rows that are not as wide as the header are refused at the end, when they are counted;
    after the first of them no block is handed out.
    """
    ragged = _RaggedRows(width)
    rest, parts = b"", list[bytes]()
    for piece in pieces:
        parts.append(piece)
        if sum(map(len, parts)) < len(rest):  # no long record is parsed for each of its pieces
            continue
        text = b"".join([rest, *parts])
        parts.clear()
        end, widths = _whole_records(text, dialect, last=False)
        ragged.add(widths)
        block, rest = text[:end], text[end:]
        if block and not ragged.n_ragged:
            yield block
    text = b"".join([rest, *parts])
    block = text.rstrip(b"\r\n") if width > 1 else text
    ragged.add(_whole_records(block, dialect, last=True)[1])
    if block and not ragged.n_ragged:
        yield block
    ragged.refuse()


def _whole_records(text: bytes, dialect: Dialect, *, last: bool) -> tuple[int, Widths]:
    """Where the whole records in a text end, and their widths.

    If more follows, the last record that is not blank is left for later, with all blank lines
    after it: it may go on, and blank lines at the end of a file are no records.
    """
    if dialect.quote and dialect.quote.encode() in text:
        return _quoted_records(text, dialect, last=last)
    end = len(text) if last else text.rstrip(b"\r\n").rfind(b"\n") + 1
    characters = np.frombuffer(text[:end], np.uint8)
    line_ends = np.flatnonzero(characters == ord("\n"))
    if end and text[end - 1] != ord("\n"):
        line_ends = np.append(line_ends, end)
    delimiters = np.flatnonzero(characters == ord(dialect.delimiter))
    return end, np.diff(np.searchsorted(delimiters, line_ends), prepend=0) + 1


def _quoted_records(text: bytes, dialect: Dialect, *, last: bool) -> tuple[int, Widths]:
    read, ended = 0, False

    def lines() -> Iterator[str]:
        nonlocal read, ended
        for line in io.BytesIO(text):
            read += len(line)
            yield parsable(line)
        ended = True

    widths, start, end, n_whole = list[int](), 0, 0, 0
    try:
        for record in parse_records(lines(), dialect):
            if record:
                end, n_whole = start, len(widths)
            widths.append(max(len(record), 1))
            start = read
    except csv.Error:
        if last or not ended:
            raise malformed() from None
        end, n_whole = start, len(widths)  # a cell with a line break goes on
    if last:
        end, n_whole = len(text), len(widths)
    return end, np.array(widths[:n_whole], np.int64)


class _RaggedRows:
    """Counts the rows that are not as wide as the header."""

    def __init__(self, width: int) -> None:
        self.width, self.n_rows, self.n_ragged = width, 0, 0
        self._first = (0, 0)  # the row, and its cells

    def add(self, widths: Widths) -> None:
        ragged = np.flatnonzero(widths != self.width)
        if len(ragged) and not self.n_ragged:
            self._first = (self.n_rows + int(ragged[0]) + 1, int(widths[ragged[0]]))
        self.n_rows += len(widths)
        self.n_ragged += len(ragged)

    def refuse(self) -> None:
        if self.n_ragged:
            row, cells = self._first
            raise DataError(
                f"row {row} has {count(cells, 'cell')} and the header "
                f"{count(self.width, 'column')} (such rows: {self.n_ragged:,} of "
                f"{self.n_rows:,}); correct the rows, or name the delimiter or the quote "
                "(--delimiter, --quote)"
            )
