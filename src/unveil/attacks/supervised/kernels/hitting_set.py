"""A cheap hitting set, by local search."""

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import kernel, part


@part()
def random_below(state: Ints, limit: int) -> int:
    """The next random number below a limit, of a generator whose state is one number."""
    state[0] = (state[0] * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return (state[0] >> 33) % limit


@kernel()
def hit_cheaply(
    starts: Ints,
    members: Ints,
    member_starts: Ints,
    member_sets: Ints,
    price: Floats,
    chosen: Bools,
    limit: float,
    steps: int,
    per_set: Ints,
    weight: Floats,
    touched: Ints,
    state: Ints,
) -> bool:
    """Choose members that hit every set, at a total price of at most `limit`; False if it failed.

    Set s has the members from starts[s] on; member i is in the sets from member_starts[i] on.
    `chosen` is the start, and the result. While the price is too high, the member whose loss is
    the cheapest goes out; then the member of an open set that hits most comes in. Sets that stay
    open gain weight. The last four arguments are scratch: three numbers and a weight for each
    set, when each member was last touched, and the random state.
    """
    hits, open_sets, place = per_set[0], per_set[1], per_set[2]
    n_sets, cost, opened = len(starts) - 1, 0.0, 0
    hits[:], weight[:], touched[:] = 0, 1.0, 0
    for i in range(len(price)):
        if chosen[i]:
            cost += price[i]
            for e in range(member_starts[i], member_starts[i + 1]):
                hits[member_sets[e]] += 1
    for s in range(n_sets):
        if hits[s] == 0:
            open_sets[opened], place[s] = s, opened
            opened += 1
    for step in range(1, steps + 1):
        while cost > limit:
            best, least = -1, 1e300
            for i in range(len(price)):
                if chosen[i] and (touched[i] < step - 1 or step == 1):  # not who has just come in
                    loss = 0.0
                    for e in range(member_starts[i], member_starts[i + 1]):
                        if hits[member_sets[e]] == 1:
                            loss += weight[member_sets[e]]
                    loss /= price[i]
                    if loss < least or (loss == least and touched[i] < touched[best]):
                        best, least = i, loss
            if best < 0:
                return False
            chosen[best], touched[best] = False, step
            cost -= price[best]
            for e in range(member_starts[best], member_starts[best + 1]):
                hits[member_sets[e]] -= 1
                if hits[member_sets[e]] == 0:
                    open_sets[opened], place[member_sets[e]] = member_sets[e], opened
                    opened += 1
        if opened == 0:
            return True
        at = open_sets[random_below(state, opened)]
        best, most = -1, -1.0
        for k in range(starts[at], starts[at + 1]):
            i, gain = members[k], 0.0
            if touched[i] == step:  # it has just gone out
                continue
            for e in range(member_starts[i], member_starts[i + 1]):
                if hits[member_sets[e]] == 0:
                    gain += weight[member_sets[e]]
            gain /= price[i]
            if gain > most or (gain == most and touched[i] < touched[best]):
                best, most = i, gain
        if best < 0:
            best = members[starts[at] + random_below(state, starts[at + 1] - starts[at])]
        chosen[best], touched[best] = True, step
        cost += price[best]
        for e in range(member_starts[best], member_starts[best + 1]):
            s = member_sets[e]
            if hits[s] == 0:
                opened -= 1
                open_sets[place[s]] = open_sets[opened]
                place[open_sets[opened]] = place[s]
            hits[s] += 1
        for k in range(opened):
            weight[open_sets[k]] += 1.0
    return opened == 0 and cost <= limit
