"""Whether released values have anything to do with the originals they are paired with."""

import numpy as np

from unveil.measures.identity.hits import LOOKED_AT
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import tied_blocks
from unveil.values.file_pair import FilePair

FEWEST = 20  # pairs of which it can be said
CLEAR = 4.0  # standard errors from what pairs drawn at random would have


def related(both: FilePair, *, seed: int = 0) -> bool | None:
    """Whether in any attribute pairs are more alike than by chance; None: too few to say.

    Numbers by their rank correlation, categories by how many are equal; missing is a category.
    However a table was masked record by record, something is left of it; where nothing is, the
    truth may be that of other files. Of many pairs a sample is looked at.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> people = unveil.households(100, seed=7)
    >>> rows = np.arange(100)
    >>> [related(FilePair(people, people, some)) for some in (rows, np.roll(rows, 37))]
    [True, False]
    """
    some = both.sample(LOOKED_AT, seed, "relation")
    if len(some) < FEWEST:
        return None
    rows = both.originals[some], both.released[some]
    return any(abs(_apart(both, column, *rows)) > CLEAR for column in both.plain())


def _apart(both: FilePair, column: str, originals: Ints, released: Ints) -> float:
    """How far an attribute is from what chance would have, in standard errors."""
    if both.level(column) == "numeric":
        numbers = both.numbers(column)
        return _correlation(numbers[0][originals], numbers[1][released])
    cells = both.cells(column)
    return _agreement(cells[0][originals], cells[1][released])


def _correlation(before: Floats, after: Floats) -> float:
    """The rank correlation, in standard errors."""
    there = ~(np.isnan(before) | np.isnan(after))
    first, second = (tied_blocks(side[there]).twice_rank for side in (before, after))
    if there.sum() < FEWEST or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1] * np.sqrt(there.sum() - 1))


def _agreement(before: Ints, after: Ints) -> float:
    """How many are equal beyond what chance would have, in standard errors."""
    size = max(int(before.max()), int(after.max())) + 2
    shares = [np.bincount(side + 1, minlength=size) / len(side) for side in (before, after)]
    chance = float((shares[0] * shares[1]).sum())
    if not 0 < chance < 1:
        return 0.0
    spread = np.sqrt(chance * (1 - chance) / len(before))
    return float(((before == after).mean() - chance) / spread)
