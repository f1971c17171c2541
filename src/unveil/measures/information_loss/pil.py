"""PIL, probabilistic information loss: changes of statistics relative to their standard errors."""

import numpy as np

from unveil.measures.information_loss.catalogue import (
    PIL_SAMPLE,
    MeasuredLoss,
    loss_measure,
    mean_or_none,
)
from unveil.measures.information_loss.moments import FEW_NUMBERS, Moments, StandardisedPair
from unveil.support.arrays import Floats

QUANTILES = np.arange(5, 100, 5) / 100
LEAST_ERROR = 1e-6  # of standard errors, in deviations: smaller ones are rounding
SINGLE = ("PIL of quantiles", "PIL of means", "PIL of variances")  # of single attributes
JOINT = ("PIL of covariances", "PIL of correlations")  # of pairs of attributes


def pil(standard: StandardisedPair, original: Moments, release: Moments) -> MeasuredLoss:
    """PIL of quantiles, means, variances, covariances and correlations, and their mean; 0 to 1.

    2 P(0 <= Z <= |t' - t| / se(t)), after Mateo-Sanz, Domingo-Ferrer and Sebé, Probabilistic
    information loss measures in confidentiality protection of continuous microdata (2005). The
    standard errors are those of a sample of 1,000, whatever the size of the file: at the file's
    own n every difference, however small, becomes a loss of 1 as the file grows. They come from
    the original's own moments: s / sqrt(n), sqrt((m4 - s^4) / n), sqrt((m22 - c^2) / n),
    (1 - r^2) / sqrt(n), sqrt(q (1 - q) / n) / f with the kernel density f of `density`; none is
    below 1e-6 deviations or, for a quantile that falls into a gap, above one. The quantile q of n
    ascending values is at place (n - 1) q from 0, interpolated linearly (R's type 7).

    Shuffled columns keep quantiles, means and variances; covariances and correlations see it.
    """
    n = PIL_SAMPLE
    quantiles = np.array(
        [
            _quantiles(np.sort(before[~np.isnan(before)]), np.sort(after[~np.isnan(after)]))
            for before, after in zip(standard.original.T, standard.release.T, strict=True)
        ]
    ).reshape(-1, len(QUANTILES))
    means = _probability(release.mean - original.mean, np.sqrt(original.variance / n))
    variances = _probability(
        release.variance - original.variance, _root((original.fourth - original.variance**2) / n)
    )
    covariances = _probability(
        release.covariance - original.covariance,
        _root((original.mixed - original.covariance**2) / n),
    )
    correlations = _probability(
        release.correlation - original.correlation, (1 - original.correlation**2) / np.sqrt(n)
    )
    parts = (quantiles, means, variances, covariances, correlations)
    measures = []
    for name, values in zip((*SINGLE, *JOINT), parts, strict=True):
        known = values[~np.isnan(values)]
        few = "there is no attribute that varies" if name in SINGLE else FEW_NUMBERS
        value = float(known.mean()) if len(known) else None
        note = standard.note if len(known) else few
        measures.append(loss_measure(name, value, n=len(known), note=note))
    known_parts = [measure.value for measure in measures if measure.value is not None]
    note = standard.note if known_parts else "no numeric attribute that varies"
    mean = loss_measure("PIL", mean_or_none(known_parts), n=len(known_parts), note=note)
    attributes = {
        name: {"PIL": float((quantiles[i].mean() + means[i] + variances[i]) / 3)}
        for i, name in enumerate(standard.columns)
    }
    return MeasuredLoss((mean, *measures), attributes)


def _probability(gap: Floats, error: Floats) -> Floats:
    """2 P(0 <= Z <= |gap| / error): 0 for no gap, nearly 1 for three standard errors."""
    from scipy.special import erf

    probability: Floats = erf(np.abs(gap) / (np.sqrt(2) * np.maximum(error, LEAST_ERROR)))
    return probability


def density(ascending: Floats, at: Floats) -> Floats:
    """A normal kernel's density at these points, over 1,000 quantiles of the values.

    The width is Silverman's, 0.9 min(s, IQR / 1.34) 1000^(-1/5), or 0.9 s 1000^(-1/5) if half of
    the values are the same. It is of quantiles, and so the same for 4n records as for n.

    >>> even = np.linspace(0, 1, 1001)
    >>> density(even, np.array([0.5])).round(1).tolist()
    [1.0]
    """
    shares = (np.arange(PIL_SAMPLE) + 0.5) / PIL_SAMPLE
    grid = np.quantile(ascending, shares, method="inverted_cdf")
    low, high = np.quantile(ascending, (0.25, 0.75))
    deviation = ascending.std(ddof=1)
    width = min(deviation, (high - low) / 1.34) if high > low else deviation
    width *= 0.9 * PIL_SAMPLE**-0.2
    gaps = np.clip((at[:, None] - grid) / width, -38, 38)
    result: Floats = np.exp(-0.5 * gaps * gaps).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    return result


def _quantiles(original: Floats, released: Floats) -> Floats:
    """The PIL of each quantile of one attribute; both sides ascend."""
    before, after = np.quantile(original, QUANTILES), np.quantile(released, QUANTILES)
    thickness = np.maximum(density(original, before), 1e-300)
    error = np.minimum(np.sqrt(QUANTILES * (1 - QUANTILES) / PIL_SAMPLE) / thickness, 1.0)
    return _probability(after - before, error)


def _root(values: Floats) -> Floats:
    root: Floats = np.sqrt(np.maximum(values, 0))  # rounding may leave less than 0
    return root
