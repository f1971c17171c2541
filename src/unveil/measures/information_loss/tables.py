"""Loss in tables: the distance between the contingency tables of the two files."""

from itertools import combinations

import numpy as np

from unveil.measures.information_loss.catalogue import (
    MOST_CATEGORIES,
    TENTHS,
    MeasuredLoss,
    loss_measure,
)
from unveil.measures.information_loss.categorical import common_codes
from unveil.support.arrays import Floats, Ints
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_codes, single_numbers

CELLS = MOST_CATEGORIES + 2  # of one attribute: missing, the commonest, all others


def tables(pair: FilePair) -> MeasuredLoss:
    """The total variation distance of the tables of single attributes, and of pairs of them.

    No pairs of records are needed. Every attribute takes part: the 50 commonest categories of the
    original and all others as one; numbers in tenths by the original's quantiles (equal numbers
    stay together, so there may be fewer); missing as one more cell. A range counts as its middle, a
    set of several categories as missing. Half the sum of ``|p' - p|`` is the share of the
    records that would have to move, 0 to 1.

    Shuffled columns keep the single tables; their pair tables become the product of these, so that
    the distance shows how far the attributes depend on each other. It does not grow with the number
    of records; between files that differ by chance it falls, as sqrt(cells / n).

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> {one.value for one in tables(FilePair.of(sample, sample, np.arange(100))).measures}
    {0.0}
    """
    codes = {name: _codes(pair, name) for name in pair.columns}
    single = {name: total_variation(*sides, CELLS) for name, sides in codes.items()}
    double = [
        total_variation(a[0] * CELLS + b[0], a[1] * CELLS + b[1], CELLS * CELLS)
        for a, b in combinations(codes.values(), 2)
    ]
    measures = []
    for what, values in (("single table", list(single.values())), ("pair table", double)):
        n, why = len(values), "" if values else f"too few attributes for a {what}"
        mean, largest = (float(np.sort(values).mean()), max(values)) if n else (None, None)
        measures.append(loss_measure(f"{what}s", mean, n=n, note=why))
        measures.append(loss_measure(f"largest {what}", largest, n=n, note=why))
    attributes = {name: {"single tables": value} for name, value in single.items()}
    return MeasuredLoss(tuple(measures), attributes)


def total_variation(original: Ints, released: Ints, cells: int) -> float:
    """The total variation distance of two files' distributions over cells."""
    counts = [np.bincount(codes, minlength=cells) for codes in (original, released)]
    return float(np.abs(counts[0] / len(original) - counts[1] / len(released)).sum() / 2)


def tenths(values: Floats, base: Floats) -> Ints:
    """The tenth of the base that each number falls into, from 1; 0 is missing."""
    known = base[~np.isnan(base)]
    if not len(known):
        return (~np.isnan(values)).astype(np.int64)
    shares = np.arange(1, TENTHS) / TENTHS
    edges = np.unique(np.quantile(known, shares, method="inverted_cdf"))
    places = np.searchsorted(edges, values, side="left") + 1
    return np.where(np.isnan(values), 0, places)


def _codes(pair: FilePair, name: str) -> tuple[Ints, Ints]:
    if pair.level(name) == "numeric":
        numbers, released_numbers = single_numbers(pair, name)
        return tenths(numbers, numbers), tenths(released_numbers, numbers)
    original, released, _ = single_codes(pair, name)
    return common_codes(original, original), common_codes(released, original)
