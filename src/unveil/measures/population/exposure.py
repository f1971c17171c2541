"""The records that an intruder sees, with the people who may have their keys.

A released record with key j is right with probability r = lambda_j M_jj / (sum of lambda_k M_kj):
Bayes' rule with the expected people lambda_k of each true key and the probability M_kj that one of
them is released with key j. If it is right, the people with key j are this one and a Poisson number
of others with mean a = lambda_j (1 - pi M_jj). Without errors r is 1 and a is lambda (1 - pi).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.grid import Grid
from unveil.measures.population.key_table import KeyTable, check_size, key_table
from unveil.measures.population.keys import is_number
from unveil.measures.population.log_linear import LogLinear
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.table.reordered import Reordered
from unveil.values.correspondence import Correspondence
from unveil.values.release.channels import Channel
from unveil.values.release.release import Release
from unveil.wording import listing

MOST_COMBINATIONS = 5_000  # of columns that a mask changed together


class Change(NamedTuple):
    """The probabilities that values of some columns became others: true row, released column."""

    axes: tuple[int, ...]
    matrix: Floats


@dataclass(frozen=True)
class Exposure:
    """The keys of the records that an intruder sees, and how each can have become another."""

    seen: KeyTable
    changes: tuple[Change, ...] = ()

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The columns whose released values may be wrong."""
        axes = sorted({axis for change in self.changes for axis in change.axes})
        return tuple(self.seen.columns[axis] for axis in axes)

    def true_people(self, fitted: Floats) -> Floats:
        """The expected records of each true key: the model is fitted to these."""
        return fitted

    def right_and_unseen(self, model: LogLinear, fraction: float) -> tuple[Floats, Floats]:
        """Of each cell that is seen, the probability r of a record to be right, and the mean a."""
        cells, shape = self.seen.cells, self.seen.grid.shape
        everybody = self.true_people(model.fitted) / fraction
        people = np.maximum(everybody[cells], 0.0)
        if not self.changes:
            return np.ones(len(cells)), people * (1 - self.seen.share)
        kept, released = np.ones(len(cells)), everybody
        places = np.array(np.unravel_index(cells, shape))
        for change in self.changes:
            axes, matrix = change
            flat = np.ravel_multi_index(tuple(places[list(axes)]), [shape[axis] for axis in axes])
            kept *= np.diag(matrix)[flat]
            released = after_changes(released, shape, change)
        right = np.divide(
            people * kept, released[cells], out=np.zeros(len(cells)), where=released[cells] > 0
        )
        return np.minimum(right, 1.0), people * (1 - self.seen.share * kept)


def after_changes(values: Floats, shape: tuple[int, ...], change: Change) -> Floats:
    """The expected counts after values of some axes became others."""
    axes, matrix = change
    ends = tuple(range(len(axes)))
    front = np.moveaxis(values.reshape(shape), axes, ends)
    after = (matrix.T @ front.reshape(len(matrix), -1)).reshape(front.shape)
    found: Floats = np.moveaxis(after, ends, axes).ravel()
    return found


def released_keys(
    data: Microdata, release: Release, columns: Sequence[str], weights: Floats
) -> tuple[KeyTable, Exposure]:
    """The true keys of the released people, and the keys with which they were released.

    A deterministic change (recoding, rounding, ranges) is not an error: an intruder applies the
    same change to known values, so the released value counts as the true one.
    """
    if release.row_map is None:
        raise UsageError(
            "the release is synthetic: no row belongs to a person, so it has no sample uniques"
        )
    release.data.check(*columns)
    rows = Correspondence.from_row_map(release.row_map, len(data)).record_of_row
    true, seen, changes = [], [], []
    files = Reordered(data, rows), release.data
    masking = {name: _channels(release, name) for name in columns}
    for name in columns:
        before, after = common_cells(data, release.data, column=name)
        before = before[rows] if masking[name] else after
        both = np.unique(np.append(before, after), return_inverse=True)[1]
        true.append(both[: len(rows)])
        seen.append(both[len(rows) :])
    sizes = [int(max(a.max(), b.max())) + 1 for a, b in zip(true, seen, strict=True)]
    numeric = [is_number(data, name) and is_number(release.data, name) for name in columns]
    check_size(columns, sizes, numeric)
    for channel in dict.fromkeys(one for channels in masking.values() for one in channels):
        axes = tuple(axis for axis, name in enumerate(columns) if name in channel.columns)
        kept = channel.only([columns[axis] for axis in axes])
        shape = [sizes[axis] for axis in axes]
        before, after = (
            np.ravel_multi_index([keys[axis] for axis in axes], shape) for keys in (true, seen)
        )
        changes.append(Change(axes, _matrix(kept, files, (before, after), prod(shape))))
    grid = Grid(tuple(sizes))
    tables = [key_table(columns, grid, keys, weights[rows]) for keys in (true, seen)]
    return tables[0], Exposure(tables[1], tuple(changes))


def _channels(release: Release, column: str) -> tuple[Channel, ...]:
    """What can have made a column's values wrong; none if it is as it was, or only coarser."""
    channels = release.channels_of(column)
    certain = [one.only_coarser for one in channels]
    if all(certain):
        return ()
    if any(certain):
        raise UsageError(
            f"column '{column}' was made coarser and also changed at random, and the probabilities "
            "of the two are not known together: leave it out of the columns"
        )
    return channels


def _matrix(
    channel: Channel, files: tuple[Microdata, Microdata], places: tuple[Ints, Ints], size: int
) -> Floats:
    """The probabilities of a channel over the values, or combinations, of its columns."""
    if size > MOST_COMBINATIONS:
        raise UsageError(
            f"{listing(channel.columns)} were changed together and have {size:,} combinations of "
            f"values, more than {MOST_COMBINATIONS:,}: leave one of them out of the columns"
        )
    matrix = channel.changes(*files, places, size)
    if matrix is not None:
        return matrix
    raise UsageError(
        f"{listing(channel.columns)}: the plan gives no probability that a released value is true "
        "(PRAM, swapping and recoding do); leave it out of the columns, or attack the release"
    )
