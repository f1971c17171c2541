"""What a value shows as text: upper rooms register the sentence, values look it up here."""

from collections.abc import Callable
from typing import Any

_SENTENCES: dict[type, Callable[[Any], str]] = {}


def register(kind: type, sentence: Callable[[Any], str]) -> None:
    """Show values of a class by a sentence."""
    _SENTENCES[kind] = sentence


def shown(value: object) -> str:
    """The registered sentence; the class name where none is registered."""
    return _SENTENCES.get(type(value), lambda one: type(one).__name__)(value)
