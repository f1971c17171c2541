"""Pairs that the masking cannot have made, at infinite cost.

Domingo-Ferrer and Torra, Validating distance-based record linkage with probabilistic record linkage
(2002), Section 4: a distance takes the masking into account if it is infinite where a category
cannot be recoded as another. Here that holds of every mask whose channel excludes a cell, such as
rounding and top coding of numbers, and of columns that were not masked.
"""

from dataclasses import replace

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.attacks.tailored.attack import Tailored, check_truth
from unveil.attacks.tailored.likelihood import likelihoods_of
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.engines.metric import Cost
from unveil.errors import UsageError

PLACE = "distance: exclude_impossible"


def impossible_pairs(files: LinkageFiles) -> ComparedAttribute:
    """Numbers of both files whose gaps cost infinity if the masking excludes a pair, otherwise 0.

    The likelihoods of the method-aware attack have the infinities; their finite costs are dropped.
    """
    if files.masking is None or not files.masking.columns:
        raise UsageError(
            f"{PLACE}: it needs the masking of the known attributes; give the Release of "
            "unveil.mask or the plan of this release, or leave out exclude_impossible"
        )
    view, channels = Tailored().known_masking(files)
    parts = likelihoods_of(channels, view)
    check_truth(files, parts, PLACE, "leave out exclude_impossible")
    pairs = PairLikelihood.join(list(parts.values()))
    pairs = pairs.without([not np.isinf(cost.value).any() for cost in pairs.costs])
    costs = tuple(map(_only_infinite, pairs.costs))
    if files.reverse:
        costs = tuple(cost.reversed for cost in costs)
    return ComparedAttribute(pairs.intruder, pairs.released, costs)


def _only_infinite(cost: Cost) -> Cost:
    """The infinities of a cost, which are of a table or beyond a gap."""
    value = np.where(np.isinf(cost.value), np.inf, 0.0)
    return replace(cost, value=value, slope=np.zeros_like(cost.slope), missing=0.0)
