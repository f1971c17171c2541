"""Blocks: records are compared only with those that are equal in what was not masked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.support.arrays import Bools, Ints
from unveil.table.encoding.shared_attributes import common_categories, common_level, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.links import ComparisonBlock


@dataclass(frozen=True, repr=False, eq=False)
class RecordBlocks:
    """The block of each record of both files: the combination of its cells, by number.

    A missing cell may be any: its record belongs to every block that its other cells allow.
    """

    mine: Ints
    released: Ints
    cells: Ints  # blocks x attributes, as codes; -1 is missing
    columns: tuple[str, ...]

    @property
    def gappy(self) -> bool:
        """Whether any cell is missing."""
        return bool((self.cells < 0).any())

    def sizes(self, asking: Ints, asked: Ints) -> Ints:
        """How many rows each record may be compared with, counted without listing them."""
        many = np.bincount(asked, minlength=len(self.cells))
        if not self.gappy:
            return many[asking]
        gappy = np.flatnonzero((self.cells < 0).any(axis=1))
        found, place = np.unique(asking, return_inverse=True)
        sizes: Ints = np.array(
            [many[self._open_to(block, gappy)].sum() for block in found.tolist()]
        )
        return sizes[place]

    def parts(self, asking: Ints, asked: Ints, records: Ints) -> list[ComparisonBlock]:
        """The records by block, each with the rows that it may be compared with."""
        order = np.argsort(asked, kind="stable")
        starts = np.searchsorted(asked[order], np.arange(len(self.cells) + 1))
        gappy = np.flatnonzero((self.cells < 0).any(axis=1))
        mine = asking[records]
        by_block = np.argsort(mine, kind="stable")
        found = []
        for own in np.split(by_block, np.flatnonzero(np.diff(mine[by_block])) + 1):
            here = self._open_to(int(mine[own[0]]), gappy)
            rows = np.concatenate([order[starts[b] : starts[b + 1]] for b in here])
            found.append(ComparisonBlock(own, np.sort(rows)))
        return found

    def fit(self, mine: Ints, released: Ints) -> Bools:
        """Whether records of these blocks may be equal."""
        a, b = self.cells[mine], self.cells[released]
        equal: Bools = ((a == b) | (a < 0) | (b < 0)).all(axis=1)
        return equal

    def _open_to(self, block: int, gappy: Ints) -> Ints:
        """The blocks whose records may be equal to this one's."""
        missing = (self.cells[block] < 0).any()
        if not (missing or len(gappy)):
            return np.array([block])
        others = np.arange(len(self.cells)) if missing else np.append(gappy, block)
        return others[self.fit(np.full(len(others), block), others)]


def blocks_by(mine: Microdata, released: Microdata, columns: Sequence[str]) -> RecordBlocks:
    """Number the combinations of cells of both files; without columns all are one block."""
    number = np.zeros(len(mine) + len(released), np.int64)
    coded = [_coded(mine, released, column) for column in columns]
    for cells in coded:
        width = int(cells.max(initial=-1)) + 2
        number = np.unique(number * width + cells + 1, return_inverse=True)[1]
    _, first = np.unique(number, return_index=True)
    shown = np.array([cells[first] for cells in coded], np.int64)
    return RecordBlocks(
        number[: len(mine)],
        number[len(mine) :],
        shown.reshape(len(columns), len(first)).T,
        tuple(columns),
    )


def _coded(mine: Microdata, released: Microdata, column: str) -> Ints:
    """The cells of one column of both files, one after the other, as codes; -1 is missing."""
    if common_level(mine, released, column) == "numeric":
        values = np.concatenate(common_numbers(mine, released, column=column))
        coded = np.full(len(values), -1)
        present = ~np.isnan(values)
        coded[present] = np.unique(values[present], return_inverse=True)[1]
        return coded
    listed = common_categories(mine, released, column)
    both = [codes(data, column, listed).codes for data in (mine, released)]
    return np.concatenate(both).astype(np.int64)
