"""Cells of both files as single values, where they are ranges and sets, too."""

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints32
from unveil.table.cells import STAR
from unveil.table.columns import labels_of
from unveil.table.encoding.generalised import Bounds, bounds, code_sets
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import code_numbers
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair


def columns_of_level(both: FilePair, *levels: str) -> tuple[str, ...]:
    """The columns of some levels, generalised or not.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(3)
    >>> columns_of_level(FilePair(sample, sample, None), "ordinal")
    ('education',)
    """
    return tuple(name for name in both.columns if both.level(name) in levels)


def hidden_cells(data: Microdata, column: str) -> Bools:
    """Whether each cell tells nothing: missing, or a star.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> hidden_cells(Microdata(pl.DataFrame({"age": [20, None]})), "age").tolist()
    [False, True]
    """
    nothing: Bools = data.column(column).is_null().to_numpy()
    return nothing | star_cells(data, column)


def star_cells(data: Microdata, column: str) -> Bools:
    """Whether each cell is a star: any value there is.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(numeric="age", generalised="age")
    >>> star_cells(Microdata(pl.DataFrame({"age": ["20..30", "*", None]}), schema), "age").tolist()
    [False, True, False]
    """
    if not data.schema[column].generalised:
        return np.zeros(len(data), np.bool_)
    found: Bools = (labels_of(data.column(column)) == STAR).fill_null(False).to_numpy()
    return found


def number_bounds(both: FilePair, name: str) -> tuple[Bounds, Bounds, float, float]:
    """What the numbers of both files may be, and the least and the largest of the original's.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(3)
    >>> number_bounds(FilePair(sample, sample, None), "age")[2:]
    (21.0, 67.0)
    """
    mine, released = bounds(both.original, name), bounds(both.release, name)
    ends = np.concatenate([mine.lower, mine.upper])
    ends = ends[np.isfinite(ends)]
    return mine, released, float(ends.min(initial=np.inf)), float(ends.max(initial=-np.inf))


def single_numbers(both: FilePair, name: str) -> tuple[Floats, Floats]:
    """A column of both files as numbers; a range is its middle, within the original's range.

    A NaN is a cell that is missing, or a star.

    >>> import polars as pl
    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> ages = Microdata(pl.DataFrame({"age": [20, 30, 40]}))
    >>> schema = Schema(numeric="age", generalised="age")
    >>> coarse = Microdata(pl.DataFrame({"age": ["20..30", "30..", "*"]}), schema)
    >>> single_numbers(FilePair(ages, coarse, None), "age")[1].tolist()
    [25.0, 35.0, nan]
    """
    if not both.generalised(name):
        return both.numbers(name)
    mine, released, low, high = number_bounds(both, name)
    middles = []
    for data, side in ((both.original, mine), (both.release, released)):
        # An open end is at the end of the original's range; a value outside it stays where it is.
        lower = np.where(np.isinf(side.lower), np.minimum(low, side.upper), side.lower)
        upper = np.where(np.isinf(side.upper), np.maximum(high, side.lower), side.upper)
        nothing = hidden_cells(data, name) | ~np.isfinite(lower) | ~np.isfinite(upper)
        lower[nothing] = upper[nothing] = np.nan
        middles.append(np.where(lower == upper, lower, lower / 2 + upper / 2))
    return middles[0], middles[1]


def single_codes(both: FilePair, name: str) -> tuple[Ints32, Ints32, int]:
    """A column of categories as codes, and how many there are; -1: missing, or may be several.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(3)
    >>> single_codes(FilePair(sample, sample, None), "sex")[0].tolist()
    [1, 0, 1]
    """
    if not both.generalised(name):
        mine, released, listed = both.codes(name)
        return mine, released, len(listed)
    listed = common_categories(both.original, both.release, name)
    found = []
    for data in (both.original, both.release):
        sets = code_sets(data, name, listed)
        only = np.full(len(sets.starts), -1, np.int32)  # the last is for -1, missing
        one = np.flatnonzero(np.diff(sets.starts) == 1)
        only[one] = sets.members[sets.starts[one]]
        found.append(np.where(hidden_cells(data, name), np.int32(-1), only[sets.cell]))
    return found[0], found[1], len(listed)


def single_values(both: FilePair, name: str) -> tuple[Floats, Floats]:
    """A column of both files as numbers, or as codes of the same categories; NaN: not known.

    A range is its middle, as in `single_numbers`; a star, a missing cell and a set of several
    categories are not known.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(3)
    >>> single_values(FilePair(sample, sample, None), "sex")[0].tolist()
    [1.0, 0.0, 1.0]
    """
    if both.level(name) == "numeric":
        return single_numbers(both, name)
    mine, released, _ = single_codes(both, name)
    return code_numbers(mine), code_numbers(released)


def distinct_cells(both: FilePair, name: str) -> tuple[Ints32, Ints32]:
    """A column of categories as codes of its distinct cells, a set being one; -1 is missing.

    Of a generalised column the codes of one file are not those of the other.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(3)
    >>> distinct_cells(FilePair(sample, sample, None), "sex")[1].tolist()
    [1, 0, 1]
    """
    if not both.generalised(name):
        mine, released, _ = both.codes(name)
        return mine, released
    listed = common_categories(both.original, both.release, name)
    return (
        code_sets(both.original, name, listed).cell,
        code_sets(both.release, name, listed).cell,
    )


def changed_cells(both: FilePair, name: str) -> Bools:
    """Of the pairs, whether a category is another in the release, missing, or one of several.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> int(changed_cells(FilePair(sample, sample, np.arange(100)), "sex").sum())
    0
    """
    files = both.original, both.release
    if all(data.schema[name].generalised for data in files):
        mine, released = (labels_of(data.column(name)) for data in files)
        differ: Bools = (
            mine.gather(both.originals).ne_missing(released.gather(both.released)).to_numpy()
        )
        return differ
    here, there, _ = single_codes(both, name)
    other: Bools = here[both.originals] != there[both.released]
    return other
