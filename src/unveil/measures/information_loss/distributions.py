"""Distributions of each attribute in the original and in the release."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.category_names import SMALLEST_GROUP, category_names, declared_names
from unveil.measures.information_loss.bins import MOST_BINS, Spans, shared_bins
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

FEWEST_VALUES = 20  # of either file, for bars that reveal nobody
OTHER, GENERALISED = "other", "generalised"
NO_ENDS = (
    f"no round number separates {SMALLEST_GROUP} records of either file from {SMALLEST_GROUP} "
    "others"
)


def shapes(pair: FilePair, *, show_values: bool = False) -> tuple[Shape, ...]:
    """The distribution of each attribute before and after, in the same ranges or categories.

    No cell is revealed. Numbers and dates are in at most 12 ranges with round ends, the outer ones
    open with at least 10 records of either file. A category is named if the schema declares it,
    in its order, labels or hierarchy; others have letters, A for the most frequent in the original,
    with `show_values` their codes. Undeclared categories of fewer than 10 records of the original
    are "other", and so are the least frequent beyond 12. A range, a set or a star that may lie in
    several bars is "generalised"; 20..30 lies in "20 to 30". Missing cells are counted separately.
    If fewer than 20 records of a file have a value, a note states it.

    The shift of the mean and the spread are of numbers, a range counting as its middle. Pairs are
    not needed.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> found = {one.column: one for one in shapes(FilePair.of(sample, sample, None))}
    >>> [bar.label for bar in found["age"].bars][:2], found["age"].shift
    (['under 10', '10 to 19'], 0.0)
    >>> [bar.label for bar in found["sex"].bars]
    ['A (most frequent)', 'B (2nd most frequent)']
    """
    return tuple(_shape(pair, name, show_values=show_values) for name in pair.attributes)


class BarCounts(NamedTuple):
    """The records of each file in each bar."""

    labels: Sequence[str]
    original: Sequence[int]
    release: Sequence[int]


def _shape(pair: FilePair, name: str, *, show_values: bool) -> Shape:
    files, level = (pair.original, pair.release), pair.level(name)
    missing = [int(data.column(name).null_count()) for data in files]
    values = [len(data) - n for data, n in zip(files, missing, strict=True)]
    few = [
        f"fewer than {count(FEWEST_VALUES, 'record')} of the {which} have a value"
        for which, n in zip(("original", "release"), values, strict=True)
        if n < FEWEST_VALUES
    ]
    shift = wider = None
    counts: BarCounts | None = BarCounts((), (), ())
    if not few and level == "numeric":
        counts, (shift, wider) = _range_counts(pair, name), _shift_and_spread(pair, name)
    elif not few:
        counts = _category_counts(pair, name, ordinal=level == "ordinal", show_values=show_values)
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


def _bars(counts: BarCounts, values: Sequence[int]) -> tuple[Bar, ...]:
    bars, uses = [], Counter[str]()
    for label, before, after in zip(*counts, strict=True):
        uses[label] += 1
        bars.append(
            Bar(
                label=label if uses[label] == 1 else f"{label} ({uses[label]})",
                original=before,
                release=after,
                original_share=before / values[0],
                release_share=after / values[1],
            )
        )
    return tuple(bars)


def _range_counts(pair: FilePair, name: str) -> BarCounts | None:
    """Numbers and dates in ranges; None where no round ends separate them."""
    if pair.generalised(name):
        spans = [_spans(bounds(data, name)) for data in (pair.original, pair.release)]
    else:
        known = [values[~np.isnan(values)] for values in pair.numbers(name)]
        spans = [Spans(values, values) for values in known]
    kinds = {stored_as(data.column(name)) for data in (pair.original, pair.release)}
    stored: Stored = "times" if "times" in kinds else "dates" if "dates" in kinds else "numbers"
    bins = shared_bins(*spans, stored=stored)
    if bins is None:
        return None
    labels = (*bins.labels, GENERALISED)
    sides = [np.bincount(bins.places(side), minlength=len(labels)).tolist() for side in spans]
    n_bars = len(labels) if sides[0][-1] or sides[1][-1] else len(labels) - 1
    return BarCounts(labels[:n_bars], sides[0][:n_bars], sides[1][:n_bars])


def _spans(cells: Bounds) -> Spans:
    """The present cells; a range that ends where a bin ends lies in that bin."""
    lower, upper = cells.lower[cells.present], cells.upper[cells.present]
    ending = (lower < upper) & np.isfinite(upper)
    return Spans(lower, np.where(ending, np.nextafter(upper, -np.inf), upper))


def _shift_and_spread(pair: FilePair, name: str) -> tuple[float | None, float | None]:
    """The shift of the mean and the release's deviation, in deviations of the original."""
    original, released = single_numbers(pair, name)
    if min(np.count_nonzero(~np.isnan(side)) for side in (original, released)) < FEWEST_VALUES:
        return None, None
    (mean, deviation), (new_mean, new_deviation) = spread(original), spread(released)
    if not deviation:
        return None, None
    result = ((new_mean - mean) / deviation, new_deviation / deviation)
    return result if all(map(math.isfinite, result)) else (None, None)


def _category_counts(pair: FilePair, name: str, *, ordinal: bool, show_values: bool) -> BarCounts:
    files = pair.original, pair.release
    (before, open_before), (after, open_after) = (_tally(data, name) for data in files)
    declared = declared_names(pair.release.schema[name]) | declared_names(
        pair.original.schema[name]
    )
    shown = {
        label for label in (*before, *after) if label in declared or before[label] >= SMALLEST_GROUP
    }
    ranked = sorted(shown, key=lambda label: (-before[label], -after[label], label))
    room = MOST_BINS - bool(open_before or open_after)
    rest = len(shown) < len(before | after) or len(ranked) > room
    ranked = ranked[: room - rest]
    names = declared | category_names(before, declared, show_values=show_values)
    if ordinal:
        order = (*pair.original.order(name), *pair.release.order(name), *before, *after)
        ranked = [label for label in dict.fromkeys(order) if label in set(ranked)]
    sides = [[tally[label] for label in ranked] for tally in (before, after)]
    labels = [names[label] for label in ranked]
    if rest:
        labels.append(OTHER)
        for side, tally in zip(sides, (before, after), strict=True):
            side.append(tally.total() - sum(side))
    if open_before or open_after:
        labels.append(GENERALISED)
        sides[0].append(open_before)
        sides[1].append(open_after)
    return BarCounts(labels, *sides)


def _tally(data: Microdata, name: str) -> tuple[Counter[str], int]:
    """The records of each category, in its order; and those that may have several."""
    cells = cell_texts(data, name)
    sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.categories))
    tally, several = Counter[str](), 0
    groups = Hierarchy.of(data.schema[name].hierarchy)
    for text, size in zip(cells.categories, sizes.tolist(), strict=True):
        cell = parse_cell(text) if data.schema[name].generalised else OneOf((text,))
        values = cell.values if isinstance(cell, OneOf) else ()
        leaves = {leaf for value in values for leaf in groups.below(value) or (value,)}
        if len(leaves) != 1:
            several += size
        elif size:
            tally[leaves.pop()] += size
    return tally, several
