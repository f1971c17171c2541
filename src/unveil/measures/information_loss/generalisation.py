"""Loss in cells: what ranges, sets, stars and missing cells leave open."""

import numpy as np

from unveil.measures.information_loss.catalogue import (
    NO_PAIRS,
    MeasuredLoss,
    loss_measure,
    mean_or_none,
)
from unveil.support.arrays import Bools, Floats
from unveil.table.encoding.generalised import code_sets
from unveil.table.encoding.shared_attributes import common_categories
from unveil.values.file_pair import FilePair
from unveil.values.single_values import hidden_cells, number_bounds, star_cells


def openness(pair: FilePair) -> MeasuredLoss:
    """The uncertainty of released cells beyond the originals', and the shares of suppressed cells.

    A normalised certainty penalty for each cell, after Xu et al., Utility-based anonymization
    using local recoding (2006): 0 for one value, 1 for a star or a missing cell; a range by its
    width over the original's range (open ends at the ends of that), a set by its other values over
    the other categories. With pairs it is the mean of what was added, cell by cell; without pairs
    the difference of the files' means, at least 0, by attribute. Attributes count alike.

    Suppressed cells and stars need pairs: a suppressed cell is a star or missing. None of them sees
    a wrong value, and so a shuffle; none depends on the number of records.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> ages = Microdata(pl.DataFrame({"age": [20, 30, 40]}))
    >>> schema = Schema(numeric="age", generalised="age")
    >>> coarse = Microdata(pl.DataFrame({"age": ["20..30", "30", "*"]}), schema)
    >>> [one.value for one in openness(FilePair.of(ages, coarse, np.arange(3))).measures]
    [0.5, 0.3333333333333333, 0.3333333333333333]
    """
    attributes: dict[str, dict[str, float]] = {}
    shares = {"suppressed": suppressed_cells, "stars": starred_cells}
    totals, n_cells = dict.fromkeys(shares, 0), 0
    for name in pair.columns:
        attributes[name] = {"generalisation": _mean_added_penalty(pair, name)}
        n_cells += (known := int(known_cells(pair, name).sum()))
        for share, cells in shares.items() if known else ():
            totals[share] += (n := int(cells(pair, name).sum()))
            attributes[name][share] = n / known
    penalties = [values["generalisation"] for values in attributes.values()]
    no_attribute = "" if penalties else "no attribute"
    no_cell = "no cell of the original is known" if len(pair.released) else NO_PAIRS
    measures = (
        loss_measure(
            "generalisation", mean_or_none(penalties), n=len(penalties), note=no_attribute
        ),
        *(
            loss_measure(
                share, n / n_cells if n_cells else None, n=n_cells, note="" if n_cells else no_cell
            )
            for share, n in totals.items()
        ),
    )
    return MeasuredLoss(measures, attributes)


def known_cells(pair: FilePair, column: str) -> Bools:
    """Of the pairs, which cells of the original are neither missing nor a star."""
    known: Bools = ~hidden_cells(pair.original, column)[pair.originals]
    return known


def suppressed_cells(pair: FilePair, column: str) -> Bools:
    """Of the pairs, which known cells are missing or a star in the release."""
    return known_cells(pair, column) & hidden_cells(pair.release, column)[pair.released]


def starred_cells(pair: FilePair, column: str) -> Bools:
    """Of the pairs, which known cells are a star in the release."""
    return known_cells(pair, column) & star_cells(pair.release, column)[pair.released]


def added_penalties(pair: FilePair, column: str) -> Floats:
    """Of the pairs, how much each released cell leaves open beyond the original's, 0 to 1."""
    original, released = _penalties(pair, column)
    added: Floats = np.maximum(released[pair.released] - original[pair.originals], 0)
    return added


def _mean_added_penalty(pair: FilePair, name: str) -> float:
    if len(pair.released):
        return float(np.sort(added_penalties(pair, name)).mean())
    original, released = _penalties(pair, name)
    return max(float(np.sort(released).mean() - np.sort(original).mean()), 0.0)


def _penalties(pair: FilePair, name: str) -> list[Floats]:
    """How open each cell is, 0 to 1; of the original and of the release."""
    penalties = [
        hidden_cells(data, name).astype(np.float64) for data in (pair.original, pair.release)
    ]
    if not pair.generalised(name):
        return penalties
    parts = (_widths if pair.level(name) == "numeric" else _sizes)(pair, name)
    return [np.maximum(*sides) for sides in zip(penalties, parts, strict=True)]


def _widths(pair: FilePair, name: str) -> list[Floats]:
    """The width of each number's range over the original's range; 0 if the original is constant."""
    original, released, low, high = number_bounds(pair, name)
    if not high > low:
        return [np.zeros(len(side.lower)) for side in (original, released)]
    return [
        np.nan_to_num(np.clip(side.upper, low, high) - np.clip(side.lower, low, high))
        / (high - low)
        for side in (original, released)
    ]


def _sizes(pair: FilePair, name: str) -> list[Floats]:
    """The other values of each set over the other categories."""
    categories = common_categories(pair.original, pair.release, name)
    result = []
    for data in (pair.original, pair.release):
        sets = code_sets(data, name, categories)
        others = np.append(np.diff(sets.starts) - 1, 0) / max(len(sets.categories) - 1, 1)
        result.append(others[sets.cell])  # the last is for -1, missing
    return result
