"""Aggregation operators: the numbers along the last axis into one.

Torra and Narukawa, *Modeling Decisions* (2007), chapters 4 to 6. `owa` and `symmetric_sugeno` sort
and need no table of sets, so any number of attributes will do. With `present`, they and the
weighted mean aggregate the attributes that a record has.
"""

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import FuzzyMeasure, as_floats, check_weights
from unveil.aggregation.quantifiers import Quantifier
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Bools, Floats, Ints


def weighted_mean(
    values: ArrayLike, weights: ArrayLike, *, present: ArrayLike | None = None
) -> Floats:
    """The weighted mean; weights need not sum to 1.

    With `present`, of the attributes that are there, by their weights; where none of them
    weighs anything it is NaN.

    >>> weighted_mean([4.0, 2.0], [3, 1])
    np.float64(3.5)
    >>> weighted_mean([4.0, np.nan], [3, 1], present=[True, False])
    np.float64(4.0)
    """
    checked = check_weights(weights)
    known, there = _known(values, present)
    _check_length(known, len(checked), "the weights are those")
    shares = np.where(there, checked, 0.0)
    top = shares.max(-1, keepdims=True)  # their sum must not overflow
    shares = np.divide(shares, top, out=np.full_like(shares, np.nan), where=top > 0)
    return _plain((known * (shares / shares.sum(-1, keepdims=True))).sum(-1))


def owa(values: ArrayLike, quantifier: Quantifier, *, present: ArrayLike | None = None) -> Floats:
    """Yager's ordered weighted average: weights go by the order of the values, greatest first.

    The i-th greatest of N weighs Q(i/N) - Q((i-1)/N) (Torra and Nin 2008, definition 2). It is
    the Choquet integral of the symmetric measure Q(size / N).

    With `present`, of the attributes that a record has, N being their number (proposition 3);
    of a record that has none it is NaN.

    >>> from unveil.aggregation.quantifiers import Quantifier
    >>> owa([0.2, 0.4, 0.2, 0.4], Quantifier("exponent", 2.0)).round(6)
    np.float64(0.25)
    """
    descending, count = _descending(values, present)
    weights = np.diff(_levels(quantifier, count, descending.shape[-1]), axis=-1)
    parts = np.where(np.isinf(descending), 0.0, descending) * weights
    return _plain(np.where(count > 0, parts.sum(-1), np.nan))


def symmetric_sugeno(
    values: ArrayLike, quantifier: Quantifier, *, present: ArrayLike | None = None
) -> Floats:
    """The Sugeno integral of the symmetric measure Q(size / N), Yager's OWMax.

    The greatest, over i, of the lesser of Q(i/N) and the i-th greatest value (Torra and Nin
    2008, definition 3). Values are meant to be from 0 to 1; others are taken as they are, as in
    the paper: nothing exceeds Q(1), and where all are negative, the greatest of them comes out.

    With `present`, of the attributes that a record has, N being their number (proposition 3);
    of a record that has none it is NaN.

    >>> from unveil.aggregation.quantifiers import Quantifier
    >>> symmetric_sugeno([0.9, 0.2, 0.4], Quantifier("exponent", 1.0))
    np.float64(0.4)
    """
    descending, count = _descending(values, present)
    levels = _levels(quantifier, count, descending.shape[-1])[..., 1:]
    return _plain(np.where(count > 0, np.minimum(levels, descending).max(-1), np.nan))


def sugeno(values: ArrayLike, measure: FuzzyMeasure) -> Floats:
    """The Sugeno integral.

    The greatest, over the values, of the lesser of the value and the measure of the attributes
    that have at least that much (Sugeno 1974). Values are meant to be from 0 to 1; others are
    taken as they are: nothing exceeds 1, and where all are negative, the greatest comes out.

    >>> from unveil.aggregation.measure import FuzzyMeasure
    >>> sugeno([0.9, 0.2], FuzzyMeasure([0, 0.6, 0.3, 1]))
    np.float64(0.6)
    """
    known, _ = _known(values, None)
    _check_length(known, len(measure))
    ascending, sets = _upper_sets(known)
    return _plain(np.minimum(ascending, measure.values[sets]).max(-1))


def choquet(costs: ArrayLike, measure: FuzzyMeasure) -> Floats:
    """The Choquet integral.

    The sum of the increments of the sorted numbers, each times the measure of the
    attributes that have at least that much (Choquet 1954).

    >>> from unveil.aggregation.measure import FuzzyMeasure
    >>> choquet([4.0, 2.0], FuzzyMeasure([0, 0.2, 0.3, 1]))
    np.float64(2.4)
    """
    values = as_floats(costs, "costs")
    _check_length(values, len(measure))
    ascending, sets = _upper_sets(values)
    weights = measure.values[sets]
    with np.errstate(invalid="ignore"):
        # From infinity to infinity is no step, and a set of no weight adds nothing.
        increments = np.diff(ascending, axis=-1, prepend=0.0)
        parts = np.where((weights > 0) & ~np.isnan(increments), increments * weights, 0.0)
    return _plain(parts.sum(-1))


def _upper_sets(values: Floats) -> tuple[Floats, Ints]:
    """The values in ascending order, each with the set of attributes from there on."""
    order = np.argsort(values, axis=-1)
    bits = np.left_shift(1, order)
    at_least = np.flip(np.cumsum(np.flip(bits, -1), -1), -1)
    return np.take_along_axis(values, order, -1), at_least


def _descending(values: ArrayLike, present: ArrayLike | None) -> tuple[Floats, Ints]:
    """The values, greatest first and missing ones last as -inf, and their number."""
    known, there = _known(values, present)
    known[~there] = -np.inf
    known.sort(axis=-1)
    return np.flip(known, -1), there.sum(-1)


def _levels(quantifier: Quantifier, count: Ints, n: int) -> Floats:
    """Q(0/N), Q(1/N), ..., Q(N/N) for each count N, and Q(1) from there up to n."""
    sizes = np.unique(count)
    table = quantifier(np.minimum(np.arange(n + 1) / np.maximum(sizes, 1)[:, None], 1.0))
    # One row serves all records where they have as many attributes.
    return table[0] if len(sizes) == 1 else table[np.searchsorted(sizes, count)]


def _known(values: ArrayLike, present: ArrayLike | None) -> tuple[Floats, Bools]:
    """The values, 0 where they are not present, and where they are."""
    # Sums are made along rows in memory, so that no digit depends on how the array is stored.
    known = np.asarray(as_floats(values, "values"), order="C")
    if known.ndim == 0 or known.shape[-1] == 0:
        raise SpecError("values: at least one number is needed, along the last axis")
    try:
        there = np.ones(known.shape, bool) if present is None else np.asarray(present)
    except ValueError:  # rows of different lengths
        there = np.zeros(0)
    if there.dtype != bool or there.shape != known.shape:
        raise SpecError("present: true or false for each value")
    known[~there] = 0.0
    if not np.isfinite(known).all():
        raise DataError("values are finite numbers; mark missing values by present=")
    return known, there


def _check_length(values: Floats, attributes: int, what: str = "the measure is one") -> None:
    if values.shape[-1:] != (attributes,):
        raise SpecError(f"{what} of {attributes} attributes")


def _plain(result: Floats) -> Floats:
    """A number of a single record, else an array."""
    return np.asarray(result)[()]
