"""Phrases: sentences whose figures keep their exact values, for a terminal and for a page."""

import re
from collections.abc import Callable, Iterable
from math import floor
from typing import Literal

import msgspec

from unveil.wording import LISTED, printable

Form = Literal[
    "count", "expected", "share", "level", "points", "decimal", "rate", "chance", "plain"
]
LEAST_END = 0.0005  # of an interval: below it an end is 0, and not a little above 0
_PARTS = re.compile(r"\{\}|\[([^\]]+)\]\(([a-z0-9-]+)\)")


class Figure(msgspec.Struct, frozen=True, tag="figure"):
    """A number: its exact value, and how it is written."""

    value: float
    form: Form

    def __str__(self) -> str:
        return _WRITTEN[self.form](self.value)


class _Text(msgspec.Struct, frozen=True):
    text: str

    def __str__(self) -> str:
        return self.text


class Name(_Text, frozen=True, tag="name"):
    """A name given by the data or its steward: a column, a file, a group."""


class Term(_Text, frozen=True, tag="term"):
    """A word of the field, and its entry in the glossary."""

    key: str


class Mark(_Text, frozen=True, tag="mark"):
    """A sign and its meaning."""

    means: str


Piece = str | Figure | Name | Term | Mark
Phrase = tuple[Piece, ...]


def phrase(text: str, *parts: Piece | Phrase) -> Phrase:
    """Text with a part for each {}, and [terms of the field](key) as terms.

    >>> phrase("[linked](linked): {} of {}", counted(90), counted(1080))[-1]
    Figure(value=1080, form='count')
    >>> plain(phrase("[linked](linked): {} of {}", counted(90), counted(1080)))
    'linked: 90 of 1,080'
    """
    if len(parts) != sum(found[0] == "{}" for found in _PARTS.finditer(text)):
        raise ValueError("a phrase has a {} for each of its parts")
    pieces, waiting, place = list[Piece](), list(parts), 0
    for found in _PARTS.finditer(text):
        pieces.append(text[place : found.start()])
        place = found.end()
        if found[1]:
            pieces.append(Term(found[1], found[2]))
        else:
            part = waiting.pop(0)
            pieces += part if isinstance(part, tuple) else (part,)
    return tuple(piece for piece in (*pieces, text[place:]) if piece != "")


def plain(words: Piece | Phrase | None) -> str:
    """A phrase as text."""
    if words is None:
        return ""
    return "".join(map(str, words)) if isinstance(words, tuple) else str(words)


def name(text: str) -> Name:
    r"""A name that is safe to show: control characters are escaped."""
    return Name(printable(text))


def names(texts: Iterable[str], limit: int = LISTED) -> Phrase:
    """Names in a sentence, cut short where there are many."""
    texts = list(texts)
    pieces: list[Piece] = []
    for text in texts[:limit]:
        pieces += [", ", name(text)] if pieces else [name(text)]
    if len(texts) > limit:
        pieces += [" and ", counted(len(texts) - limit), " more"]
    return tuple(pieces)


def counted(value: float) -> Figure:
    """A count; large ones are written without decimals."""
    return Figure(value, "count")


def several(value: float, noun: str) -> Phrase:
    """A count with its noun."""
    plural = {"person": "people", "match": "matches"}.get(noun, f"{noun}s")
    return counted(value), f" {noun if value == 1 else plural}"


def expected(value: float) -> Figure:
    """An expected number, to a tenth."""
    return Figure(value, "expected")


def percent(value: float) -> Figure:
    """A share, in percent."""
    return Figure(value, "share")


def lower_end(value: float) -> Figure:
    """The lower end of an interval of a share, in percent; an end that rounds to 0 is 0.

    >>> str(lower_end(1e-17)), str(lower_end(0.0004)), str(lower_end(0.0006))
    ('0 %', '0 %', '0.1 %')
    """
    return percent(0.0 if abs(value) < LEAST_END else value)


def level(value: float) -> Figure:
    """A chosen share: a threshold, a confidence level."""
    return Figure(value, "level")


def points(value: float) -> Figure:
    """A difference of shares, in percentage points."""
    return Figure(value, "points")


def decimal(value: float) -> Figure:
    """A number with three digits."""
    return Figure(value, "decimal")


def rate(value: float) -> Figure:
    """A small share that is compared with others: three digits, however small."""
    return Figure(value, "rate")


def chance(value: float) -> Figure:
    """A probability, such as a p-value."""
    return Figure(value, "chance")


def as_given(value: float) -> Figure:
    """A number as the steward wrote it."""
    return Figure(value, "plain")


def _count(value: float) -> str:
    if value == int(value) or value >= 10:
        return f"{floor(value + 0.5):,}"  # a half upwards, as people do
    if 0 < value < 0.001:
        return "under 0.001"
    return f"{value:.1f}" if value >= 0.05 else f"{value:.1g}"


def _share(value: float) -> str:
    if value in {0, 1}:
        return f"{value:.0%}".replace("%", " %")
    if 0 < value < 0.0005:
        return "under 0.1 %"
    if 0.9995 <= value < 1:
        return "over 99.9 %"
    return f"{100 * value:.1f} %"


def _decimal(value: float) -> str:
    if 0 < abs(value) < 0.0005:
        return "0.000"
    if 0.9995 <= value < 1:
        return "over 0.999"
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


_WRITTEN: dict[str, Callable[[float], str]] = {
    "count": _count,
    "expected": lambda value: f"{value:,.1f}",
    "share": _share,
    "level": lambda value: f"{100 * value:g} %",
    "points": lambda value: "under 0.1" if 0 < value < 0.0005 else f"{100 * value:.1f}",
    "decimal": _decimal,
    "rate": "{:.3g}".format,
    "chance": lambda value: "under 0.001" if value < 0.001 else f"{value:.2g}",
    "plain": lambda value: f"{value:,}" if isinstance(value, int) else f"{value:,.10g}",
}
