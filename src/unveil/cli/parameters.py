"""Options of the command line that come from specs: attacks, and settings of an audit."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.options import PATH, TABLE
from unveil.errors import SpecError, UsageError
from unveil.wording import listing

if TYPE_CHECKING:
    from unveil.attacks import Attack
    from unveil.support.specs import Parameter, Spec

_FILES = {
    "plan": PATH,
    "release_schema": PATH,
    "evidence": PATH,
    "per_record": TABLE,
    "intruder_file": TABLE,
}
_NOT_OPTIONS = ("rename", "format", "force", "progress")  # the audit command has its own


class WithAttackParameters(click.Command):
    """A command with an option for every parameter of every attack."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own options, then those of the attacks."""
        own = super().get_params(ctx)
        return [*own, *_attack_options({str(option.name) for option in own})]


class WithAuditSettings(click.Command):
    """A command with an option for every setting of an audit."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own options, then the settings."""
        from unveil.support.specs import describe
        from unveil.workflows.auditing.settings import AuditSettings

        settings = [
            _option(
                one.name,
                one,
                f"{one.meaning}{_default(one)}",
                kind=_FILES.get(one.name),
                metavar="LIST" if one.type.startswith("list") else None,
            )
            for one in describe(AuditSettings, "settings").parameters
            if one.name not in _NOT_OPTIONS
        ]
        return [*super().get_params(ctx), *settings]


def _attack_options(taken: Container[str]) -> list[click.Parameter]:
    """The parameters of all attacks; the attack's name precedes a name that is taken."""
    from unveil.attacks import METHODS
    from unveil.support.specs import describe

    users: dict[str, list[str]] = {}
    parameters: dict[str, Parameter] = {}
    for method in (describe(spec, "attack") for spec in METHODS):
        for parameter in method.parameters:
            name = parameter.name
            if name in taken:
                name = _prefixed(method.name, name)
            users.setdefault(name, []).append(method.name)
            parameters.setdefault(name, parameter)
    return [
        _option(
            name,
            parameter,
            f"{listing(users[name])}: {parameter.meaning}",
            metavar=_metavar(parameter.type),
        )
        for name, parameter in parameters.items()
    ]


def _prefixed(method: str, name: str) -> str:
    return f"{method.replace('-', '_')}_{name}"


def _option(
    name: str,
    parameter: Parameter,
    meaning: str,
    *,
    kind: click.ParamType[Any] | None = None,
    metavar: str | None = None,
) -> click.Option:
    """An option; one that is true by default can be negated."""
    flag = f"--{name.replace('_', '-')}"
    if parameter.default == "true":
        flag = f"{flag}/--no-{flag[2:]}"
    return click.Option(
        [flag, name],
        type=kind,
        is_flag=parameter.type == "true or false",
        default=None,
        metavar=metavar,
        help=meaning,
    )


def _metavar(kind: str) -> str:
    """A parameter's type: a choice as such, a table or a list as JSON."""
    if kind.startswith(("table", "list")):
        return "JSON"
    return f"[{kind.replace(' or ', '|')}]" if " or " in kind else "TEXT"


def _default(parameter: Parameter) -> str:
    if parameter.default in ("none", "true", "false"):
        return ""
    return f"  [default: {parameter.default.strip('[]')}]"


def attack_of(method: str, options: Mapping[str, Any]) -> Attack:
    """The attack that the options describe."""
    from unveil.attacks import METHODS
    from unveil.support.specs import find_method

    with as_usage():
        spec = find_method(METHODS, method, "an attack")
        full_names = {_prefixed(method, name): name for name in spec.__struct_fields__}
        return spec(
            **values_of(spec, {full_names.get(name, name): v for name, v in options.items()})
        )


def values_of(spec: type[Spec], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as values of a spec's fields."""
    import msgspec

    types = {field.name: field.type for field in msgspec.structs.fields(spec)}
    return {
        name: _value(value, types.get(name, Any))
        for name, value in options.items()
        if value is not None
    }


@contextmanager
def as_usage() -> Iterator[None]:
    """Turn a wrong parameter into wrong usage."""
    try:
        yield
    except SpecError as error:
        raise UsageError(str(error)) from None


def _value(text: Any, kind: Any) -> Any:
    """A parameter as its spec needs it: text as it is, else JSON, or name=number,..."""
    import msgspec

    if not isinstance(text, str):
        return text
    if not text.startswith(("[", "{")):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(text, kind)
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(text)
    named = [part.partition("=") for part in text.split(",")]
    if not all(sign for _name, sign, _number in named):
        return text
    names = [name.strip() for name, _sign, _number in named]
    with suppress(ValueError):
        if len(set(names)) == len(names):
            return dict(zip(names, (float(number) for *_, number in named), strict=True))
    raise UsageError(f"{text}: name=number, separated by commas, no name twice")
