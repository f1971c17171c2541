"""Values that two files happen to share, though no attribute is common.

A wage that is a taxable income in another file is the same number there. Numbers that few have
tell who is who; those that are repeated within a file are repeated between files, and tell little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.columns import labels_of
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata

SELDOM = 4  # times that a value is there, of those by which it is told whether values are copied
LITTLE = 3.0  # so much is left open by any number of records
DIGITS = 15  # of a text, that are looked at as a number
SURPRISE = 3.0  # deviations by which shared values are more than chance would make them
LEAST, MOST = 0.02, 0.98  # how often values are copied


@dataclass(frozen=True, repr=False, eq=False)
class SharedValue:
    """An attribute of mine whose values are found again in one of the release's."""

    intruder: str
    released: str
    codes: tuple[Ints, Ints]  # of both files: the same where values are; -1 is missing
    often: Ints  # how often each code is released, as a power of 2
    size: int  # how many values are released
    rare: float  # how likely a stranger has a value that is released once
    chance: float  # that a released value is a copy of its person's
    surprise: float  # by how many deviations so many shared values are more than chance makes

    def gain(self, power: int) -> float:
        """By how much an equal value that is so frequent speaks for more than an unequal one."""
        ratio = self.chance / (2.0**power / self.size if power else self.rare)
        return float(np.log(ratio + 1 - self.chance) - np.log1p(-self.chance))

    @property
    def powers(self) -> list[int]:
        """How often values are released that are known, as powers of 2."""
        powers: list[int] = np.unique(self.often[self.codes[1][self.codes[1] >= 0]]).tolist()
        return powers

    @property
    def unequal(self) -> float:
        """The log-likelihood ratio of two values that differ."""
        return float(np.log1p(-self.chance))

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair; 0 where a value is missing."""
        gain = np.array([self.gain(int(power)) for power in self.often])
        equal, there = self._compared
        return np.where(there, self.unequal, 0.0) + np.where(equal, gain[self.codes[1]], 0.0)

    def of(self, rows: Ints, columns: Ints) -> SharedValue:
        """The same of some records of each file."""
        return replace(self, codes=(self.codes[0][rows], self.codes[1][columns]))

    @property
    def _compared(self) -> tuple[Bools, Bools]:
        """Of every pair whether its values are equal, and whether both are there."""
        intruder, released = self.codes
        return (intruder[:, None] == released) & (released >= 0), (intruder >= 0)[:, None] & (
            released >= 0
        )


@dataclass(frozen=True, repr=False, eq=False)
class SharedValues:
    """All attributes that share values: a part of what speaks for a pair."""

    found: tuple[SharedValue, ...]

    def learn(self, posterior: Floats) -> None:
        """There is nothing to learn: how often values are shared can be counted."""

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair."""
        total: Floats = np.sum([one.weights() for one in self.found], axis=0)
        return total

    def of(self, rows: Ints, columns: Ints) -> SharedValues:
        """The same of some records of each file."""
        return SharedValues(tuple(one.of(rows, columns) for one in self.found))


def shared_values(
    intruder: Microdata, release: Microdata, own: tuple[str, ...], others: tuple[str, ...]
) -> SharedValues:
    """The attributes that share more values than chance makes, each with one of the other file.

    What chance makes is told by how values are repeated within each file.
    """
    every = [(column, other) for column in own for other in others]
    found = [copy for pair in every if (copy := copy_of(intruder, release, *pair)) is not None]
    found = [copy for copy in found if copy.surprise >= SURPRISE]
    kept: list[SharedValue] = []
    for copy in sorted(found, key=lambda one: (-one.surprise, one.intruder, one.released)):
        if all(copy.intruder != one.intruder and copy.released != one.released for one in kept):
            kept.append(copy)
    return SharedValues(tuple(kept))


def copy_of(intruder: Microdata, release: Microdata, column: str, other: str) -> SharedValue | None:
    """Two columns as codes, the same where values are; None where they cannot be compared."""
    kinds = {intruder.level(column) == "numeric", release.level(other) == "numeric"}
    if len(kinds) > 1 or intruder.schema[column].generalised or release.schema[other].generalised:
        return None
    sides = ((intruder, column), (release, other))
    cells = [numbers(d, [c]).values[:, 0] if kinds == {True} else _text(d, c) for d, c in sides]
    there = [cell == cell for cell in cells]  # noqa: PLR0124 - which NaN is not
    if not all(known.any() for known in there):
        return None
    _, every = np.unique(
        np.concatenate([cell[known] for cell, known in zip(cells, there, strict=True)]),
        return_inverse=True,
    )
    codes = [np.full(len(cell), -1) for cell in cells]
    codes[0][there[0]], codes[1][there[1]] = np.split(every, [int(there[0].sum())])
    counts = np.bincount(codes[1][there[1]], minlength=int(every.max()) + 1)
    often = np.rint(np.log2(np.maximum(counts, 1))).astype(np.int64)
    size = int(there[1].sum())
    counted = max(_counted(cell[known]) for cell, known in zip(cells, there, strict=True))
    return SharedValue(
        column, other, (codes[0], codes[1]), often, size, *_shared(codes[0], codes[1], counted)
    )


def _text(data: Microdata, column: str) -> NDArray[Any]:
    """Labels, a NaN where missing."""
    labels = labels_of(data.column(column))
    return np.array([np.nan if label is None else label for label in labels.to_list()], object)


def _counted(cells: NDArray[Any]) -> float:
    """Which share of the values follow one another as numbers do that are counted up.

    Serial numbers and days are met again among strangers, though each is met once in a file. Of
    text, the digits are looked at.
    """
    if cells.dtype == object:
        digits = ["".join(filter(str.isdecimal, str(cell)))[-DIGITS:] for cell in cells]
        cells = np.array([float(each) for each in digits if each])
    gaps = np.diff(np.unique(cells))
    return float((gaps <= gaps.min() * (1 + 1e-9)).mean()) if len(gaps) > 1 else 0.0


def _shared(intruder: Ints, released: Ints, counted: float) -> tuple[float, float, float]:
    """How likely a stranger has a value that is rare; how often values are copied; the surprise.

    Each file by itself tells how many of the other's values it would have, were these strangers';
    both are asked, and the less surprising answer counts. The surprise is in deviations.
    """
    size = int(max(intruder.max(), released.max())) + 1
    first, second = (
        np.bincount(codes[codes >= 0], minlength=size) for codes in (intruder, released)
    )
    chance, surprise = (
        min(both)
        for both in zip(_found(first, second, counted), _found(second, first, counted), strict=True)
    )
    once, twice = (int((second == times).sum()) for times in (1, 2))
    known = int(second.sum())
    rare = min((2 * twice + 0.5) / (max(once, 1) * known), 1 / known)
    return rare, float(np.clip(chance, LEAST, MOST)), surprise


def _found(here: Ints, there: Ints, counted: float) -> tuple[float, float]:
    """What share of the values there is here by more than chance, and how surprising that is.

    As Good and Turing reckon: a stranger's value is here as often as values here are not alone;
    or as often as they are next to another, where values are counted up.
    """
    seldom = (here <= SELDOM) & (there <= SELDOM)  # what many have is shared by chance
    here, there = here[seldom], there[seldom]
    n, m = int(here.sum()), int(there.sum())
    if not n or not m:
        return 0.0, 0.0
    once, twice = (int((here == times).sum()) for times in (1, 2))
    covered = max((n - once + 1) / (n + 1), counted)
    shared = int(there[here > 0].sum())
    # Of the values there, and of what is reckoned to be covered.
    known = max(once + 2 * twice - once**2 / n, LITTLE)
    variance = m * covered * (1 - covered) + (m / n) ** 2 * known
    surprise = (shared - m * covered) / float(np.sqrt(variance))
    return (shared / m - covered) / max(1 - covered, 1e-9), surprise
