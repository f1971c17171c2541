"""Rows known by what they hold: by an identifier, by their content, never by where they stand."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.support.arrays import Ints
from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata
from unveil.wording import count

REPEATED = 8  # times that a text stands in a column, on average, where it is worth a number


def rows_of_ids(ids: pl.Series, file: Microdata, column: str) -> Ints:
    """The row of a file that has each identifier, from 0; -1: none, or the identifier is missing.

    >>> from unveil.table.sample import households
    >>> rows_of_ids(pl.Series(["3", "99"]), households(10), "person").tolist()
    [2, -1]
    """
    known = pl.DataFrame({"id": labels_of(file.column(column))}).with_row_index("row")
    known = known.drop_nulls()
    twice = len(known) - known["id"].n_unique()
    if twice:
        raise DataError(
            f"column '{column}' names {count(twice, 'row')} more than once: an identifier is "
            "of one record only"
        )
    asked = pl.DataFrame({"id": labels_of(ids)})
    found = asked.join(known, on="id", how="left", maintain_order="left")["row"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy()


def fingerprints(file: Microdata) -> dict[str, int]:
    """A number for each column that varies: whether it has the same cells in the same rows."""
    place = pl.Series(np.arange(1, len(file) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return {
        column.name: int((column.hash() ^ place).hash().sum() or 0)
        for column in (labels_of(file.column(name)) for name in file.columns)
        if column.min() != column.max()
    }


def content_order(
    file: Microdata, other: Microdata | None = None, rows: Ints | None = None
) -> Ints:
    """The place of each row in the order of what rows hold, wherever it stands.

    Rows that are equal stand in the order of their partners: the row of another file for
    each, -1 for none.
    """
    columns = _plain(file)
    if other is not None and rows is not None and _table(columns).is_duplicated().any():
        partners = pl.Series(np.where(rows < 0, len(other), rows))
        columns += [column.extend_constant(None, 1).gather(partners) for column in _plain(other)]
    table = _table(columns)
    order = table.select(pl.arg_sort_by(table.columns, maintain_order=True)).to_series()
    places = np.empty(len(order), np.int64)
    places[order.to_numpy()] = np.arange(len(order))
    return places


def sample_rows(places: Ints, many: int, rng: np.random.Generator) -> Ints:
    """So many rows, ascending, drawn by their places in the order of what rows hold."""
    by_content = np.argsort(places)
    return np.sort(by_content[rng.choice(len(places), many, replace=False)])


def _plain(file: Microdata) -> list[pl.Series]:
    """Columns that sort by what their cells mean, not by how these are stored."""
    columns = (file.column(name) for name in file.columns)
    return [
        _placed(
            labels_of(column) if _is_category(column, file.schema[column.name].level) else column
        )
        for column in columns
    ]


def _is_category(column: pl.Series, level: str | None) -> bool:
    """Whether 10 stands before 9, as in a file where the same category is text."""
    return level in ("nominal", "ordinal") or isinstance(column.dtype, pl.Categorical | pl.Enum)


def _placed(column: pl.Series) -> pl.Series:
    """Text as its place among the texts, which sorts the same and faster, where it repeats."""
    if column.dtype != pl.String:
        return column
    listed = column.drop_nulls().unique()
    few = len(listed) * REPEATED <= len(column)
    return column.cast(pl.Enum(listed.sort())).to_physical() if few else column


def _table(columns: list[pl.Series]) -> pl.DataFrame:
    return pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])


@dataclass(frozen=True, repr=False, eq=False)
class RowIdentity:
    """The rows of two files by what they and their partners hold, found when asked for."""

    intruder_records: Microdata
    release: Microdata
    pairs: Ints | None  # the released row of each of mine, -1 for none; None: not known

    @cached_property
    def record_of_row(self) -> Ints | None:
        """The intruder's record of each released row, -1 for none."""
        if self.pairs is None:
            return None
        back = np.full(len(self.release), -1)
        known = np.flatnonzero(self.pairs >= 0)
        back[self.pairs[known]] = known
        return back

    @cached_property
    def record_order(self) -> Ints:
        """The place of each of the intruder's records."""
        return content_order(self.intruder_records, self.release, self.pairs)

    @cached_property
    def release_order(self) -> Ints:
        """The place of each released row."""
        return content_order(self.release, self.intruder_records, self.record_of_row)


@dataclass(frozen=True, repr=False, eq=False)
class CanonicalOrder:
    """The places of those that ask, and of those that are asked."""

    places: RowIdentity
    reverse: bool

    @property
    def records(self) -> Ints:
        """Of the records that are linked."""
        return self.places.release_order if self.reverse else self.places.record_order

    @property
    def candidates(self) -> Ints:
        """Of those that they are linked with."""
        return self.places.record_order if self.reverse else self.places.release_order
