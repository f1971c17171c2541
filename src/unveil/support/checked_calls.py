"""Public functions refuse arguments of a wrong type: one sentence instead of an error deep inside.

Each argument is compared with its annotation before the function runs.
"""

import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, wraps
from numbers import Integral, Real
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from unveil.errors import UsageError
from unveil.support.rules import kind_words, no_parameter, type_words

_TEXT = (str, bytes)


def check_names(names: MutableMapping[str, Any], public: Iterable[str]) -> None:
    """Let the public functions of a package check their arguments."""
    for name in public:
        names[name] = checked(names[name])


def checked(value: Any) -> Any:
    """A function that checks its arguments, in the place of one that does not."""
    if not isinstance(value, types.FunctionType) or hasattr(value, "__wrapped__"):
        return value

    @wraps(value)
    def call(*args: Any, **options: Any) -> Any:
        signature, hints = _annotations(value)
        try:
            bound = signature.bind(*args, **options)
        except TypeError:
            raise _misuse(value.__name__, signature, len(args), options) from None
        for name, argument in bound.arguments.items():
            if not fits(argument, hint := hints.get(name, Any)):
                rule = f"{value.__name__}: {name}: {type_words(hint)}"
                raise UsageError(f"{rule}, not {kind_words(argument)}")
        return value(*args, **options)

    setattr(sys.modules[value.__module__], value.__name__, call)  # where pickle looks for it
    return call


@cache
def _annotations(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    try:
        hints = get_type_hints(function)
    except NameError:  # a type that is imported for type checkers only
        hints = {}
    return inspect.signature(function), hints


def _misuse(
    name: str, signature: inspect.Signature, n_args: int, options: Mapping[str, Any]
) -> UsageError:
    """The error of a call with too many arguments, too few, or one of another name."""
    known = signature.parameters
    for option in options:
        if option not in known:
            return UsageError(no_parameter(name, option, known))
    by_place = [one for one in known.values() if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    if n_args > len(by_place):
        return UsageError(f"{name}: only {len(by_place)} arguments go without their names")
    given = {one.name for one in by_place[:n_args]}
    if twice := given & options.keys():
        return UsageError(f"{name}: {', '.join(sorted(twice))}: given twice")
    absent = [one for one in known.values() if one.default is inspect.Parameter.empty]
    words = ", ".join(one.name for one in absent if one.name not in given | options.keys())
    return UsageError(f"{name}: {words}: not given")


def fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911 - one line for each kind of type
    """Whether a value has a type, as far as a caller can be wrong about it."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, args[0])
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in args)
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in args)
    if hint in (int, float):
        number = isinstance(value, Integral if hint is int else Real)
        return number and not isinstance(value, bool) and _is_float(value)
    if hint is None or hint is type(None):
        return value is None
    if origin in (Sequence, Collection, Iterable, AbstractSet, tuple, list):
        whole = isinstance(value, origin) and not isinstance(value, _TEXT)
        elements = [one for one in args if one is not Ellipsis]
        listed = whole and isinstance(value, Collection) and len(elements) == 1
        return whole and (not listed or all(fits(one, elements[0]) for one in value))
    try:
        return isinstance(value, origin or hint)
    except TypeError:  # of Any and its like
        return True


def _is_float(value: Any) -> bool:
    try:
        return float(value) is not None
    except OverflowError:  # a whole number of hundreds of digits
        return False
