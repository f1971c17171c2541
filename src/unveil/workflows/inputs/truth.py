"""The truth: which released row is whose."""

import logging
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.errors import DataError, UsageError
from unveil.files.locations import is_table_path
from unveil.files.tables import read_row_map
from unveil.support.arrays import Ints
from unveil.table.microdata import Microdata
from unveil.table.row_identity import fingerprints, rows_of_ids
from unveil.wording import absent_column, count, listing

ROW_ORDER = "row-order"


@dataclass(frozen=True, repr=False, eq=False)
class TruthSources:
    """The files between which the truth is to be told."""

    mine: Microdata  # the intruder's records
    rows: Ints | None  # the original's row of each of them; None for a file of its own
    original: Microdata
    release: Microdata
    row_map: Ints | None  # the original's row of each released row, if the release says so
    origin: dict[str, int]  # fingerprints of the columns that it was made of


def true_rows(truth: Any, where: TruthSources) -> Ints | None:
    """The released row of each of the intruder's records, -1 for none; None: not known."""
    if isinstance(truth, str) and truth == ROW_ORDER:
        return _through(where, _by_position(where), "row-order")
    if isinstance(truth, str) and _is_column(truth, where):
        return _by_identifier(truth, where)
    if isinstance(truth, str | os.PathLike):
        _check_path(truth, where)
        rows = read_row_map(truth, len(where.original), len(where.release))
        return _through(where, _inverse(rows, len(where.original)), "a row map")
    if truth is not None:
        rows = _as_row_map(truth, where)
        return _through(where, _inverse(rows, len(where.original)), "a row map")
    if where.row_map is None:
        return None
    _check_origin(where)
    return _through(where, _inverse(where.row_map, len(where.original)), None)


def _check_origin(where: TruthSources) -> None:
    """A release's own row map is of the table that it was made of, its rows in their order."""
    here = fingerprints(where.original)
    same = {name: here[name] == where.origin[name] for name in here if name in where.origin}
    named = [same[name] for name in where.original.schema.with_role("identifier") if name in same]
    if not all(named) or (same and not any(same.values())):
        raise DataError(
            "the release was made of another table than this original, or of one whose rows stood "
            "in another order, so its row map does not tell which row is whose: attack with the "
            "table that was masked, or give truth="
        )
    if not named and not all(same.values()):
        logging.getLogger("unveil").warning(
            "%s: not as when the release was made; if the rows of the original stand in another "
            "order now, hits are not counted rightly: give truth=",
            listing(name for name, equal in same.items() if not equal),
        )


def _is_column(name: str, where: TruthSources) -> bool:
    return any(name in data.columns for data in (where.mine, where.original, where.release))


def _check_path(truth: str | os.PathLike[str], where: TruthSources) -> None:
    if not is_table_path(truth):
        columns = [name for name in where.mine.columns if name in where.release.columns]
        raise UsageError(
            f"truth: '{os.fspath(truth)}' is no column of the files and no file: give an "
            "identifier that both files have, the file of a row map, or 'row-order'; "
            f"columns of both: {listing(columns) or 'none'}"
        )


def _by_identifier(column: str, where: TruthSources) -> Ints | None:
    if column not in where.mine.columns:
        raise DataError(
            f"truth: in the intruder's records, {absent_column(column, where.mine.columns)}"
        )
    ids = where.mine.column(column)
    if column in where.release.columns:
        if where.rows is not None:
            rows_of_ids(ids, where.mine, column)  # which refuses an identifier of two records
        found = rows_of_ids(ids, where.release, column)
        if where.rows is not None and (found < 0).all():
            raise DataError(
                f"truth: no identifier in column '{column}' of the original is in that of the "
                "release: are they written alike?"
            )
        return found
    if where.rows is None and where.row_map is not None and column in where.original.columns:
        to_release = _inverse(where.row_map, len(where.original))
        return np.append(to_release, -1)[rows_of_ids(ids, where.original, column)]
    raise DataError(
        f"truth: column '{column}' is not in the release, so it does not tell which row is "
        "whose: give a row map, or an identifier that both files have"
    )


def _by_position(where: TruthSources) -> Ints:
    if len(where.original) != len(where.release):
        raise DataError(
            f"truth: 'row-order' needs as many rows in both files; the original has "
            f"{len(where.original):,}, the release {len(where.release):,}"
        )
    return np.arange(len(where.original))


def _through(where: TruthSources, to_release: Ints, given: str | None) -> Ints | None:
    """The released rows of the intruder's records, by way of the original's rows."""
    if where.rows is not None:
        return to_release[where.rows]
    shared = [
        name
        for name in where.original.schema.with_role("identifier")
        if name in where.mine.columns and name in where.original.columns
    ]
    if len(shared) == 1:
        found = rows_of_ids(where.mine.column(shared[0]), where.original, shared[0])
        return np.append(to_release, -1)[found]
    if given is None:
        return None
    raise UsageError(
        f"truth: {given} tells of the original's rows, and the intruder has a file of its own: "
        "declare in the schema the identifier that this file and the original share"
    )


def _inverse(row_map: Ints, originals: int) -> Ints:
    """The released row of each original row, -1 for none."""
    to_release = np.full(originals, -1)
    known = np.flatnonzero(row_map >= 0)
    if row_map.max(initial=-1) >= originals:
        raise DataError(
            f"truth: the release was made of at least {int(row_map.max()) + 1:,} original rows, "
            f"and this original has {originals:,}"
        )
    to_release[row_map[known]] = known
    again = len(known) - int((to_release >= 0).sum())
    if again:
        raise DataError(
            f"truth: {count(again, 'released row')} come from an original row from which another "
            "comes, too: the truth is of one released row for each original"
        )
    return to_release


def _as_row_map(given: Any, where: TruthSources) -> Ints:
    """A row map handed over as numbers: the original's row of each released row, from 0."""
    try:
        rows = np.asarray(given)
    except ValueError:
        rows = np.zeros(0)
    if rows.shape != (len(where.release),) or rows.dtype.kind not in "iu":
        raise UsageError(
            "truth: a column's name, the path of a row map, 'row-order', or whole numbers: the "
            f"original's row of each of the {len(where.release):,} released rows, from 0; -1: none"
        )
    rows = rows.astype(np.int64)
    if rows.max(initial=-1) >= len(where.original) or rows.min(initial=0) < -1:
        raise DataError(f"truth: rows of the original go from 0 to {len(where.original) - 1}")
    return rows
