"""The survey design of a file: weights, households, strata, and groups for the jackknife."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.table.encoding.generalised import bounds
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import numbers
from unveil.table.households import households_of
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair

GROUPS = 20  # of whole households, left out in turn


@dataclass(frozen=True, repr=False, eq=False)
class Design:
    """What each record of a file counts, and the household, the stratum and the group it is in."""

    weight: Floats  # sums to 1
    unit: Ints  # household, or the record itself
    stratum: Ints
    group: Ints
    groups: int

    def take(self, rows: Ints) -> Design:
        """The design of some of the records."""
        weight = self.weight[rows]
        weight = weight / weight.sum() if weight.sum() > 0 else np.full(len(rows), 1 / len(rows))
        return Design(weight, self.unit[rows], self.stratum[rows], self.group[rows], self.groups)

    @cached_property
    def drawn(self) -> tuple[Ints, Ints, Ints]:
        """What is drawn for the sample: the household of each record, and their strata and groups.

        A household in several strata or groups, as a release may have, is several.
        """
        strata = int(self.stratum.max(initial=0)) + 1
        numbers = (self.unit * strata + self.stratum) * self.groups + self.group
        distinct, drawn = np.unique(numbers, return_inverse=True)
        return drawn, distinct // self.groups % strata, distinct % self.groups

    def left_out(self, totals: Floats) -> Floats:
        """Totals of all groups, and of all but each, from those of each group (the first axis)."""
        total: Floats = totals.sum(axis=0, keepdims=True)
        if self.groups == 1:
            return total
        held = np.bincount(self.group, self.weight, minlength=self.groups)
        alone = (held >= held.sum()).reshape(-1, *(1,) * (totals.ndim - 1))
        # A group that has all the weight cannot be left out.
        return np.concatenate([total, total - np.where(alone, 0.0, totals)])

    def group_sums(self, values: Floats) -> Floats:
        """The sums of each group over the records, of columns of values."""
        sums = [
            np.bincount(self.group, column, minlength=self.groups)
            for column in values.reshape(len(values), -1).T
        ]
        return np.array(sums, np.float64).T.reshape(self.groups, *values.shape[1:])


def original_design(original: Microdata, ranks: Ints, seed: int) -> Design:
    """The design of the original; `ranks` order its records by their contents."""
    unit, stratum = _units(original), _strata(original, original)
    group, groups = _groups(ranks, unit, stratum, seed)
    return Design(_weights(original, original), unit, stratum, group, groups)


def release_design(pair: FilePair, original: Design, seed: int) -> Design:
    """The design of a release: a row is in the group of its original, where that is known.

    Weights, households and strata are those of the release: an analyst has no others.
    """
    unit = _units(pair.release, pair.grouping)
    stratum = _strata(pair.original, pair.release)
    records = np.full(len(unit), -1) if pair.truth is None else pair.truth.record_of_row
    group = original.group[records]
    if (records < 0).any():
        own, _ = _groups(pair.release_order, unit, stratum, seed, original.groups)
        group = np.where(records < 0, own, group)
    return Design(_weights(pair.original, pair.release), unit, stratum, group, original.groups)


def _units(data: Microdata, grouping: Sequence[str] | None = None) -> Ints:
    """The household of each record; without their numbers, each record is one."""
    homes = households_of(data, grouping)
    return np.arange(len(data)) if homes is None else homes.of_record


def _strata(original: Microdata, data: Microdata) -> Ints:
    stratum = np.zeros(len(data), np.int64)
    for name in original.schema.with_role("stratum"):
        if name in data.columns:
            cells = np.unique(common_cells(data, column=name)[0], return_inverse=True)[1]
            stratum = np.unique(stratum * len(data) + cells, return_inverse=True)[1]
    return stratum


def _groups(
    ranks: Ints, unit: Ints, stratum: Ints, seed: int, most: int = GROUPS
) -> tuple[Ints, int]:
    """Groups of whole units, drawn within each stratum whatever the order of the rows."""
    by_content = np.argsort(ranks)
    units, first = np.unique(unit[by_content], return_index=True)
    n = len(units)
    groups = max(min(most, n), 1)
    drawn = stream(seed, "measure", "use groups").permutation(n)[np.argsort(np.argsort(first))]
    order = np.lexsort((drawn, stratum[by_content[first]]))
    group = np.empty(n, np.int64)
    group[order] = np.arange(n) % groups
    return group[np.searchsorted(units, unit)], groups


def _weights(original: Microdata, data: Microdata) -> Floats:
    """The weight of each record, by the first column with this role; else all are equal.

    A weight that is missing or below 0 is the mean of the others.
    """
    named = [name for name in original.schema.with_role("weight") if name in data.columns]
    weight = np.ones(len(data))
    if named and data.schema[named[0]].generalised:
        ends = bounds(data, named[0])
        weight = ends.lower / 2 + ends.upper / 2
    elif named:
        weight = numbers(data, named[:1]).values[:, 0]
    valid = np.isfinite(weight) & (weight >= 0)
    top = weight[valid].max(initial=0.0)
    if not top > 0:
        return np.full(len(data), 1 / max(len(data), 1))
    weight = np.where(valid, weight / top, 0.0)
    weight[~valid] = weight[valid].mean()
    shares: Floats = weight / np.sort(weight).sum()
    return shares
