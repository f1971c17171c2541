"""Estimates: means and shares with confidence intervals by design, and how far these overlap."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.information_loss.uses.coded_file import CodedFile
from unveil.measures.information_loss.uses.design import Design
from unveil.measures.information_loss.uses.parts import UseParts
from unveil.support.arrays import Floats

QUANTILE = 1.959963984540054  # of the normal distribution: intervals of 95 %
DEFINITION = (
    "root mean square over means of numbers and shares of categories of 1 - overlap, over the same "
    "for values drawn evenly over their range; overlap: what the 95 % confidence intervals of both "
    "files have in common, relative to each and averaged (Karr et al. 2006); their errors count "
    "weights, strata and households"
)
SLACK = 1e-12  # relative difference below which ends of intervals are equal


class Intervals(NamedTuple):
    """Confidence intervals; the rows are all records, then those without each group."""

    names: tuple[str, ...]
    lower: Floats  # rows x estimates
    upper: Floats


class Estimates:
    """The estimates of the original, and those of evenly drawn values."""

    definition = DEFINITION
    of_all_records = True  # the width of an interval depends on their number

    def __init__(self, original: CodedFile, columns: Sequence[str], by: str | None = None) -> None:
        self.columns, self.by = tuple(columns), by
        self.original = self._intervals(original)
        drawn = self._intervals(original, even=True)
        self.destroyed = 1 - overlap(self.original, drawn)

    def parts(self, release: CodedFile) -> UseParts:
        """One less the overlap of each estimate."""
        released = self._intervals(release)
        ends = [np.stack([one.lower[0], one.upper[0]]) for one in (self.original, released)]
        distance = 1 - overlap(self.original, released)
        return UseParts(
            self.original.names, distance, self.destroyed, before=ends[0], after=ends[1]
        )

    def _intervals(self, file: CodedFile, *, even: bool = False) -> Intervals:
        names, ends = [], []
        for name, values, weight, drawn in self._variables(file):
            names.append(name)
            if even:
                ends.append(_even_interval(weight, drawn, file.design))
            else:
                ends.append(_interval(values, weight, file.design))
        lower, upper = np.array(ends).reshape(len(names), 2, -1).transpose(1, 2, 0)
        return Intervals(tuple(names), lower, upper)

    def _variables(
        self, file: CodedFile
    ) -> Iterator[tuple[str, Floats, Floats, tuple[float, float]]]:
        """Of each estimate: its name, values, weights, and mean and variance if drawn evenly."""
        domains = [("", file.design.weight)]
        if self.by is not None:
            inside = file.classes([self.by]).T * file.design.weight
            known = file.cells[self.by].known_classes
            domains += [(f" in {self.by}, class {k}", inside[k]) for k in known]
        for column in self.columns:
            cells, known = file.cells[column], 1 - file.classes([column])[:, 0]
            for where, weight in domains:
                if where and column == self.by:
                    continue
                if cells.numeric:
                    values = file.coded[column].middle
                    yield f"{column}{where}", values, weight * known, cells.even_moments
                    continue
                classes = file.classes([column])
                star = np.bincount(cells.class_of, cells.star)
                for k in cells.known_classes:
                    share = float(star[k])
                    drawn = share, share * (1 - share)
                    yield f"{column}, class {k}{where}", classes[:, k], weight * known, drawn


def overlap(one: Intervals, other: Intervals) -> Floats:
    """What the intervals have in common, relative to each and averaged, from 0 to 1."""
    gap = np.minimum(one.upper, other.upper) - np.maximum(one.lower, other.lower)
    shares = []
    for side in (one, other):
        width = side.upper - side.lower
        with np.errstate(divide="ignore", invalid="ignore"):
            shares.append(np.where(width > 0, np.maximum(gap, 0) / width, gap >= 0))
    # Sums of the same cells in another order differ in their last digits.
    slack = SLACK * np.maximum(np.abs(one.lower), np.abs(one.upper))
    same = np.maximum(abs(one.lower - other.lower), abs(one.upper - other.upper)) <= slack
    return np.where(same, 1.0, (shares[0] + shares[1]) / 2)


def _interval(values: Floats, weight: Floats, design: Design) -> tuple[Floats, Floats]:
    """The confidence interval of a weighted mean: households are drawn within strata."""
    drawn, stratum, group = design.drawn
    b = np.bincount(drawn, weight)
    a = np.bincount(drawn, weight * np.where(weight > 0, values, 0.0))
    strata = int(stratum.max(initial=0)) + 1
    cell, cells = group * strata + stratum, design.groups * strata
    squares = (a * a, a * b, b * b, (b > 0) * 1.0)
    sums = [np.bincount(cell, one, minlength=cells) for one in (a, b, *squares)]
    totals = np.array(sums, np.float64).T.reshape(design.groups, strata, 6)
    a1, b1, aa, ab, bb, n = np.moveaxis(design.left_out(totals), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = b1.sum(axis=1)
        mean = a1.sum(axis=1) / whole
        m = mean[:, None]
        total = aa - 2 * m * ab + m * m * bb
        between = np.where(n > 1, (a1 - m * b1) ** 2 / n, 0.0)
        spread = np.where(n > 1, n / (n - 1), 1.0) * np.maximum(total - between, 0.0)
        error = np.sqrt(spread.sum(axis=1)) / whole
    return _ends(mean, error)


def _even_interval(
    weight: Floats, drawn: tuple[float, float], design: Design
) -> tuple[Floats, Floats]:
    """The expected interval if each value were drawn evenly over its range."""
    sums = design.left_out(design.group_sums(np.stack([weight, weight**2], axis=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(drawn[1] * sums[:, 1]) / sums[:, 0]
    return _ends(np.full(len(sums), drawn[0]), error)


def _ends(mean: Floats, error: Floats) -> tuple[Floats, Floats]:
    half = QUANTILE * np.nan_to_num(error)
    mean = np.nan_to_num(mean)
    return mean - half, mean + half
