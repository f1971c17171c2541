"""The page's first sentence, that on the stress test, and one for the risk of any attack.

`headline` stands at the top of the page, in the terminal and in a notebook. The table below it is
in `unveil.reports.sections.scenarios`, that of all attacks in `unveil.reports.sections.attacks`.
"""

from unveil.reports.sections.stress_test import stress_sentence
from unveil.support.phrases import Phrase, counted, name, names, phrase, plain, several
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Audit, Evidence
from unveil.values.results.risk import Risk
from unveil.wording import fitted

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
        said.append(
            phrase(
                "The release contains [identifiers](limit-identifiers-released) ({}). Remove them "
                "before you publish it, and give the true links by a row map (`--truth MAP`).",
                names(evidence.identifiers),
            )
        )
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
    """The result of an audit in a sentence, for those who decide: the recommendation.

    What each intruder achieves stands below it, in a table. Evidence without scenarios has the
    sentence on its best attack.
    """
    if not evidence.attacks:
        return phrase(
            "Every row of this release is made up, so that there is nobody to be linked: what "
            "is disclosed by what the rows say is below."
        )
    if not evidence.scenarios:
        return stress_sentence(evidence, external=external)
    return recommendation(evidence, external=external)


def recommendation(evidence: Evidence, *, external: bool = False) -> Phrase:
    """Whether the release keeps every limit of the policy; else which it misses, by how much."""
    from unveil.reports.sections.verdict import misses  # which needs the glossary, of all methods

    verdict = evidence.verdict
    if verdict is None:
        return phrase(
            "No [policy](policy) was given, so that nothing is passed or failed: whether this "
            "risk is bearable is for the reader to decide."
        )
    if verdict.passed:
        return phrase(
            "This release keeps every limit of the [policy](policy): {} of {}.",
            counted(len(verdict.limits)),
            counted(len(verdict.limits)),
        )
    # What the stress test says never stands alone: the largest miss of an intruder comes first.
    by_intruder = [one for one in verdict.misses if one.scenario not in ("", STRESS_TEST)]
    others = [one for one in verdict.misses if one not in by_intruder]
    first = misses([*by_intruder[:1], *others[:1]], external=external)
    return phrase(
        "This release does NOT keep the [policy](policy): it misses {} of {}{}.",
        counted(len(verdict.broken)),
        several(len(verdict.limits), "limit"),
        phrase("; the largest misses, relative to their limits: {}", first) if first else (),
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


def audit_in_words(audit: Audit) -> str:
    """The result of an audit in lines of 80 columns: cautions, headline and each scenario."""
    from unveil.reports.sections.scenarios import row_sentences

    evidence = audit.evidence
    said = (*cautions(evidence), headline(evidence), *row_sentences(evidence))
    return "\n".join(fitted(plain(one).strip().replace("\n", ", ")) for one in said)
