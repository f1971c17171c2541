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
    "one": "of one person",
    "tenth": "of a tenth of the people at once",
    "all": "of everybody at once",
}


def among(rows: int, evidence: Evidence) -> Phrase:
    """Among how many rows, where these are not all: among fewer, more are linked."""
    if rows >= evidence.released:
        return ()
    return phrase(" (among {} of the {} rows)", counted(rows), counted(evidence.released))


def knowledge(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The risk against what is known: of whom, how much, and how exactly.

    Older evidence has a curve of how much, and one of how exactly.
    """
    curve, noisy = evidence.knowledge, evidence.noisy_knowledge
    risks = evidence.attribute_risks
    exhibits = list[Exhibit]()
    if curve is not None and curve.steps:
        exhibits.append((_surface if curve.surface else _known)(curve, external=external))
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
    """Three attributes of one person, and all of the most people; exact, and out of date."""
    exact = [one for one in curve.surface if not one.error] or curve.surface
    alone = [one for one in exact if one.people == "one"]
    corners = [*dict.fromkeys((min(alone or exact, key=lambda one: abs(one.known - 3)), exact[-1]))]
    linked = phrase(
        "An intruder who knows {} {} exactly [links](knowledge-surface) {} of the people",
        several(corners[0].known, "attribute"),
        OF_WHOM[corners[0].people],
        percent(corners[0].highest),
    )
    for one in corners[1:]:
        of_whom = OF_WHOM[one.people]
        linked += phrase("; all {}, {}, {}", counted(one.known), of_whom, percent(one.highest))
    made = phrase("The risk was estimated on {}.", several(curve.estimated_on, "person"))
    if curve.chosen_on:
        made = phrase(
            "The most revealing attributes were chosen on {}, and the risk estimated on {}.",
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
    return phrase(" If {} of the values are out of date, {}.", level(error), these)


def _surface(curve: Knowledge, *, external: bool) -> Exhibit:
    table = tabulate(
        curve.surface,
        (text("people", "people held"), lambda one: PEOPLE[one.people]),
        counts("known", "attributes known", lambda one: one.known),
        numbers("error", "[out of date](knowledge-surface)", lambda one: one.error, level),
        (text("attack", "best attack"), lambda one: attack(one.attack)),
        counts("n", "records", lambda one: one.n),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        shares("highest", "highest with as much or less", lambda one: one.highest),
    )
    order = names(curve.steps[-1].attributes, limit=100)
    shares_found = [one.share for one in curve.surface]
    return Exhibit(
        name="knowledge-surface",
        title="Share linked, by people held, attributes known and values out of date",
        chart="knowledge_surface",
        lead=_surface_lead(curve),
        table=table,
        says=phrase(
            "Lines of the share linked against the number of known attributes, one for each share "
            "of values out of date, in a panel for each number of people held; from {} to {}.",
            percent(min(shares_found)),
            percent(max(shares_found)),
        ),
        # Which attributes help the most is of use to an intruder only.
        notes=() if external else (phrase("The most revealing attributes first: {}.", order),),
    )


def _knowledge_lead(curve: Knowledge, *, external: bool) -> Phrase:
    first, last = curve.steps[0], curve.steps[-1]
    one = phrase("one attribute, {},", name(first.attributes[0]))
    more = phrase(", all {} link {}", counted(len(last.attributes)), percent(last.share))
    return phrase(
        "The worst [attributes to be known](knowledge), added one by one: by {} ({}) {} links {} "
        "of the people{}. They were chosen on {}, and their risk estimated on {}.",
        attack(curve.attack),
        direction(curve.direction),
        "one attribute" if external else one,
        percent(first.share),
        more if last is not first else (),
        several(curve.chosen_on, "person"),
        counted(curve.estimated_on),
    )


def _known(curve: Knowledge, *, external: bool) -> Exhibit:
    table = tabulate(
        curve.steps,
        counts("known", "known", lambda step: len(step.attributes)),
        labels("added", "added", lambda step: step.attributes[-1]),
        shares("share", "[linked](linked)", lambda step: step.share),
        low(lambda step: step.interval),
        high(lambda step: step.interval),
        shares("highest", "highest so far", lambda step: step.highest),
    )
    return Exhibit(
        name="knowledge",
        title="Share linked, by the number of attributes that are known",
        chart="knowledge",
        lead=(_knowledge_lead(curve, external=external),),
        # Which attributes help the most is of use to an intruder only.
        table=table.without("added") if external else table,
        says=phrase(
            "A line of the share linked against the number of known attributes, from {} to {}.",
            percent(curve.steps[0].share),
            percent(curve.steps[-1].share),
        ),
    )


def _attribute_lead(risks: AttributeRisks, evidence: Evidence) -> Phrase:
    most = risks.without[0]
    return phrase(
        "[Without one attribute](attribute-risk): {} links {} with all of them, and {} without {}, "
        "the least of all{}.",
        attack(risks.attack),
        percent(risks.share),
        percent(most.share),
        name(most.attribute),
        among(risks.among, evidence),
    )


def _attribute_risks(risks: AttributeRisks, evidence: Evidence) -> Exhibit:
    table = tabulate(
        risks.without,
        labels("attribute", "attribute not known", lambda one: one.attribute),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        shares("every", "with all known", lambda _: risks.share),
    )
    return Exhibit(
        name="attributes",
        title="Share linked when one attribute is not known",
        chart="without",
        lead=(_attribute_lead(risks, evidence),),
        table=table,
        says=phrase(
            "Bars of the share linked without each attribute, with a line at {}, with all of them.",
            percent(risks.share),
        ),
        notes=(
            phrase(
                "Of {} people, among {} rows; among fewer rows more are linked.",
                counted(risks.n),
                counted(risks.among),
            ),
            phrase("The dashed line is at {}, with all of them known.", percent(risks.share)),
        ),
    )


def _noise_lead(noisy: NoisyKnowledge) -> Phrase:
    first, last = noisy.points[0], noisy.points[-1]
    at_last: Phrase | str = ""
    if len(noisy.points) > 1:
        at_last = phrase(", and {} at {}", percent(last.share), decimal(last.error))
    return phrase(
        "If what the intruder knows is [wrong](noisy-knowledge): {} ({}) links {} at an error of "
        "{}{}. An error of e adds to each number noise of e of its deviation, "
        "and replaces a category, with probability e, by somebody else's.",
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
        title="Share linked, by the error in what is known",
        chart="noise",
        lead=(_noise_lead(noisy),),
        table=table,
        says=phrase(
            "A line of the share linked against the error, from {} to {}.",
            percent(noisy.points[0].share),
            percent(noisy.points[-1].share),
        ),
        notes=(phrase("Of {} people.", counted(noisy.n)),),
    )


def remasking_sentence(remasking: Remasking, evidence: Evidence) -> Phrase:
    """The sentence on the risk of maskings with other seeds."""
    own = [
        one.risk.share
        for one in evidence.attacks
        if (one.name, one.risk.direction) == (remasking.attack, remasking.direction)
    ]
    return phrase(
        "[Masked again](remasking) with {}, {} links {} to {}, {} on average{}.",
        several(len(remasking.shares), "other seed"),
        attack(remasking.attack),
        percent(remasking.lowest),
        percent(remasking.highest),
        percent(remasking.mean),
        phrase("; of this very release {}", percent(own[0])) if own else (),
    )
