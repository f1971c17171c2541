"""Options of the command line that come from specs: attacks, and settings of an audit."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.options import CSV_OPTIONS, PATH, TABLE
from unveil.cli.sections import SectionedCommand
from unveil.errors import SpecError, UsageError

if TYPE_CHECKING:
    from unveil.attacks import Attack
    from unveil.support.specs import Parameter

_FILES = {
    "plan": PATH,
    "release_schema": PATH,
    "evidence": PATH,
    "per_record": TABLE,
    "intruder_file": TABLE,
}
_NAMED = "unveil.attack"  # key of the attack that a command line names
_NOT_OPTIONS = ("rename", "format", "force")  # the audit command has its own


class WithAttackParameters(SectionedCommand):
    """A command with an option for every parameter of every attack.

    The help shows those of the attack that is named.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own options, then those of the attacks."""
        own = super().get_params(ctx)
        return [*own, *_all_attack_options({str(option.name) for option in own}, ctx.meta)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note which attack is named: its parameters are shown by the help."""
        joined = " ".join(args).replace("--attack=", "--attack ").split()
        named = [word for before, word in pairwise(joined) if before == "--attack"]
        ctx.meta[_NAMED] = method_in(named[-1]) if named else None
        return super().parse_args(ctx, args)


class WithAuditSettings(SectionedCommand):
    """A command with an option for every setting of an audit."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own options, then the settings."""
        from unveil.support.specs import describe
        from unveil.workflows.auditing.settings import AuditSettings

        settings = [
            _option(
                one.name,
                one,
                f"{_first_sentence(one)}{_allowed(one)}",
                kind=_FILES.get(one.name),
                metavar=None if one.name in _FILES else _metavar(one.type),
            )
            for one in describe(AuditSettings, "settings").parameters
            if one.name not in _NOT_OPTIONS
        ]
        return [*super().get_params(ctx), *settings]


def attack_summaries() -> dict[str, str]:
    """The name of every attack, and a line about it; plug-ins that fail are warnings."""
    from unveil.attacks import METHODS
    from unveil.support.specs import describe

    methods = (describe(spec, "attack") for spec in METHODS.listed())
    return {method.name: method.summary for method in methods}


def complete_attacks(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The names of attacks that begin so, for the completion of a shell."""
    return [name for name in attack_names() if name.startswith(begun)]


def attack_names() -> tuple[str, ...]:
    """The name of every attack; none is loaded."""
    from unveil.attacks import METHODS

    return METHODS.names()


def attack_description(name: str) -> str:
    """A line about one attack."""
    from unveil.attacks import METHODS
    from unveil.support.specs import describe

    return describe(METHODS.find(name), "attack").summary


def attack_options(name: str, taken: Container[str]) -> list[click.Parameter]:
    """The parameters of one attack; the attack's name precedes a name that is taken."""
    from unveil.attacks import METHODS
    from unveil.support.specs import describe

    method = describe(METHODS.find(name), "attack")
    return [
        _option(
            _prefixed(name, one.name) if one.name in taken else one.name,
            one,
            f"{_first_sentence(one)}{_allowed(one)}",
            metavar=_metavar(one.type),
        )
        for one in method.parameters
    ]


def offered_attacks(named: str | None) -> list[str]:
    """The named attack, then all others except those of plug-ins."""
    from unveil.attacks import METHODS
    from unveil.support.specs import method_name

    first = [named] if named is not None and named in METHODS.names() else []
    return list(dict.fromkeys([*first, *map(method_name, METHODS)]))


def _all_attack_options(taken: Container[str], meta: Mapping[str, Any]) -> list[click.Parameter]:
    """The parameters of all attacks, each once; those of the named attack are shown."""
    named, merged = meta.get(_NAMED), dict[str, click.Parameter]()
    for name in offered_attacks(named):
        for option in attack_options(name, taken):
            option.hidden = name != named  # type: ignore[attr-defined]
            merged.setdefault(str(option.name), option)
    return list(merged.values())


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
    """An option; a flag that is not false by default can be negated."""
    flag = f"--{name.replace('_', '-')}"
    if parameter.type == "true or false" and parameter.default != "false":
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
    """The kind of value: a table or a list is given as JSON."""
    if kind.startswith(("table", "list of list")):
        return "JSON"
    if kind.startswith("list"):
        return "LIST"
    return {"number": "NUMBER", "whole number": "NUMBER"}.get(kind, "TEXT")


def _first_sentence(parameter: Parameter) -> str:
    """The first sentence about a parameter; `unveil methods NAME` has the rest."""
    return f"{parameter.meaning.split('. ')[0].rstrip('.')}."


def _allowed(parameter: Parameter) -> str:
    """The words that a parameter may have, and its default."""
    words = []
    if " or " in parameter.type and not parameter.type.startswith(("true or false", "text")):
        words.append(parameter.type.replace(" or ", ", "))
    if parameter.default not in ("none", "true", "false", "required"):
        default = parameter.default.strip('[]"')
        words.append(f"default: {default}")
    return f"  [{'; '.join(words)}]" if words else ""


def method_in(name: str) -> str | None:
    """The attack in a name that may end with words of its parameters: rank of rank-max."""
    from unveil.attacks import METHODS

    return METHODS.named_in(name)


def attack_in(text: str) -> Any:
    """An attack as an option gives it: its name, or a table in JSON with its method."""
    if not text.lstrip().startswith("{"):
        return text
    import msgspec

    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise UsageError(
            "--attack: this is not valid JSON; give an attack's name, or a table such as "
            '\'{"method": "rank", "criterion": "max"}\''
        ) from None


def attack_of(name: str, options: Mapping[str, Any]) -> Attack:
    """The attack that its name, such as rank-max, and the options describe."""
    from unveil.attacks import METHODS
    from unveil.support.specs import from_texts
    from unveil.workflows.auditing.attack_names import attack_from, with_parameters

    with as_usage():
        method = method_in(name) or name
        spec = METHODS.find(method)
        parameters = parameters_in(options, [method])
        if name != method:
            return with_parameters(attack_from(name), parameters)
        return spec(**from_texts(spec, parameters))


def parameters_in(options: Mapping[str, Any], attacks: Iterable[str]) -> dict[str, Any]:
    """The options that are parameters of these attacks, by the parameters' names."""
    from unveil.attacks import METHODS

    full_names = {
        _prefixed(attack, name): name
        for attack in attacks
        for name in METHODS.find(attack).__struct_fields__
    }
    return {
        full_names.get(name, name): value
        for name, value in options.items()
        if value is not None and name not in CSV_OPTIONS
    }


@contextmanager
def as_usage() -> Iterator[None]:
    """Turn a wrong parameter into wrong usage."""
    try:
        yield
    except SpecError as error:
        text = re.sub(r"^(?:audit-)?settings: (\w+)", r"--\1", str(error))
        raise UsageError(text) from None
