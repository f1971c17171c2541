"""The table of all possible keys: how many records and people each combination of values has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.grid import Grid, Term, weighted_counts
from unveil.measures.population.keys import (
    check_numbers,
    check_people,
    checked_fraction,
    is_number,
    weights_of,
)
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import labels_of
from unveil.table.encoding.shared_attributes import written_cells
from unveil.table.microdata import Microdata
from unveil.wording import count, listing

MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class KeyTable:
    """The cells of a table of keys that occur in a sample; the others are empty."""

    columns: tuple[str, ...]
    grid: Grid
    cells: Ints  # that occur, ascending
    records: Floats  # of each cell that occurs
    people: Floats  # the sum of their weights
    cell_of: Ints  # the place among the cells of each record
    effect: float  # by which unequal weights multiply the variance of a count

    @cached_property
    def n(self) -> float:
        """The records."""
        return float(self.records.sum())

    @cached_property
    def population(self) -> float:
        """The people, by the weights."""
        return float(self.people.sum())

    @property
    def share(self) -> Floats:
        """The share of each cell's people that are in the sample."""
        shares: Floats = self.records / self.people
        return shares

    @property
    def fraction(self) -> float:
        """The share of all people that are in the sample."""
        return self.n / self.population

    @cached_property
    def scaled(self) -> Floats:
        """The people of each cell, scaled to the number of records: what models are fitted to."""
        return self.people * self.fraction

    def observed(self, term: Term) -> Floats:
        """A margin of the sample, scaled to its records."""
        return self.grid.total(self.cells, self.scaled, term)

    def names(self, term: Term) -> tuple[str, ...]:
        """The columns of a term."""
        return tuple(self.columns[axis] for axis in term)


def key_table(
    columns: Sequence[str], grid: Grid, keys: Sequence[Ints], weights: Floats
) -> KeyTable:
    """Count records by their keys, given as the place of each record's value in each column."""
    flat = np.ravel_multi_index(tuple(keys), grid.shape)
    cells, cell_of, records = np.unique(flat, return_inverse=True, return_counts=True)
    order = np.argsort(weights)  # so that sums do not depend on the order of the rows
    people = weighted_counts(cell_of[order], weights[order], len(cells))
    ordered = weights[order]
    effect = len(weights) * float((ordered**2).sum()) / float(ordered.sum()) ** 2
    counts = records.astype(np.float64)
    return KeyTable(tuple(columns), grid, cells, counts, people, cell_of, effect)


def sample_keys(data: Microdata, columns: Sequence[str], weights: Floats) -> KeyTable:
    """Count a sample by its keys; an empty cell of the data and each missing code is a value."""
    keys = [np.unique(written_cells(data, name), return_inverse=True)[1] for name in columns]
    sizes = [int(key.max()) + 1 for key in keys]
    check_size(columns, sizes, [is_number(data, name) for name in columns])
    return key_table(columns, Grid(tuple(sizes)), keys, weights)


def check_size(columns: Sequence[str], sizes: Sequence[int], numeric: Sequence[bool]) -> None:
    """Refuse numbers with many values, and more possible combinations than a model counts."""
    for name, size, number in zip(columns, sizes, numeric, strict=True):
        if number:
            check_numbers(name, size)
    if prod(sizes) > MOST_CELLS:
        widest = columns[int(np.argmax(sizes))]
        raise UsageError(
            f"{listing(columns)}: {prod(sizes):,} combinations of values are possible, and a "
            f"model counts at most {MOST_CELLS:,}: recode '{widest}', which has "
            f"{max(sizes):,} values, or leave a column out"
        )


def record_weights(
    data: Microdata,
    weight: str | None,
    fraction: float | Mapping[str, float] | None,
    strata: str | None,
) -> Floats:
    """The number of people that each record represents.

    By the weights, or by one sampling fraction, or by the fraction of each stratum; with strata,
    weights are averaged in each.
    """
    weights = _weights(data, weight, fraction, strata)
    check_people(float(weights.sum()))
    return weights


def _weights(
    data: Microdata,
    weight: str | None,
    fraction: float | Mapping[str, float] | None,
    strata: str | None,
) -> Floats:
    if fraction is not None and weight is not None:
        raise UsageError("weight, fraction: give one of them")
    if isinstance(fraction, Mapping):
        return _by_stratum(data, fraction, strata)
    if fraction is not None:
        if strata is not None:
            raise UsageError(
                "strata: the fraction of each stratum is needed, as a mapping of its categories"
            )
        return np.full(len(data), 1 / checked_fraction(fraction))
    if weight is None:
        raise UsageError(
            "population counts cannot be estimated without weights or a sampling fraction. "
            "Declare a column with the role weight, or give fraction; without them, `uniqueness` "
            "counts the records that are unique in the sample"
        )
    weights = weights_of(data, weight)
    if strata is not None:
        stratum = np.unique(written_cells(data, strata), return_inverse=True)[1]
        order = np.argsort(weights)
        mean = np.bincount(stratum[order], weights[order]) / np.bincount(stratum)
        weights = mean[stratum]
    return weights


def _by_stratum(data: Microdata, fraction: Mapping[str, float], strata: str | None) -> Floats:
    if strata is None:
        raise UsageError("fraction: one for each stratum needs strata, the column of the strata")
    labels = labels_of(data.column(strata)).to_list()
    people = {str(label): 1 / checked_fraction(share) for label, share in fraction.items()}
    absent = sum(label not in people for label in labels)
    if absent:
        raise UsageError(
            f"fraction: column '{strata}' is without a fraction in {count(absent, 'record')}; give "
            "one for each category, and leave out the records whose stratum is missing"
        )
    unknown = len(set(people) - set(labels))
    if unknown:
        raise UsageError(
            f"fraction: {unknown:,} of the strata given have no record in column '{strata}'; "
            "correct their names, or leave them out"
        )
    return np.array([people[label] for label in labels])
