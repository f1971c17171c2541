"""Charts: a table of the summary drawn by Altair, as a Vega-Lite specification."""

from collections.abc import Callable
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from unveil.reports.charts.claims import precision, reliability
from unveil.reports.charts.frontier import frontier
from unveil.reports.charts.marks import (
    DIRECTIONS,
    PERCENT,
    SHOWN,
    STEP,
    WHOLE,
    Drawn,
    Rows,
    beside_each_other,
    dashes,
    dots,
    draw_limits,
    kinds_in,
    legend,
    name_axis,
    named,
    named_bars,
    rows_of,
    share,
    tall,
    tooltips,
    unique_labels,
    up_to,
    with_band,
    wrapped,
)
from unveil.reports.charts.match_weights import match_weights, waterfall
from unveil.reports.charts.surface import knowledge_surface
from unveil.reports.charts.theme import BLUE, GREEN, GREY, PALETTE, PURPLE, RED, SKY
from unveil.reports.content import Exhibit
from unveil.support.phrases import plain


def specification(exhibit: Exhibit) -> dict[str, Any]:
    """The Vega-Lite specification of an exhibit that is drawn, without the theme."""
    if exhibit.chart is None:
        raise ValueError(f"'{exhibit.name}' is a table only")
    with debug_mode(False):  # tests validate charts; it takes half of the time
        drawn = (CHARTS | _REGISTERED)[exhibit.chart](exhibit.table.records())
        made: dict[str, Any] = drawn.to_dict(validate=False)
    draw_limits(made.get("layer", []), exhibit.limits, exhibit.table.records())
    made |= {"width": "container", "description": plain(exhibit.says)}
    left_out = ("config", "$schema")  # the theme's, once for all; an address that nobody needs
    return {name: part for name, part in made.items() if name not in left_out}


def _attacks(rows: Rows) -> Drawn:
    found = rows_of(rows).transform_calculate(
        guessed="datum.guess / datum.n",
        most="datum.ceiling == null ? null : datum.ceiling / datum.n",
    )
    y = named(rows, "attack")
    offset = alt.YOffset("direction:N", sort=DIRECTIONS)
    bars = found.mark_bar().encode(
        y=y,
        yOffset=offset,
        x=alt.X(
            "share:Q",
            title="share of the people",
            axis=alt.Axis(format=".0%", values=[0, 0.2, 0.4, 0.6, 0.8, 1]),
            scale=alt.Scale(domain=[0, 1.15]),  # room for the words
        ),
        color=kinds_in("direction", DIRECTIONS, (BLUE, SKY)),
        tooltip=tooltips(
            "attack:N",
            "direction:N",
            alt.Tooltip("linked:Q", format=",.1f"),
            alt.Tooltip("n:Q", title="of", format=","),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("ceiling:Q", format=","),
        ),
    )
    marks = (
        found.transform_fold(["guessed", "most"], as_=["mark", "at"])
        .transform_filter("isValid(datum.at)")
        .transform_calculate(mark="datum.mark == 'most' ? 'ceiling' : 'a guess'")
        .mark_tick(thickness=3, bandSize=STEP - 8)
        .encode(
            y=y,
            yOffset=offset,
            x=alt.X("at:Q"),
            color=kinds_in("mark", ["a guess", "ceiling"], (GREY, RED)),
        )
    )
    words = (
        found.transform_calculate(said="format(100 * datum.share, '.1f') + ' %'")
        .mark_text(align="left", dx=5, fontSize=10)
        .encode(y=y, yOffset=offset, x=alt.X("share:Q"), text=alt.Text("said:N"))
    )
    layers: alt.LayerChart = alt.layer(bars, marks, words).resolve_scale(color="independent")
    return layers.properties(height=max(3, len({row["attack"] for row in rows})) * 2 * (STEP - 6))


def _claims(rows: Rows) -> Drawn:
    """Each attack in the direction with the most correct claims."""
    ranked = sorted(rows, key=lambda row: -row["right"] / max(row["n"], 1))
    shown = list({row["attack"]: row for row in reversed(ranked)}.values())[::-1][:SHOWN]
    kinds = ["correct", "wrong"]
    bars = (
        rows_of(shown)
        .transform_calculate(
            correct="datum.right / max(datum.n, 1)",
            wrong="(datum.claimed - datum.right) / max(datum.n, 1)",
        )
        .transform_fold([*kinds], as_=["claim", "part"])
        .mark_bar()
        .encode(
            y=named(shown, "attack"),
            x=share("part", "share of the people examined"),
            color=kinds_in("claim", kinds, (RED, SKY)),
            tooltip=tooltips(
                "attack:N", "direction:N", "claim:N", alt.Tooltip("part:Q", format=".1%")
            ),
        )
    )
    return alt.layer(bars).properties(height=tall(shown, "attack"))


def _knowledge(rows: Rows) -> Drawn:
    if "added" not in rows[0] or len(rows) > SHOWN:  # names would lie upon each other
        return with_band(
            rows, alt.X("known:O", title="attributes known", axis=alt.Axis(labelAngle=0))
        )
    order = [row["added"] for row in rows]
    axis = name_axis(labelAngle=-40, labelOverlap=False)
    return with_band(rows, alt.X("added:N", title="attributes added", sort=order, axis=axis))


def _without(rows: Rows) -> Drawn:
    shown = rows[: 2 * SHOWN]
    bars = _share_bars(shown, "attribute", share("share", scale=up_to(rows, "share", "every")))
    every = rows_of(rows[:1]).mark_rule(color=GREY, strokeWidth=2, strokeDash=[2, 2])
    layers = alt.layer(bars, every.encode(x=alt.X("every:Q")))
    return layers.properties(height=tall(shown, "attribute"))


def _rank_of_truth(rows: Rows) -> Drawn:
    attacks = list(dict.fromkeys(row["attack"] for row in rows))
    lines = (
        rows_of(rows)
        .mark_line(point=alt.OverlayMarkDef(size=40))
        .encode(
            x=alt.X("k:Q", title="candidates checked (k)", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                "share:Q", title="share of the people", axis=PERCENT, scale=up_to(rows, "share")
            ),
            color=kinds_in("attack", attacks, (RED, BLUE, GREEN, PURPLE), lines=True),
            strokeDash=dashes("attack", attacks),
            tooltip=tooltips(
                "attack:N", "direction:N", "k:Q", alt.Tooltip("share:Q", format=".1%")
            ),
        )
    )
    return alt.layer(lines).properties(height=240)


def _records(rows: Rows) -> Drawn:
    ranges = [f"{100 * row['low']:.0f} to {100 * row['high']:.0f} %" for row in rows]
    shown = [{**row, "range": said} for row, said in zip(rows, ranges, strict=True)]
    kinds = {"by_worst": "best attack", "by_mean": "mean over all attacks"}
    return beside_each_other(shown, "range", kinds, alt.X("at:Q", title="records"))


def _subgroups(rows: Rows) -> Drawn:
    large = [row for row in rows if not row.get("small")] or rows
    labels = unique_labels([f"{row['column']}: {row['group']}" for row in large[:SHOWN]])
    shown = [{**row, "label": label} for row, label in zip(large, labels, strict=False)]
    tips = tooltips("column:N", "group:N", "n:Q", alt.Tooltip("share:Q", format=".1%"))
    x = share("share", "share of the group", up_to(shown, "share"))
    return named_bars(shown, "label", x, tips)


def _intervals(rows: Rows) -> Drawn:
    found = rows_of(rows)
    x = alt.X("width:Q", title="width of the interval (% of the ranks)")
    colour = kinds_in("of", ["on average", "all at once"], (BLUE, RED), lines=True)
    inside = found.mark_line(point=True).encode(
        x=x,
        y=alt.Y("share:Q", title="share inside", axis=PERCENT, scale=WHOLE),
        color=colour,
        tooltip=tooltips("of:N", "width:Q", alt.Tooltip("share:Q", format=".1%")),
    )
    by_chance = found.mark_line(strokeDash=[4, 3], opacity=0.9).encode(
        x=x, y=alt.Y("chance:Q"), color=colour
    )
    return alt.layer(by_chance, inside).properties(height=240)


def _inside(rows: Rows) -> Drawn:
    kinds = {"share": "inside", "chance": "expected by chance"}
    return dots(rows[: 2 * SHOWN], "attribute", kinds, share("at", "share of the true values"))


def _inference(rows: Rows) -> Drawn:
    kinds = {
        "linked": "from the linked row",
        "control": "own row removed",
        "guess": "one guess for all",
        "inferred": "model of other rows",
    }
    return dots(rows[: 2 * SHOWN], "column", kinds, share("at", "share of correct values"))


def _predictions(rows: Rows) -> Drawn:
    """Scores from 0 on; one that is no better than a guess is a word."""
    kinds = {"original": "trained on the original", "release": "trained on the release"}
    known = [row for row in rows if row["original"] != "none"][: 2 * SHOWN]
    x = alt.X("at:Q", title="score on held-out originals", scale=WHOLE)
    none = rows_of([row for row in known if row["release"] == "none"])
    words = none.mark_text(align="left", dx=2, color=BLUE).encode(
        y=named(known, "target"), x=alt.XDatum(0), text=alt.Text("release:N")
    )
    return dots(known, "target", kinds, x, words)


def _loss(rows: Rows) -> Drawn:
    shown = [row for row in rows if row["worst"] == 1 and not isinstance(row["value"], str)]
    bars = (
        rows_of(shown)
        .mark_bar()
        .encode(
            y=named(shown, "measure"),
            x=alt.X("value:Q", title="loss (0: none, 1: all)", scale=WHOLE),
            color=kinds_in("family", list(dict.fromkeys(r["family"] for r in shown)), PALETTE),
            tooltip=tooltips("measure:N", "family:N", alt.Tooltip("value:Q", format=".3")),
        )
    )
    return alt.layer(bars).properties(height=tall(shown, "measure", 18))


def _shape(rows: Rows) -> Drawn:
    kinds = {"original_share": "original", "release_share": "release"}
    x = alt.X("at:Q", title=None, axis=alt.Axis(format=".0%", tickCount=3))
    return beside_each_other(rows, "bar", kinds, x)


def _unchanged(rows: Rows) -> Drawn:
    shown = sorted(rows, key=lambda row: -row["share"])[: 2 * SHOWN]
    bars = _share_bars(shown, "column", share("share", "share of the cells"))
    return alt.layer(bars).properties(height=tall(shown, "column"))


def _share_bars(rows: Rows, name: str, x: alt.X) -> alt.Chart:
    tips = tooltips(f"{name}:N", alt.Tooltip("share:Q", format=".1%"))
    bars: alt.Chart = rows_of(rows).mark_bar(color=BLUE)
    return bars.encode(y=named(rows, name), x=x, tooltip=tips)


def _remedies(rows: Rows) -> Drawn:
    shown = [
        {**row, "label": ("" if row["loss"] is None else f"loss {row['loss']:.3g}: ") + row["does"]}
        for row in rows
    ]
    tips = tooltips(
        "does:N", alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("loss:Q", format=".3")
    )
    return named_bars(shown, "label", share("share", scale=up_to(shown, "share")), tips)


def _risk_loss(rows: Rows) -> Drawn:
    shown = [row for row in rows if row["risk"] is not None and row["loss"] is not None]
    right = 1.1 * max([row["loss"] for row in shown], default=0.0) or 1.0
    standings = ["not dominated", "dominated"]
    to_most = alt.Scale(domain=[0, right], nice=False)
    x = alt.X("loss:Q", title="information loss (0 to 1)", scale=to_most)
    scale = up_to(shown, "risk")
    y = alt.Y("risk:Q", title="share linked (stress test)", axis=PERCENT, scale=scale)
    dots = (
        rows_of(shown)
        .mark_point(filled=True, size=140, opacity=1)
        .encode(
            x=x,
            y=y,
            color=kinds_in("standing", standings, (BLUE, GREY)),
            shape=alt.Shape(
                "standing:N",
                scale=alt.Scale(domain=standings, range=["circle", "cross"]),
                legend=legend(standings),
            ),
            tooltip=tooltips(
                "release:N", alt.Tooltip("risk:Q", format=".1%"), alt.Tooltip("loss:Q", format=".3")
            ),
        )
    )
    shown = [{**row, "said": wrapped(row["release"], 16)} for row in shown]
    left = [row for row in shown if 2 * row["loss"] <= right]  # a name goes where there is room
    rest = [row for row in shown if 2 * row["loss"] > right]
    words = (
        rows_of(left).mark_text(align="left", dx=10, lineBreak="\n"),
        rows_of(rest).mark_text(align="right", dx=-10, lineBreak="\n"),
    )
    beside = [one.encode(x=x, y=y, text=alt.Text("said:N")) for one in words]
    return alt.layer(dots, *beside).properties(height=320)


def _beside(
    name: str, value: str, title: str, axis: alt.Axis | None = None, kind: str = "release"
) -> Callable[[Rows], Drawn]:
    """Bars of several releases, or of another kind, beside each other, a group for each name."""

    def drawn(rows: Rows) -> Drawn:
        # What has no end, or another one, would be drawn far outside.
        shown = [row for row in rows if row[value] is not None and row.get("worst", 1) == 1]
        releases = list(dict.fromkeys(row[kind] for row in rows))  # of one colour throughout
        most = f"max({value})"  # of two directions; bars on top of each other would add up
        bars = (
            rows_of(shown)
            .mark_bar()
            .encode(
                y=named(shown, name),
                yOffset=alt.YOffset(f"{kind}:N", sort=releases),
                x=alt.X(f"{most}:Q", title=title, scale=WHOLE, axis=axis or alt.Axis()),
                color=kinds_in(kind, releases, PALETTE),
                tooltip=tooltips(
                    f"{kind}:N", f"{name}:N", alt.Tooltip(f"{most}:Q", title=value, format=".3")
                ),
            )
        )
        return alt.layer(bars).properties(height=tall(shown, name, 11 * max(2, len(releases))))

    return drawn


CHARTS: dict[str, Callable[[Rows], Drawn]] = {
    "attacks": _attacks,
    "claims": _claims,
    "precision": precision,
    "reliability": reliability,
    "knowledge": _knowledge,
    "knowledge_surface": knowledge_surface,
    "noise": lambda rows: with_band(rows, alt.X("error:Q", title="error in knowledge")),
    "without": _without,
    "rank_of_truth": _rank_of_truth,
    "records": _records,
    "subgroups": _subgroups,
    "intervals": _intervals,
    "inside": _inside,
    "inference": _inference,
    "predictions": _predictions,
    "loss": _loss,
    "shape": _shape,
    "unchanged": _unchanged,
    "remedies": _remedies,
    "risk_loss": _risk_loss,
    "frontier": frontier,
    "match_weights": match_weights,
    "waterfall": waterfall,
    "attacks_beside": _beside("attack", "share", "share of the people", PERCENT),
    "importance": _beside("attribute", "importance", "learnt weight", PERCENT, "model"),
    "losses_beside": _beside("measure", "value", "loss (0: none, 1: all)"),
}


_REGISTERED: dict[str, Callable[[Rows], Drawn]] = {}  # charts of other packages


def register_chart(name: str, draw: Callable[[Rows], Drawn]) -> None:
    """Add a kind of chart that exhibits of another package name in `Exhibit.chart`."""
    if name in CHARTS or _REGISTERED.setdefault(name, draw) is not draw:
        raise ValueError(f"there is a chart '{name}' already")
