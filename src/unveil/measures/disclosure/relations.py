"""Relations between the cells of an original that hold for every record, found by search."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

import numpy as np

from unveil.measures.disclosure.possible_values import PossibleValues
from unveil.support.arrays import Bools, Floats
from unveil.table.households import Homes

KINDS = ("households shown", "households read off", "categories", "sums", "orders")
Cells = Mapping[str, PossibleValues]  # by column
Groups = Callable[[Cells], Homes]
Candidate = tuple[tuple[int, ...], tuple[float, ...]]  # places of columns, and their factors
SUPPORT = 20  # exceptions that chance would make; of sums, records with two terms that are not 0
MOST_NUMBERS = 30  # columns among which sums and orders are searched
PROBES = 100  # records that reject most candidates
TOLERANCE = 1e-9  # of a sum, relative to its largest term


@dataclass(frozen=True, repr=False, eq=False)
class Relation(abc.ABC):
    """A relation between cells of a file."""

    kind: str
    columns: tuple[str, ...]

    @abc.abstractmethod
    def narrow(self, cells: Cells) -> list[PossibleValues]:
        """What is left of each of its columns, by other columns or other records."""

    def holds(self, cells: Cells) -> bool:
        """Whether no cell contradicts it."""
        return not any(left.empty.any() for left in self.narrow(cells))


@dataclass(frozen=True, repr=False, eq=False)
class Shared(Relation):
    """All records of a group have the same cell in a column."""

    groups: Groups

    def narrow(self, cells: Cells) -> list[PossibleValues]:
        return [cells[self.columns[0]].shared(self.groups(cells))]


@dataclass(frozen=True, repr=False, eq=False)
class Sum(Relation):
    """Columns times their factors add up to 0."""

    factors: tuple[float, ...]

    def narrow(self, cells: Cells) -> list[PossibleValues]:
        sides = [
            np.sort([cells[name].lower * by, cells[name].upper * by], axis=0)
            for name, by in zip(self.columns, self.factors, strict=True)
        ]
        terms = np.stack(sides)  # columns x ends x records
        slack = TOLERANCE * np.abs(np.where(np.isfinite(terms), terms, 0.0)).max(axis=(0, 1))
        left = []
        for place, (name, by) in enumerate(zip(self.columns, self.factors, strict=True)):
            low, high = np.delete(terms, place, axis=0).sum(axis=0)
            low, high = np.sort([-(low - slack) / by, -(high + slack) / by], axis=0)
            if (decimals := cells[name].decimals) is not None:
                unit = 10.0**decimals
                low, high = np.ceil(low * unit) / unit, np.floor(high * unit) / unit
            left.append(cells[name].within(low, high))
        return left


@dataclass(frozen=True, repr=False, eq=False)
class Order(Relation):
    """The first column is never above the second."""

    def narrow(self, cells: Cells) -> list[PossibleValues]:
        small, large = (cells[name] for name in self.columns)
        return [small.within(small.lower, large.upper), large.within(small.lower, large.upper)]


def shared_in(cells: Cells, groups: Groups, kind: str) -> Iterator[Shared]:
    """The columns that are the same within groups of records, and not by chance."""
    of_record = groups(cells).of_record
    for name, values in cells.items():
        known = values.exact
        shares = np.unique(values.lower[known], return_counts=True)[1] / max(known.sum(), 1)
        repeats = known.sum() - len(np.unique(of_record[known]))
        found = Shared(kind, (name,), groups)
        if repeats * (1 - (shares**2).sum()) >= SUPPORT and found.holds(cells):
            yield found


def determined(original: Cells, wanted: Sequence[str]) -> Iterator[Shared]:
    """The wanted columns that the category of another column determines."""
    for name in [name for name, values in original.items() if values.categories is not None]:
        columns = {other: original[other] for other in (name, *wanted)}
        for found in shared_in(columns, partial(_alike, name), KINDS[2]):
            if found.columns != (name,):
                yield found


def _alike(name: str, cells: Cells) -> Homes:
    return Homes.from_cells(cells[name].keys)


def sums_and_orders(original: Cells, wanted: Sequence[str]) -> Iterator[Relation]:
    """Sums of two or three columns, fixed ratios, and orders, that say something of the wanted."""
    names = [name for name, one in original.items() if _varies(one)]
    names = sorted(names, key=lambda name: name not in wanted)[:MOST_NUMBERS]
    if len(names) < 2:
        return
    values = np.column_stack([original[name].single for name in names])
    counts = ~np.isnan(values) & (values != 0)
    probes = values[np.lexsort((*values.T, -counts.sum(axis=1)))[:PROBES]]
    for places, factors in (*_ratios(probes), *_sums(probes)):
        complete = ~np.isnan(values[:, places]).any(axis=1)
        sum_of = Sum(KINDS[3], tuple(names[place] for place in places), factors)
        if (complete & (counts[:, places].sum(axis=1) > 1)).sum() >= SUPPORT:
            yield from _if_holds(sum_of, original, wanted)
    for small, large in permutations(range(len(names)), 2):
        if not (probes[:, small] > probes[:, large]).any():
            known = values[~np.isnan(values[:, [small, large]]).any(axis=1)][:, [small, large]]
            below = np.searchsorted(np.sort(known[:, 0]), known[:, 1], "right")
            if (len(known) - below).sum() >= SUPPORT * len(known):  # by chance
                order = Order(KINDS[4], (names[small], names[large]))
                yield from _if_holds(order, original, wanted)


def _if_holds(found: Relation, original: Cells, wanted: Sequence[str]) -> Iterator[Relation]:
    if not set(wanted).isdisjoint(found.columns) and found.holds(original):
        yield found


def _varies(values: PossibleValues) -> bool:
    known = values.lower[values.exact]
    return values.categories is None and len(known) > 0 and bool(known.min() < known.max())


def _sums(probes: Floats) -> Iterator[Candidate]:
    """Two or three columns and, last, the one that may be their sum."""
    for n in (2, 3):
        for terms in combinations(range(probes.shape[1]), n):
            fits = _equal(probes[:, terms].sum(axis=1)[:, None], probes).all(axis=0)
            for total in np.flatnonzero(fits).tolist():
                if total not in terms:
                    yield (*terms, total), (*[1.0] * n, -1.0)


def _ratios(probes: Floats) -> Iterator[Candidate]:
    """Two columns of which one may be a multiple of the other."""
    for pair in combinations(range(probes.shape[1]), 2):
        a, b = probes[:, pair].T
        known = np.flatnonzero((a * b != 0) & ~np.isnan(a * b))
        if len(known) and _equal(a, b * (ratio := float(a[known[0]] / b[known[0]]))).all():
            yield pair, (1.0, -ratio)


def _equal(a: Floats, b: Floats) -> Bools:
    """Whether numbers are equal up to rounding; a missing one may be."""
    fits: Bools = ~(np.abs(a - b) > TOLERANCE * np.maximum(np.abs(a), np.abs(b)))
    return fits
