"""Charts of papers: ours against theirs, and the curves that they have."""

import altair as alt

from unveil.reports import BLUE, GREY, PALETTE, RED, Drawn, Rows, kinds_in, legend, rows_of

MARKS = ["same", "different", "not reproducible"]
FEW = 60  # points that are shown on their lines


def ours_and_theirs(rows: Rows) -> Drawn:
    """Printed figures against ours, and the line on which both are equal."""
    shown = alt.Scale(zero=False)
    x = alt.X("theirs:Q", title="theirs", scale=shown)
    y = alt.Y("ours:Q", title="ours", scale=shown)
    dots = (
        rows_of(rows)
        .mark_point(filled=True, size=50, opacity=0.7)
        .encode(
            x=x,
            y=y,
            color=kinds_in("mark", MARKS, (BLUE, RED, GREY)),
            shape=alt.Shape("mark:N", scale=alt.Scale(domain=MARKS), legend=legend(MARKS)),
            tooltip=["cell:N", "theirs:Q", alt.Tooltip("ours:Q", format=",.4"), "mark:N"],
        )
    )
    line = rows_of(rows).mark_line(color=GREY, strokeDash=[4, 4])
    equal = line.encode(x=x, y=alt.Y("theirs:Q", title="ours", scale=shown))
    return alt.layer(equal, dots).properties(height=320)


def curve(rows: Rows, *, logarithmic: bool = False) -> Drawn:
    """Lines through points; the axes are called as their columns are."""
    line, x, y = rows[0]
    names = list(dict.fromkeys(row[line] for row in rows))
    shown = [row for row in rows if row[y] > 0] if logarithmic else rows
    colour = kinds_in(line, names, PALETTE, lines=True)
    if len(names) > len(PALETTE):  # as many of one family: from dark to light, in their order
        scale = alt.Scale(domain=names, scheme="viridis")
        colour = alt.Color(f"{line}:N", scale=scale, legend=legend(names, lines=True))
    lines = (
        rows_of(shown)
        .mark_line(point=len(rows) < FEW)
        .encode(
            x=alt.X(f"{x}:Q"),
            y=alt.Y(f"{y}:Q", scale=alt.Scale(type="log" if logarithmic else "linear")),
            color=colour,
            tooltip=[f"{line}:N", alt.Tooltip(f"{x}:Q"), alt.Tooltip(f"{y}:Q", format=".3")],
        )
    )
    return alt.layer(lines).properties(height=280)
