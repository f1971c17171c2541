"""Marks of charts: bars, lines, dots, their axes, colours and legends."""

import json
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import altair as alt

from unveil.reports.charts.theme import BLUE, GREEN, GREY, ORANGE, RED
from unveil.reports.content import LimitLine

Rows = list[dict[str, Any]]
Drawn = alt.LayerChart | alt.FacetChart

SHOWN = 15  # bars that can be told apart
STEP = 22  # height of a bar
PERCENT = alt.Axis(format=".0%")
WHOLE = alt.Scale(domain=[0, 1])
ROUND = (0.01, 0.05, 0.1, 0.25, 0.5)  # ends of an axis of shares
DIRECTIONS = ["original to release", "release to original"]
LINE = 14  # height of a line of words
NAME_LINE = r".{1,18}$|.{1,17}[\s_/.-]|.{1,18}"  # of a name beside its bar
LONGEST = 100  # letters of a name
NARROW = 26  # letters of a legend that fit into one line on a phone


def rows_of(rows: Rows) -> alt.Chart:
    """A chart of these rows, to be told what to draw."""
    return alt.Chart(alt.InlineData(values=rows))


def up_to(rows: Rows, *fields: str) -> alt.Scale:
    """From 0 to a round share that holds all of them: a small risk is not drawn as none."""
    most = max((row[one] for row in rows for one in fields if row.get(one) is not None), default=1)
    return alt.Scale(domain=[0, next((end for end in ROUND if most <= end), 1)])


def share(field: str, title: str = "share of the people", scale: alt.Scale = WHOLE) -> alt.X:
    """An axis of shares, in percent."""
    return alt.X(f"{field}:Q", title=title, axis=PERCENT, scale=scale)


def named(rows: Rows, name: str) -> alt.Y:
    """Bars below each other, in the order of the table."""
    order = list(dict.fromkeys(row[name] for row in rows))
    below = {"condition": {"test": "length(datum.label) > 18", "value": "bottom"}}
    axis = name_axis(labelBaseline=below | {"value": "middle"})  # the second line is below the mark
    return alt.Y(f"{name}:N", title=None, sort=order, axis=axis)


def name_axis(**how: Any) -> alt.Axis:
    """An axis of names: a long one has several lines, so that none is cut."""
    pattern = json.dumps(NAME_LINE)
    lines = f"replace(truncate(datum.label, {LONGEST}), regexp({pattern}, 'g'), '$&\\n')"
    return alt.Axis(labelExpr=f"split(trim({lines}), '\\n')", labelLimit=160, **how)


def tall(rows: Rows, name: str, step: int = STEP) -> int:
    """How high a chart of these bars is, with room for the lines of each name."""
    names = {row[name][:LONGEST] for row in rows}
    most = max((len(re.findall(NAME_LINE, one)) for one in names), default=1)
    return max(3, len(names)) * max(step, 2 * LINE * (most - 1) + 4)


def tooltips(*fields: str | alt.Tooltip) -> list[alt.Tooltip]:
    """Channels of tooltips: made here, since altair searches all its classes for that of a text."""
    return [alt.Tooltip(one) if isinstance(one, str) else one for one in fields]


def with_band(rows: Rows, x: alt.X) -> Drawn:
    """A line, and the interval in which it lies where there is one."""
    scale, title = up_to(rows, "share", "high"), "share of the people"
    y = alt.Y("share:Q", title=title, axis=PERCENT, scale=scale)
    tips = [alt.Tooltip(f"{end}:Q", format=".1%") for end in ("share", "low", "high")]
    line = rows_of(rows).mark_line(point=alt.OverlayMarkDef(color=BLUE), color=BLUE)
    layers = [line.encode(x=x, y=y, tooltip=tooltips(x.shorthand, *tips))]
    sure = [row for row in rows if row.get("low") is not None]
    if sure:
        band = rows_of(sure).mark_area(opacity=0.2, color=BLUE)
        layers.insert(0, band.encode(x=x, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q")))
    return alt.layer(*layers).properties(height=240)


def beside_each_other(rows: Rows, name: str, kinds: dict[str, str], x: alt.X) -> Drawn:
    """One row for each name, with a bar for each kind."""
    order = list(kinds.values())
    bars = (
        folded(rows_of(rows), kinds)
        .mark_bar()
        .encode(
            y=named(rows, name),
            yOffset=alt.YOffset("kind:N", sort=order),
            x=x,
            color=kinds_in("kind", order, (BLUE, ORANGE)),
            tooltip=tooltips(f"{name}:N", "kind:N", alt.Tooltip("at:Q", format=",.3")),
        )
    )
    return alt.layer(bars).properties(height=tall(rows, name))


def kinds_in(
    field: str, names: list[str], colours: Sequence[str] = (BLUE, ORANGE), *, lines: bool = False
) -> alt.Color:
    """What colour each kind has, in an order that is kept."""
    wheel = [colours[place % len(colours)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=wheel)
    return alt.Color(f"{field}:N", scale=scale, legend=legend(names, lines=lines))


def legend(names: Sequence[str], *, lines: bool = False) -> alt.Legend:
    """What stands for what, in two columns where these fit."""
    columns = 2 if sum(map(len, names)) <= NARROW else 1
    if lines:
        return alt.Legend(title=None, columns=columns, symbolType="stroke", symbolSize=250)
    return alt.Legend(title=None, columns=columns)


def dashes(field: str, names: list[str]) -> alt.StrokeDash:
    """Lines that differ in more than their colour."""
    strokes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]][: len(names)]
    scale = alt.Scale(domain=names, range=strokes)
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=legend(names, lines=True))


def folded(chart: alt.Chart, kinds: dict[str, str]) -> alt.Chart:
    """Columns under each other: their kind in words, and what they are at."""
    said = " : ".join(f"datum.kind == '{key}' ? '{words}'" for key, words in kinds.items())
    return (
        chart.transform_fold(list(kinds), as_=["kind", "at"])
        .transform_filter("isNumber(datum.at)")
        .transform_calculate(kind=f"{said} : ''")
    )


def named_bars(rows: Rows, name: str, x: alt.X, tips: list[Any]) -> Drawn:
    """Long names stand above their bars: beside them they would leave no room."""
    said = {row[name]: wrapped(row[name]) for row in rows}
    most = max(text.count("\n") for text in said.values()) + 1
    y = alt.Y(f"{name}:N", title=None, sort=list(said), axis=None)
    bars = rows_of(rows).mark_bar(color=BLUE, size=10, yOffset=LINE / 2 * most)
    words = [
        rows_of([{**row, "said": said[row[name]]} for row in rows])
        .transform_filter(f"length(split(datum.said, '\\n')) == {lines}")
        .mark_text(
            align="left",
            baseline="bottom",
            dx=2,
            yOffset=LINE / 2 * most - LINE / 2 - LINE * (lines - 1),  # the last one on the bar
            lineBreak="\n",
            lineHeight=LINE,
            limit=alt.ExprRef("width - 4"),
        )
        .encode(y=y, x=alt.XDatum(0), text=alt.Text("said:N"))
        for lines in sorted({text.count("\n") + 1 for text in said.values()})
    ]
    drawn = alt.layer(bars.encode(y=y, x=x, tooltip=tips), *words)
    return drawn.properties(height=len(said) * (LINE * most + 20))


def unique_labels(labels: Sequence[str]) -> list[str]:
    """Labels with a number where one is repeated: bars of one label would overlap.

    >>> unique_labels(["other", "other"])
    ['other', 'other (2)']
    """
    counts: dict[str, int] = {}
    found = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        found.append(label if counts[label] == 1 else f"{label} ({counts[label]})")
    return found


def wrapped(text: str, letters: int = 48) -> str:
    """A name in lines that fit a narrow screen."""
    return "\n".join(textwrap.wrap(text, letters, max_lines=8, placeholder=" …"))


def dots(rows: Rows, name: str, kinds: dict[str, str], x: alt.X, *more: alt.Chart) -> Drawn:
    """One row for each name, with a dot for each kind, and a line from the least to the most."""
    found, order = folded(rows_of(rows), kinds), list(kinds.values())
    line = found.mark_rule(color="#bbbbbb", strokeWidth=2).encode(
        y=named(rows, name), x=alt.X("min(at):Q"), x2=alt.X2("max(at):Q")
    )
    points = found.mark_point(filled=True, size=90, opacity=1).encode(
        y=named(rows, name),
        x=x,
        color=kinds_in("kind", order, (RED, BLUE, GREY, GREEN)),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=order), legend=legend(order)),
        tooltip=tooltips(f"{name}:N", "kind:N", alt.Tooltip("at:Q", format=".3")),
    )
    return alt.layer(line, points, *more).properties(height=tall(rows, name))


def draw_limits(layers: list[dict[str, Any]], limits: Sequence[LimitLine], rows: Rows) -> None:
    """Add a dashed line and its words for each limit, and make room where the axis ends below."""
    for line in limits:
        across = "y" if line.axis == "x" else "x"
        scales = [layer.get("encoding", {}).get(line.axis, {}).get("scale") for layer in layers]
        for scale in scales:
            _extend(scale, line.value)
        ends = [scale["domain"][1] for scale in scales if scale and "domain" in scale]
        late = line.axis == "x" and 2 * line.value > max(ends, default=1.0)  # no room to its right
        written = f"{100 * line.value:g} %" if line.limit != "max_loss" else f"{line.value:g}"
        words: dict[str, Any] = {"type": "text", "color": RED}
        words["text"] = " ".join(filter(None, ("limit", written, line.of)))
        words |= {"align": "right", "dx": -4} if late else {"align": "left", "dx": 4}
        words |= {
            "baseline": "bottom",
            "dy": -2,
            "aria": False,
        }  # above the line, or above the chart
        at = {line.axis: {"datum": line.value}}
        rule = {"type": "rule", "aria": False, "color": RED, "strokeWidth": 2, "strokeDash": [6, 3]}
        once: dict[str, Any] = {"data": {"values": rows[:1]}}  # which it does not show
        texts = [one for one in layers if one["mark"]["type"] == "text"]
        halo = {"stroke": "white", "strokeWidth": 3, "aria": False}  # a line behind words is cut
        behind = [{**one, "mark": one["mark"] | halo} for one in texts]
        layers[:] = [one for one in layers if one not in texts]
        layers += [{**once, "mark": rule, "encoding": at}, *behind, *texts]
        layers.append({**once, "mark": words, "encoding": {**at, across: {"value": 0}}})


def _extend(scale: dict[str, Any] | None, value: float) -> None:
    """Let an axis reach a limit, to the next round share."""
    if scale and "domain" in scale and scale["domain"][1] < value:
        scale["domain"] = [0, next(end for end in (*ROUND, 1.0) if value <= end)]
