"""How many rows fit a row: where stars fit anything, or people of a population fit a release."""

from collections.abc import Callable, Sequence

import numpy as np

from unveil.engines.local.index import same_rows
from unveil.grouping.classes import Classes
from unveil.grouping.wildcards import count_fitting_rows
from unveil.support.arrays import Bools, Ints
from unveil.support.threads import cores, on_all_cores
from unveil.table.encoding.generalised import CodeSets, bounds, code_sets
from unveil.table.encoding.shared_attributes import common_categories, common_cells, common_level
from unveil.table.microdata import Microdata
from unveil.values.single_values import hidden_cells

AT_ONCE = 256  # rows that are held against all people together


def classes_of(data: Microdata, keys: Sequence[str]) -> Classes:
    """Records with the same cells in all keys: missing is a value, a generalised cell its text.

    >>> import unveil
    >>> len(classes_of(unveil.households(100), ["sex"]).sizes)
    2
    """
    cells = np.column_stack([common_cells(data, column=name)[0] for name in keys])
    groups = same_rows(cells.astype(np.float64), np.zeros(0), cores(None))
    return Classes(groups.order, groups.starts)


def wildcard_counts(data: Microdata, keys: Sequence[str]) -> Ints:
    """For each record how many fit it, itself among them, a star or a missing cell fitting all.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(nominal=["job"], generalised=["job"])
    >>> wildcard_counts(Microdata(pl.DataFrame({"job": ["a", "b", "*"]}), schema), ["job"]).tolist()
    [2, 2, 3]
    """
    classes = classes_of(data, keys)
    first = classes.members[classes.starts[:-1]]
    columns = []
    for name in keys:
        cells = common_cells(data, column=name)[0][first]
        told = ~hidden_cells(data, name)[first]
        codes = np.full(len(first), -1, np.int32)
        codes[told] = np.unique(cells[told], return_inverse=True)[1]
        columns.append(codes)
    # Those first in which fewest pairs of rows are equal.
    columns.sort(key=lambda codes: int((np.bincount(codes + 1) ** 2).sum()))
    return classes.scatter(count_fitting_rows(np.column_stack(columns), classes.sizes))


def population_counts(release: Microdata, population: Microdata, keys: Sequence[str]) -> Ints:
    """For each released record how many people of the population it may be.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> int(population_counts(people.take([0, 1]), people, ["sex"]).min()) > 1
    True
    """
    classes, people = classes_of(release, keys), classes_of(population, keys)
    rows, persons = (
        data.take(some.members[some.starts[:-1]])
        for data, some in ((release, classes), (population, people))
    )
    held = [_holding(rows, persons, name) for name in keys]

    def some(start: int) -> Ints:
        here = np.arange(start, min(start + AT_ONCE, len(rows)))
        fits = held[0](here)
        for one in held[1:]:
            fits &= one(here)
        found: Ints = fits @ people.sizes
        return found

    counts = np.concatenate(on_all_cores(some, range(0, len(rows), AT_ONCE)))
    return classes.scatter(counts)


def _holding(rows: Microdata, people: Microdata, name: str) -> Callable[[Ints], Bools]:
    """Whether the cells of some rows may hold the value of each person."""
    if common_level(people, rows, name) == "numeric":
        ends, values = bounds(rows, name), bounds(people, name)
        unknown = ~values.present

        def within(some: Ints) -> Bools:
            lower, upper = ends.lower[some, None], ends.upper[some, None]
            fits: Bools = (values.upper >= lower) & (values.lower <= upper)
            return fits | ~ends.present[some, None] | unknown

        return within
    listed = common_categories(people, rows, name)
    ours, theirs = (code_sets(data, name, listed) for data in (rows, people))
    # Of a person, too, a cell may be several values: one of them has to be held.
    fits = _members(ours) @ _members(theirs).T > 0
    fits[-1] = True  # missing, though there be no category at all
    return lambda some: fits[ours.cell[some]][:, theirs.cell]


def _members(sets: CodeSets) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """For each cell whether it may be each category; the last, missing, any."""
    cells = len(sets.starts)
    found = np.zeros((cells, len(sets.categories)), np.float32)
    found[np.repeat(np.arange(cells - 1), np.diff(sets.starts)), sets.members] = 1
    found[-1] = 1
    return found
