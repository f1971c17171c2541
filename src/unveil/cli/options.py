"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from unveil.errors import UsageError
from unveil.wording import listing, suggest

if TYPE_CHECKING:
    from unveil.files.formats.base import Format


class _File(click.Path):
    """A file that is no table, and so cannot be in a database."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        from unveil.files.locations import as_path

        return super().convert(as_path(value), param, ctx)


PATH = _File(path_type=Path, readable=False)  # reading gives better errors than click


class _Table(click.ParamType[str | Path]):
    """A table: a file, a sheet of a workbook, or the URI of a database."""

    name = "table"

    def convert(self, value: str | Path, param: Any, ctx: Any) -> str | Path:  # noqa: ARG002
        from unveil.files.locations import is_uri

        return value if is_uri(value) else Path(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The files of the folder."""
        return [CompletionItem(incomplete, type="file")]


TABLE = _Table()


class Word(click.Choice[str]):
    """One of several words; a wrong one is answered with the nearest."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """The word, if it is one of the list."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            text = error.message.removesuffix(".") + suggest(value, self.choices)
            raise click.BadParameter(text, ctx=ctx, param=param) from None


TRUTH = "True links: an identifier of both files, a row map, or row-order"
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
force_option = click.option("--force", is_flag=True, help="Overwrite files that exist.")
schema_option = click.option(
    "--schema", "-s", type=PATH, help="TOML file: roles and levels of the columns."
)


allow_option = click.option(
    "--allow", multiple=True, metavar="PLACE", help="Further path that the plan may read."
)
engine_option = click.option(
    "--engine", default="auto", show_default=True, help="Engine: auto, local, or an installed one."
)


def seed_option(default: int | None = 0) -> Callable[..., Any]:
    """The option of the random seed."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=default,
        show_default=default is not None,
        metavar="NUMBER",
        help="Random seed.",
    )


_CSV = (
    click.option("--delimiter", help="CSV: delimiter of cells.  [default: detected]"),
    click.option(
        "--encoding",
        help="CSV, SPSS, Stata, SAS: encoding of text.  [default: utf-8; as the file says]",
    ),
    click.option("--decimal", help="CSV: decimal sign, '.' or ','.  [default: .]"),
    click.option("--quote", help="CSV: quotation mark; '' for none.  [default: \"]"),
    click.option("--missing", multiple=True, help="CSV: code of a missing value; may be repeated."),
)
CSV_OPTIONS = ("delimiter", "encoding", "decimal", "quote", "missing")


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a CSV file's dialect to a command."""
    for option in reversed(_CSV):
        command = option(command)
    return command


def format_of(options: Mapping[str, Any], *files: str | Path) -> Format | None:
    """The format that the CSV options describe; None without them.

    It is the dialect of the files that are CSV, else of a file whose format has these options.
    """
    said = {name: options[name] for name in CSV_OPTIONS if options[name] not in (None, ())}
    if not said:
        return None
    import msgspec

    from unveil.files.formats.csv.format import Csv
    from unveil.files.locations import locate, may_have_format

    if said.get("delimiter") in ("tab", "\\t"):
        said["delimiter"] = "\t"
    if any(may_have_format(file, Csv) for file in files):
        return Csv(**said)
    for file in files:
        format_ = locate(file).format
        if format_ is not None and {*said} <= {*format_.__struct_fields__}:
            return msgspec.structs.replace(format_, **said)
    flags = listing(f"--{name}" for name in said)
    raise UsageError(f"{files[0]} is not a CSV file: leave out {flags}")


def split_names(text: str | None) -> tuple[str, ...] | None:
    """Names that are separated by commas."""
    return None if text is None else tuple(n.strip() for n in text.split(",") if n.strip())
