"""Charts of match weights: their distribution with both thresholds, and the parts of one."""

from math import ceil, log10

import altair as alt

from unveil.reports.charts.marks import (
    Drawn,
    Rows,
    folded,
    kinds_in,
    named,
    rows_of,
    tall,
    tooltips,
)
from unveil.reports.charts.theme import BLUE, GREEN, GREY, RED

KINDS = {"expected": "matches (expected)", "others": "other pairs"}
PARTS = {"prior": GREY, "for a match": GREEN, "against": RED, "sum": BLUE}


def match_weights(rows: Rows) -> Drawn:
    """Pairs by weight on a scale of orders of magnitude, and a line for each threshold."""
    shown = [row for row in rows if row["high"] is not None]
    most = max((row["pairs"] for row in shown), default=1)
    scale = alt.Scale(type="symlog", constant=1, domainMin=0)
    ticks = [0, *(10**power for power in range(0, ceil(log10(most + 1)) + 1, 2))]
    x = alt.X("low:Q", title="match weight (bits)")
    bars = (
        folded(rows_of(shown), KINDS)
        .mark_bar(opacity=0.55)
        .encode(
            x=x,
            x2=alt.X2("high:Q"),
            y=alt.Y("at:Q", title="pairs", scale=scale, stack=None, axis=alt.Axis(values=ticks)),
            y2=alt.Y2Datum(0),
            color=kinds_in("kind", list(KINDS.values()), (RED, BLUE)),
            tooltip=tooltips("kind:N", "low:Q", "high:Q", alt.Tooltip("at:Q", format=",.1f")),
        )
    )
    layers = [bars]
    lines = [row for row in rows if row["high"] is None]
    for place, row in enumerate(lines):
        one = rows_of([row])
        layers.append(one.mark_rule(strokeDash=[6, 3], strokeWidth=2).encode(x=x))
        words = one.mark_text(align="right", dx=-4, dy=14 * place, baseline="bottom")
        layers.append(words.encode(x=x, y=alt.value(0), text=alt.Text("part:N")))
    return alt.layer(*layers).properties(height=240)


def waterfall(rows: Rows) -> Drawn:
    """A bar from each sum to the next, for the prior and each attribute; the last is the sum."""
    steps, total = Rows(), 0.0
    for place, row in enumerate(rows):
        bits = row["weight"]
        step = row | {"start": total, "end": total + bits}
        if place == 0:
            step["kind"] = "prior"
        elif place == len(rows) - 1:
            step |= {"kind": "sum", "start": 0.0, "end": bits}
        else:
            step["kind"] = "for a match" if bits >= 0 else "against"
        said = ": ".join(filter(None, (row["part"], row["level"])))
        steps.append(step | {"said": said})
        total += bits
    kinds = [kind for kind in PARTS if any(step["kind"] == kind for step in steps)]
    bars = (
        rows_of(steps)
        .mark_bar()
        .encode(
            y=named(steps, "said"),
            x=alt.X("start:Q", title="log2 of the odds of a match"),
            x2=alt.X2("end:Q"),
            color=kinds_in("kind", kinds, [PARTS[kind] for kind in kinds]),
            tooltip=tooltips("said:N", alt.Tooltip("weight:Q", format="+.2f")),
        )
    )
    return alt.layer(bars).properties(height=tall(steps, "said"))
