"""Scenarios: who could attack the release, and what each of them achieves."""

from collections.abc import Iterator, Mapping, Sequence

from unveil.reports.content import Exhibit, Section, View
from unveil.reports.sections.attacks import attack
from unveil.reports.tables import Cell, Table, labels, shares, tabulate, text
from unveil.support.phrases import (
    Mark,
    Phrase,
    Piece,
    Term,
    counted,
    level,
    name,
    names,
    percent,
    phrase,
    plain,
    several,
)
from unveil.values.disclosure_scenario import FIXED, STRESS_TEST
from unveil.values.results.comparison import Comparison
from unveil.values.results.disclosure import Inference
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import Limit
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import ScenarioResult, SharedCount

# The columns of the first table: the limit of each, and its heading.
ACHIEVED = {
    "max_linked": "[linked](scenario-linked)",
    "max_confirmed": "[confirmed](scenario-confirmed)",
    "max_wrongly_confirmed": "[wrongly confirmed](scenario-wrong)",
    "max_learned": "[learned](scenario-learned), worst column",
}
# Limits on the attacks of the audit itself that the same figures of the stress test show.
ALSO = {"max_linked": "max_risk", "max_confirmed": "max_confirmed"}


def scenario_name(scenario: str) -> Piece:
    """The name of a scenario: a term, or the steward's own word."""
    if scenario in FIXED:
        return Term(scenario, f"scenario-{scenario.replace(' ', '-')}")
    return name(scenario)


def first_table(evidence: Evidence, *, external: bool = False) -> Exhibit | None:
    """The first thing to read: what each intruder achieves, with the limits."""
    if not evidence.scenarios:
        return None
    rows = tuple(
        (
            scenario_name(one.name),
            who(one),
            *achieved(one, _limits_of(evidence, one.name), external=external),
        )
        for one in _reference_last(evidence.scenarios)
    )
    heads = (
        text("who", "[who](scenario)"),
        text("knows", "knows"),
        *(text(key, head) for key, head in ACHIEVED.items()),
    )
    return Exhibit(
        name="scenarios",
        title="Who could do what",
        table=Table(heads, rows),
        notes=(_how_to_read(evidence),),
    )


def _reference_last(scenarios: Sequence[ScenarioResult]) -> list[ScenarioResult]:
    """The intruders, then the stress test, which is nobody."""
    return sorted(scenarios, key=lambda one: one.name == STRESS_TEST)


def _how_to_read(evidence: Evidence) -> Phrase:
    drawn = any(one.linked is not None and one.linked.interval for one in evidence.scenarios)
    return phrase(
        "Linked: the person's row is found. Confirmed, a part of these: the intruder can tell that "
        "the link is right. Wrongly confirmed: the intruder is sure and mistaken, which harms "
        "these people, too. Learned: an unknown value is read correctly off the linked row, beyond "
        "what similar people's rows would tell. Figures without a limit are not judged; limits on "
        "the file itself are below.{}",
        phrase(
            " Where people or values were drawn at random, the [interval](interval) follows, "
            "and its upper end is compared with the limit."
        )
        if drawn
        else (),
    )


def _limits_of(evidence: Evidence, scenario: str) -> Mapping[str, Limit]:
    limits = () if evidence.verdict is None else evidence.verdict.of_scenario(scenario)
    return {one.limit: one for one in limits}


def compared_scenarios(comparison: Comparison, *, external: bool = False) -> Exhibit | None:
    """What each intruder achieves with each release."""
    pairs = [(one, release) for release in comparison.releases for one in release.scenarios]
    order = list(
        dict.fromkeys(one.result.name for one, _ in pairs if one.result.name != STRESS_TEST)
    )
    pairs.sort(key=lambda pair: [*order, STRESS_TEST].index(pair[0].result.name))
    if not pairs:
        return None
    heads = (
        text("who", "[who](scenario)"),
        text("release", "release"),
        *(text(key, head) for key, head in ACHIEVED.items()),
    )
    rows = tuple(
        (
            scenario_name(one.result.name),
            name(release.name),
            *achieved(one.result, {each.limit: each for each in one.limits}, external=external),
        )
        for one, release in pairs
    )
    return Exhibit(name="scenarios", title="Who could do what", table=Table(heads, rows))


def who(result: ScenarioResult) -> Phrase:
    """What an intruder knows of whom, in a sentence."""
    n = several(len(result.knows), "attribute")
    exactly: list[Phrase] = []
    if result.error:
        exactly.append(phrase("{} of the values out of date", level(result.error)))
    if result.coarse:
        exactly.append(phrase("numbers roughly"))
    precision = tuple(piece for part in exactly for piece in (", ", *part)) or (", exactly",)
    knows = phrase("{}{}", n, precision)
    masked = " Knows how the file was masked." if result.plan else ""
    if result.name == STRESS_TEST:
        return phrase(
            "An upper reference, not an attack by somebody: all {} with {}.{}",
            several(result.people, "person"),
            knows,
            masked,
        )
    if not result.member:
        return phrase(
            "Holds a file of {} with {}. Does not know which {} of them are in the release.{}",
            several(result.people, "person"),
            knows,
            percent(result.membership),
            masked,
        )
    if not result.together:
        return phrase("Knows one person at a time, who is in the release: {}.{}", knows, masked)
    again = phrase(", drawn {} times", counted(result.draws)) if result.draws > 1 else ()
    return phrase(
        "Holds {} of the release{}: {}.{}", several(result.people, "person"), again, knows, masked
    )


def achieved(
    result: ScenarioResult, limits: Mapping[str, Limit], *, external: bool
) -> tuple[Cell, ...]:
    """The four figures of an intruder, each with its limit."""
    cells = {
        "max_linked": _shared(result.linked),
        "max_confirmed": _shared(result.confirmed),
        "max_wrongly_confirmed": _shared(result.wrongly_confirmed),
        "max_learned": _learned(result, external=external),
    }
    also = ALSO if result.name == STRESS_TEST else {}
    return tuple(
        cell + _limit_mark(limits.get(key) or limits.get(also.get(key, "")))
        for key, cell in cells.items()
    )


def _shared(counted_share: SharedCount | None) -> Phrase:
    if counted_share is None:
        return phrase("not known")
    said = phrase(
        "{}\n{} of {}",
        percent(counted_share.share),
        counted(counted_share.count),
        counted(counted_share.of),
    )
    interval = counted_share.interval
    return said if interval is None else said + _ends(interval)


def _ends(interval: Interval) -> Phrase:
    """From where to where; a lower end that rounds to 0 is 0."""
    low = 0.0 if abs(interval.low) < 0.0005 else interval.low
    return phrase("\n{} to {}", percent(low), percent(interval.high))


def _learned(result: ScenarioResult, *, external: bool) -> Phrase:
    most = result.most_learned
    if most is None:
        return phrase("nothing: {}", result.not_learned)
    of = () if external else phrase("\n{}", name(most.column))
    drawn = result.drawn or most.sampled
    interval = _ends(most.gain) if drawn and most.gain is not None else ()
    return phrase("{}{}{}", percent(most.learned), of, interval)


def _limit_mark(limit: Limit | None) -> Phrase:
    """The limit, and whether it is kept: by a sign and by words, not by colour alone."""
    if limit is None or isinstance(limit.allowed, bool | tuple):
        return ()
    verdict = "kept" if limit.kept else "broken" if limit.found is not None else "not measured"
    sign, means = ("✓", "holds") if limit.kept else ("✗", "does not hold")
    mark = Mark(f"{sign} {verdict}", means)
    return phrase("\n{}: limit {}", mark, level(float(limit.allowed)))


def row_sentences(evidence: Evidence) -> Iterator[Phrase]:
    """Each intruder in a sentence, for a terminal and a notebook."""
    for one in _reference_last(evidence.scenarios):
        linked, confirmed, wrong, learned = achieved(
            one, _limits_of(evidence, one.name), external=False
        )
        yield phrase(
            " {}: links {}, confirms {}, wrongly {}, learns {}.",
            scenario_name(one.name),
            *(
                cell if isinstance(cell, tuple) else (cell or "",)
                for cell in (linked, confirmed, wrong, learned)
            ),
        )


def scenarios(evidence: Evidence, *, external: bool = False) -> Section | None:
    """Each intruder in full: the attacks, the ceiling, and what the links tell."""
    if not evidence.scenarios:
        return None
    return Section(
        key="scenarios",
        title="Who could do it",
        choices=tuple(
            _choice(place, one, external=external) for place, one in enumerate(evidence.scenarios)
        ),
    )


def _choice(place: int, result: ScenarioResult, *, external: bool) -> View:
    said = list(_story(result, external=external))
    exhibits = list[Exhibit]()
    if result.attacks and result.name != STRESS_TEST:
        exhibits.append(_attacks(place, result))
    if result.learned:
        exhibits.append(_learned_columns(place, result, external=external))
    return View(
        title=plain(scenario_name(result.name)), paragraphs=tuple(said), exhibits=tuple(exhibits)
    )


def _story(result: ScenarioResult, *, external: bool) -> Iterator[Phrase]:
    yield who(result)
    if result.knows and not external:
        yield phrase("Knows {}.", names(result.knows))
    if result.note and not external:
        yield phrase("{}.", name(result.note[:1].upper() + result.note[1:]))
    if result.linked is None:
        yield phrase("No attack was possible.")
        return
    ceiling = (
        phrase("")
        if result.ceiling is None
        else phrase(
            ", and no attack on these attributes can link more than {}", counted(result.ceiling)
        )
    )
    by = () if external else phrase(", {},", attack(result.attack or ""))
    yield phrase(
        "The best attack{} links {} of {} people in the release; a [guess](guess) links {}{}.",
        by,
        counted(result.linked.count),
        counted(result.linked.of),
        counted(result.guess or 0.0),
        ceiling,
    )
    if result.claimed_by is not None and result.wrongly_confirmed is not None:
        yield phrase(
            "The claims are those of {}the attack with the most claims that are right.{}",
            () if external else phrase("{}, ", attack(result.claimed_by)),
            ""
            if result.member
            else " Claims about people who are not in the release are counted "
            "as wrong: each person of the original stands for one of them, with the own row taken "
            "out.",
        )
    if result.learned_by not in (None, result.attack) and not external:
        other = attack(result.learned_by or "")
        yield phrase("What is learned comes from the links of another attack, {}.", other)
    if result.not_counted and not external:
        yield phrase("Learned leaves out {}: generalised or empty.", names(result.not_counted))
    if result.draws > 1:
        yield phrase("The figures are of {} disjoint draws of people.", counted(result.draws))
    if result.left_out and not external:
        left_out = tuple(piece for one in result.left_out for piece in ("; ", name(one)))[1:]
        yield phrase("Not made: {}.", left_out)


def _attacks(place: int, result: ScenarioResult) -> Exhibit:
    table = tabulate(
        result.attacks,
        (text("attack", "[attack](attack)"), lambda one: attack(one.name)),
        (text("linked", "[linked](linked)"), lambda one: _shared(one.linked)),
    )
    return Exhibit(name=f"scenario-attacks-{place}", title="Attacks of this intruder", table=table)


def _learned_columns(place: int, result: ScenarioResult, *, external: bool) -> Exhibit:
    table = tabulate(
        result.learned,
        labels("column", "column", lambda one: one.column),
        shares("linked", "read rightly off the linked row", lambda one: one.linked),
        shares("control", "without the own row", lambda one: one.control),
        shares("learned", "[learned](scenario-learned)", lambda one: one.learned),
        shares("low", "[at least](interval)", lambda one: _end(one, "low")),
        shares("high", "at most", lambda one: _end(one, "high")),
    )
    return Exhibit(
        name=f"scenario-learned-{place}",
        title="What the links tell of each unknown column",
        table=table.without("column") if external else table,
    )


def _end(inference: Inference, end: str) -> float | None:
    found: float | None = None if inference.gain is None else getattr(inference.gain, end)
    return found
