"""Confidence intervals: of a share found on a sample, and of a difference on the same records."""

from collections.abc import Sequence

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.values.results.comparison import Paired
from unveil.values.results.risk import Interval

MOST_RECORDS = 10**12
BOOTSTRAP_DRAWS, CONFIDENCE = 2000, 0.95
FEWEST_RECORDS = 10  # that a bootstrap interval is computed for
MOST_DISTINCT = 1000  # differences; of more, neighbours are merged


def wilson(
    hits: float, sampled: int, population: int, *, confidence: float = 0.95
) -> Interval | None:
    """The interval for the share of all records, if only a sample of them was attacked.

    95 of 100 such intervals contain the share of all records. The larger the sample, the narrower
    they are; if all records were attacked, nothing was left to chance and there is none. A limit
    is compared with the upper end.

    Wilson, Probable inference, the law of succession, and statistical inference (1927), with the
    size of the sample corrected for a finite population: m of N records without replacement have
    the variance of m (N - 1) / (N - m) records of an infinite one. The interval never contradicts
    the sample: the share is at least hits / N, and at most (hits + N - m) / N. None if m = N.

    Parameters
    ----------
    hits
        Expected hits in the sample; a fraction where ties are shared.
    sampled, population
        How many records were attacked, out of how many.
    confidence
        How often such an interval contains the share.

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

    z, share, size = float(ndtri((1 + confidence) / 2)), hits / m, m * (n - 1) / (n - m)
    centre = share + z * z / (2 * size)
    half = z * (share * (1 - share) / size + (z / (2 * size)) ** 2) ** 0.5
    low, high = ((centre + side * half) / (1 + z * z / size) for side in (-1, 1))
    return Interval(max(low, hits / n), min(high, (hits + n - m) / n), confidence)


def paired_difference(
    first: Floats, second: Floats, *, seed: int = 0, names: Sequence[str] = ()
) -> Paired | None:
    """The mean difference of two risks of the same records, with its bootstrap interval.

    Records that have both risks (no NaN) are resampled 2,000 times; the middle 95 % of the mean
    differences are the interval (Efron and Tibshirani, An introduction to the bootstrap, 1993,
    section 13.3). It shows how far the difference depends on which records were attacked.

    The resampled counts of the distinct differences are multinomial, so that a million records
    with few distinct differences take no time. If there are more than 1,000, neighbours are
    merged, and the part drawn within a group is normal with the group's variance.

    There is no interval for fewer than 10 records, or if all differ by the same amount; None if no
    record has both. `names` are further names of the random stream.
    """
    if first.shape != second.shape:
        raise UsageError("differences need the same records; the two risks differ in length")
    gaps = first - second
    gaps = gaps[~np.isnan(gaps)]
    n = len(gaps)
    if not n:
        return None
    values, counts = np.unique(gaps, return_counts=True)
    difference = float((values * counts).sum() / n)
    interval = None
    if n >= FEWEST_RECORDS and len(values) > 1:
        means = _bootstrap_means(values, counts, stream(seed, "compare", *names))
        low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        interval = Interval(float(low), float(high), CONFIDENCE)
    return Paired(n=n, difference=difference, interval=interval)


def _bootstrap_means(values: Floats, counts: Ints, rng: np.random.Generator) -> Floats:
    """The means of samples with replacement, from the ascending distinct values."""
    n = int(counts.sum())
    starts = np.arange(len(values))
    if len(values) > MOST_DISTINCT:
        starts = np.arange(MOST_DISTINCT) * len(values) // MOST_DISTINCT
    members = np.add.reduceat(counts, starts)
    centres = np.add.reduceat(values * counts, starts) / members
    gaps = values - np.repeat(centres, np.diff(np.append(starts, len(values))))
    variances = np.add.reduceat(gaps**2 * counts, starts) / members  # 0 for a single value
    resampled = rng.multinomial(n, members / n, size=BOOTSTRAP_DRAWS)
    spread = np.sqrt((resampled * variances).sum(axis=1))
    totals = (resampled * centres).sum(axis=1) + spread * rng.standard_normal(BOOTSTRAP_DRAWS)
    means: Floats = totals / n
    return means
