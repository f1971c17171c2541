"""Subgroups of the records, named without telling a cell; households."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.table.encoding.generalised import cell_texts
from unveil.table.encoding.to_arrays import numbers, tied_blocks
from unveil.table.microdata import Microdata
from unveil.values.results.disclosure import GroupMean, HouseholdHits
from unveil.wording import count

LEAST = 10  # records of a category that is shown by itself
MOST_RECORDS = 10**12
FIFTHS = ("lowest fifth", "second fifth", "middle fifth", "fourth fifth", "highest fifth")
MISSING = "missing"


@dataclass(frozen=True, repr=False, eq=False)
class Subgrouping:
    """The records in groups by one column, the groups' names telling no cell."""

    column: str
    codes: Ints  # the group of each record: its place among the names
    names: tuple[str, ...]
    sizes: tuple[int, ...]  # how many records each has, at least one
    small: tuple[bool, ...]  # fewer records than asked for


def subgroups(
    data: Microdata, columns: Sequence[str] | None = None, *, least: int = LEAST
) -> tuple[Subgrouping, ...]:
    """The records in groups by each of some columns, to say a risk or a loss by group.

    A category is named if the schema declares it, in its order, labels or hierarchy; others
    are numbered from the most frequent to the least. Categories of fewer records than `least`
    are one group. Numbers are in fifths by rank, equal ones together, and no bounds are told.
    Missing cells are a group of their own; a generalised cell is a category.

    Parameters
    ----------
    data
        The records.
    columns
        Strata, if there are any, else the quasi-identifiers, if not given.
    least
        How many records a category needs to stand by itself.

    >>> import unveil
    >>> groups = {g.column: g for g in subgroups(unveil.households(300, seed=7))}
    >>> groups["age"].names[0], groups["sex"].names, groups["education"].names[1]
    ('lowest fifth', ('category 1', 'category 2'), 'primary')
    """
    least = whole_number(least, "least", 1, MOST_RECORDS)
    if columns is None:
        named = data.schema.with_role("stratum") or data.schema.with_role("quasi")
        columns = [name for name in data.columns if name in named]
    data.check(*columns)
    return tuple(_grouped(data, name, least) for name in columns)


def every_subgroup(data: Microdata) -> tuple[Subgrouping, ...]:
    """The records in groups by the strata, and by the quasi-identifiers too.

    >>> import unveil
    >>> [one.column for one in every_subgroup(unveil.households(100))][:3]
    ['region', 'sex', 'age']
    """
    named = (*data.schema.with_role("stratum"), *data.schema.with_role("quasi"))
    return subgroups(data, [name for name in data.columns if name in named])


def by_subgroup(
    values: Floats, groups: Subgrouping, *, order: Ints | None = None
) -> tuple[GroupMean, ...]:
    """The mean of each group; a record whose value is NaN is left out.

    `order` has the records in the order of their values, where that is known already.

    >>> import unveil
    >>> sex = subgroups(unveil.households(300, seed=7), ["sex"])[0]
    >>> [one.mean for one in by_subgroup(sex.codes * 1.0, sex)]
    [0.0, 1.0]
    """
    values = np.asarray(values, np.float64)
    if values.shape != groups.codes.shape:
        many = count(len(groups.codes), "record")
        raise UsageError(f"the means of subgroups are of one number for each of {many}")
    if order is None:  # sums are made in an order that the rows' has no part in
        order = np.argsort(values)
    there = len(values) - int(np.isnan(values).sum())  # NaN stands last
    ascending, codes = values[order[:there]], groups.codes[order[:there]]
    each = np.bincount(codes, minlength=len(groups.names))
    sums = np.bincount(codes, ascending, minlength=len(groups.names))
    return tuple(
        GroupMean(name=name, n=n, mean=total / n if n else None, small=small)
        for name, n, total, small in zip(
            groups.names, each.tolist(), sums.tolist(), groups.small, strict=True
        )
    )


def _grouped(data: Microdata, column: str, least: int) -> Subgrouping:
    attribute = data.schema[column]
    by_size = data.level(column) == "numeric" and "stratum" not in attribute.role
    if by_size and not attribute.generalised:
        codes, names = _fifths(data, column)
    else:
        codes, names = _categories(data, column, least)
    sizes = np.bincount(codes, minlength=len(names))
    there = np.flatnonzero(sizes)
    place = np.full(len(names), -1)
    place[there] = np.arange(len(there))
    kept = tuple(sizes[there].tolist())
    return Subgrouping(
        column,
        place[codes],
        tuple(names[group] for group in there),
        kept,
        tuple(size < least for size in kept),
    )


def _fifths(data: Microdata, column: str) -> tuple[Ints, tuple[str, ...]]:
    """Equal numbers go where the middle of them stands."""
    values = numbers(data, [column])
    present = values.present[:, 0]
    twice = tied_blocks(values.values[:, 0], present).twice_rank - 1  # twice the middle, from 0
    codes = np.where(present, twice * len(FIFTHS) // max(2 * int(present.sum()), 1), len(FIFTHS))
    return codes, (*FIFTHS, MISSING)


def _categories(data: Microdata, column: str, least: int) -> tuple[Ints, tuple[str, ...]]:
    cells, attribute = cell_texts(data, column), data.schema[column]
    many = len(cells.categories)
    sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=many)
    frequent = np.lexsort((np.arange(many), -sizes))  # as many: by content, which is not shown
    frequent = frequent[sizes[frequent] >= least]
    declared = {row[0] for row in attribute.hierarchy} | {*attribute.order}
    shown = {label: label for label in declared} | attribute.labels
    names, unnamed = {}, 0
    for code in frequent.tolist():
        label = cells.categories[code]
        unnamed += label not in shown
        names[code] = shown.get(label, f"category {unnamed}")
    ordered = sorted(names) if attribute.order else list(names)
    group = np.full(many + 1, len(ordered))  # the rare ones together; at the end what is missing
    group[ordered] = np.arange(len(ordered))
    group[-1] = len(ordered) + 1
    rare = f"fewer than {count(least, 'record')} each"
    return group[cells.codes], (*(names[code] for code in ordered), rare, MISSING)


class HouseholdChances(NamedTuple):
    """What households are at risk of."""

    each: Floats  # of each household, that at least one member is found
    of: Ints  # the household of each record, its place in these


def household_chances(hits: Floats, households: Ints) -> HouseholdChances:
    """The chance of each household that at least one of its members is found.

    Members are found independently: it is 1 less the product of their chances not to be. A
    record whose household is not known, -1, is one by itself.

    >>> household_chances(np.array([0.5, 0.5, 0.1]), np.array([8, 8, -1])).each.round(6).tolist()
    [0.75, 0.1]
    """
    hits, households = np.asarray(hits, np.float64), np.asarray(households)
    if hits.shape != households.shape:
        raise UsageError("households: one for each record")
    alone = households < 0
    own = np.where(alone, households.max(initial=-1) + np.cumsum(alone), households)
    _, of = np.unique(own, return_inverse=True)
    order = np.argsort(hits)
    with np.errstate(divide="ignore"):  # somebody is found for certain
        missed = np.log1p(-hits[order])
    each: Floats = -np.expm1(np.bincount(of[order], missed))
    return HouseholdChances(each, of)


def household_hits(hits: Floats, households: Ints) -> HouseholdHits:
    """The share of the households of which at least one member is expected to be found.

    >>> household_hits(np.array([0.5, 0.5, 0.25]), np.array([0, 0, 1]))
    HouseholdHits(n=2, share=0.5)
    """
    each = household_chances(hits, households).each
    return HouseholdHits(len(each), float(np.sort(each).sum()) / len(each) if len(each) else None)
