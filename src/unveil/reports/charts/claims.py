"""Charts of what an attack claims: how precise it is, and how far its probabilities hold."""

import altair as alt

from unveil.reports.charts.marks import (
    PERCENT,
    WHOLE,
    Drawn,
    Rows,
    dashes,
    folded,
    kinds_in,
    rows_of,
    share,
    tooltips,
)
from unveil.reports.charts.theme import BLUE, GREY, RED


def precision(rows: Rows) -> Drawn:
    """The share of correct claims, and how many are made, by the required margin."""
    kinds = {
        "precision": "correct among the claimed",
        "coverage": "claimed",
        "control": "claims in the control",
    }
    lines = (
        folded(rows_of(rows), kinds)
        .mark_line(point=True)
        .encode(
            x=share("margin", "required margin", alt.Scale()),
            y=alt.Y("at:Q", title="share", axis=PERCENT, scale=WHOLE),
            color=kinds_in("kind", list(kinds.values()), (RED, BLUE, GREY), lines=True),
            strokeDash=dashes("kind", list(kinds.values())),
            tooltip=tooltips("kind:N", "margin:Q", alt.Tooltip("at:Q", format=".1%")),
        )
    )
    return alt.layer(lines).properties(height=240)


def reliability(rows: Rows) -> Drawn:
    """The share that is right against the share claimed, and where both are the same."""
    x = share("claimed", "claimed probability", WHOLE)
    both = ("claimed", "right")
    same, y = (
        alt.Y(f"{part}:Q", title="correct links", axis=PERCENT, scale=WHOLE) for part in both
    )
    shown = tooltips(*(alt.Tooltip(f"{part}:Q", format=".1%") for part in both), "n:Q")
    diagonal = rows_of(rows).mark_line(color=GREY, strokeDash=[6, 3]).encode(x=x, y=same)
    found = rows_of(rows).mark_line(point=True, color=BLUE).encode(x=x, y=y, tooltip=shown)
    return alt.layer(diagonal, found).properties(height=200)
