"""Aggregation: fuzzy measures, their indices, and the operators that use them.

Weighted means, ordered weighted averages, Choquet and Sugeno integrals, and quantifiers.

>>> from unveil import aggregation
>>> most = aggregation.Quantifier("exponent", 2.0)
>>> aggregation.owa([0.2, 0.4, 0.2, 0.4], most).round(6)
np.float64(0.25)
>>> measure = aggregation.FuzzyMeasure.symmetric(most.by_size(4))
>>> aggregation.choquet([0.2, 0.4, 0.2, 0.4], measure).round(6)
np.float64(0.25)
"""

from unveil.aggregation.indices import (
    banzhaf,
    from_moebius,
    interaction,
    interactions,
    moebius,
    shapley,
)
from unveil.aggregation.measure import FuzzyMeasure
from unveil.aggregation.operators import choquet, owa, sugeno, symmetric_sugeno, weighted_mean
from unveil.aggregation.quantifiers import Quantifier, published_quantifiers
from unveil.support.checked_calls import check_names as _check_names

__all__ = [
    "FuzzyMeasure", "Quantifier", "banzhaf", "choquet", "from_moebius", "interaction",
    "interactions", "moebius", "owa", "published_quantifiers", "shapley", "sugeno",
    "symmetric_sugeno", "weighted_mean",
]  # fmt: skip

_check_names(globals(), __all__)
