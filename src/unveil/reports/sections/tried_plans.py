"""Tried plans: the masks, risk and loss of each plan of a search, and the frontier."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from unveil.reports.content import Exhibit, LimitLine, Section
from unveil.reports.glossary import limit_key, mask_key
from unveil.reports.mask_words import effect_in_words
from unveil.reports.sections.provenance import NOT_PARAMETERS, parameter
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.tables import Cell, Cells, counts, decimals, figures, labels, tabulate, text
from unveil.support.phrases import Phrase, Piece, Term, counted, decimal, name, names, phrase
from unveil.values.results.choice import MethodReach, StudyResult
from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.workflows.choosing.limit_shares import LOSS_LIMITS

MOST_ROWS = 200  # plans in the table of all
FOLDER = "plans"  # of the plans' files, beside the page


def masks_in_words(masks: Sequence[Mapping[str, Any]], *, effects: bool = False) -> Phrase:
    """The masks of a plan in order, with their parameters and columns; or with their effects."""
    pieces = list[Piece]()
    for mask in masks:
        said = _effect(mask) if effects else _mask(mask)
        pieces += [*([", then "] if pieces else []), *said]
    return tuple(pieces) or ("nothing",)


def _mask(mask: Mapping[str, Any]) -> Phrase:
    given = _given(mask)
    said = (_method(mask), *(phrase(" ({})", given) if given else ()))
    columns = _columns(mask)
    return phrase("{} of {}", said, columns) if columns else said


def _effect(mask: Mapping[str, Any]) -> Phrase:
    """What a mask does, in words where there are any, its method and its other parameters."""
    effect = effect_in_words(mask)
    if effect is None:
        return _mask(mask)
    said, stated = effect
    given, columns = _given(mask, stated), _columns(mask)
    of_columns = phrase("{}: {}", columns, said) if columns else said
    return phrase("{} ({}{})", of_columns, _method(mask), (", ", *given) if given else ())


def _method(mask: Mapping[str, Any]) -> Term:
    method = str(mask.get("method"))
    return Term(method, mask_key(method))


def _columns(mask: Mapping[str, Any]) -> Phrase:
    columns = mask.get("columns")
    return names(map(str, columns)) if isinstance(columns, list | tuple) else ()


def _given(mask: Mapping[str, Any], stated: str = "") -> Phrase:
    """The parameters of a mask, without one that is stated."""
    given = list[Piece]()
    for key, value in mask.items():
        if key not in (*NOT_PARAMETERS, stated):
            given += [", " if given else "", f"{key.replace('_', ' ')} = ", *parameter(value)]
    return tuple(given[1:])


def frontier(study: StudyResult) -> Section:
    """Risk against loss of every plan."""
    rows = _shown(study)
    best, marked = {*study.frontier}, study.chosen or study.nearest
    standings = {"dropped": "dropped", "refused": "not applied"}

    def standing(one: TriedPlan) -> Cell:
        return standings.get(one.stage, "frontier" if one.number in best else "dominated")

    def mark(one: TriedPlan) -> Cell:
        word = "nearest" if study.chosen is None else "chosen"
        return word if one.number == marked else None

    table = tabulate(
        rows,
        *_plan_columns(effects=True),
        (text("standing", "[standing](frontier)"), standing),
        (text("mark", "result"), mark),
        (text("note", "reason"), lambda one: name(one.note) if one.note else None),
    ).filled()
    drawn = any(one.risk is not None for one in rows)
    notes = [
        phrase(
            "[Risk](plan-risk) is the used share of the tightest limit, on a logarithmic axis. "
            "Below the line every limit holds. Hollow points were dropped before every attack was "
            "made, so their risk is at least this."
        ),
        phrase(
            "A risk that was not measured is at the upper end. A plan that breaks a limit on loss "
            "was not attacked and has no point."
        ),
    ]
    if len(rows) < len(study.tried):
        notes.append(phrase("The first of {} plans are shown.", counted(len(study.tried))))
    exhibit = Exhibit(
        name="frontier",
        title=_best_plan(study),
        chart="frontier" if drawn else None,
        table=table,
        says=phrase(
            "A dot for each plan: its loss from left to right, its risk upwards. A line joins the "
            "frontier, a dashed line is the limit, and a ring marks the chosen or nearest plan."
        ),
        notes=tuple(notes),
        limits=_loss_line(study),
        sortable=True,
    )
    return Section(key="frontier", title="Risk against loss", exhibits=(exhibit,))


def _best_plan(study: StudyResult) -> Phrase:
    """The finding of the chart: the plan that was chosen, else the nearest."""
    number = study.chosen or study.nearest
    if number is None:
        return phrase("Risk against loss of every plan tried")
    word = "nearest to the policy" if study.chosen is None else "chosen"
    return phrase("Risk against loss of every plan tried: {} is plan {}", word, counted(number))


def _shown(study: StudyResult) -> list[TriedPlan]:
    """The plans of the table: if there are too many, the frontier and the first of the rest."""
    first = {*study.frontier, study.chosen, study.nearest}
    ranked = sorted(study.tried, key=lambda one: (one.number not in first, one.number))
    return sorted(ranked[:MOST_ROWS], key=lambda one: one.number)


def _loss_line(study: StudyResult) -> tuple[LimitLine, ...]:
    """The limit on the overall loss, by which plans are compared."""
    limit = study.policy.get("max_loss")
    if limit is None:
        return ()
    return (LimitLine(axis="x", limit="max_loss", value=float(limit)),)


def _plan_columns(*, effects: bool = False) -> tuple[Cells[TriedPlan], ...]:
    return (
        counts("plan", "plan", lambda one: one.number),
        labels("combination", "combination", lambda one: one.candidate.combination),
        (text("done", "masks"), lambda one: masks_in_words(one.masks, effects=effects)),
        decimals("loss", "[loss](loss)", lambda one: one.loss),
        (figures("risk", "[risk](plan-risk)"), lambda one: decimal_in_words(one.risk)),
        (text("dearest", "tightest limit"), _tightest),
    )


def decimal_in_words(value: float | None) -> Piece:
    """A number, or that it is none; empty if it is not known."""
    if value is None:
        return ""
    return decimal(value) if isfinite(value) else "no number"


def _tightest(tried: TriedPlan) -> Cell:
    limits = (one for one in tried.limits if one.limit not in LOSS_LIMITS)
    found: Limit | None = next(limits, None)
    return None if found is None else limit_in_words(found.scenario, found.limit)


def limit_in_words(scenario: str, limit: str, use: str = "") -> Phrase:
    """The intruder or use of a limit, and its name."""
    whose = phrase("{}: ", scenario_name(scenario) if scenario else name(use))
    return (*(whose if scenario or use else ()), Term(limit.replace("_", " "), limit_key(limit)))


def reach(study: StudyResult) -> Section | None:
    """The best plans of each combination of masks."""
    if not study.reach:
        return None

    def plan(key: str, head: str) -> Cells[MethodReach]:
        return figures(key, head), lambda one: _plan_or_none(getattr(one, key))

    table = tabulate(
        study.reach,
        labels("combination", "combination", lambda one: one.combination),
        counts("tried", "plans tried", lambda one: one.tried),
        plan("kept", "plan with the least loss that keeps every limit in the search"),
        decimals("loss", "its [loss](loss)", lambda one: one.loss),
        plan("safest", "plan with the least risk"),
        (figures("risk", "its [risk](plan-risk)"), lambda one: decimal_in_words(one.risk)),
    )
    exhibit = Exhibit(
        name="reach", title="Best plans of each combination of masks", table=table, sortable=True
    )
    return Section(key="reach", title="Best plans of each method", exhibits=(exhibit,))


def _plan_or_none(number: int | None) -> Cell:
    return "none" if number is None else counted(number)


def plans(study: StudyResult) -> Section | None:
    """The plans of the frontier, and how to apply one that was not chosen."""
    best = [study[number] for number in study.frontier]
    if not best:
        return None
    confirmed = {one.number: one for one in study.confirmations}

    def fresh(one: TriedPlan) -> Cell:
        found = confirmed.get(one.number)
        if found is None:
            return None
        said = phrase("{} of {}", counted(found.kept), counted(found.repetitions))
        return said if found.accepted else said + phrase(", upper bound above the limit")

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
        title="The frontier, and how to apply another plan",
        paragraphs=(
            phrase(
                "Each plan is a file beside this page, by its number and without a seed: "
                f"`unveil mask ORIGINAL --schema SCHEMA --plan {FOLDER}/{example}.toml`. Audit the "
                "release before you publish it: only the chosen plan was audited in full."
            ),
        ),
        exhibits=(
            Exhibit(
                name="frontier-plans",
                title="Plans that are not dominated",
                table=table,
                sortable=True,
            ),
        ),
    )
