"""Sampling of records, and shuffling of rows."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.errors import DataError
from unveil.masks.base import Draw, Mask, MaskedTable
from unveil.support.options import Progress, part_of
from unveil.table.microdata import Microdata
from unveil.wording import count


class Sampling(Mask, frozen=True, kw_only=True):
    """Sampling: release a random sample of the records.

    An intruder cannot be sure that a person is in the release. The sampled records themselves are
    unchanged.

    Simple random sampling without replacement; `share` or `records` sets the size. The rows keep
    their order. Willenborg and de Waal, Elements of Statistical Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> unveil.mask(unveil.households(100), [Sampling(share=0.2)], seed=7)
    Release(20 records, 13 columns; sampling)
    """

    share: Annotated[
        Annotated[float, Meta(gt=0, le=1)] | None,
        Meta(description="Fraction of the records to release."),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Number of records to release.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_one_of("share", "records")

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """Every column loses cells."""
        return data.columns

    def check(self, data: Microdata) -> None:
        if (self.records or 0) > len(data):
            raise DataError(
                f"{self.step}: a sample of {self.records:,} out of {count(len(data), 'record')}"
            )
        if not self._size(len(data)):
            raise DataError(f"{self.step}: the share is so small that no record would be released")

    def _size(self, n: int) -> int:
        return self.records if self.records is not None else part_of(n, self.share or 0.0)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        rows = np.sort(draw().choice(len(data), self._size(len(data)), replace=False))
        return MaskedTable(data.take(rows), rows=rows)


class Shuffle(Mask, frozen=True, kw_only=True):
    """Shuffle: put the rows into a random order.

    No value changes. An intruder can no longer use the order of the rows.

    Releases are shuffled when they are written; this mask is for a release that stays in memory.
    (Common practice; we know of no source.)

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(5), [Shuffle()], seed=7)
    >>> release.row_map.tolist()
    [2, 4, 1, 0, 3]
    """

    def targets(self, data: Microdata) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def check(self, data: Microdata) -> None:
        """Every table can be shuffled."""

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        rows = draw().permutation(len(data))
        return MaskedTable(data.take(rows), rows=rows)
