"""Rank swapping: records of similar ranks exchange their values, in pairs or all together."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from unveil.errors import DataError
from unveil.masks.base import MaskedColumn, UnivariateMask, ascending_rows, sort_keys
from unveil.masks.kernels.swapping import permute_within, swap_by_steps, swap_within
from unveil.support.arrays import Ints
from unveil.support.compile import prepare
from unveil.support.options import part_of
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata
from unveil.values.release.swap import Swap

MAX_TRIES = 500  # draws without a free partner, after which a value stays
STEP_BATCH = 1 << 16
SWEEPS = 10  # of a permutation: more change no distance between a value and its place


class _Swapping(UnivariateMask, frozen=True, kw_only=True):
    """The common part of all kinds of rank swapping."""

    levels: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")

    p: Annotated[
        float, Meta(ge=0, le=100, description="Distance of the swaps in ranks, in % of n.")
    ]

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        self.check_varies(data, column)
        known = len(data) - data.column(column).null_count()
        if 0 < known * self.p < 100:
            raise DataError(
                f"{self.step}: p is {self.p:g} % and column '{column}' has {known:,} known values: "
                "that is less than one position; choose a larger p, or leave the column out"
            )


class RankSwapping(_Swapping, frozen=True, kw_only=True):
    """Rank swapping: swap each value with one at most p % of n ranks away.

    Every released value is a true one, but mostly that of another person of similar rank. The
    distribution of each column is unchanged; the relations between columns become weaker. An
    intruder who follows the pairs undoes it at any `p` (the attack `exchange`); `RankPermutation`
    withstands that.

    In ascending order (ties in file order) each record not yet swapped takes a random partner
    among those not yet swapped in the next `p` % of n ranks. Missing values have no rank. Moore,
    Controlled data swapping for masking public use microdata sets (1996); Muralidhar and
    Domingo-Ferrer (2016), Section 4.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [RankSwapping(p=5, columns=["age"])], seed=7)
    >>> release.channels[0].window
    5
    """

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        rows = ascending_rows(sort_keys(data, column))
        window = part_of(len(rows), self.p, 100)
        partner = partners_within(np.full(len(rows), window), rng)
        return _swapped(data, rows, partner, Swap((column,), window))


class DistributionSwapping(_Swapping, frozen=True, kw_only=True):
    """p-distribution rank swapping: swap each value over a random distance in ranks.

    Every released value is a true one, but mostly that of another person. The distance has no
    sharp bound, so an intruder cannot exclude a person with certainty. Like all swapping in
    pairs it can be undone (the attack `exchange`); `RankPermutation` withstands that.

    The distance is normal, its mean and standard deviation half of `p` % of n. Nin, Herranz and
    Torra, Rethinking rank swapping to decrease disclosure risk (2008); Muralidhar and
    Domingo-Ferrer (2016), Section 4.

    `reading` "table": the draw is the distance, repeated until it leads to a record not yet
    swapped (500 times at most); this reproduces the published Table 3. "text", the wording of the
    papers: the absolute value of the draw is the largest distance, and the partner any record
    within it; this protects far less.

    Examples
    --------
    >>> import unveil
    >>> swapping = DistributionSwapping(p=5, columns=["age"])
    >>> unveil.mask(unveil.households(100), [swapping], seed=7).channels[0].mean
    2.5
    """

    reading: Annotated[
        Literal["table", "text"], Meta(description="Random quantity: the distance, or its bound.")
    ] = "table"

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Swap over random distances, or within random windows."""
        rows = ascending_rows(sort_keys(data, column))
        n = len(rows)
        half = n * self.p / 200
        if self.reading == "text":
            bounds = np.abs(np.rint(rng.normal(half, half, n)))
            partner = partners_within(np.minimum(bounds, n).astype(np.int64), rng)
            channel = Swap((column,), n - 1, mean=half, deviation=half, bound=True)
        else:
            partner = partners_by_steps(n, half, rng)
            channel = Swap((column,), n - 1, mean=half, deviation=half)
        return _swapped(data, rows, partner, channel)


class RankPermutation(_Swapping, frozen=True, kw_only=True):
    """Rank permutation: move each value to a record at most p % of n ranks away, not in pairs.

    Every released value is a true one, but mostly that of another person of similar rank, and the
    exchange is not mutual. The distribution of each column is unchanged; the relations between
    columns become weaker.

    The permutation is drawn from all permutations within the window, by a Markov chain: in
    ascending order each record offers its value to a random one within the window, and they
    exchange them if neither value leaves the window; this is repeated ten times. It is rank
    swapping (Moore 1996) without the pairs that the attack `exchange` follows.

    Examples
    --------
    >>> import unveil
    >>> mask = RankPermutation(p=5, columns=["age"])
    >>> release = unveil.mask(unveil.households(100), [mask], seed=7)
    >>> release.channels[0].window, release.channels[0].paired
    (5, False)
    """

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        rows = ascending_rows(sort_keys(data, column))
        window = part_of(len(rows), self.p, 100)
        source = permutation_within(len(rows), window, rng)
        return _swapped(data, rows, source, Swap((column,), window, paired=False))


def permutation_within(n: int, window: int, rng: np.random.Generator) -> Ints:
    """A random permutation that moves nothing by more than the window."""
    _warm_up()
    source = np.arange(n)
    for _ in range(SWEEPS):
        permute_within(window, rng.random(n), source)
    return source


def partners_within(windows: Ints, rng: np.random.Generator) -> Ints:
    """For each rank the one it exchanges values with, within its window."""
    _warm_up()
    n = len(windows)
    partner = np.arange(n)
    swap_within(windows, rng.random(n), partner, np.zeros(n + 1, np.int64))
    return partner


def partners_by_steps(n: int, half: float, rng: np.random.Generator) -> Ints:
    """The same with distances drawn from a normal distribution."""
    _warm_up()
    partner, settled, state = np.arange(n), np.zeros(n, np.bool_), np.zeros(2, np.int64)
    done = half <= 0
    while not done:
        steps = np.rint(rng.normal(half, half, STEP_BATCH))
        done = swap_by_steps(steps, state, MAX_TRIES, partner, settled)
    return partner


def _warm_up() -> None:
    def swap_two() -> None:
        partner = np.arange(2)
        swap_within(np.ones(2, np.int64), np.zeros(2), partner, np.zeros(3, np.int64))
        permute_within(1, np.zeros(2), partner)
        swap_by_steps(np.ones(2), np.zeros(2, np.int64), 1, partner, np.zeros(2, np.bool_))

    prepare("rank swapping", swap_two)


def _swapped(data: Microdata, rows: Ints, source: Ints, channel: Swap) -> MaskedColumn:
    donors = np.full(len(data), -1)
    donors[rows] = rows[source]
    return MaskedColumn(donated(data.column(channel.columns[0]), donors), channel)
