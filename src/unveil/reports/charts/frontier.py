"""The chart of a search: the risk of every plan against its loss, and the frontier."""

import altair as alt

from unveil.reports.charts.marks import Drawn, Rows, kinds_in, legend, rows_of
from unveil.reports.charts.theme import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, SKY

COLOURS = (BLUE, GREEN, ORANGE, PURPLE, SKY, GREY)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)  # shares of a limit
DROPPED = "dropped"


def frontier(rows: Rows) -> Drawn:
    """Dots by combination, hollow where attacks were left out, and the frontier as a line.

    Risk has a logarithmic axis, from a tenth of the limit to 20 times as much; a risk beyond it, or
    without a number, is drawn at its end.
    """
    shown = [row for row in rows if row["loss"] is not None and row["risk"] not in (None, "")]
    right = 1.1 * max((row["loss"] for row in shown), default=0.0) or 1.0
    x = alt.X("loss:Q", title="loss (0 to 1)", scale=alt.Scale(domain=[0, right], nice=False))
    y = _risk_axis(shown)
    names = list(dict.fromkeys(row["combination"] for row in rows))
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=shapes)
    drawn = {
        "x": x,
        "y": y,
        "color": kinds_in("combination", names, COLOURS),
        "shape": alt.Shape("combination:N", scale=scale, legend=legend(names)),
        "tooltip": [
            alt.Tooltip("plan:Q"),
            alt.Tooltip("done:N", title="masks"),
            alt.Tooltip("loss:Q", format=".4"),
            alt.Tooltip("risk:Q", title="risk, 1 is the limit", format=".3"),
            alt.Tooltip("dearest:N", title="tightest limit"),
            alt.Tooltip("standing:N"),
        ],
    }
    best = sorted((row for row in shown if row["standing"] == "frontier"), key=_loss)
    whole = [row for row in shown if row["standing"] != DROPPED]
    part = [row for row in shown if row["standing"] == DROPPED]
    line = (
        _placed(best)
        .mark_line(color=GREY, strokeWidth=2)
        .encode(x=x, y=y, order=alt.Order("loss:Q"))
    )
    full = _placed(whole).mark_point(filled=True, size=70, opacity=0.9).encode(**drawn)
    hollow = _placed(part).mark_point(filled=False, size=50, opacity=0.7).encode(**drawn)
    dots = [full, hollow] if part else [full]  # a layer without marks is an image without words
    limit = rows_of(rows[:1]).mark_rule(color=RED, strokeWidth=2, strokeDash=[6, 3], aria=False)
    words = rows_of(rows[:1]).mark_text(
        text="limit", color=RED, align="right", baseline="bottom", dy=-3, aria=False
    )
    ring, label = _marked([row for row in shown if row.get("mark")], x, y, right)
    return alt.layer(
        line,
        ring,  # below the dots, which have the tooltips
        *dots,
        limit.encode(y=alt.YDatum(1)),
        words.encode(y=alt.YDatum(1), x=alt.value("width")),
        label,
    ).properties(height=360)


def _risk_axis(rows: Rows) -> alt.Y:
    known = [row["risk"] for row in rows if isinstance(row["risk"], float | int)]
    most, least, unknown = max(known, default=1), min(known, default=1), len(known) < len(rows)
    end = TICKS[-1]
    if not unknown:
        end = next((tick for tick in TICKS[4:] if most <= tick), end)
    ticks = [tick for tick in TICKS if tick <= end]
    said = "format(datum.value, '~g')"
    if most > end or unknown:
        said = f"datum.value == {end} ? '≥ {end}' : {said}"
    if least < TICKS[0]:
        said = f"datum.value == {TICKS[0]} ? '≤ {TICKS[0]}' : {said}"
    scale = alt.Scale(type="log", domain=[TICKS[0], end], clamp=True, nice=False)
    axis = alt.Axis(values=ticks, labelExpr=said, tickCount=99)  # all of them
    return alt.Y("place:Q", title="risk: used share of the tightest limit", scale=scale, axis=axis)


def _placed(rows: Rows) -> alt.Chart:
    """Rows with their place on the axis of risks: a risk that is no number is at its end."""
    chart: alt.Chart = rows_of(rows).transform_calculate(
        place=f"isNumber(datum.risk) ? datum.risk : {TICKS[-1]}"
    )
    return chart


def _marked(rows: Rows, x: alt.X, y: alt.Y, right: float) -> tuple[alt.Chart, alt.Chart]:
    """A ring around the plan that was chosen, or is nearest, and its number."""
    late = all(4 * row["loss"] > right for row in rows)  # the name goes where no plan can be
    words = _placed(rows).transform_calculate(said="datum.mark + ' (' + datum.plan + ')'")
    ring = _placed(rows).mark_point(size=420, color=INK, strokeWidth=2.5, opacity=1, aria=False)
    name = words.mark_text(
        align="right" if late else "left", dx=-8 if late else 8, dy=20, fontWeight=600
    )
    return ring.encode(x=x, y=y), name.encode(x=x, y=y, text=alt.Text("said:N"))


def _loss(row: dict[str, float]) -> float:
    return row["loss"]
