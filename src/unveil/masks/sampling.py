"""Sampling of records, and shuffling of rows."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.errors import DataError
from unveil.masks.base import Draw, Mask, MaskedTable, Unit, require_households
from unveil.support.options import Progress, part_of
from unveil.table.households import Homes
from unveil.table.microdata import Microdata
from unveil.wording import count


class Sampling(Mask, frozen=True, kw_only=True):
    """Sampling: release a random sample of the records.

    An intruder cannot be sure that a person is in the release. The sampled records themselves are
    unchanged.

    Simple random sampling without replacement; `share` or `records` sets the size. With `unit`
    "household" whole households are drawn, and both count households; a record without a household
    number is a household by itself. The rows keep their order. Willenborg and de Waal, Elements of
    Statistical Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> unveil.mask(unveil.households(100), [Sampling(share=0.2)], seed=7)
    Release(20 records, 13 columns; sampling)
    """

    share: Annotated[
        Annotated[float, Meta(gt=0, le=1)] | None,
        Meta(description="Fraction of the records (or households) to release."),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Number of records (or households) to release."),
    ] = None
    unit: Annotated[Unit, Meta(description="Draw records or whole households.")] = "record"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_one_of("share", "records")

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """Every column loses cells."""
        return data.columns

    def check(self, data: Microdata) -> None:
        n = len(self._units(data))
        if (self.records or 0) > n:
            raise DataError(
                f"{self.step}: a sample of {self.records:,} out of {count(n, self.unit)}"
            )
        if not self._size(n):
            raise DataError(
                f"{self.step}: the share is too small to release a record; choose a larger one"
            )

    def _units(self, data: Microdata) -> Homes:
        if self.unit == "household":
            return require_households(self, data)
        return Homes(np.arange(len(data)))

    def _size(self, n: int) -> int:
        return self.records if self.records is not None else part_of(n, self.share or 0.0)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        units = self._units(data)
        drawn = draw().choice(len(units), self._size(len(units)), replace=False)
        rows = np.flatnonzero(np.isin(units.of_record, drawn))
        return MaskedTable(data.take(rows), rows=rows)


class Shuffle(Mask, frozen=True, kw_only=True):
    """Shuffle: put the rows into a random order.

    No value changes. An intruder can no longer use the order of the rows.

    Releases are shuffled when they are written; this mask is for a release that stays in memory.
    With `unit` "household" the members of a household stay together, in a random order, and the
    households are in a random order; the file is then written in this order. It tells who lives
    together, so the plan must release the household number. (Common practice; we know of no
    source.)

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(5), [Shuffle()], seed=7)
    >>> release.row_map.tolist()
    [2, 4, 1, 0, 3]
    """

    unit: Annotated[
        Unit, Meta(description="Shuffle records, or households and the members of each.")
    ] = "record"

    @property
    def shows_households(self) -> bool:
        return self.unit == "household"

    def targets(self, data: Microdata) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def check(self, data: Microdata) -> None:
        """Every table can be shuffled, by household if it has their number."""
        if self.unit == "household":
            require_households(self, data)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        rng = draw()
        rows = rng.permutation(len(data))
        if self.unit == "household":
            homes = require_households(self, data)
            places = rng.permutation(len(homes))[homes.of_record]
            rows = rows[np.argsort(places[rows], kind="stable")]
        return MaskedTable(data.take(rows), rows=rows)
