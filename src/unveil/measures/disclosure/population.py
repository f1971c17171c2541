"""The population: how many people outside the sample look like somebody in it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import DataError, UsageError
from unveil.measures.disclosure.uniqueness import classes_of
from unveil.measures.identity.subgroups import household_chances
from unveil.support.arrays import Floats, Ints
from unveil.support.options import share
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.values.results.disclosure import Above, HouseholdRisk, PopulationRisk
from unveil.wording import count, listing

THRESHOLDS = (0.01, 0.05, 0.1)
FEW = 24  # records of a class: from more on the integral is taken by Laguerre's rule
NODES = 48  # of that rule
TERMS = 60  # of a series whose terms at least halve


def individual_risk(data: Microdata, columns: Sequence[str], weight: str) -> Floats:
    """The risk of each record to be re-identified by somebody who knows these columns.

    Benedetti and Franconi, Statistical and technological solutions for controlled data
    dissemination (1998): the people of the population who look like the f records of a class
    are F, of whom the weights say how many to expect; given f, F has a negative binomial law
    with p = f / (sum of the weights), and the risk is the mean of 1 / F, which is
    p^f / f 2F1(f, f; f + 1; 1 - p).

    A missing cell is a value of its own. A class that weighs less than it has records, which
    no population can, is taken to be all of its people.

    Parameters
    ----------
    data
        The sample.
    columns
        Those that an intruder knows, as categories: numbers that differ make everybody unique.
    weight
        The column that says how many people a record stands for.

    >>> import unveil
    >>> risk = individual_risk(unveil.households(500, seed=7), ["region", "sex"], "weight")
    >>> bool((risk > 0).all() and (risk < 0.001).all())
    True
    """
    found = _classes(data, columns, weight)
    return expected_inverse(found.records, found.share)[found.of]


def population_risk(
    data: Microdata,
    columns: Sequence[str] | None = None,
    *,
    weight: str | None = None,
    household: str | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
) -> PopulationRisk | None:
    """What sampling weights say of the risk in the population, record by record and in all.

    Who is alone in the sample may have many doubles outside of it. The weights say how many to
    expect; the risk of a record, from 0 to 1, is the chance that somebody names its person who
    knows the quasi-identifiers and not who is in the sample.

    The risks are those of :func:`individual_risk`. With a household column, a household is at
    the risk that any of its members is re-identified; one that is missing is one by itself.

    Parameters
    ----------
    data
        The sample: the original, or a release whose columns are not perturbed.
    columns
        Those that an intruder knows; the quasi-identifiers, if not given.
    weight, household
        The columns; as the schema says, if not given.
    thresholds
        Risks above which records are counted.

    Returns
    -------
    None where there is no weight, or no quasi-identifier.

    >>> import unveil
    >>> found = population_risk(unveil.households(500, seed=7), ["region", "sex", "age"])
    >>> found.uniques > found.population_uniques > 0
    True
    >>> round(found.sampling_fraction, 3)
    0.002
    """
    weight = weight or _only(data, "weight")
    household = household or _only(data, "household")
    if columns is None:
        columns = [name for name in data.schema.with_role("quasi") if name in data.columns]
    if weight is None or not columns:
        return None
    found = _classes(data, columns, weight)
    risks = expected_inverse(found.records, found.share)[found.of]
    alone = np.sort(found.share[found.records == 1])
    expected = float(np.sort(risks).sum())
    return PopulationRisk(
        columns=tuple(columns),
        weight=weight,
        n=len(data),
        population=found.population,
        sampling_fraction=_fraction(len(data), found.population),
        expected=expected,
        share=expected / len(data),
        highest=float(risks.max()),
        above=tuple(
            Above(limit, int((risks > share(limit, "thresholds")).sum())) for limit in thresholds
        ),
        uniques=len(alone),
        population_uniques=float(alone.sum()),
        clipped=int(found.records[found.light].sum()),
        households=None if household is None else _households(data, household, risks),
    )


def sampling_fraction(data: Microdata) -> float | None:
    """Which share of the population the sample is, by its weights.

    None where there are none, or where they say that the population has fewer people than the
    sample.

    >>> import unveil
    >>> round(sampling_fraction(unveil.households(500, seed=7)), 3)
    0.002
    """
    weight = _only(data, "weight")
    return (
        None
        if weight is None
        else _fraction(len(data), float(np.sort(_weights(data, weight)).sum()))
    )


def _fraction(n: int, population: float) -> float | None:
    return n / population if population >= n else None


class _Classes(NamedTuple):
    """Records that look alike: how many, and what part of such people in the population."""

    of: Ints
    records: Ints
    share: Floats
    light: Ints  # those that weigh less than they have records
    population: float


def _weights(data: Microdata, weight: str) -> Floats:
    """The weights, each of which must be there."""
    weights = numbers(data, [weight]).values[:, 0]
    bad = int((~(weights > 0)).sum())
    if bad:
        raise DataError(
            f"column '{weight}' is missing or not above 0 in {count(bad, 'record')}: a weight says "
            "how many people of the population a record stands for; fill it in, or leave these "
            "records out"
        )
    return weights


def _classes(data: Microdata, columns: Sequence[str], weight: str) -> _Classes:
    weights = _weights(data, weight)
    of = classes_of(data, columns)
    order = np.argsort(weights)  # sums in an order that the rows' has no part in
    records, people = np.bincount(of), np.bincount(of[order], weights[order])
    light = np.flatnonzero(people < records)
    return _Classes(
        of, records, records / np.maximum(people, records), light, float(weights[order].sum())
    )


def expected_inverse(records: Ints, share: Floats) -> Floats:
    """The mean of 1 / F, where F has a negative binomial law: f successes of probability p.

    It is the integral of u^(f - 1) p / (p + (1 - p) u) from 0 to 1. For few records, where p is
    below a half, by I(1) = p / (1 - p) log(1 / p) and I(f + 1) = p / (1 - p) (1 / f - I(f)), in
    which errors shrink; else by the series of p (1 - p)^k B(f, k + 1), which has no signs. For
    many, with u = exp(-s / f), by Laguerre's rule: what is left under exp(-s) hardly bends.

    >>> expected_inverse(np.array([1, 2]), np.array([1.0, 1.0])).tolist()
    [1.0, 0.5]
    """
    f, p = np.asarray(records, np.int64), np.asarray(share, np.float64)
    found = np.empty(len(f))
    many = f > FEW
    rare = ~many & (p < 0.5)
    common = ~many & (p >= 0.5)
    found[many] = _by_rule(f[many], p[many])
    found[rare] = _by_recursion(f[rare], p[rare])
    found[common] = _by_series(f[common], p[common])
    return found


def _by_rule(f: Ints, p: Floats) -> Floats:
    total = np.zeros(len(f))
    for node, weight in zip(*np.polynomial.laguerre.laggauss(NODES), strict=True):
        total += weight * (p / (p + (1 - p) * np.exp(-node / f)))
    return total / f


def _by_recursion(f: Ints, p: Floats) -> Floats:
    odds = p / (1 - p)
    found = step = odds * -np.log(p)
    for done in range(1, int(f.max(initial=1))):
        step = odds * (1 / done - step)
        found = np.where(f == done + 1, step, found)
    return found


def _by_series(f: Ints, p: Floats) -> Floats:
    term = p / f
    total = term.copy()
    for k in range(1, TERMS):
        term = term * (1 - p) * k / (f + k)
        total += term
    return total


def _households(data: Microdata, household: str, risks: Floats) -> HouseholdRisk:
    each, of = household_chances(risks, common_cells(data, column=household)[0])
    expected = float(np.sort(each).sum())
    return HouseholdRisk(
        n=len(each),
        expected=expected,
        share=expected / len(each),
        highest=float(each.max()),
        persons=float(np.sort(each[of]).sum()),
    )


def _only(data: Microdata, role: str) -> str | None:
    """The column that has a role, if one is there."""
    found = [name for name in data.schema.with_role(role) if name in data.columns]
    if len(found) > 1:
        raise UsageError(f"several columns have the role {role}: name one of {listing(found)}")
    return found[0] if found else None
