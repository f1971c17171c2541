"""Paired samples: records of both files, a record together with its released twin."""

from dataclasses import dataclass

import numpy as np

from unveil.support.arrays import Bools, Ints
from unveil.support.seeds import stream
from unveil.table.row_identity import sample_rows
from unveil.values.file_pair import FilePair


@dataclass(frozen=True, repr=False, eq=False)
class PairedSampler:
    """Draws records of both files by their contents; the order of the rows has no effect."""

    pair: FilePair
    seed: int

    def originals(self, most: int, name: str) -> Ints:
        """At most `most` original rows, sorted by their contents; `name` is the random stream's."""
        return self._draw(self.pair.original_order, np.arange(len(self.pair.original)), most, name)

    def released(self, originals: Ints, most: int, name: str, avoid: Ints | None = None) -> Ints:
        """At most `most` released rows: the twins of these originals in their order, then others.

        Rows of the originals to avoid are not drawn.
        """
        truth = self.pair.truth
        rows = np.full(len(self.pair.release), -1) if truth is None else truth.record_of_row
        twin = self._places(originals)[rows]
        twins = np.flatnonzero(twin >= 0)
        twins = twins[np.argsort(twin[twins], kind="stable")]
        if (np.diff(twin[twins]) == 0).any():  # several rows of one original: by their contents
            twins = twins[np.lexsort((self.pair.release_order[twins], twin[twins]))]
        free: Bools = twin < 0
        if avoid is not None:
            free &= ~np.isin(rows, avoid)
        others = np.flatnonzero(free)
        more = max(min(most, len(rows)) - len(twins), 0)
        if not more or not len(others):  # their order by contents need not be computed
            return twins
        return np.concatenate(
            [twins, self._draw(self.pair.release_order, others, more, f"{name} others")]
        )

    def _draw(self, places: Ints, rows: Ints, most: int, name: str) -> Ints:
        if most < len(rows):
            rows = rows[sample_rows(places[rows], most, stream(self.seed, "measure", name))]
        return rows[np.argsort(places[rows])]

    def _places(self, originals: Ints) -> Ints:
        """The place of each original row among these, -1: none; the last is for row -1."""
        places = np.full(len(self.pair.original) + 1, -1)
        places[originals] = np.arange(len(originals))
        return places

    def take(self, originals: Ints, released: Ints) -> FilePair:
        """The two files with these rows only; at least one each."""
        truth = self.pair.truth
        rows = None if truth is None else self._places(originals)[truth.record_of_row[released]]
        files = self.pair.original.take(originals), self.pair.release.take(released)
        return FilePair.of(*files, rows)
