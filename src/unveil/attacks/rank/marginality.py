"""An order for categories that have none: how far each stands from all the others.

Domingo-Ferrer, Sánchez and Rufian-Torrell, Anonymization of nominal data using semantic
marginality (2013): the marginality of a category is the sum of its distances to those of all
records, so that ordinary ones come first and peculiar ones last.
"""

from collections.abc import Sequence

import numpy as np

from unveil.support.arrays import Floats, Ints

DIGITS = 12  # categories that stand alike have the same marginality, whatever the rounding


def semantic_distances(hierarchy: Sequence[Sequence[str]]) -> Floats:
    """The distance of each two categories: log2(1 + the share of ancestors not in common).

    Of all ancestors of both, themselves among them (Sánchez, Batet, Isern and Valls,
    Ontology-based semantic similarity: a new feature-based approach, 2012).

    >>> rows = [["nurse", "health"], ["doctor", "health"], ["pilot", "transport"]]
    >>> semantic_distances(rows).round(3).tolist()
    [[0.0, 0.737, 1.0], [0.737, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    rows = np.array([list(row) for row in hierarchy])
    depth = rows.shape[1]
    shared = (rows[:, None, :] == rows[None, :, :]).sum(axis=2)
    together = 2 * depth - shared
    distances: Floats = np.log2(1 + (together - shared) / together)
    return distances


def marginality(distances: Floats, coded: Ints) -> Floats:
    """The mean distance of each category from those of the records; -1 is missing.

    >>> distances = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> marginality(distances, np.array([0, 0, 0, 1])).tolist()
    [0.25, 0.75]
    """
    shares = np.bincount(coded[coded >= 0], minlength=len(distances)) / max((coded >= 0).sum(), 1)
    mean: Floats = np.round(distances @ shares, DIGITS)
    return mean
