"""Channels: what a mask can have done to a value, in numbers.

Masks write channels; an intruder who knows the method reads channels and knows no mask.

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

`excludes` compares columns before and after: it is true where the mask cannot have made the
one of the other, with the slack of rounding to the column's type. `only` is what a channel says
of some of its columns.
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
    """What a mask can have done to some columns; most channels are of one."""

    columns: tuple[str, ...]

    def excludes(self, before: Microdata, after: Microdata) -> Bools:  # noqa: ARG002
        """Where the mask cannot have made the record after of the one before.

        The records stand in the same rows of both; missing cells are never excluded.
        """
        return np.zeros(len(before), np.bool_)

    def only(self, columns: Sequence[str]) -> Channel:  # noqa: ARG002
        """What it did to those of its columns that are among these: most have one."""
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listing(self.columns)})"


@dataclass(frozen=True, repr=False, eq=False)
class Noise(Channel):
    """Normal noise was added, to the value or to a multiple of it; it excludes nothing."""

    mean: Floats
    covariance: Floats
    slack: tuple[Slack, ...]
    runs: int = 0  # estimated by running the mask so many times; 0: known
    slope: Floats | None = None  # what each value was multiplied by; if not given, 1

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
    """Noise as some pairs of values show it: about a straight line, by least squares.

    >>> x = np.arange(4.0)
    >>> fitted_noise("age", x, 2 * x + 1, Slack(), 1).slope.tolist()
    [2.0]
    """
    known = ~(np.isnan(before) | np.isnan(after))
    x, y = before[known], after[known]
    if not len(x):
        return None
    moved, spread = x - x.mean(), y - y.mean()
    variance = float((moved**2).mean())
    slope = float((moved * spread).mean()) / variance if variance > 0 else 1.0
    left = float(((spread - slope * moved) ** 2).mean())
    mean = float(y.mean()) - slope * float(x.mean())
    each = np.array([mean]), np.array([[left]])
    return Noise((column,), *each, (slack,), runs, np.array([slope]))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Between(Channel):
    """A value became one between two ends that it determines."""

    slack: Slack = field(default_factory=Slack)

    @abc.abstractmethod
    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest that a value can have become."""

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where the value after lies outside."""
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
        """A negative value turns them round."""
        ends = values * self.low, values * self.high
        return np.minimum(*ends), np.maximum(*ends)


class Exact(Between):
    """A value became another that it determines."""

    @abc.abstractmethod
    def becomes(self, values: Floats) -> Floats:
        """What each value became, but for rounding to the column's type."""

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """There is only one."""
        made = self.becomes(values)
        return made, made


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
    """The base so many times, as near as 64 bits come to it in decimals: 3 times 0.1 is 0.3.

    >>> multiples_of(0.1, np.array([3.0, np.nan])).tolist()
    [0.3, nan]
    """
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

    Positions, not ranks: equal values share a block of positions, and any of a block may
    have moved. All positions within the window are as likely; but where `mean` and
    `deviation` are given, the positions moved are drawn from that normal distribution, cut
    off at 1 and at the window; or, if `bound`, the draw, its sign dropped, is the window.
    A value without a partner stays where it is.
    """

    window: int
    mean: float | None = None
    deviation: float | None = None
    bound: bool = False
    slack: Slack = field(default_factory=Slack)  # of what takes the place of the values

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where no position of the one block is within the window of the other's."""
        a, b = (_blocks(data, self.columns[0]) for data in (before, after))
        apart = np.maximum(a.first - b.last, b.first - a.last)
        too_far: Bools = (a.last >= 0) & (b.last >= 0) & (apart > self.window)
        return too_far


@dataclass(frozen=True, repr=False, eq=False)
class Groups(Channel):
    """Records were replaced by the centres of groups of at least k that are alike.

    Alike on the columns together, each divided by its deviation; for a category, which has
    no deviation, it is 1.
    """

    k: int
    deviation: Floats

    def only(self, columns: Sequence[str]) -> Groups:
        """The same groups, of which some columns are seen."""
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        seen = tuple(self.columns[j] for j in kept)
        return replace(self, columns=seen, deviation=self.deviation[kept])


@dataclass(frozen=True, repr=False, eq=False)
class Ranges(Channel):
    """A value was replaced by a range that holds it; if `closed`, its upper end too.

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
    """A category was replaced by a cell that may hold it.

    By itself, a set, a range of the order, a prefix, a group of the hierarchy or a star. Where
    there is a `table`, the category was first replaced by another, as the table says.
    """

    table: dict[str, str] = field(default_factory=dict)  # one that it does not name stayed

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
        """All categories, those that the table makes among them."""
        return tuple(dict.fromkeys((*categories, *self.table, *self.table.values())))

    def becomes(self, sets: CodeSets) -> CodeSets:
        """What each set became before it was generalised; of the categories `listed`."""
        place = {category: code for code, category in enumerate(sets.categories)}
        now = [place[self.table.get(category, category)] for category in sets.categories]
        return replace(sets, members=np.array(now, np.int32)[sets.members])


@dataclass(frozen=True, repr=False, eq=False)
class Recoding(Channel):
    """A category was replaced by another, always the same."""

    table: dict[str, str]  # every category, also those that stay

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        """Where another category stands."""
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
        """Where the matrix says that it cannot be."""
        x, y = (codes(data, self.columns[0], self.categories).codes for data in (before, after))
        impossible: Bools = (x >= 0) & (y >= 0) & (self.matrix[x, y] <= 0)
        return impossible


@dataclass(frozen=True, repr=False, eq=False)
class Unknown(Channel):
    """Nothing is known of what was done."""


def _values(data: Microdata, column: str) -> Floats:
    values: Floats = numbers(data, [column]).values[:, 0]
    return values


def _blocks(data: Microdata, column: str) -> TiedBlocks:
    if data.level(column) == "numeric":
        values = _values(data, column)
        return tied_blocks(values, ~np.isnan(values))
    coded = codes(data, column)
    return tied_blocks(coded.codes.astype(np.int64), coded.codes >= 0)
