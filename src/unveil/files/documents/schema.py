"""Schemas as TOML files."""

import os

import msgspec

from unveil.errors import SchemaError, UsageError
from unveil.files.documents.toml import read_toml
from unveil.table.schema import Schema


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
    return read_toml(path, "schema", Schema.from_dict, SchemaError)


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
