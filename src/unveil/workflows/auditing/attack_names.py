"""Attacks by short names, and as the plain values of evidence."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from unveil.attacks import METHODS, Attack
from unveil.errors import SpecError, UnveilError, UsageError
from unveil.support.rules import kind_words, words
from unveil.support.specs import fields_of, from_texts
from unveil.wording import suggest

IN_MEMORY = "a table in memory"  # which evidence does not hold


def attack_name(spec: Attack) -> str:
    """A short name that distinguishes the variants of an attack: rank-max, distance."""
    values = [(getattr(spec, field.name), field) for field in fields_of(type(spec))]
    variant = [
        value
        for value, field in values
        if isinstance(value, str) and value in words(field.type) and value != field.default
    ]
    return "-".join([spec.name, *variant])


def plain_spec(spec: Attack) -> dict[str, Any]:
    """An attack in plain values: its method, and the parameters that are not at their default."""
    plain: dict[str, Any] = {"method": spec.name}
    for field in fields_of(type(spec)):
        value = getattr(spec, field.name)
        if field.name == "method":  # it extends the attack's name: structural-correlation
            plain["method"] += "" if value == field.default else f"-{value}"
        elif isinstance(value, tuple) and any(isinstance(one, Attack) for one in value):
            plain[field.name] = [plain_spec(one) for one in value]
        elif not isinstance(value, str | int | float | tuple | dict | msgspec.Struct | None):
            plain[field.name] = IN_MEMORY
        elif value != field.default:
            plain[field.name] = msgspec.to_builtins(value, enc_hook=lambda one: type(one).__name__)
    return plain


def attacks_from(attacks: Any) -> list[Attack]:
    """The attacks of a list of them or of their names."""
    if isinstance(attacks, str | Attack) or not isinstance(attacks, Iterable):
        raise UsageError("attacks: a list of attacks, or of their names")
    if not (listed := [attack_from(one) for one in attacks]):
        raise UsageError("attacks: name at least one, or leave it out for those that fit the data")
    return listed


def attack_from(attack: Any) -> Attack:
    """An attack from its spec, its short name (rank-max), or a table with its method.

    >>> attack_from("rank-max") == attack_from({"method": "rank", "criterion": "max"})
    True
    >>> attack_name(attack_from("rank-max")), plain_spec(attack_from("rank-max"))
    ('rank-max', {'method': 'rank', 'criterion': 'max'})
    """
    if isinstance(attack, Attack):
        return attack
    if isinstance(attack, str):
        return _by_name(attack)
    if not isinstance(attack, Mapping):
        raise UsageError(f"an attack is one of unveil.attacks, not {kind_words(attack)}")
    options = dict(attack)
    name = options.pop("method", None)
    method = METHODS.named_in(name) if isinstance(name, str) else None
    if method is not None and method != name:  # structural-correlation
        word = str(name).removeprefix(f"{method}-")
        if _words(METHODS.find(method)).get(word) == "method":
            return METHODS.find(method)(**{"method": word, **options})
    return METHODS.find(name)(**options)


def method_of(name: str) -> type[Attack] | None:
    """The attack of a name in evidence, rank of rank-max; None if its package is not there."""
    with suppress(UnveilError):
        return METHODS.find(METHODS.named_in(name))
    return None


def uses_row_order(name: str) -> bool:
    """Whether the attack of this name links by the positions of rows."""
    method = method_of(name)
    return method is not None and method.uses_row_order


def with_parameters(attack: Attack, parameters: Mapping[str, Any]) -> Attack:
    """The same attack with some parameters set, as values or as texts."""
    spec = type(attack)
    kept = {name: getattr(attack, name) for name in spec.__struct_fields__}
    return spec(**kept | from_texts(spec, parameters))


def _words(spec: type[Attack]) -> dict[str, str]:
    """The parameter of each word that may follow the method's name."""
    return {word: field.name for field in fields_of(spec) for word in words(field.type)}


def _by_name(name: str) -> Attack:
    method = METHODS.named_in(name) or name
    spec = METHODS.find(method)
    rest, values = name.removeprefix(method).removeprefix("-"), dict[str, Any]()
    while rest:
        known = _words(spec)
        word = next((w for w in known if rest == w or rest.startswith(f"{w}-")), None)
        if word is None:
            raise SpecError(
                f"{method}: '{rest}' is no value of its parameters"
                f"{suggest(rest, known, 'values are')}"
            )
        values[known[word]] = word
        rest = rest.removeprefix(word).removeprefix("-")
    return spec(**values)
