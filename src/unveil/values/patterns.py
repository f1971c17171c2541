"""Patterns: what groups of records have in common, and stars; and the anonymity sets they make."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.support.arrays import Ints
from unveil.table.attribute import Attribute
from unveil.table.microdata import Microdata
from unveil.wording import count

COUNT = "count"  # the column of the supports in a file of patterns


@dataclass(frozen=True, repr=False, eq=False)
class Patterns:
    """Patterns with their supports, and the records that satisfy none."""

    data: Microdata  # a row per pattern: the keys with stars, and the confidential values if used
    supports: Ints
    rest: Ints  # the rows of the discarded records, from 0
    n: int  # number of records in the table
    members: Ints  # the rows that satisfy each pattern, pattern after pattern

    def __len__(self) -> int:
        return len(self.supports)

    def __repr__(self) -> str:
        left = f"{count(len(self.rest), 'record')} of {self.n:,} satisfy none"
        return f"Patterns({count(len(self), 'pattern')}; {left})"

    @property
    def table(self) -> Microdata:
        """The patterns as a table to write: their cells and, in the column `count`, their supports.

        The largest supports come first. The order does not depend on the order of the records.
        """
        if COUNT in self.data.columns:
            raise DataError(
                f"the supports of patterns are written to a column '{COUNT}', which the patterns "
                "have already; rename it in the data"
            )
        labels = [self.data.column(name).cast(pl.String).alias(name) for name in self.data.columns]
        cells = pl.DataFrame([pl.Series(COUNT, -self.supports), *labels])
        order = cells.select(pl.arg_sort_by(cells.columns)).to_series().to_numpy()
        supports = pl.Series(COUNT, self.supports[order])
        return self.data.take(order).with_column(supports, Attribute(level="numeric"))

    @property
    def of_records(self) -> tuple[Ints, Ints]:
        """Pairs of a record and a pattern that it satisfies, by records: two arrays."""
        pattern = np.repeat(np.arange(len(self)), self.supports)
        order = np.lexsort((pattern, self.members))
        return self.members[order], pattern[order]


@dataclass(frozen=True, repr=False, eq=False)
class AnonymitySets:
    """Numbers for each record of a table; all are 0 for a record that satisfies no pattern."""

    patterns: Ints  # patterns that it satisfies
    alike: Ints  # records that satisfy exactly the same patterns, itself among them
    united: Ints  # records that satisfy at least one of its patterns, itself among them

    def below(self, k: int) -> int:
        """The number of records that satisfy the same patterns as fewer than k - 1 others."""
        return int(((self.alike > 0) & (self.alike < k)).sum())

    def __repr__(self) -> str:
        several = int((self.patterns > 1).sum())
        return f"AnonymitySets({len(self.patterns):,} records, {several:,} in several patterns)"
