"""The channel of masks that move values to records of similar ranks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.encoding.to_arrays import TiedBlocks, codes, numbers, tied_blocks
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel, Estimated, Noise
from unveil.values.release.swap_steps import moved_values


@dataclass(frozen=True, repr=False, eq=False)
class Swap(Channel):
    """A value moved by at most `window` positions in ascending order.

    Positions, not ranks: equal values share a block of positions, and any of a block may have
    moved. All positions within the window are equally likely, unless `mean` and `deviation` are
    given: then the distance is drawn from that normal distribution, cut off at 1 and at the
    window, or, if `bound`, the absolute draw is the window. If `paired`, values are exchanged in
    pairs, and one without a partner stays. Noise of a deviation may have been added afterwards.
    """

    window: int
    mean: float | None = None
    deviation: float | None = None
    bound: bool = False
    slack: Slack = field(default_factory=Slack)  # of the replacing values
    paired: bool = True
    noise: float = 0.0

    estimated: ClassVar[Estimated | None] = "window"

    @property
    def noise_after_exchange(self) -> float | None:
        return self.noise if self.paired and self.window > 0 else None

    @property
    def moves_values(self) -> bool:
        return self.window > 0 and not self.noise  # without a window, means replaced them

    @property
    def is_fitted(self) -> bool:
        return self.noise > 0  # of which positions say little

    def then(self, following: Channel) -> Swap | None:
        """Noise that was added after the swap; it excludes nothing."""
        if not isinstance(following, Noise) or following.columns != self.columns:
            return None
        if following.mean.any() or following.slope is not None:
            return None
        deviation = float(np.hypot(self.noise, following.covariance[0, 0] ** 0.5))
        return replace(self, noise=deviation, slack=following.slack[0])

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        a, b = (_blocks(data, self.columns[0]) for data in (before, after))
        gap = np.maximum(a.first - b.last, b.first - a.last)
        too_far: Bools = (a.last >= 0) & (b.last >= 0) & (gap > self.window) & (not self.noise)
        return too_far

    def changes(
        self,
        before: Microdata,
        after: Microdata,  # noqa: ARG002
        places: tuple[Ints, Ints],
        size: int,
    ) -> Floats | None:
        if self.noise or (not self.window and not np.array_equal(*places)):  # means replaced them
            return None
        return moved_values(self, _blocks(before, self.columns[0]), places[0], size)

    def of_members(self, households: Microdata, sizes: Ints) -> Swap:
        """Positions of members: a household moves past up to twice the window.

        Once by its own way, and once by others that move past it. Sizes mostly cancel out, so steps
        of more than a window are improbable: the law of steps says so.
        """
        blocks = _blocks(households, self.columns[0])
        first, sizes = (one[blocks.last >= 0] for one in (blocks.first, sizes))
        if not self.window or not len(first):
            return self
        # Ties may be in any order: the ends of a stretch of households may be the largest of them.
        least, most = (
            np.append(0, np.cumsum(sizes[np.lexsort((by, first))])) for by in (sizes, -sizes)
        )
        reach, size = min(2 * self.window, len(first)), float(sizes.mean())
        mean, deviation = self.window * size, float(sizes.std()) * (2 * self.window) ** 0.5
        if self.mean is not None:
            mean, deviation = self.mean * size, (self.deviation or 0.0) * size
        window = int((most[reach:] - least[: len(least) - reach]).max())
        return replace(self, window=window, mean=mean, deviation=deviation)


def _blocks(data: Microdata, column: str) -> TiedBlocks:
    if data.level(column) == "numeric":
        values = numbers(data, [column]).values[:, 0]
        return tied_blocks(values, ~np.isnan(values))
    coded = codes(data, column)
    return tied_blocks(coded.codes.astype(np.int64), coded.codes >= 0)
