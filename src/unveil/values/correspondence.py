"""Correspondence: the record of each released row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import DataError
from unveil.support.arrays import Ints


@dataclass(frozen=True, repr=False, eq=False)
class Correspondence:
    """The released row of each record, and the record of each released row; -1 for none.

    Every statement of the truth takes this form: an identifier of both files, a row map, the order
    of the rows. A row map holds the record of each released row.
    """

    row_of_record: Ints
    record_of_row: Ints

    @classmethod
    def from_row_map(cls, row_map: ArrayLike, n_records: int) -> Correspondence:
        """The correspondence of a row map; of several rows of a record, the last stands for all."""
        record_of_row = np.asarray(row_map, np.int64)
        return cls(_inverse(record_of_row, n_records), record_of_row)

    @classmethod
    def from_rows(cls, row_of_record: ArrayLike, n_rows: int) -> Correspondence:
        """The correspondence in which each record has this released row."""
        rows = np.asarray(row_of_record, np.int64)
        return cls(rows, _inverse(rows, n_rows))

    @property
    def rows(self) -> Ints:
        """The released rows that belong to a record, ascending."""
        return np.flatnonzero(self.record_of_row >= 0)

    @property
    def records(self) -> Ints:
        """The record of each of these `rows`."""
        return self.record_of_row[self.rows]

    def take_records(self, records: Ints) -> Correspondence:
        """The same among some of the records, in this order."""
        return Correspondence.from_rows(self.row_of_record[records], len(self.record_of_row))


def _inverse(partners: Ints, n: int) -> Ints:
    if partners.max(initial=-1) >= n:
        raise DataError(
            f"truth: the release has at least {int(partners.max()) + 1:,} original rows, and "
            f"this original has {n:,}; give the right original"
        )
    back = np.full(n, -1)
    known = np.flatnonzero(partners >= 0)
    back[partners[known]] = known
    return back
