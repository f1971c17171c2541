"""Read a table from a file, write one to a file."""

import os

from unveil.errors import DataError, UsageError
from unveil.files.atomic_write import write_bytes
from unveil.files.documents.plan import plan_toml, row_map_table
from unveil.files.documents.policy import policy_toml
from unveil.files.documents.schema import as_schema, schema_toml
from unveil.files.formats.base import Format
from unveil.files.locations import as_path, place_of
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.links import Links
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release
from unveil.values.results.evidence import Audit
from unveil.values.results.policy import Policy


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
        The file; its ending names the format: CSV, Parquet, Arrow, SPSS, Stata, SAS, Excel
        (``survey.xlsx#sheet``). Or a URI: ``sqlite:///survey.db?table=people``,
        ``postgresql://host/db?query=select ...``.
    schema
        What the columns are: a :class:`~unveil.Schema`, or the path of its TOML file. What it
        leaves open is filled from the labels and missing codes that the file has.
    format
        The format, where the ending does not say it or its options matter:
        ``unveil.Csv(delimiter=";", decimal=",")``.

    Examples
    --------
    >>> import tempfile, unveil
    >>> folder = tempfile.TemporaryDirectory()
    >>> unveil.write(unveil.households(100), f"{folder.name}/survey.csv")
    >>> unveil.read(f"{folder.name}/survey.csv", unveil.Schema(quasi=["age", "region"]))
    Microdata(100 records, 15 columns: 2 quasi)
    >>> folder.cleanup()
    """
    place, declared = place_of(path), as_schema(schema)
    return place.load(declared, format)


def write(
    value: Microdata | Release | Links | Schema | Plan | Policy | Audit,
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
    force: bool = False,
    keep_order: bool | None = None,
    row_map: str | os.PathLike[str] | None = None,
) -> None:
    """Write a table to a file, or to a database; a schema, plan or policy to a TOML file.

    Links are written as splink's table of pairs; see :meth:`unveil.Links.pairs`. An audit is
    written as its evidence, a JSON file.

    A table goes by its name where :func:`read` would look for it. It is written whole or not at
    all, and a file is readable by its owner only; an existing one is replaced only with
    ``force``, and keeps its rights.

    The rows of a release are shuffled, by its seed: their order would tell who is who.
    ``keep_order`` leaves them as they are (if not given, as the plan says). ``row_map`` is
    a second table, with the original row of each released row: whoever has it has
    undone the masking, so it is written only when asked for.

    Examples
    --------
    >>> import tempfile, unveil
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unveil.write(unveil.Schema(quasi="age"), f"{folder}/survey.toml")
    ...     unveil.read_schema(f"{folder}/survey.toml")
    Schema(1 attribute: 1 quasi)
    """
    if not isinstance(value, Release) and (keep_order is not None or row_map is not None):
        raise UsageError("keep_order and row_map go with a release")
    if isinstance(value, Release):
        _write_release(value, path, format, force=force, keep_order=keep_order, row_map=row_map)
        return
    if isinstance(value, Audit):
        from unveil.files.documents.evidence import write_evidence  # which reads tables

        write_evidence(value.evidence, path, force=force)
        return
    if isinstance(value, Links):
        pairs = value.pairs()
        if pairs.is_empty():
            raise DataError("nobody has a candidate: there are no pairs to write").at(str(path))
        value = Microdata(pairs)
    if not isinstance(value, Microdata):
        write_bytes(as_path(path), _toml(value, format), force=force)
        return
    place_of(path).save(value, format, force=force)


def _toml(value: object, format: Format | None) -> bytes:  # noqa: A002
    if not isinstance(value, Schema | Plan | Policy):
        raise UsageError(
            "microdata, a release, links, a schema, a plan, a policy or an audit can be written, "
            f"not {type(value).__name__}"
        )
    if format is not None:
        raise UsageError("a schema, a plan or a policy is written as TOML: leave out format=")
    if isinstance(value, Policy):
        return policy_toml(value)
    return schema_toml(value) if isinstance(value, Schema) else plan_toml(value)


def _write_release(
    release: Release,
    path: str | os.PathLike[str],
    format: Format | None,  # noqa: A002
    *,
    force: bool,
    keep_order: bool | None,
    row_map: str | os.PathLike[str] | None,
) -> None:
    if keep_order not in (None, True, False):
        raise UsageError("keep_order: True or False")
    kept = release.plan.keep_order if keep_order is None else keep_order
    shown = release if kept else release.shuffled()
    if row_map is None:
        write(shown.data, path, format=format, force=force)
        return
    if shown.row_map is None:
        raise UsageError("synthetic rows come from no original row: there is no row map")
    if place_of(row_map).overlaps(place_of(path)):
        raise UsageError("the row map and the release are one file: name another")
    place_of(row_map).check_target(force=force)
    write(shown.data, path, format=format, force=force)  # no map without a release
    write(row_map_table(shown.row_map), row_map, force=force)
