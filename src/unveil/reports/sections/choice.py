"""Choice: the plan of the least loss that keeps a policy, and what each limit costs."""

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
from unveil.values.results.choice import Confirmation, FigureOverSeeds, LimitCost, StudyResult
from unveil.values.results.evidence import Evidence
from unveil.workflows.choosing.limit_shares import LOSS_LIMITS


def verdict(study: StudyResult, evidence: Evidence | None) -> Phrase:
    """Which plan is chosen, at what loss and how sure; if none is, which is nearest."""
    found = study.confirmation
    if study.chosen is None or found is None:
        return _none_chosen(study) + _how_many(study)
    said = phrase(
        "Plan {} loses least of those that keep every limit of the [policy](policy): [loss](loss) "
        "{}, mean over {} that the search had not seen. On {} of these it keeps every limit, with "
        "a [margin](confirmation) for further seeds.",
        counted(study.chosen),
        decimal(found.loss),
        several(found.repetitions, "seed"),
        counted(found.kept),
    )
    if evidence is not None and evidence.verdict is not None and not evidence.verdict.passed:
        said += phrase(
            " But the audit of its release does not keep the policy: {}.",
            misses(evidence.verdict.misses),
        )
    return said + _how_many(study)


def _how_many(study: StudyResult) -> Phrase:
    tried = several(len(study.tried), "plan")
    if not study.stopped:
        return phrase(" Tried: {}.", tried)
    said = phrase(
        " The search was stopped after {} of {}: this is the best so far.",
        tried,
        counted(study.trials),
    )
    if len(study.tried) >= study.trials:
        when = "while plans were confirmed" if study.chosen is None else "before its release"
        said = phrase(" Tried: {}. The search was stopped " + when + ".", tried)
    return said + phrase(" Nothing is released. The same command goes on.")


def _none_chosen(study: StudyResult) -> Phrase:
    nearest = None if study.nearest is None else study[study.nearest]
    missed = () if nearest is None else tuple(one for one in nearest.limits if not one.kept)
    if nearest is not None and not missed and study.stopped:
        return phrase(
            "No plan is confirmed on fresh seeds yet. Of the plans that are expected to keep every "
            "limit of the [policy](policy), plan {} has the least [loss](loss).",
            counted(nearest.number),
        )
    said = phrase(
        "No plan that was tried yet keeps every limit of the [policy](policy). "
        if study.stopped
        else "No plan keeps every limit of the [policy](policy). "
    )
    if nearest is None:
        return said + _none_judged(study)
    if missed:
        which = "its only limit" if len(nearest.limits) == 1 else "{} of {} limits"
        figures = (counted(len(missed)), counted(len(nearest.limits)))
        said += phrase("[Nearest](nearest) is plan {}, which misses ", counted(nearest.number))
        said += phrase(which, *(figures if len(nearest.limits) > 1 else ()))
        ranked = sorted(missed, key=lambda one: -one.miss)
        said += phrase(": {}.", misses(ranked))
    else:
        said += phrase(
            "[Nearest](nearest) is plan {}: it keeps them on the seed of the search, but not with "
            "the [margin](confirmation) that further seeds need.",
            counted(nearest.number),
        )
    return said + _never_kept(study)


def _none_judged(study: StudyResult) -> Phrase:
    """Why no plan met every attack: of the first plan, which stands for all."""
    said = phrase("None could be carried out and attacked in full.")
    first = next((one for one in study.tried if one.note), None)
    if first is None:
        return said
    return said + phrase(" Plan {}: {}.", counted(first.number), name(first.note.rstrip(".")))


def _never_kept(study: StudyResult) -> Phrase:
    """Which limits no plan keeps."""
    limits: dict[tuple[str, str, str], bool] = {}
    for tried in study.tried:
        for one in tried.limits if tried.complete else ():
            key = one.scenario, one.limit, one.use
            limits[key] = limits.get(key, False) or one.kept
    broken = [key for key, kept in limits.items() if not kept]
    if not broken:
        return phrase(" Each limit is kept by some plan, but by none all of them.")
    said = [piece for key in broken for piece in (", ", *limit_in_words(*key))][1:]
    return phrase(" No plan keeps {}.", tuple(said))


def facts(study: StudyResult) -> Iterator[Fact]:
    """The figures at the top."""
    tried = phrase("plans tried, {} of them on a fixed grid", counted(study.grid))
    yield Fact(tried, (counted(len(study.tried)),))
    found = study.confirmation
    if study.chosen is None or found is None:
        return
    yield Fact(phrase("[loss](loss) of the chosen plan, on fresh seeds"), (decimal(found.loss),))
    yield Fact(
        phrase("fresh seeds on which it keeps every limit"),
        phrase("{} of {}", counted(found.kept), counted(found.repetitions)),
    )
    risk = study[study.chosen].risk
    if risk is not None and isfinite(risk):
        yield Fact(
            phrase("its [risk](plan-risk) in the search: share of the dearest limit"),
            (percent(risk),),
        )


def chosen(study: StudyResult, evidence: Evidence | None) -> Section | None:
    """The chosen plan, or the nearest: what it does, and its figures in the search and elsewhere.

    These are on fresh seeds and in the audit.
    """
    number = study.chosen or study.nearest
    if number is None:
        return None
    made = [one for one in study.confirmations if one.number == number]
    found = made[-1] if made else None
    exhibits = [steps(list(study[number].masks))]
    said = [phrase("Plan {}: {}.", counted(number), masks_in_words(study[number].masks))]
    if found is not None:
        exhibits.append(_over_seeds(found))
        said += _differences(study, found)
    if evidence is not None:
        said.append(
            phrase("The audit meets every attack that fits, and the intruder knows the plan. {}",
                   headline(evidence))
        )  # fmt: skip
    title = "The chosen plan" if study.chosen is not None else "The nearest plan"
    return Section(key="chosen", title=title, paragraphs=tuple(said), exhibits=tuple(exhibits))


def _differences(study: StudyResult, found: Confirmation) -> Iterator[Phrase]:
    """How far the search, fresh seeds and the audit differ."""
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
            "; the audit found {}", _figure(one.limit, one.audited)
        ) if one.audited is not None else ()  # fmt: skip
        yield phrase(
            "The dearest limit, {}, allows {}. The search found {}, the fresh seeds {} on average, "
            "with a bound of {} for nearly every seed{}.",
            limit_in_words(one.scenario, one.limit),
            _allowed(one.limit, one.allowed),
            _figure(one.limit, one.searched),
            _figure(one.limit, one.mean),
            _figure(one.limit, one.bound),
            audit,
        )
    yield phrase(
        "The plan that looks best in a search looks better than it is. The bound has a margin for "
        "that, and a plan is chosen only if every bound is within its limit."
    )


def _over_seeds(found: Confirmation) -> Exhibit:
    def number(key: str, head: str) -> Cells[FigureOverSeeds]:
        return figures(key, head), lambda one: _figure(one.limit, getattr(one, key))

    table = tabulate(
        found.figures,
        (text("limit", "limit"), lambda one: limit_in_words(one.scenario, one.limit, one.use)),
        (figures("allowed", "allowed"), lambda one: _allowed(one.limit, one.allowed)),
        number("searched", "in the search"),
        number("mean", "on fresh seeds, mean"),
        number("bound", "[bound](confirmation)"),
        number("audited", "in the audit"),
    ).filled()
    return Exhibit(name="over-seeds", title="Its limits on other seeds", table=table)


def _figure(limit: str, value: float | None) -> Piece:
    """A figure in the form of its limit."""
    is_percent = value is not None and isfinite(value) and _is_share(limit)
    return percent(value or 0.0) if is_percent else decimal_in_words(value)


def _allowed(limit: str, value: float) -> Piece:
    return level(value) if _is_share(limit) else as_given(value)


def _is_share(limit: str) -> bool:
    return limit.startswith("max_") and limit not in (*NO_SHARES, *LOSS_LIMITS)


def costs(study: StudyResult) -> Section | None:
    """What each limit costs, and which binds."""
    if not study.costs:
        return None
    table = tabulate(
        study.costs,
        (text("limit", "limit"), lambda one: limit_in_words(one.scenario, one.limit)),
        (figures("allowed", "allowed"), lambda one: _allowed(one.limit, one.allowed)),
        (text("binds", "[binds](limit-cost)"), lambda one: "binds" if one.binds else "no"),
        (figures("loosened", "one step looser"), lambda one: _allowed(one.limit, one.loosened)),
        counts("plan", "then plan", lambda one: one.plan),
        decimals("loss", "with a [loss](loss) of", lambda one: one.loss),
        decimals("saves", "which saves", lambda one: one.saves),
    ).filled()
    return Section(
        key="costs",
        title="What each limit costs",
        paragraphs=tuple(_binding(study)),
        exhibits=(Exhibit(name="limit-costs", title="One limit looser at a time", table=table),),
    )


def _binding(study: StudyResult) -> Iterator[Phrase]:
    binding = [one for one in study.costs if one.binds]
    if not binding:
        yield phrase(
            "No limit on risk binds alone: with any one of them a step looser, no plan that was "
            "tried {}.",
            "is expected to keep them all" if study.chosen is None else "is expected to lose less",
        )
    for one in binding:
        yield _bought(one)


def _bought(cost: LimitCost) -> Phrase:
    known = "is expected to do, by its figures in the search and a margin"
    said = phrase(
        "{} binds. With {} instead of {} allowed, plan {} "
        + (known if cost.estimated else "would do, by its bounds on fresh seeds"),
        limit_in_words(cost.scenario, cost.limit),
        _allowed(cost.limit, cost.loosened),
        _allowed(cost.limit, cost.allowed),
        counted(cost.plan or 0),
    )
    if cost.loss is not None:
        said += phrase("; its [loss](loss) is {}", decimal(cost.loss))
    return said + (phrase(", {} less.", decimal(cost.saves)) if cost.saves else (".",))


def notes(study: StudyResult) -> Section | None:
    """What to know of the search."""
    said = [phrase("{}.", name(one[:1].upper() + one[1:])) for one in study.notes]
    return Section(key="notes", title="Notes on the search", points=tuple(said)) if said else None


def limits(study: StudyResult) -> tuple[Phrase, ...]:
    """What a choice does not say."""
    compared = phrase(
        "[Loss](loss) is the overall loss: what an analysis needs that no measure looks at may be "
        "lost."
    )
    if study.uses:
        compared = phrase(
            "Plans are compared by the largest loss of the uses {}: a use that is not declared is "
            "not protected.",
            names(study.uses),
        )
    return (
        phrase(
            "The figures of the search are of one seed for each plan. Those of the chosen plan on "
            "fresh seeds, and in its audit, are what to rely on."
        ),
        phrase(
            "Only the combinations of the space were searched, each at some of its parameters: "
            "another mask, or other parameters, may lose less."
        ),
        compared,
        phrase(
            "The [attacks](attack) are those that were made, by the intruders of the "
            "[policy](policy). Another may link more."
        ),
    )
