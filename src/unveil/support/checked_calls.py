"""Public functions explain arguments of a wrong type: a sentence instead of an error deep inside.

Where a function fails with an error that is not ours, its arguments are compared with their
annotations; what works, works with any type.
"""

import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from unveil.errors import UnveilError, UsageError
from unveil.support.rules import kind_words, no_parameter, type_words
from unveil.wording import is_text, listing

T = TypeVar("T")
_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def check_names(names: MutableMapping[str, Any], public: Iterable[str]) -> None:
    """Let the public functions of a package check their arguments."""
    for name in public:
        names[name] = checked(names[name])


def checked(value: T) -> T:
    """A function that checks its arguments in the place of one that does not."""
    if isinstance(value, type) or not callable(value) or hasattr(value, "checks_arguments"):
        return value
    call = _checking(value)
    setattr(sys.modules[value.__module__], call.__name__, call)  # where pickle looks for it
    return call  # type: ignore[return-value]


def checked_class(kind: T) -> T:
    """A class whose public methods check their arguments."""
    for name, method in list(vars(kind).items()):
        if not name.startswith("_") or name == "__init__":
            wrap = type(method) if isinstance(method, classmethod) else None
            function = method.__func__ if wrap else method
            if isinstance(function, types.FunctionType):
                setattr(kind, name, wrap(_checking(function)) if wrap else _checking(function))
    return kind


def _checking(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except UnveilError:
            raise
        except Exception:
            if fault := _misuse(function, args, options):
                raise UsageError(fault) from None
            raise

    call.checks_arguments = True  # type: ignore[attr-defined]
    return call


@cache
def _annotations(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    try:
        hints = get_type_hints(function)
    except NameError:  # a type that is imported for type checkers only
        hints = {}
    return inspect.signature(function), hints


def _misuse(
    function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> str | None:
    """The fault of the arguments of a call; None if there is none."""
    title = function.__qualname__.removesuffix(".__init__")
    signature, hints = _annotations(function)
    known = signature.parameters
    try:
        bound = signature.bind(*args, **options)
    except TypeError:
        for option in options:
            if option not in known:
                return _in_settings(title, option, known) or no_parameter(title, option, known)
        given = {*list(known)[: len(args)], *options}
        absent = [one.name for one in known.values() if one.default is one.empty]
        missing = listing(name for name in absent if name not in given)
        return f"{title}: {missing}: not given" if missing else _too_many(title, args, known)
    for name, argument in bound.arguments.items():
        hint = Any if known[name].kind in _SEVERAL else hints.get(name, Any)
        if not fits(argument, hint):
            return f"{title}: {name}: {type_words(hint)}, not {kind_words(argument)}"
    return None


def _in_settings(title: str, option: str, known: Mapping[str, inspect.Parameter]) -> str | None:
    """The fault of an option that is a field of the function's settings; None if it is not."""
    for name, parameter in known.items():
        kind = type(parameter.default)
        fields = getattr(kind, "__struct_fields__", getattr(kind, "__dataclass_fields__", ()))
        if option in fields:
            return (
                f"{title}: '{option}' is not a parameter; it is one of the settings: "
                f"{name}={kind.__name__}({option}=...)"
            )
    return None


def _too_many(title: str, args: Sequence[Any], known: Mapping[str, inspect.Parameter]) -> str:
    """The fault of a call whose arguments are too many, or given twice."""
    keywords = [one.name for one in known.values() if one.kind is one.KEYWORD_ONLY]
    places = [name for name in known if name not in keywords]
    if len(args) <= len(places):
        return f"{title}: an argument is given twice: by its place and by its name"
    by_name = f"; by name: {listing(keywords)}" if keywords else ""
    takes = f"{len(places)} without a name ({listing(places)})" if places else "none without a name"
    return f"{title}: {len(args)} arguments are given, and it takes {takes}{by_name}"


def fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911 - one line for each kind of type
    """Whether a value has a type, as far as a caller can be wrong about it."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, args[0])
    if origin in (Union, types.UnionType):
        return "_SupportsArray" in str(hint) or any(fits(value, one) for one in args)
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in args)
    if hint in (int, float):
        number = isinstance(value, Integral if hint is int else Real)
        return number and not isinstance(value, bool) and _is_float(value)
    if hint is str:
        return isinstance(value, str) and is_text(value)
    if origin in (Sequence, Iterable, tuple):
        whole = isinstance(value, origin) and not isinstance(value, str | bytes)
        listed = whole and isinstance(value, Collection)
        return whole and (not listed or all(fits(one, args[0]) for one in value))
    if getattr(origin, "__name__", "") == "ndarray":
        numeric = "biu" if "int" in str(hint) else "biuf"
        return isinstance(value, origin) and value.dtype.kind in numeric
    try:
        return isinstance(value, origin or hint)
    except TypeError:  # of Any and its like
        return True


def _is_float(value: Any) -> bool:
    try:
        return float(value) is not None
    except OverflowError:  # a whole number of hundreds of digits
        return False
