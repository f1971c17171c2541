"""A release: the masked table, its plan, its channels and its row map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from unveil.errors import UsageError
from unveil.support import display
from unveil.support.arrays import Ints
from unveil.support.checked_calls import checked_class
from unveil.support.options import whole_number
from unveil.support.specs import method_name
from unveil.table.microdata import Microdata
from unveil.table.reordered import Reordered
from unveil.table.schema import Schema
from unveil.values.release.channels import Channel
from unveil.values.release.plan import Plan
from unveil.wording import count, fitted, listing

ROW_ORDER = ("", "rows")  # the stream that shuffles the rows of a written file


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class Releases:
    """Several releases of the same people, joined by a key, so that the scores of a person add up.

    The key is a column that all releases have, or true for releases in memory, whose rows are
    those of the original. Without a common key each release is attacked by itself.

    >>> import unveil
    >>> people = unveil.households(200, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.5, columns=["income", "rent"])
    >>> pair = Releases([unveil.mask(people, [noise], seed=seed) for seed in (1, 2)], key=True)
    >>> knows = unveil.Intruder(knows=["income", "rent"])
    >>> once, twice = (
    ...     unveil.attack(people, one, unveil.attacks.Tailored(), intruder=knows)
    ...     for one in (pair.first(1), pair)
    ... )
    >>> unveil.measures.risk(twice).expected > unveil.measures.risk(once).expected
    True
    """

    releases: tuple[Any, ...]  # paths, frames, Microdata or Releases
    key: str | bool

    def __post_init__(self) -> None:
        if isinstance(self.releases, str | Release) or not isinstance(self.releases, Iterable):
            raise UsageError("releases: give a list of them")
        object.__setattr__(self, "releases", tuple(self.releases))
        if not self.releases:
            raise UsageError("releases: give at least one")
        if not isinstance(self.key, str) and self.key is not True:
            raise UsageError(
                "the key of several releases is a common column, or true for releases made in "
                "this program; without one, attack each alone"
            )

    def first(self, n: int) -> Releases:
        """The first n releases."""
        return Releases(self.releases[: whole_number(n, "releases: first", 1, len(self))], self.key)

    def __len__(self) -> int:
        return len(self.releases)

    def __repr__(self) -> str:
        return f"Releases({count(len(self), 'release')})"


@dataclass(frozen=True, repr=False, eq=False)
class Release:
    """The masked table, the plan that made it, its channels and its row map.

    The rows are in the order of the original; `unveil.write` shuffles them. The row map undoes the
    masking: it is written on request only.

    >>> import unveil
    >>> sample = unveil.households(100)
    >>> unveil.mask(sample, [unveil.masks.AdditiveNoise(scale=0.1, columns=["income"])], seed=7)
    Release(100 records, 13 columns; additive-noise)
    """

    data: Microdata
    plan: Plan
    channels: tuple[Channel, ...]  # in the order of the masks
    row_map: Ints | None  # the original's row of each released row, from 0; None: synthetic
    origin: dict[str, int] = field(default_factory=dict)  # fingerprints of the original's columns
    details: dict[str, Any] = field(default_factory=dict)  # reported by the masks, by step

    def channels_of(self, column: str) -> tuple[Channel, ...]:
        """The channels of one column, in the order of the masks; none if it was not masked."""
        self.data.check(column)
        return tuple(channel for channel in self.channels if column in channel.columns)

    @property
    def schema(self) -> Schema:
        """The schema of a file with this release; orders of ordered types are written out."""
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
        """The order in which rows are written, unless the plan keeps the original order.

        A plan that has shuffled whole households keeps them together.
        """
        if any(getattr(mask, "shows_households", False) for mask in self.plan.masks):
            return np.arange(len(self.data))
        order: Ints = self.plan.stream(*ROW_ORDER).permutation(len(self.data))
        return order

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        size = f"{count(len(self.data), 'record')}, {count(len(self.data.columns), 'column')}"
        steps = listing(method_name(type(mask)) for mask in self.plan.masks)
        return fitted(f"Release({size}; {steps or 'not masked'})")

    _repr_html_ = display.html
