"""Rows identified by an identifier or by their content, never by their position."""

import hashlib

import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.support.arrays import Ints
from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata
from unveil.wording import count

MEAN_REPEATS = 8  # of a text in a column, from which sorting its code is faster


def rows_of_ids(ids: pl.Series, file: Microdata, column: str) -> Ints:
    """The row of a file with each identifier, from 0; -1 for none or a missing identifier."""
    known = pl.DataFrame({"id": labels_of(file.column(column))}).with_row_index("row")
    known = known.drop_nulls()
    twice = len(known) - known["id"].n_unique()
    if twice:
        raise DataError(
            f"column '{column}' repeats identifiers in {count(twice, 'row')}; an identifier "
            "belongs to one record"
        )
    queries = pl.DataFrame({"id": labels_of(ids)})
    rows = queries.join(known, on="id", how="left", maintain_order="left")["row"]
    return rows.cast(pl.Int64).fill_null(-1).to_numpy()


def fingerprints(file: Microdata) -> dict[str, int]:
    """A hash of each column that varies, of its cells and their rows."""
    place = pl.Series(np.arange(1, len(file) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return {
        column.name: int((column.hash() ^ place).hash().sum() or 0)
        for column in (labels_of(file.column(name)) for name in file.columns)
        if column.min() != column.max()
    }


def content_order(
    file: Microdata, other: Microdata | None = None, rows: Ints | None = None
) -> Ints:
    """The rank of each row in the order of the rows' content.

    Equal rows are ordered by their partners: `rows` of another file, -1 for none.
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


def columns_by_content(file: Microdata) -> Microdata:
    """The same table, its columns ordered by their cells; columns of equal cells by their names.

    So neither the order of the columns in the file nor that of its rows means anything.
    """

    def content(name: str) -> tuple[bytes, str]:
        cells = labels_of(file.column(name)).fill_null("").sort()
        return hashlib.sha256("\0".join(cells).encode()).digest(), name

    return file.select(sorted(file.columns, key=content))


def sample_rows(ranks: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Draw n rows by their content ranks, whatever their order in the file; ascending."""
    by_content = np.argsort(ranks)
    return np.sort(by_content[rng.choice(len(ranks), n, replace=False)])


def _plain(file: Microdata) -> list[pl.Series]:
    """The columns, sortable by the meaning of their cells and not by their storage."""
    columns = [file.column(name) for name in file.columns]
    columns += [file.missing_code(name) for name in file.columns if file.has_missing_codes(name)]
    return [
        _placed(
            labels_of(column) if _is_category(column, file.schema[column.name].level) else column
        )
        for column in columns
    ]


def _is_category(column: pl.Series, level: str | None) -> bool:
    """Whether cells sort as text, so that 10 precedes 9 in every file."""
    return level in ("nominal", "ordinal") or isinstance(column.dtype, pl.Categorical | pl.Enum)


def _placed(column: pl.Series) -> pl.Series:
    """Text as its rank among the texts, which sorts faster, where texts repeat."""
    if column.dtype != pl.String:
        return column
    listed = column.drop_nulls().unique()
    few = len(listed) * MEAN_REPEATS <= len(column)
    return column.cast(pl.Enum(listed.sort())).to_physical() if few else column


def _table(columns: list[pl.Series]) -> pl.DataFrame:
    return pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
