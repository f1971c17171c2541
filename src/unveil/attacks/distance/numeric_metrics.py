"""Metrics of plain numbers: the covariance of Mahalanobis, the features of a polynomial kernel."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.records import Records, as_records
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats
from unveil.support.options import whole_number
from unveil.values.correspondence import Correspondence

Covariance = Literal["moments", "original", "release", "sum", "pairs"]
# The least share of its variance by which masking changes an attribute, so that one that was not
# masked counts for much and not for everything. Moments of two files differ, but by chance.
LEAST_CHANGE, LEAST_CHANGE_OF_PAIRS = 1e-4, 1e-9
MOST_FEATURES, MOST_DEGREE = 2000, 20  # of a polynomial kernel


def covariance_of(
    kind: Covariance,
    intruder: Floats,
    released: Floats,
    truth: Correspondence | None,
    groups: Sequence[Sequence[int]],
) -> Floats:
    """The covariance of the differences between records and their released rows, or a substitute.

    "pairs" is the paper's: of the differences of true pairs (Torra 2013, Section 2.6, as its
    tables show), which no intruder has. "moments" needs no truth: the variance that masking adds to
    or removes from an attribute, or from a group of attributes masked together, is the variance of
    the difference; for microaggregation exactly so.
    """
    if kind == "pairs":
        if truth is None:
            raise SpecError("covariance 'pairs' is that of the true pairs: give the truth")
        rows = truth.row_of_record
        there = rows >= 0
        differences = _covariance(intruder[there] - released[rows[there]], "true pairs")
        return _at_least(differences, np.nanvar(released, axis=0), LEAST_CHANGE_OF_PAIRS)
    found = np.zeros((intruder.shape[1], intruder.shape[1]))
    if kind == "moments":
        for group in groups:
            before, after = (
                _covariance(file[:, group], "records") for file in (intruder, released)
            )
            variances = np.maximum(np.diag(before), np.diag(after))
            found[np.ix_(group, group)] = _at_least(before - after, variances, LEAST_CHANGE)
        return found
    if kind != "release":
        found += _covariance(intruder, "intruder's records")
    if kind != "original":
        found += _covariance(released, "released records")
    return found


def _covariance(values: Floats, source: str) -> Floats:
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < 2:
        raise DataError(f"a covariance of the {source} needs at least 2 without a missing cell")
    return np.atleast_2d(np.cov(complete.T))


def _at_least(difference: Floats, variances: Floats, share: float) -> Floats:
    """The absolute value of a difference of covariances, at least a share of the variances."""
    size = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
    unit = np.outer(size, size)
    values, vectors = np.linalg.eigh(difference / unit)
    found: Floats = (vectors * np.maximum(np.abs(values), share)) @ vectors.T * unit
    return found


def polynomial(records: Records | ArrayLike, degree: int) -> Records:
    """Features whose Euclidean distance is that of the kernel (1 + a.b) ** degree.

    One for each product of up to `degree` attributes, times the square root of its multinomial
    coefficient; the constant is left out. A product with a missing attribute is missing.
    """
    base = as_records(records)
    degree = whole_number(degree, "degree", 1, MOST_DEGREE)
    n_features = comb(base.width + degree, degree) - 1
    if n_features > MOST_FEATURES:
        raise SpecError(
            f"a polynomial kernel of degree {degree} over {base.width} attributes has "
            f"{n_features:,} features; at most {MOST_FEATURES:,} are searched"
        )
    cells = base.cells()
    values = np.empty((len(base), n_features))
    products = (
        product
        for size in range(1, degree + 1)
        for product in combinations_with_replacement(range(base.width), size)
    )
    for column, product in enumerate(products):
        repeats = [factorial(times) for times in Counter(product).values()]
        ways = factorial(degree) // prod(repeats) // factorial(degree - len(product))
        values[:, column] = ways**0.5 * np.prod(cells[:, list(product)], axis=1)
    missing = np.isnan(values)
    return Records(np.where(missing, 0.0, values), ~missing, base.offset)
