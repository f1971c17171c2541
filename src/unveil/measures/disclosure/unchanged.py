"""Unchanged: what was released as it is, and whom that singles out."""

from collections.abc import Sequence

import numpy as np

from unveil.measures.disclosure.uniqueness import uniqueness
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Unchanged, UnchangedColumn


def unchanged(both: FilePair) -> Unchanged:
    """The columns released unchanged, and how many records they single out together.

    What is released as it was needs no attack: whoever knew it before finds it again. A column
    counts if every cell is the original's; a column that is confidential, or known to many,
    should seldom be one.

    Cells are compared as numbers or as labels; missing on both sides is unchanged, on one side
    it is not. A generalised cell is unchanged if its text is the original's value. Where no
    pair is known, a column that has the same cells in the release as in the original, in
    whatever order, may be unchanged: then `known` is false. Identifiers are left out.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> sample = unveil.households(300, seed=7).select(["sex", "age", "income"])
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=10, columns=["age"])], seed=7)
    >>> found = unchanged(FilePair(sample, swapped.data, swapped.row_map))
    >>> found.unchanged, found.known
    (('sex', 'income'), True)
    """
    columns = tuple(_compared(both, name) for name in both.columns)
    kept = tuple(one.column for one in columns if one.unchanged)
    quasi = tuple(name for name in both.with_role("quasi") if name in kept)
    return Unchanged(
        known=bool(len(both.released)),
        n=len(both.released),
        records=len(both.release),
        columns=columns,
        unchanged=kept,
        singled_out=_uniques(both, kept),
        quasi=quasi,
        singled_out_quasi=_uniques(both, quasi),
    )


def _compared(both: FilePair, column: str) -> UnchangedColumn:
    original, released = both.cells(column)
    n = len(both.released)
    if n:
        same = int((original[both.originals] == released[both.released]).sum())
        return UnchangedColumn(column=column, unchanged=same == n, share=same / n)
    again = np.array_equal(np.sort(original), np.sort(released))
    return UnchangedColumn(column=column, unchanged=again, share=None)


def _uniques(both: FilePair, columns: Sequence[str]) -> int:
    return uniqueness(both.release, columns).uniques if columns else 0
