"""How sure a share is that was found on a sample of the records."""

from unveil.errors import UsageError
from unveil.support.options import whole_number
from unveil.values.results.risk import Interval

MOST_RECORDS = 10**12


def wilson(
    hits: float, sampled: int, population: int, *, confidence: float = 0.95
) -> Interval | None:
    """Between which bounds the share of all records lies, when a sample of them was looked at.

    Of such ranges, 95 in 100 hold the share of all records. The larger the sample, the narrower
    they are; where all records were attacked there is none, as nothing was left to chance. A
    limit is held against the upper end.

    Wilson, Probable inference, the law of succession, and statistical inference (1927), the
    size of the sample being that of an endless population with the same variance: a sample
    of m out of N, none twice, is worth m (N - 1) / (N - m) records. What was seen is certain:
    the share is never below the hits that were found, nor above what is left. When all
    records were looked at nothing was sampled, and there is no interval: None.

    Parameters
    ----------
    hits
        What was found in the sample; a fraction where ties are shared.
    sampled, population
        How many records were looked at, out of how many.
    confidence
        How often such an interval holds the share.

    >>> wilson(30, 100, 1000)
    Interval(low=0.2226..., high=0.3907..., confidence=0.95)
    >>> wilson(30, 100, 100) is None
    True
    """
    m = whole_number(sampled, "sampled", 1, MOST_RECORDS)
    n = whole_number(population, "population", m, MOST_RECORDS)
    if not 0 <= hits <= m:
        raise UsageError("hits: from 0 to as many as were sampled")
    if not 0 < confidence < 1:
        raise UsageError("confidence: a number between 0 and 1")
    if m == n:
        return None
    from scipy.special import ndtri

    z, share, worth = float(ndtri((1 + confidence) / 2)), hits / m, m * (n - 1) / (n - m)
    centre = share + z * z / (2 * worth)
    half = z * (share * (1 - share) / worth + (z / (2 * worth)) ** 2) ** 0.5
    low, high = ((centre + side * half) / (1 + z * z / worth) for side in (-1, 1))
    return Interval(max(low, hits / n), min(high, (hits + n - m) / n), confidence)
