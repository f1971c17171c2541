"""Charts by name: one figure of the page of a result, as an Altair chart."""

import altair as alt

from unveil.errors import UsageError
from unveil.reports.charts.export import figure_specification
from unveil.reports.charts.theme import CONFIG
from unveil.reports.sections.linkage.pair_classes import charts as pair_charts
from unveil.reports.write import summary_of
from unveil.values.pair_decisions import Decisions
from unveil.values.results.choice import Choice
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit
from unveil.wording import suggest

RISK = "risk"  # another name of the chart that shows the risk first
_RISK_CHARTS: dict[type, str] = {Audit: "attacks", Comparison: "risk-loss", Choice: "frontier"}


def named_chart(result: Audit | Comparison | Choice | Decisions, name: object) -> alt.TopLevelMixin:
    """The figure of this name, on white and in the theme of the page."""
    if isinstance(result, Decisions):
        charts = [*pair_charts(result.classes)]
    else:
        charts = [one for one in summary_of(result).exhibits() if one.chart is not None]
    charts.sort(key=lambda one: one.about is not None)  # those of single columns last
    drawn = {one.name: one for one in charts}
    risk = drawn.get(_RISK_CHARTS.get(type(result), ""))
    named = drawn if risk is None else {RISK: risk, **drawn}
    if not isinstance(name, str) or name not in named:
        raise UsageError(f"there is no chart of this name{suggest(name, named, 'names are')}")
    whole = figure_specification(named[name])
    legend = {key: value for key, value in CONFIG["legend"].items() if key != "layout"}
    whole["config"] |= {"legend": legend}  # a layout is Vega's, and Altair does not know it
    kind = alt.LayerChart if "layer" in whole else alt.FacetChart
    return kind.from_dict(whole, validate=False)
