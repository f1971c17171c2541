"""The competitors that no other one dominates."""

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part


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
    costs: Floats,
    candidates: Ints,
    sizes: Ints,
    true: int,
    true_costs: Floats,
    nearer: float,
    kept: Ints,
    counts: Ints,
) -> None:
    """The candidates that may be as near as the true one while no other candidate is nearer.

    A candidate with the same cost in every attribute is a twin of the true one: no metric tells
    them apart. It stands for sizes[row] rows. A candidate that costs more in every attribute is
    farther by any monotone metric, and so is one that costs nowhere less than another. `kept`
    has the places of the others. `counts` has how many those are, how many twins, and 1 if some
    candidate costs nowhere more than the true one: this is then never the nearest, and none are
    kept. "Less" means less than `nearer` times as much.
    """
    n_kept, twins, dominated = 0, 0, 0
    for place in range(len(candidates)):
        if candidates[place] == true:
            continue
        own = costs[place]
        if above(own, true_costs, nearer):
            continue
        if below(own, true_costs, nearer):
            if below(true_costs, own, nearer):
                twins += sizes[candidates[place]]
                continue
            n_kept, dominated = 0, 1
            break
        lesser = False
        for at in range(n_kept):
            if below(costs[kept[at]], own, 1.0):
                lesser = True
                break
        if lesser:
            continue
        left = 0
        for at in range(n_kept):
            if not below(own, costs[kept[at]], 1.0):
                kept[left] = kept[at]
                left += 1
        kept[left] = place
        n_kept = left + 1
    counts[0], counts[1], counts[2] = n_kept, twins, dominated
