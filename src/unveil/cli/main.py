"""The command ``unveil``: finds its commands, and turns errors into sentences.

A package adds a command by an entry point of the group ``unveil.commands`` that loads a
``click.Command``; the name of the entry point is that of the command. Built-in commands cannot be
replaced.
"""

from __future__ import annotations

import importlib
import sys
import traceback
import warnings
from functools import cache
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from unveil import __version__
from unveil.cli.console import complain, log_level, open_streams, printing
from unveil.cli.sections import complete_names
from unveil.errors import PlugInError, UnveilError, UsageError, shortened
from unveil.files.atomic_write import remove_parts
from unveil.support.signals import ended_by_signals
from unveil.wording import is_text, suggest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "attack": "Attack a release: how many records can be linked?",
    "audit": "Audit a release: a verdict, with evidence.",
    "compare": "Compare several releases: risk against loss.",
    "choose": "Choose how to mask: the least loss that keeps a policy.",
    "completion": "Print the script that completes commands in a shell.",
    "demo": "Demonstrate all steps on an embedded sample.",
    "inspect": "Describe the columns of a file.",
    "link": "Link two files, even with no common attribute.",
    "mask": "Mask a file by a plan.",
    "methods": "List every method and its parameters.",
    "report": "Write the page of an audit from its evidence.",
}
GROUP = "unveil.commands"  # of entry points
INTERNAL_ERROR = 70
FLAGS = ("-q", "--quiet", "-v", "--verbose")


class Commands(click.Group):
    """Commands that are imported on demand, so that ``--help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return [*COMMANDS, *_plug_ins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name in COMMANDS:
            command: click.Command = importlib.import_module(f"unveil.cli.{cmd_name}").command
            return command
        plug_in = _plug_ins().get(cmd_name)
        return None if plug_in is None else _load(plug_in)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take -q and -v behind the command, too; refuse bytes that are no text."""
        for number, arg in enumerate(args, start=1):
            if not is_text(arg):
                raise UsageError(
                    f"argument {number} has bytes that are not UTF-8 text; retype it, or rename "
                    "the file"
                )
        end = args.index("--") if "--" in args else len(args)
        flags = [one for one in args[:end] if one in FLAGS]
        rest = [one for one in args[:end] if one not in FLAGS]
        return super().parse_args(ctx, [*flags, *rest, *args[end:]])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            ctx.fail(f"'{args[0]}' is not a command{suggest(args[0], names)}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, without importing them."""
        others = dict.fromkeys(_plug_ins(), "")
        return complete_names(self, ctx, incomplete, COMMANDS | others)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them, and then those of other packages."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        if _plug_ins():
            with formatter.section("Further commands"):
                formatter.write_dl([(name, _help(one)) for name, one in _plug_ins().items()])


@cache
def _plug_ins() -> dict[str, EntryPoint]:
    """The commands of other packages by name; a built-in command cannot be replaced."""
    from importlib.metadata import entry_points

    others = {one.name: one for one in entry_points(group=GROUP) if one.name not in COMMANDS}
    return dict(sorted(others.items()))


def _load(plug_in: EntryPoint) -> click.Command:
    """Import a command of another package."""
    try:
        command = plug_in.load()
    except Exception as error:
        raise PlugInError(
            f"the command '{plug_in.name}' of {_package(plug_in)} cannot be loaded "
            f"({type(error).__name__}); update or remove that package"
        ) from error
    if not isinstance(command, click.Command):
        raise PlugInError(
            f"the command '{plug_in.name}' of {_package(plug_in)} is not a click command; update "
            "or remove that package"
        )
    return command


def _help(plug_in: EntryPoint) -> str:
    """The help line of a command, or that it cannot be loaded."""
    try:
        return _load(plug_in).get_short_help_str(limit=60)
    except PlugInError as error:
        return str(error)


def _package(plug_in: EntryPoint) -> str:
    return "an unknown package" if plug_in.dist is None else f"the package '{plug_in.dist.name}'"


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="unveil %(version)s")
@click.option("--quiet", "-q", is_flag=True, help="Print results and errors only.")
@click.option(
    "--verbose", "-v", is_flag=True, help="Print every table, and each task with its seconds."
)
def cli(*, quiet: bool, verbose: bool) -> None:
    """Red-team a microdata release before someone else does.

    The ending of a file gives its format: CSV, Parquet, Arrow, SPSS (.sav), Stata (.dta), SAS
    (.sas7bdat, .xpt), Excel (survey.xlsx#sheet). Databases have tables and queries:
    sqlite:///survey.db?table=people, postgresql://host/db?query=select ...

    Exit codes: 0 done, 1 the policy failed, 2 usage, 3 data or plan, 4 a package is
    missing, 70 an internal error, 130 or 143 stopped.
    """
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other")
    click.get_current_context().with_resource(log_level(quiet=quiet, verbose=verbose))


def _fault(error: click.ClickException) -> str:
    """The message of click; of the names that it suggests for an option, the nearest alone."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message()
    # Compared without hyphens: two of them make every option look like every other.
    known = {one.lstrip("-"): one for one in error.possibilities or ()}
    near = suggest(error.option_name.lstrip("-"), known).replace("'", "'--", 1)
    return f"No such option '{error.option_name}'{near}"


def main() -> None:
    """Run the command line; a user never meets a traceback."""
    open_streams()
    if not sys.warnoptions:  # python -W
        warnings.simplefilter("ignore")
    with ended_by_signals(remove_parts):
        try:
            with printing():  # click prints help and versions itself
                cli(prog_name="unveil", standalone_mode=False)
        except SystemExit:
            raise
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            command = "unveil" if context is None else context.command_path
            text = shortened(_fault(error))
            text = text if text.endswith(("?", ")", ".")) else f"{text}."
            listed = "commands and options" if command == "unveil" else "options"
            complain(f"{command}: {text} `{command} --help` lists the {listed}.")
            sys.exit(error.exit_code)
        except MemoryError:
            complain("unveil: not enough memory: use fewer records or columns")
            sys.exit(UnveilError.exit_code)
        except (click.Abort, KeyboardInterrupt):
            complain("unveil: stopped")
            sys.exit(130)
        except UnveilError as error:
            complain(f"unveil: {error}")
            for note in getattr(error, "__notes__", ()):
                complain(f"  {note}")
            sys.exit(error.exit_code)
        except BaseException as error:  # noqa: BLE001 - a library may panic
            frame = traceback.extract_tb(error.__traceback__)[-1]
            complain(
                f"unveil: internal error, {type(error).__name__} in {frame.name}, line "
                f"{frame.lineno}; please report it (its message is not shown, because it may "
                "quote the data)"
            )
            sys.exit(INTERNAL_ERROR)
