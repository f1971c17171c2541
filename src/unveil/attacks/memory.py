"""How much memory an attack takes, told before it is made: formulas held to measurements.

Measured as the peak of resident memory beyond what was there before, which holds the tables:
links made, all records against the truth, the nearest of 2,000, the risk. Both files have n
records, of normal numbers with noise of 0.02 to 0.5 deviations; bytes for each record:

    nearest      2 attributes 330, 6: 490 to 580, 13: 730 (Euclid), 920 (Mahalanobis); with missing
                 cells, 13: 980 to 1,120; knowing the mask, 6: 620          n = 100,000 to 300,000
    one-to-one   2 attributes 4,180, 6: 4,250 to 4,480, 13: 4,480           n = 20,000 to 100,000
                 all pairs known: 42 for each of them                       n = 1,440
    posterior    2 attributes 5,340, 6: 5,260 to 6,380, 13: 6,160 to 6,720  n = 4,100 to 1,000,000
                 all pairs kept: 138 for each of them                       n = 4,000

The constants are a little above all of these. Probabilistic linkage takes some 250 MB besides,
for its table of patterns, whatever the number of records.
"""

from unveil.attacks.base import Matching
from unveil.attacks.matched.posterior import KEPT_CANDIDATES, KEPT_RECORDS, MOST_PAIRS
from unveil.attacks.supervised.competitors import MAX_ROWS
from unveil.matching.one_to_one import DENSE_BYTES, FIRST_COLUMNS

ALWAYS = 2**24  # bytes, of the smallest attack
PER_RECORD, PER_CELL = 160, 32  # of either file: numbers, posed, on axes, in the tree; answers
PER_PRICED = 100  # of a pair that the cheapest matching looks at
PER_KEPT = 140  # of a pair of the posterior
PER_ROW = 48  # of a rival's row, for each attribute: as it is, as it is taken in, in the program


def bytes_to_learn(records: int, candidates: int, width: int) -> int:
    """The most bytes that learning a distance takes beside the search: the rows of all rivals.

    >>> round(bytes_to_learn(1000, 1000, 6) / 2**20)
    320
    """
    return PER_ROW * (1 + width) * min(records * candidates, MAX_ROWS)


def bytes_needed(
    records: int, candidates: int, width: int, *, matching: Matching = "nearest"
) -> int:
    """The most bytes that an attack takes beyond the tables; rather too many than too few.

    Parameters
    ----------
    records, candidates
        How many records are linked, all of them, and with how many.
    width
        The numbers compared of each: one for each attribute, two for a generalised number.
    matching
        Whom a record is linked with. Of a matching all pairs are kept where they are few.

    >>> round(bytes_needed(1_000_000, 1_000_000, 13) / 2**30, 1)
    1.1
    >>> round(bytes_needed(1_000_000, 1_000_000, 6, matching="posterior") / 2**30, 1)
    6.9
    """
    search = ALWAYS + (records + candidates) * (PER_RECORD + PER_CELL * width)
    pairs = records * candidates
    if matching == "one-to-one":
        dense = pairs * 8 <= DENSE_BYTES
        return search + PER_PRICED * (pairs if dense else FIRST_COLUMNS * (records + candidates))
    if matching == "posterior":
        few = KEPT_CANDIDATES * records + KEPT_RECORDS * candidates
        return search + PER_KEPT * (pairs if pairs <= MOST_PAIRS else few)
    return search
