"""The keys of a release as categories: numbers in ranges, and few enough combinations to model."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.measures.disclosure.uniqueness import perturbed_columns
from unveil.measures.population.keys import MOST_NUMBERS, column_with_role, is_number
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_cells, written_cells
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair
from unveil.values.results.population.in_population import KeyLeftOut, PopulationKey

RANGES = 10  # of a number, at most
CELLS_PER_RECORD = 1_000  # possible combinations: with more, a model only extrapolates
MOST_CELLS = 1_000_000


class _Key(NamedTuple):
    """The categories of a key of each released record."""

    column: str
    codes: Ints
    numeric: bool  # cells below 0 are missing, the others ranks
    before_masking: bool
    ranges: bool = False

    @property
    def categories(self) -> int:
        """The number of different codes."""
        return len(np.unique(self.codes))

    @property
    def can_be_grouped(self) -> bool:
        """Whether ranges would have fewer categories."""
        return self.numeric and not self.ranges and self.categories > RANGES

    def grouped(self) -> _Key:
        """The key in ranges of about equally many records."""
        return self._replace(codes=in_ranges(self.codes), ranges=True)


class PreparedKeys(NamedTuple):
    """The released records by their keys, as categories, with weights and households."""

    data: Microdata
    keys: tuple[PopulationKey, ...]
    left_out: tuple[KeyLeftOut, ...]
    weight: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the keys."""
        return tuple(one.column for one in self.keys)

    @property
    def cells(self) -> int:
        """The possible combinations of their values."""
        return prod(one.categories for one in self.keys)


def prepare_keys(pair: FilePair, columns: Sequence[str]) -> PreparedKeys | None:
    """The released people of a pair by their keys; None if no key is left.

    A key counts as it was released. Where released values may be wrong, the originals count, so
    that the risk is that before the masking: no intruder does better with wrong values. Numbers
    with many values are grouped into at most ten ranges of about equally many records. Where
    still more combinations are possible than a model can count, all numbers are grouped, the
    one with the most values first, and then the keys with the most categories are left out.
    """
    left_out, keys = list[KeyLeftOut](), list[_Key]()
    there = [name for name in dict.fromkeys(columns) if name in pair.columns]
    perturbed = perturbed_columns(pair, there)
    for name in dict.fromkeys(columns):
        if name in there:
            keys.append(_key(pair, name, before_masking=name in perturbed))
            continue
        named = "identifier" in pair.original.schema[name].role
        left_out.append(
            KeyLeftOut(column=name, categories=0, reason="identifier" if named else "not released")
        )
    most = min(CELLS_PER_RECORD * max(len(pair.released), 1), MOST_CELLS)
    while prod(one.categories for one in keys) > most:
        by_width = sorted(range(len(keys)), key=lambda at: -keys[at].categories)
        numbers_first = [at for at in by_width if keys[at].can_be_grouped]
        if numbers_first:
            keys[numbers_first[0]] = keys[numbers_first[0]].grouped()
            continue
        widest = keys.pop(by_width[0])
        left_out.append(
            KeyLeftOut(
                column=widest.column, categories=widest.categories, reason="too many combinations"
            )
        )
    return PreparedKeys(*_table(pair, keys), tuple(left_out), weight_of(pair)) if keys else None


def _key(pair: FilePair, column: str, *, before_masking: bool) -> _Key:
    data, rows = pair.release, pair.released
    if before_masking:
        data, rows = pair.original, pair.originals
    number = is_number(data, column)
    cells = common_cells(data, column=column)[0] if number else written_cells(data, column)
    key = _Key(column, cells[rows], number, before_masking)
    return key.grouped() if number and key.categories > MOST_NUMBERS else key


def in_ranges(cells: Ints) -> Ints:
    """Ranks in at most ten ranges of about equally many records; below 0 as they are.

    >>> in_ranges(np.array([-1, *range(20)])).tolist()[:5]
    [-1, 0, 0, 1, 1]
    """
    present = np.sort(cells[cells >= 0])
    if not len(present):
        return cells
    last = present[[len(present) * place // RANGES - 1 for place in range(1, RANGES)]]
    found: Ints = np.where(cells < 0, cells, np.searchsorted(np.unique(last), cells))
    return found


def weight_of(pair: FilePair) -> str | None:
    """The column of the sampling weights, in the original."""
    return column_with_role(pair.original, "weight")


def _weights(pair: FilePair, weight: str) -> Floats:
    """The weights of the released people; of a subsample, each stands for more people."""
    weights = numbers(pair.original, [weight]).values[:, 0][pair.originals]
    return weights * (len(pair.original) / len(pair.originals))


def _table(pair: FilePair, keys: Sequence[_Key]) -> tuple[Microdata, tuple[PopulationKey, ...]]:
    columns = {one.column: pl.Series(one.codes).cast(pl.String) for one in keys}
    attributes = {name: {"role": "quasi", "level": "nominal"} for name in columns}
    weight, household = weight_of(pair), column_with_role(pair.original, "household")
    if weight is not None and weight not in columns:
        columns[weight] = pl.Series(_weights(pair, weight), dtype=pl.Float64)
        attributes[weight] = {"role": "weight", "level": "numeric"}
    if household is not None and household not in columns:
        homes = common_cells(pair.original, column=household)[0][pair.originals]
        columns[household] = pl.Series(homes).cast(pl.String)
        attributes[household] = {"role": "household", "level": "nominal"}
    used = tuple(
        PopulationKey(
            column=one.column,
            categories=one.categories,
            ranges=one.ranges,
            before_masking=one.before_masking,
        )
        for one in keys
    )
    return Microdata(pl.DataFrame(columns), Schema(attributes)), used
