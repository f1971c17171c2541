"""Masks that make persons alike, or whole households."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unveil.errors import DataError, SpecError
from unveil.masks.base import Guarantee, require_households
from unveil.masks.generalisation.base import GeneralisedTable, GeneralisingMask
from unveil.masks.generalisation.household_table import HouseholdTable, household_tables
from unveil.models.k_anonymity import KAnonymity, Unit
from unveil.support.arrays import Bools, Ints32
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.households import (
    declared_shared,
    household_numbers,
    required_households,
    shared_columns,
)
from unveil.table.microdata import Microdata
from unveil.wording import count, listing


class UnitMask(GeneralisingMask, frozen=True, kw_only=True):
    """A generalising mask whose unit is the person or the household."""

    unit: Unit = "record"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.uses_households and self.models:
            raise SpecError(
                f"{self.step}: models apply to confidential values of equal persons, not of "
                "equal households; leave out models, or set unit to 'record'"
            )

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        """The models; k households alike are k persons alike, too."""
        found = super().guarantees(data)
        if not self.uses_households:
            return found
        households = KAnonymity(k=self.k, unit="household")
        return tuple(Guarantee((*models, households), keys) for models, keys in found)

    def check(self, data: Microdata) -> None:
        """Raise an error for households that cannot be units."""
        super().check(data)
        if not self.uses_households:
            return
        homes = require_households(self, data)
        keys = self.targets(data)
        numbers = [name for name in household_numbers(data) if name in keys]
        if numbers:
            raise SpecError(
                f"{self.step}: {listing(numbers)} is the household number, which is not a key; "
                "name the columns to mask without it"
            )
        for name in declared_shared(data):
            varies = int((~homes.shares(np.maximum(common_cells(data, column=name)[0], -1))).sum())
            if varies and name in keys:
                raise DataError(
                    f"{self.step}: column '{name}' is declared per_household, and members of "
                    f"{varies:,} of {count(len(homes), 'household')} have different cells in it: "
                    "correct the cells, or the schema"
                )
        most = int(np.bincount(homes.sizes).max())
        if most < self.k:
            raise DataError(
                f"{self.step}: k is {self.k:,} and at most {count(most, 'household')} have the "
                f"same number of members: choose a k of at most {most:,}"
            )

    def tables_by_size(
        self, data: Microdata, keys: Sequence[str], codes: Ints32
    ) -> tuple[list[HouseholdTable], Bools]:
        """The households of each size that k have, and whether each record is in one of these.

        A size that fewer than k households have singles them out, so they are not released.
        """
        homes, shared = required_households(data), np.isin(keys, declared_shared(data))
        released = (np.bincount(homes.sizes) >= self.k)[homes.sizes][homes.of_record]
        return household_tables(codes, shared, homes, k=self.k), released

    def of_households(
        self, data: Microdata, generalised: GeneralisedTable, released: Bools
    ) -> GeneralisedTable:
        """The result with the records that it releases, and remarks on households."""
        remarks = []
        if not released.all():
            gone = f"{int((~released).sum()):,} of {count(len(released), 'record')}"
            remarks.append(
                f"{gone} are not released: fewer than {self.k:,} households have as many members "
                "as theirs"
            )
        constant = shared_columns(data.select(self.targets(data)), required_households(data))
        undeclared = [name for name in constant if not data.schema[name].per_household]
        if undeclared:
            remarks.append(
                f"all members of a household have the same {listing(undeclared)}; declare "
                "per_household in the schema, so that a cell masked for one member cannot be "
                "derived from another"
            )
        return replace(generalised, released=released, remark="; ".join(remarks))
