"""Specs: one frozen struct is the Python call, the TOML table and the JSON."""

import abc
import inspect
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from unveil.errors import SpecError, errors_at
from unveil.support.rules import broken_rule, kind_words, no_parameter, type_words, words
from unveil.wording import listing, suggest

_FIELDS: dict[type, tuple[msgspec.structs.FieldInfo, ...]] = {}


def fields_of(spec: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The fields of a class, looked up once: that takes longer than to make a spec."""
    if spec not in _FIELDS:
        _FIELDS[spec] = msgspec.structs.fields(spec)
    return _FIELDS[spec]


class _SpecMeta(type(msgspec.Struct), abc.ABCMeta):  # type: ignore[misc]
    """Allow abstract methods; suggest the nearest name for an unknown parameter."""

    if not TYPE_CHECKING:  # a type checker sees the parameters themselves

        def __call__(cls, /, *unnamed: Any, **parameters: Any) -> Any:
            known = cls.__struct_fields__
            if unnamed:
                usual = [name for name in known if name not in ("name", "columns")] or known
                raise SpecError(
                    f"{method_name(cls)}: parameters are given by name, such as "
                    f"{cls.__name__}({usual[0]}=...)"
                )
            for name in parameters:
                if name not in known:
                    raise SpecError(no_parameter(method_name(cls), name, known))
            if todo := sorted(cls.__abstractmethods__):
                raise SpecError(
                    f"{cls.__name__} is an abstract method; a subclass must define {listing(todo)}"
                )
            fields = fields_of(cls)
            absent = [f.name for f in fields if f.required and f.name not in parameters]
            if absent:
                raise SpecError(f"{method_name(cls)}: {listing(absent)}: not given")
            return super().__call__(**parameters)

        @property
        def __signature__(cls) -> inspect.Signature:
            """The parameters with plain types: what an editor and `help` show."""
            hints = get_type_hints(cls)
            keyword = inspect.Parameter.KEYWORD_ONLY
            return inspect.Signature(
                [
                    inspect.Parameter(
                        field.name, keyword, default=_default(field), annotation=hints[field.name]
                    )
                    for field in fields_of(cls)
                ]
            )


class Spec(  # type: ignore[metaclass]
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, metaclass=_SpecMeta
):
    """The parameters of one method.

    A subclass declares its parameters as ``Annotated[type, msgspec.Meta(description=...)]``; their
    types and ranges are checked in Python as in a file.
    """

    def __post_init__(self) -> None:
        for field in fields_of(type(self)):
            value = getattr(self, field.name)
            if hasattr(value, "tolist"):  # numpy's: a number or an array of them
                value = value.tolist()
            try:
                value = msgspec.convert(value, field.type)
            except (msgspec.ValidationError, RecursionError, UnicodeError, AttributeError) as error:
                rule = _broken_entry(value, field.type) or broken_rule(error)
                if not rule:
                    near = suggest(value, words(field.type))
                    rule = f": not '{value}'{near}" if near else f": {type_words(field.type)}"
                raise SpecError(f"{method_name(type(self))}: {field.name}{rule}") from None
            msgspec.structs.force_setattr(self, field.name, value)


def _broken_entry(value: Any, kind: Any) -> str:
    """The entry of a table of tables that is no table, with the keys that it needs."""
    parts = get_args(kind)[:1] if get_origin(kind) is Annotated else (kind,)
    for hint in (*parts, *(one for part in parts for one in get_args(part))):
        form = get_args(hint)[-1] if get_origin(hint) is dict else None
        if not isinstance(form, type) or not issubclass(form, msgspec.Struct):
            continue
        for name, entry in value.items() if isinstance(value, Mapping) else ():
            if isinstance(name, str) and not isinstance(entry, Mapping | form):
                return f", '{name}': {type_words(form)}, not {kind_words(entry)}"
    return ""


S = TypeVar("S", bound=Spec)


class Parameter(msgspec.Struct, frozen=True):
    """The description of one parameter of a method."""

    name: str
    type: str
    default: str
    meaning: str


class Method(msgspec.Struct, frozen=True):
    """The description of one method."""

    name: str
    kind: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]


def method_name(spec: type[Spec]) -> str:
    """The name of a method outside Python: its class name in kebab case."""
    return kebab_case(spec.__name__)


def kebab_case(name: str) -> str:
    """A class name in small letters, its words separated by hyphens."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def find_method(methods: Iterable[type[S]], name: object, kind: str) -> type[S]:
    """The method of this name, or an error that lists all."""
    known = {method_name(spec): spec for spec in methods}
    if not isinstance(name, str) or name not in known:
        word = "method: not given" if name is None else f"'{name}' is not {kind}"
        raise SpecError(f"{word}{suggest(name, known, 'methods are')}")
    return known[name]


def from_texts(spec: type[Spec], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters from the texts of a command line or a form; those that are None are left out.

    >>> class Noise(Spec):
    ...     scale: dict[str, float]
    >>> from_texts(Noise, {"scale": "age=2,income=0.5"})
    {'scale': {'age': 2.0, 'income': 0.5}}
    """
    types = {field.name: field.type for field in fields_of(spec)}
    parameters = {}
    for name, value in texts.items():
        if value is not None:
            with errors_at(name):
                parameters[name] = _from_text(value, types.get(name, Any))
    return parameters


def _from_text(text: Any, kind: Any) -> Any:
    """A parameter as its spec needs it: text as it is, else JSON, or name=number,..."""
    if not isinstance(text, str):
        return text
    if not text.startswith(("[", "{")):
        with suppress(msgspec.ValidationError, UnicodeError):
            return msgspec.convert(text, kind)
    with suppress(msgspec.DecodeError, RecursionError, UnicodeError):
        return msgspec.json.decode(text)
    if text.startswith(("[", "{")):
        example = '{"age": 2}' if text.startswith("{") else '["age", "sex"]'
        raise SpecError(f"this is not valid JSON; check its brackets and quotes, as in {example}")
    named = [part.partition("=") for part in text.split(",")]
    if not all(sign for _name, sign, _number in named):
        return text
    names = [name.strip() for name, _sign, _number in named]
    with suppress(ValueError):
        if len(set(names)) == len(names):
            return dict(zip(names, (float(number) for *_, number in named), strict=True))
    raise SpecError(f"{text}: name=number, separated by commas, no name twice")


def describe(spec: type[Spec], kind: str) -> Method:
    """Describe a method from the docstring and the fields of its spec."""
    description = inspect.cleandoc(spec.__doc__ or "")
    hints = get_type_hints(spec, include_extras=True)
    return Method(
        name=method_name(spec),
        kind=kind,
        summary=description.split("\n")[0],
        description=description,
        parameters=tuple(_parameter(field, hints[field.name]) for field in fields_of(spec)),
    )


def _parameter(field: msgspec.structs.FieldInfo, hint: Any) -> Parameter:
    meta = [m for m in getattr(hint, "__metadata__", ()) if isinstance(m, msgspec.Meta)]
    plain = getattr(hint, "__origin__", hint) if meta else hint
    return Parameter(
        name=field.name,
        type=next((m.extra["type"] for m in meta if m.extra), None) or type_words(plain),
        default=_default_words(field),
        meaning=" ".join(m.description for m in meta if m.description),
    )


def _default_words(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    default = _default(field)
    return "none" if default is None else msgspec.json.encode(default).decode()


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """The default of a parameter; that of a signature if it has none."""
    if field.required:
        return inspect.Parameter.empty
    made = field.default_factory is not msgspec.NODEFAULT
    return field.default_factory() if made else field.default
