"""Shapes: how each attribute is distributed in the original and in the release."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.identity.subgroups import LEAST
from unveil.measures.information_loss.bins import MOST, Spans, axis
from unveil.table.cells import OneOf, parse_cell
from unveil.table.columns import Stored, stored_as
from unveil.table.encoding.generalised import Bounds, bounds, cell_texts
from unveil.table.encoding.to_arrays import spread
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import Bar, Shape
from unveil.values.single_values import single_numbers
from unveil.wording import count

FEWEST = 20  # records with a value, in either file, for bars to tell of no one
OTHER, GENERALISED = "other", "generalised"
NO_ENDS = f"no round number parts {LEAST} records of either file from {LEAST} others"


def shapes(both: FilePair) -> tuple[Shape, ...]:
    """Each attribute that both files have, before and after, in the same ranges or categories.

    No cell is told. Numbers and dates are in at most 12 ranges with round ends, the outer ones
    open with at least 10 records of either file. A category is named if the schema declares it,
    in its order, labels or hierarchy; others are numbered from the most frequent in the original
    to the least. Those that nobody declared and that fewer than 10 records of the original have
    are "other", and so are the least frequent beyond 12. What may lie in several bars, a range,
    a set or a star, is "generalised"; 20..30 lies in "20 to 30". Missing cells
    are counted apart. Where fewer than 20 records of a file have a value, a note says so.

    The shift of the mean and the spread are of numbers, a range standing for its middle.

    Parameters
    ----------
    both
        Original and release; pairs are not needed.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> sample = unveil.households(300, seed=7)
    >>> found = {one.column: one for one in shapes(FilePair(sample, sample, None))}
    >>> [bar.label for bar in found["age"].bars][:2], found["age"].shift
    (['under 10', '10 to 19'], 0.0)
    >>> [bar.label for bar in found["sex"].bars]
    ['category 1', 'category 2']
    """
    return tuple(_shape(both, name) for name in both.attributes)


class Counts(NamedTuple):
    """How many records of each file each bar has."""

    labels: Sequence[str]
    original: Sequence[int]
    release: Sequence[int]


def _shape(both: FilePair, name: str) -> Shape:
    files, level = (both.original, both.release), both.level(name)
    missing = [int(data.column(name).null_count()) for data in files]
    values = [len(data) - gone for data, gone in zip(files, missing, strict=True)]
    few = [
        f"fewer than {count(FEWEST, 'record')} of the {which} have a value"
        for which, n in zip(("original", "release"), values, strict=True)
        if n < FEWEST
    ]
    shift = wider = None
    counts: Counts | None = Counts((), (), ())
    if not few and level == "numeric":
        counts, (shift, wider) = _in_ranges(both, name), _moved(both, name)
    elif not few:
        counts = _in_categories(both, name, ordinal=level == "ordinal")
    return Shape(
        column=name,
        level=level,
        bars=() if counts is None else _bars(counts, values),
        original_missing=missing[0],
        release_missing=missing[1],
        shift=shift,
        spread=wider,
        note=few[0] if few else NO_ENDS if counts is None else "",
    )


def _bars(counts: Counts, values: Sequence[int]) -> tuple[Bar, ...]:
    """The bars with their shares, no two of one name."""
    found, named = [], Counter[str]()
    for label, before, after in zip(*counts, strict=True):
        named[label] += 1
        found.append(
            Bar(
                label=label if named[label] == 1 else f"{label} ({named[label]})",
                original=before,
                release=after,
                original_share=before / values[0],
                release_share=after / values[1],
            )
        )
    return tuple(found)


def _in_ranges(both: FilePair, name: str) -> Counts | None:
    """Numbers and dates in ranges; None where no round ends part them."""
    if both.generalised(name):
        spans = [_spans(bounds(data, name)) for data in (both.original, both.release)]
    else:
        known = [values[~np.isnan(values)] for values in both.numbers(name)]
        spans = [Spans(values, values) for values in known]
    ranges = axis(*spans, stored=_stored(both, name))
    if ranges is None:
        return None
    labels = (*ranges.labels, GENERALISED)
    sides = [np.bincount(ranges.places(one), minlength=len(labels)).tolist() for one in spans]
    bars = len(labels) if sides[0][-1] or sides[1][-1] else len(labels) - 1
    return Counts(labels[:bars], sides[0][:bars], sides[1][:bars])


def _spans(cells: Bounds) -> Spans:
    """What is there; a range that ends where one of ours does is meant to lie in that."""
    lower, upper = cells.lower[cells.present], cells.upper[cells.present]
    ending = (lower < upper) & np.isfinite(upper)
    return Spans(lower, np.where(ending, np.nextafter(upper, -np.inf), upper))


def _stored(both: FilePair, name: str) -> Stored:
    """What the numbers are that both files have in one unit."""
    kinds = {stored_as(data.column(name)) for data in (both.original, both.release)}
    return "times" if "times" in kinds else "dates" if "dates" in kinds else "numbers"


def _moved(both: FilePair, name: str) -> tuple[float | None, float | None]:
    """How far the mean moved, and how wide the release is, in deviations of the original."""
    mine, released = single_numbers(both, name)
    if min(np.count_nonzero(~np.isnan(side)) for side in (mine, released)) < FEWEST:
        return None, None
    with np.errstate(over="ignore", invalid="ignore"):  # ranges may end where no square can be
        (mean, deviation), (after, wide) = spread(mine), spread(released)
    if not deviation:
        return None, None
    found = ((after - mean) / deviation, wide / deviation)
    return found if all(map(math.isfinite, found)) else (None, None)


def _in_categories(both: FilePair, name: str, *, ordinal: bool) -> Counts:
    files = both.original, both.release
    (mine, open_mine), (released, open_released) = (_tally(data, name) for data in files)
    declared = _declared(both.release, name) | _declared(both.original, name)
    there = {label for label in (*mine, *released) if label in declared or mine[label] >= LEAST}
    ranked = sorted(there, key=lambda label: (-mine[label], -released[label], label))
    room = MOST - bool(open_mine or open_released)
    rest = len(there) < len(mine | released) or len(ranked) > room
    ranked = ranked[: room - rest]
    unnamed = [label for label in ranked if label not in declared]
    names = declared | {label: f"category {n}" for n, label in enumerate(unnamed, start=1)}
    if ordinal:
        order = (*both.original.order(name), *both.release.order(name), *mine, *released)
        ranked = [label for label in dict.fromkeys(order) if label in set(ranked)]
    sides = [[tally[label] for label in ranked] for tally in (mine, released)]
    labels = [names[label] for label in ranked]
    if rest:
        labels.append(OTHER)
        for side, tally in zip(sides, (mine, released), strict=True):
            side.append(tally.total() - sum(side))
    if open_mine or open_released:
        labels.append(GENERALISED)
        sides[0].append(open_mine)
        sides[1].append(open_released)
    return Counts(labels, *sides)


def _tally(data: Microdata, name: str) -> tuple[Counter[str], int]:
    """How many records have each category, in its order; and how many may have several."""
    cells = cell_texts(data, name)
    sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.categories))
    tally, several = Counter[str](), 0
    groups = Hierarchy.of(data.schema[name].hierarchy)
    for text, size in zip(cells.categories, sizes.tolist(), strict=True):
        cell = parse_cell(text) if data.schema[name].generalised else OneOf((text,))
        values = cell.values if isinstance(cell, OneOf) else ()
        meant = {leaf for value in values for leaf in groups.below(value) or (value,)}
        if len(meant) != 1:
            several += size
        elif size:
            tally[meant.pop()] += size
    return tally, several


def _declared(data: Microdata, name: str) -> dict[str, str]:
    """What each category that somebody declared is shown as."""
    attribute = data.schema[name]
    listed = (*attribute.order, *(row[0] for row in attribute.hierarchy))
    return {label: label for label in listed} | attribute.labels
