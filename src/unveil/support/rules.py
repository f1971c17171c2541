"""Types and ranges in words: for the help of a method, and for the error of a wrong value."""

import os
import re
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from unveil.wording import listing, suggest

_NAMES: dict[Any, str] = {
    str: "text", int: "whole number", float: "number", bool: "true or false", Any: "Python value",
    os.PathLike: "path",
}  # fmt: skip
# The kinds of value, by the names of Python and of msgspec's messages.
_KINDS = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "array": "a list", "list": "a list", "tuple": "a list", "object": "a table", "dict": "a table",
    "null": "nothing", "NoneType": "None",
}  # fmt: skip
_EXPECTED = re.compile(r"Expected `([^`]+)`(?:, got `?(\w+)`?| (.+))?")
_LIMIT = re.compile(r"(of length )?([<>]?=?) ?(-?[\d.]+)$")
_BOUNDS = {">=": "at least ", "<=": "at most ", ">": "above ", "<": "below ", "": ""}
# Names that other programs give to our parameters.
_OTHER_NAMES = {
    "aggr": ("k",), "noise": ("scale",), "variables": ("columns",), "vars": ("columns",),
    "keyVars": ("columns", "keys"), "method": ("algorithm", "metric", "model"), "pd": ("theta",),
    "random_state": ("seed",), "n": ("records", "k"), "distance": ("metric",),
}  # fmt: skip


def no_parameter(method: str, name: str, known: Iterable[str]) -> str:
    """The message for a parameter that a method does not have, with the name that it has for it."""
    known = list(known)
    ours = next((one for one in _OTHER_NAMES.get(name, ()) if one in known), None)
    hint = f"; here it is '{ours}'" if ours else suggest(name, known, "parameters are")
    if name in ("seed", "random_state") and ours is None:
        hint = "; the seed goes to unveil.mask (seed=) or into the plan"
    return f"{method}: '{name}' is not a parameter{hint}"


def broken_rule(error: Exception) -> str:
    """The broken rule and its place, to follow the name of a parameter; blank for a word.

    >>> class Groups(msgspec.Struct):
    ...     k: Annotated[int, msgspec.Meta(ge=2)]
    >>> try:
    ...     msgspec.convert([{"k": 1}], list[Groups])
    ... except msgspec.ValidationError as error:
    ...     print("groups" + broken_rule(error))
    groups, entry 1, k: a whole number of at least 2
    """
    if isinstance(error, RecursionError):
        return ": it is nested too deeply"
    if not isinstance(error, msgspec.ValidationError):  # bytes that are no text, a frame
        return ": it is not a plain value"
    rule, _, path = str(error).partition(" - at ")
    place = "".join(
        f", entry {int(number) + 1}" if number else f", {name}" if name else ", an entry"
        for number, name in re.findall(r"\[(?:(\d+)|\.\.\.)\]|\.(\w+)", path)
    )
    found = _EXPECTED.match(rule)
    if found:
        kinds = [kind for kind in found[1].split(" | ") if kind != "null"] or ["null"]
        right = " or ".join(_KINDS.get(kind, kind) for kind in kinds)
        got = f", not {_KINDS.get(found[2], found[2])}" if found[2] else ""
        return f"{place}: {right}{_limit(found[3] or '')}{got}"
    if rule.startswith("Invalid enum value"):
        return place and f"{place}: one of the words that it may be"
    field = re.search(r"`(.+)`", rule)
    if field:
        fault = "not given" if "missing" in rule else "not a key of this table"
        return f"{place}, {field[1]}: {fault}"
    return f"{place}: {rule[0].lower()}{rule[1:]}"


def _limit(rest: str) -> str:
    """A range in words: >= 2 is of at least 2, > 0 is above 0."""
    found = _LIMIT.match(rest)
    if not found:
        return f" {rest}" if rest else ""
    bound = _BOUNDS[found[2]] + found[3].removesuffix(".0")
    bound += " (5 % is 0.05)" if bound == "at most 1" else ""
    if found[1]:
        return f" of length {bound}"
    return f" {bound}" if found[2] in (">", "<") else f" of {bound}"


def kind_words(value: object) -> str:
    """The kind of a value, in words."""
    if isinstance(value, type):
        return f"the class {value.__name__}; call it: {value.__name__}(...)"
    name = type(value).__name__
    return _KINDS.get(name, name) if name != "object" else "a Python object"


def words(hint: Any) -> list[str]:
    """The allowed words of a parameter."""
    return [
        word for arg in get_args(hint) for word in ([arg] if isinstance(arg, str) else words(arg))
    ]


def type_words(hint: Any) -> str:
    """A type in words."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return type_words(args[0])
    if origin is dict:
        key, value = map(type_words, args)
        return f"table from {key} to {value}"
    is_struct = isinstance(hint, type) and not origin and issubclass(hint, msgspec.Struct)
    if is_struct and not hasattr(hint, "__post_init__"):  # a method has its own name
        return f"table of {listing(hint.__struct_fields__)}"
    if origin in (None, Literal, Union, types.UnionType):  # a plain type, or several
        several = [
            arg if isinstance(arg, str) else type_words(arg)
            for arg in args
            if arg is not type(None)
        ]
        return " or ".join(several) or _NAMES.get(hint, getattr(hint, "__name__", str(hint)))
    if origin is tuple or (len(args) == 1 and issubclass(origin, Iterable)):
        return f"list of {type_words(args[0])}"
    return str(_NAMES.get(origin, origin.__name__.lower()))
