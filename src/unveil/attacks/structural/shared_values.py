"""Values that two files share, though no attribute is common.

A wage in one file may be a taxable income in the other: the same number. Rare values identify
people; values that are frequent within a file are shared by chance, and tell little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Floats, Ints
from unveil.table.columns import labels_of
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata

RARE_COUNT = 4  # occurrences of the values that show whether values are copied
LEAST_UNCERTAINTY = 3.0  # of the number of values shared by chance, however many records
TEXT_DIGITS = 15  # of a text that are read as a number
LEAST_SURPRISE = 3.0  # deviations by which shared values exceed chance
LEAST_COPIED, MOST_COPIED = 0.02, 0.98  # the probability that a value is copied


@dataclass(frozen=True, repr=False, eq=False)
class SharedValue:
    """Two attributes that share values, as evidence for pairs with equal values."""

    intruder: str
    released: str
    codes: tuple[Ints, Ints]  # equal where values are; -1 is missing
    frequency: Ints  # of each code in the release, as a power of 2
    n_released: int  # values
    rare: float  # the probability that a stranger has a value that is released once
    copied: float  # the probability that a released value is a copy of its person's
    surprise: float  # the excess of shared values over chance, in deviations

    def gain(self, power: int) -> float:
        """The log-likelihood ratio of an equal value of this frequency against an unequal one."""
        ratio = self.copied / (2.0**power / self.n_released if power else self.rare)
        return float(np.log(ratio + 1 - self.copied) - np.log1p(-self.copied))

    @property
    def powers(self) -> list[int]:
        """The frequencies of released values, as powers of 2."""
        powers: list[int] = np.unique(self.frequency[self.codes[1][self.codes[1] >= 0]]).tolist()
        return powers

    @property
    def unequal(self) -> float:
        """The log-likelihood ratio of two values that differ."""
        return float(np.log1p(-self.copied))

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair; 0 where a value is missing."""
        gain = np.array([self.gain(int(power)) for power in self.frequency])
        intruder, released = self.codes
        there = (intruder >= 0)[:, None] & (released >= 0)
        equal = (intruder[:, None] == released) & (released >= 0)
        return np.where(there, self.unequal, 0.0) + np.where(equal, gain[released], 0.0)

    def take(self, rows: Ints, columns: Ints) -> SharedValue:
        """The same for some records of each file."""
        return replace(self, codes=(self.codes[0][rows], self.codes[1][columns]))


@dataclass(frozen=True, repr=False, eq=False)
class SharedValues:
    """All attributes that share values, as evidence for pairs."""

    attributes: tuple[SharedValue, ...]

    @classmethod
    def find(
        cls, intruder: Microdata, release: Microdata, known: Sequence[str], others: Sequence[str]
    ) -> SharedValues:
        """The attributes that share more values than chance, each with one of the other file.

        Chance is estimated from the repetition of values within each file.
        """
        pairs = [(column, other) for column in known for other in others]
        found = [one for pair in pairs if (one := compare_values(intruder, release, *pair))]
        found = [one for one in found if one.surprise >= LEAST_SURPRISE]
        kept: list[SharedValue] = []
        for one in sorted(found, key=lambda one: (-one.surprise, one.intruder, one.released)):
            if all(one.intruder != o.intruder and one.released != o.released for o in kept):
                kept.append(one)
        return cls(tuple(kept))

    def fit(self, posterior: Floats) -> None:
        """Nothing to fit: the frequencies of shared values are counted."""

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair."""
        total: Floats = np.sum([one.weights() for one in self.attributes], axis=0)
        return total

    def take(self, rows: Ints, columns: Ints) -> SharedValues:
        """The same for some records of each file."""
        return SharedValues(tuple(one.take(rows, columns) for one in self.attributes))


def compare_values(
    intruder: Microdata, release: Microdata, column: str, other: str
) -> SharedValue | None:
    """The shared values of two columns; None where they cannot be compared."""
    numeric = {intruder.level(column) == "numeric", release.level(other) == "numeric"}
    if len(numeric) > 1 or intruder.schema[column].generalised or release.schema[other].generalised:
        return None
    sides = ((intruder, column), (release, other))
    cells = [numbers(d, [c]).values[:, 0] if numeric == {True} else _text(d, c) for d, c in sides]
    there = [cell == cell for cell in cells]  # noqa: PLR0124 - not NaN
    if not all(known.any() for known in there):
        return None
    _, every = np.unique(
        np.concatenate([cell[known] for cell, known in zip(cells, there, strict=True)]),
        return_inverse=True,
    )
    codes = [np.full(len(cell), -1) for cell in cells]
    codes[0][there[0]], codes[1][there[1]] = np.split(every, [int(there[0].sum())])
    first, second = (np.bincount(c[c >= 0], minlength=int(every.max()) + 1) for c in codes)
    serial = max(_serial_share(cell[known]) for cell, known in zip(cells, there, strict=True))
    # Each file alone shows how many values it would share with strangers; the less surprising
    # result counts.
    excesses = _excess(first, second, serial), _excess(second, first, serial)
    copied, surprise = map(min, zip(*excesses, strict=True))
    once, twice = (int((second == times).sum()) for times in (1, 2))
    n_released = int(there[1].sum())
    return SharedValue(
        column,
        other,
        codes=(codes[0], codes[1]),
        frequency=np.rint(np.log2(np.maximum(second, 1))).astype(np.int64),
        n_released=n_released,
        rare=min((2 * twice + 0.5) / (max(once, 1) * n_released), 1 / n_released),
        copied=float(np.clip(copied, LEAST_COPIED, MOST_COPIED)),
        surprise=surprise,
    )


def _text(data: Microdata, column: str) -> NDArray[Any]:
    labels = labels_of(data.column(column))
    return np.array([np.nan if label is None else label for label in labels.to_list()], object)


def _serial_share(cells: NDArray[Any]) -> float:
    """The share of values that follow one another like serial numbers; of text, of its digits.

    Serial numbers and dates occur again among strangers, though each occurs once in a file.
    """
    if cells.dtype == object:
        digits = ["".join(filter(str.isdecimal, str(cell)))[-TEXT_DIGITS:] for cell in cells]
        cells = np.array([float(number) for number in digits if number])
    gaps = np.diff(np.unique(cells))
    return float((gaps <= gaps.min() * (1 + 1e-9)).mean()) if len(gaps) > 1 else 0.0


def _excess(here: Ints, there: Ints, serial: float) -> tuple[float, float]:
    """The share of the values there that are here beyond chance, and its surprise in deviations.

    By Good and Turing, a stranger's value is here as often as values here are repeated; or as often
    as they are consecutive, for serial numbers.
    """
    rare = (here <= RARE_COUNT) & (there <= RARE_COUNT)  # frequent values are shared by chance
    here, there = here[rare], there[rare]
    n, m = int(here.sum()), int(there.sum())
    if not n or not m:
        return 0.0, 0.0
    once, twice = (int((here == times).sum()) for times in (1, 2))
    covered = max((n - once + 1) / (n + 1), serial)
    shared = int(there[here > 0].sum())
    # The variances of the values there, and of the estimate of what is covered.
    uncertain = max(once + 2 * twice - once**2 / n, LEAST_UNCERTAINTY)
    variance = m * covered * (1 - covered) + (m / n) ** 2 * uncertain
    surprise = (shared - m * covered) / float(np.sqrt(variance))
    return (shared / m - covered) / max(1 - covered, 1e-9), surprise
