"""A release: the masked table, how it was made, and what an auditor may know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import index
from typing import Any

import msgspec
import numpy as np

from unveil.errors import SpecError, UsageError
from unveil.support.arrays import Ints
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.support.specs import Spec, method_name
from unveil.table.microdata import Microdata
from unveil.table.reordered import Reordered
from unveil.table.schema import Schema
from unveil.values.release.channels import Channel
from unveil.wording import count, listing

SEED_BITS = 63  # what a TOML file holds
ROW_ORDER = ("", "rows")  # the stream that orders the rows of a written file; no step is called ""


@dataclass(frozen=True)
class Plan:
    """What is done to a table: the masks in order, and the seed of their random numbers.

    Whoever has the plan and a guess of the original can check the guess: a plan is as
    private as the original. Without a seed one is drawn when the plan is carried out.

    >>> from unveil.masks import RankSwapping
    >>> Plan((RankSwapping(p=5, columns=["age"]),), seed=7).to_dict()
    {'seed': 7, 'mask': [{'method': 'rank-swapping', 'columns': ['age'], 'p': 5.0}]}
    """

    masks: tuple[Spec, ...]
    seed: int | None = field(default=None, repr=False)  # as private as the original
    keep_order: bool = False  # whether a written file has the rows in their original order
    version: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.masks, str | Spec) or not isinstance(self.masks, Iterable):
            raise SpecError("a plan has a list of masks")
        object.__setattr__(self, "masks", tuple(self.masks))
        if self.seed is not None:
            object.__setattr__(self, "seed", check_seed(self.seed))
        if not isinstance(self.keep_order, bool):
            raise SpecError("keep_order: true or false")

    def stream(self, *names: str) -> np.random.Generator:
        """The random numbers of one step and column, by the plan's seed."""
        if self.seed is None:
            raise UsageError("a plan without a seed draws nothing: carry it out, or give it one")
        return stream(self.seed, *names)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values: the TOML file."""
        plain: dict[str, Any] = {"seed": self.seed, "version": self.version}
        if self.keep_order:
            plain["keep_order"] = True
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
    return {"method": method_name(type(mask))} | _given(fields)


def _given(table: dict[str, Any]) -> dict[str, Any]:
    """A table without what has no value, which a TOML file cannot hold; tables in it, too."""
    return {name: _plain_value(value) for name, value in table.items() if value is not None}


def _plain_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_value(one) for one in value]
    return _given(value) if isinstance(value, dict) else value


def _name_of(value: Any) -> str | None:
    """A user's own function is known by its name; a plan holds neither it nor a table."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return None


@dataclass(frozen=True, repr=False, eq=False)
class Releases:
    """Several releases of the same people, whose rows a common key tells: scores add up.

    The key is the name of a column that all of them have, or true: the rows of Releases in
    memory are then those of the original. Without a common key each release is attacked by
    itself: somebody who knows the original learns nothing of a row of one from those of the
    others.

    >>> import unveil
    >>> people = unveil.households(200, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.5, columns=["income", "rent"])
    >>> both = Releases([unveil.mask(people, [noise], seed=seed) for seed in (1, 2)], key=True)
    >>> knows = unveil.Intruder(knows=["income", "rent"])
    >>> once, twice = (
    ...     unveil.attack(people, one, unveil.attacks.Tailored(), intruder=knows)
    ...     for one in (both.first(1), both)
    ... )
    >>> unveil.measures.risk(twice).expected > unveil.measures.risk(once).expected
    True
    """

    releases: tuple[Any, ...]  # paths, frames, Microdata or Releases
    key: str | bool

    def __post_init__(self) -> None:
        if isinstance(self.releases, str | Release) or not isinstance(self.releases, Iterable):
            raise UsageError("releases are a list of them")
        object.__setattr__(self, "releases", tuple(self.releases))
        if not self.releases:
            raise UsageError("releases are at least one")
        if not isinstance(self.key, str) and self.key is not True:
            raise UsageError(
                "the key of several releases is a column that all have, or true for those made "
                "here; without one, attack each by itself"
            )

    def first(self, many: int) -> Releases:
        """The first so many of them."""
        upto = whole_number(many, "releases: first", 1, len(self))
        return Releases(self.releases[:upto], self.key)

    def __len__(self) -> int:
        return len(self.releases)

    def __repr__(self) -> str:
        return f"Releases({count(len(self), 'release')})"


@dataclass(frozen=True, repr=False, eq=False)
class Release:
    """The masked table, the plan that made it, its channels and its row map.

    The rows stand in the order of the original's; `unveil.write` shuffles them. Whoever
    has the row map has undone the masking: it is never written unless asked for.

    >>> import unveil
    >>> sample = unveil.households(100)
    >>> unveil.mask(sample, [unveil.masks.AdditiveNoise(scale=0.1, columns=["income"])], seed=7)
    Release(100 records, 14 columns; additive-noise)
    """

    data: Microdata
    plan: Plan
    channels: tuple[Channel, ...]  # in the order of the masks
    row_map: Ints | None  # the original's row of each released row, from 0; None: synthetic
    origin: dict[str, int] = field(default_factory=dict)  # fingerprints of the original's columns
    details: dict[str, Any] = field(default_factory=dict)  # what masks say of their work, by step

    def channels_of(self, column: str) -> tuple[Channel, ...]:
        """What was done to one column, in order; nothing, if it was not masked.

        >>> import unveil
        >>> noise = unveil.masks.AdditiveNoise(scale=0.1, columns=["rent"])
        >>> unveil.mask(unveil.households(50), [noise]).channels_of("rent")
        (Noise(rent),)
        """
        self.data.check(column)
        return tuple(channel for channel in self.channels if column in channel.columns)

    @property
    def schema(self) -> Schema:
        """The schema of a file with this release: orders that a type had are written out.

        >>> import unveil
        >>> unveil.mask(unveil.households(50), [unveil.masks.Shuffle()]).schema
        Schema(14 attributes: 9 quasi, 4 confidential, 1 weight, 1 household)
        """
        declared = self.data.schema
        return Schema(
            {
                name: msgspec.structs.replace(declared[name], order=self.data.order(name))
                for name in declared
            }
        )

    def shuffled(self) -> Release:
        """The same release, its rows in an order drawn from the plan's seed.

        >>> import unveil
        >>> release = unveil.mask(unveil.households(5), [], seed=7)
        >>> release.row_map.tolist(), sorted(release.shuffled().row_map.tolist())
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
        """
        order = self.written_order()
        row_map = None if self.row_map is None else self.row_map[order]
        return replace(self, data=Reordered(self.data, order), row_map=row_map)

    def written_order(self) -> Ints:
        """The rows in the order in which they are written, unless the plan keeps them."""
        order: Ints = self.plan.stream(*ROW_ORDER).permutation(len(self.data))
        return order

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        size = f"{count(len(self.data), 'record')}, {count(len(self.data.columns), 'column')}"
        steps = listing(method_name(type(mask)) for mask in self.plan.masks)
        return f"Release({size}; {steps or 'not masked'})"
