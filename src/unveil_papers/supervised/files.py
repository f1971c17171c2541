"""The six files of the paper on supervised linkage: samples of Census, microaggregated."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import unveil
from unveil import Intruder, Links, Microdata, Release, attacks, masks, measures
from unveil_papers.datasets import dataset
from unveil_papers.framework.tools import Floats, Ints, numbers

FILES = {  # columns of each group, and its k
    "M4-33": ((2, 2), (3, 3)),
    "M4-28": ((2, 2), (2, 8)),
    "M4-82": ((2, 2), (8, 2)),
    "M5-38": ((3, 2), (3, 8)),
    "M6-385": ((2, 2, 2), (3, 8, 5)),
    "M6-853": ((2, 2, 2), (8, 5, 3)),
}
SIZE = 400
PLAIN = attacks.Distance()
BY_PAIRS = attacks.Distance(metric="mahalanobis", covariance="pairs")
BY_MOMENTS = attacks.Distance(metric="mahalanobis", covariance="moments")


@cache
def census() -> Microdata:
    """All 1,080 records."""
    return dataset("census")


class File(NamedTuple):
    """Some records of Census and their release."""

    data: Microdata
    release: Release
    mask: masks.Mask
    groups: tuple[tuple[str, ...], ...]

    @property
    def originals(self) -> Ints:
        """The original's row of each released row."""
        return np.asarray(self.release.row_map)

    def links(
        self, attack: attacks.Attack, *, back: bool = False, seed: int = 0, channel: bool = False
    ) -> Links:
        """The links of released rows, or of originals (`back`)."""
        intruder = Intruder(
            knows=tuple(name for group in self.groups for name in group),
            direction="original-to-release" if back else "release-to-original",
            channel=channel,
        )
        return unveil.attack(self.data, self.release, attack, intruder=intruder, seed=seed)

    def share(self, attack: attacks.Attack, *, back: bool = False, channel: bool = False) -> float:
        """The share that is linked; a tie is a miss."""
        return strictly(self.links(attack, back=back, channel=channel))

    def aligned(self) -> measures.FilePair:
        """Both files side by side."""
        return measures.FilePair.of(self.data, self.release.data, self.originals)


def strictly(links: Links) -> float:
    """The share of the records that are linked rightly; a tie is a miss."""
    return float(measures.hits(links, ties="unique").mean())


def of_sample(number: int, seed: int) -> Microdata:
    """One of the samples."""
    rows = np.random.default_rng(seed + number).choice(len(census()), SIZE, replace=False)
    return census().take(rows)


def masked(data: Microdata, sizes: Sequence[int], ks: Sequence[int]) -> File:
    """The first columns, microaggregated in groups of so many, each with a k."""
    ends = np.cumsum([0, *sizes])
    groups = tuple(data.columns[a:b] for a, b in pairwise(ends))
    # A spec takes sets of columns as they stand in a plan, too.
    sets: Any = [{"columns": group, "k": k} for group, k in zip(groups, ks, strict=True)]
    mask = masks.Microaggregation(groups=sets, standardise=False, keep_type=False)
    some = data.select(data.columns[: ends[-1]])
    return File(some, unveil.mask(some, [mask], seed=0), mask, groups)


def drawn(name: str, number: int, seed: int) -> File:
    """One of the six files, of one of the samples."""
    return masked(of_sample(number, seed), *FILES[name])


def standardised(data: Microdata) -> Floats:
    """The same, each column by its own mean and deviation."""
    values = numbers(data)
    unit: Floats = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    return unit
