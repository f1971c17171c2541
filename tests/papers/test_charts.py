"""What the charts of papers draw; `said_charts.json` has a line for each layer."""

import json
from pathlib import Path

import pytest

from fixtures.chart_layers import layers
from papers.some_papers import some_papers
from unveil.reports import register_chart
from unveil.reports.charts.build import specification
from unveil_papers.page import summary

SAID = json.loads((Path(__file__).parent / "said_charts.json").read_text())
DRAWN = {one.chart: one for one in reversed(summary(some_papers()).exhibits()) if one.chart}


def test_every_chart_is_tested():
    assert set(DRAWN) == set(SAID)


@pytest.mark.parametrize("chart", SAID)
def test_a_chart_shows_this(chart):
    assert layers(DRAWN[chart]) == SAID[chart]
    assert specification(DRAWN[chart])["description"].endswith(".")


def test_a_chart_of_the_library_cannot_be_replaced():
    with pytest.raises(ValueError, match="a chart 'loss' already"):
        register_chart("loss", lambda rows: rows)
