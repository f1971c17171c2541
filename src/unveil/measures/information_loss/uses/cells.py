"""Columns over the cells of the original: what each record of any file may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.columns import stored_as
from unveil.table.encoding.generalised import bounds, code_sets
from unveil.table.encoding.shared_attributes import (
    SECONDS_PER_DAY,
    common_categories,
    common_numbers,
)
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.table.roles import Level
from unveil.values.single_values import hidden_cells, star_cells

MOST_POINTS = 200  # of a number, at equal shares of the original
MOST_CELLS = 50  # of a category; those of nominal ones beyond are one
CLASSES, MOST_CLASSES = 5, 9  # of an ordered column, and of a nominal one, for pairs and models
WHOLE_RANGE = 1_000  # up to which a range of whole numbers holds whole numbers only


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumn:
    """One column of a file: the number of each record's cell, and the shares of each cell.

    A share is the probability of a fine cell of the original; the first is missing.
    """

    cell: Ints
    shares: Floats  # distinct cells x fine cells
    middle: Floats  # of numbers: the number, or the middle of a range; empty for categories

    def take(self, rows: Ints) -> CodedColumn:
        """Some of the records."""
        middle = self.middle[rows] if len(self.middle) else self.middle
        return CodedColumn(self.cell[rows], self.shares, middle)


class ColumnCells:
    """The fine cells and the classes of one column, made of the original.

    A number has a cell for each of at most 200 of its values and one between each two; a category
    has one of its own, up to 50. A generalised cell may be anything that it stands for, evenly: a
    range any number in it, a set any of its members, a star or a column that is not there any value
    of the original. So a file of stars is one whose values are drawn evenly over their range.
    """

    def __init__(self, original: Microdata, name: str, level: Level) -> None:
        self.original, self.name, self.level = original, name, level
        self.numeric, self.ordered = level == "numeric", level != "nominal"
        if self.numeric:
            lower, upper, known = self._ends(original)
            ends = np.concatenate([lower[known], upper[known]])
            ends = np.sort(ends[np.isfinite(ends)])
            shares = np.arange(MOST_POINTS + 1) / MOST_POINTS
            few = np.unique(ends)
            if len(few) > MOST_POINTS:
                few = np.unique(np.quantile(ends, shares, method="inverted_cdf"))
            self.points: Floats = few
            whole = len(few) > 0 and bool((ends == np.rint(ends)).all())
            self.whole = whole and float(few[-1] - few[0]) < WHOLE_RANGE
            self.fine = 2 + 2 * len(few)
        else:
            self._make_categories()
        self.coded = self.read(original)
        counts = np.bincount(self.coded.cell, minlength=len(self.coded.shares)) @ self.coded.shares
        self.class_of = self._classes(counts)
        self.known_classes = np.unique(self.class_of[1:][counts[1:] > 0]).tolist()
        self.rank = self._ranks(counts)

    def _make_categories(self) -> None:
        """The cell of each category of the original."""
        index, members = self._sets(self.original)
        counts = dict[str, float]()
        for place, times in enumerate(np.bincount(index[index >= 0], minlength=len(members))):
            for label in members[place] if times else ():
                counts[label] = counts.get(label, 0.0) + times / len(members[place])
        listed = common_categories(self.original, self.original, self.name)
        kept = [label for label in listed if label in counts]
        if self.ordered:
            middle = np.cumsum([counts[one] for one in kept]) - np.array(
                [counts[one] / 2 for one in kept]
            )
            part = (middle / max(sum(counts.values()), 1) * MOST_CELLS).astype(np.int64)
            cells = np.unique(part, return_inverse=True)[1] if len(kept) > MOST_CELLS else None
            places = range(len(kept)) if cells is None else cells.tolist()
            self.cell_of = {one: 1 + place for one, place in zip(kept, places, strict=True)}
        else:
            common = sorted(kept, key=lambda one: -counts[one])
            self.cell_of = {one: 1 + min(i, MOST_CELLS) for i, one in enumerate(common)}
        self.fine = 2 + max(self.cell_of.values(), default=0)  # missing, categories, unknown ones

    def read(self, data: Microdata) -> CodedColumn:
        """The column of any file; one that is not there is a star in every record."""
        if self.name not in data.columns:
            middle = np.full(len(data), self.even_moments[0] if self.numeric else np.nan)
            return CodedColumn(np.zeros(len(data), np.int64), self.star[None, :], middle)
        return self._read_numbers(data) if self.numeric else self._read_categories(data)

    @cached_property
    def star(self) -> Floats:
        """The shares of a cell that may be any value of the original."""
        if self.numeric:
            ends = self.points[[0, -1]] if len(self.points) else np.zeros(2)
            return self._spread(ends[:1], ends[1:]).ravel()
        return self._evenly(tuple(self.cell_of))

    @cached_property
    def even_moments(self) -> tuple[float, float]:
        """The mean and the variance of a number drawn evenly over the range of the original."""
        if not len(self.points):
            return 0.0, 0.0
        low, high = float(self.points[0]), float(self.points[-1])
        n = high - low + 1
        return low / 2 + high / 2, (n * n - 1) / 12 if self.whole else (high - low) ** 2 / 12

    # Numbers

    def _ends(self, data: Microdata) -> tuple[Floats, Floats, Bools]:
        """The bounds of each cell, and whether it is known: not missing, and no star."""
        if data.schema[self.name].generalised:
            found = bounds(data, self.name)
            return found.lower, found.upper, ~hidden_cells(data, self.name)
        values = common_numbers(self.original, data, column=self.name)[1]
        kinds = [stored_as(one.column(self.name)) for one in (self.original, data)]
        if kinds == ["dates", "times"]:
            values = values / SECONDS_PER_DAY
        return values, values, ~np.isnan(values)

    def _read_numbers(self, data: Microdata) -> CodedColumn:
        lower, upper, known = self._ends(data)
        if not data.schema[self.name].generalised:
            places = sum(np.searchsorted(self.points, lower, side) for side in ("left", "right"))
            return CodedColumn(np.where(known, 1 + places, 0), self._single, lower)
        low, high = (self.points[0], self.points[-1]) if len(self.points) else (0.0, 0.0)
        star = star_cells(data, self.name)
        lower = np.where(
            star | ~known, low, np.where(np.isinf(lower), np.minimum(low, upper), lower)
        )
        upper = np.where(
            star | ~known, high, np.where(np.isinf(upper), np.maximum(high, lower), upper)
        )
        distinct, cell = np.unique(np.stack([lower, upper]), axis=1, return_inverse=True)
        shares = np.concatenate([self._single[:1], self._spread(*distinct)])
        return CodedColumn(
            np.where(known | star, 1 + cell.ravel(), 0), shares, lower / 2 + upper / 2
        )

    def _spread(self, lower: Floats, upper: Floats) -> Floats:
        """The shares of ranges, evenly over the numbers in each."""
        ends = lower[:, None], upper[:, None]
        points = self.points[None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            below = np.stack([(points - ends[0]) / (ends[1] - ends[0])] * 2, axis=-1)
            if self.whole:
                first, last = np.ceil(ends[0]), np.floor(ends[1])
                n = last - first + 1
                steps = np.stack([np.ceil(points), np.floor(points) + 1], axis=-1)
                whole = (steps - first[..., None]) / n[..., None]
                below = np.where(n[..., None] > 0, whole, below)
        single = (ends[0] == ends[1])[..., None]
        exact = np.stack([ends[0] < points, ends[0] <= points], axis=-1)
        below = np.clip(np.where(single, exact, below), 0, 1).reshape(len(lower), -1)
        edge = np.ones((len(lower), 1))
        return np.diff(np.concatenate([0 * edge, 0 * edge, below, edge], axis=1), axis=1)

    @cached_property
    def _single(self) -> Floats:
        """The shares of each fine cell itself."""
        return np.eye(self.fine)

    # Categories

    def _sets(self, data: Microdata) -> tuple[Ints, list[tuple[str, ...]]]:
        """Each record's place among distinct cells, -1 if missing, and the categories of each."""
        if not data.schema[self.name].generalised:
            plain = codes(data, self.name)
            merged = data.schema[self.name].merged
            return plain.codes.astype(np.int64), [
                tuple(merged.get(label, (label,))) for label in plain.categories
            ]
        listed = common_categories(self.original, data, self.name)
        sets = code_sets(data, self.name, listed)
        members = [tuple(listed[m] for m in sets.members[i:j]) for i, j in pairwise(sets.starts)]
        return sets.cell.astype(np.int64), members

    def _read_categories(self, data: Microdata) -> CodedColumn:
        index, members = self._sets(data)
        rows = [self._single[0], *(self._evenly(labels) for labels in members)]
        return CodedColumn(index + 1, np.array(rows), np.zeros(0))

    def _evenly(self, labels: tuple[str, ...]) -> Floats:
        """The shares of a set of categories, evenly over those that the original has."""
        known = [self.cell_of[label] for label in labels if label in self.cell_of]
        cells = known or [self.fine - 1]
        return np.bincount(cells, minlength=self.fine) / len(cells)

    # Classes and ranks

    def _classes(self, counts: Floats) -> Ints:
        """The class of each fine cell, for pairs and models: 0 is missing."""
        if not self.ordered:
            return np.minimum(np.arange(self.fine), MOST_CLASSES + 1)
        known = np.cumsum(counts[1:])
        cuts = np.arange(1, CLASSES) / CLASSES * known[-1] - 1e-9
        edges = np.unique(np.searchsorted(known, cuts))
        return np.append(0, 1 + np.searchsorted(edges, np.arange(self.fine - 1)))

    def _ranks(self, counts: Floats) -> Floats:
        """The rank of each fine cell among the originals, from 0 to 1; 0 if missing."""
        known = counts[1:]
        middle = (np.cumsum(known) - known / 2) / max(known.sum(), 1e-300)
        return np.append(0.0, middle)
