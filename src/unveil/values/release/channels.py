"""Channels: what a mask can have done to a value, in numbers.

Masks write channels. An intruder who knows the method reads channels and needs no mask.

::

    Channel
    ├── Noise        normal noise of a covariance
    ├── Between      now between two ends, namely
    │   ├── Ratio        times something between two numbers
    │   └── Exact        one number that it determines
    │       ├── Clip         cut off at a threshold
    │       └── Rounded      the nearest multiple of a base
    ├── Swap         moved by so many positions in ascending order
    ├── Groups       replaced by the mean of a group of at least k
    ├── Ranges       replaced by a range that holds it
    ├── Sets         replaced by a set that holds it
    ├── Recoding     one category in place of another, by a table
    ├── Transition   one category in place of another, by chance
    └── Unknown      anything

`excludes` is true where the mask cannot have turned the record before into the record after,
up to rounding to the column's type. `only` restricts a channel to some of its columns.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from unveil.support.arrays import Bools, Floats
from unveil.table.encoding.generalised import CodeSets, bounds, code_sets, common_members
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import TiedBlocks, codes, numbers, tied_blocks
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.wording import listing


@dataclass(frozen=True, repr=False, eq=False)
class Channel(abc.ABC):
    """What a mask can have done to some columns; most channels have one column."""

    columns: tuple[str, ...]

    def excludes(self, before: Microdata, after: Microdata) -> Bools:  # noqa: ARG002
        """Where the mask cannot have turned the row before into the same row after.

        A missing cell never excludes.
        """
        return np.zeros(len(before), np.bool_)

    def only(self, columns: Sequence[str]) -> Channel:  # noqa: ARG002
        """The channel of those of its columns that are among these."""
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listing(self.columns)})"


@dataclass(frozen=True, repr=False, eq=False)
class Noise(Channel):
    """Normal noise was added, to the value or to a multiple of it; it excludes nothing."""

    mean: Floats
    covariance: Floats
    slack: tuple[Slack, ...]
    runs: int = 0  # number of runs of the mask that it was estimated from; 0: known
    slope: Floats | None = None  # factor of each value; None: 1

    @property
    def times(self) -> Floats:
        """What each value was multiplied by."""
        return np.ones(len(self.columns)) if self.slope is None else self.slope

    def only(self, columns: Sequence[str]) -> Noise:
        """The same noise on some of its columns."""
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            mean=self.mean[kept],
            covariance=self.covariance[np.ix_(kept, kept)],
            slack=tuple(self.slack[j] for j in kept),
            slope=None if self.slope is None else self.slope[kept],
        )


def fitted_noise(
    column: str, before: Floats, after: Floats, slack: Slack, runs: int
) -> Noise | None:
    """Noise around a straight line, fitted to pairs of values by least squares."""
    known = ~(np.isnan(before) | np.isnan(after))
    x, y = before[known], after[known]
    if not len(x):
        return None
    moved, spread = x - x.mean(), y - y.mean()
    variance = float((moved**2).mean())
    slope = float((moved * spread).mean()) / variance if variance > 0 else 1.0
    left = float(((spread - slope * moved) ** 2).mean())
    mean = float(y.mean()) - slope * float(x.mean())
    return Noise((column,), np.array([mean]), np.array([[left]]), (slack,), runs, np.array([slope]))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Between(Channel):
    """A value became one within an interval that it determines."""

    slack: Slack = field(default_factory=Slack)

    @abc.abstractmethod
    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest value that each can have become."""

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the value after lies outside the interval."""
        x, y = (numbers(data, self.columns).values[:, 0] for data in (before, after))
        (low, high), slack = self.ends(x), self.slack.around(y)
        outside: Bools = (y < low - slack) | (y > high + slack)  # never for a NaN
        return outside


@dataclass(frozen=True, repr=False, eq=False)
class Ratio(Between):
    """A value was multiplied by a number between low and high, uniformly."""

    low: float
    high: float

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The interval; a negative value reverses its ends."""
        ends = values * self.low, values * self.high
        return np.minimum(*ends), np.maximum(*ends)


class Exact(Between):
    """A value became another that it determines."""

    @abc.abstractmethod
    def becomes(self, values: Floats) -> Floats:
        """What each value became, but for rounding to the column's type."""

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """One value, so both ends coincide."""
        masked = self.becomes(values)
        return masked, masked


@dataclass(frozen=True, repr=False, eq=False)
class Clip(Exact):
    """A value below low became low, one above high became high; others stayed."""

    low: float
    high: float

    def becomes(self, values: Floats) -> Floats:
        """The value, or the threshold."""
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True, repr=False, eq=False)
class Rounded(Exact):
    """A value became the nearest multiple of a base, a half-way one the even multiple."""

    base: float

    def becomes(self, values: Floats) -> Floats:
        """The nearest multiple."""
        with np.errstate(over="ignore"):
            return multiples_of(self.base, np.rint(values / self.base))


def multiples_of(base: float, times: Floats) -> Floats:
    """Multiples of a decimal base, rounded once: 3 times 0.1 is 0.3."""
    known = np.isfinite(times)
    if base.is_integer() or (np.abs(times[known]) > 2**53).any():
        return times * base
    distinct, place = np.unique(times[known], return_inverse=True)
    exact = Decimal(repr(base))
    out = np.array(times)
    out[known] = np.array([float(exact * int(number)) for number in distinct])[place]
    return out


@dataclass(frozen=True, repr=False, eq=False)
class Swap(Channel):
    """A value moved by at most `window` positions in ascending order.

    Positions, not ranks: equal values share a block of positions, and any of a block may have
    moved. All positions within the window are equally likely, unless `mean` and `deviation` are
    given: then the distance is drawn from that normal distribution, cut off at 1 and at the
    window, or, if `bound`, the absolute draw is the window. A value without a partner stays.
    """

    window: int
    mean: float | None = None
    deviation: float | None = None
    bound: bool = False
    slack: Slack = field(default_factory=Slack)  # of the replacing values

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where no position of the one block is within the window of the other's."""
        a, b = (_blocks(data, self.columns[0]) for data in (before, after))
        gap = np.maximum(a.first - b.last, b.first - a.last)
        too_far: Bools = (a.last >= 0) & (b.last >= 0) & (gap > self.window)
        return too_far


@dataclass(frozen=True, repr=False, eq=False)
class Groups(Channel):
    """Records were replaced by the centres of groups of at least k similar records.

    Similar on the columns together, each divided by its deviation, which is 1 for categories.
    """

    k: int
    deviation: Floats

    def only(self, columns: Sequence[str]) -> Groups:
        """The same groups, seen on some columns."""
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        columns = tuple(self.columns[j] for j in kept)
        return replace(self, columns=columns, deviation=self.deviation[kept])


@dataclass(frozen=True, repr=False, eq=False)
class Ranges(Channel):
    """A value was replaced by a range that holds it, with its upper end if `closed`.

    A star is the range of all numbers.
    """

    closed: bool = True

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the range does not hold the value."""
        x, y = (bounds(data, self.columns[0]) for data in (before, after))
        beside = (x.upper < y.lower) | (x.lower > self.highest(y.lower, y.upper))
        return x.present & y.present & beside

    def highest(self, lower: Floats, upper: Floats) -> Floats:
        """The highest value that a range holds."""
        if self.closed:
            return upper
        below = np.where(np.isinf(upper), upper, np.nextafter(upper, -np.inf))
        return np.maximum(lower, below)


@dataclass(frozen=True, repr=False, eq=False)
class Sets(Channel):
    """A category was replaced by a cell that stands for it and perhaps for others.

    The cell is the category, a set, a range of the order, a prefix, a group of the hierarchy or a
    star. Where there is a `table`, the category was first recoded by it.
    """

    table: dict[str, str] = field(default_factory=dict)  # other categories stayed

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the cell does not hold the category."""
        column = self.columns[0]
        listed = self.listed(common_categories(before, after, column))
        x = self.becomes(code_sets(before, column, listed))
        y = code_sets(after, column, listed)
        known = np.flatnonzero((x.cell >= 0) & (y.cell >= 0))
        found = np.zeros(len(x.cell), np.bool_)
        found[known] = ~common_members(x, y, x.cell[known], y.cell[known])
        return found

    def listed(self, categories: tuple[str, ...]) -> tuple[str, ...]:
        """All categories, with those that the table produces."""
        return tuple(dict.fromkeys((*categories, *self.table, *self.table.values())))

    def becomes(self, sets: CodeSets) -> CodeSets:
        """Each set after recoding by the table; its categories are `listed`."""
        place = {category: code for code, category in enumerate(sets.categories)}
        now = [place[self.table.get(category, category)] for category in sets.categories]
        return replace(sets, members=np.array(now, np.int32)[sets.members])


@dataclass(frozen=True, repr=False, eq=False)
class Recoding(Channel):
    """A category was replaced by another, always by the same."""

    table: dict[str, str]  # every category, including those that stay

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the table gives another category."""
        x, y = codes(before, self.columns[0]), codes(after, self.columns[0])
        place = {category: code for code, category in enumerate(y.categories)}
        becomes = [place.get(self.table.get(category, ""), -2) for category in x.categories]
        expected = np.array([*becomes, -1])[x.codes]
        other: Bools = (x.codes >= 0) & (y.codes >= 0) & (y.codes != expected)
        return other


@dataclass(frozen=True, repr=False, eq=False)
class Transition(Channel):
    """A category was replaced by one drawn from its row of the matrix."""

    categories: tuple[str, ...]
    matrix: Floats
    runs: int = 0

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the transition has probability 0."""
        x, y = (codes(data, self.columns[0], self.categories).codes for data in (before, after))
        impossible: Bools = (x >= 0) & (y >= 0) & (self.matrix[x, y] <= 0)
        return impossible


@dataclass(frozen=True, repr=False, eq=False)
class Unknown(Channel):
    """Nothing is known of what was done."""


def _blocks(data: Microdata, column: str) -> TiedBlocks:
    if data.level(column) == "numeric":
        values = numbers(data, [column]).values[:, 0]
        return tied_blocks(values, ~np.isnan(values))
    coded = codes(data, column)
    return tied_blocks(coded.codes.astype(np.int64), coded.codes >= 0)
