"""Attacks by short names, and in the plain values of evidence."""

from collections.abc import Mapping
from typing import Any

import msgspec

from unveil.attacks import METHODS, Attack
from unveil.errors import SpecError, UsageError
from unveil.support.specs import find_method, method_name, words
from unveil.wording import listing, suggest

IN_MEMORY = "a table in memory"  # which evidence does not hold


def attack_name(spec: Attack) -> str:
    """A short name that tells variants of an attack apart.

    >>> from unveil.attacks import Distance, Rank
    >>> attack_name(Rank(criterion="max")), attack_name(Distance())
    ('rank-max', 'distance')
    """
    said = [(getattr(spec, field.name), field) for field in msgspec.structs.fields(type(spec))]
    chosen = [
        value
        for value, field in said
        if isinstance(value, str) and value in words(field.type) and value != field.default
    ]
    return "-".join([spec.name, *chosen])


def plain_spec(spec: Attack) -> dict[str, Any]:
    """An attack in plain values: its method, and what was asked for beyond the defaults.

    >>> from unveil.attacks import Rank
    >>> plain_spec(Rank(criterion="max"))
    {'method': 'rank', 'criterion': 'max'}
    """
    plain: dict[str, Any] = {"method": spec.name}
    for field in msgspec.structs.fields(type(spec)):
        value = getattr(spec, field.name)
        if field.name == "method":  # a way of its own: the attack's name goes on with it
            plain["method"] += "" if value == field.default else f"-{value}"
        elif isinstance(value, tuple) and any(isinstance(one, Attack) for one in value):
            plain[field.name] = [plain_spec(one) for one in value]
        elif not isinstance(value, str | int | float | tuple | dict | msgspec.Struct | None):
            plain[field.name] = IN_MEMORY
        elif value != field.default:
            plain[field.name] = msgspec.to_builtins(value, enc_hook=lambda one: type(one).__name__)
    return plain


def attack_from(given: Any) -> Attack:
    """An attack as it is, by its name (rank-max), or by a table with its method.

    >>> attack_from("rank-max") == attack_from({"method": "rank", "criterion": "max"})
    True
    """
    if isinstance(given, Attack):
        return given
    if isinstance(given, str):
        given = _named(given)
    if not isinstance(given, Mapping):
        raise UsageError(f"an attack is one of unveil.attacks, not {type(given).__name__}")
    options = dict(given)
    name = options.pop("method", None)
    method, way = _split(name)
    if way:
        options["method"] = way
    return find_method(METHODS, method if way else name, "an attack")(**options)


def _split(name: Any) -> tuple[str, str]:
    """The attack and its way, where it has several: structural, correlation."""
    for spec in METHODS:
        own = {field.name: field for field in msgspec.structs.fields(spec)}.get("method")
        for word in () if own is None else words(own.type):
            if name == f"{method_name(spec)}-{word}":
                return method_name(spec), word
    return str(name), ""


def _named(name: str) -> dict[str, Any]:
    """The method and the words of a short name: each word is a value of one parameter."""
    known = {method_name(spec): spec for spec in METHODS}
    found: dict[str, Any] = {
        "method": next((m for m in known if name == m or name.startswith(f"{m}-")), name)
    }
    rest = name.removeprefix(found["method"]).removeprefix("-")
    spec = known.get(found["method"])
    while spec is not None and rest:
        values = {
            w: field.name for field in msgspec.structs.fields(spec) for w in words(field.type)
        }
        word = next((w for w in values if rest == w or rest.startswith(f"{w}-")), None)
        if word is None:
            raise SpecError(
                f"{found['method']}: '{rest}' is no value of its parameters; values are: "
                f"{listing(values)}{suggest(rest, values)}"
            )
        if values[word] == "method":
            found["method"] += f"-{word}"
        else:
            found[values[word]] = word
        rest = rest.removeprefix(word).removeprefix("-")
    return found
