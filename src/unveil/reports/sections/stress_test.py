"""The stress test in a sentence: what the best attack of the audit links, and against what."""

from unveil.support.phrases import Phrase, counted, percent, phrase, several
from unveil.values.results.evidence import Evidence, Finding


def stress_sentence(evidence: Evidence, *, external: bool = False) -> Phrase:
    """What the best attack of the audit links, with the households and the sampling fraction.

    For outsiders (`external`) it does not say that the row order identifies people.
    """
    worst = _worst_attack(evidence, external=external)
    return (
        *worst,
        *_worst_households(evidence),
        *((" ", *sampling(evidence)) if evidence.sampling_fraction else ()),
    )


def _worst_attack(evidence: Evidence, *, external: bool) -> Phrase:
    """How many people the best attack links, whom it assumes, a guess and the ceiling."""
    risk = evidence.attacks[0].risk
    people, interval = several(risk.n, "person"), phrase("")
    if risk.interval is not None:
        low, high = percent(risk.interval.low), percent(risk.interval.high)
        people = phrase("{}, drawn from {}", people, counted(risk.population))
        interval = phrase("; of all {} to {}", low, high)
    ceiling: Phrase = ()
    if risk.attributes and evidence.ceiling is not None:
        ceiling = phrase(
            "; no attack on these attributes can find more than {} ([ceiling](ceiling))",
            counted(evidence.ceiling),
        )
    return phrase(
        "Our strongest attack [links](linked) {} of {} ({}{}). It assumes an intruder who {} and "
        "knows that they are in the release. [Guessing](guess) would find {}{}.",
        counted(risk.expected),
        people,
        percent(risk.share),
        interval,
        _assumed_knowledge(evidence.attacks[0], external=external),
        counted(risk.baseline),
        ceiling,
    )


def _assumed_knowledge(worst: Finding, *, external: bool) -> Phrase:
    """What the intruder of an attack knows; the row order is not told to outsiders."""
    if worst.by_file:
        return phrase("holds the intruder's file that was given")
    if not worst.risk.attributes:
        order = (
            "knows what this page does not tell"
            if external
            else "knows the row number of every person"
        )
        return (order,)
    n_known = several(len(worst.risk.attributes), "attribute")
    if worst.households is not None and worst.households.together:
        return phrase("knows {} of each member of every household exactly", n_known)
    return phrase("knows {} of every person exactly", n_known)


def _worst_households(evidence: Evidence) -> Phrase:
    """How many households the best attack on these links."""
    if not evidence.household_attacks:
        return ()
    finding, homes = evidence.household_attacks[0]
    who = "It" if finding is evidence.attacks[0] else "The strongest attack on households"
    return phrase(
        " {} links {} of {} [households](linked-households) ({}); guessing would find {}.",
        who,
        counted(homes.risk.expected),
        counted(homes.risk.n),
        percent(homes.risk.share),
        counted(homes.risk.baseline),
    )


def sampling(evidence: Evidence) -> Phrase:
    """What the risk means for a person not known to be in the sample."""
    fraction = evidence.sampling_fraction
    if not fraction:
        return ()
    divisor = float(f"{1 / fraction:.2g}")  # exact, it would be a cell where all weights are equal
    return phrase(
        "The file is a [sample](sampling-fraction) of {} of its population: if the intruder does "
        "not know whether a certain person is in the file, divide the risk of this person by about "
        "{}. The risk of a released record is in the section on the population.",
        percent(fraction),
        counted(divisor),
    )
