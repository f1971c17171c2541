"""Whether the order of the rows betrays who is who."""

from typing import NamedTuple

import numpy as np

from unveil.values.links import Links


class RowOrder(NamedTuple):
    """Whether true pairs stand alike in both files, and how likely that is by chance."""

    correlation: float  # Spearman's, of their positions; 0 where there are fewer than 3 pairs
    p_value: float
    neighbours: int  # rows that stand next to each other in both files
    neighbours_p_value: float  # of so many or more: about 2 are by chance, whatever the file
    n: int


def row_order(links: Links) -> RowOrder:
    """Whether rows stand in the released file where they stood in the original.

    If released rows stand in the order of the originals, their places tell who is who, however
    they were masked. A correlation goes from -1 to 1, and by chance it is near 0; of neighbours
    that stay neighbours there are about 2 by chance.

    The rank correlation of the rows of both files, over all true pairs, and how many neighbours
    stay so. A file that was cut and put together again is not correlated, but neighbours stay so.
    A release in memory is looked at in the order in which it would be written.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> kept = unveil.mask(sample, unveil.Plan([], seed=7, keep_order=True))
    >>> round(row_order(unveil.attack(sample, kept, unveil.attacks.Position())).correlation, 6)
    1.0
    """
    from scipy.stats import poisson, spearmanr

    known = links.true_rows >= 0
    ours, theirs = links.positions
    pairs = ours[links.records[known]], theirs[links.true_rows[known]]
    if len(pairs[0]) < 3 or len(np.unique(pairs[1])) < 2:
        return RowOrder(0.0, 1.0, 0, 1.0, len(pairs[0]))
    found = spearmanr(*pairs)
    ranks = np.argsort(np.argsort(pairs[0]))[np.argsort(pairs[1])]
    beside = int((np.abs(np.diff(ranks)) == 1).sum())
    by_chance = float(poisson.sf(beside - 1, 2.0))
    return RowOrder(float(found.statistic), float(found.pvalue), beside, by_chance, len(pairs[0]))
