"""Costs of pairs by attribute, and the competitors that no other one dominates."""

import numpy as np

from unveil.engines.local.kernels.costs import Terms, least_cost
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part

ZERO_COST = 1e-30  # a squared difference below this is rounding


@part()
def attribute_costs(
    terms: Terms, query: Floats, missing: Floats, candidate: Floats, attribute_of: Ints, out: Floats
) -> None:
    """out[k] becomes the cost of the pair in attribute k; column j is of attribute_of[j]."""
    out[:] = 0.0
    for j in range(len(query)):
        if np.isnan(query[j]) or np.isnan(candidate[j]):
            out[attribute_of[j]] += missing[j]
        else:
            out[attribute_of[j]] += least_cost(terms, j, query[j], candidate[j], candidate[j])
    for k in range(len(out)):
        if out[k] < ZERO_COST:
            out[k] = 0.0


@kernel()
def cost_pairs_by_attribute(
    terms: Terms,
    queries: Floats,
    missing: Floats,
    base: Floats,
    left: Ints,
    right: Ints,
    attribute_of: Ints,
    out: Floats,
) -> None:
    """out[p] becomes the costs of query left[p] and record right[p], attribute by attribute."""
    for p in range(len(left)):
        query, row = left[p], left[p] if len(missing) > 1 else 0
        attribute_costs(terms, queries[query], missing[row], base[right[p]], attribute_of, out[p])


@part()
def below(one: Floats, other: Floats, factor: float) -> bool:
    """Whether factor times one is nowhere above the other."""
    for k in range(len(one)):  # noqa: SIM110 - numba compiles no generator
        if factor * one[k] > other[k]:
            return False
    return True


@part()
def above(one: Floats, other: Floats, factor: float) -> bool:
    """Whether factor times one is everywhere above the other."""
    for k in range(len(one)):  # noqa: SIM110 - numba compiles no generator
        if factor * one[k] <= other[k]:
            return False
    return True


@kernel()
def undominated(
    terms: Terms,
    query: Floats,
    missing: Floats,
    base: Floats,
    candidates: Ints,
    sizes: Ints,
    true: int,
    attribute_of: Ints,
    nearer: float,
    kept: Ints,
    costs: Floats,
    counts: Ints,
) -> None:
    """The candidates that may be as near as the true one while no other candidate is nearer.

    A candidate with the same cost in every attribute is a twin of the true one: no metric tells
    them apart. It stands for sizes[row] rows. A candidate that costs more in every attribute is
    farther by any monotone metric, and so is one that costs nowhere less than another. `kept`
    has the rows of the others. `counts` has how many those are, how many twins, and 1 if some
    candidate costs nowhere more than the true one: this is then never the nearest, and none are
    kept. "Less" means less than `nearer` times as much. costs[0] is of the true one.
    """
    attribute_costs(terms, query, missing, base[true], attribute_of, costs[0])
    n_kept, twins, dominated = 0, 0, 0
    for row in candidates:
        if row == true:
            continue
        own = costs[n_kept + 1]
        attribute_costs(terms, query, missing, base[row], attribute_of, own)
        if above(own, costs[0], nearer):
            continue
        if below(own, costs[0], nearer):
            if below(costs[0], own, nearer):
                twins += sizes[row]
                continue
            n_kept, dominated = 0, 1
            break
        lesser = False
        for at in range(n_kept):
            if below(costs[at + 1], own, 1.0):
                lesser = True
                break
        if lesser:
            continue
        left = 0
        for at in range(n_kept):
            if not below(own, costs[at + 1], 1.0):
                kept[left] = kept[at]
                for k in range(len(own)):
                    costs[left + 1, k] = costs[at + 1, k]
                left += 1
        kept[left] = row
        for k in range(len(own)):
            costs[left + 1, k] = own[k]
        n_kept = left + 1
    counts[0], counts[1], counts[2] = n_kept, twins, dominated
