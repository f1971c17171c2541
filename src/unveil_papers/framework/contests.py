"""Contests: which of two has more, row by row, for claims such as "always more"."""

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from unveil_papers.framework.reproduction import Verdict

Runs = float | Sequence[float]  # one figure, where nothing is drawn; or one of each run
Row = tuple[str, float, float]  # its name, and both means
DOUBT = 0.01  # differences that chance makes so often, in any row of a contest, are none
ENOUGH = 10  # runs after which it says something that no difference shows
NAMED = 3  # rows that are named where no difference shows


class Contest(NamedTuple):
    """The rows where the first has more, no difference shows, it has less, or runs are too few.

    Rows with too few runs (open) count for neither side.
    """

    more: tuple[Row, ...]
    even: tuple[Row, ...]
    less: tuple[Row, ...]
    open: tuple[Row, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the first has more everywhere.

        >>> contest({"1%": (2.0, 1.0), "5%": (3.0, 3.0)}).verdict
        'holds in part'
        >>> contest({"1%": ([2.0], [1.0])}).verdict
        'cannot be tested'
        """
        if not self.less and len(self.open) > len(self.more) + len(self.even):
            return "cannot be tested"
        if not self.more:
            return "does not hold"
        return "holds in part" if self.even or self.less else "holds"

    @property
    def on_the_whole(self) -> Verdict:
        """Whether it has more in most rows, and less in none: at the ends there may be no room.

        >>> contest({"1%": (2.0, 1.0), "5%": (3.0, 3.0)}).on_the_whole
        'holds'
        """
        most = len(self.more) >= len(self.even) and self.verdict != "cannot be tested"
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
        for place, rows in (
            ("no difference at", self.even),
            ("less at", self.less),
            ("undecided for want of runs at", self.open),
        ):
            if rows:
                words.append(f"{place} {_listed(rows)}")
        return "; ".join(words)


def contest(rows: Mapping[str, tuple[Runs, Runs]], *, paired: bool = True) -> Contest:
    """Compare two sets of runs, row by row.

    The error probability is divided among the rows (Bonferroni), since one row can decide.

    Parameters
    ----------
    rows
        For each name both figures, or those of all runs.
    paired
        Whether runs of the same number are of the same release; else they were drawn apart.
    """
    sides: tuple[list[Row], ...] = ([], [], [], [])
    for name, (first, second) in rows.items():
        a, b = (np.atleast_1d(np.asarray(runs, dtype=float)) for runs in (first, second))
        drawn = isinstance(first, Sequence) or isinstance(second, Sequence)
        runs = min(len(a), len(b)) if drawn else ENOUGH
        gap = float(a.mean() - b.mean())
        chance = _by_chance(a, b, DOUBT / len(rows), paired=paired) if drawn else 0.0
        shows = abs(gap) > chance and (chance > 0 or runs >= ENOUGH)
        side = (0 if gap > 0 else 2) if shows else 1 if runs >= ENOUGH else 3
        sides[side].append((name, float(a.mean()), float(b.mean())))
    return Contest(*map(tuple, sides))


def _listed(rows: Sequence[Row]) -> str:
    """Some rows and both figures of each."""
    some = [f"{name} ({_points(a)} and {_points(b)})" for name, a, b in rows[:NAMED]]
    return ", ".join(some) + (f" and {len(rows) - NAMED} more" if len(rows) > NAMED else "")


def _points(value: float) -> str:
    """With two digits where one would be too few."""
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def _by_chance(a: np.ndarray, b: np.ndarray, doubt: float, *, paired: bool) -> float:
    """The largest difference of the means that chance explains; infinite for one run."""
    few = min(len(a), len(b))
    if few < 2:
        return inf
    if paired:
        error = float((a - b).std(ddof=1)) / sqrt(few)
    else:
        error = sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
    return float(t.isf(doubt / 2, few - 1)) * error
