"""The stress test in a sentence: what the best attack of the audit links, and against what."""

from unveil.support.phrases import Phrase, counted, percent, phrase, several
from unveil.values.results.evidence import Evidence


def stress_sentence(evidence: Evidence, *, external: bool = False) -> Phrase:
    """What the best attack of the audit links, with the households and the sampling fraction.

    For outsiders (`external`) it does not say that the row order identifies people.
    """
    worst = _worst_attack(evidence, external=external)
    return (*worst, *_worst_households(evidence), *_sampling(evidence))


def _worst_attack(evidence: Evidence, *, external: bool) -> Phrase:
    """How many people the best attack links, compared with a guess and with the ceiling."""
    worst = evidence.attacks[0]
    risk = worst.risk
    position = "what is not told here" if external else "where they stood in the file"
    knows, these = phrase("an intruder knows {}", position), "these"
    if worst.by_file:
        knows, these = phrase("is in the intruder's own file, too"), "what the two files say"
    elif risk.attributes:
        n_known = counted(len(risk.attributes))
        knows = phrase("an intruder knows {} of their true values exactly", n_known)
        if worst.households is not None and worst.households.together:
            knows = phrase(
                "an intruder knows {} true values of each member of their household exactly",
                n_known,
            )
    people, interval = several(risk.n, "person"), phrase("")
    if risk.interval is not None:
        low, high = percent(risk.interval.low), percent(risk.interval.high)
        people = phrase("{}, drawn from {}", people, counted(risk.population))
        interval = phrase("; of all {} to {}", low, high)
    ceiling: Phrase = ()
    if risk.attributes and evidence.ceiling is not None:
        most = counted(evidence.ceiling)
        ceiling = phrase("; [no attack](ceiling) on {} can link more than {}", these, most)
    return phrase(
        "If someone is known to be in this file and {}, the best attack we tried "
        "[links](linked) {} of {} ({}{}). A [guess](guess) links {}{}.",
        knows,
        counted(risk.expected),
        people,
        percent(risk.share),
        interval,
        counted(risk.baseline),
        ceiling,
    )


def _worst_households(evidence: Evidence) -> Phrase:
    """How many households the best attack on these links."""
    if not evidence.household_attacks:
        return ()
    homes = evidence.household_attacks[0][1].risk
    return phrase(
        " Of the [households](linked-households) it links {} of {} ({}), by a guess {}."
        if evidence.household_attacks[0][0] is evidence.attacks[0]
        else " Of the [households](linked-households) the best attack on these links {} of {} "
        "({}), by a guess {}.",
        counted(homes.expected),
        counted(homes.n),
        percent(homes.share),
        counted(homes.baseline),
    )


def _sampling(evidence: Evidence) -> Phrase:
    """What the risk means for a person not known to be in the sample."""
    if evidence.sampling_fraction is None:
        return ()
    return phrase(
        " The file is a [sample](sampling-fraction) of {} of its population: whoever is not "
        "known to be in it is there with that chance only.",
        percent(evidence.sampling_fraction),
    )
