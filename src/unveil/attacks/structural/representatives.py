"""Representatives: ten numbers of a record that do not depend on which attributes it has.

Torra and Nin, Record linkage for database integration using fuzzy integrals (2008), section 3:
two files that share no attribute are compared by what symmetric aggregation operators make of
each record.
"""

from typing import Literal, get_args

import numpy as np

from unveil.aggregation.operators import owa, symmetric_sugeno
from unveil.aggregation.quantifiers import Family, published_quantifiers
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE, normal_scores, spread
from unveil.wording import listing, suggest

Operator = Literal["owa", "sugeno"]
Normalisation = Literal["ranging", "standardisation", "normal-scores"]
Missing = Literal["zero", "projection"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)


def representatives(
    values: Floats,
    *,
    operator: Operator = "owa",
    family: Family = "threshold",
    normalisation: Normalisation = "standardisation",
    missing: Missing = "projection",
    among: Floats | None = None,
) -> Floats:
    """The ten representatives of each record, records x 10; NaN is missing in `values`.

    Each is the record's normalised values aggregated by one of the ten published quantifiers of
    a family. Values are normalised by the records given, those that are attacked, or by others that
    they are seen `among`. All attributes are taken to point the same way; one that falls where the
    others rise is best turned round before.

    A missing value is 0 after normalisation, as in the paper's experiments (the least value
    after ranging, else the middle), or the record is projected on the attributes that it has
    (proposition 3); projected, a record without any has NaN for all ten. A constant attribute
    is 0 for everybody.

    >>> records = np.array([[1.0, 30.0], [2.0, 10.0], [3.0, 20.0]])
    >>> representatives(records, normalisation="ranging")[:, [0, 9]].tolist()
    [[1.0, 0.0], [0.5, 0.0], [1.0, 0.5]]
    """
    _check("operator", operator, get_args(Operator))
    _check("missing", missing, get_args(Missing))
    scaled = np.sort(
        normalised(values, how=normalisation, among=among)
    )  # once, for all ten; NaN comes last
    present = ~np.isnan(scaled)
    if missing == "zero":
        scaled, present = np.nan_to_num(scaled), np.ones_like(present)
    aggregate = owa if operator == "owa" else symmetric_sugeno
    return np.column_stack(
        [aggregate(scaled, q, present=present) for q in published_quantifiers(family)]
    )


def normalised(values: Floats, *, how: Normalisation, among: Floats | None = None) -> Floats:
    """Each attribute made comparable with the others; NaN, missing, stays.

    By the records given, or by others that they are seen `among`.

    "ranging" takes the least value to 0 and the greatest to 1 (the paper's N1),
    "standardisation" the mean to 0 and the deviation to 1 (N2), "normal-scores" each value to
    the normal quantile of its mid-rank, so that no outlier counts for more than its place. A
    constant attribute becomes 0. No digit depends on the order of the records.

    >>> normalised(np.array([[10.0], [np.nan], [30.0], [20.0]]), how="ranging").ravel().tolist()
    [0.0, nan, 1.0, 0.5]
    """
    _check("normalisation", how, get_args(Normalisation))
    if values.ndim != 2 or not values.shape[1]:
        raise SpecError("representatives are of records with at least one attribute each")
    if (np.abs(values) > LARGEST_SQUARABLE).any():  # never for a NaN
        raise DataError("numbers beyond 1e150 are too large to compute with; rescale them")
    one = {"ranging": _ranged, "standardisation": _standardised, "normal-scores": normal_scores}
    others = values if among is None else among
    return np.column_stack([one[how](*both) for both in zip(values.T, others.T, strict=True)])


def _ranged(values: Floats, among: Floats) -> Floats:
    known = among[~np.isnan(among)]
    least, greatest = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return _scaled(values - least, greatest - least)


def _standardised(values: Floats, among: Floats) -> Floats:
    mean, deviation = spread(among)
    return _scaled(values - mean, deviation)


def _scaled(gaps: Floats, unit: float) -> Floats:
    return gaps / unit if unit > 0 else np.where(np.isnan(gaps), np.nan, 0.0)


def _check(name: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise SpecError(
            f"{name}: '{word}' is not one of {listing(words)}{suggest(str(word), words)}"
        )
