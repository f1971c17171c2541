"""Changed cells: how many of each column were suppressed, generalised or replaced."""

from functools import partial

import numpy as np

from unveil.measures.information_loss.generalisation import added_penalties, suppressed_cells
from unveil.support.arrays import Bools
from unveil.support.threads import on_all_cores
from unveil.table.columns import labels_of
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import ColumnChanges
from unveil.values.single_values import star_cells


def changed_cells(pair: FilePair) -> tuple[ColumnChanges, ...]:
    """How many cells of each released column the masking changed, and how.

    A changed cell is suppressed (it became a star or missing), generalised (it became a range, a
    set or a merged category that holds several values) or replaced by another value, or by another
    missing code; a missing cell that became a star has not changed. Counted are the
    cells of released records whose original is known; a discarded record has no cell. Each count
    goes from 0 to the number of these records. It is empty if no pair is known.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> codes = unveil.masks.TopCoding(share=0.1, columns=["income"])
    >>> release = unveil.mask(sample, [codes], seed=7)
    >>> found = changed_cells(FilePair.of(sample, release.data, release.row_map))
    >>> [(one.column, one.replaced) for one in found if one.changed]
    [('income', 28)]
    """
    if not len(pair.released):
        return ()
    return tuple(on_all_cores(partial(_changes, pair), pair.columns))


def _changes(pair: FilePair, column: str) -> ColumnChanges:
    before, after = pair.cells(column)
    changed = before[pair.originals] != after[pair.released]
    suppressed = suppressed_cells(pair, column)
    generalised = ~suppressed & (added_penalties(pair, column) > 0)
    generalised |= changed & _merged(pair, column)
    starred = star_cells(pair.release, column)[pair.released]  # missing to a star is no change
    replaced = changed & ~suppressed & ~generalised & ~starred
    counts = [int(cells.sum()) for cells in (suppressed, generalised, replaced)]
    return ColumnChanges(
        column=column,
        n=len(pair.released),
        changed=sum(counts),
        suppressed=counts[0],
        generalised=counts[1],
        replaced=counts[2],
    )


def _merged(pair: FilePair, column: str) -> Bools:
    """Of the pairs, which released cells are a category that stands for several."""
    merged = [new for new, old in pair.release.schema[column].merged.items() if len(old) > 1]
    if not merged:
        return np.zeros(len(pair.released), np.bool_)
    several = labels_of(pair.release.column(column)).is_in(merged).fill_null(value=False)
    cells: Bools = several.to_numpy()[pair.released]
    return cells
