"""Cases: what the gate runs, and what a run leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

OUT = "{out}"  # in the words of a command: the case's own folder


@dataclass(frozen=True)
class Case:
    """Commands that run one after another, or one Python function.

    A command is one text, split at spaces; ``{out}`` is the case's own folder. Every file that is
    in this folder at the end is part of the outcome.
    """

    name: str
    commands: tuple[str, ...] = ()
    plan: list[dict[str, Any]] | None = None  # written to {out}/plan.toml before the commands
    function: Callable[[], Any] | None = None
    cost: float = 1.0  # about how many seconds: the longest cases begin first


@dataclass
class Outcome:
    """What a case left: numbers and words, each by its path."""

    numbers: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
