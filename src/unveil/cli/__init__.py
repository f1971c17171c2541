"""The command line: one file per command, thin over the workflows.

The names below are what a command of another package needs (see `unveil.commands` in main.py).
"""

from unveil.cli.console import bar, complain, print_json, print_table, say
from unveil.cli.options import PATH, force_option, json_option

__all__ = [
    "PATH",
    "bar",
    "complain",
    "force_option",
    "json_option",
    "print_json",
    "print_table",
    "say",
]
