"""Loss in tables: how far the contingency tables of both files are apart."""

from itertools import combinations

import numpy as np

from unveil.measures.information_loss.catalogue import (
    MOST_CATEGORIES,
    TENTHS,
    MeasuredLoss,
    measured,
)
from unveil.measures.information_loss.categorical import commonest
from unveil.support.arrays import Floats, Ints
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_codes, single_numbers

CELLS = MOST_CATEGORIES + 2  # of one attribute: missing, the commonest, all others


def tables(both: FilePair) -> MeasuredLoss:
    """The total variation distance of the tables of single attributes, and of pairs of them.

    No pairs of records are needed. Every attribute takes part: categories, the 50 commonest of
    the original by themselves, numbers in tenths cut at the original's quantiles (equal numbers
    never apart, so fewer where many are equal), missing as one more cell. A range stands for its
    middle; a set of several categories counts as missing.
    Half the sum of |p' - p|: the share of the records that would have to move, 0 to 1.

    Shuffled columns keep the single tables; of pairs they leave the product of these, which is as
    far as the attributes depend on each other. It does not grow with the number of records; of
    files that differ by chance it falls, as sqrt(cells / n).

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> {one.value for one in tables(FilePair(sample, sample, np.arange(100))).measures}
    {0.0}
    """
    cut = {name: _cut(both, name) for name in both.columns}
    single = {name: apart(mine, released, CELLS) for name, (mine, released) in cut.items()}
    double = [
        apart(a[0] * CELLS + b[0], a[1] * CELLS + b[1], CELLS * CELLS)
        for a, b in combinations(cut.values(), 2)
    ]
    found = []
    for what, values in (("single table", list(single.values())), ("pair table", double)):
        n, none = len(values), "" if values else f"too few attributes for a {what}"
        found += [
            measured(f"{what}s", float(np.sort(values).mean()) if n else None, n=n, note=none),
            measured(f"largest {what}", max(values) if n else None, n=n, note=none),
        ]
    return MeasuredLoss(
        tuple(found), {name: {"single tables": value} for name, value in single.items()}
    )


def apart(mine: Ints, released: Ints, cells: int) -> float:
    """The total variation distance of two files' cells.

    >>> apart(np.array([0, 0, 1, 1]), np.array([0, 1]), 2), apart(np.array([0]), np.array([1]), 2)
    (0.0, 1.0)
    """
    counts = [np.bincount(side, minlength=cells) for side in (mine, released)]
    return float(np.abs(counts[0] / len(mine) - counts[1] / len(released)).sum() / 2)


def tenths(values: Floats, base: Floats) -> Ints:
    """Numbers as the tenth of the base that they fall into, from 1; 0 is missing.

    >>> tenths(np.array([0.0, 5.0, 99.0, np.nan]), np.arange(100.0)).tolist()
    [1, 1, 10, 0]
    """
    known = base[~np.isnan(base)]
    if not len(known):
        return (~np.isnan(values)).astype(np.int64)
    shares = np.arange(1, TENTHS) / TENTHS
    edges = np.unique(np.quantile(known, shares, method="inverted_cdf"))
    places = np.searchsorted(edges, values, side="left") + 1
    return np.where(np.isnan(values), 0, places)


def _cut(both: FilePair, name: str) -> tuple[Ints, Ints]:
    if both.level(name) == "numeric":
        mine, released = single_numbers(both, name)
        return tenths(mine, mine), tenths(released, mine)
    own, other, _ = single_codes(both, name)
    return commonest(own, own), commonest(other, own)
