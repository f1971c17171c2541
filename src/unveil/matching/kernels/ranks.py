"""Ranks in the rows of a matrix of probabilities."""

from unveil.matching.kernels.sinkhorn import Matrix
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel


@kernel()
def rank(
    chance: Matrix,
    sizes: Ints,
    rows: Ints,
    columns: Ints,
    tie: float,
    closer: Ints,
    tied: Ints,
    start: int,
    stop: int,
) -> None:
    """Count the candidates that are more probable than a column's candidate, and its ties.

    A column stands for `sizes` candidates. Impossible candidates rank after all possible ones.
    """
    for k in range(start, stop):
        row, own = rows[k], float(chance[rows[k], columns[k]])
        above, same = 0, 0
        for j in range(chance.shape[1]):
            if chance[row, j] * (1.0 - tie) > own:
                above += sizes[j]
            elif own > 0.0 and chance[row, j] >= own * (1.0 - tie):
                same += sizes[j]
        closer[k] = above if own > 0.0 else max(above, 1)
        tied[k] = max(same - 1, 0)


@kernel()
def largest(chance: Matrix, rows: Ints, best: Floats, start: int, stop: int) -> None:
    """The largest entries of some rows in descending order; `best` has a column for each."""
    k = best.shape[1]
    for r in range(start, stop):
        for j in range(chance.shape[1]):
            value = float(chance[rows[r], j])
            if value <= best[r, k - 1]:
                continue
            at = k - 1
            while at > 0 and best[r, at - 1] < value:
                best[r, at] = best[r, at - 1]
                at -= 1
            best[r, at] = value
