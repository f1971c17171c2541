"""Representatives: ten aggregates of a record, comparable between files without common attributes.

Torra and Nin, Record linkage for database integration using fuzzy integrals (2008), section 3:
symmetric aggregation operators do not depend on which attributes a record has.
"""

from typing import Literal, get_args

import numpy as np

from unveil.aggregation.operators import owa, symmetric_sugeno
from unveil.aggregation.quantifiers import Family, published_quantifiers
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE, normal_scores, spread
from unveil.wording import suggest

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

    Each aggregates the record's normalised values by one of the ten published quantifiers of a
    family. Values are normalised `among` the given records, by default their own. All attributes
    should rise together: one that falls where others rise is best reversed before.

    A missing value is 0 after normalisation, as in the paper's experiments, or the record is
    projected on its known attributes (proposition 3); without any, all ten are NaN. A constant
    attribute is 0.
    """
    _check("operator", operator, get_args(Operator))
    _check("missing", missing, get_args(Missing))
    scaled = np.sort(normalise(values, method=normalisation, among=among))  # NaN comes last
    present = ~np.isnan(scaled)
    if missing == "zero":
        scaled, present = np.nan_to_num(scaled), np.ones_like(present)
    aggregate = owa if operator == "owa" else symmetric_sugeno
    return np.column_stack(
        [aggregate(scaled, q, present=present) for q in published_quantifiers(family)]
    )


def normalise(values: Floats, *, method: Normalisation, among: Floats | None = None) -> Floats:
    """Attributes on a common scale, `among` their own or other records; NaN is missing.

    "ranging" maps the least value to 0 and the greatest to 1 (the paper's N1), "standardisation"
    the mean to 0 and the deviation to 1 (N2), "normal-scores" each value to the normal quantile of
    its mid-rank. A constant attribute becomes 0. The result does not depend on the row order.
    """
    _check("normalisation", method, get_args(Normalisation))
    if values.ndim != 2 or not values.shape[1]:
        raise SpecError("representatives are of records with at least one attribute each")
    if (np.abs(values) > LARGEST_SQUARABLE).any():  # never for a NaN
        raise DataError("numbers beyond 1e150 are too large to compute with; rescale them")
    methods = {"ranging": _range, "standardisation": _standardise, "normal-scores": normal_scores}
    columns = zip(values.T, (values if among is None else among).T, strict=True)
    return np.column_stack([methods[method](own, others) for own, others in columns])


def _range(values: Floats, among: Floats) -> Floats:
    known = among[~np.isnan(among)]
    least, greatest = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return _divide(values - least, greatest - least)


def _standardise(values: Floats, among: Floats) -> Floats:
    mean, deviation = spread(among)
    return _divide(values - mean, deviation)


def _divide(gaps: Floats, unit: float) -> Floats:
    return gaps / unit if unit > 0 else np.where(np.isnan(gaps), np.nan, 0.0)


def _check(name: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise SpecError(
            f"{name}: '{word}' is not one of its values{suggest(word, words, 'values are')}"
        )
