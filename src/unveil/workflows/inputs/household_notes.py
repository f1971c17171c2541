"""Notes on the households of a table that is inspected, and doubts about their number."""

from collections.abc import Iterator, Sequence

import numpy as np

from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.households import (
    Homes,
    declared_shared,
    households_of,
    likely_shared,
    varying_columns,
)
from unveil.table.microdata import Microdata
from unveil.wording import count, listing

LARGE_HOUSEHOLD = 50  # members, from which the number may be of something else
NEARLY_ALL = 0.9  # of the households of several members


def household_notes(data: Microdata, numbers: Sequence[str]) -> Iterator[str]:
    """Notes on households that the user should confirm or correct."""
    homes, name = households_of(data, numbers), listing(numbers)
    if homes is None:
        if declared := declared_shared(data):
            yield (
                f"{listing(declared)}: declared per_household without a household number; "
                'declare its column (household = "hid"), else each person is masked alone'
            )
        return
    if shared := likely_shared(data, homes, numbers):
        several = count(int((homes.sizes > 1).sum()), "household")
        yield (
            f"{listing(shared)}: the same value for all members in each of the {several} of two "
            f"or more ({name}); declare columns that describe the household (per_household = "
            "[...]), so that masks treat them once per household"
        )
    missing = np.any([data.column(one).is_null().to_numpy() for one in numbers], axis=0)
    if missing.any():
        yield (
            f"{name}: {int(missing.sum()):,} of {count(len(data), 'record')} have no household "
            "number; each counts as a household of one"
        )
    if len(homes) == len(data):
        yield (
            f"{name}: no two records have the same household number, so every household has one "
            "member"
        )
    if (largest := int(homes.sizes.max())) >= LARGE_HOUSEHOLD:
        yield f"{name}: the largest household has {largest:,} members: is it a household number?"
    yield from _varying(data, homes, numbers)
    for column in data.schema.with_role("identifier"):
        cells = common_cells(data, column=column)[0]
        known = (cells >= 0) & ~missing
        pairs = np.unique(np.column_stack([cells[known], homes.of_record[known]]), axis=0)
        twice = int((np.unique(pairs[:, 0], return_counts=True)[1] > 1).sum())
        if twice:
            yield (
                f"{column}: {count(twice, 'value')} of this identifier in two or more households: "
                "correct the identifier or the household number"
            )


def _varying(data: Microdata, homes: Homes, numbers: Sequence[str]) -> Iterator[str]:
    """Columns that should be the same within households and vary; whether a number repeats."""
    declared, strata = declared_shared(data), data.schema.with_role("stratum")
    fixed = {name for name in (*declared, *strata) if name not in numbers}
    varying = varying_columns(data, homes, [name for name in data.columns if name in fixed])
    found = [f"{name} (in {varying[name]:,})" for name in declared if name in varying]
    if found:
        yield (
            f"declared per_household, and members differ: {listing(found)} of "
            f"{count(len(homes), 'household')}; correct the cells, or delete per_household there"
        )
    often = NEARLY_ALL * (homes.sizes > 1).sum()
    if varying and max(varying.values()) >= often and 2 * len(varying) > len(fixed):
        together = ", ".join(f'"{name}"' for name in ("region", *numbers))
        yield (
            f"{listing(numbers)}: in nearly every household members differ in {listing(varying)}: "
            "the number may begin anew in each region; then name all columns that make it "
            f"(household = [{together}]), or make one number of them to release the region"
        )
