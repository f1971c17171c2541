"""Halves: whether somebody who shares no attribute with the release could find people in it."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit
from unveil.reports.tables import (
    counts,
    decimals,
    expected_counts,
    figures,
    labels,
    shares,
    tabulate,
)
from unveil.support.phrases import Phrase, chance, counted, expected, name, names, phrase, several
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import Halves
from unveil.values.results.linking import PROVEN


def halves(split: Halves, evidence: Evidence, *, external: bool) -> Iterator[Exhibit]:
    """How many are linked by halves of the attributes; which ones found each other."""
    yield _linked(split, evidence, external=external)
    if split.correspondence and not external:
        yield _correspondence(split)


def _linked(split: Halves, evidence: Evidence, *, external: bool) -> Exhibit:
    forecast = split.forecast
    table = tabulate(
        [split.risk],
        expected_counts("linked", "[linked](linked)", lambda risk: risk.expected),
        counts("n", "of", lambda risk: risk.n),
        shares("share", "share", lambda risk: risk.share),
        counts("guess", "[a guess](guess)", lambda risk: risk.baseline),
        (figures("chance", "[by chance](p-value), at most"), lambda risk: chance(risk.p_value)),
        counts(
            "claimed", "[claimed](claims)", lambda _: None if forecast is None else forecast.claimed
        ),
        expected_counts("right", "rightly", lambda _: None if forecast is None else forecast.right),
        shares("sure", "how sure the attack is", lambda _: split.sure),
    )
    return Exhibit(
        name="halves",
        title="People linked by two halves of the attributes that have none in common",
        lead=(_lead(split, external=external),),
        table=table.filled(),
        notes=() if external else tuple(_notes(split, evidence)),
    )


def _lead(split: Halves, *, external: bool) -> Phrase:
    sides = [
        phrase("{}", counted(len(half)))
        if external
        else phrase("{} ({})", counted(len(half)), names(half))
        for half in (split.known, split.released)
    ]
    return phrase(
        "A file that shares no attribute with the release may tell who is who all the same. As a "
        "test, the attributes were put into two [halves](halves), and somebody who knows {} of "
        "somebody's true values looked for the released row of the other {}: {} of {} are linked, "
        "by a [guess](guess) {}.",
        *sides,
        expected(split.risk.expected),
        several(split.risk.n, "person"),
        counted(split.risk.baseline),
    )


def _notes(split: Halves, evidence: Evidence) -> Iterator[Phrase]:
    if split.dropped:
        yield phrase("On neither side: {}.", names(split.dropped))
    if split.together:
        pairs = names(" and ".join(pair) for pair in split.together)
        yield phrase("Strongly correlated, and could not be put apart: {}.", pairs)
    rows = split.risk.candidates
    if rows < evidence.released:
        yield phrase(
            "Among {} of the {} rows; among fewer rows more are linked.",
            counted(rows),
            counted(evidence.released),
        )
    if split.sure is None or split.sure < PROVEN:
        yield phrase(
            "Not proven: the attack itself cannot tell these links from those of files that share "
            "nobody. By the truth {} of {} are right.",
            expected(split.risk.expected),
            counted(split.risk.n),
        )
    yield phrase("The attack chose its way by itself: {}.", name(split.method))


def _correspondence(split: Halves) -> Exhibit:
    table = tabulate(
        split.correspondence,
        labels("known", "attribute known", lambda one: one.known),
        labels("released", "attribute released", lambda one: one.released),
        decimals("correlation", "correlation that the attack found", lambda one: one.correlation),
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
        table=table,
    )
