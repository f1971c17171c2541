"""``unveil completion``."""

import click

from unveil.cli.console import say
from unveil.cli.options import Word

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_UNVEIL_COMPLETE"  # set by the script when it asks for completions


@click.command(name="completion")
@click.argument("shell", type=Word(SHELLS))
def command(shell: str) -> None:
    """Print the script that completes commands, attacks, options and files in SHELL.

    \b
        eval "$(unveil completion bash)"                  in ~/.bashrc
        eval "$(unveil completion zsh)"                   in ~/.zshrc
        unveil completion fish > ~/.config/fish/completions/unveil.fish
    """  # noqa: D301 - click reads the mark
    from click.shell_completion import get_completion_class

    from unveil.cli.main import cli

    kind = get_completion_class(shell)
    if kind is not None:
        for line in kind(cli, {}, "unveil", VARIABLE).source().splitlines():
            say(line)
