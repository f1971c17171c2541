"""A release: its masks, its size, and the cells that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unveil.reports.content import Line, TextTable
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.release.plan import Household
    from unveil.workflows.mask import MaskedFile
    from unveil.workflows.patterns import PatternFile

DONE: dict[Household, str] = {
    "drop": "left out, because they identify households; --household renumber or keep releases "
    "them",
    "renumber": "renumbered; they still identify households",
    "keep": "released unchanged; they identify households",
}


def release_lines(masked: MaskedFile) -> Iterator[Line]:
    """Say the steps and the size of a release."""
    release, originals = masked.release, masked.originals
    steps = release.plan.to_dict()["mask"]
    rows = [
        [
            str(number),
            step.pop("method"),
            ", ".join(f"{name} = {_words(value)}" for name, value in step.items() if value != []),
        ]
        for number, step in enumerate(steps, start=1)
    ]
    yield TextTable(["step", "method", "parameters"], rows, numbers=["step"])
    yield ""
    many = count(len(release), "record")
    if len(release) < originals and release.row_map is not None:
        many = f"{len(release):,} of {count(originals, 'record')}"
    size = f"{many}, {count(len(release.data.columns), 'column')}"
    gone = f"; left out: {listing(masked.left_out)}" if masked.left_out else ""
    yield f"The release has {size}{gone}."
    if masked.households:
        yield f"Household numbers ({listing(masked.households)}): {DONE[release.plan.household]}."
    for step, counts in masked.counts.items():
        yield f"{step}: {counts.sentence}."
    yield from _changes_lines(masked)


def pattern_lines(written: PatternFile) -> Iterator[Line]:
    """Say how many patterns there are, and what their counts give away."""
    patterns, sets, smallest = written.patterns, written.sets, written.smallest
    yield (
        f"{count(len(patterns), 'pattern')}, each of {smallest:,} or more records. "
        f"{len(patterns.rest):,} of {count(patterns.n, 'record')} satisfy none."
    )
    several = int((sets.patterns > 1).sum())
    if several:
        yield (
            f"{count(several, 'record')} satisfy several patterns. "
            f"{count(sets.below(smallest), 'record')} satisfy the same patterns as fewer than "
            f"{smallest - 1:,} others: the counts of overlapping patterns can single them out."
        )


def _changes_lines(masked: MaskedFile) -> Iterator[Line]:
    """Say how many cells of each column were changed; columns without any are only named."""
    changed = [one for one in masked.changes if one.changed]
    if changed:
        head = ["column", "cells", "changed", "suppressed", "generalised", "another value"]
        rows = [
            [one.column, *(f"{n:,}" for n in (one.n, one.changed, one.suppressed)),
             f"{one.generalised:,}", f"{one.replaced:,}"]
            for one in changed
        ]  # fmt: skip
        yield ""
        yield TextTable(head, rows, numbers=head[1:])
    same = [one.column for one in masked.changes if not one.changed]
    if same:
        yield f"Unchanged: {listing(same)}."
    for column, n in masked.one_code.items():
        code = masked.release.data.missing_code(column).drop_nulls()[0]
        yield f"Missing cells of {column} are now all written as {code}: {n:,}."


def _words(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return listing(map(_words, value))
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_words(one)}' for name, one in value.items())})"
    return f"{value:g}" if isinstance(value, float) else str(value)
