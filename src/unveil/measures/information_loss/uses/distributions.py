"""Distributions: how far the shares of single columns are from the original's."""

from collections.abc import Sequence

import numpy as np

from unveil.measures.information_loss.uses.coded_file import CodedFile
from unveil.measures.information_loss.uses.parts import UseParts
from unveil.support.arrays import Floats

DEFINITION = (
    "root mean square over columns of the largest error of a share (numbers and ordered "
    "categories: of the values up to a point; others: of a set of categories), over the same for "
    "values drawn evenly over their range; missing is a value, a generalised cell is any of its "
    "values, evenly"
)


class ColumnDistributions:
    """The distributions of single columns of the original, and those of evenly drawn values."""

    definition = DEFINITION
    of_all_records = False

    def __init__(self, original: CodedFile, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.original = {name: original.distribution(name) for name in columns}
        even = []
        for name, shares in self.original.items():
            missing = shares[:, :1] * np.eye(1, shares.shape[1])
            drawn = missing + (1 - shares[:, :1]) * original.cells[name].star
            even.append(_distance(shares, drawn, ordered=original.cells[name].ordered))
        self.destroyed = np.array(even).T

    def parts(self, release: CodedFile) -> UseParts:
        """The distance of each column."""
        distances = [
            _distance(shares, release.distribution(name), ordered=release.cells[name].ordered)
            for name, shares in self.original.items()
        ]
        return UseParts(self.columns, np.array(distances).T, self.destroyed)


def _distance(one: Floats, other: Floats, *, ordered: bool) -> Floats:
    """Kolmogorov's distance of the rows of ordered cells, the total variation of others."""
    gaps = one - other
    summed: Floats = np.abs(gaps).sum(axis=1) / 2
    if ordered:
        summed = np.abs(np.cumsum(gaps, axis=1)[:, :-1]).max(axis=1, initial=0.0)
    return summed
