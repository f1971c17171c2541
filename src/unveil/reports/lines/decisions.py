"""Decisions on pairs: the classes with both error rates, and the parts of one match weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unveil.reports.content import Line, TextTable
from unveil.support.phrases import level
from unveil.wording import count

if TYPE_CHECKING:
    from unveil.values.results.pair_classes import PairClasses


def class_lines(classes: PairClasses) -> Iterator[Line]:
    """The pairs of each class, and both error rates."""
    about = "about " if classes.sampled else ""
    yield ""
    yield f"Decisions on {about}{sum(one.pairs for one in classes.classes):,} pairs:"
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
    yield TextTable(head, rows, numbers=head[2:])
    yield ""
    between = f"{level(classes.confidence)} interval"
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
    yield TextTable(head, rows, numbers=head[1:])
    yield "P(LP|U): other pairs that are linked. P(NP|M): matches that are not linked."
    yield from _cautions(classes)


def _cautions(classes: PairClasses) -> Iterator[Line]:
    yield (
        "The intervals hold only if the model fits; on real categories most missed the truth "
        "(docs/attacks.md)."
        if classes.converged
        else "The model has not converged: the error rates have no interval, and are not to be "
        "relied on; allow more iterations, or a larger tolerance."
    )
    if classes.too_many:
        yield (
            f"The model expects {classes.expected:,.0f} matches, and at most "
            f"{classes.possible:,} are possible: do not rely on these error rates."
        )
    if classes.separated:
        yield f"Blocks separate {classes.separated:,} true matches, which are not counted."
    if classes.answered:
        yield (
            f"Answers of a review decide {count(classes.answered, 'pair')}: "
            f"{classes.answered_yes:,} are matches, and the model expects "
            f"{classes.answered_expected:,.1f}."
        )


def step_lines(classes: PairClasses) -> Iterator[Line]:
    """The parts of one match weight."""
    yield ""
    total, rows = 0.0, []
    for step in classes.example:
        total += step.weight
        rows.append([step.part, step.level, f"{step.weight:+.2f}", f"{total:.2f}"])
    yield TextTable(["part", "level", "bits", "sum"], rows, numbers=["bits", "sum"])
    yield f"The pair is a match with probability {1 / (1 + 2**-total):.3g}."
