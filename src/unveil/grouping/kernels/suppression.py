"""Local suppression: stars that match any value, and records that groups lend to each other."""

from unveil.support.arrays import Ints, Ints32
from unveil.support.compile import kernel


@kernel()
def place_stars(labels: Ints32, cheapest: Ints, alike: Ints, classes: Ints, k: int,
                counts: Ints32, mask: Ints) -> None:  # fmt: skip
    """Give each record in turn its cheapest mask, unless enough other records already fit it.

    `labels` are the agreement classes of each mask, `counts` the records of each that have that
    mask by now. Of each record's class, `alike` are not starred yet: they fit. Once k fit a
    record, it needs no star: later stars only add to those that fit.
    """
    for v in range(labels.shape[1]):
        fits = alike[classes[v]]
        for m in range(labels.shape[0]):
            fits += counts[m, labels[m, v]]
        mask[v] = -1
        if fits < k:
            mask[v] = cheapest[v]
            counts[cheapest[v], labels[cheapest[v], v]] += 1
            alike[classes[v]] -= 1


@kernel()
def count_fitting(cells: Ints32, sizes: Ints, bucket: Ints, stars: int, out: Ints, start: int,
                  stop: int) -> None:  # fmt: skip
    """For some rows the number of records that fit them; a code of -1, a star, fits any.

    Rows stand by their first code, those with a star there first, `stars` of them; `bucket` says
    where the rows with each code begin.
    """
    n, d = cells.shape
    for i in range(start, stop):
        out[i] = 0
        for part in range(2):  # the stars, and those of the same first code, or all others
            first, last = (0, stars) if part == 0 else (stars, n)
            if part == 1 and cells[i, 0] >= 0:
                first, last = bucket[cells[i, 0]], bucket[cells[i, 0] + 1]
            for other in range(first, last):
                fits = True
                for j in range(d):
                    a, b = cells[i, j], cells[other, j]
                    if a != b and a >= 0 and b >= 0:
                        fits = False
                        break
                if fits:
                    out[i] += sizes[other]


@kernel()
def lend(needy: Ints, starts: Ints, rich: Ints, first: Ints, last: Ints, k: int, group: Ints,
         spare: Ints, lent: Ints, number: int) -> int:  # fmt: skip
    """Make groups of k of needy records and of others that agree with them; returns how many.

    The needy stand class by class; for each class `first` and `last` say which of the rich
    agree with it. A group lends as many as it has to `spare`. New groups are numbered from
    `number`; `lent` is scratch.
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
            group[needy[at]] = number + made
        made += 1
    return made
