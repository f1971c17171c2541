"""Columns of a file pair as single values: a range by its middle, a set of one by its member."""

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints32
from unveil.table.cells import STAR
from unveil.table.columns import labels_of
from unveil.table.encoding.generalised import Bounds, bounds, code_sets
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import Numbers, check_computable, code_numbers
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair


def columns_of_level(pair: FilePair, *levels: str) -> tuple[str, ...]:
    """The columns of some levels, generalised or not."""
    return tuple(name for name in pair.columns if pair.level(name) in levels)


def hidden_cells(data: Microdata, column: str) -> Bools:
    """Whether each cell says nothing: missing, or a star."""
    missing: Bools = data.column(column).is_null().to_numpy()
    return missing | star_cells(data, column)


def star_cells(data: Microdata, column: str) -> Bools:
    """Whether each cell is a star, which stands for any value."""
    if not data.schema[column].generalised:
        return np.zeros(len(data), np.bool_)
    stars: Bools = (labels_of(data.column(column)) == STAR).fill_null(False).to_numpy()
    return stars


def number_bounds(pair: FilePair, name: str) -> tuple[Bounds, Bounds, float, float]:
    """The bounds of the numbers in both files; the least and the largest number of the original."""
    original, released = bounds(pair.original, name), bounds(pair.release, name)
    ends = np.concatenate([original.lower, original.upper])
    ends = ends[np.isfinite(ends)]
    return original, released, float(ends.min(initial=np.inf)), float(ends.max(initial=-np.inf))


def single_numbers(pair: FilePair, name: str) -> tuple[Floats, Floats]:
    """A column of both files as numbers; a range is its middle, within the original's range.

    NaN is a missing cell or a star. Numbers too large to square are refused.
    """
    if not pair.generalised(name):
        return pair.numbers(name)
    original, released, low, high = number_bounds(pair, name)
    middles = []
    for data, side in ((pair.original, original), (pair.release, released)):
        # An open end is at the end of the original's range; a value outside it stays where it is.
        lower = np.where(np.isinf(side.lower), np.minimum(low, side.upper), side.lower)
        upper = np.where(np.isinf(side.upper), np.maximum(high, side.lower), side.upper)
        nothing = hidden_cells(data, name) | ~np.isfinite(lower) | ~np.isfinite(upper)
        lower[nothing] = upper[nothing] = np.nan
        middles.append(np.where(lower == upper, lower, lower / 2 + upper / 2))
        check_computable(Numbers((name,), middles[-1][:, None], ~nothing[:, None]))
    return middles[0], middles[1]


def single_codes(pair: FilePair, name: str) -> tuple[Ints32, Ints32, int]:
    """A column as category codes, and the number of categories; -1: missing, or one of several."""
    if not pair.generalised(name):
        original, released, categories = pair.codes(name)
        return original, released, len(categories)
    categories = common_categories(pair.original, pair.release, name)
    coded = []
    for data in (pair.original, pair.release):
        sets = code_sets(data, name, categories)
        member = np.full(len(sets.starts), -1, np.int32)  # the last is for -1, missing
        single = np.flatnonzero(np.diff(sets.starts) == 1)
        member[single] = sets.members[sets.starts[single]]
        coded.append(np.where(hidden_cells(data, name), np.int32(-1), member[sets.cell]))
    return coded[0], coded[1], len(categories)


def single_values(pair: FilePair, name: str) -> tuple[Floats, Floats]:
    """A column of both files as `single_numbers`, or as `single_codes` with NaN for -1."""
    if pair.level(name) == "numeric":
        return single_numbers(pair, name)
    original, released, _ = single_codes(pair, name)
    return code_numbers(original), code_numbers(released)


def distinct_cells(pair: FilePair, name: str) -> tuple[Ints32, Ints32]:
    """A categorical column as codes of its distinct cells, each set being one; -1 is missing.

    The codes of a generalised column are not comparable between the two files.
    """
    if not pair.generalised(name):
        original, released, _ = pair.codes(name)
        return original, released
    categories = common_categories(pair.original, pair.release, name)
    original, released = (
        code_sets(data, name, categories).cell for data in (pair.original, pair.release)
    )
    return original, released


def changed_cells(pair: FilePair, name: str) -> Bools:
    """For each pair, whether the released category is another, missing, or one of several."""
    files = pair.original, pair.release
    if all(data.schema[name].generalised for data in files):
        original, released = (labels_of(data.column(name)) for data in files)
        changed: Bools = (
            original.gather(pair.originals).ne_missing(released.gather(pair.released)).to_numpy()
        )
        return changed
    before, after, _ = single_codes(pair, name)
    differs: Bools = before[pair.originals] != after[pair.released]
    return differs
