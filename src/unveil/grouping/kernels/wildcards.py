"""Where a star fits anything: who needs one, and how many fit each."""

from unveil.support.arrays import Ints, Ints32
from unveil.support.compile import kernel


@kernel()
def place_stars(labels: Ints32, cheapest: Ints, alike: Ints, classes: Ints, k: int,
                counts: Ints32, mask: Ints) -> None:  # fmt: skip
    """Give each record in turn its cheapest mask, unless enough others fit it by then.

    `labels` says for each mask and record with whom it agrees in what the mask tells, `counts`
    how many of those have got that mask. Of each record's class, `alike` are not starred yet: they
    fit. Once k fit a record, it needs no star: later ones take nobody away.
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
    """For some rows how many records fit them, a code of -1, a star, fitting any.

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
