"""Pair dependence: whether released values depend on the originals that they are paired with."""

import numpy as np

from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import tied_blocks
from unveil.values.file_pair import FilePair

FEWEST_PAIRS = 20  # that a test needs
LEAST_ERRORS = 4.0  # standard errors from independence


def related(pair: FilePair, *, seed: int = 0) -> bool | None:
    """Whether pairs are more alike than by chance in any attribute; None: too few pairs.

    Numbers are compared by their rank correlation, categories by how many are equal; missing is a
    category. Record-by-record masking always leaves some dependence; without any, the truth may
    belong to other files. At most 2,000 pairs are sampled.

    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> rows = np.arange(100)
    >>> [related(FilePair.of(people, people, truth)) for truth in (rows, np.roll(rows, 37))]
    [True, False]
    """
    sampled = pair.sample(SAMPLE_SIZE, seed, "relation")
    if len(sampled) < FEWEST_PAIRS:
        return None
    rows = pair.originals[sampled], pair.released[sampled]
    return any(abs(_dependence(pair, column, *rows)) > LEAST_ERRORS for column in pair.plain())


def _dependence(pair: FilePair, column: str, originals: Ints, released: Ints) -> float:
    """How far an attribute is from independence, in standard errors."""
    if pair.level(column) == "numeric":
        numbers = pair.numbers(column)
        return _rank_correlation(numbers[0][originals], numbers[1][released])
    cells = pair.cells(column)
    return _excess_agreement(cells[0][originals], cells[1][released])


def _rank_correlation(before: Floats, after: Floats) -> float:
    present = ~(np.isnan(before) | np.isnan(after))
    first, second = (tied_blocks(side[present]).twice_rank for side in (before, after))
    if present.sum() < FEWEST_PAIRS or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1] * np.sqrt(present.sum() - 1))


def _excess_agreement(before: Ints, after: Ints) -> float:
    least = min(int(before.min()), int(after.min()))
    size = max(int(before.max()), int(after.max())) - least + 1
    shares = [np.bincount(side - least, minlength=size) / len(side) for side in (before, after)]
    chance = float((shares[0] * shares[1]).sum())
    if not 0 < chance < 1:
        return 0.0
    spread = np.sqrt(chance * (1 - chance) / len(before))
    return float(((before == after).mean() - chance) / spread)
