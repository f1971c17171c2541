"""Knowledge: how much an intruder must know, and how well."""

from collections.abc import Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.half_split import halves
from unveil.reports.tables import (
    counts,
    decimals,
    high,
    labels,
    low,
    numbers,
    shares,
    tabulate,
    text,
)
from unveil.support.phrases import (
    Phrase,
    counted,
    decimal,
    level,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import (
    AttributeRisks,
    Held,
    Knowledge,
    KnowledgePoint,
    NoisyKnowledge,
)
from unveil.values.results.remedies import Remasking

PEOPLE: dict[Held, str] = {"one": "one at a time", "tenth": "a tenth", "all": "all"}
OF_WHOM: dict[Held, str] = {
    "one": "one person at a time",
    "tenth": "a tenth of the people at once",
    "all": "everybody at once",
}


def among(rows: int, evidence: Evidence) -> Phrase:
    """The number of rows searched, where these are not all: fewer rows give a higher share."""
    if rows >= evidence.released:
        return ()
    return phrase(" (among {} of the {} rows)", counted(rows), counted(evidence.released))


def fewer_rows(rows: int, evidence: Evidence) -> str:
    """A caution where these are not all released rows."""
    return "" if rows >= evidence.released else " Fewer rows give a higher share."


def knowledge(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The risk by the intruder's knowledge: people, attributes and errors.

    Older evidence has one curve of the attributes and one of the errors.
    """
    curve, noisy = evidence.knowledge, evidence.noisy_knowledge
    risks = evidence.attribute_risks
    exhibits = list[Exhibit]()
    if curve is not None and curve.steps:
        if curve.surface:
            exhibits.append(_surface(curve, evidence, external=external))
        else:
            exhibits.append(_known(curve, external=external))
    if risks is not None and risks.without and not external:
        exhibits.append(_attribute_risks(risks, evidence))
    if noisy is not None and noisy.points:
        exhibits.append(_noise(noisy))
    if evidence.halves is not None:
        exhibits += halves(evidence.halves, evidence, external=external)
    if not exhibits:
        return None
    return Section(key="knowledge", title="What an intruder must know", exhibits=tuple(exhibits))


def _surface_lead(curve: Knowledge) -> tuple[Phrase, ...]:
    """Three attributes of one person, and all attributes of most people; exact and outdated."""
    exact = [one for one in curve.surface if not one.error] or curve.surface
    alone = [one for one in exact if one.people == "one"]
    corners = [*dict.fromkeys((min(alone or exact, key=lambda one: abs(one.known - 3)), exact[-1]))]
    linked = phrase(
        "With {} known exactly, an intruder who searches {} [links](knowledge-surface) {} of the "
        "people",
        several(corners[0].known, "attribute"),
        OF_WHOM[corners[0].people],
        percent(corners[0].highest),
    )
    for one in corners[1:]:
        linked += phrase(
            "; with all {} and {}, {}",
            counted(one.known),
            OF_WHOM[one.people],
            percent(one.highest),
        )
    made = phrase("The risk is estimated on {}.", several(curve.estimated_on, "person"))
    if curve.chosen_on:
        made = phrase(
            "The most revealing attributes were chosen on {}; the risk is estimated on {} others.",
            several(curve.chosen_on, "person"),
            counted(curve.estimated_on),
        )
    return (linked + phrase(".") + _stale(curve, corners), made)


def _stale(curve: Knowledge, corners: Sequence[KnowledgePoint]) -> Phrase:
    """The same by the smallest error; nothing where that was not measured."""
    at = {(one.people, one.known, one.error): one for one in curve.surface}
    error = min((one.error for one in curve.surface if one.error), default=0.0)
    found = [at.get((one.people, one.known, error)) for one in corners]
    stale = [percent(one.highest) for one in found if one is not None]
    if not error or not stale or len(stale) < len(corners):
        return ()
    these = phrase("{} and {}", *stale) if len(stale) > 1 else phrase("{}", *stale)
    return phrase(" With {} of the values out of date: {}.", level(error), these)


def _household_note(evidence: Evidence, most: float) -> tuple[Phrase, ...]:
    """That the surface ends below the stress test where an attack on households links more."""
    linked = max((one.risk.share for one, _ in evidence.household_attacks), default=0.0)
    if linked <= most:
        return ()
    return (
        phrase(
            "The curves end below the stress test: attacks on [households](household), which link "
            "up to {} of the people, are not repeated with less knowledge.",
            percent(linked),
        ),
    )


def _surface(curve: Knowledge, evidence: Evidence, *, external: bool) -> Exhibit:
    table = tabulate(
        curve.surface,
        (text("people", "people at once"), lambda one: PEOPLE[one.people]),
        counts("known", "attributes known", lambda one: one.known),
        numbers("error", "[out of date](knowledge-surface)", lambda one: one.error, level),
        (text("attack", "best attack"), lambda one: attack(one.attack)),
        counts("n", "records", lambda one: one.n),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        shares("highest", "highest with at most this knowledge", lambda one: one.highest),
    )
    order = names(curve.steps[-1].attributes, limit=100)
    exact = [one for one in curve.surface if not one.error] or curve.surface
    least, most = (act(exact, key=lambda one: one.highest) for act in (min, max))
    return Exhibit(
        name="knowledge-surface",
        title=phrase(
            "Share linked by knowledge: {} ({}, {}) to {} ({}, {})",
            *(percent(least.highest), several(least.known, "attribute"), OF_WHOM[least.people]),
            *(percent(most.highest), several(most.known, "attribute"), OF_WHOM[most.people]),
        ),
        chart="knowledge_surface",
        lead=_surface_lead(curve),
        table=table,
        says=phrase(
            "Lines: the share linked by the number of known attributes, a line for each share of "
            "values out of date, a panel for the people searched at once."
        ),
        # Which attributes help the most is of use to an intruder only.
        notes=(
            *_household_note(evidence, most.highest),
            *(() if external else (phrase("The most revealing attributes first: {}.", order),)),
        ),
    )


def _knowledge_lead(curve: Knowledge, *, external: bool) -> Phrase:
    first, last = curve.steps[0], curve.steps[-1]
    one = phrase("one attribute, {},", name(first.attributes[0]))
    more = phrase(" and with all {} {}", counted(len(last.attributes)), percent(last.share))
    return phrase(
        "The most revealing [attributes](knowledge) are added one by one. With {} {} ({}) links {} "
        "of the people{}. The attributes were chosen on {}, and the risk estimated on {}.",
        "one attribute" if external else one,
        attack(curve.attack),
        direction(curve.direction),
        percent(first.share),
        more if last is not first else (),
        several(curve.chosen_on, "person"),
        counted(curve.estimated_on),
    )


def _known(curve: Knowledge, *, external: bool) -> Exhibit:
    table = tabulate(
        curve.steps,
        counts("known", "attributes known", lambda step: len(step.attributes)),
        labels("added", "attribute added", lambda step: step.attributes[-1]),
        shares("share", "[linked](linked)", lambda step: step.share),
        low(lambda step: step.interval),
        high(lambda step: step.interval),
        shares("highest", "highest so far", lambda step: step.highest),
    )
    return Exhibit(
        name="knowledge",
        title=phrase(
            "Share linked by attributes known: {} with one, {} with all",
            percent(curve.steps[0].share),
            percent(curve.steps[-1].share),
        ),
        chart="knowledge",
        lead=(_knowledge_lead(curve, external=external),),
        # Which attributes help the most is of use to an intruder only.
        table=table.without("added") if external else table,
        says=phrase("A line: the share linked by the number of known attributes."),
    )


def _attribute_lead(risks: AttributeRisks, evidence: Evidence) -> Phrase:
    most = risks.without[0]
    return phrase(
        "{} reveals [most](attribute-risk): {} links {} with all attributes and {} without it{}.",
        name(most.attribute),
        attack(risks.attack),
        percent(risks.share),
        percent(most.share),
        among(risks.among, evidence),
    )


def _attribute_risks(risks: AttributeRisks, evidence: Evidence) -> Exhibit:
    table = tabulate(
        risks.without,
        labels("attribute", "unknown attribute", lambda one: one.attribute),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        shares("every", "with all known", lambda _: risks.share),
    )
    return Exhibit(
        name="attributes",
        title=phrase(
            "Most revealing attribute: {} (linked without it: {}, with all: {})",
            name(risks.without[0].attribute),
            percent(risks.without[0].share),
            percent(risks.share),
        ),
        chart="without",
        lead=(_attribute_lead(risks, evidence),),
        table=table,
        says=phrase(
            "A bar for each attribute: the share linked without it. A dashed line: the share with "
            "all attributes."
        ),
        notes=(
            phrase(
                "Measured on {} people and {} rows.{}",
                counted(risks.n),
                counted(risks.among),
                fewer_rows(risks.among, evidence),
            ),
            phrase("Grey dashed line: {}, with all attributes known.", percent(risks.share)),
        ),
    )


def _noise_lead(noisy: NoisyKnowledge) -> Phrase:
    first, last = noisy.points[0], noisy.points[-1]
    at_last: Phrase | str = ""
    if len(noisy.points) > 1:
        at_last = phrase(" and {} at {}", percent(last.share), decimal(last.error))
    return phrase(
        "With [errors](noisy-knowledge) in the intruder's knowledge, {} ({}) links {} at an error "
        "of {}{}. An error of e adds noise of e standard deviations to each number and replaces "
        "each category with probability e by another person's.",
        attack(noisy.attack),
        direction(noisy.direction),
        percent(first.share),
        decimal(first.error),
        at_last,
    )


def _noise(noisy: NoisyKnowledge) -> Exhibit:
    table = tabulate(
        noisy.points,
        decimals("error", "error", lambda one: one.error),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
    )
    return Exhibit(
        name="noise",
        title=phrase(
            "Share linked by the error in the intruder's knowledge: {} to {}",
            percent(noisy.points[0].share),
            percent(noisy.points[-1].share),
        ),
        chart="noise",
        lead=(_noise_lead(noisy),),
        table=table,
        says=phrase("A line: the share linked by the error."),
        notes=(phrase("Measured on {} people.", counted(noisy.n)),),
    )


def remasking_sentence(remasking: Remasking, evidence: Evidence) -> Phrase:
    """The risk of the same masking with other seeds."""
    own = [
        one.risk.share
        for one in evidence.attacks
        if (one.name, one.risk.direction) == (remasking.attack, remasking.direction)
    ]
    return phrase(
        "[Masked again](remasking) with {}: {} links {} to {}, {} on average{}.",
        several(len(remasking.shares), "other seed"),
        attack(remasking.attack),
        percent(remasking.lowest),
        percent(remasking.highest),
        percent(remasking.mean),
        phrase("; in this release {}", percent(own[0])) if own else (),
    )
