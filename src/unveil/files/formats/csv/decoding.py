"""The text of a CSV file as UTF-8, piece by piece, so that no file is too large to be read."""

import codecs
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from unveil.errors import DataError, FileError
from unveil.files.formats.csv.header import Dialect, parsable, parse_records

PIECE_BYTES = 2**24  # read at once
_OTHER_FORMATS = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"PK\x03\x04": "a zip file",
    b"\x1f\x8b": "a gzip file",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata_d": "a Stata file",
    b"SQLite f": "an SQLite file",
}
_WORKBOOK_PARTS = (b"xl/workbook", b"opendocument.spreadsheet")  # of zip files
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_HEAD_BYTES = 8  # they tell the kind of a file


def open_seekable(path: Path) -> IO[bytes]:
    """A file that can be read twice; the bytes of a pipe are held in memory."""
    file = path.open("rb")
    if file.seekable():
        return file
    with file:
        return io.BytesIO(file.read())


class DecodedText:
    """The text of a file as UTF-8, in pieces; its beginning can be looked at before.

    The lines of a file without line feeds end in carriage returns.
    """

    def __init__(self, file: IO[bytes], encoding: str, quote: str) -> None:
        pieces = _decoded(file, encoding, quote)
        first = next(pieces, b"")
        self._by_returns = b"\n" not in first and not any(b"\n" in piece for piece in pieces)
        if b"\n" not in first:  # the file was searched for one
            pieces = _decoded(file, encoding, quote)
            first = next(pieces, b"")
        self._pieces = map(self._with_feeds, pieces)
        self._held = [self._with_feeds(first)]

    def lines(self) -> Iterator[bytes]:
        """The lines from the beginning; what is looked at is held."""

        def pieces() -> Iterator[bytes]:
            yield from list(self._held)
            for piece in self._pieces:
                self._held.append(piece)
                yield piece

        return _lines(pieces())

    def pieces_after(self, start: int) -> Iterator[bytes]:
        """The pieces from a byte that was looked at; nothing is held any more."""
        yield b"".join(self._held)[start:]
        self._held.clear()
        yield from self._pieces

    def check_to_end(self) -> None:
        """Read to the end: an error of the text as a whole comes before all others."""
        for _ in self._pieces:
            pass

    def _with_feeds(self, piece: bytes) -> bytes:
        return piece.replace(b"\r", b"\n") if self._by_returns else piece


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text in pieces, with their line breaks."""
    rest = b""
    for piece in pieces:
        text, rest = rest + piece, b""
        for line in io.BytesIO(text):
            if line.endswith(b"\n"):
                yield line
            else:
                rest = line
    if rest:
        yield rest


def _decoded(file: IO[bytes], encoding: str, quote: str) -> Iterator[bytes]:
    """The file's text as UTF-8; refuse a file that is no text."""
    _check_kind(file, encoding)
    begun, blank, zero = False, True, False
    try:
        for text in _strings(file, encoding):
            plain = (text if begun else text.removeprefix("\ufeff")).encode()
            begun = True
            zero |= b"\0" in plain
            blank &= not plain or plain.isspace()
            if plain and not zero:
                yield plain
    except _UndecodableError as error:
        raise _undecodable(file, error.start, encoding, quote) from None
    except UnicodeError:
        raise FileError(f"this is not {encoding} text; name the right --encoding") from None
    if zero:
        raise FileError("this is not a text file: it holds zero bytes")
    if blank:
        raise FileError("the file is empty; give one with a header and records")


def _check_kind(file: IO[bytes], encoding: str) -> None:
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    for magic, name in _OTHER_FORMATS.items():
        if head.startswith(magic):
            rest = file.read() if name == "a zip file" else b""
            workbook = any(part in rest for part in _WORKBOOK_PARTS)
            found = "an Excel workbook" if workbook else name
            raise FileError(f"this is {found}, not CSV; rename it with the right ending")
    wide = next((name for mark, name in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), "")
    if not encoding.lower().replace("_", "-").startswith(wide):
        raise FileError(
            f"the text is stored as {wide}: read it with encoding='{wide}' (--encoding {wide})"
        )


class _UndecodableError(Exception):
    """The first byte of a file that is not of its encoding."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def _strings(
    file: IO[bytes], encoding: str, errors: str = "strict", end: int | None = None
) -> Iterator[str]:
    """The file's text up to a byte, piece by piece, none empty."""
    file.seek(0)
    head, kind, place, more = file.read(_HEAD_BYTES), codecs.lookup(encoding).name, 0, True
    if kind in ("utf-16", "utf-32") and not head.startswith(tuple(_BYTE_ORDER_MARKS)):
        kind += "-le" if sys.byteorder == "little" else "-be"  # as Python has it for whole texts
    if kind == "utf-8-sig":  # whose errors are counted from after the mark
        kind, place = "utf-8", len(codecs.BOM_UTF8) * head.startswith(codecs.BOM_UTF8)
    file.seek(place)
    decoder = codecs.getincrementaldecoder(kind)(errors)
    while more:
        raw = file.read(PIECE_BYTES if end is None else min(PIECE_BYTES, end - place))
        more = bool(raw)
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(raw, final=not more)
        except UnicodeDecodeError as error:
            raise _UndecodableError(place - pending + error.start) from None
        place += len(raw)
        if text:
            yield text


def _undecodable(file: IO[bytes], start: int, encoding: str, quote: str) -> FileError:
    """The error that names the row of the first byte that is not of its encoding."""
    feeds = any("\n" in text for text in _strings(file, encoding, "replace", start))

    def before() -> Iterator[bytes]:
        for text in _strings(file, encoding, "replace", start):
            yield (text if feeds else text.replace("\r", "\n")).encode(errors="replace")
        yield b"x"  # in the place of that byte

    lines = map(parsable, _lines(before()))
    row = sum(1 for _ in parse_records(lines, Dialect(",", quote), strict=False)) - 1
    where = f"row {row}" if row else "the header"
    hint = "latin-1" if encoding.lower().startswith("utf") else "utf-8"
    return FileError(
        f"{where} has bytes that are not {encoding} text; "
        f"name the right encoding (--encoding), perhaps {hint}"
    )


def encode_pieces(texts: Iterable[str], encoding: str) -> Iterator[bytes]:
    """A text in an encoding, piece by piece; a byte order mark begins the first only."""
    encoder = codecs.getincrementalencoder(encoding)()
    try:
        for text in texts:
            yield encoder.encode(text)
        yield encoder.encode("", final=True)
    except UnicodeEncodeError:
        raise DataError(f"the text does not fit the encoding {encoding}; write utf-8") from None
