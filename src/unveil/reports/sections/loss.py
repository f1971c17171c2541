"""Loss: the information loss of the masking."""

from collections.abc import Iterator, Sequence

from unveil.measures import uneven_discards
from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import loss_key
from unveil.reports.sections.people import LISTED, listed
from unveil.reports.tables import (
    Cell,
    Cells,
    counts,
    decimals,
    figures,
    labels,
    shares,
    tabulate,
    text,
)
from unveil.support.phrases import (
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
from unveil.values.results.loss import GroupLoss, Loss, LossMeasure, Prediction, Suppression

NEEDS = {  # of each kind of use
    "distributions": "shares of single columns",
    "relations": "relations between pairs of columns",
    "model": "models of a column on others",
    "estimates": "means and shares, with their intervals",
}


def loss(evidence: Evidence, *, external: bool = False) -> Section:
    """The information loss; on an external page, without the subgroups that lose most."""
    lost = evidence.loss
    predicted = [one for one in lost.predictions if _score_words(one, one.original) != "none"]
    return Section(
        key="loss",
        title="Information loss",
        paragraphs=(overall(lost), *_missing(lost, external=external), *_score(evidence)),
        exhibits=(
            *([uses(lost, external=external)] if lost.uses else []),
            measures(lost),
            *([] if external else _by_group(lost.suppression)),
            *([_predictions(lost)] if predicted else []),
        ),
    )


def overall(lost: Loss) -> Phrase:
    """The overall loss in a sentence, with its range."""
    overall = lost.overall
    if overall.value is None:
        return phrase("The [overall loss](loss) is not known: {}.", name(overall.note))
    return phrase(
        "The [overall loss](loss) is {}: the largest loss of any [use](use), from {} (unchanged "
        "file) to {} (a use is destroyed).",
        decimal(overall.value),
        as_given(overall.best),
        as_given(overall.worst or 1.0),
    )


def uses(lost: Loss, *, external: bool = False) -> Exhibit:
    """The loss of each use; on an external page, without the columns that lose most."""
    table = tabulate(
        lost.uses,
        labels("use", "[use](use)", lambda one: one.name),
        (text("kind", "needs"), lambda one: NEEDS.get(one.kind, one.kind)),
        (
            figures("loss", "loss (0 to 1)"),
            lambda one: (
                phrase("none: {}", name(one.note)) if one.value is None else decimal(one.value)
            ),
        ),
        decimals("error", "standard error", lambda one: one.error),
        labels("worst", "largest loss in", lambda one: one.worst),
        (
            figures("limit", "limit"),
            lambda one: None if one.max_loss is None else as_given(one.max_loss),
        ),
    )
    return Exhibit(
        name="uses",
        title="Loss of each use",
        table=(table.without("worst") if external else table).filled(),
        notes=(
            phrase(
                "A use is destroyed in a file whose columns are permuted independently (relations, "
                "models) or whose values are uniform over their range (distributions, estimates)."
            ),
        ),
    )


def _missing(lost: Loss, *, external: bool) -> Iterator[Phrase]:
    """Suppressed records and cells; an internal page names the subgroup that lost most."""
    suppression = lost.suppression
    if external:
        if suppression.discarded:
            share = percent(suppression.discarded)
            yield phrase("{} of the records are [not released](loss-discarded).", share)
        if suppression.suppressed:
            share = percent(suppression.suppressed)
            yield phrase("{} of the cells are [suppressed](loss-suppressed).", share)
        return
    most = suppression.most_discarded
    if uneven := uneven_discards(suppression):
        yield uneven
    elif most is not None and most.discarded and suppression.discarded:
        yield phrase(
            "{} of the records are [not released](loss-discarded); most affected is {}, {}: {} of "
            "{} records.",
            percent(suppression.discarded),
            *(name(most.column), name(most.name)),
            *(percent(most.discarded), counted(most.n)),
        )
    most = suppression.most_suppressed
    if most is not None and most.suppressed and suppression.suppressed:
        yield phrase(
            "{} of the cells are [suppressed](loss-suppressed); most affected is {}, {}: {}.",
            percent(suppression.suppressed),
            *(name(most.column), name(most.name), percent(most.suppressed)),
        )
    most = suppression.most_generalised
    if most is not None and most.generalisation and suppression.generalisation:
        yield phrase(
            "The [generalisation loss](loss-generalisation) is {}; most affected is {}, {}: {}.",
            percent(suppression.generalisation),
            *(name(most.column), name(most.name), percent(most.generalisation)),
        )


def _score(evidence: Evidence) -> Iterator[Phrase]:
    if evidence.score is None:
        return
    yield phrase(
        "The [classical score](score) (half loss, half risk) is {} of 100. It is no verdict, "
        "because in it a low loss offsets a high risk.",
        decimal(evidence.score),
    )


def measures(lost: Loss) -> Exhibit:
    """Each measure of loss with its range."""
    shown = lost.measures
    table = tabulate(
        shown,
        (text("measure", "measure"), lambda one: Term(one.name, loss_key(one.name))),
        (text("family", "compares"), lambda one: one.family),
        (
            figures("value", "value"),
            lambda one: (
                phrase("none: {}", name(one.note)) if one.value is None else decimal(one.value)
            ),
        ),
        (figures("best", "best"), lambda one: as_given(one.best)),
        (
            figures("worst", "worst"),
            lambda one: "no upper end" if one.worst is None else as_given(one.worst),
        ),
    )
    notes = dict[str, list[str]]()  # several measures may have the same one
    for one in shown:
        if one.note and one.value is not None:
            notes.setdefault(one.note, []).append(one.name)
    return Exhibit(
        name="loss",
        title=_largest_measure(shown),
        chart="loss" if any(o.worst == 1 and o.value is not None for o in shown) else None,
        table=table,
        says=phrase("A bar for each measure of loss with a range from 0 to 1."),
        notes=tuple(
            phrase("{}: {}.", names(measures), name(note)) for note, measures in notes.items()
        ),
    )


def _largest_measure(measures: Sequence[LossMeasure]) -> Phrase:
    """The finding of the chart: the measure that sees the largest loss, from 0 to 1."""
    drawn = [(one.value, one.name) for one in measures if one.worst == 1 and one.value is not None]
    if not drawn:
        return phrase("Measures of loss")
    value, measure = max(drawn)
    return phrase("Largest loss by a bounded measure: {} ({})", decimal(value), name(measure))


def _by_group(suppression: Suppression) -> list[Exhibit]:
    """The loss of each subgroup, the largest first."""
    groups = sorted(filter(_group_loss, suppression.groups), key=_group_loss, reverse=True)
    if not groups:
        return []
    table = tabulate(
        groups[:LISTED],
        labels("column", "attribute", lambda one: one.column),
        labels("group", "[group](subgroup)", lambda one: one.name),
        counts("n", "records", lambda one: one.n),
        *_compared("discarded", "[not released](loss-discarded)"),
        *_compared("suppressed", "[suppressed](loss-suppressed) cells"),
        *_compared("generalisation", "[generalisation loss](loss-generalisation)"),
    )
    return [
        Exhibit(
            name="subgroup-loss",
            title="Loss of each subgroup",
            table=table.filled(),
            notes=(
                phrase(
                    "Sorted by loss; a record that is not released has lost everything; {}. Ratio: "
                    "the group's share divided by that of all records.",
                    listed(len(groups)),
                ),
            ),
        )
    ]


def _compared(field: str, head: str) -> tuple[Cells[GroupLoss], Cells[GroupLoss]]:
    """A share and its ratio to that of all records; empty where either is unknown."""

    def value(group: GroupLoss, which: str) -> float | None:
        known = None not in (getattr(group, field), getattr(group, f"{field}_ratio"))
        return getattr(group, which) if known else None

    ratio = f"{field}_ratio"
    return (
        shares(field, head, lambda group: value(group, field)),
        decimals(ratio, "ratio", lambda group: value(group, ratio)),
    )


def _group_loss(group: GroupLoss) -> float:
    """The loss of a group, 0 to 1: all of a discarded record, else the generalisation loss."""
    return 1 - (1 - group.discarded) * (1 - (group.generalisation or 0.0))


def _predictions(lost: Loss) -> Exhibit:
    table = tabulate(
        lost.predictions,
        labels("target", "predicted attribute", lambda one: one.target),
        (text("score", "score"), lambda one: one.score),
        (
            figures("original", "trained on the original"),
            lambda one: _score_words(one, one.original),
        ),
        (figures("release", "trained on the release"), lambda one: _score_words(one, one.release)),
        decimals("constant", "constant guess", lambda one: one.constant),
        decimals("loss", "[loss](loss-prediction)", lambda one: one.loss),
    )
    return Exhibit(
        name="predictions",
        title=_prediction_losses(lost),
        chart="predictions",
        table=table,
        says=phrase(
            "For each attribute, the score of a model trained on the original and of one trained "
            "on the release."
        ),
        notes=(
            phrase(
                "None: no better than a constant guess. The chart shows the attributes that a "
                "model of the original predicts better than that."
            ),
        ),
    )


def _prediction_losses(lost: Loss) -> Phrase:
    """The finding of the chart: the attributes no longer predicted, or the largest drop."""
    known = [one for one in lost.predictions if _score_words(one, one.original) != "none"]
    gone = [one.target for one in known if _score_words(one, one.release) == "none"]
    if gone:
        return phrase("Attributes that models of the release no longer predict: {}", names(gone))
    falls = [
        (one.original - one.release, one.target, one.original, one.release)
        for one in known
        if one.original is not None and one.release is not None
    ]
    fall, target, before, after = max(falls)
    if fall <= 0:
        return phrase("Models of the release predict as well as models of the original")
    return phrase(
        "Largest drop of a prediction: {} (score {}, before {})",
        name(target),
        decimal(after),
        decimal(before),
    )


def _score_words(prediction: Prediction, score: float | None) -> Cell:
    """A score of a prediction; "none" if a constant guess is as good, or nothing was learnt."""
    if score is None or prediction.constant is None or score <= prediction.constant:
        return "none"
    return decimal(score)


def changes(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The changed cells of each column; on an external page, what the file itself shows."""
    shown = [
        one
        for one in evidence.changes
        if (one.suppressed or one.generalised if external else one.changed)
    ]
    if not shown:
        return None
    table = tabulate(
        shown,
        labels("column", "column", lambda one: one.column),
        counts("n", "cells", lambda one: one.n),
        counts("changed", "[changed](changed-cells)", lambda one: one.changed),
        counts("suppressed", "suppressed", lambda one: one.suppressed),
        counts("generalised", "generalised", lambda one: one.generalised),
        counts("replaced", "replaced", lambda one: one.replaced),
    )
    said = phrase(
        "Suppressed: the cell became a star or missing. Generalised: it became a range, a set or a "
        "merged category. Replaced: it has another value."
        if not external
        else "Suppressed: the cell became a star or missing. Generalised: it became a range, a set "
        "or a merged category."
    )
    if external:  # how many cells have another value tells how strong the noise is
        table = table.without("changed", "replaced")
    exhibit = Exhibit(name="changes", title="Changed cells by column", table=table)
    return Section(key="changes", title="Changed cells", paragraphs=(said,), exhibits=(exhibit,))
