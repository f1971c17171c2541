"""Halves: linkage between two halves of the attributes, without a common attribute."""

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
    """The people linked by halves of the attributes, and the pairs of attributes found."""
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
        (
            figures("chance", "[probability by chance](p-value), at most"),
            lambda risk: chance(risk.p_value),
        ),
        counts(
            "claimed", "[claimed](claims)", lambda _: None if forecast is None else forecast.claimed
        ),
        expected_counts(
            "right", "correct claims", lambda _: None if forecast is None else forecast.right
        ),
        shares("sure", "confidence of the attack", lambda _: split.sure),
    )
    return Exhibit(
        name="halves",
        title="People linked between two halves of the attributes",
        lead=(_lead(split, external=external),),
        table=table.filled(),
        notes=() if external else tuple(_notes(split, evidence)),
    )


def _lead(split: Halves, *, external: bool) -> Phrase:
    sides = [
        several(len(half), "attribute")
        if external
        else phrase("{} ({})", several(len(half), "attribute"), names(half))
        for half in (split.known, split.released)
    ]
    return phrase(
        "A file without a common attribute may still re-identify people. As a test, the attributes "
        "were split into two [halves](halves). An intruder who knows {} searched the rows by the "
        "other {} and linked {} of {}; a [guess](guess) would link {}.",
        *sides,
        expected(split.risk.expected),
        several(split.risk.n, "person"),
        counted(split.risk.baseline),
    )


def _notes(split: Halves, evidence: Evidence) -> Iterator[Phrase]:
    if split.dropped:
        yield phrase("Left out of both halves: {}.", names(split.dropped))
    if split.together:
        pairs = names(" and ".join(pair) for pair in split.together)
        yield phrase("Strongly correlated, so kept in one half: {}.", pairs)
    rows = split.risk.candidates
    if rows < evidence.released:
        yield phrase(
            "Measured on {} of the {} rows. Fewer rows give a higher share.",
            counted(rows),
            counted(evidence.released),
        )
    if split.sure is None or split.sure < PROVEN:
        yield phrase(
            "Not proven: without the truth, the attack cannot distinguish this result from that of "
            "files without common people. By the truth, {} of {} links are correct.",
            expected(split.risk.expected),
            counted(split.risk.n),
        )
    yield phrase("The attack chose its method automatically: {}.", name(split.method))


def _correspondence(split: Halves) -> Exhibit:
    table = tabulate(
        split.correspondence,
        labels("known", "known attribute", lambda one: one.known),
        labels("released", "released attribute", lambda one: one.released),
        decimals("correlation", "correlation found by the attack", lambda one: one.correlation),
    )
    return Exhibit(
        name="correspondence",
        title="Pairs of attributes that the attack matched",
        lead=(
            phrase(
                "Correlated attributes reveal people even under other names. The attack found "
                "these pairs without the truth."
            ),
        ),
        table=table,
    )
