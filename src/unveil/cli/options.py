"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.errors import DataError, SchemaError, UsageError
from unveil.wording import listing

if TYPE_CHECKING:
    from unveil.files.formats.base import Format
    from unveil.table.microdata import Microdata
    from unveil.table.schema import Schema


class _File(click.Path):
    """A file that is no table: it is not kept in a database."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        from unveil.files.locations import as_path

        return super().convert(as_path(value), param, ctx)


PATH = _File(path_type=Path, readable=False)  # reading says more than click would


class _Table(click.ParamType[str | Path]):
    """A table: a file, a sheet of a workbook, or a database's by its URI."""

    name = "table"

    def convert(self, value: str | Path, param: Any, ctx: Any) -> str | Path:  # noqa: ARG002
        from unveil.files.locations import is_uri

        return value if is_uri(value) else Path(value)


TABLE = _Table()

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON to standard output."
)
force_option = click.option("--force", is_flag=True, help="Overwrite files that exist.")
schema_option = click.option(
    "--schema", "-s", type=PATH, help="The TOML file that says what the columns are."
)

_CSV = (
    click.option("--delimiter", help="CSV: what stands between cells; found by itself."),
    click.option(
        "--encoding",
        help="CSV, SPSS, Stata, SAS: how the text is stored.  [default: utf-8; as the file says]",
    ),
    click.option("--decimal", help="CSV: the decimal sign, '.' or ','.  [default: .]"),
    click.option("--quote", help="CSV: what encloses text; '' for nothing.  [default: \"]"),
    click.option(
        "--missing", multiple=True, help="CSV: a code that means missing; may be repeated."
    ),
)
CSV_OPTIONS = ("delimiter", "encoding", "decimal", "quote", "missing")


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a CSV file's dialect."""
    for option in reversed(_CSV):
        command = option(command)
    return command


def format_given(*files: str | Path, **given: Any) -> Format | None:
    """Make the format that the options describe; None where nothing was said.

    It is the dialect of those files that are CSV, else of those that have these options, too.
    """
    said = {name: value for name, value in given.items() if value not in (None, ())}
    if not said:
        return None
    import msgspec

    from unveil.files.formats.csv.format import Csv
    from unveil.files.locations import locate, may_have_format

    if said.get("delimiter") in ("tab", "\\t"):
        said["delimiter"] = "\t"
    if any(may_have_format(file, Csv) for file in files):
        return Csv(**said)
    for file in files:  # which may have some of the options, too
        found = locate(file).format
        if found is not None and {*said} <= {*found.__struct_fields__}:
            return msgspec.structs.replace(found, **said)
    options = listing(f"--{name}" for name in said)
    raise UsageError(f"{files[0]} is not a CSV file: leave out {options}")


def read_table(
    file: str | Path, schema: Path | Schema | None, dialect: Format | None, *, part: bool = False
) -> Microdata:
    """Read a file; in part, the schema may name columns that it does not have."""
    from unveil.files.documents.toml import as_schema
    from unveil.files.locations import may_have_format
    from unveil.workflows.inputs.sources import OWN_SCHEMA, as_microdata

    declared = as_schema(schema)
    if part and declared is not None:
        declared = declared.where_there()
    try:
        fits = dialect is not None and may_have_format(file, type(dialect))
        return as_microdata(file, declared, format=dialect if fits else None)
    except (DataError, SchemaError) as error:
        if part:
            error.or_else(OWN_SCHEMA)
        raise


def names(given: str | None) -> tuple[str, ...] | None:
    """Names that are separated by commas.

    >>> names("age, sex")
    ('age', 'sex')
    """
    return None if given is None else tuple(n.strip() for n in given.split(",") if n.strip())
