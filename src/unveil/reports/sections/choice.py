"""Choice: the plan with the least loss that keeps a policy, and the cost of each limit."""

from collections.abc import Iterator
from math import isfinite

from unveil.reports.content import Exhibit, Fact, Section
from unveil.reports.headline import headline
from unveil.reports.sections.provenance import steps
from unveil.reports.sections.tried_plans import decimal_in_words, limit_in_words, masks_in_words
from unveil.reports.sections.verdict import NO_SHARES, misses
from unveil.reports.tables import Cells, counts, decimals, figures, tabulate, text
from unveil.support.phrases import (
    Phrase,
    Piece,
    as_given,
    counted,
    decimal,
    level,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.choice import (
    Confirmation,
    FigureOverSeeds,
    LimitCost,
    MissedLimit,
    StudyResult,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.study import TriedPlan
from unveil.workflows.choosing.limit_shares import AT_LEAST, LOSS_LIMITS, limit_key

DESTROYED = 0.995  # a loss that is written as 1 or nearly so
MARGIN = " with the [margin](confirmation) that further seeds need"


def verdict(study: StudyResult, evidence: Evidence | None) -> Phrase:
    """The chosen plan, its loss and how sure that is; if none is chosen, the nearest."""
    found = study.confirmation
    if study.chosen is None or found is None:
        return _none_chosen(study) + _how_many(study)
    said = phrase(
        "Plan {} keeps every limit of the [policy](policy) with the least [loss](loss): {} on "
        "average over {}. It keeps every limit on {} of these seeds, with a "
        "[margin](confirmation) for further ones.",
        counted(study.chosen),
        decimal(found.loss),
        several(found.repetitions, "fresh seed"),
        counted(found.kept),
    )
    if found.loss >= DESTROYED:
        uses = [use for use, loss in study[study.chosen].uses.items() if loss >= DESTROYED]
        said += phrase(
            " But at this loss a [use](use) is destroyed{}: loosen a limit, or search another "
            "space.",
            phrase(" ({})", names(uses)) if uses else (),
        )
    if evidence is not None and evidence.verdict is not None and not evidence.verdict.passed:
        said += phrase(
            " But its release breaks the policy in the audit: {}.", misses(evidence.verdict.misses)
        )
    return said + _how_many(study)


def _how_many(study: StudyResult) -> Phrase:
    tried = several(len(study.tried), "plan")
    if not study.stopped:
        return phrase(" The search tried {}.{}", tried, _refused(study))
    said = phrase(
        " The search was stopped after {} of {}; this is the best result so far.",
        tried,
        counted(study.trials),
    )
    if len(study.tried) >= study.trials:
        when = "while plans were confirmed" if study.chosen is None else "before its release"
        said = phrase(" The search tried {} and was stopped " + when + ".", tried)
    return said + _refused(study) + phrase(" Nothing is released. The same command continues.")


def _refused(study: StudyResult) -> Phrase:
    """How many plans could not be applied, and why the first could not."""
    refused = [one for one in study.tried if one.stage == "refused"]
    if not refused or (study.nearest is None and study.chosen is None):  # said in its place
        return ()
    return phrase(
        " {} could not be applied; the first is plan {}: {}.",
        several(len(refused), "plan"),
        counted(refused[0].number),
        name(refused[0].note.rstrip(".")),
    )


def _none_chosen(study: StudyResult) -> Phrase:
    """The nearest plan, the limits that it misses, and those that no plan keeps."""
    tried = " that was tried yet" if study.stopped else ""
    said = phrase("No plan" + tried + " keeps every limit of the [policy](policy)")
    if study.nearest is None:
        return said + phrase(". ") + _none_judged(study)
    nearest = study[study.nearest]
    refused = any(one.number == study.nearest for one in study.confirmations)
    if study.stopped and _keeps_all(nearest) and not refused:
        return _none_confirmed(study, nearest)
    return said + phrase(
        "{}. [Nearest](nearest) is plan {}, {}.{}",
        phrase(MARGIN) if any(map(_keeps_all, study.tried)) else (),
        counted(nearest.number),
        _missed(study, nearest),
        _never_kept(study),
    )


def _keeps_all(tried: TriedPlan) -> bool:
    """Whether a plan keeps every limit on the seed of the search."""
    return tried.complete and all(one.kept for one in tried.limits)


def _none_confirmed(study: StudyResult, nearest: TriedPlan) -> Phrase:
    """The search was stopped, and its nearest plan may still be chosen."""
    said = phrase("No plan is confirmed on fresh seeds yet. ")
    if not study.missed:
        return said + phrase(
            "Of the plans that are expected to keep every limit of the [policy](policy), plan {} "
            "has the least [loss](loss).",
            counted(nearest.number),
        )
    return said + phrase("The best so far is plan {}, {}.", counted(nearest.number),
                         _missed(study, nearest))  # fmt: skip


def _missed(study: StudyResult, nearest: TriedPlan) -> Phrase:
    """The limits that the nearest plan misses in the search, and with the margin."""
    missed = sorted((one for one in nearest.limits if not one.kept), key=lambda one: -one.miss)
    known = {limit_key(one) for one in missed}
    with_margin = [_with_margin(one) for one in study.missed if limit_key(one) not in known]
    listed = tuple(piece for one in with_margin for piece in (", ", *one))[1:]
    if not nearest.complete:
        return phrase(
            "which was not attacked, because its loss exceeds the policy: {}", misses(missed)
        )
    if not missed:
        but = phrase("misses {}" + MARGIN, listed) if listed else phrase("not" + MARGIN)
        return phrase("which keeps every limit on the seed of the search, but {}", but)
    which = phrase("{} of {} limits", counted(len(missed)), counted(len(nearest.limits)))
    if len(nearest.limits) == 1:
        which = phrase("its only limit")
    said = phrase("which misses {}: {}", which, misses(missed))
    return said + (phrase("; with the [margin](confirmation) also {}", listed) if listed else ())


def _with_margin(limit: MissedLimit) -> Phrase:
    """A limit that is kept on the seed of the search, and what is expected of further seeds."""
    said = limit_in_words(limit.scenario, limit.limit, limit.use)
    if limit.allowed is None:
        return said
    shown, where = limit.searched, "in the search"
    if limit.bound is not None:
        shown, where = limit.bound, "as upper bound on fresh seeds"
    numbers = _figure(limit.limit, shown), _allowed(limit.limit, limit.allowed)
    return said + phrase(" ({} " + where + ", {} allowed)", *numbers)


def _none_judged(study: StudyResult) -> Phrase:
    """Why no plan met every attack: of the first plan, which stands for all."""
    said = phrase("None could be carried out and attacked in full.")
    for first in [one for one in study.tried if one.note][:1]:
        said += phrase(" Plan {}: {}.", counted(first.number), name(first.note.rstrip(".")))
    return said


def _never_kept(study: StudyResult) -> Phrase:
    """The limits that no plan keeps."""
    if not study.missed:
        return ()
    never = {limit_key(one): one for one in study.missed if one.never}
    if not never:
        margin = phrase(MARGIN) if any(map(_keeps_all, study.tried)) else ()
        return phrase(" Some plan keeps each limit{}, but no plan keeps all.", margin)
    kept = {limit_key(one) for tried in study.tried if tried.complete for one in tried.limits
            if one.kept}  # fmt: skip
    margin = () if kept.isdisjoint(never) else phrase(MARGIN)
    said = [
        piece
        for one in never.values()
        for piece in (", ", *limit_in_words(one.scenario, one.limit, one.use))
    ]
    return phrase(" No plan keeps {}{}.", tuple(said[1:]), margin)


def facts(study: StudyResult) -> Iterator[Fact]:
    """The figures at the top."""
    tried = phrase("plans tried ({} on a fixed grid)", counted(study.grid))
    yield Fact(tried, (counted(len(study.tried)),))
    found = study.confirmation
    if study.chosen is None or found is None:
        return
    yield Fact(
        phrase("[loss](loss) of the plan on fresh seeds, from 0 to 1"), (decimal(found.loss),)
    )
    yield Fact(
        phrase("fresh seeds on which it keeps every limit"),
        phrase("{} of {}", counted(found.kept), counted(found.repetitions)),
    )
    risk = study[study.chosen].risk
    if risk is not None and isfinite(risk):
        yield Fact(
            phrase("its [risk](plan-risk) in the search: used share of the tightest limit"),
            (percent(risk),),
        )


def chosen(study: StudyResult, evidence: Evidence | None) -> Section | None:
    """The chosen or nearest plan: its masks, and its figures in the search and elsewhere."""
    number = study.chosen or study.nearest
    if number is None:
        return None
    made = [one for one in study.confirmations if one.number == number]
    found = made[-1] if made else None
    exhibits = [steps(list(study[number].masks))]
    said = [
        phrase("Plan {}: {}.", counted(number), masks_in_words(study[number].masks, effects=True))
    ]
    if found is not None:
        exhibits.append(_over_seeds(found))
        said += _differences(study, found)
    if evidence is not None:
        said.append(
            phrase("The audit makes every suitable attack, and the intruder knows the plan. {}",
                   headline(evidence))
        )  # fmt: skip
    title = "The chosen plan" if study.chosen is not None else "The nearest plan"
    return Section(key="chosen", title=title, paragraphs=tuple(said), exhibits=tuple(exhibits))


def _differences(study: StudyResult, found: Confirmation) -> Iterator[Phrase]:
    """The differences between the search, fresh seeds and the audit."""
    searched = study[found.number].loss
    if searched is not None:
        yield phrase(
            "The [loss](loss) was {} in the search and is {} over {}.",
            decimal(searched),
            decimal_in_words(found.loss),
            several(found.repetitions, "fresh seed"),
        )
    for one in found.figures[:1]:
        audit = phrase(
            "; the audit measured {}", _figure(one.limit, one.audited)
        ) if one.audited is not None else ()  # fmt: skip
        yield phrase(
            "The tightest limit, {}, allows {}. The search measured {}; fresh seeds give {} on "
            "average, with an upper bound of {}{}.",
            limit_in_words(one.scenario, one.limit),
            _allowed(one.limit, one.allowed),
            _figure(one.limit, one.searched),
            _figure(one.limit, one.mean),
            _figure(one.limit, one.bound),
            audit,
        )
    yield phrase(
        "A search overrates its best plan. The upper bound has a margin for that; a plan is chosen "
        "only if every bound is within its limit."
    )


def _over_seeds(found: Confirmation) -> Exhibit:
    def number(key: str, head: str) -> Cells[FigureOverSeeds]:
        return figures(key, head), lambda one: _figure(one.limit, getattr(one, key))

    table = tabulate(
        found.figures,
        (text("limit", "limit"), lambda one: limit_in_words(one.scenario, one.limit, one.use)),
        (figures("allowed", "allowed"), lambda one: _allowed(one.limit, one.allowed)),
        number("searched", "in the search"),
        number("mean", "mean over fresh seeds"),
        number("bound", "[upper bound](confirmation)"),
        number("audited", "in the audit"),
    ).filled()
    return Exhibit(name="over-seeds", title="Limits of the plan on fresh seeds", table=table)


def _figure(limit: str, value: float | None) -> Piece:
    """A figure in the form of its limit."""
    is_percent = value is not None and isfinite(value) and _is_share(limit)
    return percent(value or 0.0) if is_percent else decimal_in_words(value)


def _allowed(limit: str, value: float) -> Piece:
    return level(value) if _is_share(limit) else as_given(value)


def _is_share(limit: str) -> bool:
    return limit.startswith("max_") and limit not in (*NO_SHARES, *LOSS_LIMITS)


def costs(study: StudyResult) -> Section | None:
    """The cost of each limit, and which limits bind."""
    if not study.costs:
        return None
    table = tabulate(
        study.costs,
        (text("limit", "limit"), lambda one: limit_in_words(one.scenario, one.limit)),
        (figures("allowed", "allowed"), lambda one: _allowed(one.limit, one.allowed)),
        (text("binds", "[binds](limit-cost)"), lambda one: "binds" if one.binds else "no"),
        (figures("loosened", "one step looser"), _loosened),
        counts("plan", "plan then", lambda one: one.plan),
        decimals("loss", "its [loss](loss)", lambda one: one.loss),
        decimals("saves", "loss saved", lambda one: one.saves),
    ).filled()
    return Section(
        key="costs",
        title="What each limit costs",
        paragraphs=tuple(_binding(study)),
        exhibits=(
            Exhibit(
                name="limit-costs",
                title="Loss saved if one limit is loosened by a step",
                table=table,
            ),
        ),
    )


def _loosened(cost: LimitCost) -> Piece:
    return "no limit" if _allows_all(cost) else _allowed(cost.limit, cost.loosened)


def _allows_all(cost: LimitCost) -> bool:
    """Whether a limit that is loosened by a step allows everything."""
    if cost.limit in AT_LEAST:
        return cost.loosened <= 1
    return _is_share(cost.limit) and cost.loosened >= 1


def _binding(study: StudyResult) -> Iterator[Phrase]:
    binding = [one for one in study.costs if one.binds]
    if not binding:
        yield phrase(
            "No limit on risk binds alone: if any one is loosened by a step, no plan that was "
            "tried {}.",
            "is expected to keep them all" if study.chosen is None else "is expected to lose less",
        )
    for one in binding:
        yield _bought(one)


def _bought(cost: LimitCost) -> Phrase:
    known = "would keep every limit, by its bounds on fresh seeds"
    if cost.estimated:
        known = "is expected to keep every limit, by its figures in the search and a margin"
    limit, plan = limit_in_words(cost.scenario, cost.limit), counted(cost.plan or 0)
    if _allows_all(cost):
        said = phrase("{} binds. Without it, plan {} " + known, limit, plan)
    else:
        said = phrase(
            "{} binds. With a limit of {} instead of {}, plan {} " + known,
            limit,
            _allowed(cost.limit, cost.loosened),
            _allowed(cost.limit, cost.allowed),
            plan,
        )
    if cost.loss is not None:
        said += phrase("; its [loss](loss) is {}", decimal(cost.loss))
    return said + (phrase(", {} less.", decimal(cost.saves)) if cost.saves else (".",))


def notes(study: StudyResult) -> Section | None:
    """Notes on the search."""
    said = [phrase("{}.", name(one[:1].upper() + one[1:])) for one in study.notes]
    return Section(key="notes", title="Notes on the search", points=tuple(said)) if said else None


def limits(study: StudyResult) -> tuple[Phrase, ...]:
    """What a choice does not cover."""
    compared = phrase(
        "[Loss](loss) is the overall loss. An analysis that no measure represents may lose more."
    )
    if study.uses:
        compared = phrase(
            "Plans are compared by the largest loss of the uses {}. A use that is not declared may "
            "lose more.",
            names(study.uses),
        )
    return (
        phrase(
            "The search uses one seed for each plan. Rely on the figures of the chosen plan on "
            "fresh seeds and in its audit."
        ),
        phrase(
            "The search covers the combinations of its space, each at some parameters. Another "
            "mask or other parameters may have a lower loss."
        ),
        compared,
        phrase(
            "The risk is that of the [attacks](attack) made by the intruders of the "
            "[policy](policy). Another attack may link more."
        ),
    )
