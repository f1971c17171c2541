"""Reports: a result as one page; the names below let another package write such a page.

A page is a `Summary` of sections, which hold exhibits: tables, and the charts of these. The
sentence on the worst attack is written in `headline`, the table of attacks in `sections.attacks`,
the list of all sections in `summary`. `unveil.report` writes a page; nothing is measured here.
"""

import importlib as _importlib
from typing import TYPE_CHECKING

from unveil.reports.content import Exhibit, Fact, Section, Summary
from unveil.reports.tables import Column, Row, Table
from unveil.reports.write import check_figures, check_report, publish
from unveil.support.phrases import Mark, Phrase, as_given, counted, phrase

if TYPE_CHECKING:
    from unveil.reports.charts.build import register_chart
    from unveil.reports.charts.marks import Drawn, Rows, kinds_in, legend, rows_of
    from unveil.reports.charts.theme import BLUE, GREY, PALETTE, RED

__all__ = [
    "BLUE", "GREY", "PALETTE", "RED", "Column", "Drawn", "Exhibit", "Fact", "Mark", "Phrase", "Row",
    "Rows", "Section", "Summary", "Table", "as_given", "check_figures", "check_report", "counted",
    "kinds_in", "legend", "phrase", "publish", "register_chart", "rows_of",
]  # fmt: skip

# What draws charts loads when first used: it imports Altair, which a page without charts needs not.
_DRAWING = dict.fromkeys(("Drawn", "Rows", "kinds_in", "legend", "rows_of"), "charts.marks")
_DRAWING |= dict.fromkeys(("BLUE", "GREY", "PALETTE", "RED"), "charts.theme")
_DRAWING["register_chart"] = "charts.build"


def __getattr__(name: str) -> object:
    if name not in _DRAWING:
        raise AttributeError(f"module 'unveil.reports' has no attribute '{name}'")
    return getattr(_importlib.import_module(f"unveil.reports.{_DRAWING[name]}"), name)
