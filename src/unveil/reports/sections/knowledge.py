"""Knowledge: how much an intruder must know, and how well."""

from unveil.reports.content import Cell, Column, Exhibit, Section, Table, direction, figures, text
from unveil.reports.sections.attacks import attack
from unveil.reports.sections.half_split import halves
from unveil.support.phrases import Phrase, counted, decimal, name, percent, phrase, several
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import AttributeRisks, Knowledge, NoisyKnowledge
from unveil.values.results.remedies import Remasking
from unveil.values.results.risk import Interval

BETWEEN = (figures("low", "[at least](interval)"), figures("high", "at most"))


def between(interval: Interval | None) -> tuple[Cell, Cell]:
    """The two ends of an interval."""
    if interval is None:
        return None, None
    return percent(interval.low), percent(interval.high)


def among(rows: int, evidence: Evidence) -> Phrase:
    """Among how many rows, where these are not all: among fewer, more are linked."""
    if rows >= evidence.released:
        return ()
    return phrase(" (among {} of the {} rows)", counted(rows), counted(evidence.released))


def knowledge(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The risk against what is known, and against how wrong it is."""
    swept, noisy, parts = (
        evidence.knowledge,
        evidence.noisy_knowledge,
        evidence.attribute_risks,
    )
    exhibits = list[Exhibit]()
    if swept is not None and swept.steps:
        exhibits.append(_known(swept, external=external))
    if parts is not None and parts.without and not external:
        exhibits.append(_each(parts, evidence))
    if noisy is not None and noisy.points:
        exhibits.append(_noise(noisy))
    if evidence.halves is not None:
        exhibits += halves(evidence.halves, evidence, external=external)
    if not exhibits:
        return None
    return Section(key="knowledge", title="What an intruder must know", exhibits=tuple(exhibits))


def _swept(found: Knowledge, *, external: bool) -> Phrase:
    first, last = found.steps[0], found.steps[-1]
    one = phrase("one attribute, {},", name(first.attributes[0]))
    more = phrase(", all {} link {}", counted(len(last.attributes)), percent(last.share))
    return phrase(
        "The worst [attributes to be known](knowledge), added one by one: by {} ({}) {} links {} "
        "of the people{}. They were chosen on {}, and their risk estimated on {}.",
        attack(found.attack),
        direction(found.direction),
        "one attribute" if external else one,
        percent(first.share),
        more if last is not first else (),
        several(found.chosen_on, "person"),
        counted(found.estimated_on),
    )


def _known(found: Knowledge, *, external: bool) -> Exhibit:
    columns: tuple[Column, ...] = (
        figures("known", "known"),
        text("added", "added"),
        figures("share", "[linked](linked)"),
        *BETWEEN,
        figures("highest", "highest so far"),
    )
    rows = tuple(
        (
            counted(len(step.attributes)),
            name(step.attributes[-1]),
            percent(step.share),
            *between(step.interval),
            percent(step.highest),
        )
        for step in found.steps
    )
    table = Table(columns, rows)
    return Exhibit(
        name="knowledge",
        title="Share linked, by the number of attributes that are known",
        chart="knowledge",
        lead=(_swept(found, external=external),),
        # Which attributes help the most is of use to an intruder only.
        table=table.without("added") if external else table,
        says=phrase(
            "A line of the share linked against the number of known attributes, from {} to {}.",
            percent(found.steps[0].share),
            percent(found.steps[-1].share),
        ),
    )


def _without(found: AttributeRisks, evidence: Evidence) -> Phrase:
    most = found.without[0]
    return phrase(
        "[Without one attribute](attribute-risk): {} links {} with all of them, and {} without {}, "
        "the least of all{}.",
        attack(found.attack),
        percent(found.share),
        percent(most.share),
        name(most.attribute),
        among(found.among, evidence),
    )


def _each(found: AttributeRisks, evidence: Evidence) -> Exhibit:
    columns = (
        text("attribute", "attribute not known"),
        figures("share", "[linked](linked)"),
        *BETWEEN,
        figures("every", "with all known"),
    )
    rows = tuple(
        (name(one.attribute), percent(one.share), *between(one.interval), percent(found.share))
        for one in found.without
    )
    return Exhibit(
        name="attributes",
        title="Share linked when one attribute is not known",
        chart="without",
        lead=(_without(found, evidence),),
        table=Table(columns, rows),
        says=phrase(
            "Bars of the share linked without each attribute, with a line at {}, with all of them.",
            percent(found.share),
        ),
        notes=(
            phrase(
                "Of {} people, among {} rows; among fewer rows more are linked.",
                counted(found.n),
                counted(found.among),
            ),
            phrase("The dashed line is at {}, with all of them known.", percent(found.share)),
        ),
    )


def _erring(found: NoisyKnowledge) -> Phrase:
    first, last = found.points[0], found.points[-1]
    return phrase(
        "If what the intruder knows is [wrong](noisy-knowledge): {} ({}) links {} at an error of "
        "{}, and {} at {}. An error of e adds to each number noise of e of its deviation, "
        "and replaces a category, with probability e, by somebody else's.",
        attack(found.attack),
        direction(found.direction),
        percent(first.share),
        decimal(first.error),
        percent(last.share),
        decimal(last.error),
    )


def _noise(found: NoisyKnowledge) -> Exhibit:
    columns = (figures("error", "error"), figures("share", "[linked](linked)"), *BETWEEN)
    rows = tuple(
        (decimal(one.error), percent(one.share), *between(one.interval)) for one in found.points
    )
    return Exhibit(
        name="noise",
        title="Share linked, by the error in what is known",
        chart="noise",
        lead=(_erring(found),),
        table=Table(columns, rows),
        says=phrase(
            "A line of the share linked against the error, from {} to {}.",
            percent(found.points[0].share),
            percent(found.points[-1].share),
        ),
        notes=(phrase("Of {} people.", counted(found.n)),),
    )


def remasked(found: Remasking, evidence: Evidence) -> Phrase:
    """What other random numbers would have come to."""
    own = [
        one.risk.share
        for one in evidence.attacks
        if (one.name, one.risk.direction) == (found.attack, found.direction)
    ]
    return phrase(
        "[Masked again](remasking) with {}, {} links {} to {}, {} on average{}.",
        several(len(found.shares), "other seed"),
        attack(found.attack),
        percent(found.lowest),
        percent(found.highest),
        percent(found.mean),
        phrase("; of this very release {}", percent(own[0])) if own else (),
    )
