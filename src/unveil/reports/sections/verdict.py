"""Verdict: the policy limit by limit, the figures of the first screen, and notes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from unveil.reports.content import Exhibit, Fact, Section
from unveil.reports.glossary import limit_key
from unveil.reports.headline import LOSS_SCALE
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.tables import Cell, Table, figures, text
from unveil.support.phrases import (
    Figure,
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
    expected,
    level,
    name,
    names,
    percent,
    phrase,
    points,
    several,
)
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import ALWAYS, Limit
from unveil.values.results.scenarios import ScenarioResult

Estimates = Mapping[tuple[str, str], float]  # by intruder and limit, where a limit has an interval
NO_ESTIMATES: Estimates = {}
VISIBLE = 0.0005  # the least difference of shares that is shown
ROW_ORDER = "forbid_row_order"  # not told to others, who could use it
ACHIEVEMENTS = {  # what a limit on a share is of, in a word
    "max_risk": "linked",
    "max_linked": "linked",
    "max_confirmed": "confirmed",
    "max_wrongly_confirmed": "wrongly confirmed",
    "max_learned": "learned",
    "max_subgroup_risk": "linked in a subgroup",
    "max_household_risk": "households linked",
    "max_population_risk": "matched in the population",
    "max_expected_matches": "people matched in the population",
}
PEOPLE = ("max_expected_matches",)  # limits on a number of people
NO_SHARES = (*PEOPLE, "max_loss", "k_anonymity", "l_diversity", "t_closeness", *ALWAYS)


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
            phrase("links that an intruder can [claim](claims) correctly"),
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
    return Fact(phrase(f"[information loss](loss), {LOSS_SCALE}"), (decimal(value),))


def limits(evidence: Evidence, *, external: bool = False) -> Section | None:
    """Which limits of the policy are kept."""
    verdict = evidence.verdict
    if verdict is None:
        return None
    said = estimates(evidence)
    exhibit = Exhibit(
        name="limits",
        title=phrase(
            "{} of {} kept",
            counted(len(verdict.limits) - len(verdict.broken)),
            several(len(verdict.limits), "limit"),
        ),
        table=_limits(verdict.limits, said, external=external),
    )
    sampled = phrase(
        "The upper end of the [interval](interval) (up to) is compared with the limit where people "
        "or values were sampled."
    )
    upper = any(_upper(one, said) for one in verdict.limits)
    return Section(
        key="limits", title="Limits", paragraphs=(sampled,) if upper else (), exhibits=(exhibit,)
    )


def estimates(evidence: Evidence) -> Estimates:
    """The estimates of the figures whose upper ends are compared with limits."""
    found = dict(estimates_of(evidence.scenarios))
    every = dict[str, float]()
    linked = claimed_by_row = None
    if (row := evidence.stress_test) is not None:
        linked, claimed_by_row = row.linked, row.confirmed
    if evidence.attacks:
        worst = max(evidence.attacks, key=lambda one: one.highest)
        higher = linked is not None and linked.highest > worst.highest
        every["max_risk"] = linked.share if linked is not None and higher else worst.risk.share
    if evidence.subgroups is not None and evidence.subgroups.highest is not None:
        every["max_subgroup_risk"] = evidence.subgroups.highest.share
    if evidence.household_attacks:
        every["max_household_risk"] = evidence.household_attacks[0][1].risk.share
    if evidence.in_population is not None and evidence.in_population.share is not None:
        every["max_population_risk"] = evidence.in_population.share
    claimed = None if evidence.most_claimed is None else evidence.most_claimed.claims
    if claimed is not None and claimed.n:
        of_row = 0.0 if claimed_by_row is None else claimed_by_row.share
        every["max_confirmed"] = max(claimed.right / claimed.n, of_row)
    return found | {
        (who, name): share for name, share in every.items() for who in ("", STRESS_TEST)
    }


def estimates_of(scenarios: Sequence[ScenarioResult]) -> Estimates:
    """The estimates of what intruders achieve."""
    found = dict[tuple[str, str], float]()
    for one in scenarios:
        shared = {
            "max_linked": one.linked,
            "max_confirmed": one.confirmed,
            "max_wrongly_confirmed": one.wrongly_confirmed,
        }
        found |= {(one.name, key): each.share for key, each in shared.items() if each is not None}
        if one.most_learned is not None:
            found[one.name, "max_learned"] = one.most_learned.learned
    return found


def misses(
    limits: Sequence[Limit], *, external: bool = False, estimates: Estimates = NO_ESTIMATES
) -> Phrase:
    """The limits that are missed, each by how much, in the order given."""
    shown = [one for one in limits if not (external and one.limit == ROW_ORDER)]
    return _joined([_miss(limit, estimates) for limit in shown], "; ")


def limit_name(limit: Limit) -> Phrase:
    """A limit in words, with its intruder or use: register, linked."""
    word = ACHIEVEMENTS.get(limit.limit, limit.limit.replace("_", " "))
    term = Term(word, limit_key(limit.limit))
    if limit.use:
        return phrase("{}, {}", name(limit.use), term)
    return phrase("{}, {}", scenario_name(limit.scenario), term) if limit.scenario else (term,)


def limit_names(limits: Sequence[Limit]) -> Phrase:
    """Limits in words, those of one intruder together: register (linked, learned)."""
    of = dict[str, list[Phrase]]()
    for one in limits:
        of.setdefault(one.scenario, []).append(
            limit_name(msgspec.structs.replace(one, scenario=""))
        )
    said = of.pop("", [])
    said += [
        phrase("{} ({})", scenario_name(who), _joined(terms, ", ")) for who, terms in of.items()
    ]
    return _joined(said, "; ")


def _joined(phrases: Sequence[Phrase], between: str) -> Phrase:
    return tuple(piece for one in phrases for piece in (between, *one))[1:]


def _miss(limit: Limit, estimates: Estimates) -> Phrase:
    said = limit_name(limit)
    if limit.found is None:
        return said + phrase(" (not measured)")
    if not _is_number(limit.found) or not _is_number(limit.allowed):
        return said
    allowed = cast("float", limit.allowed)
    if limit.limit in ALWAYS:
        return said + phrase(": {}", counted(cast("float", limit.found)))
    if limit.limit in NO_SHARES:
        found = form_of(limit.limit)(cast("float", limit.found))
        return said + phrase(" {} ({} allowed)", found, as_given(allowed))
    by = () if limit.excess is None else phrase(", {} points above", points(limit.excess))
    return said + phrase(" {} ({} allowed{})", _found(limit, estimates), level(allowed), by)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _upper(limit: Limit, estimates: Estimates) -> bool:
    """Whether the figure is the upper end of an interval around another figure."""
    estimate = estimates.get((limit.scenario, limit.limit))
    if estimate is None or not _is_number(limit.found):
        return False
    return cast("float", limit.found) - estimate >= VISIBLE


def _found(limit: Limit, estimates: Estimates) -> Phrase:
    """The figure; its estimate and the upper end where people or values were sampled."""
    found = cast("float", limit.found)
    if not _upper(limit, estimates):
        return (percent(found),)
    estimate = percent(estimates[limit.scenario, limit.limit])
    return phrase("{}, up to {} with sampling error", estimate, percent(found))


def _limits(limits: tuple[Limit, ...], estimates: Estimates, *, external: bool) -> Table:
    columns = (
        text("who", "[intruder](scenario)"),
        text("limit", "limit"),
        figures("allowed", "allowed"),
        figures("people", "people allowed"),
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
            _figure(one, estimates, external=external),
            "kept" if one.kept else "BROKEN",
            name(one.reason),
        )
        for one in limits
        if not (external and one.limit == ROW_ORDER)
    )
    table = Table(columns, rows)
    return table.without("why") if external else table  # reasons name subgroups and columns


def form_of(limit: str) -> Callable[[float], Figure]:
    """How the figure of a limit is written."""
    if limit in PEOPLE:
        return expected
    return decimal if limit in NO_SHARES else percent


def _figure(limit: Limit, estimates: Estimates, *, external: bool) -> Cell:
    if _upper(limit, estimates):
        estimate = percent(estimates[limit.scenario, limit.limit])
        return phrase("{}, up to {}", estimate, percent(cast("float", limit.found)))
    return _value(limit.found, form_of(limit.limit), external=external)


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
    return Section(key="notes", title="Notes on this audit", points=tuple(said))
