"""What an audit found, in words: the verdict first, then what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil.cli.console import print_table, say
from unveil.errors import count, listing

if TYPE_CHECKING:
    from unveil.data.audit import Audit, Evidence, Finding
    from unveil.data.loss import Loss
    from unveil.workflows.replaying import Replay

GROUPS = 5  # subgroups that are shown
ARROWS = {"original-to-release": "o>r", "release-to-original": "r>o"}


def print_audit(audit: Audit) -> None:
    """Print what an audit found, for people."""
    evidence = audit.evidence
    say(str(audit))
    say()
    _print_verdict(evidence)
    for note in evidence.notes:
        say(f"Note: {note}.")
    if evidence.attacks:
        _print_attacks(evidence)
        _print_knowledge(evidence)
        _print_who(evidence)
    _print_disclosure(evidence)
    _print_loss(evidence.loss)
    if evidence.score is not None:
        say(
            f"The classical score, (loss + disclosure risk) / 2, is {evidence.score:.1f} of 100: "
            "no verdict, since in it loss pays for risk."
        )
        say()


def _print_verdict(evidence: Evidence) -> None:
    if evidence.verdict is None:
        say("No policy was given, so that nothing is passed or failed.")
        say()
        return
    passed = evidence.verdict.passed
    say(f"The policy is {'kept' if passed else 'NOT kept'}.")
    print_table(
        ["limit", "allowed", "", "why"],
        [
            [one.limit, _word(one.allowed), "kept" if one.kept else "BROKEN", one.reason]
            for one in evidence.verdict.limits
        ],
    )
    say()


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return listing(value) or "none"
    return f"{value:g}"


def _print_attacks(evidence: Evidence) -> None:
    head = [
        "attack",
        "",
        "linked",
        "of",
        "share",
        "at most",
        "a guess",
        "ceiling",
        "claimed",
        "right",
    ]
    print_table(head, [_attack_row(one) for one in evidence.attacks], numbers=head[2:])
    say(
        "o>r: each original looks for its row; r>o: each row for its original. Linked: expected, "
        "ties by their share. At most: of all, where a sample was attacked (95 %). Ceiling: no "
        "attack on these attributes links more. Claimed: with a clear margin, or held to be right "
        "with more than 90 %, of those looked at; and how many of these are right."
    )
    for one in evidence.left_out:
        say(f"Not made: {one.name} ({ARROWS[one.direction]}): {one.reason}.")
    say()
    _print_worst(evidence.attacks[0])


def _print_worst(one: Finding) -> None:
    """What people look for of the worst attack: whom it threatens, and who could be sure."""
    risk, above = one.risk, one.at_risk
    chance = f"{risk.p_value:.2g}" if risk.p_value else "below 1e-300"
    say(
        f"By {one.name} ({ARROWS[risk.direction]}): records with a risk above "
        f"{above['threshold']:.0%}: {above['above']:.1%}; highest risk {above['highest']:.0%}, "
        f"mean {above['mean']:.1%}; so many hits or more by chance: probability {chance}."
    )
    if one.forecast is not None:
        say(f"Without the truth the intruder expects {one.forecast.share:.1%} to be right.")
    elif risk.control is not None:
        say(
            f"With the true ones not there, {risk.control.claimed:,} of {risk.control.n:,} would "
            "be claimed, all of them wrong."
        )
    say()


def _attack_row(one: Finding) -> list[str]:
    risk, claims = one.risk, one.claims
    return [
        one.name,
        ARROWS[risk.direction],
        f"{risk.expected:,.1f}",
        f"{risk.n:,}",
        f"{risk.share:.1%}",
        "" if risk.interval is None else f"{risk.interval.high:.1%}",
        f"{risk.baseline:,.3g}",
        f"{risk.ceiling:,.0f}" if risk.attributes else "",
        "" if claims is None else f"{claims.claimed:,}",
        "" if claims is None else f"{claims.right:,.0f}",
    ]


def _print_knowledge(evidence: Evidence) -> None:
    found = evidence.knowledge
    if found is not None:
        say(f"The worst attributes to be known, by {found.attack} ({ARROWS[found.direction]}):")
        rows = [
            [str(len(one.attributes)), one.attributes[-1], f"{one.share:.1%}", f"{one.highest:.1%}"]
            for one in found.steps
        ]
        head = ["known", "added", "linked", "so far"]
        print_table(head, rows, numbers=["known", "linked", "so far"])
        say(
            f"Chosen on {found.chosen_on:,} records, estimated on {found.estimated_on:,} others. "
            f"The worst of these sets, attacked in full: {found.worst}."
        )
        say()
    noisy = evidence.noisy_knowledge
    if noisy is not None:
        points = ", ".join(f"{one.error:g}: {one.share:.1%}" for one in noisy.points)
        say(
            f"If the intruder's values are wrong (by so many deviations, or categories with that "
            f"probability), {noisy.attack} links, of {noisy.n:,}: {points}."
        )
    again = evidence.remasking
    if again is not None:
        say(
            f"Masked again with {count(len(again.shares), 'other seed')}, {again.attack} links "
            f"{again.lowest:.1%} to {again.highest:.1%}, {again.mean:.1%} on average."
        )
    if noisy is not None or again is not None:
        say()


def _print_who(evidence: Evidence) -> None:
    groups = () if evidence.subgroups is None else evidence.subgroups.groups
    if groups:
        say("Subgroups, the highest risk first:")
        shown = groups[:GROUPS]
        print_table(
            ["attribute", "group", "attacked", "linked", "by"],
            [[g.column, g.group, f"{g.n:,}", f"{g.share:.1%}", g.attack] for g in shown],
            numbers=["attacked", "linked"],
        )
        if len(groups) > GROUPS:
            say(f"And {count(len(groups) - GROUPS, 'other group')}.")
    homes = evidence.households
    if homes is not None and homes.share is not None:
        say(f"Households of which at least one member is found: {homes.share:.1%} of {homes.n:,}.")
    say()


def _print_disclosure(evidence: Evidence) -> None:
    found = evidence.intervals
    if found is not None:
        inside = found.average.by_rank[0]
        say(
            f"Originals within {inside.width:g} % of the ranks around their released value: "
            f"{inside.share:.1%} on average, in all attributes at once "
            f"{found.together.by_rank[0].share:.1%} (by chance {inside.chance:.1%} and "
            f"{found.together.by_rank[0].chance:.1%})."
        )
    _print_uniqueness(evidence)
    for one in evidence.inference:
        say(
            f"{one.column}: a link tells it for {one.linked:.1%}; with the person's own row not "
            f"there {one.control:.1%}, guessed {one.guess:.1%}{_inferred(one)}."
        )
    same = evidence.unchanged
    if same.unchanged:
        say(
            f"Released unchanged: {listing(same.unchanged)}; together they single out "
            f"{count(same.singled_out, 'record')}, the quasi-identifiers among them "
            f"{same.singled_out_quasi:,}."
        )
    say()


def _inferred(one: Any) -> str:
    return "" if one.inferred is None else f", inferred from the others' rows {one.inferred:.1%}"


def _print_uniqueness(evidence: Evidence) -> None:
    found = evidence.uniqueness
    if found is not None:
        after = found.release
        say(
            f"Alone in the quasi-identifiers: {found.original.uniques:,} of {found.original.n:,} "
            f"originals, {after.uniques:,} of {after.n:,} released; in classes of fewer than 3: "
            f"{after.below_3:,}, than 5: {after.below_5:,}."
            + ("" if found.meaningful else f" Not meaningful: {found.reason}.")
        )
        others = found.unperturbed
        if not found.meaningful and others is not None:
            say(
                f"On {listing(others.columns)}: {others.uniques:,} are alone, {others.below_3:,} "
                f"in classes of fewer than 3, {others.below_5:,} than 5."
            )
    people = evidence.population
    if people is not None:
        say(
            f"By the weights, {people.expected:,.1f} of {people.n:,} would be re-identified in the "
            f"population; of {people.uniques:,} alone here, {people.population_uniques:,.1f} are "
            "expected to be alone there."
        )


def _print_loss(loss: Loss) -> None:
    say(f"Loss, {loss.overall.reading}.")
    print_table(
        ["loss", "value", "best", "worst"],
        [
            [
                one.name,
                "none" if one.value is None else f"{one.value:.3g}",
                f"{one.best:g}",
                "no end" if one.worst is None else f"{one.worst:g}",
            ]
            for one in loss.measures
        ],
        numbers=["value", "best", "worst"],
    )
    worst = loss.suppression.most_discarded
    if worst is not None and worst.discarded:
        say(
            f"Discarded records: {loss.suppression.discarded:.1%}; most of {worst.column}, "
            f"{worst.name}: {worst.discarded:.1%} of {worst.n:,}."
        )
    most = loss.suppression.most_suppressed
    if most is not None and most.suppressed:
        say(
            f"Suppressed cells: {loss.suppression.suppressed:.1%}; most of {most.column}, "
            f"{most.name}: {most.suppressed:.1%}."
        )
    say()


def print_replay(found: Replay) -> None:
    """Print whether an audit that was run again found the same."""
    for note in found.notes:
        say(f"Note: {note}.")
    if found.same:
        say(f"The same: all {found.numbers:,} numbers are what they were.")
        return
    differ = count(len(found.differences), "difference")
    say(f"NOT the same: {differ}; {count(found.numbers, 'number')} compared.")
    print_table(
        ["where", "before", "now"],
        [[one.where, f"{one.before}", f"{one.now}"] for one in found.differences[:20]],
    )
