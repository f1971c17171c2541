"""How many links are right by chance: the laws that a number of hits is held against."""

from dataclasses import dataclass
from math import ceil, isnan, log

import numpy as np
from numpy.typing import NDArray

from unveil.errors import UsageError
from unveil.support.options import whole_number

MOST_RECORDS = 10**9
NOTHING = 760.0  # exp(-760) is nothing in 64 bits


@dataclass(frozen=True, eq=False)
class ChanceLaw:
    """The probability of each number of hits, for an intruder who knows nothing.

    Numbers of hits beyond the last have a probability too small for 64 bits.
    """

    records: int  # that the intruder links
    candidates: int  # that each may be linked with
    probabilities: NDArray[np.float64]  # of 0, 1, 2, ... hits

    def exactly(self, hits: int) -> float:
        """The probability of so many hits.

        >>> round(random_matching(100, 100).exactly(0), 8)
        0.36787944
        """
        return float(self.probabilities[hits]) if 0 <= hits < len(self.probabilities) else 0.0

    def at_least(self, hits: float) -> float:
        """The probability of so many hits or more: the p-value of an attack.

        Hits may be a fraction, where ties are shared.

        >>> f"{random_matching(100, 100).at_least(26):.4e}"
        '9.4723e-28'
        """
        if isnan(hits):
            raise UsageError("hits: a number")
        # From the smallest up, so that no digit of a small sum is lost.
        return min(float(self.probabilities[max(ceil(hits), 0) :][::-1].sum()), 1.0)

    @property
    def mean(self) -> float:
        """The hits that chance alone can expect.

        >>> random_matching(10, 100).mean
        0.1
        """
        return self.records / self.candidates

    def __repr__(self) -> str:
        return f"ChanceLaw({self.records:,} records, {self.candidates:,} candidates)"


def random_matching(records: int, candidates: int) -> ChanceLaw:
    """The law of the hits when records are matched one to one with candidates, at random.

    Every record's true candidate is there, and none is matched twice. The probability of
    exactly r hits for m records and n candidates is the sum over v of
    (-1)^v C(m, r) C(m - r, v) (n - r - v)! / n!. For m = n it is Proposition 4 of Torra and
    others' paper on linking files that share no attribute, by fuzzy integrals.

    >>> random_matching(3, 3).probabilities.round(12).tolist()
    [0.333333333333, 0.5, 0.0, 0.166666666667]
    """
    m, n = _sizes(records, candidates)
    if m > n:
        raise UsageError("a matching one to one needs at least as many candidates as records")
    found, places = [], 1.0  # places: C(m, r) (n - r)! / n!, the rest being a short series
    for r in range(m + 1):
        found.append(places * _nobody_else(m - r, n - r))
        places *= (m - r) / ((r + 1) * (n - r)) if r < m else 0.0
        if places == 0.0:
            break
    return ChanceLaw(m, n, np.array(found))


def _nobody_else(m: int, n: int) -> float:
    """The probability that none of m records, matched one to one with n candidates, is right."""
    total, term = 0.0, 1.0
    for v in range(m + 1):
        total += term
        # Each term is at most 1 / v! in size, so few are needed and few digits cancel.
        term *= -(m - v) / ((v + 1) * (n - v)) if v < m else 0.0
        if abs(term) < 1e-18:
            break
    return total


def random_links(records: int, candidates: int) -> ChanceLaw:
    """The law of the hits when each record is linked at random, whatever the others are.

    It is binomial. Several records may be linked with one candidate, as when each takes
    its nearest.

    >>> random_links(2, 4).probabilities.tolist()
    [0.5625, 0.375, 0.0625]
    """
    from scipy.stats import binom

    m, n = _sizes(records, candidates)
    most, mean = 64.0, m / n
    most += mean
    while most < m and most * log(most / mean) - most + mean < NOTHING:  # Chernoff's bound
        most = 1.2 * most + 1
    most = min(m, int(most))
    law = binom.pmf(np.arange(most + 1), m, 1 / n)
    return ChanceLaw(m, n, np.trim_zeros(law, "b"))


def _sizes(records: int, candidates: int) -> tuple[int, int]:
    return (
        whole_number(records, "records", 1, MOST_RECORDS),
        whole_number(candidates, "candidates", 1, MOST_RECORDS),
    )
