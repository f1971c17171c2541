"""``unveil methods``."""

import click

from unveil.cli.console import print_json, print_table, say
from unveil.cli.options import json_option


@click.command(name="methods")
@click.argument("name", required=False)
@json_option
def command(name: str | None, *, as_json: bool) -> None:
    """List every method, or describe the method NAME and its parameters."""
    from unveil.workflows.methods import method, methods

    if name is None:
        all_methods = methods()
        if as_json:
            print_json(all_methods)
            return
        rows = [[m.name, m.kind, m.summary] for m in all_methods]
        print_table(["method", "kind", "what it is"], rows)
        return
    one = method(name)
    if as_json:
        print_json(one)
        return
    say(f"{one.name} ({one.kind})")
    say()
    for line in one.description.splitlines():
        say(line)
    say()
    rows = [[p.name, p.type, p.default, p.meaning] for p in one.parameters]
    print_table(["parameter", "type", "default", "meaning"], rows)
