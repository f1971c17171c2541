"""Rank swapping: values exchanged between records of near ranks."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from unveil.errors import DataError
from unveil.masks.base import (
    MaskedColumn,
    OnEachColumn,
    ascending,
    check_varies,
    sort_keys,
)
from unveil.masks.kernels.swapping import swap_by, swap_within
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import part_of
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Swap

TRIES = 500  # after so many steps that lead nowhere a value stays
BATCH = 1 << 16


class _Swapping(OnEachColumn, frozen=True, kw_only=True):
    """What both kinds of rank swapping are."""

    levels: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")

    p: Annotated[float, Meta(ge=0, le=100, description="How far values move, in % of n.")]

    def check_column(self, data: Microdata, column: str) -> None:
        """Something must move."""
        super().check_column(data, column)
        check_varies(self, data, column)
        known = len(data) - data.column(column).null_count()
        if 0 < known * self.p < 100:
            raise DataError(
                f"{self.step}: p is {self.p:g} % and column '{column}' has {known:,} known values: "
                "that is less than one position; choose a larger p, or leave the column out"
            )


class RankSwapping(_Swapping, frozen=True, kw_only=True):
    """Rank swapping: each value changes places with one at most p % of n positions away.

    Every released value is a true one, but mostly that of somebody else who stands near in the
    order. Each column by itself stays as it is; how columns go together is loosened.

    In ascending order (equal values as they stand in the file) each record not yet swapped
    takes a partner at random among those not yet swapped in the next p % of n positions.
    Moore, Controlled data swapping for masking public use microdata sets (1996);
    Muralidhar and Domingo-Ferrer (2016), Section 4. Records that do not know the value
    have no position.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [RankSwapping(p=5, columns=["age"])], seed=7)
    >>> release.channels[0].window
    5
    """

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Swap within a fixed window."""
        rows = ascending(sort_keys(data, column))
        window = part_of(len(rows), self.p, 100)
        partner = pairs_within(np.full(len(rows), window), rng)
        masked = donated(data.column(column), _donors(len(data), rows, partner))
        return MaskedColumn(masked, Swap((column,), window))


class DistributionSwapping(_Swapping, frozen=True, kw_only=True):
    """p-distribution rank swapping: how far a value moves is drawn, with no sharp bound.

    Every released value is a true one, but mostly that of somebody else. As it may have come from
    far away, an intruder cannot rule anybody out for certain.

    As rank swapping, but the positions moved are drawn from a normal distribution whose
    mean and deviation are half of p % of n. Nin, Herranz and Torra, Rethinking rank swapping
    to decrease disclosure risk (2008); Muralidhar and Domingo-Ferrer (2016), Section 4.

    `reading` "table": the draw is the step itself, drawn again until it leads to a record
    not yet swapped (500 times at most), which reproduces the published Table 3. "text": the
    draw, its sign dropped, is the longest step, and the partner is any record within it, as
    the papers' words have it; that protects far less.

    Examples
    --------
    >>> import unveil
    >>> swapping = DistributionSwapping(p=5, columns=["age"])
    >>> unveil.mask(unveil.households(100), [swapping], seed=7).channels[0].mean
    2.5
    """

    reading: Annotated[
        Literal["table", "text"], Meta(description="What is drawn: the step, or its bound.")
    ] = "table"

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Swap by drawn steps, or within drawn windows."""
        rows = ascending(sort_keys(data, column))
        n = len(rows)
        half = n * self.p / 200
        if self.reading == "text":
            bounds = np.abs(np.rint(rng.normal(half, half, n)))
            partner = pairs_within(np.minimum(bounds, n).astype(np.int64), rng)
            channel = Swap((column,), n - 1, mean=half, deviation=half, bound=True)
        else:
            partner = pairs_by(n, half, rng)
            channel = Swap((column,), n - 1, mean=half, deviation=half)
        masked = donated(data.column(column), _donors(len(data), rows, partner))
        return MaskedColumn(masked, channel)


def pairs_within(windows: Ints, rng: np.random.Generator) -> Ints:
    """For each position the one it exchanges values with, within its window."""
    _rehearse()
    n = len(windows)
    partner = np.arange(n)
    swap_within(windows, rng.random(n), partner, np.zeros(n + 1, np.int64))
    return partner


def pairs_by(n: int, half: float, rng: np.random.Generator) -> Ints:
    """The same with steps drawn from a normal distribution."""
    _rehearse()
    partner, settled, state = np.arange(n), np.zeros(n, np.bool_), np.zeros(2, np.int64)
    while half > 0 and not swap_by(steps_of(half, rng), state, TRIES, partner, settled):
        pass
    return partner


def steps_of(half: float, rng: np.random.Generator) -> Floats:
    """Some more steps."""
    steps: Floats = np.rint(rng.normal(half, half, BATCH))
    return steps


def _rehearse() -> None:
    def swap_two() -> None:
        partner = np.arange(2)
        swap_within(np.ones(2, np.int64), np.zeros(2), partner, np.zeros(3, np.int64))
        swap_by(np.ones(2), np.zeros(2, np.int64), 1, partner, np.zeros(2, np.bool_))

    prepare("rank swapping", swap_two)


def _donors(n: int, rows: Ints, partner: Ints) -> Ints:
    donors = np.full(n, -1)
    donors[rows] = rows[partner]
    return donors
