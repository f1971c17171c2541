"""Verdict: what is decided, limit by limit, and what to know before reading on."""

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, cast

from unveil.reports.content import Exhibit, Fact, Section
from unveil.reports.glossary import limit_key
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.tables import Cell, Table, figures, text
from unveil.support.phrases import (
    Figure,
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
    level,
    name,
    names,
    percent,
    phrase,
    points,
    several,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import ALWAYS, Limit

ROW_ORDER = "forbid_row_order"  # not told to others, who could use it
ACHIEVEMENTS = {  # what a limit on a share is of, in a word
    "max_risk": "linked",
    "max_linked": "linked",
    "max_confirmed": "confirmed",
    "max_wrongly_confirmed": "wrongly confirmed",
    "max_learned": "learned",
    "max_subgroup_risk": "linked in a subgroup",
    "max_household_risk": "households linked",
}
NO_SHARES = ("max_loss", "k_anonymity", "l_diversity", "t_closeness", *ALWAYS)


def subject(evidence: Evidence, *, external: bool) -> Phrase:
    """Which release it is of; to others, without the name of its file."""
    file = evidence.inputs["release"].file
    sizes = phrase(
        "{}, of an original of {}",
        several(evidence.released, "released record"),
        counted(evidence.records),
    )
    return sizes if external or file is None else phrase("{}: {}", name(Path(file).name), sizes)


def facts(evidence: Evidence) -> Iterator[Fact]:
    """The figures at the top; those of the stress test stand in the table of scenarios."""
    if evidence.scenarios:
        if evidence.loss.overall.value is not None:
            yield _lost(evidence.loss.overall.value)
        return
    if evidence.attacks:
        risk = evidence.attacks[0].risk
        yield Fact(phrase("[linked](linked) by the best attack"), (percent(risk.share),))
    sure = evidence.most_claimed
    if sure is not None and sure.claims is not None:
        claims = sure.claims
        yield Fact(
            phrase("[claimed](claims) rightly, without the truth"),
            phrase("{} of {}", counted(claims.right), counted(claims.n)),
        )
    if evidence.subgroups is not None and evidence.subgroups.highest is not None:
        worst = evidence.subgroups.highest
        yield Fact(
            phrase("linked in the worst [subgroup](subgroup)"),
            phrase("{} of {}", percent(worst.share), counted(worst.n)),
        )
    lost = evidence.loss.overall
    if lost.value is not None:
        yield _lost(lost.value)


def _lost(value: float) -> Fact:
    return Fact(phrase("[information lost](loss), from 0 to 1"), (decimal(value),))


def limits(evidence: Evidence, *, external: bool = False) -> Section:
    """Which limits of the policy are kept."""
    verdict = evidence.verdict
    if verdict is None:
        no_policy = phrase(
            "No [policy](policy) was given, so that nothing is passed or failed: whether this "
            "risk is bearable is left to the reader."
        )
        return Section(key="limits", title="Limits", paragraphs=(no_policy,))
    decision = phrase("The [policy](policy) is kept: every limit holds.")
    if not verdict.passed:
        decision = phrase(
            "The [policy](policy) is NOT kept: {}. This release misses {} of {} limits.",
            misses(verdict.misses, external=external),
            counted(len(verdict.broken)),
            counted(len(verdict.limits)),
        )
    table = _limits(verdict.limits, external=external)
    exhibit = Exhibit(name="limits", title="The policy, limit by limit", table=table)
    return Section(key="limits", title="Limits", paragraphs=(decision,), exhibits=(exhibit,))


def misses(limits: Sequence[Limit], *, external: bool = False) -> Phrase:
    """The limits that are missed, each by how much, in the order given."""
    shown = [one for one in limits if not (external and one.limit == ROW_ORDER)]
    return tuple(piece for limit in shown for piece in ("; ", *_miss(limit)))[1:]


def _whose(limit: Limit) -> Phrase:
    if limit.use:
        return phrase("{}: ", name(limit.use))
    return phrase("{}: ", scenario_name(limit.scenario)) if limit.scenario else ()


def _miss(limit: Limit) -> Phrase:
    word = ACHIEVEMENTS.get(limit.limit, limit.limit.replace("_", " "))
    said = phrase("{}{}", _whose(limit), Term(word, limit_key(limit.limit)))
    if limit.found is None:
        return said + phrase(" (not measured)")
    if not isfinite(limit.miss):
        return said
    allowed, found = cast("float", limit.allowed), cast("float", limit.found)
    if limit.limit in NO_SHARES:
        return said + phrase(" ({} found, {} allowed)", decimal(found), as_given(allowed))
    by = () if limit.excess is None else phrase(", {} points", points(limit.excess))
    return said + phrase(" {} ({} allowed{})", percent(found), level(allowed), by)


def _limits(limits: tuple[Limit, ...], *, external: bool) -> Table:
    columns = (
        text("who", "[scenario](scenario)"),
        text("limit", "limit"),
        figures("allowed", "allowed"),
        figures("people", "in people"),
        figures("found", "found"),
        text("kept", "kept"),
        text("why", "why"),
    )
    rows = tuple(
        (
            phrase("[use](use) {}", name(one.use))
            if one.use
            else (scenario_name(one.scenario) if one.scenario else "the file"),
            _limit(one, external=external),
            _value(one.allowed, as_given if one.limit in NO_SHARES else level, external=external),
            _in_people(one),
            _value(one.found, decimal if one.limit in NO_SHARES else percent, external=external),
            "kept" if one.kept else "BROKEN",
            name(one.reason),
        )
        for one in limits
        if not (external and one.limit == ROW_ORDER)
    )
    table = Table(columns, rows)
    return table.without("why") if external else table  # reasons name subgroups and columns


def _in_people(limit: Limit) -> Cell:
    """What a limit on a share means in people of this file."""
    if not limit.people or limit.allowed_people is None:
        return None
    return phrase("{} of {}", counted(limit.allowed_people), counted(limit.people))


def _limit(limit: Limit, *, external: bool) -> Cell:
    """The name of a limit, with the keys of its classes; to others, how many these are."""
    if not limit.keys:
        return Term(limit.limit.replace("_", " "), limit_key(limit.limit))
    term = Term(limit.limit.replace("_", "-"), limit_key(limit.limit))
    return phrase(
        "{} of {}", term, several(len(limit.keys), "key") if external else names(limit.keys)
    )


def _value(value: Any, written: Callable[[float], Figure], *, external: bool) -> Cell:
    if value is None:
        return "not measured"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        if external:  # which columns stayed as they were helps an intruder
            return phrase("columns: {}", counted(len(value)))
        return names(value) or "none"
    return written(value)


def notes(evidence: Evidence) -> Section | None:
    """What to know before reading on."""
    if not evidence.notes:
        return None
    said = [phrase("{}.", name(note[:1].upper() + note[1:])) for note in evidence.notes]
    return Section(key="notes", title="To know first", points=tuple(said))
