"""Loss in numbers: how far cells moved, and how moments and components changed."""

import numpy as np

from unveil.measures.information_loss.catalogue import NO_PAIRS, MeasuredLoss, loss_measure
from unveil.measures.information_loss.moments import (
    FEW_NUMBERS,
    Moments,
    StandardisedPair,
    moments,
    standardise,
    standardised,
)
from unveil.measures.information_loss.pil import pil
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import spread
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import LossMeasure
from unveil.values.single_values import columns_of_level, single_numbers

LEADING_SHARE = 0.8  # of the variance that the leading components carry
NO_NUMBERS = "no numeric attribute that varies"


def numeric(pair: FilePair) -> MeasuredLoss:
    """IL1s, PIL, and the differences of means, variances, covariances and components.

    All but IL1s need no pairs: they compare the two files. Shuffling the columns leaves means,
    variances and quantiles as they are; IL1s, covariances, correlations and components see it.
    None grows with the number of records. Missing cells are left out; a range counts as its
    middle.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> found = numeric(FilePair.of(sample, sample, np.arange(100)))
    >>> {one.value for one in found.measures}
    {0.0}
    """
    cells = il1s(pair)
    standard = standardised(pair)
    original, release = moments(standard.original), moments(standard.release)
    statistics = pil(standard, original, release)
    attributes = {
        name: cells.attributes.get(name, {}) | statistics.attributes.get(name, {})
        for name in columns_of_level(pair, "numeric")
    }
    differences = _differences(standard, original, release)
    components = _components(standard, original, release)
    measures = (*cells.measures, *statistics.measures, *differences, *components)
    return MeasuredLoss(measures, attributes)


def il1s(pair: FilePair) -> MeasuredLoss:
    """IL1s: the mean over cells of ``|x - x'| / (sqrt(2) s_j)``; from 0, no upper end.

    After Mateo-Sanz, Sebé and Domingo-Ferrer, Outlier protection in continuous microdata masking
    (2004), as a mean over cells.

    Pairs are needed. s_j is the standard deviation of the original's attribute, so units do not
    matter. Two independent normal values differ by 2 / sqrt(pi) s = 1.13 s on average, so a
    shuffled column has about 0.8. Cells missing or a star on either side are left out, and constant
    attributes; a range counts as its middle.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> ages = [Microdata(pl.DataFrame({"age": x})) for x in ([30, 40, 50], [30, 50, 50])]
    >>> round(il1s(FilePair.of(*ages, np.arange(3))).measures[0].value, 4)  # 10 / sqrt(2) / 10 / 3
    0.2357
    """
    sums, cells, attributes = [], 0, {}
    for name in columns_of_level(pair, "numeric") if len(pair.released) else ():
        original, released = single_numbers(pair, name)
        mean, deviation = spread(original)
        if not deviation:
            continue
        before = standardise(original, mean, deviation)[pair.originals]
        after = standardise(released, mean, deviation)[pair.released]
        gaps = np.abs(before - after)
        known = np.sort(gaps[~np.isnan(gaps)])  # the same sum for every order of the rows
        if len(known):
            sums.append(float(known.sum()) / np.sqrt(2))
            cells += len(known)
            attributes[name] = {"IL1s": float(sums[-1] / len(known))}
    note = "" if cells else NO_NUMBERS if len(pair.released) else NO_PAIRS
    value = sum(sums) / cells if cells else None
    return MeasuredLoss((loss_measure("IL1s", value, n=cells, note=note),), attributes)


def _differences(
    standard: StandardisedPair, original: Moments, release: Moments
) -> list[LossMeasure]:
    """Differences of moments, in units where the original's variances are 1."""
    none = f"{NO_NUMBERS}; {standard.note}" if standard.note else NO_NUMBERS
    gaps = np.abs(release.correlation - original.correlation)
    differences = {
        "means": np.abs(release.mean - original.mean),
        "variances": np.abs(release.variance / original.variance - 1),
        "covariances": np.abs(release.covariance - original.covariance),
        "correlations": gaps,
        "largest correlation": gaps[gaps == np.nanmax(gaps, initial=0)],
    }
    measures = []
    for name, values in differences.items():
        known = values[~np.isnan(values)]
        value, note = (float(known.mean()), standard.note) if len(known) else (None, FEW_NUMBERS)
        if value is None and name in ("means", "variances"):
            note = none
        measures.append(loss_measure(name, value, n=len(known), note=note))
    return measures


def _components(
    standard: StandardisedPair, original: Moments, release: Moments
) -> list[LossMeasure]:
    """What the release's leading components miss of the original's variance.

    With correlation matrices R and R', and W' the leading k components of R', it is (tr W^T R W -
    tr W'^T R W') / (tr W^T R W - k): k random directions of p carry k of p on average. Signs, units
    and rotations among equal components have no effect.
    """
    p = len(standard.columns)
    names = ("first component", "components")
    if p < 2 or np.isnan(original.correlation).any() or np.isnan(release.correlation).any():
        why = FEW_NUMBERS if p < 2 else "two attributes are never known together"
        return [loss_measure(name, None, n=p, note=why) for name in names]
    matrix = _correlation_matrix(original, p)
    values, components = _eigen(matrix)
    released_components = _eigen(_correlation_matrix(release, p))[1]
    carried = np.cumsum(values) / p
    leading = min(int(np.searchsorted(carried, LEADING_SHARE - 1e-12)) + 1, p - 1)
    measures = []
    for name, k in zip(names, (1, leading), strict=True):
        best, reached = (
            float(np.trace(w[:, :k].T @ matrix @ w[:, :k]))
            for w in (components, released_components)
        )
        value, note = None, "the attributes are uncorrelated"
        if best - k >= 1e-9:
            value, note = float(np.clip((best - reached) / (best - k), 0, 1)), standard.note
        measures.append(loss_measure(name, value, n=k, note=note))
    return measures


def _correlation_matrix(moments: Moments, p: int) -> Floats:
    matrix = np.eye(p)
    matrix[np.triu_indices(p, 1)] = moments.correlation
    return matrix + np.triu(matrix, 1).T


def _eigen(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues in descending order, and the eigenvectors as columns."""
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1], vectors[:, ::-1]
