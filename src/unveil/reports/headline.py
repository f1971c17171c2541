"""Results in a sentence: cautions, the verdict on a release, the risk by an attack, a replay.

The first screen is in `unveil.reports.answers`, the table of intruders below it in
`unveil.reports.sections.scenarios`, that of all attacks in `unveil.reports.sections.attacks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.reports.sections.stress_test import stress_sentence
from unveil.support.phrases import Phrase, counted, name, names, percent, phrase, plain, several
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Audit, Evidence
from unveil.values.results.risk import Risk
from unveil.wording import count, fitted

if TYPE_CHECKING:
    from unveil.workflows.auditing.replay import Replay

OLDER = (
    "{} is from an earlier version: its ceilings, risks of records and verdict may be too low. "
    "Audit the files again."
)
LOSS_SCALE = "from 0, nothing is lost, to 1, a use is destroyed"
SYNTHETIC = "All rows of this release are synthetic, so nobody can be linked."


def cautions(evidence: Evidence, *, external: bool = False) -> tuple[Phrase, ...]:
    """What stands above the verdict: what was not attacked, and what nobody decided."""
    said = list[Phrase]()
    if evidence.is_older:
        said.append(phrase(OLDER, "This evidence"))
    if evidence.identifiers and external:
        words = "The release contains [identifiers](limit-identifiers-released): {}."
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
        words = "The release contains [household numbers](household-number){}. "
        said.append(
            phrase(
                words + "Through them the attack links {} of {} whole "
                "[households](linked-households).",
                by,
                counted(used[0].risk.expected),
                counted(used[0].risk.n),
            )
            if used
            else phrase(
                words + "No attack of this audit used them. An intruder may link whole households, "
                "so the risk may be much higher than reported; no ceiling is given.",
                by,
            )
        )
    undecided = evidence.unchanged.without_role
    if undecided is not None and external:
        said.append(
            phrase(
                "Released columns [without a role](limit-columns-without-a-role): {}. No attack "
                "uses them.",
                counted(len(undecided.every)),
            )
        )
    elif undecided is not None:
        said.append(phrase("{}.", name(undecided.sentence)))
    return tuple(said)


def headline(evidence: Evidence, *, external: bool = False) -> Phrase:
    """The result of an audit in a sentence: the verdict, or the best attack of older evidence."""
    if not evidence.attacks:
        if evidence.verdict is None:
            return (SYNTHETIC,)
        return (SYNTHETIC, " ", *recommendation(evidence, external=external))
    if not evidence.scenarios:
        return stress_sentence(evidence, external=external)
    return recommendation(evidence, external=external)


def recommendation(evidence: Evidence, *, external: bool = False) -> Phrase:
    """Whether the release keeps every limit of the policy; else the largest miss."""
    from unveil.reports.sections.verdict import estimates, misses  # which needs the whole glossary

    verdict = evidence.verdict
    if verdict is None:
        return phrase(
            "No [policy](policy) was given, so the audit gives no verdict: decide whether this "
            "risk is acceptable."
        )
    if verdict.passed:
        limits = phrase("all {}", several(len(verdict.limits), "limit"))
        one = len(verdict.limits) == 1
        return phrase(
            "This release keeps the [policy](policy): {}.",
            phrase("its only limit holds") if one else (*limits, " hold"),
        )
    # The figures of the stress test never stand alone: a miss of an intruder comes first.
    by_intruder = [one for one in verdict.misses if one.scenario not in ("", STRESS_TEST)]
    shown = (by_intruder or verdict.misses)[:1]
    first = misses(shown, external=external, estimates=estimates(evidence))
    lead = "; the largest miss{}: {}" if len(verdict.broken) > 1 else "{}: {}"
    whose = " by an intruder" if by_intruder and len(verdict.broken) > 1 else ""
    return phrase(
        "This release does not keep the [policy](policy): it misses {}{}.",
        phrase("its only limit")
        if len(verdict.limits) == 1
        else phrase(
            "{} of {}", counted(len(verdict.broken)), several(len(verdict.limits), "limit")
        ),
        phrase(lead, whose, first) if first else (),
    )


def risk_sentence(risk: Risk, attack: str) -> str:
    """The risk by an attack of this name in a sentence."""
    attacked = "all of them attacked" if risk.interval is None else "a sample of more"
    ceiling = ""
    if risk.attributes and risk.ceiling is not None:
        ceiling = f", no attack on these attributes more than {risk.ceiling:,.0f}"
    return (
        f"{attack} links {tenths(risk.expected)} of {risk.n:,} ({percent(risk.share)}, "
        f"{attacked}; a guess links {tenths(risk.baseline)}{ceiling})"
    )


def tenths(value: float) -> str:
    """An expected number of links: whole, or to a tenth; two digits where it is below one."""
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if value >= 1 else f"{value:.2g}"


def chance_sentence(risk: Risk) -> str:
    """The probability of this many correct links by chance, with the law that it is from."""
    chance = f"{risk.p_value:.2g}" if risk.p_value else "below 1e-300"
    laws = {
        "matching": " (exact, for random one-to-one matchings: Proposition 4)",
        "binomial": " (by the binomial law)",
        "drawn": " (from 199 random truths, as with ties; never below 1/200)",
        "poisson": " (at most, by the Poisson law)",
    }
    law = laws.get(risk.law_of_chance or "", "")
    return f"Probability of at least this many correct links by chance: {chance}{law}."


def audit_in_words(audit: Audit) -> str:
    """The result of an audit in lines of 80 columns: cautions, headline and each scenario."""
    from unveil.reports.sections.scenarios import row_sentences

    evidence = audit.evidence
    said = (*cautions(evidence), headline(evidence), *row_sentences(evidence))
    return "\n".join(fitted(plain(one).strip().replace("\n", ", ")) for one in said)


def replay_in_words(replay: Replay) -> str:
    """Whether a replay gave the same numbers."""
    if replay.same:
        return f"Identical: all {count(replay.numbers, 'number')} are unchanged."
    differ = count(len(replay.differences), "difference")
    return f"NOT identical: {differ} in {count(replay.numbers, 'number')}."
