"""The command ``unveil``: finds its commands, and turns errors into sentences."""

from __future__ import annotations

import importlib
import os
import sys
import traceback

import click

from unveil import __version__
from unveil.cli.console import complain
from unveil.errors import UnveilError, nearest

COMMANDS = {
    "demo": "The whole way, on an embedded sample.",
    "inspect": "What a file holds, and what is still to be declared.",
    "methods": "Every method and its parameters.",
}
INTERNAL_ERROR = 70


class Commands(click.Group):
    """Commands that are imported when they are called, so that ``--help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = importlib.import_module(f"unveil.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"'{args[0]}' is not a command{nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="unveil %(version)s")
def cli() -> None:
    """Red-team a microdata release before someone else does.

    Exit codes: 0 done, 1 the policy failed, 2 usage, 3 data or plan, 4 a package is missing.
    """


def main() -> None:
    """Run the command line; a user never meets a traceback."""
    try:
        cli(prog_name="unveil", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("unveil: stopped")
        sys.exit(130)
    except UnveilError as error:
        complain(f"unveil: {error}")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of the pipe has gone; nothing is left to tell anyone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the last resort; its message may hold cells
        frame = traceback.extract_tb(error.__traceback__)[-1]
        complain(
            f"unveil: an internal error, {type(error).__name__} in {frame.name}, line "
            f"{frame.lineno}; please report it (the message is held back: it may quote the data)"
        )
        sys.exit(INTERNAL_ERROR)
