"""Help in sections: the options of a command under headings, the commonest first."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from unveil.cli.options import CSV_OPTIONS

WIDTH = 24  # of the column of the options
CSV = "csv"  # in a section, one line for the five options of CSV files


class SectionedCommand(click.Command):
    """A command whose help lists its options under headings.

    A section names its options; those that none names follow under the heading `rest`.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Sequence[str]],
        rest: str = "Options",
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.sections, self.rest = sections, rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options section by section."""
        rows = {
            str(option.name): row
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
            and (row := option.get_help_record(ctx)) is not None
            and "--help" not in option.opts
        }
        in_one_line = any(CSV in names for names in self.sections.values())
        if in_one_line:
            rows = {name: row for name, row in rows.items() if name not in CSV_OPTIONS}
            rows[CSV] = ("--delimiter, ...", "CSV dialect; see `unveil inspect --help`.")
        named = {name for names in self.sections.values() for name in names}
        sections = {**self.sections, self.rest: [name for name in rows if name not in named]}
        for title, names in sections.items():
            listed = [rows[name] for name in names if name in rows]
            if listed:
                with formatter.section(title):
                    formatter.write_dl([_short(row) for row in listed], col_max=WIDTH)


def _short(row: tuple[str, str]) -> tuple[str, str]:
    """A switch in one word: --[no-]sweep."""
    return re.sub(r"^--(\S+) / --no-\1$", r"--[no-]\1", row[0]), row[1]


def complete_names(
    group: click.Group, ctx: click.Context, begun: str, names: Mapping[str, str]
) -> list[CompletionItem]:
    """The commands that begin so, from their names and lines alone, then the group's options."""
    items = [CompletionItem(n, help=line) for n, line in names.items() if n.startswith(begun)]
    return [*items, *click.Command.shell_complete(group, ctx, begun)]
