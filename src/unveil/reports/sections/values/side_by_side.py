"""Original and release, side by side."""

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.people import undeclared
from unveil.reports.tables import counts, decimals, labels, shares, tabulate, text
from unveil.support.phrases import name, phrase
from unveil.values.results.evidence import Evidence
from unveil.values.results.loss import Shape

SIDE_BY_SIDE = 30  # attributes that are drawn


def side_by_side(evidence: Evidence) -> Section | None:
    """Each attribute before and after masking."""
    drawn = [one for one in evidence.shapes if one.bars]
    if not evidence.shapes:
        return None
    most_changed = sorted(
        drawn, key=lambda one: -sum(abs(b.original_share - b.release_share) for b in one.bars)
    )
    shown = most_changed[:SIDE_BY_SIDE]
    said = [
        phrase(
            "Each attribute [before and after](shape) masking: the share of the records in each "
            "range or category. Ranges have round limits and rare categories are merged, so no "
            "individual value is shown. {}",
            undeclared(evidence),
        )
    ]
    if len(shown) < len(drawn):
        said.append(phrase("The attributes that changed most are shown."))
    bare = [
        phrase("{}: {}.", name(one.column), name(one.note))
        for one in evidence.shapes
        if not one.bars and one.note
    ]
    return Section(
        key="side-by-side",
        title="Original and release, side by side",
        paragraphs=tuple(said),
        exhibits=(
            _moment_table(evidence.shapes),
            *(_shape(place, one) for place, one in enumerate(drawn) if one in shown),
        ),
        points=tuple(bare),
    )


def _moment_table(shapes: tuple[Shape, ...]) -> Exhibit:
    table = tabulate(
        shapes,
        labels("column", "attribute", lambda one: one.column),
        (text("level", "level"), lambda one: one.level),
        counts("original", "missing in the original", lambda one: one.original_missing),
        counts("release", "missing in the release", lambda one: one.release_missing),
        decimals("shift", "shift of the mean (standard deviations)", lambda one: one.shift),
        decimals("spread", "standard deviation (ratio to the original)", lambda one: one.spread),
    )
    return Exhibit(name="moments", title="Means, deviations and missing cells", table=table)


def _shape(place: int, shape: Shape) -> Exhibit:
    table = tabulate(
        shape.bars,
        labels("bar", "value", lambda bar: bar.label),
        counts("original", "original", lambda bar: bar.original),
        counts("release", "release", lambda bar: bar.release),
        shares("original_share", "share of the original", lambda bar: bar.original_share),
        shares("release_share", "share of the release", lambda bar: bar.release_share),
    )
    return Exhibit(
        name=f"shape-{place + 1}",
        title="Before and after",
        chart="shape",
        about=name(shape.column).text,
        table=table,
        says=phrase(
            "Bars: the share of the records in each range of {}, before and after.",
            name(shape.column),
        ),
    )
