"""What a chart draws: which column is on which axis, and what each colour stands for.

The file of `said` has a line for each layer of each chart; rows are the places in its table.
"""

import json
from pathlib import Path

import msgspec
import pytest

from fixtures import choices
from fixtures.chart_layers import layers
from fixtures.numbered_evidence import numbered, numbered_comparison
from unveil.reports.charts.build import CHARTS, specification
from unveil.reports.charts.marks import draw_limits, up_to
from unveil.reports.content import LimitLine
from unveil.reports.limit_lines import limit_lines
from unveil.reports.summary import choice_summary, comparison_summary, summary
from unveil.support.phrases import plain

OLDER = {"knowledge.surface": ()}  # evidence with a curve instead
EVERY = [
    *summary(numbered()).exhibits(),
    *summary(numbered(OLDER)).exhibits(),
    *comparison_summary(numbered_comparison()).exhibits(),
    *choice_summary(choices.study()).exhibits(),
]
SAID = Path(__file__).parents[1] / "said" / "charts.json"
DRAWN = {one.chart: one for one in reversed(EVERY) if one.chart is not None}


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_shows_this(chart):
    assert layers(DRAWN[chart]) == json.loads(SAID.read_text())[chart]


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_is_what_vega_lite_takes(chart):
    """The page does not ask, as that takes half of the time."""
    drawn = CHARTS[chart](DRAWN[chart].table.records())
    assert drawn.to_dict(validate=True)["layer"]


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_is_told_to_those_who_do_not_see_it(chart):
    said = specification(DRAWN[chart])["description"]
    assert said == plain(DRAWN[chart].says)
    assert said.endswith(".")


@pytest.mark.parametrize(("most", "end"), [(0.004, 0.01), (0.05, 0.05), (0.051, 0.1), (0.6, 1)])
def test_small_shares_are_drawn_on_a_short_axis(most, end):
    rows = [{"share": most / 2, "high": None}, {"share": most / 3, "high": most}]
    assert up_to(rows, "share", "high").to_dict() == {"domain": [0, end]}


LINES = {
    "attacks": [("x", 0.05)],
    "claims": [("x", 0.02)],
    "knowledge": [("y", 0.05)],
    "knowledge_surface": [("y", 0.05)],
    "noise": [("y", 0.05)],
    "without": [("x", 0.05)],
    "subgroups": [("x", 0.1)],
    "remedies": [("x", 0.05)],
    "risk_loss": [("x", 0.3), ("y", 0.05)],
    "attacks_beside": [("x", 0.05)],
    "frontier": [("y", 1), ("x", 0.3)],
}
POLICY = {
    "max_risk": 0.05, "max_loss": 0.3, "max_confirmed": 0.02, "max_subgroup_risk": 0.1,
    "k_anonymity": 3,
}  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS)
def test_a_limit_is_a_line_on_its_axis(chart):
    pages = (
        summary(numbered({"policy": POLICY})),
        summary(numbered({"policy": POLICY} | OLDER)),
        comparison_summary(numbered_comparison({"policy": POLICY})),
        choice_summary(choices.study(policy=POLICY)),
    )
    shown = next(one for page in pages for one in page.exhibits() if one.chart == chart)
    lines = [
        (axis, given["datum"])
        for layer in specification(shown)["layer"]
        if layer["mark"]["type"] == "rule"
        for axis, given in layer["encoding"].items()
        if "datum" in given
    ]
    assert lines == LINES.get(chart, [])


OF_INTRUDERS = {"max_linked": 0.08}, {"name": "register", "max_linked": 0.03, "max_learned": 0.2}


@pytest.mark.parametrize(
    ("chart", "scenario", "line"),
    [
        ("attacks", "stress test", ("max_linked", 0.08, "")),  # tighter than max_risk
        ("claims", "stress test", None),
        ("subgroups", "stress test", ("max_subgroup_risk", 0.3, "")),
        ("subgroups", "register", ("max_linked", 0.03, "of all people")),
        ("subgroups", "insider", None),
        ("attacks", "register", None),
        (None, "stress test", None),
    ],
)
def test_the_limits_of_each_intruder_are_in_its_charts(chart, scenario, line):
    intruders = [{"name": "stress test"} | OF_INTRUDERS[0], OF_INTRUDERS[1]]
    policy = {"max_risk": 0.1, "max_subgroup_risk": 0.3, "intruder": intruders}
    lines = [(one.limit, one.value, one.of) for one in limit_lines(chart, policy, scenario)]
    assert lines == ([] if line is None else [line])


def test_the_view_of_an_intruder_has_its_limit():
    policy = {"intruder": [{"name": "bank", "max_linked": 0.25}]}
    views = {one.title: one for one in summary(numbered({"policy": policy}))["people"].choices}
    groups = {name: view.exhibits[-1] for name, view in views.items()}
    assert {name: len(one.limits) for name, one in groups.items() if one.limits} == {"bank": 1}
    words = [one["mark"].get("text") for one in specification(groups["bank"])["layer"]]
    assert "limit 25 % of all people" in words


def test_a_limit_beyond_the_axis_makes_room_for_itself():
    rows = [{"known": place, "share": 0.004, "low": None, "high": None} for place in (1, 2)]
    layers = CHARTS["knowledge"](rows).to_dict(validate=False)["layer"]
    assert layers[0]["encoding"]["y"]["scale"]["domain"] == [0, 0.01]
    draw_limits(layers, [LimitLine(axis="y", limit="max_risk", value=0.2)], rows)
    assert layers[0]["encoding"]["y"]["scale"]["domain"] == [0, 0.25]
    assert layers[-1]["mark"]["text"] == "limit 20 %"


def test_a_frontier_without_dropped_plans_has_no_empty_layer():
    """A reader of the screen would meet an image without words."""
    exhibit = DRAWN["frontier"]
    place = [column.key for column in exhibit.table.columns].index("standing")
    kept = [row for row in exhibit.table.rows if plain(row[place]) != "dropped"]
    assert 0 < len(kept) < len(exhibit.table.rows)
    table = msgspec.structs.replace(exhibit.table, rows=tuple(kept))
    every, drawn = (
        len(specification(msgspec.structs.replace(exhibit, table=one))["layer"])
        for one in (exhibit.table, table)
    )
    assert drawn == every - 1
