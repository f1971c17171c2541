"""Relations: how far the dependence of pairs of columns is from the original's."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from unveil.measures.information_loss.uses.coded_file import CodedFile, class_starts
from unveil.measures.information_loss.uses.parts import UseParts
from unveil.support.arrays import Floats

DEFINITION = (
    "root mean square over pairs of columns of half the sum of |d' - d|, d what the share of two "
    "classes together is beyond the product of their shares, over the same for columns permuted "
    "independently, whose d' is 0; classes are fifths of numbers and ordered categories and the 9 "
    "commonest others"
)
NO_PAIRS = "relations need two columns"


class Relations:
    """The dependence of all pairs of columns of the original."""

    definition = DEFINITION
    of_all_records = False

    def __init__(self, original: CodedFile, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.names = tuple(f"{a} and {b}" for a, b in combinations(columns, 2))
        self.starts = class_starts(original.cells, columns)[:-1]
        self.original = self._dependence(original)
        self.destroyed = np.array([self._distances(table) for table in self.original])

    def parts(self, release: CodedFile) -> UseParts:
        """The distance of each pair of columns."""
        if not self.names:
            return UseParts((), np.zeros((1, 0)), np.zeros((1, 0)), NO_PAIRS)
        tables = zip(self.original, self._dependence(release), strict=True)
        distances = np.array([self._distances(one - other) for one, other in tables])
        return UseParts(self.names, distances, self.destroyed)

    def _dependence(self, file: CodedFile) -> list[Floats]:
        """Joint shares of all classes less the products, of all records and without each group."""
        if not self.names:
            return []
        classes, design = file.classes(self.columns), file.design
        weighted = classes * design.weight[:, None]
        members = [np.flatnonzero(design.group == group) for group in range(design.groups)]
        joint = [weighted[rows].T @ classes[rows] for rows in members]
        single = design.left_out(np.array([weighted[rows].sum(axis=0) for rows in members]))
        total = np.sum(joint, axis=0)
        left = [total, *(total - one for one in joint)] if design.groups > 1 else [total]
        return [
            table / weight - np.outer(shares, shares) / weight**2
            for table, shares, weight in zip(left, single, file.weight_left, strict=True)
        ]

    def _distances(self, gaps: Floats) -> Floats:
        rows = np.add.reduceat(np.abs(gaps), self.starts, axis=0)
        blocks = np.add.reduceat(rows, self.starts, axis=1)
        return blocks[np.triu_indices(len(self.columns), 1)] / 2
