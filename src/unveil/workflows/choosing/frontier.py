"""The Pareto frontier of risk and loss, and the hypervolume that it dominates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.support.arrays import Floats, Ints


def frontier(risks: Sequence[float] | Floats, losses: Sequence[float] | Floats) -> Ints:
    """The places of the plans that no other beats, by ascending risk and descending loss.

    A plan is beaten by one with no more risk and no more loss, and less of either; of plans that
    are equal in both the first stands for all.

    >>> frontier([0.1, 0.5, 0.2, 0.1], [0.7, 0.2, 0.8, 0.7])
    array([0, 1])
    """
    risk, loss = np.asarray(risks, float), np.asarray(losses, float)
    order = np.lexsort((loss, risk))  # stable: equal plans stay in the order in which they came
    least = np.minimum.accumulate(loss[order])
    before = np.concatenate(([np.inf], least[:-1]))
    return order[loss[order] < before]


def hypervolume(
    risks: Sequence[float] | Floats,
    losses: Sequence[float] | Floats,
    reference: tuple[float, float] = (1.0, 1.0),
) -> float:
    """The area between the frontier and a reference point that is worse in both.

    Plans beyond the reference in risk or loss add nothing.

    >>> hypervolume([0.2, 0.6], [0.5, 0.2])
    0.52
    """
    risk, loss = np.asarray(risks, float), np.asarray(losses, float)
    inside = (risk < reference[0]) & (loss < reference[1])
    risk, loss = risk[inside], loss[inside]
    best = frontier(risk, loss)
    steps = np.diff(np.append(risk[best], reference[0]))
    return float(steps @ (reference[1] - loss[best]))
