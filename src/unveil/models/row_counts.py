"""Rows that fit each row (stars as wildcards, people of a population), and equal households."""

from collections.abc import Callable, Sequence

import numpy as np

from unveil.errors import UsageError
from unveil.grouping.classes import Classes
from unveil.grouping.wildcards import count_fitting_rows
from unveil.support.arrays import Bools, Ints
from unveil.support.equal_rows import same_rows
from unveil.support.threads import cores, on_all_cores
from unveil.table.encoding.form_columns import add_form_columns
from unveil.table.encoding.generalised import CodeSets, bounds, code_sets
from unveil.table.encoding.shared_attributes import common_categories, common_level, written_cells
from unveil.table.households import Homes
from unveil.table.microdata import Microdata
from unveil.values.single_values import hidden_cells

ROWS_AT_ONCE = 256  # compared with all people together


def classes_of(data: Microdata, keys: Sequence[str]) -> Classes:
    """Records whose cells are written alike in all keys.

    An empty cell is a value, and so is each missing code; a generalised cell is its text.
    """
    if not keys:
        raise UsageError("name at least one key column")
    cells = np.column_stack([written_cells(data, name) for name in keys])
    groups = same_rows(cells.astype(np.float64), np.zeros(0), cores(None))
    return Classes(groups.order, groups.starts)


def household_classes(data: Microdata, keys: Sequence[str], homes: Homes) -> Ints:
    """The class of each household: of as many members, whose cells are written alike in all keys.

    Members are compared whatever their order.
    """
    classes = classes_of(data, keys)
    labels = classes.scatter(np.arange(len(classes.sizes)))
    members = labels[np.lexsort((labels, homes.of_record))]
    found, many = np.empty(len(homes), np.int64), 0
    for size in np.unique(homes.sizes).tolist():
        alike = homes.sizes == size
        rows = members[homes.starts[:-1][alike, None] + np.arange(size)]
        distinct, places = np.unique(rows, axis=0, return_inverse=True)
        found[alike] = places.ravel() + many
        many += len(distinct)
    return found


def wildcard_counts(data: Microdata, keys: Sequence[str]) -> Ints:
    """For each record the number that fit it, itself included; stars and empty cells fit all."""
    classes = classes_of(data, keys)
    first = classes.members[classes.starts[:-1]]
    columns = []
    for name in keys:
        cells = written_cells(data, name)[first]
        coded = data.missing_code(name).is_not_null().to_numpy()
        shown = (coded | ~hidden_cells(data, name))[first]
        codes = np.full(len(first), -1, np.int32)
        codes[shown] = np.unique(cells[shown], return_inverse=True)[1]
        columns.append(codes)
    # The columns first in which fewest pairs of rows are equal.
    columns.sort(key=lambda codes: int((np.bincount(codes + 1) ** 2).sum()))
    return classes.scatter(count_fitting_rows(np.column_stack(columns), classes.sizes))


def population_counts(release: Microdata, population: Microdata, keys: Sequence[str]) -> Ints:
    """For each released record the people of the population that it may belong to."""
    classes, people, compatible = compatible_classes(release, population, keys)
    counts = over_classes(len(classes.sizes), lambda chosen: compatible(chosen) @ people.sizes)
    return classes.scatter(counts)


def compatible_classes(
    release: Microdata, population: Microdata, keys: Sequence[str]
) -> tuple[Classes, Classes, Callable[[Ints], Bools]]:
    """The classes of both files, and a function from released classes to those that fit them."""
    classes, people = classes_of(release, keys), classes_of(population, keys)
    rows, persons = (
        data.take(alike.members[alike.starts[:-1]])
        for data, alike in ((release, classes), (population, people))
    )
    persons, rows, codes = add_form_columns(persons, rows, keys, spellings=False)
    compatible = [_compatible(rows, persons, name) for name in (*keys, *codes)]

    def fitting(chosen: Ints) -> Bools:
        fits = compatible[0](chosen)
        for fits_column in compatible[1:]:
            fits &= fits_column(chosen)
        return fits

    return classes, people, fitting


def over_classes(many: int, function: Callable[[Ints], Ints]) -> Ints:
    """The results of a function of some classes, for all of them, on all cores."""
    starts = range(0, many, ROWS_AT_ONCE)
    parts = [np.arange(start, min(start + ROWS_AT_ONCE, many)) for start in starts]
    return np.concatenate(on_all_cores(function, parts))


def _compatible(rows: Microdata, people: Microdata, name: str) -> Callable[[Ints], Bools]:
    """A function from rows to whether their cells may hold the value of each person."""
    if common_level(people, rows, name) == "numeric":
        ends, values = bounds(rows, name), bounds(people, name)
        unknown = ~values.present

        def within(chosen: Ints) -> Bools:
            lower, upper = ends.lower[chosen, None], ends.upper[chosen, None]
            fits: Bools = (values.upper >= lower) & (values.lower <= upper)
            return fits | ~ends.present[chosen, None] | unknown

        return within
    listed = common_categories(people, rows, name)
    ours, theirs = (code_sets(data, name, listed) for data in (rows, people))
    # A person's cell may be several values, too: one of them has to fit.
    fits = _members(ours) @ _members(theirs).T > 0
    fits[-1] = True  # missing, though there be no category at all
    return lambda chosen: fits[ours.cell[chosen]][:, theirs.cell]


def _members(sets: CodeSets) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """For each cell whether it may be each category; the last cell, missing, may be any."""
    cells = len(sets.starts)
    found = np.zeros((cells, len(sets.categories)), np.float32)
    found[np.repeat(np.arange(cells - 1), np.diff(sets.starts)), sets.members] = 1
    found[-1] = 1
    return found
