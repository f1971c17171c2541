"""Validity: what the numbers do not say."""

from collections.abc import Iterator

from unveil.support.phrases import Phrase, counted, level, name, names, phrase
from unveil.values.results.evidence import Evidence
from unveil.workflows.auditing.attack_names import uses_row_order


def validity(evidence: Evidence, *, external: bool = False) -> Iterator[Phrase]:
    """What the numbers rest on, and what they do not say."""
    if evidence.attacks:
        yield from _of_attacks(evidence, external=external)
    yield phrase(
        "[Loss](loss) is what these measures see. What an analysis needs that none of them looks "
        "at may be lost without a trace here."
    )
    yield phrase(
        "The numbers are of this very file. Another masking of it, a later release of the same "
        "people, or other files about them are not in them."
    )
    yield phrase(
        "This is a measurement, and no guarantee: whether the risk is bearable is for people to "
        "decide, by their law and their promise to those in the file."
    )


def _of_attacks(evidence: Evidence, *, external: bool) -> Iterator[Phrase]:
    known = phrase("{} [attributes](quasi-identifier)", counted(len(evidence.known)))
    if not external:
        known += phrase(" ({})", names(evidence.known))
    yield phrase(
        "The [intruder](intruder) is taken to know who is in the file, and {} of everybody, "
        "exactly. Who knows less may link less; who knows anything else may link more.",
        known,
    )
    most = ", but on the same attributes no more than the [ceiling](ceiling)"
    yield phrase(
        "The [attacks](attack) are those that were made. Another may link more"
        f"{'' if evidence.grouping else most}."
    )
    if any(one.by_file for one in evidence.attacks):
        yield phrase(
            "The [intruder's](intruder) own file is the one that was given: another file may have "
            "other people, and tell more of them."
        )
    not_made = {one.name for one in evidence.left_out}
    if external:
        not_made = {one for one in not_made if not uses_row_order(one)}
    if not_made:
        yield phrase(
            "Attacks that would fit the data and were not made: {}.", names(sorted(not_made))
        )
    if evidence.plan is None:
        yield phrase("No attack knew how the release was masked: one that does may link more.")
    worst = evidence.attacks[0].risk
    if worst.interval is not None:
        yield phrase(
            "The best attack was made on a sample of {} of {} people: with a confidence of {} the "
            "share of all lies in the [interval](interval).",
            counted(worst.n),
            counted(worst.population),
            level(worst.interval.confidence),
        )
    if evidence.truth is not None and not external:
        yield phrase(
            "Which row is whose was told by {}: if that is wrong, the true risk may be higher.",
            name(evidence.truth),
        )
    if evidence.sampling_fraction is not None:
        yield phrase(
            "Of people who are not known to be in the [sample](sampling-fraction) the risk is "
            "lower, and a link may be to somebody who only looks like them."
        )
