"""Whether the order of the rows betrays who is who."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from unveil.data.links import Links


class RowOrder(NamedTuple):
    """Spearman's correlation of the positions of true pairs, and how likely it is by chance."""

    correlation: float  # 0 where there are fewer than 3 pairs
    p_value: float
    n: int


def row_order(links: Links) -> RowOrder:
    """The rank correlation of the rows of both files, over all true pairs.

    A release in memory is looked at in the order in which it would be written.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> kept = unveil.mask(sample, unveil.Plan([], seed=7, keep_order=True))
    >>> round(row_order(unveil.attack(sample, kept, unveil.attacks.Position())).correlation, 6)
    1.0
    """
    from scipy.stats import spearmanr

    known = links.true_rows >= 0
    ours, theirs = links.positions
    pairs = ours[links.records[known]], theirs[links.true_rows[known]]
    if len(pairs[0]) < 3 or len(np.unique(pairs[1])) < 2:
        return RowOrder(0.0, 1.0, len(pairs[0]))
    found = spearmanr(*pairs)
    return RowOrder(float(found.statistic), float(found.pvalue), len(pairs[0]))
