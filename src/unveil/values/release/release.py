"""A release: the masked table, how it was made, and what an auditor may know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from unveil.errors import UsageError
from unveil.support.arrays import Ints
from unveil.support.options import whole_number
from unveil.support.specs import method_name
from unveil.table.microdata import Microdata
from unveil.table.reordered import Reordered
from unveil.table.schema import Schema
from unveil.values.release.channels import Channel
from unveil.values.release.plan import Plan
from unveil.wording import count, listing

ROW_ORDER = ("", "rows")  # the stream that orders the rows of a written file; no step is called ""


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
        """What was done to one column, in order; nothing, if it was not masked."""
        self.data.check(column)
        return tuple(channel for channel in self.channels if column in channel.columns)

    @property
    def schema(self) -> Schema:
        """The schema of a file with this release: orders that a type had are written out."""
        declared = self.data.schema
        return Schema(
            {
                name: msgspec.structs.replace(declared[name], order=self.data.order(name))
                for name in declared
            }
        )

    def shuffled(self) -> Release:
        """The same release, its rows in an order drawn from the plan's seed."""
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
