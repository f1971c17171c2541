"""Reading off: suppressed cells that come back from other cells of the release."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from unveil.errors import UnveilError
from unveil.measures.disclosure.possible_values import PossibleValues, possible_values
from unveil.measures.disclosure.relations import (
    KINDS,
    Cells,
    Groups,
    Relation,
    Shared,
    determined,
    shared_in,
    sums_and_orders,
)
from unveil.measures.disclosure.uniqueness import classes_of
from unveil.support.arrays import Bools, Ints
from unveil.table.households import Homes, households_of
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.results.read_off import FilledRelease, ReadOff, ReadOffColumn
from unveil.values.single_values import hidden_cells

ROUNDS = 100  # most steps from cell to cell; a few are usual


def read_off(pair: FilePair, keys: Sequence[str] | None = None) -> FilledRelease:
    """The suppressed and generalised cells that can be read off other cells, filled in.

    Used are relations that hold for every record of the original, more often than chance explains,
    and that no released cell contradicts:

    - a column is the same for all members of a household. The household is shown by a released
      number; or it is read off: records that are alike in all columns that households share and
      that are released in full, no more than the largest household has, and as many as the released
      household size says, if there is one.
    - a category of one column determines another column, as a postcode its region.
    - sums of two or three columns, and fixed ratios.
    - orders: one number is never above another.

    They are applied until nothing changes. A cell is suppressed if it is missing or a star and was
    neither in the original; cells that were missing before stay missing. A cell stays as it is
    released where the original's value is not among those read off, so that no true value is
    excluded. Pairs are needed: without them nothing is filled in. `keys` are the columns whose
    classes are counted, by default the quasi-identifiers.

    >>> import unveil
    >>> survey = unveil.households(1000, seed=7)
    >>> quasi = ["region", "sex", "marital_status"]
    >>> schema = unveil.Schema(quasi=quasi, household="household")
    >>> people = unveil.Microdata(survey.to_frame(), schema)
    >>> stars = unveil.masks.LocalSuppression(k=9)
    >>> release = unveil.mask(people, stars, household="keep")
    >>> found = read_off(FilePair.of(people, release.data, release.row_map)).found
    >>> found.suppressed, found.returned, found.wrong
    (93, 26, 0)
    """
    files = {}
    for name in pair.columns:
        with suppress(UnveilError):  # the files do not agree on it, and nothing compares it
            if name not in pair.grouping:
                files[name] = possible_values(pair, name)
    original, released = ({name: both[at] for name, both in files.items()} for at in (0, 1))
    records = np.full(len(pair.release), -1) if pair.truth is None else pair.truth.record_of_row
    unknown = {
        name: (records >= 0) & ~cells.exact & ~hidden_cells(pair.original, name)[records]
        for name, cells in released.items()
    }
    unknown = {name: rows for name, rows in unknown.items() if rows.any()}
    relations = list(_relations(pair, original, tuple(unknown))) if unknown else []
    narrowed, kinds = _apply(relations, released, unknown)
    data, columns = pair.release, []
    for name, rows in unknown.items():
        cells, truth, hidden = narrowed[name], original[name], hidden_cells(pair.release, name)
        changed = cells.differs(released[name])
        right = changed & ~cells.within(truth.lower[records], truth.upper[records]).empty
        with suppress(UnveilError):  # a set of categories that the release does not declare
            data = data.replace([cells.fill(data, name, right)]) if right.any() else data
        exact = right & cells.exact
        used = np.bincount(kinds[name][right], minlength=len(KINDS)).tolist()
        columns.append(
            ReadOffColumn(
                column=name,
                suppressed=int((rows & hidden).sum()),
                returned=int((exact & hidden).sum()),
                generalised=int((rows & ~hidden).sum()),
                resolved=int((exact & ~hidden).sum()),
                narrowed=int((right & ~exact).sum()),
                wrong=int((changed & ~right).sum()),
                relations={kind: n for kind, n in zip(KINDS, used, strict=True) if n},
            )
        )
    keys = pair.with_role("quasi") if keys is None else tuple(keys)
    return FilledRelease(data, _summary(columns, keys, pair.release, data))


def _summary(columns: Sequence[ReadOffColumn], keys: tuple[str, ...], *files: Microdata) -> ReadOff:
    """The counts of all columns, and the smallest class before and after."""
    counts = ("suppressed", "returned", "generalised", "resolved", "narrowed", "wrong")
    before, after = (
        int(np.bincount(classes_of(file, keys)).min()) if keys else None for file in files
    )
    return ReadOff(
        columns=tuple(columns),
        **{name: sum(getattr(one, name) for one in columns) for name in counts},
        keys=keys,
        smallest=before,
        smallest_filled=after,
    )


def _relations(pair: FilePair, original: Cells, wanted: Sequence[str]) -> Iterator[Relation]:
    """The relations of an original that say something of the wanted columns."""
    people = households_of(pair.original)
    if people is not None:
        shared = [one.columns[0] for one in shared_in(original, lambda _: people, KINDS[0])]
        kind, groups = KINDS[0], _shown(pair)
        if groups is None:
            members = people.sizes[people.of_record]
            sizes = [
                name
                for name in shared
                if (original[name].single == members)[original[name].exact].all()
            ]
            kind, groups = KINDS[1], partial(_alike, shared, sizes, int(members.max()))
        yield from (Shared(kind, (name,), groups) for name in shared if name in wanted)
    yield from determined(original, wanted)
    yield from sums_and_orders(original, wanted)


def _shown(pair: FilePair) -> Groups | None:
    """The households that the release shows by their numbers; None if it does not."""
    if any(pair.release.schema[name].generalised for name in pair.grouping):
        return None
    homes = households_of(pair.release, pair.grouping)
    return None if homes is None else lambda _: homes


def _alike(shared: Sequence[str], sizes: Sequence[str], most: int, cells: Cells) -> Homes:
    """The households that can be read off; all other records are by themselves.

    If whole households are released, all members of one are alike. So where one tells its size,
    and as many records are alike, these are the household.
    """
    shown = [cells[name].keys for name in shared if cells[name].exact.all()]
    alike = Homes.from_cells(*shown, np.zeros(len(cells[shared[0]].lower), np.int64))
    members = alike.sizes[alike.of_record]
    certain = members <= most
    for told in (cells[name].shared(alike) for name in sizes):
        certain &= told.single == members
    return Homes.from_cells(np.where(certain, alike.of_record, -1))


def _apply(
    relations: Sequence[Relation], released: Cells, unknown: dict[str, Bools]
) -> tuple[dict[str, PossibleValues], dict[str, Ints]]:
    """The cells narrowed until nothing changes, and the kind of the last relation that did it."""
    cells = dict(released)
    kinds = {name: np.zeros(len(rows), np.int64) for name, rows in unknown.items()}
    for _ in range(ROUNDS):
        before = dict(cells)
        for relation in relations:
            narrowed = relation.narrow(cells)
            if any(left.empty.any() for left in narrowed):
                continue  # the release does not keep it
            for name, left in zip(relation.columns, narrowed, strict=True):
                rows = left.differs(cells[name]) & unknown.get(name, False)
                if rows.any():
                    kinds[name][rows] = KINDS.index(relation.kind)
                    cells[name] = left.where(rows, cells[name])
        if all(cells[name] is before[name] for name in cells):
            break
    return cells, kinds
