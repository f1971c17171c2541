"""Charts of match weights: their distribution with both thresholds, and the parts of one."""

from typing import Any

import altair as alt

from unveil.reports.charts.marks import Drawn, Rows, kinds_in, named, rows_of, tall
from unveil.reports.charts.theme import BLUE, GREEN, GREY, RED

KINDS = {"expected": "matches (expected)", "others": "other pairs"}
PARTS = {"prior": GREY, "for a match": GREEN, "against": RED, "match weight": BLUE}


def match_weights(rows: Rows) -> Drawn:
    """Pairs by weight on a scale of orders of magnitude, and a line for each threshold."""
    shown = [row for row in rows if row["pairs"] is not None]
    scale = alt.Scale(type="symlog", constant=1)
    x = alt.X("low:Q", title="match weight (bits)")
    layers: list[alt.Chart] = []
    folded = [
        {"low": row["low"], "high": row["high"], "kind": kind, "pairs": row[key]}
        for row in shown
        for key, kind in KINDS.items()
    ]
    layers.append(
        rows_of(folded)
        .mark_bar(opacity=0.55)
        .encode(
            x=x,
            x2="high:Q",
            y=alt.Y("pairs:Q", title="pairs", scale=scale, stack=None, axis=alt.Axis(tickCount=5)),
            color=kinds_in("kind", list(KINDS.values()), (RED, BLUE)),
            tooltip=["kind:N", "low:Q", "high:Q", alt.Tooltip("pairs:Q", format=",.1f")],
        )
    )
    lines = [row for row in rows if row["pairs"] is None]
    for place, row in enumerate(lines):
        one = rows_of([row])
        layers.append(one.mark_rule(strokeDash=[6, 3], strokeWidth=2).encode(x=x))
        words = one.mark_text(align="left", dx=4, dy=6 + 14 * place, baseline="top")
        layers.append(words.encode(x=x, y=alt.value(0), text="part:N"))
    return alt.layer(*layers).properties(height=240)


def waterfall(rows: Rows) -> Drawn:
    """A bar from each sum to the next, for the prior and each attribute; the last is the sum."""
    steps, total = list[dict[str, Any]](), 0.0
    for place, row in enumerate(rows):
        bits = row["weight"]
        step = {"start": total, "end": total + bits, "bits": bits}
        if place == 0:
            step["kind"] = "prior"
        elif place == len(rows) - 1:
            step |= {"kind": "match weight", "start": 0.0, "end": bits}
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
            x2="end:Q",
            color=kinds_in("kind", kinds, [PARTS[kind] for kind in kinds]),
            tooltip=["said:N", alt.Tooltip("bits:Q", format="+.2f")],
        )
    )
    even = rows_of(steps[:1]).mark_rule(color=GREY, strokeDash=[2, 2]).encode(x=alt.datum(0))
    return alt.layer(bars, even).properties(height=tall(steps, "said"))
