"""The weights of log-likelihoods by which the true pairs of a file stand out best.

The loss is the cross-entropy of a matrix of scores along its rows and along its columns, where the
true pairs are the diagonal. It is convex in the weights.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from unveil.support.arrays import Floats

STEPS = 60  # of the optimiser
HELD = 1e-2  # of the squared distance from the first weights: evidence told twice is shared evenly


def matching_loss(weights: Floats, evidence: Floats) -> tuple[float, Floats]:
    """The loss of a weighted sum of matrices (kinds x records x rows), and its gradient.

    >>> loss, _ = matching_loss(np.zeros(1), np.eye(2)[None])  # it knows nothing
    >>> round(loss / float(np.log(2)), 9)  # two coin tosses
    2.0
    """
    scores = np.tensordot(weights, evidence, axes=1)
    n = len(scores)
    loss, slope = -2 * float(np.trace(scores)), -2 * np.eye(n)
    for axis in (0, 1):
        total = logsumexp(scores, axis=axis, keepdims=True)
        loss += float(total.sum())
        slope += np.exp(scores - total)
    return loss / n, np.tensordot(evidence, slope, axes=2) / n


def fit_weights(blocks: Sequence[Floats], first: Floats) -> tuple[Floats, int]:
    """The weights of least loss over several files, none below 0; and the steps that it took."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        parts = [matching_loss(weights, block) for block in blocks]
        away = weights - first
        total = sum(one for one, _ in parts) / len(parts) + HELD * float(away @ away)
        slopes = np.sum([slope for _, slope in parts], axis=0) / len(parts)
        return total, slopes + 2 * HELD * away

    with threadpool_limits(1):  # the last bits depend on the number of threads
        found = minimize(
            loss, first, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(first),
            options={"maxiter": STEPS},
        )  # fmt: skip
    return found.x, int(found.nit)
