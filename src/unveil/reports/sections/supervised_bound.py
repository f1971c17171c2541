"""The learnt worst case: what a distance links with parameters learnt from the truth."""

from collections.abc import Iterator, Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import direction
from unveil.reports.tables import counts, decimals, expected_counts, labels, shares, tabulate, text
from unveil.support.phrases import Phrase, Term, counted, expected, name, percent, phrase
from unveil.values.results.evidence import Evidence
from unveil.values.results.supervised_bound import HeldOut, SupervisedBound

MAX_ATTRIBUTES = 15  # more bars cannot be distinguished
MODELS = {
    "weights": "attribute weights",
    "choquet": "Choquet integral",
    "bilinear": "bilinear form",
}


def supervised_bound(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The most that each family links, and what is left of it among held-out people."""
    learnt = evidence.worst_cases
    if not learnt:
        return None
    exhibits = [_linked(learnt, evidence)]
    if any(one.held_out is not None for one in learnt):
        exhibits.append(_held_out(learnt))
    if not external:  # which attributes carry the risk is for those who answer for it
        per_model = dict[str, SupervisedBound]()
        for one in learnt:  # the direction in which it links the most comes first
            per_model.setdefault(one.model, one)
        best = list(per_model.values())
        exhibits += [_importance(best), *_interactions(best)]
    return Section(
        key="worst-case",
        title="Worst case with parameters learnt from the truth",
        paragraphs=(_lead(learnt[0], evidence),),
        exhibits=tuple(exhibits),
    )


def model(key: str) -> Term:
    """The family of distances whose parameters were learnt."""
    return Term(MODELS.get(key, key), "learnt")


def _lead(worst: SupervisedBound, evidence: Evidence) -> Phrase:
    """The worst case of all, and the same learning on held-out people."""
    most, who, others = worst.bound, "parameters of this kind link at most", phrase("")
    ceiling = _ceiling(worst, evidence)
    if ceiling is not None and ceiling < most:
        most, who = ceiling, "[no attack](ceiling) on these attributes can exceed"
    if worst.held_out is not None:
        others = phrase(
            " On [held-out](held-out) people the learnt parameters link {}; parameters that need "
            "no truth link {}.",
            percent(worst.held_out.linked),
            percent(worst.held_out.moments),
        )
    return phrase(
        "With parameters [learnt](learnt) from the truth, a distance links {} of {} people ({}, "
        f"{{}}); {who} {{}}. No intruder has the truth, so no limit of the policy applies to this "
        "figure.{}",
        expected(worst.linked),
        counted(worst.n),
        percent(worst.share),
        model(worst.model),
        expected(most),
        others,
    )


def _ceiling(bound: SupervisedBound, evidence: Evidence) -> float | None:
    """The ceiling of the same attributes and direction; None: no attack compared these."""
    same = (
        found.risk.ceiling
        for found in evidence.attacks
        if found.risk.direction == bound.direction
        and {*found.risk.attributes} == {*bound.attributes}
        and not found.by_file
        and found.risk.interval is None
    )
    return next(same, None)


def _linked(learnt: Sequence[SupervisedBound], evidence: Evidence) -> Exhibit:
    table = tabulate(
        learnt,
        (text("model", "[model](learnt)"), lambda one: model(one.model)),
        (text("direction", "direction"), lambda one: direction(one.direction)),
        expected_counts("linked", "people [linked](linked)", lambda one: one.linked),
        counts("n", "of", lambda one: one.n),
        shares("share", "share", lambda one: one.share),
        expected_counts("bound", "upper bound", lambda one: one.bound),
        (text("proof", "proof"), _proof),
        counts("ceiling", "[ceiling](ceiling)", lambda one: _ceiling(one, evidence)),
        counts("impossible", "never linked", lambda one: one.impossible),
        expected_counts("moments", "without the truth", lambda one: one.moments),
        expected_counts("plain", "equal weights", lambda one: one.plain),
    )
    return Exhibit(
        name="worst-case",
        title="People linked with parameters learnt from the truth",
        table=table.filled(),
        notes=(
            phrase(
                "This is the worst case of this kind of distance for this file. Finding these "
                "parameters requires the true links, which an intruder does not have. The upper "
                "bound holds for parameters of this kind; the [ceiling](ceiling) holds for all "
                "attacks."
            ),
            phrase(
                "Without the truth, attributes whose variance the masking changed least get the "
                "largest weights."
            ),
        ),
    )


def _proof(bound: SupervisedBound) -> Phrase:
    if bound.proven:
        return phrase("proven")
    return phrase("not proven, gap {}: {}", expected(bound.gap), bound.why)


def _held_out(learnt: Sequence[SupervisedBound]) -> Exhibit:
    halved = [(one, one.held_out) for one in learnt if one.held_out is not None]
    table = tabulate(
        halved,
        (text("model", "[model](learnt)"), lambda row: model(row[0].model)),
        (text("direction", "direction"), lambda row: direction(row[0].direction)),
        counts("splits", "random halvings", lambda row: row[1].splits),
        shares("learnt_on", "training half", lambda row: row[1].learnt_on),
        shares("linked", "[held-out half](held-out)", lambda row: row[1].linked),
        shares("moments", "without the truth", lambda row: row[1].moments),
        shares("plain", "equal weights", lambda row: row[1].plain),
    )
    return Exhibit(
        name="held-out",
        title="Share linked among held-out people",
        table=table,
        notes=(_gain_on_held_out([held for _, held in halved]),),
    )


def _gain_on_held_out(held: Sequence[HeldOut]) -> Phrase:
    gained = [one for one in held if one.linked > max(one.moments, one.plain)]
    if not gained:
        return phrase(
            "On held-out people the gain vanishes: the learnt parameters link no more of them than "
            "parameters that need no truth. Much of the worst case is overfitting to this file."
        )
    if len(gained) == len(held):
        return phrase(
            "Part of the gain holds for held-out people: an intruder with the true links of some "
            "people could link more of the others."
        )
    return phrase(
        "In some rows part of the gain holds for held-out people: an intruder with the true links "
        "of some people could link more of the others. In the other rows it vanishes."
    )


def _importance(best: Sequence[SupervisedBound]) -> Exhibit:
    first = best[0].importance
    ranked = sorted(first, key=lambda attribute: -first[attribute])[:MAX_ATTRIBUTES]
    table = tabulate(
        [(one, key) for key in ranked for one in best if key in one.importance],
        labels("attribute", "attribute", lambda row: row[1]),
        (text("model", "[model](learnt)"), lambda row: model(row[0].model)),
        (text("direction", "direction"), lambda row: direction(row[0].direction)),
        shares("importance", "weight", lambda row: row[0].importance[row[1]]),
    )
    return Exhibit(
        name="importance",
        title=phrase("Largest learnt weight: {} ({})", name(ranked[0]), percent(first[ranked[0]])),
        chart="importance",
        table=table,
        says=phrase(
            "A bar for each attribute and model: the learnt weight, as a share of all weights."
        ),
        notes=tuple(_importance_notes(best)),
    )


def _importance_notes(best: Sequence[SupervisedBound]) -> Iterator[Phrase]:
    there = {one.model for one in best}
    yield phrase(
        "Each model in the direction in which it links most; the weights add up to the whole."
    )
    if "choquet" in there:
        yield phrase(
            "Choquet integral: the weight is the Shapley value, the mean contribution of an "
            "attribute."
        )
    if "bilinear" in there:
        yield phrase("Bilinear form: the weight is the diagonal entry.")


def _interactions(best: Sequence[SupervisedBound]) -> Iterator[Exhibit]:
    table = tabulate(
        [(one, pair) for one in best for pair in one.together],
        (text("model", "[model](learnt)"), lambda row: model(row[0].model)),
        labels("first", "attribute", lambda row: row[1].first),
        labels("second", "with", lambda row: row[1].second),
        decimals("strength", "interaction", lambda row: row[1].strength),
    )
    if table.rows:
        yield Exhibit(
            name="together",
            title="Strongest interactions between attributes",
            table=table,
            notes=(
                phrase(
                    "Positive: a difference in both attributes (for a bilinear form, in the same "
                    "direction) counts more than the sum of the two. Negative: it counts less."
                ),
            ),
        )
