"""Halves: whether somebody who shares no attribute with the release could find people in it."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Table, figures, text
from unveil.support.phrases import (
    Phrase,
    chance,
    counted,
    decimal,
    expected,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import Halves


def halves(found: Halves, evidence: Evidence, *, external: bool) -> Iterator[Exhibit]:
    """How many are linked by halves of the attributes; which ones found each other."""
    yield _linked(found, evidence, external=external)
    if found.correspondence and not external:
        yield _correspondence(found)


def _linked(found: Halves, evidence: Evidence, *, external: bool) -> Exhibit:
    risk, said = found.risk, found.forecast
    columns = (
        figures("linked", "[linked](linked)"),
        figures("n", "of"),
        figures("share", "share"),
        figures("guess", "[a guess](guess)"),
        figures("chance", "[by chance](p-value), at most"),
        figures("claimed", "[claimed](claims)"),
        figures("right", "rightly"),
        figures("sure", "how sure the attack is"),
    )
    row = (
        expected(risk.expected),
        counted(risk.n),
        percent(risk.share),
        counted(risk.baseline),
        chance(risk.p_value),
        None if said is None else counted(said.claimed),
        None if said is None or said.right is None else expected(said.right),
        None if found.sure is None else percent(found.sure),
    )
    return Exhibit(
        name="halves",
        title="People linked by two halves of the attributes that have none in common",
        lead=(_test(found, external=external),),
        table=Table(columns, (row,)).filled(),
        notes=() if external else tuple(_left(found, evidence)),
    )


def _test(found: Halves, *, external: bool) -> Phrase:
    sides = [
        phrase("{}", counted(len(half)))
        if external
        else phrase("{} ({})", counted(len(half)), names(half))
        for half in (found.known, found.released)
    ]
    return phrase(
        "A file that shares no attribute with the release may tell who is who all the same. As a "
        "test, the attributes were put into two [halves](halves), and somebody who knows {} of "
        "somebody's true values looked for the released row of the other {}: {} of {} are linked, "
        "by a [guess](guess) {}.",
        *sides,
        expected(found.risk.expected),
        several(found.risk.n, "person"),
        counted(found.risk.baseline),
    )


def _left(found: Halves, evidence: Evidence) -> Iterator[Phrase]:
    """What the test left out, and how it was made."""
    if found.dropped:
        yield phrase("On neither side: {}.", names(found.dropped))
    if found.together:
        pairs = names(" and ".join(pair) for pair in found.together)
        yield phrase("Strongly correlated, and could not be put apart: {}.", pairs)
    rows = found.risk.candidates
    if rows < evidence.released:
        yield phrase(
            "Among {} of the {} rows; among fewer rows more are linked.",
            counted(rows),
            counted(evidence.released),
        )
    yield phrase("The attack chose its way by itself: {}.", name(found.method))


def _correspondence(found: Halves) -> Exhibit:
    columns = (
        text("known", "attribute known"),
        text("released", "attribute released"),
        figures("correlation", "correlation that the attack found"),
    )
    rows = tuple(
        (name(one.known), name(one.released), decimal(one.correlation))
        for one in found.correspondence
    )
    return Exhibit(
        name="correspondence",
        title="Attributes of the two halves that found each other",
        lead=(
            phrase(
                "What gives people away is that attributes go together, however they are called: "
                "those that the attack found to, without the truth."
            ),
        ),
        table=Table(columns, rows),
    )
