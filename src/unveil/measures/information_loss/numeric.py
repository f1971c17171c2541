"""Loss in numbers: how far cells moved, and what became of moments and components."""

import numpy as np

from unveil.measures.information_loss.catalogue import NO_PAIRS, MeasuredLoss, measured
from unveil.measures.information_loss.moments import (
    Moments,
    StandardisedPair,
    moments,
    scaled,
    sides,
)
from unveil.measures.information_loss.pil import pil
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import spread
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import LossMeasure
from unveil.values.single_values import columns_of_level, single_numbers

CARRIED = 0.8  # the share of the variance that the leading components carry
NO_NUMBERS = "no numeric attribute that varies"


def numeric(both: FilePair) -> MeasuredLoss:
    """IL1s, PIL, and the differences of means, variances, covariances and components.

    All but IL1s need no pairs: they compare the two files. Shuffling the columns leaves means,
    variances and quantiles as they are; IL1s, covariances, correlations and components see it.
    None grows with the number of records. Missing cells are left out; a range
    stands for its middle.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> found = numeric(FilePair(sample, sample, np.arange(100)))
    >>> {one.value for one in found.measures}
    {0.0}
    """
    near = il1s(both)
    standard = sides(both)
    mine, released = moments(standard.original), moments(standard.release)
    likely = pil(standard, mine, released)
    attributes = {
        name: near.attributes.get(name, {}) | likely.attributes.get(name, {})
        for name in columns_of_level(both, "numeric")
    }
    differences = _differences(standard, mine, released)
    return MeasuredLoss((*near.measures, *likely.measures, *differences), attributes)


def il1s(both: FilePair) -> MeasuredLoss:
    """IL1s: the mean over cells of |x - x'| / (sqrt(2) s_j); from 0, no upper end.

    After Mateo-Sanz, Sebé and Domingo-Ferrer, Outlier protection in continuous microdata masking
    (2004), as a mean over cells.

    Pairs are needed. s_j is the deviation of the original's attribute, so units do not matter.
    Two independent values are 2 / sqrt(pi) s = 1.13 s apart under the normal law, so a shuffled
    column has about 0.8. Cells missing or a star on either side are left out, and constant
    attributes; a range stands for its middle.

    >>> import polars as pl
    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.microdata import Microdata
    >>> ages = [Microdata(pl.DataFrame({"age": x})) for x in ([30, 40, 50], [30, 50, 50])]
    >>> round(il1s(FilePair(*ages, np.arange(3))).measures[0].value, 4)  # 10 / sqrt(2) / 10 / 3
    0.2357
    """
    sums, cells, attributes = [], 0, {}
    for name in columns_of_level(both, "numeric") if len(both.released) else ():
        mine, released = single_numbers(both, name)
        mean, deviation = spread(mine)
        if not deviation:
            continue
        pair = scaled(mine, mean, deviation)[both.originals]
        gaps = np.abs(pair - scaled(released, mean, deviation)[both.released])
        known = np.sort(gaps[~np.isnan(gaps)])  # one order, one sum
        if len(known):
            sums.append(float(known.sum()) / np.sqrt(2))
            cells += len(known)
            attributes[name] = {"IL1s": float(sums[-1] / len(known))}
    note = "" if cells else NO_NUMBERS if len(both.released) else NO_PAIRS
    value = sum(sums) / cells if cells else None
    return MeasuredLoss((measured("IL1s", value, n=cells, note=note),), attributes)


def _differences(
    standard: StandardisedPair, mine: Moments, released: Moments
) -> tuple[LossMeasure, ...]:
    """Differences of moments; in standardised units, where a variance is 1, nothing is left."""
    note = standard.note
    none = f"{NO_NUMBERS}; {note}" if note else NO_NUMBERS
    few = "there are no two numeric attributes that vary"
    gaps = np.abs(released.correlation - mine.correlation)
    found = (
        _mean("means", np.abs(released.mean - mine.mean), note, none),
        _mean("variances", np.abs(released.variance / mine.variance - 1), note, none),
        _mean("covariances", np.abs(released.covariance - mine.covariance), note, few),
        _mean("correlations", gaps, note, few),
        _mean("largest correlation", gaps[gaps == np.nanmax(gaps, initial=0)], note, few),
    )
    return (*found, *_components(standard, mine, released))


def _mean(name: str, values: Floats, note: str, none: str) -> LossMeasure:
    known = values[~np.isnan(values)]
    if not len(known):
        return measured(name, None, n=0, note=none)
    return measured(name, float(known.mean()), n=len(known), note=note)


def _components(
    standard: StandardisedPair, mine: Moments, released: Moments
) -> tuple[LossMeasure, ...]:
    """What the release's leading components miss of the original's variance.

    Of correlation matrices R and R', W' the leading k components of R': (tr W^T R W - tr W'^T R
    W') / (tr W^T R W - k), for a random k of p directions carry k of p on average. So it is the
    same whatever the signs, the turns among equal components, and the units.
    """
    p = len(standard.columns)
    names = ("first component", "components")
    few = "there are no two numeric attributes that vary"
    if p < 2 or np.isnan(mine.correlation).any() or np.isnan(released.correlation).any():
        why = few if p < 2 else "two attributes are never known together"
        return tuple(measured(name, None, n=p, note=why) for name in names)
    own, other = _matrix(mine, p), _matrix(released, p)
    values, leading = _eigen(own)
    carried = np.cumsum(values) / p
    most = min(int(np.searchsorted(carried, CARRIED - 1e-12)) + 1, p - 1)
    theirs = _eigen(other)[1]
    found = []
    for name, k in zip(names, (1, most), strict=True):
        best, reached = (float(np.trace(w[:, :k].T @ own @ w[:, :k])) for w in (leading, theirs))
        if best - k < 1e-9:
            found.append(measured(name, None, n=k, note="the attributes are uncorrelated"))
            continue
        value = float(np.clip((best - reached) / (best - k), 0, 1))
        found.append(measured(name, value, n=k, note=standard.note))
    return tuple(found)


def _matrix(moments: Moments, p: int) -> Floats:
    matrix = np.eye(p)
    matrix[np.triu_indices(p, 1)] = moments.correlation
    return matrix + np.triu(matrix, 1).T


def _eigen(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues from the largest, and their vectors as columns."""
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1], vectors[:, ::-1]
