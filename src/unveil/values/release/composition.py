"""Several masks on one column, composed into one channel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from unveil.values.release.channels import Channel, Exact


@dataclass(frozen=True, repr=False, eq=False)
class Masking:
    """The masking of some columns: first functions of a value, then at most one channel."""

    exact: dict[str, tuple[Exact, ...]] = field(default_factory=dict)
    channels: tuple[Channel, ...] = ()
    unsettled: tuple[str, ...] = ()  # columns whose channels cannot be composed

    def renamed(self, names: dict[str, str]) -> Masking:
        """The same masking of columns with other names."""
        return Masking(
            {names[column]: steps for column, steps in self.exact.items()},
            tuple(
                replace(channel, columns=tuple(names[column] for column in channel.columns))
                for channel in self.channels
            ),
            tuple(names[column] for column in self.unsettled),
        )

    def only(self, columns: Sequence[str]) -> Masking:
        """The masking of these columns, also of those to which nothing was done."""
        return Masking(
            {column: self.exact.get(column, ()) for column in columns},
            tuple(one.only(columns) for one in self.channels if {*one.columns} & {*columns}),
            tuple(column for column in columns if column in self.unsettled),
        )

    def __add__(self, other: Masking) -> Masking:
        """The masking of the columns of both, which have none in common."""
        return Masking(
            self.exact | other.exact,
            self.channels + other.channels,
            self.unsettled + other.unsettled,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns whose masking is known."""
        named = (column for channel in self.channels for column in channel.columns)
        return tuple(dict.fromkeys((*self.exact, *named, *self.unsettled)))


def compose(channels: Iterable[Channel], columns: Sequence[str]) -> Masking:
    """The masking of some columns by channels, one after another."""
    exact: dict[str, tuple[Exact, ...]] = {}
    settled: list[Channel] = []
    unsettled: list[str] = []
    for channel in channels:
        touched = [column for column in channel.columns if column in columns]
        if not (settling := [column for column in touched if column not in unsettled]):
            continue
        new = channel.only(settling)
        before = [other for other in settled if set(other.columns) & set(new.columns)]
        # A function of values that only moved gives the same before they move.
        if new.is_function and all(other.moves_values for other in before):
            exact[new.columns[0]] = (*exact.get(new.columns[0], ()), cast("Exact", new))
            continue
        settled = [other for other in settled if other not in before]
        composed: Channel | None = new
        for other in before:
            composed = None if composed is None else other.then(composed) or composed.after(other)
        if composed is not None:
            settled.append(composed)
            continue
        unsettled += settling
        for other in before:
            kept = [column for column in other.columns if column not in unsettled]
            settled += [other.only(kept)] if kept else []
    return Masking(
        {column: steps for column, steps in exact.items() if column not in unsettled},
        tuple(settled),
        tuple(unsettled),
    )
