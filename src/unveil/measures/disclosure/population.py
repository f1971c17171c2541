"""Population risk: re-identification in the population, estimated from sampling weights."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.disclosure.uniqueness import classes_of
from unveil.measures.identity.subgroups import household_chances
from unveil.measures.population.keys import column_with_role, key_columns, weights_of
from unveil.support.arrays import Floats, Ints
from unveil.support.options import share
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.values.results.disclosure import Above, HouseholdRisk, PopulationRisk

THRESHOLDS = (0.01, 0.05, 0.1)
LARGEST_SMALL_CLASS = 24  # records; for larger classes the integral is by Laguerre's rule
LAGUERRE_NODES = 48
SERIES_TERMS = 60  # of a series whose terms at least halve


def individual_risk(data: Microdata, columns: Sequence[str], weight: str) -> Floats:
    """The re-identification risk of each record, for an intruder who knows these columns.

    Benedetti and Franconi, Statistical and technological solutions for controlled data
    dissemination (1998): F people of the population share the values of the f records of a class.
    Given f, F has a negative binomial law with p = f / (sum of the weights), and the risk is the
    mean of 1 / F, which is p^f / f 2F1(f, f; f + 1; 1 - p).

    The columns are categories: numbers that differ make everybody unique. `weight` is the column
    with the number of people that a record represents, at least 1. A missing cell is a value of its
    own. A number with more than 100 values and an identifier are no keys.

    >>> import unveil
    >>> risk = individual_risk(unveil.households(500, seed=7), ["region", "sex"], "weight")
    >>> bool((risk > 0).all() and (risk < 0.001).all())
    True
    """
    classes = _weighted_classes(data, key_columns(data, columns), weight)
    return expected_inverse(classes.records, classes.share)[classes.class_of]


def population_risk(
    data: Microdata,
    columns: Sequence[str] | None = None,
    *,
    weight: str | None = None,
    household: str | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
) -> PopulationRisk | None:
    """The re-identification risk in the population, estimated from the sampling weights.

    A record that is unique in the sample may have many doubles in the population. The weights
    estimate how many; the risk of a record, from 0 to 1, is the probability that an intruder who
    knows the quasi-identifiers, but not who is in the sample, names its person.

    The risks are those of :func:`individual_risk`. With a household column, the risk of a
    household is that any of its members is re-identified; a record without one is a household.
    None without a weight or a quasi-identifier.

    Parameters
    ----------
    data
        The sample: the original, or a release whose columns are not perturbed.
    columns
        The intruder's knowledge; by default the quasi-identifiers.
    weight, household
        The columns; by default those with the role.
    thresholds
        Risks above which records are counted.

    >>> import unveil
    >>> found = population_risk(unveil.households(500, seed=7), ["region", "sex", "age"])
    >>> found.uniques > found.population_uniques > 0
    True
    >>> round(found.sampling_fraction, 3)
    0.002
    """
    weight = weight or column_with_role(data, "weight")
    household = household or column_with_role(data, "household")
    if columns is None:
        columns = [name for name in data.schema.with_role("quasi") if name in data.columns]
    if weight is None or not columns:
        return None
    classes = _weighted_classes(data, key_columns(data, columns), weight)
    risks = expected_inverse(classes.records, classes.share)[classes.class_of]
    alone = np.sort(classes.share[classes.records == 1])
    expected = float(np.sort(risks).sum())
    return PopulationRisk(
        columns=tuple(columns),
        weight=weight,
        n=len(data),
        population=classes.population,
        sampling_fraction=len(data) / classes.population,
        expected=expected,
        share=expected / len(data),
        highest=float(risks.max()),
        above=tuple(
            Above(limit, int((risks > share(limit, "thresholds")).sum())) for limit in thresholds
        ),
        uniques=len(alone),
        population_uniques=float(alone.sum()),
        households=None if household is None else _households(data, household, risks),
    )


class _WeightedClasses(NamedTuple):
    """Classes of records that are alike."""

    class_of: Ints  # of each record
    records: Ints  # of each class
    share: Floats  # of the class's people in the population that are in the sample
    population: float


def _weighted_classes(data: Microdata, columns: Sequence[str], weight: str) -> _WeightedClasses:
    weights = weights_of(data, weight)
    class_of = classes_of(data, columns)
    order = np.argsort(weights)  # so that sums do not depend on the order of the rows
    records, people = np.bincount(class_of), np.bincount(class_of[order], weights[order])
    return _WeightedClasses(class_of, records, records / people, float(weights[order].sum()))


def expected_inverse(records: Ints, share: Floats) -> Floats:
    """The mean of 1 / F, where F has a negative binomial law: f successes of probability p.

    It is the integral of u^(f - 1) p / (p + (1 - p) u) from 0 to 1. For small f and p below a
    half it is by I(1) = p / (1 - p) log(1 / p) and I(f + 1) = p / (1 - p) (1 / f - I(f)), in which
    errors shrink; otherwise by the series of p (1 - p)^k B(f, k + 1), whose terms are positive.
    For large f, with u = exp(-s / f), it is by Laguerre's rule: the rest beside exp(-s) is smooth.
    """
    f, p = np.asarray(records, np.int64), np.asarray(share, np.float64)
    result = np.empty(len(f))
    large = f > LARGEST_SMALL_CLASS
    for chosen, method in (
        (large, _by_quadrature),
        (~large & (p < 0.5), _by_recursion),
        (~large & (p >= 0.5), _by_series),
    ):
        result[chosen] = method(f[chosen], p[chosen])
    return result


def _by_quadrature(f: Ints, p: Floats) -> Floats:
    total = np.zeros(len(f))
    for node, weight in zip(*np.polynomial.laguerre.laggauss(LAGUERRE_NODES), strict=True):
        total += weight * (p / (p + (1 - p) * np.exp(-node / f)))
    return total / f


def _by_recursion(f: Ints, p: Floats) -> Floats:
    odds = p / (1 - p)
    result = step = odds * -np.log(p)
    for size in range(1, int(f.max(initial=1))):
        step = odds * (1 / size - step)
        result = np.where(f == size + 1, step, result)
    return result


def _by_series(f: Ints, p: Floats) -> Floats:
    term = p / f
    total = term.copy()
    for k in range(1, SERIES_TERMS):
        term = term * (1 - p) * k / (f + k)
        total += term
    return total


def _households(data: Microdata, household: str, risks: Floats) -> HouseholdRisk:
    chance, household_of = household_chances(risks, common_cells(data, column=household)[0])
    expected = float(np.sort(chance).sum())
    return HouseholdRisk(
        n=len(chance),
        expected=expected,
        share=expected / len(chance),
        highest=float(chance.max()),
        persons=float(np.sort(chance[household_of]).sum()),
    )
