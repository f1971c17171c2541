"""Null files: files like the given ones that share no person, to show what chance yields.

There are two kinds. A file redrawn from a Gaussian copula has the same marginals and correlations.
Stand-ins are people who might have been in the file: each cell is a person's or a near
neighbour's, so that they keep all other dependences of the file.
"""

from collections.abc import Callable

import numpy as np

from unveil.attacks.structural import file_features
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import normal_scores

NEIGHBOURS = 5
REPEATED = 1 - 1e-9  # the correlation from which on a feature repeats another
DISTANCES_AT_ONCE = 4_000_000


def redrawn(values: Floats, rng: np.random.Generator) -> Floats:
    """A file of the same marginals, exactly, and the same correlations of normal scores."""
    present = ~np.isnan(values)
    scores = np.column_stack([normal_scores(column) for column in values.T])
    spectrum, vectors = np.linalg.eigh(
        file_features.correlation_matrix(scores / file_features.feature_deviations(scores))
    )
    root = vectors * np.sqrt(np.maximum(spectrum, 0.0))
    drawn = rng.standard_normal(values.shape) @ root.T
    there = present[rng.permutation(len(values))]  # the pattern of missing cells
    found = np.full_like(values, np.nan)
    for column, known in enumerate(there.T):
        rows = np.flatnonzero(known)
        by_size = rows[np.argsort(drawn[rows, column], kind="stable")]
        found[by_size, column] = np.sort(values[present[:, column], column])
    return found


def stand_ins(values: Floats, rng: np.random.Generator) -> Floats:
    """Each cell of a person, or of one of their nearest neighbours; repeated features together."""
    scores = file_features.feature_scores(values, values)
    near = _neighbours(scores)
    person = rng.integers(0, len(values), len(values))
    other = near[person, rng.integers(0, near.shape[1], len(values))]
    sums = np.abs(scores.T @ scores)
    size = np.sqrt(np.diag(sums))
    first_alike = (sums >= REPEATED * size * size[:, None]).argmax(1)
    either = (rng.random(values.shape) < rng.random((len(values), 1)))[:, first_alike]
    return np.where(either, values[person], values[other])


def _neighbours(scores: Floats) -> Ints:
    n, k = len(scores), min(NEIGHBOURS, len(scores) - 1)
    size = (scores**2).sum(1)
    found = np.empty((n, k), np.int64)
    step = max(1, DISTANCES_AT_ONCE // n)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        gaps = size - 2 * scores[rows] @ scores.T  # up to a constant of each row
        gaps[np.arange(len(rows)), rows] = np.inf
        found[rows] = np.argpartition(gaps, k - 1, axis=1)[:, :k]
    return found


NULL_FILES: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "redrawn": redrawn,
    "stand-ins": stand_ins,
}
