"""Stars as wildcards that fit anything: rows that fit each row, and the cheapest stars for k."""

from collections.abc import Sequence

import numpy as np

from unveil.grouping.classes import agreement_labels
from unveil.grouping.disjoint_groups import mask_columns
from unveil.grouping.kernels.suppression import count_fitting, place_stars
from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks


def published_cells(codes: Ints32, k: int, masks: Sequence[int]) -> Bools:
    """Whether each cell is published, so that at least k records fit every record.

    A record with a mask fits all records that agree with it in the mask's attributes. Each record
    gets the cheapest mask for which the file has k such records. Stars of other records cannot
    lower this count.
    """
    prepare("local suppression", _rehearse)
    n, d = codes.shape
    published = np.ones((n, d), np.bool_)
    labels = _labels(codes, (1 << d) - 1)
    sizes = np.bincount(labels)
    left = np.flatnonzero(sizes[labels] < k)
    if not len(left):
        return published
    classes = labels[left]
    cheapest = np.full(len(left), -1)
    used: list[int] = []
    by_mask: list[Ints] = []
    for mask in masks:
        open_ = np.flatnonzero(cheapest < 0)
        if not len(open_):
            break
        labels = _labels(codes, mask)
        enough = open_[np.bincount(labels)[labels[left[open_]]] >= k]
        if len(enough):
            cheapest[enough] = len(used)
            used.append(mask)
            by_mask.append(np.unique(labels[left], return_inverse=True)[1])
    mask_of = np.empty(len(left), np.int64)
    together = np.array(by_mask, np.int32)
    # The most expensive first: their stars may fit records that need few.
    order = np.lexsort((*codes[left].T, -cheapest))
    counts = np.zeros((len(used), int(together.max()) + 1), np.int32)
    place_stars(
        np.ascontiguousarray(together[:, order]), cheapest[order], sizes.copy(), classes[order],
        k, counts, mask_of,
    )  # fmt: skip
    for number, mask in enumerate(used):
        stars = mask_columns(((1 << d) - 1) & ~mask, d)
        published[np.ix_(left[order[mask_of == number]], stars)] = False
    return published


def count_fitting_rows(codes: Ints32, sizes: Ints) -> Ints:
    """For each row the number of records that fit it; `sizes` are the records of each row."""
    prepare("local suppression", _rehearse)
    order = np.argsort(codes[:, 0], kind="stable")
    cells = np.ascontiguousarray(codes[order])
    bucket = np.searchsorted(cells[:, 0], np.arange(int(cells[:, 0].max(initial=-1)) + 2))
    stars = int((cells[:, 0] < 0).sum())
    found, threads = np.empty(len(cells), np.int64), cores(None)

    def work(start: int, stop: int) -> None:
        count_fitting(cells, sizes[order], bucket, stars, found, start, stop)

    run_blocks(work, thread_blocks(len(cells), 8 * threads), threads=threads)
    out = np.empty(len(cells), np.int64)
    out[order] = found
    return out


def _labels(codes: Ints32, mask: int) -> Ints:
    """Agreement labels in the attributes of a mask, without a gap."""
    cells = (codes[:, j] for j in mask_columns(mask, codes.shape[1]))
    return np.unique(agreement_labels(cells, len(codes)), return_inverse=True)[1]


def _rehearse() -> None:
    one, two = np.zeros((1, 1), np.int32), np.zeros(1, np.int64)
    place_stars(one, two, two.copy(), two, 1, one.copy(), two.copy())
    count_fitting(one, two, np.array([0, 1]), 0, two.copy(), 0, 1)
