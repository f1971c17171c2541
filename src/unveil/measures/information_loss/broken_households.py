"""Broken households: members who shared a cell before masking and no longer do."""

from unveil.table.households import declared_shared, households_of, likely_shared
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import BrokenHouseholds


def broken_households(pair: FilePair) -> tuple[BrokenHouseholds, ...]:
    """The columns that all members of a household shared, and in how many they no longer do.

    Households are those of the original; counted are the members that are released. A column counts
    if the schema declares it per_household, or if it is the same within each household.

    >>> import unveil
    >>> frame = unveil.households(300, seed=7).to_frame()
    >>> sample = unveil.Microdata(frame, unveil.Schema(quasi=["region"], household="household"))
    >>> swapped = unveil.mask(sample, [unveil.masks.Pram(theta=0.3, columns=["region"])], seed=7)
    >>> found = broken_households(FilePair.of(sample, swapped.data, swapped.row_map))
    >>> [(one.column, one.broken, one.households) for one in found]
    [('region', 26, 138)]
    """
    homes = households_of(pair.original)
    if homes is None or not len(pair.released):
        return ()
    changed = [name for name in pair.columns if _has_changed(pair, name)]
    original = pair.original.select(changed or pair.columns)
    shared = {*declared_shared(original), *likely_shared(original, homes)}
    homes, found = homes.take(pair.originals), []
    for column in filter(shared.__contains__, changed):
        before, after = pair.cells(column)
        kept = homes.shares(after[pair.released])
        broken = int((homes.shares(before[pair.originals]) & ~kept).sum())
        if broken:
            declared = pair.original.schema[column].per_household
            found.append(
                BrokenHouseholds(
                    column=column, broken=broken, households=len(homes), declared=declared
                )
            )
    return tuple(found)


def _has_changed(pair: FilePair, column: str) -> bool:
    before, after = pair.original.column(column), pair.release.column(column)
    return not before.gather(pair.originals).equals(after.gather(pair.released))
