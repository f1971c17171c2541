"""The page's sentence on the worst attack, and the sentence for the risk of any one attack.

`headline` stands at the top of the page, in the terminal and in a notebook; `_worst_attack` writes
it. The paragraph and the table of all attacks are in `unveil.reports.sections.attacks`.
"""

from unveil.support import display
from unveil.support.phrases import Phrase, counted, name, names, percent, phrase, plain, several
from unveil.values.results.evidence import Audit, Evidence, Finding
from unveil.values.results.risk import Risk

OLDER = (
    "{} is of an earlier version: its ceilings, risks of records and verdict may be too low. "
    "Audit the files again."
)


def cautions(evidence: Evidence, *, external: bool = False) -> tuple[Phrase, ...]:
    """What stands above the verdict: what was not attacked, and what nobody decided."""
    said = list[Phrase]()
    if evidence.is_older:
        said.append(phrase(OLDER, "This evidence"))
    if evidence.identifiers and external:
        words = "The release still has [identifiers](limit-identifiers-released): {}."
        said.append(phrase(words, counted(len(evidence.identifiers))))
    elif evidence.identifiers:
        said.append(phrase("{}.", name(evidence.identifiers_sentence)))
    if evidence.grouping:
        by = () if external else phrase(" ({})", names(evidence.grouping))
        used = [homes for _, homes in evidence.household_attacks if homes.grouping == "shown"]
        words = "The release tells who lives together, by its [household numbers](household-number)"
        said.append(
            phrase(
                words + "{}: whole [households](linked-households) are linked by that, {} of {}.",
                by,
                counted(used[0].risk.expected),
                counted(used[0].risk.n),
            )
            if used
            else phrase(
                words + "{}. No attack here has used that: an intruder may link whole households, "
                "so the risk may be much higher than found, and no ceiling is claimed.",
                by,
            )
        )
    undecided = evidence.unchanged.without_role
    if undecided is not None and external:
        said.append(
            phrase(
                "Released columns [without a role](limit-columns-without-a-role): {}. No attack "
                "has used them.",
                counted(len(undecided.every)),
            )
        )
    elif undecided is not None:
        said.append(phrase("{}.", name(undecided.sentence)))
    return tuple(said)


def headline(evidence: Evidence, *, external: bool = False) -> Phrase:
    """The result of an audit in a sentence, for those who decide.

    For outsiders (`external`) it does not say that the row order identifies people.
    """
    if not evidence.attacks:
        return phrase(
            "Every row of this release is made up, so that there is nobody to be linked: what "
            "is disclosed by what the rows say is below."
        )
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


def risk_sentence(risk: Risk, attack: str) -> str:
    """The risk by an attack of this name in a sentence."""
    attacked = "all of them attacked" if risk.interval is None else "a sample of more"
    ceiling = ""
    if risk.attributes and risk.ceiling is not None:
        ceiling = f", no attack on these attributes more than {risk.ceiling:,.0f}"
    return (
        f"{attack} links {risk.expected:,.1f} of {risk.n:,} ({risk.share:.1%}, "
        f"{attacked}; a guess links {risk.baseline:,.3g}{ceiling})"
    )


def _audit_in_words(audit: Audit) -> str:
    return " ".join(plain(said) for said in (*cautions(audit.evidence), headline(audit.evidence)))


display.register(Audit, _audit_in_words)
display.register(Finding, lambda finding: risk_sentence(finding.risk, finding.name))
display.register(Risk, lambda risk: risk_sentence(risk, risk.attack))
