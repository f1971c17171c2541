"""The truth: which released row belongs to which record."""

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
from unveil.values.correspondence import Correspondence
from unveil.wording import absent_column, count, listing, suggest
from unveil.workflows.inputs.joined_releases import JoinedReleases

ROW_ORDER = "row-order"


@dataclass(frozen=True, repr=False, eq=False)
class _TruthSources:
    """The files, and what a release itself says of the truth."""

    records: Microdata  # the intruder's
    rows: Ints | None  # the original's row of each of them; None for a file of its own
    original: Microdata
    joined: JoinedReleases  # the release, which may know its row map

    @property
    def release(self) -> Microdata:
        return self.joined.data


def correspondence(
    truth: Any, records: Microdata, rows: Ints | None, original: Microdata, joined: JoinedReleases
) -> Correspondence | None:
    """The truth in whatever form a user states it; None if it is not known.

    The records are the intruder's; `rows` are theirs in the original, None for a file of its own.
    """
    found = _rows_of_records(truth, _TruthSources(records, rows, original, joined))
    return None if found is None else Correspondence.from_rows(found, len(joined.data))


def _rows_of_records(truth: Any, sources: _TruthSources) -> Ints | None:
    if isinstance(truth, str):
        if truth == ROW_ORDER:
            if len(sources.original) != len(sources.release):
                raise DataError(
                    "truth: 'row-order' needs the same number of rows in both files; the "
                    f"original has {len(sources.original):,}, the release "
                    f"{len(sources.release):,}"
                )
            return _through(sources, np.arange(len(sources.original)), "row-order")
        files = (sources.records, sources.original, sources.release)
        if any(truth in data.columns for data in files):
            return _by_identifier(truth, sources)
    if truth is not None:
        rows = _row_map(truth, sources)
        return _through(sources, _row_of_original(rows, len(sources.original)), "a row map")
    if sources.joined.row_map is None:
        return None
    _check_origin(sources)
    return _through(sources, _row_of_original(sources.joined.row_map, len(sources.original)), None)


def _row_map(truth: Any, sources: _TruthSources) -> Ints:
    """The original's row of each released row, from 0, read or given as numbers."""
    if isinstance(truth, str | os.PathLike):
        if not is_table_path(truth):
            columns = [name for name in sources.records.columns if name in sources.release.columns]
            raise UsageError(
                f"truth: '{os.fspath(truth)}' is neither a common column nor a file; give an "
                "identifier of both files, a row map, or "
                f"'row-order'{suggest(truth, columns, 'common columns are')}"
            )
        return read_row_map(truth, len(sources.original), len(sources.release))
    try:
        rows = np.asarray(truth)
    except ValueError:
        rows = np.zeros(0)
    if rows.shape != (len(sources.release),) or rows.dtype.kind not in "iu":
        raise UsageError(
            "truth: a column's name, the path of a row map, 'row-order', or whole numbers: the "
            f"original's row of each of the {len(sources.release):,} released rows, from 0; -1: "
            "none"
        )
    rows = rows.astype(np.int64)
    if rows.max(initial=-1) >= len(sources.original) or rows.min(initial=0) < -1:
        raise DataError(f"truth: rows of the original go from 0 to {len(sources.original) - 1}")
    return rows


def _check_origin(sources: _TruthSources) -> None:
    """The row map of a release holds for the masked table only, its rows in their order."""
    here = fingerprints(sources.original)
    same = {
        name: here[name] == sources.joined.origin[name]
        for name in here
        if name in sources.joined.origin
    }
    named = [same[name] for name in sources.original.schema.with_role("identifier") if name in same]
    if not all(named) or (same and not any(same.values())):
        raise DataError(
            "the release was made from another table or row order than this original, so its "
            "row map does not fit; give the table that was masked, or truth="
        )
    if not named and not all(same.values()):
        logging.getLogger("unveil").warning(
            "%s: changed since the release was made; if the row order of the original changed, "
            "hits are wrong: give truth=",
            listing(name for name, equal in same.items() if not equal),
        )


def _by_identifier(column: str, sources: _TruthSources) -> Ints | None:
    if column not in sources.records.columns:
        raise DataError(
            f"truth: in the intruder's records, {absent_column(column, sources.records.columns)}"
        )
    ids = sources.records.column(column)
    if column in sources.release.columns:
        if sources.rows is not None:
            rows_of_ids(ids, sources.records, column)  # refuses an identifier of two records
        found = rows_of_ids(ids, sources.release, column)
        if sources.rows is not None and (found < 0).all():
            raise DataError(
                f"truth: no identifier in column '{column}' of the original is in the release; "
                "check how both files write them, or give a row map if the release has pseudonyms"
            )
        return found
    if (
        sources.rows is None
        and sources.joined.row_map is not None
        and column in sources.original.columns
    ):
        to_release = _row_of_original(sources.joined.row_map, len(sources.original))
        return np.append(to_release, -1)[rows_of_ids(ids, sources.original, column)]
    raise DataError(
        f"truth: column '{column}' is not in the release, so it cannot identify rows; give a row "
        "map or an identifier of both files"
    )


def _through(sources: _TruthSources, to_release: Ints, source: str | None) -> Ints | None:
    """The released rows of the intruder's records, through the original's rows."""
    if sources.rows is not None:
        return to_release[sources.rows]
    shared = [
        name
        for name in sources.original.schema.with_role("identifier")
        if name in sources.records.columns and name in sources.original.columns
    ]
    if len(shared) == 1:
        found = rows_of_ids(sources.records.column(shared[0]), sources.original, shared[0])
        return np.append(to_release, -1)[found]
    if source is None:
        return None
    raise UsageError(
        f"truth: {source} refers to rows of the original, and the intruder has a separate file; "
        "declare in the schema the identifier that this file and the original share"
    )


def _row_of_original(row_map: Ints, originals: int) -> Ints:
    """The released row of each original row, -1 for none; two rows of one original are refused."""
    truth = Correspondence.from_row_map(row_map, originals)
    again = len(truth.rows) - int((truth.row_of_record >= 0).sum())
    if again:
        raise DataError(
            f"truth: {count(again, 'released row')} with the same original as another row; the "
            "truth has at most one released row for each original"
        )
    return truth.row_of_record
