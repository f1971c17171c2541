"""Decisions on pairs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.cli.console import print_table, say
from unveil.wording import count

if TYPE_CHECKING:
    from unveil.values.results.pair_classes import PairClasses


def print_classes(classes: PairClasses) -> None:
    """Print the pairs of each class, and both error rates."""
    about = "about " if classes.sampled else ""
    say()
    say(f"Decisions on {about}{sum(one.pairs for one in classes.classes):,} pairs:")
    link, nonlink = classes.link_threshold, classes.nonlink_threshold
    top = "none" if link is None else f"{link:.3g} or more"
    bottom = "none" if nonlink is None else f"{nonlink:.3g} or less"
    weights = {"linked": top, "clerical": "between", "non-linked": bottom}
    head = ["class", "weight (bits)", "pairs", "expected matches", "true matches"]
    rows = [
        [
            one.name,
            weights[one.name],
            f"{one.pairs:,}",
            f"{one.expected:,.1f}",
            "-" if one.right is None else f"{one.right:,}",
        ]
        for one in classes.classes
    ]
    print_table(head, rows, numbers=head[2:])
    say()
    between = f"{classes.confidence:.0%} interval"
    head = ["error rate", "allowed", "estimated", between, "by the truth"]
    rows = [
        [
            one.name,
            f"{one.allowed:.3g}",
            f"{one.estimate:.3g}",
            "-" if one.low is None else f"{one.low:.3g} to {one.high:.3g}",
            "-" if one.found is None else f"{one.found:.3g}",
        ]
        for one in classes.errors
    ]
    print_table(head, rows, numbers=head[1:])
    say("P(LP|U): other pairs that are linked. P(NP|M): matches that are not linked.")
    _print_cautions(classes)


def _print_cautions(classes: PairClasses) -> None:
    say(
        "The intervals hold only if the model fits; on real categories most missed the truth "
        "(docs/attacks.md)."
        if classes.converged
        else "The model has not converged: the error rates have no interval, and are not to be "
        "relied on; allow more iterations, or a larger tolerance."
    )
    if classes.too_many:
        say(
            f"The model expects {classes.expected:,.0f} matches, and at most "
            f"{classes.possible:,} are possible: do not rely on these error rates."
        )
    if classes.separated:
        say(f"Blocks separate {classes.separated:,} true matches, which are not counted.")
    if classes.answered:
        say(
            f"Answers of a review decide {count(classes.answered, 'pair')}: "
            f"{classes.answered_yes:,} are matches, and the model expects "
            f"{classes.answered_expected:,.1f}."
        )


def print_steps(classes: PairClasses) -> None:
    """Print the parts of one match weight."""
    say()
    total, rows = 0.0, []
    for step in classes.example:
        total += step.weight
        rows.append([step.part, step.level, f"{step.weight:+.2f}", f"{total:.2f}"])
    print_table(["part", "level", "bits", "sum"], rows, numbers=["bits", "sum"])
    say(f"The pair is a match with probability {1 / (1 + 2**-total):.3g}.")
