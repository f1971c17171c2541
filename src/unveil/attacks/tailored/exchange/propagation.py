"""Seed and propagate: one guessed pair that contradicts nothing gives the whole file away.

It needs no plan, no window and no likelihood; only values that are unique in both files.
"""

from collections.abc import Sequence

import numpy as np

from unveil.attacks.tailored.exchange.kernels.propagation import grow_from
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.support.arrays import Ints
from unveil.support.compile import prepare

LEAST_CONFIRMED = 10  # implied pairs, each counted from both ends, that chance does not explain
MOST_FAILURES = 8  # seeds without an accepted guess, after which the search ends
FEWEST_COLUMNS = 3  # two columns make cycles, which any rotation satisfies


def propagate(blocks: Sequence[ValueBlocks]) -> tuple[Ints, Ints]:
    """The pairs that follow from accepted guesses: records and candidates.

    Guesses begin with the records that have the most unique values. They fail one after another
    until one confirms itself; records that it does not reach are guessed again.
    """
    nobody = np.zeros(0, np.int64)
    links = [block.unique_links() for block in blocks]
    if len(links) < FEWEST_COLUMNS:
        return nobody, nobody
    shows, owner = (np.column_stack(side) for side in zip(*links, strict=True))
    prepare("exchange linkage", _rehearse)
    match, partner = np.full(len(shows), -1), np.full(len(owner), -1)
    scratch = np.empty(len(shows), np.int64), np.empty(len(shows), np.int64)
    usable = (shows >= 0).sum(axis=1)
    failures = 0
    for record in np.argsort(-usable, kind="stable").tolist():
        if usable[record] < FEWEST_COLUMNS or failures == MOST_FAILURES:
            break
        if match[record] < 0:
            kept = grow_from(record, shows, owner, LEAST_CONFIRMED, match, partner, *scratch)
            failures = 0 if kept else failures + 1
    records = np.flatnonzero(match >= 0)
    return records, match[records]


def _rehearse() -> None:
    nothing, one = np.full((1, 1), -1), np.full(1, -1)
    grow_from(0, nothing, nothing, 1, one, one.copy(), one.copy(), one.copy())
