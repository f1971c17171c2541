"""Files that share nobody: what an attack finds in them is what it finds by chance.

Shuffling the rows of a file is no control, since no attack looks at their order. Two kinds of
controls are. Redrawn from a Gaussian copula, a file has the same marginals and the same
correlations, and nobody in common with anyone. Stand-ins are the people who might have been in the
file instead: each cell is one of a person's or of a near neighbour's, so that everything else that
goes together in the file goes together in them, too.
"""

from collections.abc import Callable

import numpy as np

from unveil.attacks.structural.file_features import correlations_of, deviations_of, scores_of
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import normal_scores

Control = Callable[[Floats, np.random.Generator], Floats]


NEIGHBOURS = 5
SAME = 1 - 1e-9  # a correlation from which one feature repeats another
AT_ONCE = 4_000_000  # distances that are held at a time


def redrawn(values: Floats, rng: np.random.Generator) -> Floats:
    """A file of the same marginals, exactly, and the same correlations of normal scores."""
    present = ~np.isnan(values)
    scores = np.column_stack([normal_scores(column) for column in values.T])
    spectrum, vectors = np.linalg.eigh(correlations_of(scores / deviations_of(scores)))
    root = vectors * np.sqrt(np.maximum(spectrum, 0.0))
    drawn = rng.standard_normal(values.shape) @ root.T
    there = present[rng.permutation(len(values))]  # who has which cells
    found = np.full_like(values, np.nan)
    for column, known in enumerate(there.T):
        rows = np.flatnonzero(known)
        by_size = rows[np.argsort(drawn[rows, column], kind="stable")]
        found[by_size, column] = np.sort(values[present[:, column], column])
    return found


def stand_ins(values: Floats, rng: np.random.Generator) -> Floats:
    """People between one of the file and one of those nearest: each cell is of either."""
    scores = scores_of(values, values)
    near = _neighbours(scores)
    person = rng.integers(0, len(values), len(values))
    other = near[person, rng.integers(0, near.shape[1], len(values))]
    either = (rng.random(values.shape) < rng.random((len(values), 1)))[:, _first_alike(scores)]
    return np.where(either, values[person], values[other])


def _first_alike(scores: Floats) -> Ints:
    """For each feature the first that says the same: what goes together stays together."""
    sums = np.abs(scores.T @ scores)
    size = np.sqrt(np.diag(sums))
    first: Ints = (sums >= SAME * size * size[:, None]).argmax(1)
    return first


def _neighbours(scores: Floats) -> Ints:
    """The few records nearest to each, itself left out."""
    n, many = len(scores), min(NEIGHBOURS, len(scores) - 1)
    size = (scores**2).sum(1)
    found = np.empty((n, many), np.int64)
    step = max(1, AT_ONCE // n)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        gaps = size - 2 * scores[rows] @ scores.T  # and the same for all of a row
        gaps[np.arange(len(rows)), rows] = np.inf
        found[rows] = np.argpartition(gaps, many - 1, axis=1)[:, :many]
    return found


CONTROLS: dict[str, Control] = {"redrawn": redrawn, "stand-ins": stand_ins}
