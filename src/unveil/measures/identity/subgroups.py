"""Subgroups of the records, with names that reveal no cell; households."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.category_names import SMALLEST_GROUP, category_names, declared_names
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.table.encoding.generalised import cell_texts
from unveil.table.encoding.to_arrays import numbers, tied_blocks
from unveil.table.microdata import Microdata
from unveil.values.results.disclosure import GroupMean, HouseholdHits
from unveil.wording import count

MOST_RECORDS = 10**12
FIFTHS = ("lowest fifth", "second fifth", "middle fifth", "fourth fifth", "highest fifth")
MISSING = "missing"


@dataclass(frozen=True, repr=False, eq=False)
class Subgrouping:
    """The records grouped by one column; the names of the groups reveal no cell."""

    column: str
    codes: Ints  # the group of each record: its place among the names
    names: tuple[str, ...]
    sizes: tuple[int, ...]  # records of each group, at least one
    small: tuple[bool, ...]  # whether a group has fewer records than `least`


def subgroups(
    data: Microdata,
    columns: Sequence[str] | None = None,
    *,
    least: int = SMALLEST_GROUP,
    show_values: bool = False,
) -> tuple[Subgrouping, ...]:
    """The records grouped by each column, for risks and losses by group.

    A category is named if the schema declares it, in its order, labels or hierarchy; others have
    letters, A for the most frequent, or with `show_values` their codes. Categories of fewer than
    `least` records are one group. Numbers are in fifths by rank, equal numbers together, without
    their bounds. Missing cells are a group of their own; a generalised cell is a category. The
    default columns are the strata, or the quasi-identifiers if there are none.

    >>> import unveil
    >>> groups = {g.column: g for g in subgroups(unveil.households(300, seed=7))}
    >>> groups["age"].names[0], groups["sex"].names, groups["education"].names[1]
    ('lowest fifth', ('A (most frequent)', 'B (2nd most frequent)'), 'primary')
    """
    least = whole_number(least, "least", 1, MOST_RECORDS)
    if columns is None:
        named = data.schema.with_role("stratum") or data.schema.with_role("quasi")
        columns = [name for name in data.columns if name in named]
    data.check(*columns)
    return tuple(_grouped(data, name, least, show_values=show_values) for name in columns)


def every_subgroup(data: Microdata, *, show_values: bool = False) -> tuple[Subgrouping, ...]:
    """The records grouped by each stratum and by each quasi-identifier.

    >>> import unveil
    >>> [groups.column for groups in every_subgroup(unveil.households(100))][:3]
    ['region', 'sex', 'age']
    """
    named = (*data.schema.with_role("stratum"), *data.schema.with_role("quasi"))
    columns = [name for name in data.columns if name in named]
    return subgroups(data, columns, show_values=show_values)


def by_subgroup(values: Floats, groups: Subgrouping) -> tuple[GroupMean, ...]:
    """The mean value of each group; records whose value is NaN are left out.

    >>> import unveil
    >>> sex = subgroups(unveil.households(300, seed=7), ["sex"])[0]
    >>> [group.mean for group in by_subgroup(sex.codes * 1.0, sex)]
    [0.0, 1.0]
    """
    values = np.asarray(values, np.float64)
    if values.shape != groups.codes.shape:
        records = count(len(groups.codes), "record")
        raise UsageError(f"values: one number for each of the grouping's {records}")
    order = np.argsort(values)  # so that sums do not depend on the order of the rows
    present = order[: len(values) - int(np.isnan(values).sum())]  # NaN stands last
    codes = groups.codes[present]
    sizes = np.bincount(codes, minlength=len(groups.names)).tolist()
    sums = np.bincount(codes, values[present], minlength=len(groups.names)).tolist()
    return tuple(
        GroupMean(name=name, n=n, mean=total / n if n else None, small=small)
        for name, n, total, small in zip(groups.names, sizes, sums, groups.small, strict=True)
    )


def _grouped(data: Microdata, column: str, least: int, *, show_values: bool) -> Subgrouping:
    attribute = data.schema[column]
    by_size = data.level(column) == "numeric" and "stratum" not in attribute.role
    if by_size and not attribute.generalised:
        codes, names = _fifths(data, column)
    else:
        codes, names = _categories(data, column, least, show_values=show_values)
    sizes = np.bincount(codes, minlength=len(names))
    used = np.flatnonzero(sizes)
    place = np.full(len(names), -1)
    place[used] = np.arange(len(used))
    kept = tuple(sizes[used].tolist())
    return Subgrouping(
        column=column,
        codes=place[codes],
        names=tuple(names[group] for group in used),
        sizes=kept,
        small=tuple(size < least for size in kept),
    )


def _fifths(data: Microdata, column: str) -> tuple[Ints, tuple[str, ...]]:
    """Equal numbers are in the fifth of their mean rank."""
    values = numbers(data, [column])
    present = values.present[:, 0]
    twice = tied_blocks(values.values[:, 0], present).twice_rank - 1  # twice the middle, from 0
    codes = np.where(present, twice * len(FIFTHS) // max(2 * int(present.sum()), 1), len(FIFTHS))
    return codes, (*FIFTHS, MISSING)


def _categories(
    data: Microdata, column: str, least: int, *, show_values: bool
) -> tuple[Ints, tuple[str, ...]]:
    cells, attribute = cell_texts(data, column), data.schema[column]
    n_categories = len(cells.categories)
    sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=n_categories)
    frequent = np.lexsort((np.arange(n_categories), -sizes))  # equal sizes by content, not shown
    frequent = frequent[sizes[frequent] >= least]
    by_size = dict(zip(cells.categories, sizes.tolist(), strict=True))
    names = category_names(by_size, declared_names(attribute), show_values=show_values)
    ordered = sorted(frequent.tolist()) if attribute.order else frequent.tolist()
    group = np.full(n_categories + 1, len(ordered))  # the rare ones are one; missing is the last
    group[ordered] = np.arange(len(ordered))
    group[-1] = len(ordered) + 1
    named = (names[cells.categories[code]] for code in ordered)
    return group[cells.codes], (*named, rare_group(least), MISSING)


def rare_group(least: int) -> str:
    """The name of the categories with fewer than `least` records, which are one group."""
    return f"fewer than {count(least, 'record')} each"


class HouseholdChances(NamedTuple):
    """The risk of households."""

    chance: Floats  # per household, that at least one member is linked correctly
    household: Ints  # of each record, its place in these


def household_chances(hits: Floats, households: Ints) -> HouseholdChances:
    """The probability per household that at least one of its members is linked correctly.

    Members are independent: it is 1 minus the product of (1 - hit). A record whose household is
    not known, -1, is a household by itself.

    >>> household_chances(np.array([0.5, 0.5, 0.1]), np.array([8, 8, -1])).chance.round(6).tolist()
    [0.75, 0.1]
    """
    hits, households = np.asarray(hits, np.float64), np.asarray(households)
    if hits.shape != households.shape:
        raise UsageError("households: one for each record")
    alone = households < 0
    distinct = np.where(alone, households.max(initial=-1) + np.cumsum(alone), households)
    _, household = np.unique(distinct, return_inverse=True)
    order = np.argsort(hits)
    with np.errstate(divide="ignore"):  # a member is linked with certainty
        log_missed = np.log1p(-hits[order])
    chance: Floats = -np.expm1(np.bincount(household[order], log_missed))
    return HouseholdChances(chance, household)


def household_hits(hits: Floats, households: Ints, *, together: bool = False) -> HouseholdHits:
    """The expected share of the households with at least one member linked correctly.

    Members are independent; or they are linked `together`, through their household, and the member
    with the highest hit counts.

    >>> household_hits(np.array([0.5, 0.5, 0.25]), np.array([0, 0, 1]))
    HouseholdHits(n=2, share=0.5)
    """
    chance, household = household_chances(hits, households)
    if together:
        chance = np.zeros(len(chance))
        np.maximum.at(chance, household, hits)
    n = len(chance)
    return HouseholdHits(n, float(np.sort(chance).sum()) / n if n else None)
