"""Loss: what the masking cost, and original and masked side by side."""

from unveil.measures import uneven_discards
from unveil.reports.content import Exhibit, Section, Table, figures, text
from unveil.reports.glossary import loss_key
from unveil.reports.sections.people import LISTED, listed
from unveil.support.phrases import (
    Figure,
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
    name,
    names,
    percent,
    phrase,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.loss import GroupLoss, Loss, LossMeasure, Shape, Suppression

OF_CELLS = ("numbers", "categories", "tables")  # what measures of loss look at
SIDE_BY_SIDE = 30  # attributes that are drawn


def loss(evidence: Evidence, *, external: bool = False) -> Section:
    """What the masking cost; to others, without who bears it."""
    lost = evidence.loss
    predicted = [one for one in lost.predictions if one.original is not None]
    return Section(
        key="loss",
        title="What the masking cost",
        paragraphs=(*_overall(lost), *_missing(lost, external=external), *_score(evidence)),
        exhibits=(
            _measures(lost, external=external),
            *([] if external else _by_group(lost.suppression)),
            *([_predictions(lost)] if predicted else []),
        ),
    )


def _overall(lost: Loss) -> list[Phrase]:
    overall = lost.overall
    if overall.value is None:
        return [phrase("The [overall loss](loss) is not known: {}.", name(overall.note))]
    return [
        phrase(
            "The [overall loss](loss) is {}, where {} is an unchanged file and {} one that says "
            "nothing any more.",
            decimal(overall.value),
            as_given(overall.best),
            as_given(overall.worst or 1.0),
        )
    ]


def _missing(lost: Loss, *, external: bool) -> list[Phrase]:
    """Who is left out, and what is not told, where that falls on some more than on others."""
    said, gone = [], lost.suppression
    if external:
        return [
            phrase(f"{{}} of the {what} are [{words}]({key}).", percent(share))
            for what, words, key, share in (
                ("records", "not released", "loss-discarded", gone.discarded),
                ("cells", "not told any more", "loss-suppressed", gone.suppressed),
            )
            if share
        ]
    if uneven := uneven_discards(gone):
        said.append(uneven)
    elif gone.most_discarded is not None and gone.most_discarded.discarded and gone.discarded:
        said.append(
            phrase(
                "{} of the records are [not released](loss-discarded), most of {}, {}: {} of {}.",
                percent(gone.discarded),
                name(gone.most_discarded.column),
                name(gone.most_discarded.name),
                percent(gone.most_discarded.discarded),
                counted(gone.most_discarded.n),
            )
        )
    most = gone.most_suppressed
    if most is not None and most.suppressed and gone.suppressed:
        said.append(
            phrase(
                "{} of the cells are [not told any more](loss-suppressed), most of {}, {}: {}.",
                percent(gone.suppressed),
                name(most.column),
                name(most.name),
                percent(most.suppressed),
            )
        )
    most = gone.most_generalised
    if most is not None and most.generalisation and gone.generalisation:
        said.append(
            phrase(
                "Released cells [leave open](loss-generalisation) {} of what they could say, most "
                "of {}, {}: {}.",
                percent(gone.generalisation),
                name(most.column),
                name(most.name),
                percent(most.generalisation),
            )
        )
    return said


def _score(evidence: Evidence) -> list[Phrase]:
    if evidence.score is None:
        return []
    return [
        phrase(
            "The [classical score](score), half loss and half disclosure risk, is {} of 100: no "
            "verdict, since in it loss pays for risk.",
            decimal(evidence.score),
        )
    ]


def _measures(lost: Loss, *, external: bool) -> Exhibit:
    # What happened to single cells tells how large the noise is.
    shown = [one for one in lost.measures if not external or one.family not in OF_CELLS]
    columns = (
        text("measure", "measure"),
        text("family", "of"),
        figures("value", "value"),
        figures("best", "best"),
        figures("worst", "worst"),
    )
    rows = tuple(
        (
            Term(one.name, loss_key(one.name)),
            one.family,
            phrase("none: {}", name(one.note)) if one.value is None else decimal(one.value),
            as_given(one.best),
            "no end" if one.worst is None else as_given(one.worst),
        )
        for one in shown
    )
    return Exhibit(
        name="loss",
        title="Measures of loss",
        chart="loss" if any(o.worst == 1 and o.value is not None for o in shown) else None,
        table=Table(columns, rows),
        says=phrase("Bars of the measures of loss whose range is from 0 to 1, by what they see."),
        notes=tuple(
            phrase("{}: {}.", names(these), name(note)) for note, these in _notes(shown).items()
        ),
    )


def _notes(shown: list[LossMeasure]) -> dict[str, list[str]]:
    """What there is to know of values, and of which: several measures may say the same."""
    said: dict[str, list[str]] = {}
    for one in shown:
        if one.note and one.value is not None:
            said.setdefault(one.note, []).append(one.name)
    return said


def _by_group(gone: Suppression) -> list[Exhibit]:
    """What each subgroup lost, those that lost the most first."""
    groups = sorted((one for one in gone.groups if _lost(one)), key=_lost, reverse=True)
    if not groups:
        return []
    columns = (
        text("column", "attribute"),
        text("group", "[group](subgroup)"),
        figures("n", "records"),
        figures("discarded", "[not released](loss-discarded)"),
        figures("discarded_ratio", "times all"),
        figures("suppressed", "cells [not told](loss-suppressed)"),
        figures("suppressed_ratio", "times all"),
        figures("generalisation", "[left open](loss-generalisation)"),
        figures("generalisation_ratio", "times all"),
    )
    rows = tuple(
        (
            name(one.column),
            name(one.name),
            counted(one.n),
            *_beside(one.discarded, one.discarded_ratio),
            *_beside(one.suppressed, one.suppressed_ratio),
            *_beside(one.generalisation, one.generalisation_ratio),
        )
        for one in groups[:LISTED]
    )
    return [
        Exhibit(
            name="subgroup-loss",
            title="What each subgroup lost",
            table=Table(columns, rows).filled(),
            notes=(
                phrase(
                    "Groups that lost the most first, a record that is not released having lost "
                    "everything; {}. Times all: held against the same of all records.",
                    listed(len(groups)),
                ),
            ),
        )
    ]


def _beside(share: float | None, ratio: float | None) -> tuple[Figure | None, Figure | None]:
    """A share and its ratio to that of all; nothing where nobody has lost any."""
    if share is None or ratio is None:
        return None, None
    return percent(share), decimal(ratio)


def _lost(group: GroupLoss) -> float:
    """What a group lost, 0 to 1: its discarded records all, the others what they leave open."""
    return 1 - (1 - group.discarded) * (1 - (group.generalisation or 0.0))


def _predictions(lost: Loss) -> Exhibit:
    columns = (
        text("target", "attribute predicted"),
        text("score", "score"),
        figures("original", "learnt from the original"),
        figures("release", "learnt from the release"),
        figures("constant", "a constant guess"),
        figures("loss", "[lost](loss-prediction)"),
    )
    rows = tuple(
        (
            name(one.target),
            one.score,
            *(
                None if value is None else decimal(value)
                for value in (one.original, one.release, one.constant, one.loss)
            ),
        )
        for one in lost.predictions
    )
    return Exhibit(
        name="predictions",
        title="How well each attribute is predicted from the others",
        chart="predictions",
        table=Table(columns, rows),
        says=phrase(
            "For each attribute a dot for what is learnt from the original, and one for the "
            "release: the nearer they are, the less is lost."
        ),
    )


def side_by_side(evidence: Evidence) -> Section | None:
    """Each attribute before and after masking."""
    drawn = [one for one in evidence.shapes if one.bars]
    if not evidence.shapes:
        return None
    shown = sorted(drawn, key=_moved, reverse=True)[:SIDE_BY_SIDE]
    said = [
        phrase(
            "Each attribute [before and after](shape): the share of the records in each range or "
            "category. Ranges have round ends, rare categories are merged, so that nobody's value "
            "is told."
        )
    ]
    if len(shown) < len(drawn):
        said.append(phrase("Shown are those that changed the most."))
    bare = [
        phrase("{}: {}.", name(one.column), name(one.note))
        for one in evidence.shapes
        if not one.bars and one.note
    ]
    return Section(
        key="side-by-side",
        title="Original and masked, side by side",
        paragraphs=tuple(said),
        exhibits=(
            _moments(evidence.shapes),
            *(_shape(place, one) for place, one in enumerate(drawn) if one in shown),
        ),
        points=tuple(bare),
    )


def _moved(shape: Shape) -> float:
    return sum(abs(bar.original_share - bar.release_share) for bar in shape.bars)


def _moments(shapes: tuple[Shape, ...]) -> Exhibit:
    columns = (
        text("column", "attribute"),
        text("level", "level"),
        figures("original", "missing in the original"),
        figures("release", "missing in the release"),
        figures("shift", "mean moved, in deviations"),
        figures("spread", "deviation, to that of the original"),
    )
    rows = tuple(
        (
            name(one.column),
            one.level,
            counted(one.original_missing),
            counted(one.release_missing),
            None if one.shift is None else decimal(one.shift),
            None if one.spread is None else decimal(one.spread),
        )
        for one in shapes
    )
    return Exhibit(
        name="moments", title="Means, deviations and missing cells", table=Table(columns, rows)
    )


def _shape(place: int, shape: Shape) -> Exhibit:
    columns = (
        text("bar", "value"),
        figures("original", "original"),
        figures("release", "release"),
        figures("original_share", "share of the original"),
        figures("release_share", "share of the release"),
    )
    rows = tuple(
        (
            name(bar.label),
            counted(bar.original),
            counted(bar.release),
            percent(bar.original_share),
            percent(bar.release_share),
        )
        for bar in shape.bars
    )
    return Exhibit(
        name=f"shape-{place + 1}",
        title="Before and after",
        chart="shape",
        about=name(shape.column).text,
        table=Table(columns, rows),
        says=phrase("Bars of the share in each range of {}, before and after.", name(shape.column)),
    )
