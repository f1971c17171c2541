"""What a chart draws: which column is on which axis, and what each colour stands for.

The file of `said` has a line for each layer of each chart; rows are the places in its table.
"""

import json
from pathlib import Path

import pytest

from fixtures.numbered_evidence import numbered, numbered_comparison
from some_papers import some_papers
from unveil.reports.charts import theme
from unveil.reports.charts.build import CHARTS, specification
from unveil.reports.charts.marks import up_to
from unveil.reports.summary import compared, reproduced, summary
from unveil.support.phrases import plain

EVERY = [
    *summary(numbered()).exhibits(),
    *compared(numbered_comparison()).exhibits(),
    *reproduced(some_papers()).exhibits(),
]
SAID = Path(__file__).parents[1] / "said" / "charts.json"
COLOURS = {
    getattr(theme, name): name.lower()
    for name in ("BLUE", "RED", "GREEN", "ORANGE", "SKY", "PURPLE", "GREY")
}
DRAWN = {one.chart: one for one in reversed(EVERY) if one.chart is not None}


def read(chart):
    """What the layers of a chart show, each as a dictionary."""
    table, drawn = DRAWN[chart].table.records(), specification(DRAWN[chart])
    return [_layer(one, table, _rows(drawn | one)) for one in drawn["layer"]]


def _rows(layer):
    """The rows of a layer, which may be those of all of them."""
    data = layer["data"]
    return data["values"] if "values" in data else layer["datasets"][data["name"]]


def _layer(layer, table, drawn):
    mark = layer["mark"]
    # Rows as they are in the table, and perhaps with a label more.
    rows = [{key: row[key] for key in table[0]} for row in drawn]
    found = {"mark": mark["type"], "rows": [table.index(row) for row in rows]}
    for key in ("color", "strokeDash"):
        if key in mark:
            found[key] = _called(mark[key])
    for channel, given in layer["encoding"].items():
        if channel != "tooltip":
            found |= _channel(channel, given)
    made = {one["as"]: one["calculate"] for one in layer.get("transform", []) if "calculate" in one}
    for one in layer.get("transform", []):
        if "fold" in one:
            kind = one["as"][0]
            words = made.pop(kind, None)
            found["kinds"] = {key: _word(key, kind, words) for key in one["fold"]}
    return found | {"made": made} if made else found


def _channel(channel, given):
    if "field" not in given:
        return {}
    field = given["field"]
    if "aggregate" in given:
        field = f"{given['aggregate']} of {field}"
    found, scale = {channel: field}, given.get("scale") or {}
    if channel in ("color", "shape", "strokeDash"):
        named = scale.get("range", ["as it comes"] * len(scale["domain"]))
        found[channel] = {field: dict(zip(scale["domain"], map(_called, named), strict=True))}
    elif "domain" in scale:
        found[f"{channel} domain"] = scale["domain"]
    if given.get("title"):
        found[f"{channel} title"] = given["title"]
    if "sort" in given:
        found[f"{channel} sort"] = given["sort"]
    return found


def _called(one):
    return one if isinstance(one, list) else COLOURS.get(one, one)


def _word(key, field, calculated):
    """What a folded column is called, by what is calculated of its name."""
    if calculated is None:
        return key
    parts = [part.rpartition(" ? ") for part in calculated.split(" : ")]
    asked = ("", f"datum.{field} == '{key}'")
    return next(word.strip("'") for question, _, word in parts if question in asked)


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_shows_this(chart):
    assert read(chart) == json.loads(SAID.read_text())[chart]


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
