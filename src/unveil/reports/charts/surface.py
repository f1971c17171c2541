"""The chart of the knowledge surface: a panel for the people held, a line for each error."""

import altair as alt

from unveil.reports.charts.marks import (
    PERCENT,
    Drawn,
    Rows,
    kinds_in,
    legend,
    rows_of,
    tooltips,
    up_to,
)
from unveil.reports.charts.theme import BLUE, GREEN, ORANGE, PURPLE

SHAPES = ["circle", "square", "triangle-up", "diamond"]


def knowledge_surface(rows: Rows) -> Drawn:
    """Panels beside each other on one axis, so that they share their height and a limit.

    Each place of the axis is a panel and a number of attributes; an empty place parts two panels.
    """
    shown = [
        {**row, "at": f"{row['people']}: {row['known']}", "kind": _kind(row["error"])}
        for row in rows
    ]
    kinds = list(dict.fromkeys(row["kind"] for row in shown))
    panels = {row["people"]: row for row in reversed(shown)}  # the first place of each
    places = list[str]()
    for panel in reversed(panels):
        sizes = sorted({row["known"] for row in shown if row["people"] == panel})
        places += [f"{panel}: {size}" for size in sizes] + [f"{panel}: "]
    x = alt.X(
        "at:N",
        title="attributes known, by people searched at once",
        scale=alt.Scale(domain=places[:-1]),
        axis=alt.Axis(labelExpr="split(datum.label, ': ')[1]", labelAngle=0, ticks=False),
    )
    title, to_most = "share of the people", up_to(rows, "share")
    y = alt.Y("share:Q", title=title, axis=PERCENT, scale=to_most)
    colour = kinds_in("kind", kinds, (BLUE, ORANGE, GREEN, PURPLE))
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(kinds))]
    scale = alt.Scale(domain=kinds, range=shapes)
    shape = alt.Shape("kind:N", scale=scale, legend=legend(kinds))
    lines = rows_of(shown).mark_line().encode(x=x, y=y, color=colour, detail=alt.Detail("people:N"))
    tips = [alt.Tooltip(f"{part}:Q", format=".1%") for part in ("share", "low", "high", "highest")]
    points = (
        rows_of(shown)
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=shape,
            tooltip=tooltips("people:N", "known:Q", "kind:N", "attack:N", *tips),
        )
    )
    titles = rows_of(list(panels.values())).mark_text(align="left", dx=-6, dy=-8, aria=False)
    words = titles.encode(x=x, y=alt.value(0), text=alt.Text("people:N"))
    return alt.layer(lines, points, words).properties(height=240)


def _kind(error: float) -> str:
    return f"{100 * error:g} % out of date" if error else "exact"
