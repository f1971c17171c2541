"""Read the data frame of a file that R's `save` wrote (.rda): numbers, text and factors.

The form is that of "R Internals", Serialization Formats: versions 2 and 3, big-endian (XDR), plain
or compressed. Other objects of R are refused.
"""

import bz2
import gzip
import lzma
import struct
import zlib
from typing import Any

from unveil.errors import FileError

MISSING_INTEGER = -(2**31)
_OPENERS = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress, b"\xfd7": lzma.decompress}
# What a damaged file leads to: compressed, cut short, or with other objects than promised.
_DAMAGED = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(EOFError, OSError, lzma.LZMAError, struct.error, zlib.error),
)
_WIDTHS = {10: "i", 13: "i", 14: "d"}  # logical, integer, real
_CONSTANTS = {241, 242, 251, 252, 253, 254}  # environments, nil, a missing argument
_SYMBOL, _PAIRS, _STRING, _STRINGS, _LIST, _COMPACT, _REFERENCE = 1, 2, 9, 16, 19, 238, 255


def read_data_frame(content: bytes) -> dict[str, list[str | None]]:
    """The columns of the only data frame of a file, as text; None is missing."""
    try:
        content = _OPENERS.get(content[:2], bytes)(content)
        if content[:7] not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            raise _not_read()
        frames = _Reader(content, 7).columns()
    except _DAMAGED:
        raise _not_read() from None
    if len(frames) != 1:
        raise _not_read()
    return frames[0]


def _not_read() -> FileError:
    return FileError("this is not a file of R's save with one data frame of numbers and text")


class _Reader:
    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place = content, place
        self.symbols: list[str] = []
        version = self._numbers("i", 3)[0]  # then those of the writer and of the oldest reader
        if version == 3:
            self._text(self._numbers("i", 1)[0])  # the encoding

    def columns(self) -> list[dict[str, list[str | None]]]:
        """The data frames among the saved objects."""
        saved, _ = self._item()
        frames = []
        for value, attributes in saved.values():
            if isinstance(value, list) and "data.frame" in attributes.get("class", ([], {}))[0]:
                names = attributes["names"][0]
                frames.append(dict(zip(names, map(_cells, value), strict=True)))
        return frames

    def _numbers(self, kind: str, many: int) -> list[Any]:
        form = f">{many}{kind}"
        found = struct.unpack_from(form, self.content, self.place)
        self.place += struct.calcsize(form)
        return list(found)

    def _text(self, length: int) -> str | None:
        if length < 0:
            return None
        self.place += length
        return self.content[self.place - length : self.place].decode()

    def _item(self) -> tuple[Any, dict[str, Any]]:
        """A value and its attributes."""
        (flags,) = self._numbers("i", 1)
        kind, value = flags & 255, None
        if kind == _REFERENCE:
            value = self.symbols[(flags >> 8 or self._numbers("i", 1)[0]) - 1]
        elif kind == _SYMBOL:
            value = self._item()[0]
            self.symbols.append(value)
        elif kind == _STRING:
            value = self._text(self._numbers("i", 1)[0])
        elif kind == _PAIRS:
            value = self._pairs(flags)
        elif kind == _COMPACT:
            value = self._range()
        elif kind not in _CONSTANTS:
            value = self._vector(kind)
            return value, self._item()[0] if flags & 0x200 else {}
        return value, {}

    def _vector(self, kind: int) -> list[Any]:
        (many,) = self._numbers("i", 1)
        if kind in _WIDTHS:
            return self._numbers(_WIDTHS[kind], many)
        if kind not in (_STRINGS, _LIST):
            raise _not_read()
        items = (self._item() for _ in range(many))
        return list(items) if kind == _LIST else [text for text, _ in items]

    def _range(self) -> list[int]:
        """Row numbers, which R writes as their number, the first and the step."""
        (_, ((many, first, step), _), _) = self._item(), self._item(), self._item()
        if many > len(self.content):
            raise _not_read()
        return [int(first + i * step) for i in range(int(many))]

    def _pairs(self, flags: int) -> dict[str, Any]:
        found = {}
        while flags & 255 == _PAIRS:
            if flags & 0x200:
                self._item()
            name = self._item()[0] if flags & 0x400 else ""
            found[name] = self._item()
            (flags,) = self._numbers("i", 1)
        return found


def _cells(column: tuple[list[Any], dict[str, Any]]) -> list[str | None]:
    """A column as text; a factor holds the numbers of its levels, from 1."""
    values, attributes = column
    known = [None if value == MISSING_INTEGER or value != value else value for value in values]  # noqa: PLR0124
    if "levels" in attributes:
        levels = attributes["levels"][0]
        return [None if value is None else levels[value - 1] for value in known]
    return [None if value is None else _written(value) for value in known]


def _written(value: str | float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
