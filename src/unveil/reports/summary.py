"""The summary of an audit: one value that feeds the terminal, the charts and the page."""

from unveil import __version__
from unveil.errors import UsageError
from unveil.reports.answers import answers
from unveil.reports.content import EXTERNAL, INTERNAL, Section, Summary
from unveil.reports.headline import OLDER, cautions, headline
from unveil.reports.limit_lines import with_limit_lines
from unveil.reports.sections import (
    advice,
    attacks,
    choice,
    claims,
    comparison,
    households,
    knowledge,
    loss,
    people,
    provenance,
    recommendation,
    scenarios,
    supervised_bound,
    tried_plans,
    verdict,
)
from unveil.reports.sections.linkage import pair_classes
from unveil.reports.sections.numbered_releases import numbered_releases
from unveil.reports.sections.validity import how_to_read, validity
from unveil.reports.sections.values import disclosure, population, side_by_side, unchanged
from unveil.support.phrases import counted, names, phrase
from unveil.values.results.choice import Choice, StudyResult
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Evidence


def summary(evidence: Evidence, *, external: bool = False) -> Summary:
    """The page of one release; an external page omits what would help an attacker.

    These are the parameters and seeds, the files, the records, subgroups and attributes at the
    highest risk, the unchanged columns, and the margins that tell right links.

    >>> import unveil
    >>> people = unveil.households(40)
    >>> quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    >>> result = unveil.audit(
    ...     people, people, truth="person", attacks=["distance"], settings=quick
    ... )
    >>> summary(result.evidence)["attacks"].title
    'The stress test: who is linked'
    """
    sections = _external(evidence) if external else _internal(evidence)
    return Summary(
        kind=EXTERNAL if external else INTERNAL,
        title="Disclosure risk of a release",
        subject=verdict.subject(evidence, external=external),
        verdict=headline(evidence, external=external),
        passed=None if evidence.verdict is None else evidence.verdict.passed,
        facts=tuple(verdict.facts(evidence)),
        sections=tuple(
            with_limit_lines(one, evidence.policy) for one in sections if one is not None
        ),
        limits=tuple(validity(evidence, external=external)),
        version=evidence.version,
        external=external,
        cautions=cautions(evidence, external=external),
        answers=answers(evidence, external=external),
        first=scenarios.first_table(evidence, external=external),
    )


def _internal(evidence: Evidence) -> list[Section | None]:
    return [
        how_to_read(evidence),
        verdict.limits(evidence),
        verdict.notes(evidence),
        scenarios.scenarios(evidence),
        attacks.attacks(evidence),
        pair_classes.pair_classes(evidence),
        households.households(evidence),
        supervised_bound.supervised_bound(evidence),
        claims.claims(evidence),
        knowledge.knowledge(evidence),
        attacks.rank_of_truth(evidence),
        people.people(evidence),
        disclosure.intervals(evidence),
        disclosure.inference(evidence),
        population.in_population(evidence),
        loss.changes(evidence),
        unchanged.read_off(evidence),
        loss.loss(evidence),
        side_by_side.side_by_side(evidence),
        unchanged.unchanged(evidence),
        provenance.plan(evidence),
        advice.advice(evidence),
        provenance.provenance(evidence),
    ]


def _external(evidence: Evidence) -> list[Section | None]:
    return [
        how_to_read(evidence),
        verdict.limits(evidence, external=True),
        scenarios.scenarios(evidence, external=True),
        attacks.attacks(evidence, external=True),
        households.households(evidence, external=True),
        supervised_bound.supervised_bound(evidence, external=True),
        claims.claims(evidence, external=True),
        knowledge.knowledge(evidence, external=True),
        attacks.rank_of_truth(evidence),
        disclosure.intervals(evidence, external=True),
        disclosure.inference(evidence, external=True),
        population.in_population(evidence, external=True),
        loss.changes(evidence, external=True),
        loss.loss(evidence, external=True),
        provenance.plan(evidence, external=True),
    ]


def comparison_summary(result: Comparison, *, external: bool = False) -> Summary:
    """The page of several releases of one original; an external page omits their files' names."""
    if external:
        result = numbered_releases(result)
    sections = [
        recommendation.limits_in_detail(result, external=external),
        comparison.releases(result, external=external),
        comparison.order(result),
        comparison.differences(result, external=external),
        comparison.by_attack(result),
        comparison.by_loss(result),
        comparison.notes(result, external=external),
    ]
    older = [one.name for one in result.releases if one.older]
    caution = phrase(OLDER, phrase("The evidence of {}", names(older)))
    return Summary(
        kind=EXTERNAL if external else INTERNAL,
        title="Releases of one original, side by side",
        subject=names(one.name for one in result.releases),
        verdict=comparison.verdict(result),
        points=tuple(comparison.misses(result)),
        passed=None,
        facts=(),  # the first table has the figures
        sections=tuple(with_limit_lines(one, result.policy) for one in sections if one is not None),
        limits=comparison.limits(),
        version=__version__,
        external=external,
        cautions=(caution,) if older else (),
        first=recommendation.first_table(result, external=external),
    )


def choice_summary(
    result: Choice | StudyResult, evidence: Evidence | None = None, *, external: bool = False
) -> Summary:
    """The page of a search: what was chosen, the frontier around it, and what each limit costs.

    The evidence is that of the audit of the chosen release; a choice has it.
    """
    if external:
        raise UsageError(
            "the page of a choice has every plan with its parameters: it is for yourself; for "
            "others, write the page of the audit (unveil report DIR/audit.json --external)"
        )
    study = result.study if isinstance(result, Choice) else result
    if isinstance(result, Choice) and result.audit is not None:
        evidence = result.audit.evidence
    passed = None if evidence is None or evidence.verdict is None else evidence.verdict.passed
    sections = (
        tried_plans.frontier(study),
        choice.chosen(study, evidence),
        choice.costs(study),
        tried_plans.reach(study),
        tried_plans.plans(study),
        choice.notes(study),
    )
    return Summary(
        kind=INTERNAL,
        title="Choice of a plan",
        subject=phrase("a search over plans to mask {} records", counted(study.records)),
        verdict=choice.verdict(study, evidence),
        passed=False if study.chosen is None else passed,
        facts=tuple(choice.facts(study)),
        sections=tuple(one for one in sections if one is not None),
        limits=choice.limits(study),
        version=study.version,
    )
