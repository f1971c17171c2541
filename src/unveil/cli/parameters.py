"""The parameters of attacks as options of the command line."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from unveil.errors import SpecError, UsageError
from unveil.wording import listing

if TYPE_CHECKING:
    from unveil.attacks import Attack
    from unveil.support.specs import Parameter


class WithParameters(click.Command):
    """A command with an option for every parameter of every attack."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own options, then those of the attacks, taken from their specs."""
        own = super().get_params(ctx)
        return [*own, *_parameters({str(option.name) for option in own})]


def _parameters(taken: Container[str]) -> list[click.Parameter]:
    """The parameters of all attacks; one whose name is taken has the attack's before its own."""
    from unveil.attacks import METHODS
    from unveil.support.specs import describe

    users: dict[str, list[str]] = {}
    found = {}
    for method in (describe(spec, "attack") for spec in METHODS):
        for parameter in method.parameters:
            name = parameter.name
            if name in taken:
                name = _prefixed(method.name, name)
            users.setdefault(name, []).append(method.name)
            found[name] = parameter
    return [
        click.Option(
            [_flags(name, parameter), name],
            is_flag=parameter.type == "true or false",
            default=None,
            metavar=_metavar(parameter.type),
            help=f"{listing(users[name])}: {parameter.meaning}",
        )
        for name, parameter in found.items()
    ]


def _prefixed(method: str, name: str) -> str:
    return f"{method.replace('-', '_')}_{name}"


def _flags(name: str, parameter: Parameter) -> str:
    """How a parameter is named; what is true unless told otherwise can be told otherwise."""
    flag = name.replace("_", "-")
    return f"--{flag}/--no-{flag}" if parameter.default == "true" else f"--{flag}"


def _metavar(kind: str) -> str:
    """How a parameter's type is shown: a choice as such, a table as the JSON that it is."""
    if kind.startswith(("table", "list")):
        return "JSON"
    return f"[{kind.replace(' or ', '|')}]" if " or " in kind else "TEXT"


def attack_of(method: str, given: dict[str, Any]) -> Attack:
    """The attack that the options describe."""
    import msgspec

    from unveil.attacks import METHODS
    from unveil.support.specs import find_method

    with as_usage():
        spec = find_method(METHODS, method, "an attack")
    types = {field.name: field.type for field in msgspec.structs.fields(spec)}
    long = {_prefixed(method, name): name for name in types}
    said = {long.get(name, name): value for name, value in given.items() if value is not None}
    with as_usage():
        return spec(**{name: _value(value, types.get(name, Any)) for name, value in said.items()})


@contextmanager
def as_usage() -> Iterator[None]:
    """A wrong parameter is wrong usage, where it comes from the command line."""
    try:
        yield
    except SpecError as error:
        raise UsageError(str(error)) from None


def _value(given: Any, kind: Any) -> Any:
    """A parameter as its spec wants it: text as it is, else JSON, or name=number,..."""
    import msgspec

    if not isinstance(given, str):
        return given
    if not given.startswith(("[", "{")):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(given, kind)
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(given)
    named = [part.partition("=") for part in given.split(",")]
    if not all(sign for _name, sign, _number in named):
        return given
    names = [name.strip() for name, _sign, _number in named]
    with suppress(ValueError):
        if len(set(names)) == len(names):
            return dict(zip(names, (float(number) for *_, number in named), strict=True))
    raise UsageError(f"{given}: name=number, separated by commas, no name twice")
