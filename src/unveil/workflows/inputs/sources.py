"""Sources of tables: paths, frames or Microdata."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from unveil.errors import DataError, SchemaError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.formats.base import Format
from unveil.files.locations import may_have_format
from unveil.files.tables import read
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema

OWN_SCHEMA = (  # remedy where the original's schema does not fit the release
    "if the release has ranges, sets or stars, give its own schema (release_schema, "
    "--release-schema)"
)


def as_microdata(
    source: Any,
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
) -> Microdata:
    """Microdata from a path or a frame; Microdata has its schema already."""
    if isinstance(source, Microdata):
        if schema is not None:
            raise UsageError("Microdata has its own schema; leave out schema=")
        if format is not None:
            raise UsageError("Microdata has no file format; leave out format=")
        return source
    if isinstance(source, str | os.PathLike):
        return read(source, schema, format=format)
    if format is not None:
        raise UsageError("a frame has no file format: leave out format=")
    return Microdata(source, as_schema(schema))


def read_named(
    locate: Callable[[str], str] | None, source: Any, schema: Schema | None = None
) -> Microdata:
    """Microdata from a source; a place that a document names is where `locate` finds it."""
    if locate is not None and isinstance(source, str | os.PathLike):
        source = locate(os.fspath(source))
    return as_microdata(source, schema)


def table_in(
    format: Format | None,  # noqa: A002 - the word users know
    source: Any,
    schema: Schema | None,
) -> Microdata:
    """Microdata from a source; the format holds for files that may have it."""
    is_file = isinstance(source, str | os.PathLike)
    if not is_file or format is None or not may_have_format(source, type(format)):
        format = None  # noqa: A001
    return as_microdata(source, schema, format=format)


def read_table(
    source: Any,
    schema: Schema | str | os.PathLike[str] | None,
    format: Format | None,  # noqa: A002 - the word users know
    *,
    part: bool = False,
) -> Microdata:
    """Microdata from a source; one that is `part` of the schema may lack columns of it.

    Microdata have a schema already, and keep it.
    """
    declared = None if isinstance(source, Microdata) else as_schema(schema)
    if part and declared is not None:
        declared = declared.where_there()
    try:
        return table_in(format, source, declared)
    except (DataError, SchemaError) as error:
        if part:
            error.or_else(OWN_SCHEMA)
        raise


def schema_for_others(original: Microdata, declared: Schema | None) -> Schema | None:
    """The schema of other files of the same people: as declared, then as the original's labels."""
    if original.codebook is None:
        return declared
    return (Schema() if declared is None else declared).filled_from(original.schema)


def renamed(data: Microdata, names: Mapping[str, str]) -> Microdata:
    """The same table with other names of some columns."""
    columns = [data.column(name).alias(names.get(name, name)) for name in data.columns]
    schema = Schema({names.get(name, name): data.schema[name] for name in data.schema})
    codes = {names.get(name, name): data.missing_code(name) for name in data.columns}
    return Microdata.from_columns(pl.DataFrame(columns), schema.where_there(), codes)
