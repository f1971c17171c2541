"""Knowledge that is out of date: a share of an intruder's cells hold another person's value."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from unveil.support.arrays import Ints
from unveil.support.seeds import stream
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata


def stale_cells(
    people: Microdata, columns: Sequence[str], error: float, order: Ints, seed: int
) -> Microdata:
    """The people with a share of the cells of some columns out of date.

    Such a cell holds the value of another person, drawn at random; numbers and categories alike.
    A missing cell stays missing, and none is drawn. The cells of a smaller error are among those
    of a larger one. `order` is the rank of each row by its content, which decides the draw.

    >>> from unveil.table.sample import households
    >>> sample = households(400)
    >>> stale = stale_cells(sample, ["income"], 0.1, np.arange(400), seed=1)
    >>> int((stale.column("income") != sample.column("income")).sum())
    38
    """
    made = [_stale_column(people.column(name), error, order, seed) for name in columns]
    return people.replace([one for one in made if not one.equals(people.column(one.name))])


def _stale_column(column: pl.Series, error: float, order: Ints, seed: int) -> pl.Series:
    present = np.flatnonzero(column.is_not_null())
    present = present[np.argsort(order[present])]
    n, rng = len(present), stream(seed, "audit", "error", column.name)
    if n < 2:
        return column  # there is nobody else
    stale = rng.random(n) < error
    others = (np.arange(n) + rng.integers(1, n, n)) % n
    source = np.arange(len(column))
    source[present[stale]] = present[others[stale]]
    return donated(column, source)
