"""Validity: how to read the numbers, and what they do not say."""

from collections.abc import Iterator

from unveil.reports.content import Section
from unveil.reports.sections.stress_test import sampling
from unveil.support.phrases import Phrase, counted, level, name, names, phrase
from unveil.values.results.evidence import Evidence
from unveil.workflows.auditing.attack_names import uses_row_order


def how_to_read(evidence: Evidence) -> Section | None:
    """The box below the first table: what its words, figures and marks mean."""
    if not evidence.scenarios:
        return None
    points = [
        phrase(
            "An [intruder](scenario) tries to find people in the release from what the table says "
            "the intruder knows. The [stress test](scenario-stress-test) is an upper reference: no "
            "realistic intruder knows so much."
        ),
        phrase(
            "[Linked](scenario-linked): the intruder's best attack finds the person's row in the "
            "release. Equally good rows count by their share. The intruder need not know that a "
            "link is right."
        ),
        phrase(
            "[Confirmed](scenario-confirmed): the intruder claims a link, and it is right. "
            "[Wrongly confirmed](scenario-wrong): the claim is wrong and may harm that person. The "
            "intruder cannot tell the two apart; the share of right claims says how far a claim "
            "can be trusted."
        ),
        phrase(
            "[Learned](scenario-learned): an attribute that the intruder does not know is read "
            "correctly from the linked row, minus the same with the person's own row removed. "
            "The attribute with the largest gain counts."
        ),
        phrase(
            "Percentages are shares of the people whose count stands below them. A range of "
            "percentages is the [interval](interval) of a figure from a random sample."
        ),
        phrase(
            "✓ and ✗ mark figures that keep or break a limit of the [policy](policy). The upper "
            "end of a range is compared with the limit. A figure without a mark has no limit."
        ),
        phrase(
            "A [guess](guess) is a link at random. The [ceiling](ceiling) is the most that any "
            "attack on the same attributes can link."
        ),
        *([sampling(evidence)] if evidence.sampling_fraction else []),
        phrase(
            "The [loss](loss) says how much the masking damaged the data for its uses, from "
            "nothing to a destroyed use. A low loss does not offset a high risk."
        ),
        phrase(
            "The glossary of the page explains the terms. What the numbers do not cover is under "
            "Limits of validity."
        ),
    ]
    return Section(key="reading", title="How to read this", points=tuple(points))


def validity(evidence: Evidence, *, external: bool = False) -> Iterator[Phrase]:
    """What the numbers assume, and what they do not cover."""
    if evidence.attacks:
        yield from _of_attacks(evidence, external=external)
    yield phrase(
        "The [loss](loss) covers these measures only. An analysis that none of them represents may "
        "lose more."
    )
    yield phrase(
        "The numbers describe this file. They do not cover another masking of it, later releases, "
        "or other files about the same people."
    )
    yield phrase(
        "This is a measurement and no guarantee. Whether the risk is acceptable is for people to "
        "decide, by their law and their promise to those in the file."
    )


def _of_attacks(evidence: Evidence, *, external: bool) -> Iterator[Phrase]:
    known = phrase("{} [attributes](quasi-identifier)", counted(len(evidence.known)))
    if not external:
        known += phrase(" ({})", names(evidence.known))
    if evidence.scenarios:
        yield phrase(
            "Each [intruder](scenario) has the knowledge that the table states. Less knowledge "
            "links fewer people; other knowledge may link more."
        )
    yield phrase(
        "The [stress test](scenario-stress-test) assumes an intruder who knows who is in the "
        "release and knows {} of everybody exactly.",
        known,
    )
    most = ", but on the same attributes not more than the [ceiling](ceiling)"
    yield phrase(
        "The numbers cover the [attacks](attack) that were made. Another attack may link more"
        f"{'' if evidence.grouping else most}."
    )
    if any(one.by_file for one in evidence.attacks):
        yield phrase(
            "The [intruder's](intruder) own file is the one that was given. Another file may cover "
            "other people and reveal more about them."
        )
    not_made = {one.name for one in evidence.left_out}
    if external:
        not_made = {one for one in not_made if not uses_row_order(one)}
    if not_made:
        yield phrase("Suitable attacks that were left out: {}.", names(sorted(not_made)))
    if evidence.plan is None:
        yield phrase("No attack knew the masking method; one that does may link more.")
    worst = evidence.attacks[0].risk
    if worst.interval is not None:
        yield phrase(
            "The strongest attack of the stress test was made on a sample of {} of {} people: with "
            "a confidence of {} the share of all lies in the [interval](interval).",
            counted(worst.n),
            counted(worst.population),
            level(worst.interval.confidence),
        )
    if evidence.truth is not None and not external:
        yield phrase(
            "The true links come from {}. If they are wrong, the risk may be higher.",
            name(evidence.truth),
        )
    if evidence.sampling_fraction is not None:
        yield phrase(
            "For people not known to be in the [sample](sampling-fraction) the risk is lower: a "
            "link may lead to a different person with the same values."
        )
