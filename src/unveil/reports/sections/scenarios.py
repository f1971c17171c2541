"""Scenarios: who could attack the release, and what each of them achieves."""

from collections.abc import Iterator, Sequence

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
    lower_end,
    name,
    names,
    percent,
    phrase,
    plain,
    several,
)
from unveil.values.disclosure_scenario import NAMED, STRESS_TEST
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
    if scenario in NAMED:
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
        text("who", "[intruder](scenario)"),
        text("knows", "knows"),
        *(text(key, head) for key, head in ACHIEVED.items()),
    )
    key = phrase(
        "Linked: the intruder's best guess is the person's row, sure or not. Confirmed: the "
        "intruder is sure, and right. Wrongly confirmed: sure, and wrong. Learned: a right value "
        "that the intruder reads from the row, beyond what similar people's rows tell. A range is "
        "an [interval](interval) of sampling error. No mark: no limit. Further limits are listed "
        "below."
    )
    return Exhibit(
        name="scenarios",
        title="What each intruder achieves",
        table=Table(heads, rows),
        notes=(key,),
    )


def _reference_last(scenarios: Sequence[ScenarioResult]) -> list[ScenarioResult]:
    """The intruders, then the stress test, which is nobody."""
    return sorted(scenarios, key=lambda one: one.name == STRESS_TEST)


def _limits_of(evidence: Evidence, scenario: str) -> tuple[Limit, ...]:
    return () if evidence.verdict is None else evidence.verdict.of_scenario(scenario)


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
        text("who", "[intruder](scenario)"),
        text("release", "release"),
        *(text(key, head) for key, head in ACHIEVED.items()),
    )
    rows = tuple(
        (
            scenario_name(one.result.name),
            name(release.name),
            *achieved(one.result, one.limits, external=external),
        )
        for one, release in pairs
    )
    return Exhibit(name="scenarios", title="What each intruder achieves", table=Table(heads, rows))


def who(result: ScenarioResult) -> Phrase:
    """What an intruder knows of whom."""
    n, people = several(len(result.knows), "attribute"), several(result.people, "person")
    precision: Phrase = () if result.error or result.coarse else (" exactly",)
    if result.error:
        precision += phrase("; {} of the values are out of date", level(result.error))
    if result.coarse:
        precision += ("; numbers are known only roughly",)
    masked = " Knows the masking method." if result.plan else ""
    if result.name == STRESS_TEST:
        return phrase(
            "An upper reference, not a realistic intruder: knows {} of all {}{}.{}",
            *(n, people, precision, masked),
        )
    if not result.member:
        return phrase(
            "Holds a file of {} with {}{}. Does not know which of them are in the release ({} are)."
            "{}",
            *(people, n, precision, percent(result.membership), masked),
        )
    if not result.together:
        return phrase(
            "Looks for one person at a time, known to be in the release, by {}{}.{}",
            *(n, precision, masked),
        )
    again = phrase(" ({} random samples)", counted(result.draws)) if result.draws > 1 else ()
    return phrase("Knows {} of {} in the release{}{}.{}", *(n, people, precision, again, masked))


def achieved(
    result: ScenarioResult, limits: Sequence[Limit], *, external: bool
) -> tuple[Phrase, ...]:
    """The four figures of an intruder, each with every limit on it, broken limits first."""
    cells = {
        "max_linked": _shared(result.linked),
        "max_confirmed": _shared(result.confirmed) + _right_claims(result),
        "max_wrongly_confirmed": _shared(result.wrongly_confirmed),
        "max_learned": _learned(result, external=external),
    }
    also = ALSO if result.name == STRESS_TEST else {}
    ordered = sorted(limits, key=lambda one: one.kept)
    return tuple(
        sum((_limit_mark(one) for one in ordered if one.limit in (key, also.get(key))), start=cell)
        for key, cell in cells.items()
    )


def _right_claims(result: ScenarioResult) -> Phrase:
    """How many of all claims are right, which says how far the intruder can rely on a claim."""
    right, wrong = result.confirmed, result.wrongly_confirmed
    if right is None or wrong is None:
        return ()
    # Claims on strangers are counted for the whole file, of which the release is a part.
    count = right.count if right.of == wrong.of else right.share * result.released
    claims = count + wrong.count
    return phrase("\nof {} claims {} are right", counted(claims), counted(count)) if claims else ()


def _shared(counted_share: SharedCount | None) -> Phrase:
    if counted_share is None:
        return phrase("not measured")
    said = phrase(
        "{}\n{} of {}",
        percent(counted_share.share),
        counted(counted_share.count),
        counted(counted_share.of),
    )
    interval = counted_share.interval
    return said if interval is None else said + _ends(interval)


def _ends(interval: Interval) -> Phrase:
    return phrase("\n{} to {}", lower_end(interval.low), percent(interval.high))


def _learned(result: ScenarioResult, *, external: bool) -> Phrase:
    most = result.most_learned
    if most is None:
        return phrase("nothing: {}", name(result.not_learned))
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


BRIEF = "Shares of the people. ✓ keeps and ✗ breaks the limit that follows."


def brief_table(exhibit: Exhibit) -> Table:
    """The table of intruders in one line each: the figures, and the limits with their signs."""
    table = exhibit.table.without("knows")
    rows = tuple((row[0], *(_brief(cell) for cell in row[1:])) for row in table.rows)
    return Table(table.columns, rows)


def _brief(cell: Cell) -> str:
    first, *others = plain(cell).split("\n")
    signs = [
        f"{one[0]} {one.partition('limit ')[2]}" for one in others if one.startswith(("✓", "✗"))
    ]
    return f"{first.partition(':')[0]} {' '.join(signs)}".rstrip()


def row_sentences(evidence: Evidence) -> Iterator[Phrase]:
    """Each intruder in a sentence, for a terminal and a notebook."""
    for one in _reference_last(evidence.scenarios):
        shares = (one.linked, one.confirmed, one.wrongly_confirmed)
        words = ("linked", "confirmed", "wrongly confirmed")
        said = tuple(
            piece
            for shared, word in zip(shares, words, strict=True)
            if shared is not None
            for piece in (", ", percent(shared.share), f" {word}")
        )
        most = one.most_learned
        learned = (
            ()
            if most is None
            else phrase(", {} learned ({})", percent(most.learned), name(most.column))
        )
        yield phrase("{}: {}{}.", scenario_name(one.name), said[1:] or "not measured", learned)


def scenarios(evidence: Evidence, *, external: bool = False) -> Section | None:
    """Each intruder in full: the attacks, the ceiling, and what the links tell."""
    if not evidence.scenarios:
        return None
    return Section(
        key="scenarios",
        title="The intruders in detail",
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
        yield phrase("This intruder can make no attack on the release.")
        return
    ceiling = (
        phrase("")
        if result.ceiling is None
        else phrase(
            ", and the [ceiling](ceiling) of any attack on these attributes is {}",
            counted(result.ceiling),
        )
    )
    by = () if external else phrase(", {},", attack(result.attack or ""))
    yield phrase(
        "The strongest attack{} links {} of {} in the release; a [guess](guess) links {}{}.",
        by,
        counted(result.linked.count),
        several(result.linked.of, "person"),
        counted(result.guess or 0.0),
        ceiling,
    )
    if result.claimed_by is not None and result.wrongly_confirmed is not None:
        yield phrase(
            "Claims are counted for the attack with the most correct claims{}.{}",
            () if external else phrase(" ({})", attack(result.claimed_by)),
            ""
            if result.member
            else " A claim about a person outside the release is wrong. To estimate these claims, "
            "the attack is repeated for each person with that person's own row removed.",
        )
    if result.learned_by not in (None, result.attack) and not external:
        other = attack(result.learned_by or "")
        yield phrase("What is learned comes from the links of another attack, {}.", other)
    if result.taken_in:
        who_else = tuple(piece for one in result.taken_in for piece in (", ", scenario_name(one)))
        yield phrase(
            "Where another intruder ({}) achieves more with less knowledge, that figure counts "
            "here: the stress test could make the same attack.",
            who_else[1:],
        )
    if result.not_counted and not external:
        yield phrase("Learned leaves out {}: generalised or empty.", names(result.not_counted))
    if result.draws > 1:
        yield phrase("The figures combine {} disjoint random samples.", counted(result.draws))
    if result.left_out and not external:
        left_out = tuple(piece for one in result.left_out for piece in ("; ", name(one)))[1:]
        yield phrase("Attacks left out: {}.", left_out)


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
        labels("column", "attribute", lambda one: one.column),
        shares("linked", "correct from the linked row", lambda one: one.linked),
        shares("control", "correct with the own row removed", lambda one: one.control),
        shares("learned", "[learned](scenario-learned)", lambda one: one.learned),
        shares("low", "[at least](interval)", lambda one: _end(one, "low")),
        shares("high", "at most", lambda one: _end(one, "high")),
    )
    return Exhibit(
        name=f"scenario-learned-{place}",
        title="Unknown attributes: share learned from the link",
        table=table.without("column") if external else table,
    )


def _end(inference: Inference, end: str) -> float | None:
    found: float | None = None if inference.gain is None else getattr(inference.gain, end)
    return found
