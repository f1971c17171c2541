"""The page: a summary as one HTML file that loads nothing from anywhere."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from unveil import attacks, masks
from unveil.errors import import_optional
from unveil.measures.information_loss import further as further_losses
from unveil.reports.charts.build import specification
from unveil.reports.charts.theme import CONFIG
from unveil.reports.content import Summary
from unveil.reports.glossary import GlossaryEntry, glossary
from unveil.reports.tables import Cell
from unveil.support.phrases import Figure, Mark, Name, Piece, Term, plain

TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile(r"`([^`]+)`")


def _words() -> dict[str, GlossaryEntry]:
    """The glossary, made again if a method was added."""
    added = (attacks.METHODS, masks.METHODS, further_losses.METHODS)
    return _words_with(tuple(known.added() for known in added))


@cache
def _words_with(_added: tuple[tuple[type, ...], ...]) -> dict[str, GlossaryEntry]:
    return glossary()


def page(summary: Summary) -> str:
    """One page: words, charts, the tables behind them, and the glossary of what it says."""
    drawn = [exhibit for exhibit in summary.exhibits() if exhibit.chart is not None]
    script = _drawing() if drawn else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _environment()
        .get_template("page.html")
        .render(
            summary=summary,
            style=Markup(_template("style.css")),  # noqa: S704 - our own
            entries=entries(summary),
            specifications={one.name: _json(specification(one)) for one in drawn},
            theme=_json(CONFIG),
            script=Markup(script),  # noqa: S704 - our own, and Vega's
            allowed=f"'sha256-{digest}'",  # a browser runs this script and no other
        )
    )


def entries(summary: Summary) -> list[GlossaryEntry]:
    """The entries of the glossary that the page has words of."""
    used = {piece.key for piece in _pieces(summary) if isinstance(piece, Term)}
    return sorted((_words()[key] for key in used & set(_words())), key=lambda e: e.title.lower())


def _pieces(summary: Summary) -> Iterator[Piece]:
    phrases: list[Cell] = [summary.subject, summary.verdict, *summary.limits]
    for fact in summary.facts:
        phrases += [fact.label, fact.value]
    for section in summary.sections:
        phrases += [*section.paragraphs, *section.points]
        phrases += [said for choice in section.choices for said in choice.paragraphs]
    for exhibit in summary.exhibits():
        phrases += [*exhibit.lead, exhibit.says, *exhibit.notes]
        phrases += [column.head for column in exhibit.table.columns]
        phrases += [cell for row in exhibit.table.rows for cell in row]
    for cell in phrases:
        yield from _listed(cell)


def _listed(cell: Cell) -> Iterable[Piece]:
    return () if cell is None else cell if isinstance(cell, tuple) else (cell,)


def _piece(piece: Piece) -> Markup:
    """A piece of a phrase as HTML; a figure keeps its exact value."""
    match piece:
        case Figure():
            written = str(piece).replace(" ", "\N{NO-BREAK SPACE}")
            return Markup('<data value="{}">{}</data>').format(json.dumps(piece.value), written)
        case Term() if piece.key in _words():  # others are of evidence by another version
            return Markup('<a class="term" href="#word-{}">{}</a>').format(piece.key, piece.text)
        case Mark():
            kind = piece.means.replace(" ", "-")
            return Markup('<span class="mark {}" title="{}">{}</span>').format(
                kind, piece.means, piece.text
            )
        case Name():
            return Markup("<bdi>{}</bdi>").format(piece.text)
        case _:
            return Markup(_CODE.sub(r"<code>\1</code>", str(escape(str(piece)))))  # noqa: S704 - escaped


def _json(value: Any) -> Markup:
    """JSON that can stand inside a script element, whatever names it holds."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", r"\u003c").replace("&", r"\u0026"))  # noqa: S704 - escaped


@cache
def _drawing() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, with what draws the charts."""
    if (TEMPLATES / "vega.js").is_file():
        vega = _template("vega.js")
    else:  # which a build makes, in the same way: this is a source tree that was not built
        converter = import_optional("vl_convert", "figures", "a page of a tree that was not built")
        vega = converter.javascript_bundle().replace("</script", r"<\/script")
    return f"{vega}\n{_template('draw.js')}"


@cache
def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters |= {"said": lambda cell: Markup("").join(map(_piece, _listed(cell)))}
    environment.filters |= {"plain": plain}
    return environment
