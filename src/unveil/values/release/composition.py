"""Several masks on one column, composed into one channel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unveil.support.arrays import Floats
from unveil.table.encoding.to_columns import Slack
from unveil.values.release.channels import (
    Channel,
    Exact,
    Noise,
    Ranges,
    Recoding,
    Rounded,
    Sets,
    Transition,
)


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
        if isinstance(new, Exact) and not before:
            exact[new.columns[0]] = (*exact.get(new.columns[0], ()), new)
            continue
        settled = [other for other in settled if other not in before]
        composed: Channel | None = new
        for other in before:
            composed = None if composed is None else compose_pair(other, composed)
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


def compose_pair(first: Channel, second: Channel) -> Channel | None:
    """One channel in place of two; None where there is no formula."""
    if isinstance(first, Noise) and isinstance(second, Noise):
        return _summed(first, second)
    if isinstance(first, Noise) and isinstance(second, Rounded):
        at = first.columns.index(second.columns[0])
        own, half = first.slack[at], second.base / 2
        rounded = second.slack
        wider = Slack(own.absolute + half + rounded.absolute, own.relative + rounded.relative)
        return replace(first, slack=(*first.slack[:at], wider, *first.slack[at + 1 :]))
    if isinstance(first, Recoding) and isinstance(second, Recoding):
        table = {old: second.table.get(new, new) for old, new in first.table.items()}
        return Recoding(first.columns, table)
    if isinstance(second, Ranges | Sets):
        return _generalised(first, second)
    if isinstance(first, Recoding | Transition) and isinstance(second, Recoding | Transition):
        listed = tuple(dict.fromkeys((*_categories(first), *_categories(second))))
        runs = max(getattr(channel, "runs", 0) for channel in (first, second))
        matrix = np.einsum("ij,jk->ik", _matrix(first, listed), _matrix(second, listed))
        return Transition(first.columns, listed, matrix, runs)
    return None


def _generalised(first: Channel, second: Ranges | Sets) -> Channel | None:
    """A cell that stands for the result of the first channel."""
    if isinstance(first, Ranges) and isinstance(second, Ranges):
        return Ranges(first.columns, first.closed or second.closed)
    if isinstance(first, Sets | Recoding) and isinstance(second, Sets) and not second.table:
        return Sets(first.columns, first.table)
    return None


def _summed(first: Noise, second: Noise) -> Noise:
    """The sum of two noises, on the columns of either; the second factor scales the first noise."""
    columns = tuple(dict.fromkeys((*first.columns, *second.columns)))
    mean, covariance = np.zeros(len(columns)), np.zeros((len(columns), len(columns)))
    slope = np.ones(len(columns))
    slack = dict.fromkeys(columns, Slack())
    for noise in (first, second):
        at = [columns.index(column) for column in noise.columns]
        times = np.ones(len(columns))
        times[at] = noise.times
        slope, mean, covariance = slope * times, mean * times, covariance * np.outer(times, times)
        mean[at] += noise.mean
        covariance[np.ix_(at, at)] += noise.covariance
        for column, own in zip(noise.columns, noise.slack, strict=True):
            slack[column] = Slack(*(a + b for a, b in zip(slack[column], own, strict=True)))
    runs = max(first.runs, second.runs)
    return Noise(columns, mean, covariance, tuple(slack.values()), runs, slope)


def _categories(channel: Recoding | Transition) -> tuple[str, ...]:
    if isinstance(channel, Transition):
        return channel.categories
    return (*channel.table, *channel.table.values())


def _matrix(channel: Recoding | Transition, listed: tuple[str, ...]) -> Floats:
    """The transition matrix of a channel; categories that it does not know stay."""
    place = {category: code for code, category in enumerate(listed)}
    matrix = np.eye(len(listed))
    if isinstance(channel, Transition):
        at = [place[category] for category in channel.categories]
        matrix[at] = 0.0
        matrix[np.ix_(at, at)] = channel.matrix
        return matrix
    for old, new in channel.table.items():
        matrix[place[old]] = 0.0
        matrix[place[old], place[new]] = 1.0
    return matrix
