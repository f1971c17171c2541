"""The worst case, learnt: what a distance could link if the truth had chosen its parameters."""

from collections.abc import Iterator, Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import direction
from unveil.reports.tables import counts, decimals, expected_counts, labels, shares, tabulate, text
from unveil.support.phrases import Phrase, Term, counted, expected, name, percent, phrase
from unveil.values.results.evidence import Evidence
from unveil.values.results.supervised_bound import HeldOut, SupervisedBound

MAX_ATTRIBUTES = 15  # more bars cannot be distinguished
MODELS = {
    "weights": "weights of the attributes",
    "choquet": "weights of their sets",
    "bilinear": "a matrix",
}


def supervised_bound(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What each family links at worst, and what is left of it among people not learnt on."""
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
        title="The worst case, learnt from the truth",
        paragraphs=(_lead(learnt[0], evidence),),
        exhibits=tuple(exhibits),
    )


def model(key: str) -> Term:
    """The kind of parameters that was learnt."""
    return Term(MODELS.get(key, key), "learnt")


def _lead(worst: SupervisedBound, evidence: Evidence) -> Phrase:
    """The worst of all, and beside it what the same learning links of others."""
    most, who, others = worst.bound, "no parameters of this kind link", phrase("")
    ceiling = _ceiling(worst, evidence)
    if ceiling is not None and ceiling < most:
        most, who = ceiling, "[no attack](ceiling) on these attributes can link"
    if worst.held_out is not None:
        others = phrase(
            " Of people who were [held out](held-out) what was learnt on others links {}, and what "
            "needs no truth {}.",
            percent(worst.held_out.linked),
            percent(worst.held_out.moments),
        )
    return phrase(
        "Had somebody who knows the truth chosen the parameters of a distance, {} of {} would be "
        f"linked [at worst](learnt) ({{}}), by {{}}; {who} more than {{}}. No intruder has the "
        "truth, so no limit is held against it.{}",
        expected(worst.linked),
        counted(worst.n),
        percent(worst.share),
        model(worst.model),
        expected(most),
        others,
    )


def _ceiling(bound: SupervisedBound, evidence: Evidence) -> float | None:
    """What no attack exceeds that compares the same; None: no other attack did."""
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
        (text("model", "[what was learnt](learnt)"), lambda one: model(one.model)),
        (text("direction", "direction"), lambda one: direction(one.direction)),
        expected_counts("linked", "[linked](linked) at worst", lambda one: one.linked),
        counts("n", "of", lambda one: one.n),
        shares("share", "share", lambda one: one.share),
        expected_counts("bound", "none link more than", lambda one: one.bound),
        (text("proof", "that it is the most"), _proof),
        counts("ceiling", "[ceiling](ceiling)", lambda one: _ceiling(one, evidence)),
        counts("impossible", "people whom none link", lambda one: one.impossible),
        expected_counts("moments", "linked without the truth", lambda one: one.moments),
        expected_counts("plain", "all attributes alike", lambda one: one.plain),
    )
    return Exhibit(
        name="worst-case",
        title="People linked where the truth has chosen the parameters",
        table=table.filled(),
        notes=(
            phrase(
                "It is the worst case of a distance of this kind, for this very file. To find the "
                "parameters one must know whose each row is, and who knows that need not link. "
                "The bound is on the parameters and not on all attackers: that is the "
                "[ceiling](ceiling)."
            ),
            phrase(
                "Without the truth, an attribute weighs the more, the less the masking has changed "
                "how its values are spread."
            ),
        ),
    )


def _proof(bound: SupervisedBound) -> Phrase:
    if bound.proven:
        return phrase("proven")
    return phrase("not proven, {} are open: {}", expected(bound.gap), bound.why)


def _held_out(learnt: Sequence[SupervisedBound]) -> Exhibit:
    halved = [(one, one.held_out) for one in learnt if one.held_out is not None]
    table = tabulate(
        halved,
        (text("model", "[what was learnt](learnt)"), lambda row: model(row[0].model)),
        (text("direction", "direction"), lambda row: direction(row[0].direction)),
        counts("splits", "halvings", lambda row: row[1].splits),
        shares("learnt_on", "people learnt on", lambda row: row[1].learnt_on),
        shares("linked", "[people held out](held-out)", lambda row: row[1].linked),
        shares("moments", "without the truth", lambda row: row[1].moments),
        shares("plain", "all attributes alike", lambda row: row[1].plain),
    )
    return Exhibit(
        name="held-out",
        title="Share linked among people who were not learnt on",
        table=table,
        notes=(_gain_on_held_out([held for _, held in halved]),),
    )


def _gain_on_held_out(held: Sequence[HeldOut]) -> Phrase:
    gained = [one for one in held if one.linked > max(one.moments, one.plain)]
    if not gained:
        return phrase(
            "The gain vanishes on people who were not learnt on: no more of them are linked than "
            "without the truth. The worst case is of these very people, and much of it is luck."
        )
    if len(gained) == len(held):
        return phrase(
            "Part of the gain holds for people who were not learnt on: somebody who had the truth "
            "of some could link more of the others than without it."
        )
    return phrase(
        "In some of these lines part of the gain holds for people who were not learnt on: somebody "
        "who had the truth of some could link more of the others. In the other lines it vanishes."
    )


def _importance(best: Sequence[SupervisedBound]) -> Exhibit:
    first = best[0].importance
    ranked = sorted(first, key=lambda attribute: -first[attribute])[:MAX_ATTRIBUTES]
    table = tabulate(
        [(one, key) for key in ranked for one in best if key in one.importance],
        labels("attribute", "attribute", lambda row: row[1]),
        (text("model", "[what was learnt](learnt)"), lambda row: model(row[0].model)),
        (text("direction", "direction"), lambda row: direction(row[0].direction)),
        shares("importance", "how much it counts", lambda row: row[0].importance[row[1]]),
    )
    return Exhibit(
        name="importance",
        title="How much each attribute counts in what was learnt",
        chart="importance",
        table=table,
        says=phrase(
            "Bars of how much each attribute counts, for each kind of parameters. The first is {}, "
            "{}.",
            name(ranked[0]),
            percent(first[ranked[0]]),
        ),
        notes=tuple(_importance_notes(best)),
    )


def _importance_notes(best: Sequence[SupervisedBound]) -> Iterator[Phrase]:
    there = {one.model for one in best}
    yield phrase(
        "Each in the direction in which it links the most; all attributes together are the whole."
    )
    if "choquet" in there:
        yield phrase(
            "Of weights of sets it is the Shapley value: what an attribute adds on average."
        )
    if "bilinear" in there:
        yield phrase("Of a matrix it is the diagonal.")


def _interactions(best: Sequence[SupervisedBound]) -> Iterator[Exhibit]:
    table = tabulate(
        [(one, pair) for one in best for pair in one.together],
        (text("model", "[what was learnt](learnt)"), lambda row: model(row[0].model)),
        labels("first", "attribute", lambda row: row[1].first),
        labels("second", "with", lambda row: row[1].second),
        decimals("strength", "together", lambda row: row[1].strength),
    )
    if table.rows:
        yield Exhibit(
            name="together",
            title="Attributes that act together in what was learnt",
            table=table,
            notes=(
                phrase(
                    "The strongest pairs. Where it is positive, rows that differ in both (of a "
                    "matrix, in the same direction) are farther apart than the two tell by "
                    "themselves; where it is negative, nearer."
                ),
            ),
        )
