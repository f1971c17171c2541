"""Where a star fits anything: how many rows fit each, and the cheapest stars that are enough."""

from collections.abc import Sequence

import numpy as np

from unveil.grouping.classes import agreement_labels
from unveil.grouping.disjoint_groups import columns_of
from unveil.grouping.kernels.wildcards import count_fitting, place_stars
from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks


def stars_needed(codes: Ints32, k: int, masks: Sequence[int]) -> Bools:
    """For each record and attribute whether it is told, so that k fit each, stars fitting all.

    A record with a mask fits all who agree with it in what the mask tells: the first mask, from
    the cheapest on, for which there are k such records in the file is enough, whatever becomes of
    others.

    >>> table = np.array([[0, 0], [0, 0], [0, 1]], np.int32)
    >>> stars_needed(table, 2, [0b11, 0b01, 0b00]).tolist()
    [[True, True], [True, True], [True, False]]
    """
    prepare("local suppression", _rehearse)
    n, d = codes.shape
    told = np.ones((n, d), np.bool_)
    labels = _labels(codes, (1 << d) - 1)
    sizes = np.bincount(labels)
    left = np.flatnonzero(sizes[labels] < k)
    if not len(left):
        return told
    classes = labels[left]
    cheapest = np.full(len(left), -1)
    used: list[int] = []
    rows: list[Ints] = []
    for mask in masks:
        open_ = np.flatnonzero(cheapest < 0)
        if not len(open_):
            break
        labels = _labels(codes, mask)
        enough = open_[np.bincount(labels)[labels[left[open_]]] >= k]
        if len(enough):
            cheapest[enough] = len(used)
            used.append(mask)
            rows.append(np.unique(labels[left], return_inverse=True)[1])
    mask_of = np.empty(len(left), np.int64)
    together = np.array(rows, np.int32)
    # The dearest first: their stars may fit those who need few.
    order = np.lexsort((*codes[left].T, -cheapest))
    counts = np.zeros((len(used), int(together.max()) + 1), np.int32)
    place_stars(
        np.ascontiguousarray(together[:, order]), cheapest[order], sizes.copy(), classes[order],
        k, counts, mask_of,
    )  # fmt: skip
    for number, mask in enumerate(used):
        some = left[order[mask_of == number]]
        stars = [j for j in range(d) if j not in columns_of(mask, d)]
        told[np.ix_(some, stars)] = False
    return told


def fitting_rows(codes: Ints32, sizes: Ints) -> Ints:
    """For each row how many records fit it: rows are so many records each, -1 fits anything.

    >>> fitting_rows(np.array([[0, 1], [0, -1], [2, 1]], np.int32), np.array([1, 5, 1])).tolist()
    [6, 6, 1]
    """
    prepare("local suppression", _rehearse)
    order = np.argsort(codes[:, 0], kind="stable")
    cells = np.ascontiguousarray(codes[order])
    bucket = np.searchsorted(cells[:, 0], np.arange(int(cells[:, 0].max(initial=-1)) + 2))
    stars = int((cells[:, 0] < 0).sum())
    found, threads = np.empty(len(cells), np.int64), cores(None)

    def some(start: int, stop: int) -> None:
        count_fitting(cells, sizes[order], bucket, stars, found, start, stop)

    run_blocks(some, thread_blocks(len(cells), 8 * threads), threads=threads)
    out = np.empty(len(cells), np.int64)
    out[order] = found
    return out


def _labels(codes: Ints32, mask: int) -> Ints:
    """A number for each record, the same for those who agree in a mask, without a gap."""
    told = (codes[:, j] for j in columns_of(mask, codes.shape[1]))
    return np.unique(agreement_labels(told, len(codes)), return_inverse=True)[1]


def _rehearse() -> None:
    one, two = np.zeros((1, 1), np.int32), np.zeros(1, np.int64)
    place_stars(one, two, two.copy(), two, 1, one.copy(), two.copy())
    count_fitting(one, two, np.array([0, 1]), 0, two.copy(), 0, 1)
