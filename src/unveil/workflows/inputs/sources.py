"""Paths, frames or Microdata go in everywhere."""

import os
from collections.abc import Mapping
from typing import Any

import polars as pl

from unveil.errors import UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.formats.base import Format
from unveil.files.tables import read
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema

OWN_SCHEMA = (  # what to do where a release cannot be read as the original is
    "if cells of the release are ranges, sets or stars, give its own schema, as unveil mask writes "
    "it (release_schema, --release-schema)"
)


def as_microdata(
    source: Any,
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
) -> Microdata:
    """Make Microdata of a path or a frame; what is Microdata already has its schema."""
    if isinstance(source, Microdata):
        if schema is not None:
            raise UsageError("this Microdata has a schema already: leave out schema=")
        if format is not None:
            raise UsageError("this Microdata is read already: leave out format=")
        return source
    if isinstance(source, str | os.PathLike):
        return read(source, schema, format=format)
    if format is not None:
        raise UsageError("a frame has no file format: leave out format=")
    return Microdata(source, as_schema(schema))


def for_others(original: Microdata, declared: Schema | None) -> Schema | None:
    """What the columns of other files of the same people are, unless they say it themselves.

    As declared; and as the original's own file says, if it is one that has labels.
    """
    if original.codebook is None:
        return declared
    return (Schema() if declared is None else declared).filled_from(original.schema)


def renamed(data: Microdata, names: Mapping[str, str]) -> Microdata:
    """The same table, some columns under other names.

    >>> from unveil.table.sample import households
    >>> renamed(households(5).select(["age", "sex"]), {"age": "years"}).columns
    ('years', 'sex')
    """
    columns = [data.column(name).alias(names.get(name, name)) for name in data.columns]
    schema = Schema({names.get(name, name): data.schema[name] for name in data.schema})
    return Microdata(pl.DataFrame(columns), schema.where_there())
