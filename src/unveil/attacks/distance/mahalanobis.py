"""The covariance of Mahalanobis: of what differs between a record and its released row."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats, Ints

Covariance = Literal["moments", "original", "release", "sum", "pairs"]
# The share of its variance by which an attribute differs at least: what was not masked counts
# for much, not for nothing. Moments of two files are never equal, but by chance; pairs are.
LEAST, LEAST_OF_PAIRS = 1e-4, 1e-9


def covariance_of(
    kind: Covariance,
    intruder: Floats,
    released: Floats,
    pairs: Ints | None,
    groups: Sequence[Sequence[int]],
) -> Floats:
    """The covariance that stands for the masking's, by one of five readings.

    "pairs" is the paper's own: of the true pairs' differences (Torra 2013, Section 2.6, as its
    tables show), and so nothing that an intruder has. "moments" comes close to it with
    no truth: what masking adds to or takes from the variance of an attribute, or of a group of
    them masked together, is the variance of what it did; for microaggregation exactly so.
    """
    if kind == "pairs":
        if pairs is None:
            raise SpecError("covariance 'pairs' is that of the true pairs: give the truth")
        there = pairs >= 0
        found = _covariance(intruder[there] - released[pairs[there]], "true pairs")
        return _at_least(found, np.nanvar(released, axis=0), LEAST_OF_PAIRS)
    if kind == "moments":
        return _from_moments(intruder, released, groups)
    found = np.zeros((intruder.shape[1], intruder.shape[1]))
    if kind != "release":
        found += _covariance(intruder, "intruder's records")
    if kind != "original":
        found += _covariance(released, "released records")
    return found


def _covariance(values: Floats, whose: str) -> Floats:
    """Of the complete records."""
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < 2:
        raise DataError(f"a covariance of the {whose} needs at least 2 without a missing cell")
    return np.atleast_2d(np.cov(complete.T))


def _from_moments(intruder: Floats, released: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    found = np.zeros((intruder.shape[1], intruder.shape[1]))
    for group in groups:
        here = np.ix_(group, group)
        before, after = (_covariance(file[:, group], "records") for file in (intruder, released))
        found[here] = _at_least(before - after, np.maximum(np.diag(before), np.diag(after)), LEAST)
    return found


def _at_least(difference: Floats, variances: Floats, share: float) -> Floats:
    """The size of a difference of covariances, at least a share of the variances."""
    size = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
    unit = np.outer(size, size)
    values, vectors = np.linalg.eigh(difference / unit)
    found: Floats = (vectors * np.maximum(np.abs(values), share)) @ vectors.T * unit
    return found
