"""Charts: a table of the summary drawn by Altair, as a Vega-Lite specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from unveil.data.phrases import plain
from unveil.reports.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unveil.reports.content import Exhibit

Rows = list[dict[str, Any]]
Drawn = alt.LayerChart | alt.FacetChart

SHOWN = 15  # bars that can be told apart
STEP = 22  # height of a bar
PERCENT = alt.Axis(format=".0%")
WHOLE = alt.Scale(domain=[0, 1])
DIRECTIONS = ["original to release", "release to original"]
KINDS = alt.Legend(title=None)


def specification(exhibit: Exhibit) -> dict[str, Any]:
    """The Vega-Lite specification of an exhibit that is drawn, without the theme."""
    if exhibit.chart is None:
        raise ValueError(f"'{exhibit.name}' is a table only")
    drawn = CHARTS[exhibit.chart](exhibit.table.records())
    made: dict[str, Any] = drawn.to_dict()
    made |= {"width": "container", "description": plain(exhibit.says)}
    made.pop("config", None)  # the theme's, once for all
    return made


def _of(rows: Rows) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _share(field: str, title: str = "share of the people", scale: alt.Scale = WHOLE) -> alt.X:
    return alt.X(f"{field}:Q", title=title, axis=PERCENT, scale=scale)


def _bars(rows: Rows, name: str, *, title: str | None = None) -> alt.Y:
    """Bars below each other, in the order of the table."""
    return alt.Y(f"{name}:N", title=title, sort=[row[name] for row in rows])


def _tall(rows: Sequence[Any], step: int = STEP) -> int:
    return max(3, len(rows)) * step


def _attacks(rows: Rows) -> Drawn:
    found = _of(rows).transform_calculate(
        guessed="datum.guess / datum.n",
        most="datum.ceiling == null ? null : datum.ceiling / datum.n",
    )
    y = alt.Y("attack:N", title=None, sort=list(dict.fromkeys(row["attack"] for row in rows)))
    offset = alt.YOffset("direction:N", sort=DIRECTIONS)
    palette = alt.Scale(domain=DIRECTIONS, range=[BLUE, SKY])
    bars = found.mark_bar().encode(
        y=y,
        yOffset=offset,
        x=_share("share"),
        color=alt.Color("direction:N", scale=palette, legend=KINDS),
        tooltip=[
            "attack:N",
            "direction:N",
            alt.Tooltip("linked:Q", format=",.1f"),
            alt.Tooltip("n:Q", title="of", format=","),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("ceiling:Q", format=","),
        ],
    )
    marks = (
        found.transform_fold(["guessed", "most"], as_=["mark", "at"])
        .transform_filter("isValid(datum.at)")
        .transform_calculate(mark="datum.mark == 'most' ? 'ceiling' : 'a guess'")
        .mark_tick(thickness=3, bandSize=STEP - 8)
        .encode(
            y=y,
            yOffset=offset,
            x="at:Q",
            color=alt.Color(
                "mark:N",
                scale=alt.Scale(domain=["a guess", "ceiling"], range=[GREY, RED]),
                legend=KINDS,
            ),
        )
    )
    many = len({row["attack"] for row in rows})
    layers: alt.LayerChart = alt.layer(bars, marks).resolve_scale(color="independent")
    return layers.properties(height=max(3, many) * 2 * (STEP - 6))


def _claims(rows: Rows) -> Drawn:
    shown = sorted(rows, key=lambda row: -row["right"] / max(row["n"], 1))[:SHOWN]
    found = (
        _of(shown)
        .transform_calculate(
            rightly="datum.right / max(datum.n, 1)",
            wrongly="(datum.claimed - datum.right) / max(datum.n, 1)",
        )
        .transform_calculate(label="datum.attack + '|' + datum.direction")
        .transform_fold(["rightly", "wrongly"], as_=["claim", "part"])
    )
    bars = found.mark_bar().encode(
        y=alt.Y(
            "label:N",
            title=None,
            sort=[f"{row['attack']}|{row['direction']}" for row in shown],
            axis=alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=150),
        ),
        x=_share("part", "share of the people looked at"),
        color=alt.Color(
            "claim:N",
            scale=alt.Scale(domain=["rightly", "wrongly"], range=[RED, SKY]),
            legend=KINDS,
        ),
        tooltip=["attack:N", "direction:N", "claim:N", alt.Tooltip("part:Q", format=".1%")],
    )
    return alt.layer(bars).properties(height=_tall(shown, 34))


def _precision(rows: Rows) -> Drawn:
    names = {"coverage": "claimed", "precision": "right, of the claimed", "control": "of nobody"}
    lines = (
        _of(rows)
        .transform_fold(list(names), as_=["curve", "part"])
        .transform_calculate(
            curve="datum.curve == 'coverage' ? 'claimed' : datum.curve == 'precision' ? "
            "'right, of the claimed' : 'claimed of nobody'"
        )
        .mark_line(point=True)
        .encode(
            x=_share("margin", "margin that is demanded", alt.Scale()),
            y=alt.Y("part:Q", title="share", axis=PERCENT, scale=WHOLE),
            color=alt.Color(
                "curve:N",
                scale=alt.Scale(
                    domain=["right, of the claimed", "claimed", "claimed of nobody"],
                    range=[RED, BLUE, GREY],
                ),
                legend=KINDS,
            ),
            strokeDash=alt.StrokeDash(
                "curve:N",
                scale=alt.Scale(
                    domain=["right, of the claimed", "claimed", "claimed of nobody"],
                    range=[[1, 0], [6, 3], [2, 2]],
                ),
                legend=KINDS,
            ),
            tooltip=["curve:N", "margin:Q", alt.Tooltip("part:Q", format=".1%")],
        )
    )
    return alt.layer(lines).properties(height=240)


def _with_band(found: alt.Chart, x: alt.X, colour: str = BLUE) -> Drawn:
    """A line with the interval in which it lies."""
    y = alt.Y("share:Q", title="share of the people", axis=PERCENT, scale=WHOLE)
    tips = [alt.Tooltip(f"{end}:Q", format=".1%") for end in ("share", "low", "high")]
    band = (
        found.transform_filter("isValid(datum.low)")
        .mark_area(opacity=0.2, color=colour)
        .encode(x=x, y=alt.Y("low:Q", title="share of the people"), y2="high:Q")
    )
    line = found.mark_line(point=True, color=colour).encode(x=x, y=y, tooltip=[x.shorthand, *tips])
    return alt.layer(band, line).properties(height=240)


def _knowledge(rows: Rows) -> Drawn:
    if "added" not in rows[0]:
        x = alt.X("known:O", title="attributes known", axis=alt.Axis(labelAngle=0))
        return _with_band(_of(rows), x)
    order = [row["added"] for row in rows]
    axis = alt.Axis(labelAngle=-40, labelLimit=110, labelOverlap=False)
    return _with_band(
        _of(rows), alt.X("added:N", title="known, one more at a time", sort=order, axis=axis)
    )


def _noise(rows: Rows) -> Drawn:
    return _with_band(_of(rows), alt.X("error:Q", title="error in what is known"))


def _without(rows: Rows) -> Drawn:
    shown = rows[: 2 * SHOWN]
    bars = (
        _of(shown)
        .mark_bar(color=BLUE)
        .encode(
            y=_bars(shown, "attribute"),
            x=_share("share"),
            tooltip=["attribute:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    every = _of(rows[:1]).mark_rule(color=RED, strokeWidth=2, strokeDash=[6, 3]).encode(x="every:Q")
    return alt.layer(bars, every).properties(height=_tall(shown))


def _rank_of_truth(rows: Rows) -> Drawn:
    attacks = list(dict.fromkeys(row["attack"] for row in rows))
    colours = alt.Scale(domain=attacks, range=[RED, BLUE, GREEN, PURPLE][: len(attacks)])
    lines = (
        _of(rows)
        .mark_line(point=alt.OverlayMarkDef(size=40))
        .encode(
            x=alt.X("k:Q", title="among the k best", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("share:Q", title="share of the people", axis=PERCENT, scale=WHOLE),
            color=alt.Color("attack:N", scale=colours, legend=KINDS),
            strokeDash=alt.StrokeDash("attack:N", sort=attacks, legend=KINDS),
            tooltip=["attack:N", "direction:N", "k:Q", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return alt.layer(lines).properties(height=240)


def _records(rows: Rows) -> Drawn:
    shown = [
        {**row, "range": f"{100 * row['low']:.0f} to {100 * row['high']:.0f} %"} for row in rows
    ]
    bars = (
        _of(shown)
        .transform_fold(["by_worst", "by_mean"], as_=["by", "records"])
        .transform_calculate(
            by="datum.by == 'by_worst' ? 'by the worst attack' : 'mean over all attacks'"
        )
        .mark_bar()
        .encode(
            x=alt.X(
                "range:N",
                title="risk",
                sort=[row["range"] for row in shown],
                axis=alt.Axis(labelAngle=-40),
            ),
            xOffset="by:N",
            y=alt.Y("records:Q", title="records"),
            color=_two("by", ["by the worst attack", "mean over all attacks"]),
            tooltip=["range:N", "by:N", alt.Tooltip("records:Q", format=",")],
        )
    )
    return alt.layer(bars).properties(height=220)


def _two(field: str, names: list[str], colours: Sequence[str] = (BLUE, ORANGE)) -> alt.Color:
    scale = alt.Scale(domain=names, range=list(colours))
    return alt.Color(f"{field}:N", scale=scale, legend=KINDS)


def _subgroups(rows: Rows) -> Drawn:
    shown = [
        {**row, "label": f"{row['column']}: {row['group']}"} for row in rows if row["small"] == ""
    ] or [{**row, "label": f"{row['column']}: {row['group']}"} for row in rows]
    shown = shown[:SHOWN]
    bars = (
        _of(shown)
        .mark_bar(color=BLUE)
        .encode(
            y=_bars(shown, "label"),
            x=_share("share", "share of the group"),
            tooltip=["column:N", "group:N", "n:Q", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return alt.layer(bars).properties(height=_tall(shown))


def _intervals(rows: Rows) -> Drawn:
    found = _of(rows)
    x = alt.X("width:Q", title="width of the interval, in % of the ranks")
    names = ["on average", "all at once"]
    colour = _two("of", names, (BLUE, RED))
    inside = found.mark_line(point=True).encode(
        x=x,
        y=alt.Y("share:Q", title="share inside", axis=PERCENT, scale=WHOLE),
        color=colour,
        tooltip=["of:N", "width:Q", alt.Tooltip("share:Q", format=".1%")],
    )
    by_chance = found.mark_line(strokeDash=[4, 3], opacity=0.9).encode(
        x=x, y="chance:Q", color=colour
    )
    return alt.layer(by_chance, inside).properties(height=240)


def _dots(rows: Rows, name: str, kinds: dict[str, str], x: alt.X) -> Drawn:
    """One row for each name, with a dot for each kind, and a line from the least to the most."""
    label = " : ".join(f"datum.kind == '{key}' ? '{said}'" for key, said in kinds.items())
    folded = (
        _of(rows)
        .transform_fold(list(kinds), as_=["kind", "at"])
        .transform_filter("isValid(datum.at)")
        .transform_calculate(kind=f"{label} : ''")
    )
    y = _bars(rows, name)
    order = list(kinds.values())
    line = folded.mark_rule(color="#bbbbbb", strokeWidth=2).encode(
        y=y, x=alt.X("min(at):Q"), x2="max(at):Q"
    )
    dots = folded.mark_point(filled=True, size=90, opacity=1).encode(
        y=y,
        x=x,
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=order, range=[RED, BLUE, GREY, GREEN][: len(order)]),
            legend=KINDS,
        ),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=order), legend=KINDS),
        tooltip=[f"{name}:N", "kind:N", alt.Tooltip("at:Q", format=".3")],
    )
    return alt.layer(line, dots).properties(height=_tall(rows))


def _inside(rows: Rows) -> Drawn:
    kinds = {"share": "inside", "chance": "by chance"}
    return _dots(rows[: 2 * SHOWN], "attribute", kinds, _share("at", "share of the originals"))


def _inference(rows: Rows) -> Drawn:
    kinds = {
        "linked": "by the link",
        "control": "own row not there",
        "guess": "one guess for all",
        "inferred": "from the others",
    }
    return _dots(rows[: 2 * SHOWN], "column", kinds, _share("at", "told rightly"))


def _predictions(rows: Rows) -> Drawn:
    kinds = {"original": "from the original", "release": "from the release"}
    known = [row for row in rows if row["original"] is not None]
    x = alt.X("at:Q", title="score on held-out originals", scale=alt.Scale(zero=True))
    return _dots(known[: 2 * SHOWN], "target", kinds, x)


def _loss(rows: Rows) -> Drawn:
    shown = [row for row in rows if row["worst"] == 1 and not isinstance(row["value"], str)]
    bars = (
        _of(shown)
        .mark_bar()
        .encode(
            y=_bars(shown, "measure"),
            x=alt.X("value:Q", title="0: nothing is lost, 1: all", scale=WHOLE),
            color=alt.Color("family:N", sort=list(dict.fromkeys(r["family"] for r in shown)),
                            legend=KINDS),
            tooltip=["measure:N", "family:N", alt.Tooltip("value:Q", format=".3")],
        )
    )  # fmt: skip
    return alt.layer(bars).properties(height=_tall(shown, 18))


def _shape(rows: Rows) -> Drawn:
    bars = (
        _of(rows)
        .transform_fold(["original_share", "release_share"], as_=["file", "part"])
        .transform_calculate(file="datum.file == 'original_share' ? 'original' : 'release'")
        .mark_bar()
        .encode(
            x=alt.X(
                "bar:N",
                title=None,
                sort=[row["bar"] for row in rows],
                axis=alt.Axis(labelAngle=-40, labelLimit=90, labelOverlap=False),
            ),
            xOffset="file:N",
            y=alt.Y("part:Q", title=None, axis=alt.Axis(format=".0%", tickCount=4)),
            color=_two("file", ["original", "release"]),
            tooltip=["bar:N", "file:N", alt.Tooltip("part:Q", format=".1%")],
        )
    )
    return alt.layer(bars).properties(height=130)


def _unchanged(rows: Rows) -> Drawn:
    shown = sorted(rows, key=lambda row: -row["share"])[: 2 * SHOWN]
    bars = (
        _of(shown)
        .mark_bar(color=BLUE)
        .encode(
            y=_bars(shown, "column"),
            x=_share("share", "share of the cells"),
            tooltip=["column:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return alt.layer(bars).properties(height=_tall(shown))


def _remedies(rows: Rows) -> Drawn:
    """Long names stand above their bars: beside them they would leave no room."""
    found = _of(rows).transform_calculate(
        said="datum.loss == null ? datum.does : datum.does + '; loss ' + format(datum.loss, '.3')"
    )
    y = alt.Y("does:N", title=None, sort=[row["does"] for row in rows], axis=None)
    bars = found.mark_bar(color=BLUE, size=12, yOffset=7).encode(
        y=y,
        x=_share("share"),
        tooltip=[
            "does:N",
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("loss:Q", format=".3"),
        ],
    )
    words = found.mark_text(align="left", baseline="bottom", dx=2, dy=0, limit=600).encode(
        y=y, x=alt.datum(0), text="said:N"
    )
    return alt.layer(bars, words).properties(height=_tall(rows, 38))


def _risk_loss(rows: Rows) -> Drawn:
    found = _of([row for row in rows if row["risk"] is not None and row["loss"] is not None])
    x = alt.X("loss:Q", title="information lost", scale=alt.Scale(zero=True, nice=True, padding=30))
    y = alt.Y("risk:Q", title="linked by the worst attack", axis=PERCENT, scale=WHOLE)
    dots = found.mark_point(filled=True, size=140, opacity=1).encode(
        x=x,
        y=y,
        color=_two("standing", ["dominated by none", "dominated"], (BLUE, GREY)),
        shape=alt.Shape(
            "standing:N",
            scale=alt.Scale(domain=["dominated by none", "dominated"], range=["circle", "cross"]),
            legend=KINDS,
        ),
        tooltip=[
            "release:N",
            alt.Tooltip("risk:Q", format=".1%"),
            alt.Tooltip("loss:Q", format=".3"),
        ],
    )
    words = found.mark_text(align="center", baseline="bottom", dy=-9, limit=200).encode(
        x=x, y=y, text="release:N"
    )
    return alt.layer(dots, words).properties(height=320)


def _beside(name: str, value: str, title: str) -> Callable[[Rows], Drawn]:
    """Bars of several releases beside each other, one group for each name."""

    def drawn(rows: Rows) -> Drawn:
        shown = [row for row in rows if row[value] is not None]
        order = list(dict.fromkeys(row[name] for row in shown))
        releases = list(dict.fromkeys(row["release"] for row in shown))
        bars = (
            _of(shown)
            .mark_bar()
            .encode(
                y=alt.Y(f"{name}:N", title=None, sort=order),
                yOffset=alt.YOffset("release:N", sort=releases),
                x=alt.X(f"{value}:Q", title=title, scale=WHOLE),
                color=alt.Color("release:N", sort=releases, legend=KINDS),
                tooltip=["release:N", f"{name}:N", alt.Tooltip(f"{value}:Q", format=".3")],
            )
        )
        return alt.layer(bars).properties(height=max(3, len(order)) * 11 * max(2, len(releases)))

    return drawn


CHARTS: dict[str, Callable[[Rows], Drawn]] = {
    "attacks": _attacks,
    "claims": _claims,
    "precision": _precision,
    "knowledge": _knowledge,
    "noise": _noise,
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
    "attacks_beside": _beside("attack", "share", "share of the people"),
    "losses_beside": _beside("measure", "value", "0: nothing is lost, 1: all"),
}
