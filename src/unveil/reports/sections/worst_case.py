"""The worst case, learnt: what a distance could link if the truth had chosen its parameters."""

from collections.abc import Iterator, Sequence

from unveil.reports.content import Exhibit, Section, Table, direction, figures, text
from unveil.support.phrases import Phrase, Term, counted, decimal, expected, name, percent, phrase
from unveil.values.results.evidence import Evidence
from unveil.values.results.supervised_bound import HeldOut, SupervisedBound

DRAWN = 15  # attributes whose bars can be told apart
MODELS = {
    "weights": "weights of the attributes",
    "choquet": "weights of their sets",
    "bilinear": "a matrix",
}


def worst_case(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What each family links at worst, and what is left of it among people not learnt on."""
    learnt = evidence.worst_cases
    if not learnt:
        return None
    exhibits = [_linked(learnt, evidence)]
    if any(one.held_out is not None for one in learnt):
        exhibits.append(_held_out(learnt))
    best = _each_once(learnt)
    if not external:  # which attributes carry the risk is for those who answer for it
        exhibits += [_importance(best), *_together(best)]
    return Section(
        key="worst-case",
        title="The worst case, learnt from the truth",
        paragraphs=(_in_short(learnt[0], evidence),),
        exhibits=tuple(exhibits),
    )


def model(given: str) -> Term:
    """What was learnt."""
    return Term(MODELS.get(given, given), "learnt")


def _in_short(worst: SupervisedBound, evidence: Evidence) -> Phrase:
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


def _ceiling(one: SupervisedBound, evidence: Evidence) -> float | None:
    """What no attack exceeds that compares the same; None: no other attack did."""
    same = (
        found.risk.ceiling
        for found in evidence.attacks
        if found.risk.direction == one.direction
        and {*found.risk.attributes} == {*one.attributes}
        and not found.by_file
        and found.risk.interval is None
    )
    return next(same, None)


def _linked(learnt: Sequence[SupervisedBound], evidence: Evidence) -> Exhibit:
    columns = (
        text("model", "[what was learnt](learnt)"),
        text("direction", "direction"),
        figures("linked", "[linked](linked) at worst"),
        figures("n", "of"),
        figures("share", "share"),
        figures("bound", "none link more than"),
        text("proof", "that it is the most"),
        figures("ceiling", "[ceiling](ceiling)"),
        figures("impossible", "people whom none link"),
        figures("moments", "linked without the truth"),
        figures("plain", "all attributes alike"),
    )
    rows = tuple(
        (
            model(one.model),
            direction(one.direction),
            expected(one.linked),
            counted(one.n),
            percent(one.share),
            expected(one.bound),
            _proof(one),
            None if (most := _ceiling(one, evidence)) is None else counted(most),
            None if one.impossible is None else counted(one.impossible),
            expected(one.moments),
            expected(one.plain),
        )
        for one in learnt
    )
    return Exhibit(
        name="worst-case",
        title="People linked where the truth has chosen the parameters",
        table=Table(columns, rows).filled(),
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


def _proof(one: SupervisedBound) -> Phrase:
    if one.proven:
        return phrase("proven")
    return phrase("not proven, {} are open: {}", expected(one.gap), one.why)


def _held_out(learnt: Sequence[SupervisedBound]) -> Exhibit:
    columns = (
        text("model", "[what was learnt](learnt)"),
        text("direction", "direction"),
        figures("splits", "halvings"),
        figures("learnt_on", "people learnt on"),
        figures("linked", "[people held out](held-out)"),
        figures("moments", "without the truth"),
        figures("plain", "all attributes alike"),
    )
    made = [(one, one.held_out) for one in learnt if one.held_out is not None]
    rows = tuple(
        (
            model(one.model),
            direction(one.direction),
            counted(held.splits),
            percent(held.learnt_on),
            percent(held.linked),
            percent(held.moments),
            percent(held.plain),
        )
        for one, held in made
    )
    return Exhibit(
        name="held-out",
        title="Share linked among people who were not learnt on",
        table=Table(columns, rows),
        notes=(_left_of_it([held for _, held in made]),),
    )


def _left_of_it(held: Sequence[HeldOut]) -> Phrase:
    """Whether anything learnt helps with others."""
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


def _each_once(learnt: Sequence[SupervisedBound]) -> list[SupervisedBound]:
    """Each model in the direction in which it links the most."""
    found: dict[str, SupervisedBound] = {}
    for one in learnt:
        found.setdefault(one.model, one)
    return list(found.values())


def _importance(best: Sequence[SupervisedBound]) -> Exhibit:
    columns = (
        text("attribute", "attribute"),
        text("model", "[what was learnt](learnt)"),
        text("direction", "direction"),
        figures("importance", "how much it counts"),
    )
    first = best[0].importance
    ranked = sorted(first, key=lambda one: -first[one])[:DRAWN]
    rows = tuple(
        (name(attribute), model(one.model), direction(one.direction), percent(share))
        for attribute in ranked
        for one in best
        if (share := one.importance.get(attribute)) is not None
    )
    return Exhibit(
        name="importance",
        title="How much each attribute counts in what was learnt",
        chart="importance",
        table=Table(columns, rows),
        says=phrase(
            "Bars of how much each attribute counts, for each kind of parameters. The first is {}, "
            "{}.",
            name(ranked[0]),
            percent(first[ranked[0]]),
        ),
        notes=tuple(_how_counted(best)),
    )


def _how_counted(best: Sequence[SupervisedBound]) -> Iterator[Phrase]:
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


def _together(best: Sequence[SupervisedBound]) -> Iterator[Exhibit]:
    columns = (
        text("model", "[what was learnt](learnt)"),
        text("first", "attribute"),
        text("second", "with"),
        figures("strength", "together"),
    )
    rows = tuple(
        (model(one.model), name(pair.first), name(pair.second), decimal(pair.strength))
        for one in best
        for pair in one.together
    )
    if rows:
        yield Exhibit(
            name="together",
            title="Attributes that act together in what was learnt",
            table=Table(columns, rows),
            notes=(
                phrase(
                    "The strongest pairs. Where it is positive, rows that differ in both (of a "
                    "matrix, in the same direction) are farther apart than the two tell by "
                    "themselves; where it is negative, nearer."
                ),
            ),
        )
