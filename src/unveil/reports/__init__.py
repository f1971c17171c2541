"""Reports: what was found as one page; the names below let another package write such a page.

A page is a `Summary` of sections, which hold exhibits: tables, and charts of these by name.
`unveil.report` writes one; nothing is measured here.
"""

import importlib as _importlib
from typing import TYPE_CHECKING

from unveil.data.phrases import Mark, Phrase, as_given, counted, phrase
from unveil.reports.content import Column, Exhibit, Fact, Row, Section, Summary, Table
from unveil.reports.writing import check_figures, check_report, publish

if TYPE_CHECKING:
    from unveil.reports.charts import register_chart
    from unveil.reports.drawing import Drawn, Rows, kinds_in, legend, rows_of
    from unveil.reports.theme import BLUE, GREY, PALETTE, RED

__all__ = [
    "BLUE",
    "GREY",
    "PALETTE",
    "RED",
    "Column",
    "Drawn",
    "Exhibit",
    "Fact",
    "Mark",
    "Phrase",
    "Row",
    "Rows",
    "Section",
    "Summary",
    "Table",
    "as_given",
    "check_figures",
    "check_report",
    "counted",
    "kinds_in",
    "legend",
    "phrase",
    "publish",
    "register_chart",
    "rows_of",
]

# What draws charts loads when first used: it imports Altair, which a page without charts needs not.
_DRAWING = dict.fromkeys(("Drawn", "Rows", "kinds_in", "legend", "rows_of"), "drawing")
_DRAWING |= dict.fromkeys(("BLUE", "GREY", "PALETTE", "RED"), "theme")
_DRAWING["register_chart"] = "charts"


def __getattr__(name: str) -> object:
    if name not in _DRAWING:
        raise AttributeError(f"module 'unveil.reports' has no attribute '{name}'")
    return getattr(_importlib.import_module(f"unveil.reports.{_DRAWING[name]}"), name)
