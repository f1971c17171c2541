"""Row order: whether the order of the released rows reveals who is who."""

from typing import NamedTuple

import numpy as np

from unveil.values.links import Links


class RowOrder(NamedTuple):
    """How far true pairs stand in the same order in both files, with p-values."""

    correlation: float  # Spearman's, of their positions; 0 for fewer than 3 pairs
    p_value: float
    neighbours: int  # rows that stand next to each other in both files
    neighbours_p_value: float  # of this number or more: about 2 by chance, whatever the file
    n: int


def row_order(links: Links) -> RowOrder:
    """Whether released rows stand in the order of the originals.

    If they do, the position of a row reveals whose it is, however it was masked. The rank
    correlation goes from -1 to 1 and is near 0 by chance; about 2 neighbours stay neighbours by
    chance.

    Both are of the positions of all true pairs. A file that was cut and reassembled is not
    correlated, but keeps neighbours. A release in memory has the order in which it would be
    written.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> kept = unveil.mask(sample, unveil.Plan([], seed=7, keep_order=True))
    >>> round(row_order(unveil.attack(sample, kept, unveil.attacks.Position())).correlation, 6)
    1.0
    """
    from scipy.stats import poisson, spearmanr

    known = links.true_rows >= 0
    records, candidates = links.positions
    before, after = records[links.records[known]], candidates[links.true_rows[known]]
    n = len(before)
    if n < 3 or len(np.unique(after)) < 2:
        return RowOrder(0.0, 1.0, 0, 1.0, n)
    spearman = spearmanr(before, after)
    ranks = np.argsort(np.argsort(before))[np.argsort(after)]
    beside = int((np.abs(np.diff(ranks)) == 1).sum())
    by_chance = float(poisson.sf(beside - 1, 2.0))
    return RowOrder(float(spearman.statistic), float(spearman.pvalue), beside, by_chance, n)
