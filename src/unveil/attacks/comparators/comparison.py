"""The spec of one column's comparison: the comparator, and the levels of its similarity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.wording import count, suggest

Levels = tuple[float, ...]
SAME_SCORE = 1e-9  # by which a score may miss its level: 0.92 is 0.92 however it was computed


@dataclass(frozen=True)
class Comparator:
    """A way to score two texts: a similarity, or a distance in whole units."""

    levels: Levels  # by default, from the best
    label: str  # of a level
    most: float  # the best similarity, or the largest distance
    unit: str = ""  # of a distance

    @property
    def is_distance(self) -> bool:
        """Whether a low score is a close one."""
        return bool(self.unit)


COMPARATORS = {
    "jaro-winkler": Comparator((1, 0.92, 0.8), "Jaro-Winkler {} or more", 1),
    "damerau-levenshtein": Comparator((0, 1, 2), "Within {}", 1000, "edit"),
    "tokens": Comparator((1, 0.5), "{} or more of the words", 1),
    "soundex": Comparator((1, 0.5), "Same Soundex code", 1),
    "prefix": Comparator((5, 3), "First {} characters", 1000),
    "parts": Comparator((3, 2), "{} or more of year, month, day", 3),
    "days": Comparator((0, 31, 366), "Within {}", 1e7, "day"),
}


class TextComparison(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the cells of one column are compared: by which comparator, on which levels.

    >>> TextComparison("jaro-winkler", (1, 0.9)).check("probabilistic", "surname")
    >>> TextComparison("jaro-winkeler").check("probabilistic", "surname")
    Traceback (most recent call last):
    ...
    unveil.errors.SpecError: probabilistic: comparisons: 'surname': 'jaro-winkeler' is not a ...
    """

    by: str
    levels: Levels | None = None

    @property
    def comparator(self) -> Comparator:
        """The comparator of this name."""
        return COMPARATORS[self.by]

    @property
    def is_distance(self) -> bool:
        """Whether a low score is a close one."""
        return self.comparator.is_distance

    @property
    def ends(self) -> Levels:
        """The score at which each level ends, from the best."""
        return self.comparator.levels if self.levels is None else self.levels

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the levels, without the last, which is for all other pairs."""
        exact = 0.0 if self.comparator.is_distance else 1.0
        exact = 3.0 if self.by == "parts" else exact
        whole = self.by != "prefix"
        label, unit = self.comparator.label, self.comparator.unit
        return tuple(
            "Exact match"
            if whole and end == exact
            else label.format(count(int(end), unit) if unit else f"{end:g}")
            for end in self.ends
        )

    def check(self, method: str, column: str) -> None:
        """Raise an error if the comparator is unknown, or its levels are in no order."""
        place = f"{method}: comparisons: '{column}'"
        if self.by not in COMPARATORS:
            near = suggest(self.by, COMPARATORS, "comparators are")
            raise SpecError(f"{place}: '{self.by}' is not a comparator{near}")
        one, ends = self.comparator, np.array(self.ends)
        steps = np.diff(ends) if one.is_distance else -np.diff(ends)
        allowed = ends == np.rint(ends) if one.is_distance else ends > 0
        within = allowed & (ends >= 0) & (ends <= one.most)
        if not len(ends) or not within.all() or (steps <= 0).any():
            order = "descend to above 0"
            if one.is_distance:
                order = "are whole and ascend from 0 or more"
            raise SpecError(
                f"{place}: levels of {self.by} are numbers that {order}, at most {one.most:g}, "
                f"such as {list(one.levels)}"
            )

    def levels_of(self, scores: Floats) -> Ints:
        """The level of each score: 0 is the best, and one beyond the last is for all others."""
        sign = 1 if self.comparator.is_distance else -1
        ends = sign * np.array(self.ends, np.float64) + SAME_SCORE
        return np.searchsorted(ends, sign * scores, side="left")


def check_comparisons(method: str, comparisons: Mapping[str, TextComparison] | None) -> None:
    """Check the comparisons of a method, column by column."""
    for column, comparison in (comparisons or {}).items():
        comparison.check(method, column)
