"""The summary of an audit: one value that feeds the terminal, the charts and the page."""

from unveil import __version__
from unveil.reports.content import EXTERNAL, INTERNAL, Section, Summary
from unveil.reports.headline import headline
from unveil.reports.sections import (
    advice,
    attacks,
    comparison,
    knowledge,
    loss,
    people,
    values,
    verdict,
    worst_case,
)
from unveil.reports.sections import provenance as doing
from unveil.reports.sections.validity import validity
from unveil.support.phrases import names
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Evidence


def summary(evidence: Evidence, *, external: bool = False) -> Summary:
    """What is said of one release; to others, without what would help an attacker.

    Left out for others are the parameters and the seeds, the files, whose risk is highest
    (records, subgroups, attributes), what stayed as it was, and how to tell good links.

    >>> import unveil
    >>> people = unveil.households(40)
    >>> quick = dict.fromkeys(("sweep", "remedies", "worst_case"), False)
    >>> quick["attacks"] = ["distance"]
    >>> found = unveil.audit(people, people, truth="person", **quick)
    >>> summary(found.evidence)["attacks"].title
    'Who is linked'
    """
    made = _external(evidence) if external else _internal(evidence)
    return Summary(
        kind=EXTERNAL if external else INTERNAL,
        title="Disclosure risk of a release",
        subject=verdict.subject(evidence, external=external),
        verdict=headline(evidence, external=external),
        passed=None if evidence.verdict is None else evidence.verdict.passed,
        facts=verdict.facts(evidence),
        sections=tuple(section for section in made if section is not None),
        limits=validity(evidence, external=external),
        version=evidence.version,
        external=external,
    )


def _internal(evidence: Evidence) -> list[Section | None]:
    return [
        verdict.limits(evidence),
        verdict.notes(evidence),
        attacks.attacks(evidence),
        worst_case.worst_case(evidence),
        attacks.claims(evidence),
        knowledge.knowledge(evidence),
        attacks.rank_of_truth(evidence),
        people.people(evidence),
        values.intervals(evidence),
        values.inference(evidence),
        loss.loss(evidence),
        loss.side_by_side(evidence),
        values.unchanged(evidence),
        doing.plan(evidence),
        advice.advice(evidence),
        doing.made(evidence),
    ]


def _external(evidence: Evidence) -> list[Section | None]:
    return [
        verdict.limits(evidence, external=True),
        attacks.attacks(evidence, external=True),
        worst_case.worst_case(evidence, external=True),
        attacks.claims(evidence, external=True),
        knowledge.knowledge(evidence, external=True),
        attacks.rank_of_truth(evidence),
        values.intervals(evidence, external=True),
        values.inference(evidence, external=True),
        loss.loss(evidence, external=True),
        doing.plan(evidence, external=True),
    ]


def compared(found: Comparison, *, external: bool = False) -> Summary:
    """What is said of several releases of one original; to others, without their files' names."""
    if external:
        found = comparison.unnamed(found)
    made = [
        comparison.releases(found, external=external),
        comparison.order(found),
        comparison.differences(found, external=external),
        comparison.by_attack(found),
        None if external else comparison.by_loss(found),  # it tells how large the noise is
        comparison.notes(found, external=external),
    ]
    return Summary(
        kind=EXTERNAL if external else INTERNAL,
        title="Releases of one original, side by side",
        subject=names(one.name for one in found.releases),
        verdict=comparison.verdict(found),
        passed=None,
        facts=comparison.facts(found),
        sections=tuple(section for section in made if section is not None),
        limits=comparison.limits(),
        version=__version__,
        external=external,
    )
