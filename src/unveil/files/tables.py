"""Read tables and row maps; write tables, schemas, plans, policies and evidence."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl

from unveil.errors import DataError, UsageError, errors_at
from unveil.files.atomic_write import complete_files, write_bytes
from unveil.files.documents.toml import as_schema, to_toml
from unveil.files.formats.base import Format
from unveil.files.locations import as_path, locate
from unveil.support.arrays import Ints
from unveil.table.columns import first_row, not_numbers, stored_as
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.links import Links
from unveil.values.pair_decisions import Decisions
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release
from unveil.values.results.evidence import Audit
from unveil.values.results.policy import Policy
from unveil.wording import count, listing


def read(
    path: str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
) -> Microdata:
    """Read microdata from a file, or from a table of a database.

    Parameters
    ----------
    path
        The file; its suffix names the format: CSV, Parquet, Arrow, SPSS, Stata, SAS, Excel
        (``survey.xlsx#sheet``). Or a URI: ``sqlite:///survey.db?table=people``,
        ``postgresql://host/db?query=select ...``.
    schema
        The roles and levels of the columns: a :class:`~unveil.Schema`, or the path of its TOML
        file. Labels and missing codes that it does not declare are taken from the file.
    format
        The format, where the suffix does not name it or its options matter:
        ``unveil.files.Csv(delimiter=";", decimal=",")``.

    Examples
    --------
    >>> import tempfile, unveil
    >>> folder = tempfile.TemporaryDirectory()
    >>> unveil.write(unveil.households(100), f"{folder.name}/survey.csv")
    >>> unveil.read(f"{folder.name}/survey.csv", unveil.Schema(quasi=["age", "region"]))
    Microdata(100 records, 15 columns: 2 quasi)
    >>> folder.cleanup()
    """
    location, declared = locate(path), as_schema(schema)
    return location.load(declared, format)


def write(
    value: Microdata | Release | Links | Decisions | Schema | Plan | Policy | Audit,
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
    force: bool = False,
    keep_order: bool | None = None,
    row_map: str | os.PathLike[str] | None = None,
) -> None:
    """Write a table to a file, or to a database; a schema, plan or policy to a TOML file.

    Links are written as splink's table of pairs; see :meth:`unveil.Links.pairs`. Decisions are
    written as the linked and the clerical pairs, with their class. An audit is written as its
    evidence, a JSON file.

    :func:`read` reads a table from the same path. The file is written whole or not at all and is
    readable by its owner only; an existing one is replaced only with ``force``, and keeps its
    permissions.

    The rows of a release are shuffled, by its seed: their order would tell who is who.
    ``keep_order`` keeps the original order (default: what the plan says). ``row_map`` is a second
    table, with the original row of each released row. Whoever holds it can undo the masking, so
    it is written only on request.

    Examples
    --------
    >>> import tempfile, unveil
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unveil.write(unveil.Schema(quasi="age"), f"{folder}/survey.toml")
    ...     unveil.files.read_schema(f"{folder}/survey.toml")
    Schema(1 attribute: 1 quasi)
    """
    if not isinstance(value, Release) and (keep_order is not None or row_map is not None):
        raise UsageError("keep_order and row_map go with a release")
    if isinstance(value, Release):
        write_release(
            value, path, format=format, force=force, keep_order=keep_order, row_map=row_map
        )
    elif isinstance(value, Audit):
        from unveil.files.documents.evidence import write_evidence  # which reads tables

        write_evidence(value.evidence, path, force=force)
    elif isinstance(value, Links | Decisions):
        pairs = value.pairs()
        if pairs.is_empty():
            raise DataError("no record has a candidate, so there are no pairs to write").at(
                str(path)
            )
        locate(path).save(Microdata(pairs), format, force=force)
    elif isinstance(value, Schema | Plan | Policy):
        target = as_path(path)
        if format is not None:
            raise UsageError("a schema, a plan or a policy is written as TOML: leave out format=")
        write_bytes(target, to_toml(value), force=force)
    elif isinstance(value, Microdata):
        locate(path).save(value, format, force=force)
    else:
        raise UsageError(
            "microdata, a release, links, decisions, a schema, a plan, a policy or an audit can be "
            f"written, not {type(value).__name__}"
        )


def write_release(
    release: Release,
    path: str | os.PathLike[str],
    *,
    format: Format | None,  # noqa: A002
    force: bool,
    keep_order: bool | None = None,
    row_map: str | os.PathLike[str] | None = None,
    companions: Mapping[Path, Plan | Schema] = MappingProxyType({}),
) -> None:
    """Write a release, its row map and the documents that go with it.

    The release comes last of all but the row map: a kill may leave a plan without its release,
    but neither a release without its plan nor an older release or row map beside a new plan.
    """
    if keep_order not in (None, True, False):
        raise UsageError("keep_order: True or False")
    keep = release.plan.keep_order if keep_order is None else keep_order
    written = release if keep else release.shuffled()
    old_map = None
    if row_map is not None:
        if written.row_map is None:
            raise UsageError(
                "synthetic rows have no original row, so there is no row map; leave it out"
            )
        if locate(row_map).overlaps(locate(path)):
            raise UsageError("the row map and the release are one file: name another")
        locate(row_map).check_target(force=force)
        old_map = locate(row_map).file if locate(row_map).replaces_file else None
    documents = {place: to_toml(document) for place, document in companions.items()}
    with complete_files(documents, force=force) as move:

        def before() -> None:
            if old_map is not None:
                old_map.unlink(missing_ok=True)
            move()

        locate(path).save(written.data, format, force=force, before=before)
    if row_map is None or written.row_map is None:
        return
    rows = {"released": np.arange(len(written.data)) + 1, "original": written.row_map + 1}
    write(Microdata(pl.DataFrame(rows)), row_map, force=force)


def read_row_map(path: str | os.PathLike[str], originals: int, released: int) -> Ints:
    """Read the original row of each released row; -1 where it has none.

    A row map is a table with the columns `released` and `original`; rows are counted from 1.
    """
    table = read(path)
    with errors_at(str(path)):
        released_rows = _row_numbers(table, "released", released)
        original_rows = _row_numbers(table, "original", originals, blank=True)
        first = np.unique(released_rows, return_index=True)[1]
        listed = len(first)
        if listed < len(released_rows):
            again = int(np.delete(np.arange(len(released_rows)), first)[0]) + 1
            raise DataError(
                f"the row map lists a released row twice, the second time in row {again:,} of the "
                "map; list every released row once"
            )
        if listed < released:
            raise DataError(
                f"the row map lists {listed:,} of {released:,} released rows: list them all, with "
                "no original where they have none"
            )
    row_map = np.full(released, -1)
    row_map[released_rows] = original_rows
    return row_map


def _row_numbers(table: Microdata, column: str, n_rows: int, *, blank: bool = False) -> Ints:
    """A column of row numbers, counted from 0; -1 where the cell is blank."""
    if column not in table.columns:
        raise DataError(
            f"a row map has the columns released and original; this has: {listing(table.columns)}"
        )
    cells = table.column(column)
    if stored_as(cells) == "text" and (words := not_numbers(cells)).any():
        raise DataError(
            f"the row map's column '{column}' has cells that are not row numbers: "
            f"{int(words.sum()):,}, the first in row {first_row(words):,}; give the map of this "
            "release"
        )
    values = numbers(table, [column]).values[:, 0]
    inside = (values >= 1) & (values <= n_rows) & (values == np.rint(values))
    inside |= np.isnan(values) & blank
    if not inside.all():
        raise DataError(
            f"the row map's column '{column}' has {count(int((~inside).sum()), 'number')} "
            f"outside the rows of its file (1 to {n_rows:,}); give the map of this release"
        )
    return np.where(np.isnan(values), 0, values).astype(np.int64) - 1
