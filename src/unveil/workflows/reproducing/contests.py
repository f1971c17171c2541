"""Which of two has more, row by row: what claims such as "always more" are held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import t

if TYPE_CHECKING:
    from unveil.data.reproduction import Verdict

Runs = float | Sequence[float]  # one figure, or one of each run
DOUBT = 0.01  # a difference that chance makes so often is none
NAMED = 3  # rows that are named where no difference shows


class Contest(NamedTuple):
    """Where the first has more, where no difference shows, and where it has less.

    Each row is its name and both means.
    """

    more: tuple[tuple[str, float, float], ...]
    even: tuple[tuple[str, float, float], ...]
    less: tuple[tuple[str, float, float], ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the first has more everywhere.

        >>> contest({"1%": (2.0, 1.0), "5%": (3.0, 3.0)}).verdict
        'holds in part'
        """
        if not self.more:
            return "does not hold"
        return "holds in part" if self.even or self.less else "holds"

    @property
    def on_the_whole(self) -> Verdict:
        """Whether it has more in most rows, and less in none: at the ends there may be no room.

        >>> contest({"1%": (2.0, 1.0), "5%": (3.0, 3.0)}).on_the_whole
        'holds'
        """
        most = len(self.more) >= len(self.even)
        return "holds" if self.more and most and not self.less else self.verdict

    def __str__(self) -> str:
        """Say where, and by how much.

        >>> print(contest({"1%": (2.0, 1.0), "5%": (4.0, 1.5), "9%": (3.0, 3.0)}))
        more in 2 of 3 (by 1.0 to 2.5 points); no difference at 9% (3.0 and 3.0)
        """
        total = sum(map(len, self))
        many = {0: f"none of {total}", total: f"all {total}"}.get(
            len(self.more), f"{len(self.more)} of {total}"
        )
        words = ["more" if len(self.more) == total == 1 else f"more in {many}"]
        if self.more:
            gaps = sorted({_points(first - second) for _, first, second in self.more}, key=float)
            words[0] += f" (by {' to '.join(dict.fromkeys((gaps[0], gaps[-1])))} points)"
        for place, rows in (("no difference at", self.even), ("less at", self.less)):
            if rows:
                words.append(f"{place} {_listed(rows)}")
        return "; ".join(words)


def contest(rows: Mapping[str, tuple[Runs, Runs]], *, paired: bool = True) -> Contest:
    """Hold two against each other, row by row.

    Parameters
    ----------
    rows
        For each name both figures, or those of all runs.
    paired
        Whether runs of the same number are of the same release; else they were drawn apart.
    """
    sides: tuple[list[tuple[str, float, float]], ...] = ([], [], [])
    for name, (first, second) in rows.items():
        a, b = (np.atleast_1d(np.asarray(runs, dtype=float)) for runs in (first, second))
        gap = float(a.mean() - b.mean())
        side = 1 if abs(gap) <= _by_chance(a, b, paired=paired) else 0 if gap > 0 else 2
        sides[side].append((name, float(a.mean()), float(b.mean())))
    return Contest(*map(tuple, sides))


def _listed(rows: Sequence[tuple[str, float, float]]) -> str:
    """Some rows and both figures of each."""
    some = [f"{name} ({_points(a)} and {_points(b)})" for name, a, b in rows[:NAMED]]
    return ", ".join(some) + (f" and {len(rows) - NAMED} more" if len(rows) > NAMED else "")


def _points(value: float) -> str:
    """With two digits where one would be too few."""
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def _by_chance(a: np.ndarray, b: np.ndarray, *, paired: bool) -> float:
    """How large a difference of the means chance makes: nothing where nothing was drawn."""
    few = min(len(a), len(b))
    if few < 2:
        return 0.0
    if paired:
        error = float((a - b).std(ddof=1)) / sqrt(few)
    else:
        error = sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
    return float(t.isf(DOUBT / 2, few - 1)) * error
