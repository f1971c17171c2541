"""Columns that are masked together: one set of them, or several, each with its own k."""

from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.table.microdata import Microdata

Size = Annotated[int, Meta(ge=2, description="The least size of a group.")]


class ColumnSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Columns that are masked together, and the size of their groups."""

    columns: Annotated[tuple[str, ...], Meta(min_length=1)]
    k: Size


InGroups = Annotated[
    tuple[ColumnSet, ...] | None,
    Meta(description="Instead of columns and k: sets of columns, each with its k."),
]


class InSets(Protocol):
    """A mask of one set of columns, or of several."""

    @property
    def k(self) -> int | None:
        """The least size of a group."""

    @property
    def groups(self) -> tuple[ColumnSet, ...] | None:
        """Sets of columns, each with its k."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns, if there is one set."""

    @property
    def step(self) -> str:
        """Its name in the plan."""

    def named(self, data: Microdata, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Columns that a user named, checked."""


def check_sets(mask: InSets) -> None:
    """Either k, or groups of columns, none of them in two."""
    if (mask.k is None) == (mask.groups is None):
        raise SpecError(f"{mask.step}: give k, or groups of columns each with its own k")
    if mask.groups is None:
        return
    if mask.columns is not None:
        raise SpecError(f"{mask.step}: groups name their columns: leave out columns")
    listed = [column for group in mask.groups for column in group.columns]
    if not listed or len(set(listed)) < len(listed):
        raise SpecError(f"{mask.step}: groups: at least one, and no column in two of them")


def sets_of(mask: InSets, data: Microdata, otherwise: tuple[str, ...]) -> tuple[ColumnSet, ...]:
    """The sets of columns that are masked together; without groups, these with k."""
    if mask.groups is None:
        return (ColumnSet(columns=otherwise, k=mask.k or 1),)
    for group in mask.groups:
        mask.named(data, group.columns)
    return mask.groups
