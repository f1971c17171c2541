"""Rendering: phrases as HTML in the templates of pages and notebooks; all names are escaped."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from unveil import attacks, masks
from unveil.measures.information_loss import further as further_losses
from unveil.reports.glossary import GlossaryEntry, glossary
from unveil.reports.tables import Cell
from unveil.support.phrases import Figure, Mark, Name, Piece, Term, plain

TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile(r"`([^`]+)`")


def words() -> dict[str, GlossaryEntry]:
    """The glossary, made again if a method was added."""
    added = (attacks.METHODS, masks.METHODS, further_losses.METHODS)
    return _words_with(tuple(known.added() for known in added))


@cache
def _words_with(_added: tuple[tuple[type, ...], ...]) -> dict[str, GlossaryEntry]:
    return glossary()


def pieces_of(cell: Cell) -> Iterable[Piece]:
    """The pieces of a cell or a phrase."""
    return () if cell is None else cell if isinstance(cell, tuple) else (cell,)


@cache
def environment() -> Environment:
    """The templates: `said` links terms to the glossary of a page, `said_alone` links nothing."""
    loader = FileSystemLoader(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    made.filters |= {"said": lambda cell: Markup("").join(map(_linked, pieces_of(cell)))}
    made.filters |= {"said_alone": lambda cell: Markup("").join(map(_piece, pieces_of(cell)))}
    made.filters |= {"plain": plain}
    return made


@cache
def template(name: str) -> str:
    """The text of a template."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _linked(piece: Piece) -> Markup:
    """A piece of a phrase; a term leads to its entry in the glossary."""
    if isinstance(piece, Term) and piece.key in words():  # others are of another version
        return Markup('<a class="term" href="#word-{}">{}</a>').format(piece.key, piece.text)
    return _piece(piece)


def _piece(piece: Piece) -> Markup:
    """A piece of a phrase as HTML; a figure keeps its exact value."""
    match piece:
        case Figure():
            written = str(piece).replace(" ", "\N{NO-BREAK SPACE}")
            return Markup('<data value="{}">{}</data>').format(json.dumps(piece.value), written)
        case Mark():
            kind = piece.means.replace(" ", "-")
            return Markup('<span class="mark {}" title="{}">{}</span>').format(
                kind, piece.means, piece.text
            )
        case Name():
            return Markup("<bdi>{}</bdi>").format(piece.text)
        case _:
            return Markup(_CODE.sub(r"<code>\1</code>", str(escape(str(piece)))))  # noqa: S704 - escaped
