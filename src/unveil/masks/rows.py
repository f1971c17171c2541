"""Masks of whole rows: a sample of them, another order."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.errors import DataError
from unveil.masks.base import Draw, Mask, Masked, one_of
from unveil.support.options import Progress, part_of
from unveil.table.microdata import Microdata
from unveil.wording import count


class Sampling(Mask, frozen=True, kw_only=True):
    """Sampling: only some of the records are released, drawn at random.

    Nobody can be sure that a person is in the release. Those who are in it are released as they
    are.

    Each record is as likely as any other, and none is drawn twice; the rows keep their
    order. Willenborg and de Waal, Elements of Statistical Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> unveil.mask(unveil.households(100), [Sampling(share=0.2)], seed=7)
    Release(20 records, 14 columns; sampling)
    """

    share: Annotated[
        Annotated[float, Meta(gt=0, le=1)] | None,
        Meta(description="How many records are released, as a share of all."),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="How many records are released.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "share", "records")

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """Every column loses cells."""
        return data.columns

    def check(self, data: Microdata) -> None:
        """There must be as many records."""
        if (self.records or 0) > len(data):
            raise DataError(
                f"{self.step}: a sample of {self.records:,} out of {count(len(data), 'record')}"
            )
        if not self._size(len(data)):
            raise DataError(f"{self.step}: so small a share of the records is none at all")

    def _size(self, n: int) -> int:
        return self.records if self.records is not None else part_of(n, self.share or 0.0)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """Draw the sample."""
        rows = np.sort(draw().choice(len(data), self._size(len(data)), replace=False))
        return Masked(data.take(rows), rows=rows)


class Shuffle(Mask, frozen=True, kw_only=True):
    """Shuffle: the rows in another order, drawn at random.

    No value is changed; only what the order of the rows may tell is taken away.

    A written release is shuffled anyway; this is for one that stays in memory. (Common
    practice, without a source that we know of.)

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(5), [Shuffle()], seed=7)
    >>> release.row_map.tolist()
    [2, 4, 1, 0, 3]
    """

    def targets(self, data: Microdata) -> tuple[str, ...]:  # noqa: ARG002
        """No cell changes."""
        return ()

    def check(self, data: Microdata) -> None:
        """Any table has rows."""

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """Shuffle the rows."""
        rows = draw().permutation(len(data))
        return Masked(data.take(rows), rows=rows)
