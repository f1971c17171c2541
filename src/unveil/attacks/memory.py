"""The memory that an attack takes, by formulas fitted to measurements.

Measured is the peak of resident memory beyond the tables, for the ranks of all records, the nearest
of 2,000, and the risk. Both files have n records of normal numbers, with noise of 0.02 to 0.5
deviations; bytes for each record:

    nearest      2 attributes 330, 6: 490 to 580, 13: 730 (Euclid), 920 (Mahalanobis); with missing
                 cells, 13: 980 to 1,120; knowing the mask, 6: 620          n = 100,000 to 300,000
    one-to-one   2 attributes 4,180, 6: 4,250 to 4,480, 13: 4,480           n = 20,000 to 100,000
                 all pairs known: 42 for each of them                       n = 1,440
    posterior    2 attributes 5,340, 6: 5,260 to 6,380, 13: 6,160 to 6,720  n = 25,000 to 1,000,000
                 all pairs kept: 4 to 8 of each in 32 bits, beyond 150 MB   n = 5,000 to 20,000

The constants are a little above all of these. Probabilistic linkage takes another 250 MB for its
table of patterns, whatever the number of records.
"""

from unveil.attacks.base import Matching
from unveil.attacks.matched.comparer import PAIRS_AT_ONCE
from unveil.attacks.matched.posterior import EXACT_PAIRS, KEPT_CANDIDATES, KEPT_RECORDS, MOST_PAIRS
from unveil.matching.one_to_one import DENSE_BYTES, FIRST_COLUMNS
from unveil.support.work import KEPT_SECONDS, LISTED_SECONDS, MATCHED_SECONDS, PRICED_SECONDS

# Bytes of the smallest attack; of a record and a cell of either file; of a pair that the cheapest
# matching looks at, or the posterior keeps.
SMALLEST, PER_RECORD, PER_CELL = 2**24, 160, 32
PER_PRICED_PAIR, PER_KEPT_PAIR = 100, 140
# Of a pair of a matrix, in 64 and in 32 bits: its cost and its likelihood. Of a pair whose cost is
# being computed; of a record, the messages of its probable pairs.
EXACT_BYTES, ROUNDED_BYTES, PER_COMPUTED_PAIR, PER_MESSENGER = 16, 8, 48, 4_000


def bytes_needed(
    records: int, candidates: int, width: int, *, matching: Matching = "nearest"
) -> int:
    """The most bytes that an attack takes beyond the tables; rather too many than too few.

    `width` counts the compared numbers of a record: one for each attribute, two for a generalised
    number.
    """
    search = SMALLEST + (records + candidates) * (PER_RECORD + PER_CELL * width)
    pairs = records * candidates
    if matching == "one-to-one":
        dense = pairs * 8 <= DENSE_BYTES
        return search + PER_PRICED_PAIR * (
            pairs if dense else FIRST_COLUMNS * (records + candidates)
        )
    if matching == "posterior":
        if pairs > MOST_PAIRS:
            return search + PER_KEPT_PAIR * _listed_pairs(records, candidates)
        matrix = pairs * (EXACT_BYTES if pairs <= EXACT_PAIRS else ROUNDED_BYTES)
        computed = PER_COMPUTED_PAIR * min(pairs, PAIRS_AT_ONCE)
        return search + matrix + computed + PER_MESSENGER * (records + candidates)
    return search


def matching_seconds(records: int, candidates: int, *, matching: Matching) -> float:
    """About how long it takes to match all records together, beyond the search."""
    if matching == "nearest":
        return 0.0
    pairs = records * candidates
    if matching == "one-to-one":
        return (LISTED_SECONDS if 8 * pairs <= DENSE_BYTES else MATCHED_SECONDS) * pairs
    if pairs <= MOST_PAIRS:
        return KEPT_SECONDS * pairs
    return PRICED_SECONDS * _listed_pairs(records, candidates)


def _listed_pairs(records: int, candidates: int) -> int:
    """The pairs that the posterior of very large files keeps."""
    return KEPT_CANDIDATES * records + KEPT_RECORDS * candidates
