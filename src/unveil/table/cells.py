r"""Generalised cells: ranges, sets, prefixes and stars in one text grammar.

::

    cell  = "*"                     any value; not the same as missing
          | [value] ".." [value]    from .. to, both ends inside; one end may be open
          | "{" value { "|" value } "}"
          | value "*"               any value with this prefix; of nominal attributes
          | value                   or the name of a group of the attribute's hierarchy
    value = text, not empty, in which \ stands before each of * { } | \ and before a dot
            that begins it, ends it or has a dot beside it
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from unveil.errors import MalformedCellError

STAR = "*"
_TOKEN = re.compile(r"\\.|\.\.|[*{}|]|[^\\.*{}|]+|\.", re.DOTALL)
_GRAMMAR = {"..", *"*{}|"}
_TO_ESCAPE = re.compile(r"[\\*{}|]|(?:\A|(?<=\.))\.|\.(?=\.|\Z)")


class Star(NamedTuple):
    """Any value at all."""


class Range(NamedTuple):
    """From a value to another, both inside; None is an open end."""

    lower: str | None
    upper: str | None


class OneOf(NamedTuple):
    """One of several values; a plain value is a set of one."""

    values: tuple[str, ...]


class Prefix(NamedTuple):
    """Any value that begins with a text."""

    text: str


Cell = Star | Range | OneOf | Prefix


def parse_cell(text: str) -> Cell:
    r"""Read one cell.

    >>> parse_cell("20..24")
    Range(lower='20', upper='24')
    >>> parse_cell("{a|b}"), parse_cell("*"), parse_cell(r"\*")
    (OneOf(values=('a', 'b')), Star(), OneOf(values=('*',)))
    >>> parse_cell("010*")
    Prefix(text='010')
    """
    if text == STAR:
        return Star()
    tokens: list[str] = _TOKEN.findall(text)
    if not tokens or "".join(tokens) != text:  # a backslash with nothing after it
        raise MalformedCellError
    if tokens[0] == "{" and tokens[-1] == "}":
        return OneOf(tuple(_value(part) for part in _split(tokens[1:-1], "|")))
    if ".." in tokens:
        ends = _split(tokens, "..")
        if len(ends) != 2 or not any(ends):
            raise MalformedCellError
        return Range(*(_value(end) if end else None for end in ends))
    if tokens[-1] == STAR:
        return Prefix(_value(tokens[:-1]))
    return OneOf((_value(tokens),))


def write_range(lower: str | None, upper: str | None) -> str:
    """Write a range; None is an open end."""
    if lower is None and upper is None:
        return STAR
    ends = ("" if end is None else escape(end) for end in (lower, upper))
    return "..".join(ends)


def write_set(values: Sequence[str]) -> str:
    """Write a set of values; a set of one is the value itself."""
    if len(values) == 1:
        return escape(values[0])
    return "{" + "|".join(escape(value) for value in values) + "}"


def write_prefix(text: str) -> str:
    """Write a prefix; the empty prefix is a star."""
    return (escape(text) if text else "") + STAR


def escape(value: str) -> str:
    r"""Write a value so that nothing in it is read as grammar."""
    if not value:
        raise MalformedCellError
    return _TO_ESCAPE.sub(lambda found: "\\" + found[0], value)


def _split(tokens: list[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _value(tokens: list[str]) -> str:
    if not tokens or not _GRAMMAR.isdisjoint(tokens):
        raise MalformedCellError
    return "".join(token[1:] if token.startswith("\\") else token for token in tokens)
