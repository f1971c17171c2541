"""The command line: one file per command, thin over the workflows.

The names below are what a command of another package needs (see `unveil.commands` in main.py).
"""

from unveil.cli.console import complain, print_json, print_table, progress, say
from unveil.cli.options import PATH, force_option, json_option

__all__ = [
    "PATH",
    "complain",
    "force_option",
    "json_option",
    "print_json",
    "print_table",
    "progress",
    "say",
]
