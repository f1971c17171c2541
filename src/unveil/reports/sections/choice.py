"""Choice: the plan of the least loss that keeps a policy, and the plans around it."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from unveil.reports.content import Exhibit, Fact, LimitLine, Section
from unveil.reports.glossary import limit_key, mask_key
from unveil.reports.headline import headline
from unveil.reports.sections.provenance import NOT_PARAMETERS, parameter, steps
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.sections.verdict import NO_SHARES, misses
from unveil.reports.tables import Cell, Cells, counts, decimals, figures, labels, tabulate, text
from unveil.support.phrases import (
    Phrase,
    Piece,
    Term,
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
    MethodReach,
    StudyResult,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.workflows.choosing.limit_shares import LOSS_LIMITS

MOST_ROWS = 200  # plans in the table of all
FOLDER = "plans"  # of the plans' files, beside the page


def masks_in_words(masks: Sequence[Mapping[str, Any]]) -> Phrase:
    """What a plan does: its masks in order, with their parameters and columns."""
    pieces = list[Piece]()
    for mask in masks:
        pieces += [*([", then "] if pieces else []), *_mask(mask)]
    return tuple(pieces) or ("nothing",)


def _mask(mask: Mapping[str, Any]) -> Phrase:
    method, columns = str(mask.get("method")), mask.get("columns")
    given = list[Piece]()
    for key, value in mask.items():
        if key not in NOT_PARAMETERS:
            given += [", " if given else " (", f"{key.replace('_', ' ')} = ", *parameter(value)]
    said = (Term(method, mask_key(method)), *given, *([")"] if given else []))
    if not isinstance(columns, list | tuple):
        return said
    return phrase("{} of {}", said, names(map(str, columns)))


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
    if study.stopped:
        return phrase(
            " The search was stopped after {} of {}: this is the best so far.",
            tried,
            counted(study.trials),
        )
    return phrase(" Tried: {}.", tried)


def _none_chosen(study: StudyResult) -> Phrase:
    said = phrase("No plan keeps every limit of the [policy](policy). ")
    if study.nearest is None:
        return said + phrase("None could be carried out and attacked in full.")
    nearest = study[study.nearest]
    missed = sorted((one for one in nearest.limits if not one.kept), key=lambda one: -one.miss)
    if missed:
        said += phrase(
            "[Nearest](nearest) is plan {}, which misses {} of {} limits: {}.",
            counted(nearest.number),
            counted(len(missed)),
            counted(len(nearest.limits)),
            misses(missed),
        )
    else:
        said += phrase(
            "[Nearest](nearest) is plan {}: it keeps them on the seed of the search, but not with "
            "the [margin](confirmation) that further seeds need.",
            counted(nearest.number),
        )
    return said + _never_kept(study)


def _never_kept(study: StudyResult) -> Phrase:
    """Which limits no plan keeps."""
    limits: dict[tuple[str, str], bool] = {}
    for tried in study.tried:
        for one in tried.limits if tried.complete else ():
            key = one.scenario, one.limit
            limits[key] = limits.get(key, False) or one.kept
    broken = [key for key, kept in limits.items() if not kept]
    if not broken:
        return phrase(" Each limit is kept by some plan, but by none all of them.")
    said = [piece for key in broken for piece in (", ", *_limit(*key))][1:]
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


def frontier(study: StudyResult) -> Section:
    """Risk against loss of every plan."""
    rows = _shown(study)
    best, marked = {*study.frontier}, study.chosen or study.nearest
    standings = {"dropped": "dropped", "refused": "not carried out"}

    def standing(one: TriedPlan) -> Cell:
        return standings.get(one.stage, "frontier" if one.number in best else "dominated")

    def mark(one: TriedPlan) -> Cell:
        word = "nearest" if study.chosen is None else "chosen"
        return word if one.number == marked else None

    table = tabulate(
        rows,
        *_plan_columns(),
        (text("standing", "[standing](frontier)"), standing),
        (text("mark", "marked"), mark),
        (text("note", "why"), lambda one: name(one.note) if one.note else None),
    ).filled()
    drawn = any(one.loss is not None for one in rows)
    notes = [
        phrase(
            "[Risk](plan-risk) is the share that is used of the dearest limit, by ratios: up to "
            "the line every limit is kept. Hollow: dropped before every attack was made, so that "
            "the risk is at least this."
        )
    ]
    if len(rows) < len(study.tried):
        notes.append(phrase("Of {} plans these are the first.", counted(len(study.tried))))
    exhibit = Exhibit(
        name="frontier",
        title="Every plan that was tried: down and to the left is better",
        chart="frontier" if drawn else None,
        table=table,
        says=phrase(
            "A dot for each plan at its loss, from left to right, and its risk, upwards; the "
            "frontier is a line, the limit another, and the chosen plan has a ring."
        ),
        notes=tuple(notes),
        limits=_loss_line(study),
        sortable=True,
    )
    return Section(key="frontier", title="Risk against loss", exhibits=(exhibit,))


def _shown(study: StudyResult) -> list[TriedPlan]:
    """The plans of the table: where there are too many, the frontier and the first of the rest."""
    first = {*study.frontier, study.chosen, study.nearest}
    ranked = sorted(study.tried, key=lambda one: (one.number not in first, one.number))
    return sorted(ranked[:MOST_ROWS], key=lambda one: one.number)


def _loss_line(study: StudyResult) -> tuple[LimitLine, ...]:
    """The limit on the overall loss, where plans are compared by it."""
    limit = study.policy.get("max_loss")
    if study.uses or limit is None:
        return ()
    return (LimitLine(axis="x", limit="max_loss", value=float(limit)),)


def _plan_columns() -> tuple[Cells[TriedPlan], ...]:
    return (
        counts("plan", "plan", lambda one: one.number),
        labels("combination", "combination", lambda one: one.candidate.combination),
        (text("done", "what is done"), lambda one: masks_in_words(one.masks)),
        decimals("loss", "[loss](loss)", lambda one: one.loss),
        (figures("risk", "[risk](plan-risk)"), lambda one: _decimal(one.risk)),
        (text("dearest", "dearest limit"), _dearest),
    )


def _decimal(value: float | None) -> Piece:
    if value is None:
        return ""
    return decimal(value) if isfinite(value) else "no number"


def _dearest(tried: TriedPlan) -> Cell:
    limits = (one for one in tried.limits if one.limit not in LOSS_LIMITS)
    found: Limit | None = next(limits, None)
    return None if found is None else _limit(found.scenario, found.limit)


def _limit(scenario: str, limit: str) -> Phrase:
    whose = phrase("{}: ", scenario_name(scenario)) if scenario else ()
    return (*whose, Term(limit.replace("_", " "), limit_key(limit)))


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
    said = list[Phrase]()
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
            "Plan {}: the [loss](loss) was {} in the search and is {} over {}.",
            counted(found.number),
            decimal(searched),
            _decimal(found.loss),
            several(found.repetitions, "fresh seed"),
        )
    for one in found.figures[:1]:
        audit = phrase(
            "; the audit found {}", _figure(one.limit, one.audited)
        ) if one.audited is not None else ()  # fmt: skip
        yield phrase(
            "The dearest limit, {}, allows {}. The search found {}, the fresh seeds {} on average, "
            "with a bound of {} for nearly every seed{}.",
            _limit(one.scenario, one.limit),
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
        (text("limit", "limit"), lambda one: _limit(one.scenario, one.limit)),
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
    return percent(value or 0.0) if is_percent else _decimal(value)


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
        (text("limit", "limit"), lambda one: _limit(one.scenario, one.limit)),
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
            "No limit binds alone: with any one of them a step looser, no plan that was tried {}.",
            "keeps the rest" if study.chosen is None else "loses less",
        )
    for one in binding:
        yield _bought(one)


def _bought(cost: LimitCost) -> Phrase:
    said = phrase(
        "{} binds. With {} instead of {} allowed, plan {} would do",
        _limit(cost.scenario, cost.limit),
        _allowed(cost.limit, cost.loosened),
        _allowed(cost.limit, cost.allowed),
        counted(cost.plan or 0),
    )
    if cost.loss is not None:
        said += phrase(", with a [loss](loss) of {}", decimal(cost.loss))
    return said + (phrase(": {} less.", decimal(cost.saves)) if cost.saves else (".",))


def reach(study: StudyResult) -> Section | None:
    """What each combination of masks reaches at best."""
    if not study.reach:
        return None

    def plan(key: str, head: str) -> Cells[MethodReach]:
        return figures(key, head), lambda one: _plan_or_none(getattr(one, key))

    table = tabulate(
        study.reach,
        labels("combination", "combination", lambda one: one.combination),
        counts("tried", "plans tried", lambda one: one.tried),
        plan("kept", "of the least loss that keeps every limit: plan"),
        decimals("loss", "its [loss](loss)", lambda one: one.loss),
        plan("safest", "of the least risk: plan"),
        (figures("risk", "its [risk](plan-risk)"), lambda one: _decimal(one.risk)),
    )
    exhibit = Exhibit(
        name="reach", title="The best of each combination", table=table, sortable=True
    )
    return Section(key="reach", title="What each method reaches at best", exhibits=(exhibit,))


def _plan_or_none(number: int | None) -> Cell:
    return "none" if number is None else counted(number)


def plans(study: StudyResult) -> Section | None:
    """The plans of the frontier, and how to take another one than the chosen."""
    best = [study[number] for number in study.frontier]
    if not best:
        return None
    confirmed = {one.number: one for one in study.confirmations}

    def fresh(one: TriedPlan) -> Cell:
        found = confirmed.get(one.number)
        if found is None:
            return None
        said = phrase("{} of {}", counted(found.kept), counted(found.repetitions))
        return said if found.accepted else said + phrase(", not within the bound")

    table = tabulate(
        best,
        *_plan_columns(),
        (
            text("kept", "every limit"),
            lambda one: "kept" if all(limit.kept for limit in one.limits) else "not kept",
        ),
        (text("fresh", "kept on fresh seeds"), fresh),
    ).filled()
    example = study.chosen or study.frontier[0]
    return Section(
        key="plans",
        title="The frontier, and how to take another point",
        paragraphs=(
            phrase(
                "Each plan is a file beside this page, by its number, without a seed: "
                f"`unveil mask ORIGINAL --schema SCHEMA --plan {FOLDER}/{example}.toml`. Audit "
                "what it makes before it is released: a plan that was not chosen was not audited "
                "in full."
            ),
        ),
        exhibits=(
            Exhibit(
                name="frontier-plans",
                title="Plans that no other dominates",
                table=table,
                sortable=True,
            ),
        ),
    )


def notes(study: StudyResult) -> Section | None:
    """What to know of the search."""
    said = [phrase("{}.", name(one[:1].upper() + one[1:])) for one in study.notes]
    return Section(key="notes", title="To know of the search", points=tuple(said)) if said else None


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
