"""Schemas as TOML files."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from unveil.data.schema import Schema
from unveil.errors import FileError, SchemaError, UnveilError, UsageError, reason


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """Read a schema from its TOML file.

    A file has a table ``[attributes.NAME]`` for each column, or lists such as
    ``quasi = ["age", "sex"]``, or both.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "survey.toml")
    ...     _ = path.write_text('keyVars = ["age", "sex"]')
    ...     read_schema(path).with_role("quasi")
    ('age', 'sex')
    """
    path = as_path(path)
    try:
        return Schema.from_dict(msgspec.toml.decode(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise FileError(f"the schema cannot be read: {reason(error)}").at(str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"this is not TOML: {error}").at(str(path)) from None
    except UnveilError as error:
        error.at(str(path))
        raise


def as_path(given: str | os.PathLike[str]) -> Path:
    """A path, or an error that says that it is none."""
    try:
        return Path(given)
    except TypeError:
        raise UsageError(f"a file is named by its path, not {type(given).__name__}") from None


def schema_toml(schema: Schema) -> bytes:
    """Return the schema as the bytes of its TOML file."""
    return msgspec.toml.encode(schema.to_dict())


def as_schema(given: Schema | str | os.PathLike[str] | None) -> Schema | None:
    """Return a schema, reading it from its file if a path is given."""
    if given is None or isinstance(given, Schema):
        return given
    if isinstance(given, str | os.PathLike):
        return read_schema(given)
    raise UsageError(f"a schema is a Schema or a path, not {type(given).__name__}")
