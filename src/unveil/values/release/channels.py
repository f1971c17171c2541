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
    ├── JointTransition  the same of several columns together
    ├── Replaced     some cells anything, the others as an earlier mask left them
    └── Unknown      anything

`excludes` is true where the mask cannot have turned the record before into the record after,
up to rounding to the column's type. `only` restricts a channel to some of its columns. `then`
composes two channels. Those of categories are in `category_channels`, Swap in `swap`.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import gcd
from typing import ClassVar, Literal

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.encoding.generalised import bounds
from unveil.table.encoding.to_arrays import numbers
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.wording import listing

Estimated = Literal["noise", "factor", "window", "transitions", "exchange", "extent"]
MOST_DECIMALS = 6  # of an estimated rounding base


@dataclass(frozen=True, repr=False, eq=False)
class Channel(abc.ABC):
    """The possible effects of a mask on some columns; most channels have one column."""

    columns: tuple[str, ...]

    is_function: ClassVar[bool] = False  # whether a value determines what it became
    is_grouping: ClassVar[bool] = False  # whether values became the centres of groups
    only_coarser: ClassVar[bool] = False  # whether an intruder can make known values alike
    estimated: ClassVar[Estimated | None] = None  # to estimate if only the method is known

    def excludes(self, before: Microdata, after: Microdata) -> Bools:  # noqa: ARG002
        """Where the mask cannot have turned the row before into the same row after.

        A missing cell never excludes.
        """
        return np.zeros(len(before), np.bool_)

    def changes(
        self,
        before: Microdata,  # noqa: ARG002
        after: Microdata,  # noqa: ARG002
        places: tuple[Ints, Ints],  # noqa: ARG002
        size: int,  # noqa: ARG002
    ) -> Floats | None:
        """The probability that each value (row) became each other (column); None: not known.

        Values are numbered up to a size; `places` are those of the rows of each file.
        """
        return None

    @property
    def noise_after_exchange(self) -> float | None:
        """The deviation of noise after values changed places in pairs; None: they did not."""
        return None

    @property
    def moves_values(self) -> bool:
        """Whether values changed places, and nothing else."""
        return False

    @property
    def is_fitted(self) -> bool:
        """Whether its likelihood is no formula, but estimated or approximate."""
        return False

    @property
    def replaced_share(self) -> float:
        """The share of the cells that became anything, by which a likelihood is a mixture."""
        return 0.0

    def only(self, columns: Sequence[str]) -> Channel:  # noqa: ARG002
        """The channel of those of its columns that are among these."""
        return self

    def then(self, following: Channel) -> Channel | None:  # noqa: ARG002
        """One channel in place of this one and a following one; None: there is no formula."""
        return None

    def after(self, earlier: Channel) -> Channel | None:  # noqa: ARG002
        """The same, asked of the following channel where the earlier has no formula."""
        return None

    def of_members(self, households: Microdata, sizes: Ints) -> Channel:  # noqa: ARG002
        """The channel of the members, where it is of a table with one row per household.

        ``sizes``: the members of each. One that counts records, or their positions, overrides it.
        """
        return self

    def simplified(self) -> Channel:
        """A channel of unveil that excludes no more, for an attack that does not know this one."""
        return Unknown(self.columns)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listing(self.columns)})"


@dataclass(frozen=True, repr=False, eq=False)
class Unknown(Channel):
    """An unknown masking."""

    estimated: ClassVar[Estimated | None] = "extent"

    @property
    def is_fitted(self) -> bool:
        return True


@dataclass(frozen=True, repr=False, eq=False)
class Replaced(Channel):
    """A share of the cells became anything; the others are as an earlier mask left them."""

    share: float
    earlier: Channel | None = None  # of one and the same column; None: the others are unchanged

    def __post_init__(self) -> None:
        if self.earlier is not None and self.earlier.columns != self.columns:  # renamed
            object.__setattr__(self, "earlier", replace(self.earlier, columns=self.columns))

    @property
    def replaced_share(self) -> float:
        return self.share

    @property
    def is_fitted(self) -> bool:
        return True

    def after(self, earlier: Channel) -> Replaced | None:
        """The same after a mask of this column alone that has a likelihood."""
        if earlier.columns != self.columns or earlier.is_grouping or earlier.estimated == "extent":
            return None
        share = 1 - (1 - self.share) * (1 - earlier.replaced_share)
        of_others = earlier.earlier if isinstance(earlier, Replaced) else earlier
        return Replaced(self.columns, share, of_others)


@dataclass(frozen=True, repr=False, eq=False)
class Noise(Channel):
    """Normal noise was added, to the value or to a multiple of it; it excludes nothing."""

    mean: Floats
    covariance: Floats
    slack: tuple[Slack, ...]
    runs: int = 0  # number of runs of the mask that it was estimated from; 0: known
    slope: Floats | None = None  # factor of each value; None: 1

    estimated: ClassVar[Estimated | None] = "noise"

    @property
    def is_fitted(self) -> bool:
        return self.runs > 0

    @property
    def times(self) -> Floats:
        """What each value was multiplied by."""
        return np.ones(len(self.columns)) if self.slope is None else self.slope

    def only(self, columns: Sequence[str]) -> Noise:
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            mean=self.mean[kept],
            covariance=self.covariance[np.ix_(kept, kept)],
            slack=tuple(self.slack[j] for j in kept),
            slope=None if self.slope is None else self.slope[kept],
        )

    def then(self, following: Channel) -> Noise | None:
        """More noise, or noise that is rounded."""
        if isinstance(following, Noise):
            return self._plus(following)
        if not isinstance(following, Rounded):
            return None
        at = self.columns.index(following.columns[0])
        own, half, rounded = self.slack[at], following.base / 2, following.slack
        wider = Slack(own.absolute + half + rounded.absolute, own.relative + rounded.relative)
        return replace(self, slack=(*self.slack[:at], wider, *self.slack[at + 1 :]))

    def _plus(self, other: Noise) -> Noise:
        """The sum of two noises, on the columns of either; the other's factor scales this noise."""
        columns = tuple(dict.fromkeys((*self.columns, *other.columns)))
        mean, covariance = np.zeros(len(columns)), np.zeros((len(columns), len(columns)))
        slope = np.ones(len(columns))
        slack = dict.fromkeys(columns, Slack())
        for noise in (self, other):
            at = [columns.index(column) for column in noise.columns]
            times = np.ones(len(columns))
            times[at] = noise.times
            slope, mean = slope * times, mean * times
            covariance = covariance * np.outer(times, times)
            mean[at] += noise.mean
            covariance[np.ix_(at, at)] += noise.covariance
            for column, own in zip(noise.columns, noise.slack, strict=True):
                slack[column] = Slack(*(a + b for a, b in zip(slack[column], own, strict=True)))
        runs = max(self.runs, other.runs)
        return Noise(columns, mean, covariance, tuple(slack.values()), runs, slope)


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
        x, y = (numbers(data, self.columns).values[:, 0] for data in (before, after))
        (low, high), slack = self.ends(x), self.slack.around(y)
        outside: Bools = (y < low - slack) | (y > high + slack)  # never for a NaN
        return outside


@dataclass(frozen=True, repr=False, eq=False)
class Ratio(Between):
    """A value was multiplied by a number between low and high, uniformly."""

    low: float
    high: float

    estimated: ClassVar[Estimated | None] = "factor"

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """The interval; a negative value reverses its ends."""
        ends = values * self.low, values * self.high
        return np.minimum(*ends), np.maximum(*ends)


class Exact(Between):
    """A value became another that it determines."""

    is_function: ClassVar[bool] = True
    only_coarser: ClassVar[bool] = True

    @abc.abstractmethod
    def becomes(self, values: Floats) -> Floats:
        """What each value became, but for rounding to the column's type."""

    @abc.abstractmethod
    def estimate(self, released: Floats) -> Exact | None:
        """The function with the parameter that released values show; None if they show none."""

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        masked = self.becomes(values)
        return masked, masked


@dataclass(frozen=True, repr=False, eq=False)
class Clip(Exact):
    """A value below low became low, one above high became high; others stayed."""

    low: float
    high: float

    def becomes(self, values: Floats) -> Floats:
        return np.clip(values, self.low, self.high)

    def estimate(self, released: Floats) -> Clip:
        low = -np.inf if np.isinf(self.low) else float(released.min())
        high = np.inf if np.isinf(self.high) else float(released.max())
        return replace(self, low=low, high=high)


@dataclass(frozen=True, repr=False, eq=False)
class Rounded(Exact):
    """A value became the nearest multiple of a base, a half-way one the even multiple."""

    base: float

    def becomes(self, values: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return multiples_of(self.base, np.rint(values / self.base))

    def estimate(self, released: Floats) -> Rounded | None:
        """The largest number that divides all values, if it has few decimals."""
        for decimals in range(MOST_DECIMALS + 1):
            scaled = np.unique(released) * 10.0**decimals
            whole = np.rint(scaled)
            if (np.abs(scaled - whole) <= 1e-9 * np.maximum(np.abs(scaled), 1)).all():
                divisor = gcd(*np.abs(whole).astype(np.int64).tolist())
                return replace(self, base=divisor / 10.0**decimals) if divisor else None
        return None


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
class Groups(Channel):
    """Records were replaced by the centres of groups of at least k similar records.

    Similar on the columns together, each divided by its deviation, which is 1 for categories.
    """

    k: int
    deviation: Floats

    is_grouping: ClassVar[bool] = True

    def only(self, columns: Sequence[str]) -> Groups:
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        columns = tuple(self.columns[j] for j in kept)
        return replace(self, columns=columns, deviation=self.deviation[kept])


@dataclass(frozen=True, repr=False, eq=False)
class Ranges(Channel):
    """A value was replaced by a range that holds it, with its upper end if `closed`.

    A star is the range of all numbers.
    """

    closed: bool = True

    only_coarser: ClassVar[bool] = True

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        x, y = (bounds(data, self.columns[0]) for data in (before, after))
        beside = (x.upper < y.lower) | (x.lower > self.highest(y.lower, y.upper))
        return x.present & y.present & beside

    def highest(self, lower: Floats, upper: Floats) -> Floats:
        """The highest value that a range holds."""
        if self.closed:
            return upper
        below = np.where(np.isinf(upper), upper, np.nextafter(upper, -np.inf))
        return np.maximum(lower, below)

    def then(self, following: Channel) -> Ranges | None:
        if not isinstance(following, Ranges):
            return None
        return Ranges(self.columns, self.closed or following.closed)
