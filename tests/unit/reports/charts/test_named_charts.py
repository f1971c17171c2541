"""Charts by name: those of the page, as Altair charts."""

import altair as alt
import pytest

import unveil
from fixtures.evidence import evidence
from fixtures.shown import shown
from unveil.reports.charts.export import figure_specification
from unveil.reports.write import summary_of
from unveil.values.results.evidence import Audit

__all__ = ["shown"]


@pytest.mark.parametrize(
    ("name", "chart"), [("Audit", "attacks"), ("Comparison", "risk-loss"), ("Choice", "frontier")]
)
def test_every_chart_of_the_page_has_its_name(shown, name, chart):
    value = shown[name]
    drawn = {one.name: one for one in summary_of(value).exhibits() if one.chart is not None}
    assert chart in drawn
    for one in {chart, *list(drawn)[:3]}:
        made = value.chart(one)
        assert isinstance(made, alt.LayerChart)
        plain, expected = made.to_dict(), figure_specification(drawn[one])  # which validates it
        assert plain["layer"] == expected["layer"]
        assert plain["config"]["background"] == "white"
    assert value.chart().to_dict() == value.chart("risk").to_dict() == value.chart(chart).to_dict()


@pytest.mark.parametrize("name", ["Audit", "Comparison", "Choice"])
def test_an_unknown_name_is_refused_with_the_nearest(shown, name):
    with pytest.raises(unveil.UnveilError, match=r"of this name; did you mean 'risk'"):
        shown[name].chart("rsk")
    for wrong in (None, 5, ["risk"], "x" * 10_000):
        with pytest.raises(unveil.UnveilError, match="there is no chart of this name"):
            shown[name].chart(wrong)


def test_risk_is_no_chart_where_nobody_was_attacked():
    with pytest.raises(unveil.UnveilError, match="no chart of this name"):
        Audit(evidence(risk=None), {}).chart()
