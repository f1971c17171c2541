"""Groups that have more records than they need lend some to those who are too few."""

from unveil.support.arrays import Ints
from unveil.support.compile import kernel


@kernel()
def lend(asks: Ints, starts: Ints, rich: Ints, first: Ints, last: Ints, k: int, group: Ints,
         spare: Ints, lent: Ints, number: int) -> int:  # fmt: skip
    """Make groups of k of those who ask and of others who agree with them; returns how many.

    Those who ask stand class by class; for each class `first` and `last` say which of the rich
    agree with it. A group lends as many as it has to `spare`. New groups are numbered from
    `number`; `lent` is written on.
    """
    made = 0
    for one in range(len(starts) - 1):
        needed = k - (starts[one + 1] - starts[one])
        found, place = 0, first[one]
        while found < needed and place < last[one]:
            owner = group[rich[place]]
            if spare[owner] > 0:
                spare[owner] -= 1
                lent[found] = rich[place]
                found += 1
            place += 1
        if found < needed:
            for at in range(found):
                spare[group[lent[at]]] += 1
            continue
        for at in range(found):
            group[lent[at]] = number + made
        for at in range(starts[one], starts[one + 1]):
            group[asks[at]] = number + made
        made += 1
    return made
