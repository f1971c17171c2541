"""Displays of values in a terminal and a notebook: reports register them, values look them up here.

The package names the module that registers (`unveil._DISPLAYS`); it is imported when a value is
first shown.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple


class Display(NamedTuple):
    """How the values of a class are shown; None where they are not shown in that way."""

    sentence: Callable[[Any], str] | None = None
    html: Callable[[Any], str] | None = None
    chart: Callable[[Any, str], Any] | None = None  # by the name of a chart


_REGISTERED: dict[type, Display] = {}


def register(kind: type, display: Display) -> None:
    """Show values of a class, and of classes below it, in this way."""
    _REGISTERED[kind] = display


def shown(value: object) -> str:
    """The registered sentence; the class name where none is registered."""
    sentence = _display(value).sentence
    return type(value).__name__ if sentence is None else sentence(value)


def html(value: object) -> str | None:
    """The registered HTML, as a notebook asks for it; None where none is registered."""
    write = _display(value).html
    return None if write is None else write(value)


def chart(value: object, name: str) -> Any:
    """The registered chart of this name."""
    draw = _display(value).chart
    if draw is None:
        raise ValueError(f"{type(value).__name__} has no charts")
    return draw(value, name)


def _display(value: object) -> Display:
    from unveil import _DISPLAYS

    import_module(_DISPLAYS)
    kinds = (kind for kind in type(value).__mro__ if kind in _REGISTERED)
    return _REGISTERED.get(next(kinds, object), Display())
