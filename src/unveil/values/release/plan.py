"""A plan: the masks in order, and the seed of their random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import index
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from unveil.errors import SpecError, UsageError
from unveil.support.checked_calls import checked_class
from unveil.support.seeds import stream
from unveil.support.specs import Spec, method_name

SEED_BITS = 63  # what a TOML file holds
Household = Literal["drop", "renumber", "keep"]


@checked_class
@dataclass(frozen=True)
class Plan:
    """The masks to apply, in order, and the seed of their random numbers.

    With the plan a guess of the original can be checked, so a plan is as private as the
    original. Without a seed, one is drawn when the plan is carried out.

    >>> from unveil.masks import RankSwapping
    >>> Plan((RankSwapping(p=5, columns=["age"]),), seed=7).to_dict()
    {'seed': 7, 'mask': [{'method': 'rank-swapping', 'columns': ['age'], 'p': 5.0}]}
    """

    masks: tuple[Spec, ...]
    seed: int | None = field(default=None, repr=False)  # as private as the original
    keep_order: bool = False  # whether a written file keeps the original order of rows
    version: str = ""
    household: Household = "drop"  # what becomes of household numbers
    # The place of a file that the plan's own file names; None: a plan of this program, as named.
    locate: Callable[[str], str] | None = field(default=None, repr=False, compare=False)
    file: str = field(default="", repr=False, compare=False)  # where it was read

    def __post_init__(self) -> None:
        if isinstance(self.masks, str | Spec) or not isinstance(self.masks, Iterable):
            raise SpecError("a plan has a list of masks")
        object.__setattr__(self, "masks", tuple(self.masks))
        if not all(isinstance(mask, Spec) for mask in self.masks):
            raise SpecError("a plan has masks; names and tables of masks go to unveil.mask")
        if self.seed is not None:
            object.__setattr__(self, "seed", check_seed(self.seed))
        if not isinstance(self.keep_order, bool):
            raise SpecError("keep_order: true or false")
        if self.household not in get_args(Household):
            raise SpecError('household: "drop", "renumber" or "keep"')

    def stream(self, *names: str) -> np.random.Generator:
        """The random generator of one step and column."""
        if self.seed is None:
            raise UsageError(
                "a plan without a seed draws no random numbers; give it a seed, or mask by it"
            )
        return stream(self.seed, *names)

    def place(self, step: int) -> str:
        """The file and the number of a step, to begin a message with; blank without a file."""
        return f"{self.file}: step {step}" if self.file else ""

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values, as in a TOML file."""
        plain: dict[str, Any] = {"seed": self.seed, "version": self.version}
        if self.keep_order:
            plain["keep_order"] = True
        if self.household != "drop":
            plain["household"] = self.household
        plain["mask"] = [_plain(mask) for mask in self.masks]
        return {name: value for name, value in plain.items() if value not in (None, "")}


def check_seed(seed: Any) -> int:
    """A seed that a plan's file can hold."""
    try:
        number = -1 if isinstance(seed, bool) else index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**SEED_BITS:
        raise SpecError(f"seed: a whole number from 0 to 2^{SEED_BITS} - 1")
    return number


def _plain(mask: Spec) -> dict[str, Any]:
    fields = msgspec.json.decode(msgspec.json.encode(mask, enc_hook=_name_of))
    return {"method": method_name(type(mask)), **_without_nulls(fields)}


def _without_nulls(value: Any) -> Any:
    """Tables without null values, which a TOML file cannot hold."""
    if isinstance(value, list):
        return [_without_nulls(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _without_nulls(entry) for name, entry in value.items() if entry is not None}
    return value


def _name_of(value: Any) -> str | None:
    """A user's function is written by its name; a table is left out."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return None
