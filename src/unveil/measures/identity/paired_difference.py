"""How sure a difference is that was found on the same records."""

from collections.abc import Sequence

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.values.results.comparison import Paired
from unveil.values.results.risk import Interval

DRAWS, CONFIDENCE = 2000, 0.95
FEWEST = 10  # records of which an interval says anything
MOST = 1000  # differences that are counted apart


def paired_difference(
    first: Floats, second: Floats, *, seed: int = 0, names: Sequence[str] = ()
) -> Paired | None:
    """The mean difference of two risks of the same records, with its bootstrap interval.

    Records that have both (no NaN) are drawn anew, as many, with replacement, 2,000 times; the
    middle 95 % of the mean differences are the interval (Efron and Tibshirani, An introduction
    to the bootstrap, 1993, section 13.3). It says how much the difference depends on who the
    records are, and is of use where these stand for more of their kind.

    How often each value is drawn is all that matters, and that is multinomial: a million
    records with a few different values take no time. Where these are more than 1,000,
    neighbours are taken together, and what is drawn among them is normal with their variance.

    Fewer than 10 records have no interval, nor have records that all differ by the same.

    Parameters
    ----------
    first, second
        For each record a chance to be linked rightly; NaN where it was not attacked.
    seed, names
        Of the draws.

    Returns
    -------
    None where no record has both.

    >>> first, second = np.array([1.0, 0.5, 0.0, 1.0] * 25), np.array([0.0, 0.5, 0.0, 0.5] * 25)
    >>> found = paired_difference(first, second)
    >>> found.n, found.difference, round(found.interval.low, 1), round(found.interval.high, 1)
    (100, 0.375, 0.3, 0.5)
    """
    if first.shape != second.shape:
        raise UsageError("differences are of the same records: there are more of one than another")
    gaps = first - second
    gaps = gaps[~np.isnan(gaps)]
    n = len(gaps)
    if not n:
        return None
    values, many = np.unique(gaps, return_counts=True)
    difference = float((values * many).sum() / n)
    interval = None
    if n >= FEWEST and len(values) > 1:
        means = _drawn_means(values, many, stream(seed, "compare", *names))
        low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        interval = Interval(float(low), float(high), CONFIDENCE)
    return Paired(n=n, difference=difference, interval=interval)


def _drawn_means(values: Floats, many: Ints, rng: np.random.Generator) -> Floats:
    """The means of so many records drawn with replacement, some thousand times."""
    n = int(many.sum())
    starts = np.arange(len(values))
    if len(values) > MOST:
        starts = np.arange(MOST) * len(values) // MOST
    members = np.add.reduceat(many, starts)
    centres = np.add.reduceat(values * many, starts) / members
    apart = values - np.repeat(centres, np.diff(np.append(starts, len(values))))
    variances = np.add.reduceat(apart**2 * many, starts) / members  # 0 where there is one value
    counts = rng.multinomial(n, members / n, size=DRAWS)
    spread = np.sqrt((counts * variances).sum(axis=1))
    totals = (counts * centres).sum(axis=1) + spread * rng.standard_normal(DRAWS)
    means: Floats = totals / n
    return means
