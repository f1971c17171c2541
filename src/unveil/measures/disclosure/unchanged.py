"""Unchanged columns: what was released as it was, and how many records that singles out."""

import numpy as np

from unveil.measures.disclosure.uniqueness import uniqueness
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Unchanged, UnchangedColumn, WithoutRole


def unchanged(pair: FilePair) -> Unchanged:
    """The columns released unchanged, and how many records they single out together.

    A column counts if every cell is the original's. It needs no attack: an intruder who knows it
    finds it again. Confidential and widely known columns should rarely be unchanged.

    Cells are compared as numbers or as labels; missing on both sides is unchanged, on one side
    it is not. A generalised cell is unchanged if its text is the original's value. If no pair is
    known (`known` is false), a column counts if both files have the same cells in any order.
    Identifiers are left out.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7).select(["sex", "age", "income"])
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=10, columns=["age"])], seed=7)
    >>> found = unchanged(FilePair.of(sample, swapped.data, swapped.row_map))
    >>> found.unchanged, found.known
    (('sex', 'income'), True)
    """
    columns = tuple(_compare(pair, name) for name in pair.columns)
    kept = tuple(column.column for column in columns if column.unchanged)
    quasi = tuple(name for name in pair.with_role("quasi") if name in kept)
    uniques = {names: uniqueness(pair.release, names).uniques for names in {kept, quasi} if names}
    return Unchanged(
        known=bool(len(pair.released)),
        n=len(pair.released),
        records=len(pair.release),
        columns=columns,
        unchanged=kept,
        singled_out=uniques.get(kept, 0),
        quasi=quasi,
        singled_out_quasi=uniques.get(quasi, 0),
        without_role=without_role(pair),
    )


def without_role(pair: FilePair) -> WithoutRole | None:
    """The released columns without a role in either schema; None: each has one.

    A column that the original does not have needs a role in the release's schema. One counts as
    unchanged if nineteen of twenty cells stayed.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7).to_frame()
    >>> people = unveil.Microdata(sample.select("sex", "age"), unveil.Schema(quasi="sex"))
    >>> without_role(FilePair.of(people, people, range(300))).columns
    ('age',)
    """
    files = (pair.original, pair.release)
    undecided = [n for n in pair.columns if not any(data.schema[n].role for data in files)]
    new = [n for n in pair.release.columns if n not in pair.original.columns]
    added = tuple(name for name in new if not pair.release.schema[name].role)
    if not (undecided or added):
        return None
    kept = tuple(name for name in undecided if _compare(pair, name).nearly)
    quasi = [name for name in pair.with_role("quasi") if _compare(pair, name).nearly]
    singled_out, with_quasi, by_added = (
        uniqueness(pair.release, (*names, *more)).uniques if names else 0
        for names, more in ((kept, ()), (kept, quasi), (added, ()))
    )
    return WithoutRole(
        columns=kept,
        records=len(pair.release),
        singled_out=singled_out,
        singled_out_with_quasi=with_quasi,
        changed=tuple(name for name in undecided if name not in kept),
        added=added,
        added_single_out=by_added,
    )


def _compare(pair: FilePair, column: str) -> UnchangedColumn:
    original, released = pair.cells(column)
    n = len(pair.released)
    if n:
        same = int((original[pair.originals] == released[pair.released]).sum())
        return UnchangedColumn(column=column, unchanged=same == n, share=same / n)
    same_cells = np.array_equal(np.sort(original), np.sort(released))
    return UnchangedColumn(column=column, unchanged=same_cells, share=None)
