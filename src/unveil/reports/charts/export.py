"""Figures: a chart as a picture of its own."""

import re
import textwrap
from typing import Any

from unveil.errors import DataError, import_optional
from unveil.reports.charts.build import specification
from unveil.reports.charts.theme import CONFIG, WIDTH
from unveil.reports.content import Exhibit
from unveil.support.phrases import plain

TITLE = 80  # letters of a line of the title
SCALE = 2  # dots of a PNG for each of the drawing
_CLIPS = re.compile(r'(?<=<clipPath id="clip)\d+|(?<=clip-path="url\(#clip)\d+')


def converter() -> Any:
    """The package that draws a chart without a browser, if it is installed."""
    return import_optional("vl_convert", "figures", "a chart as SVG and PNG")


def figure_specification(exhibit: Exhibit) -> dict[str, Any]:
    """The Vega-Lite specification of a chart that stands alone: with its title and on white."""
    title = plain(exhibit.title)
    if exhibit.about is not None:
        title = f"{exhibit.about}: {title.lower()}"
    return specification(exhibit) | {
        "width": WIDTH,
        "title": textwrap.wrap(title, TITLE),
        "config": CONFIG | {"background": "white"},
    }


def svg(exhibit: Exhibit) -> bytes:
    """The drawing, with its title and on white: it stands alone."""
    whole = figure_specification(exhibit)
    try:
        return _numbered(str(converter().vegalite_to_svg(whole))).encode()
    except ValueError:  # whose message may quote a name
        raise DataError(f"the chart '{exhibit.name}' cannot be drawn: please report it") from None


def _numbered(drawing: str) -> str:
    """Vega counts clips over all that a process draws: here from 1, so that bytes are the same."""
    known: dict[str, int] = {}
    return _CLIPS.sub(lambda found: str(known.setdefault(found[0], len(known) + 1)), drawing)


def png(drawing: bytes) -> bytes:
    """A drawing in dots."""
    return bytes(converter().svg_to_png(drawing.decode(), scale=SCALE))
