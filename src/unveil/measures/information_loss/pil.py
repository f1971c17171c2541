"""PIL: how likely a statistic of the original would be nearer to itself than the release's is."""

import numpy as np

from unveil.measures.information_loss.catalogue import REFERENCE, MeasuredLoss, measured
from unveil.measures.information_loss.moments import Moments, StandardisedPair
from unveil.support.arrays import Floats

QUANTILES = np.arange(5, 100, 5) / 100
LEAST_ERROR = 1e-6  # standard errors in deviations: below it, what is left is rounding


def pil(standard: StandardisedPair, mine: Moments, released: Moments) -> MeasuredLoss:
    """PIL of quantiles, means, variances, covariances and correlations, and their mean; 0 to 1.

    2 P(0 <= Z <= |t' - t| / se(t)), after Mateo-Sanz, Domingo-Ferrer and Sebé, Probabilistic
    information loss measures in confidentiality protection of continuous microdata (2005). The
    standard errors are those of a sample of 1,000, whatever the size of the file: at the file's
    own n every difference, however small, becomes a loss of 1 as the file grows. They come from
    the original's own moments: s / sqrt(n), sqrt((m4 - s^4) / n), sqrt((m22 - c^2) / n),
    (1 - r^2) / sqrt(n), sqrt(q (1 - q) / n) / f, f as `density` says; none below 1e-6
    deviations, nor, where a quantile falls into a gap, above one.

    Shuffled columns keep quantiles, means and variances; only covariances and correlations see it.
    """
    n = REFERENCE
    grid = [(np.sort(a[~np.isnan(a)]), np.sort(b[~np.isnan(b)])) for a, b in _columns(standard)]
    quantiles = np.array([_quantiles(*pair) for pair in grid]).reshape(-1, len(QUANTILES))
    means = chance(released.mean - mine.mean, np.sqrt(mine.variance / n))
    variances = chance(
        released.variance - mine.variance, _root((mine.fourth - mine.variance**2) / n)
    )
    parts = {
        "PIL of quantiles": quantiles,
        "PIL of means": means,
        "PIL of variances": variances,
        "PIL of covariances": chance(
            released.covariance - mine.covariance, _root((mine.mixed - mine.covariance**2) / n)
        ),
        "PIL of correlations": chance(
            released.correlation - mine.correlation, (1 - mine.correlation**2) / np.sqrt(n)
        ),
    }
    found = []
    for name, values in parts.items():
        known = values[~np.isnan(values)]
        what = "attribute that varies" if name in _SINGLES else "two numeric attributes that vary"
        value = float(known.mean()) if len(known) else None
        note = standard.note if len(known) else f"there is no {what}"
        found.append(measured(name, value, n=len(known), note=note))
    there = [one.value for one in found if one.value is not None]
    note = standard.note if there else "no numeric attribute that varies"
    whole = measured("PIL", sum(there) / len(there) if there else None, n=len(there), note=note)
    attributes = {
        name: {"PIL": float((quantiles[i].mean() + means[i] + variances[i]) / 3)}
        for i, name in enumerate(standard.columns)
    }
    return MeasuredLoss((whole, *found), attributes)


_SINGLES = ("PIL of quantiles", "PIL of means", "PIL of variances")


def chance(gap: Floats, error: Floats) -> Floats:
    """2 P(0 <= Z <= |gap| / error): 0 for no gap, nearly 1 for one of three errors.

    >>> chance(np.array([0.0, 1.0]), np.array([1.0, 1.0])).round(4).tolist()
    [0.0, 0.6827]
    """
    from scipy.special import erf

    likely: Floats = erf(np.abs(gap) / (np.sqrt(2) * np.maximum(error, LEAST_ERROR)))
    return likely


def density(ascending: Floats, at: Floats) -> Floats:
    """A normal kernel's density at some points, over 1,000 quantiles of what is known.

    The width is Silverman's, 0.9 min(s, IQR / 1.34) 1000^(-1/5), and 0.9 s 1000^(-1/5) where half
    of the values are the same. As it is of quantiles, it is the same for 4n records as for n.

    >>> even = np.linspace(0, 1, 1001)
    >>> density(even, np.array([0.5])).round(1).tolist()
    [1.0]
    """
    grid = np.quantile(ascending, (np.arange(REFERENCE) + 0.5) / REFERENCE, method="inverted_cdf")
    low, high = np.quantile(ascending, (0.25, 0.75))
    deviation = ascending.std(ddof=1)
    width = min(deviation, (high - low) / 1.34) if high > low else deviation
    width *= 0.9 * REFERENCE**-0.2
    gaps = np.clip((at[:, None] - grid) / width, -38, 38)
    made: Floats = np.exp(-0.5 * gaps * gaps).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    return made


def _quantiles(original: Floats, released: Floats) -> Floats:
    """The PIL of each quantile of one attribute; both sides ascend."""
    here, there = np.quantile(original, QUANTILES), np.quantile(released, QUANTILES)
    thick = np.maximum(density(original, here), 1e-300)
    error = np.minimum(np.sqrt(QUANTILES * (1 - QUANTILES) / REFERENCE) / thick, 1.0)
    return chance(there - here, error)


def _columns(standard: StandardisedPair) -> list[tuple[Floats, Floats]]:
    return list(zip(standard.original.T, standard.release.T, strict=True))


def _root(values: Floats) -> Floats:
    """The square root; what rounding took below 0 is 0."""
    root: Floats = np.sqrt(np.maximum(values, 0))
    return root
