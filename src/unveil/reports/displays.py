"""Displays: how tables, releases, links and results show themselves, registered for the values.

This module is imported when a value is first shown; charts are imported when one is drawn.
"""

from typing import Any

from unveil.reports.headline import audit_in_words, risk_sentence
from unveil.support.display import Display, register
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.links import Links
from unveil.values.pair_decisions import Decisions
from unveil.values.release.release import Release
from unveil.values.results.choice import Choice
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit, Finding
from unveil.values.results.loss import Loss
from unveil.values.results.risk import Risk
from unveil.wording import fitted


def _html(value: object) -> str:
    from unveil.reports.notebook import html

    return html(value)


def _chart(value: Audit | Comparison | Choice | Decisions, name: str) -> Any:
    from unveil.reports.charts.named_charts import named_chart

    return named_chart(value, name)


for _kind in (Microdata, Schema, Release, Links, Loss):
    register(_kind, Display(html=_html))
register(Risk, Display(lambda risk: risk_sentence(risk, risk.attack), _html))
register(Finding, Display(lambda one: fitted(risk_sentence(one.risk, one.name))))
register(Audit, Display(audit_in_words, _html, _chart))
register(Comparison, Display(html=_html, chart=_chart))
register(Choice, Display(html=_html, chart=_chart))
register(Decisions, Display(html=_html, chart=_chart))
