"""Thresholds: which pairs are linked, which are not, and which somebody has to look at."""

from typing import Any

import numpy as np

from unveil.attacks.probabilistic.fellegi_sunter import FellegiSunterModel
from unveil.engines.local.level_patterns import LevelPatterns
from unveil.errors import SpecError

SAME = 1e-9  # weights nearer than this are equal


def decide(
    patterns: LevelPatterns,
    model: FellegiSunterModel,
    *,
    p_link_unmatched: float,
    p_nonlink_matched: float,
    times: float = 1.0,
) -> dict[str, Any]:
    """The thresholds that keep both errors within bounds, and how the pairs fall.

    Fellegi and Sunter (1969), Section 2: patterns in the order of their weight; from the top are
    linked as many as P(LP|U) allows, from the bottom not linked as many as P(NP|M) does. Both
    probabilities are those of the pairs that were counted, each a match by its posterior
    probability; `times` tells what one of them stands for.
    """
    weight = patterns.weigh(model.weights())
    odds = np.clip(weight + model.logit, -700, 700)
    matched = patterns.counts / (1 + np.exp(-odds))
    unmatched = patterns.counts / (1 + np.exp(odds))
    order = np.argsort(-weight, kind="stable")
    heavy = weight[order]
    starts = np.flatnonzero(np.diff(heavy, prepend=np.inf) < -SAME)
    pairs, m, u = (
        np.add.reduceat(values[order], starts) for values in (patterns.counts, matched, unmatched)
    )
    wrong = np.cumsum(u) / max(u.sum(), 1e-300)
    missed = np.cumsum(m[::-1])[::-1] / max(m.sum(), 1e-300)
    linked = int((wrong <= p_link_unmatched * (1 + SAME)).sum())
    apart = int((missed <= p_nonlink_matched * (1 + SAME)).sum())
    if linked + apart > len(starts):
        raise SpecError(
            "probabilistic: the thresholds cross: with errors as large as these allowed, some "
            "pairs could be linked and not linked alike; lower p_link_unmatched or "
            "p_nonlink_matched"
        )
    bits, middle = heavy[starts] / np.log(2), len(starts) - apart

    def so_many(first: int, last: int) -> int:
        return round(float(pairs[first:last].sum()) * times)

    return {
        "link_threshold": float(bits[linked - 1]) if linked else None,
        "nonlink_threshold": float(bits[middle]) if apart else None,
        "linked_pairs": so_many(0, linked),
        "clerical_pairs": so_many(linked, middle),
        "nonlinked_pairs": so_many(middle, len(starts)),
    }
