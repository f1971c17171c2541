"""Loss in cells: what a range, a set, a star or a missing cell leaves open."""

import numpy as np

from unveil.measures.information_loss.catalogue import NO_PAIRS, MeasuredLoss, measured
from unveil.support.arrays import Bools, Floats
from unveil.table.encoding.generalised import code_sets
from unveil.table.encoding.shared_attributes import common_categories
from unveil.values.file_pair import FilePair
from unveil.values.single_values import hidden_cells, number_bounds, star_cells


def openness(both: FilePair) -> MeasuredLoss:
    """What released cells leave open beyond the originals', and the shares that tell nothing.

    A normalised certainty penalty for each cell, after Xu et al., Utility-based anonymization
    using local recoding (2006): 0 for one value, 1 for a star or a missing cell; a range by its
    width over the original's range (open ends at the ends of that), a set by its other values over
    the other categories. Of pairs the mean of what was added, cell by cell; without pairs the
    difference of the files' means, at least 0, attribute by attribute. Attributes count alike.

    Suppressed cells and stars need pairs: stars are those of the suppressed cells that say so, the
    others are missing. None sees a wrong value, so none sees a shuffle; none depends on the number
    of records.

    >>> import polars as pl
    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> ages = Microdata(pl.DataFrame({"age": [20, 30, 40]}))
    >>> schema = Schema(numeric="age", generalised="age")
    >>> coarse = Microdata(pl.DataFrame({"age": ["20..30", "30", "*"]}), schema)
    >>> [one.value for one in openness(FilePair(ages, coarse, np.arange(3))).measures]
    [0.5, 0.3333333333333333, 0.3333333333333333]
    """
    paired = len(both.released) > 0
    attributes: dict[str, dict[str, float]] = {}
    shares = {"suppressed": suppressed_cells, "stars": starred_cells}
    gone, cells = dict.fromkeys(shares, 0), 0
    for name in both.columns:
        attributes[name] = {"generalisation": _added(both, name)}
        told = told_before(both, name)
        cells += (known := int(told.sum()))
        for share, of_cells in shares.items() if known else ():
            gone[share] += (these := int(of_cells(both, name).sum()))
            attributes[name][share] = these / known
    opened = [values["generalisation"] for values in attributes.values()]
    mean = sum(opened) / len(opened) if opened else None
    none = "" if cells else NO_PAIRS if not paired else "no cell of the original is known"
    found = (
        measured("generalisation", mean, n=len(opened), note="" if opened else "no attribute"),
        *(
            measured(share, many / cells if cells else None, n=cells, note=none)
            for share, many in gone.items()
        ),
    )
    return MeasuredLoss(found, attributes)


def told_before(both: FilePair, column: str) -> Bools:
    """Of the pairs, which cells the original tells."""
    told: Bools = ~hidden_cells(both.original, column)[both.originals]
    return told


def suppressed_cells(both: FilePair, column: str) -> Bools:
    """Of the pairs, which cells are told no more in the release: missing, or a star.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> int(suppressed_cells(FilePair(sample, sample, np.arange(100)), "age").sum())
    0
    """
    return told_before(both, column) & hidden_cells(both.release, column)[both.released]


def starred_cells(both: FilePair, column: str) -> Bools:
    """Of the pairs, which cells were told and are a star in the release."""
    return told_before(both, column) & star_cells(both.release, column)[both.released]


def opened_cells(both: FilePair, column: str) -> Floats:
    """Of the pairs, how much each released cell leaves open beyond the original's, 0 to 1.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> float(opened_cells(FilePair(sample, sample, np.arange(100)), "age").sum())
    0.0
    """
    mine, released = _penalties(both, column)
    more: Floats = np.maximum(released[both.released] - mine[both.originals], 0)
    return more


def _added(both: FilePair, name: str) -> float:
    if len(both.released):
        return float(np.sort(opened_cells(both, name)).mean())
    mine, released = _penalties(both, name)
    return max(float(np.sort(released).mean() - np.sort(mine).mean()), 0.0)


def _penalties(both: FilePair, name: str) -> tuple[Floats, Floats]:
    """How open each cell of both files is, 0 to 1."""
    files = both.original, both.release
    opened = [hidden_cells(data, name).astype(np.float64) for data in files]
    if not both.generalised(name):
        return opened[0], opened[1]
    wide = _widths if both.level(name) == "numeric" else _sizes
    parts = wide(both, name)
    for one, part in zip(opened, parts, strict=True):
        np.maximum(one, part, out=one)
    return opened[0], opened[1]


def _widths(both: FilePair, name: str) -> list[Floats]:
    """The width of each number's range over the original's range; 0 where that is nothing."""
    mine, released, low, high = number_bounds(both, name)
    if not high > low:
        return [np.zeros(len(side.lower)) for side in (mine, released)]
    return [
        np.nan_to_num(np.clip(side.upper, low, high) - np.clip(side.lower, low, high))
        / (high - low)
        for side in (mine, released)
    ]


def _sizes(both: FilePair, name: str) -> list[Floats]:
    """The other values of each set over the other categories."""
    listed = common_categories(both.original, both.release, name)
    found = []
    for data in (both.original, both.release):
        sets = code_sets(data, name, listed)
        others = np.append(np.diff(sets.starts) - 1, 0) / max(len(sets.categories) - 1, 1)
        found.append(others[sets.cell])  # the last is for -1, missing
    return found
