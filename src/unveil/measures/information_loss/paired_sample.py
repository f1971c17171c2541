"""Some records of both files, drawn by what they hold, a record and its twin together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.support.arrays import Bools, Ints
from unveil.support.seeds import stream
from unveil.table.row_identity import content_order, sample_rows
from unveil.values.file_pair import FilePair


@dataclass(frozen=True, repr=False, eq=False)
class PairedSampler:
    """Draws records of both files; whom depends on what rows hold, not on where they stand.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> draws = PairedSampler(FilePair(sample, sample, np.arange(100)), seed=0)
    >>> some = draws.originals(10, "learning")
    >>> bool((draws.released(some, 10, "learning") == some).all())
    True
    """

    both: FilePair
    seed: int

    @cached_property
    def _original(self) -> Ints:
        partners = np.full(len(self.both.original), -1)
        partners[self.both.originals] = self.both.released
        return content_order(self.both.original, self.both.release, partners)

    @cached_property
    def _release(self) -> Ints:
        return content_order(self.both.release, self.both.original, self.both.rows)

    def originals(self, most: int, name: str) -> Ints:
        """So many original rows, or all; in the order of what they hold."""
        return self._some(self._original, np.arange(len(self.both.original)), most, name)

    def released(self, originals: Ints, most: int, name: str, avoid: Ints | None = None) -> Ints:
        """So many released rows: the twins of these originals in their order, then others.

        No row of an original to avoid is among them.
        """
        rows = np.full(len(self.both.release), -1) if self.both.rows is None else self.both.rows
        places = np.full(len(self.both.original) + 1, -1)  # the last is for -1, nobody
        places[originals] = np.arange(len(originals))
        twin = places[rows]
        twins = np.flatnonzero(twin >= 0)
        twins = twins[np.argsort(twin[twins], kind="stable")]
        if (np.diff(twin[twins]) == 0).any():  # several rows of one original: by what they hold
            twins = twins[np.lexsort((self._release[twins], twin[twins]))]
        free: Bools = twin < 0
        if avoid is not None:
            free &= ~np.isin(rows, avoid)
        others = np.flatnonzero(free)
        more = max(min(most, len(rows)) - len(twins), 0)
        if not more or not len(others):  # then nobody need know in which order they stand
            return twins
        return np.concatenate([twins, self._some(self._release, others, more, f"{name} others")])

    def _some(self, places: Ints, rows: Ints, most: int, name: str) -> Ints:
        if most < len(rows):
            rows = rows[sample_rows(places[rows], most, stream(self.seed, "measure", name))]
        return rows[np.argsort(places[rows])]

    def taken(self, originals: Ints, released: Ints) -> FilePair:
        """Both files with these rows only; empty ones are not allowed."""
        places = np.full(len(self.both.original) + 1, -1)
        places[originals] = np.arange(len(originals))
        rows = None if self.both.rows is None else places[self.both.rows[released]]
        return FilePair(self.both.original.take(originals), self.both.release.take(released), rows)
