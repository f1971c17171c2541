"""The page: a summary as one HTML file that loads nothing from the network."""

import base64
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from markupsafe import Markup

from unveil.errors import import_optional
from unveil.reports.charts.build import specification
from unveil.reports.charts.theme import CONFIG
from unveil.reports.content import Summary
from unveil.reports.glossary import GlossaryEntry
from unveil.reports.rendering import TEMPLATES, environment, pieces_of, template, words
from unveil.reports.tables import Cell
from unveil.support.phrases import Piece, Term


def page(summary: Summary) -> str:
    """One page: words, charts, the tables behind them, and the glossary of what it says."""
    drawn = [exhibit for exhibit in summary.exhibits() if exhibit.chart is not None]
    script = _drawing() if drawn else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template("page.html")
        .render(
            summary=summary,
            style=Markup(template("style.css")),  # noqa: S704 - our own
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
    return sorted((words()[key] for key in used & set(words())), key=lambda e: e.title.lower())


def _pieces(summary: Summary) -> Iterator[Piece]:
    phrases: list[Cell] = [summary.subject, *summary.cautions, *summary.limits]
    if not summary.answers:
        phrases += [summary.verdict, *summary.points]
    for fact in (*summary.answers, *summary.facts):
        phrases += [fact.label, fact.value]
    for section in summary.sections:
        phrases += [*section.paragraphs, *section.points]
        phrases += [said for choice in section.choices for said in choice.paragraphs]
    for exhibit in summary.exhibits():
        phrases += [*exhibit.lead, exhibit.says, *exhibit.notes]
        phrases += [column.head for column in exhibit.table.columns]
        phrases += [cell for row in exhibit.table.rows for cell in row]
    for cell in phrases:
        yield from pieces_of(cell)


def _json(value: Any) -> Markup:
    """JSON that can stand inside a script element, whatever names it holds."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", r"\u003c").replace("&", r"\u0026"))  # noqa: S704 - escaped


@cache
def _drawing() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, with what draws the charts."""
    if (TEMPLATES / "vega.js").is_file():
        vega = template("vega.js")
    else:  # which a build makes, in the same way: this is a source tree that was not built
        converter = import_optional("vl_convert", "figures", "a page of a tree that was not built")
        vega = converter.javascript_bundle().replace("</script", r"<\/script")
    return f"{vega}\n{template('draw.js')}"
