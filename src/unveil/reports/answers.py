"""The first screen: what was tested, what was found, what it means, and what to do next."""

from collections.abc import Sequence

from unveil.reports.content import Fact
from unveil.reports.headline import LOSS_SCALE, SYNTHETIC, recommendation
from unveil.reports.sections.advice import best_remedy
from unveil.reports.sections.attacks import reported_attacks
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.sections.stress_test import stress_sentence
from unveil.reports.sections.verdict import ACHIEVEMENTS
from unveil.support.phrases import (
    Phrase,
    counted,
    decimal,
    level,
    lower_end,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import Verdict
from unveil.values.results.scenarios import ScenarioResult

AGAIN = "change the masking and audit the new release"


def answers(evidence: Evidence, *, external: bool = False) -> tuple[Fact, ...]:
    """One sentence on each; an external page names no attribute and no remedy."""
    return (
        Fact(("Tested",), _tested(evidence, external=external)),
        Fact(("Found",), _found(evidence, external=external)),
        Fact(("Meaning",), recommendation(evidence, external=external)),
        Fact(("Next step",), _next_step(evidence, external=external)),
    )


def _tested(evidence: Evidence, *, external: bool) -> Phrase:
    records = several(evidence.released, "record")
    if not evidence.attacks:
        return phrase(
            "The audit compares {} with the original of {} and makes no attack.",
            several(evidence.released, "synthetic record"),
            several(evidence.records, "record"),
        )
    if not evidence.scenarios:
        made = several(len(reported_attacks(evidence, external=external)), "attack")
        return phrase("The audit makes {} on this release of {}.", made, records)
    who = [scenario_name(one.name) for one in evidence.scenarios if one.name != STRESS_TEST]
    return phrase(
        "The audit simulates [intruders](scenario) ({}) and an upper reference "
        "([stress test](scenario-stress-test)) against this release of {}.",
        tuple(piece for one in who for piece in (", ", one))[1:],
        records,
    )


def _found(evidence: Evidence, *, external: bool) -> Phrase:
    """What the strongest intruder achieves, beside the stress test."""
    if not evidence.attacks:
        return (SYNTHETIC,)
    rows = [(one, one.linked) for one in evidence.scenarios if one.linked is not None]
    if not rows:
        return stress_sentence(evidence, external=external)
    intruders = [row for row in rows if row[0].name != STRESS_TEST]
    if not intruders:
        upper = _upper_reference(evidence, None)
        return phrase("No intruder can make an attack on this release{}.", upper)
    best, linked = max(intruders, key=lambda row: row[1].share)
    return phrase(
        "The strongest intruder ({}) finds the released row of {} of the people tested "
        "({} of {}){}{}.",
        scenario_name(best.name),
        percent(linked.share),
        counted(linked.count),
        counted(linked.of),
        _learned(best, [one for one, _ in intruders], external=external),
        _upper_reference(evidence, best),
    )


def _upper_reference(evidence: Evidence, best: ScenarioResult | None) -> Phrase:
    """What the stress test links; where an intruder links more, why that can be."""
    stress = evidence.stress_test
    if stress is None or stress.linked is None:
        return ()
    said = phrase(
        "; the upper reference ([stress test](scenario-stress-test)) finds {}",
        percent(stress.linked.share),
    )
    linked = None if best is None else best.linked
    if best is None or linked is None or linked.share <= stress.linked.share:
        return said
    if {*best.knows} - {*stress.knows}:
        return said + phrase(", as it does not know every attribute that this intruder knows")
    ends = linked.interval
    if ends is not None and ends.low <= stress.linked.highest:
        return said + phrase(
            ": the difference is within the [sampling error](interval) of the intruder's figure "
            "({} to {})",
            lower_end(ends.low),
            percent(ends.high),
        )
    return said + phrase(" and is no upper reference for this intruder")


def _learned(
    best: ScenarioResult, intruders: Sequence[ScenarioResult], *, external: bool
) -> Phrase:
    """The most that an intruder learns, which need not be the one who links most."""
    learned = [(most, one) for one in intruders if (most := one.most_learned) is not None]
    if not learned:
        return ()
    most, learner = max(learned, key=lambda pair: (pair[0].learned, pair[1] is best))
    said = phrase(
        "[learns](scenario-learned) {} for {} of the people",
        "an unknown attribute" if external else name(most.column),
        percent(most.learned),
    )
    if learner is best:
        return phrase(" and so {}", said)
    return phrase("; another intruder ({}) {}", scenario_name(learner.name), said)


def _next_step(evidence: Evidence, *, external: bool) -> Phrase:
    """What the evidence gives as the next step; a remedy only as far as it was measured."""
    verdict = evidence.verdict
    if missing := _missing_declarations(evidence, external=external):
        return missing
    if verdict is None:
        return phrase(
            "Compare the figures below with the limits that apply to this release."
            if external
            else "Set limits in a policy (`--policy`) and audit the release again."
        )
    if verdict.passed:
        lost = evidence.loss.overall.value
        return phrase(
            "The policy allows the release{}. Before it goes out, read what the numbers do not "
            "cover (limits of validity).",
            ()
            if lost is None
            else phrase(f", at an information loss of {{}} ({LOSS_SCALE})", decimal(lost)),
        )
    if all(one.found is None for one in verdict.broken):
        return phrase("Do not release this file yet: audit it so that every limit is measured.")
    remedy = () if external else _remedy(evidence, verdict)
    return remedy or phrase(f"Do not release this file as it is: {AGAIN}.")


def _missing_declarations(evidence: Evidence, *, external: bool) -> Phrase:
    """The remedy for released identifiers and columns without a role, which come first."""
    if evidence.identifiers:
        listed = () if external else phrase(" ({})", names(evidence.identifiers))
        return phrase("Remove the identifiers{} and audit the new release.", listed)
    if evidence.unchanged.without_role is not None and not external:
        return phrase("Declare the roles of all columns in the schema and audit the release again.")
    return ()


def _remedy(evidence: Evidence, verdict: Verdict) -> Phrase:
    """The best remedy, if a limit on the risk is broken and the remedy keeps it."""
    best, remedies = best_remedy(evidence), evidence.remedies
    at_risk = any(one.limit in ACHIEVEMENTS for one in verdict.broken)
    if best is None or remedies is None or not (best.holds and remedies.limit and at_risk):
        return ()
    return phrase(
        "Do not release this file as it is. A tested remedy ({}) lowers the share that attacks on "
        "single persons link in the stress test from {} to {} (limit {}){}; audit the new release "
        "against all limits.",
        name(best.does),
        percent(remedies.share),
        percent(best.share),
        level(remedies.target or 0.0),
        _not_repeated(evidence, remedies.share),
    )


def _not_repeated(evidence: Evidence, repeated: float) -> Phrase:
    """Household attacks, which remedies do not repeat, if one links more than those repeated."""
    linked = max((one.risk.share for one, _ in evidence.household_attacks), default=0.0)
    if linked <= repeated:
        return ()
    return phrase(
        "; household attacks, which link {} without it, were not repeated", percent(linked)
    )
