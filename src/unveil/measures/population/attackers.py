"""The prosecutor, the journalist and the marketer: the risks that their usual formulas give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.disclosure.population import expected_inverse, individual_risk
from unveil.measures.identity.hits import at_risk_of
from unveil.measures.population.keys import (
    column_with_role,
    key_columns,
    known_fraction,
    weights_of,
)
from unveil.models.row_counts import classes_of, population_counts
from unveil.support.arrays import Floats, Ints
from unveil.table.microdata import Microdata
from unveil.values.release.release import Release
from unveil.values.results.population.uniques import AttackerRisks, Basis
from unveil.wording import count, listing

UPPER_BOUND = (
    "no population file, weights or sampling fraction: the release is taken for its population, so "
    "that the risks by the journalist and the marketer are upper bounds"
)
NOT_INCLUDED = (
    "the population file has fewer people than the release for the keys of {}: it does not hold "
    "everybody of the release, so that the risks by the journalist and the marketer are too high "
    "there; add the missing people"
)
UNFITTING = (
    "fitting nobody of the population, risk 0: {}; recode the population as the release was, and "
    "leave out perturbed keys"
)
PERTURBED = "values of these keys may be wrong, which these risks do not count: {}"


def attackers(
    release: Microdata | Release,
    population: Microdata | None = None,
    *,
    columns: Sequence[str] | None = None,
    fraction: float | None = None,
    threshold: float = 0.2,
) -> AttackerRisks:
    """The risk of re-identification by a prosecutor, a journalist and a marketer.

    All three match on the keys. The prosecutor knows that a person is in the release: the risk of
    a record is 1/f, for f records with its keys. The other two do not know who is in it: the risk
    is 1/F, for the F people of the population who fit its keys. The journalist looks for any one
    person, so that the highest risk counts; the marketer for as many as possible, so that the mean
    does. The mean of the journalist is the larger one of 1/F over records and over people.

    F is counted in a population file (k-map: compatible cells, a missing cell fits every value), or
    else estimated by the weights or the sampling fraction (:func:`individual_risk`). Without any,
    1/f bounds 1/F from above. Keys whose values are perturbed have no such risk. In a population
    file, values are as coarse as in the release: a number fits the released range that holds it,
    but categories that the release merged are merged in the file first.

    El Emam, Guide to the de-identification of personal health information (2013); Dankar and El
    Emam, A method for evaluating marketer re-identification risk (2010).

    Parameters
    ----------
    release
        The released records.
    population
        The records of the population, with the same columns.
    columns
        The keys; by default the quasi-identifiers. A number with more than 100 values is refused.
    fraction
        The sampling fraction; by default that of the weights.
    threshold
        The risk above which records are counted.

    >>> import unveil
    >>> people = unveil.households(2000, seed=7)
    >>> sample = people.take(range(200))
    >>> found = attackers(sample, people, columns=["region", "sex", "education"])
    >>> found.prosecutor.mean > found.journalist.mean >= found.marketer.mean
    True
    """
    data = release.data if isinstance(release, Release) else release
    keys = key_columns(data, columns)
    classes = classes_of(data, keys)
    sizes = classes.scatter(classes.sizes)
    found = _people(data, keys, sizes, population, fraction)
    notes = [found.note, _perturbed(release, keys)]
    prosecutor, marketer = at_risk_of(1 / sizes, threshold), at_risk_of(found.risks, threshold)
    fitting = found.people > 0
    drawn = float(np.sort(1 / sizes[fitting]).sum())  # the classes that fit anybody
    people = float(np.sort((found.people / sizes)[fitting]).sum())
    mean = max(marketer.mean, drawn / people if people else 0.0)
    return AttackerRisks(
        columns=keys,
        n=len(data),
        basis=found.basis,
        note="; ".join(filter(None, notes)),
        prosecutor=prosecutor,
        journalist=marketer._replace(mean=mean),
        marketer=marketer,
    )


def _perturbed(release: Microdata | Release, keys: Sequence[str]) -> str:
    """A note of the keys whose released values may be wrong, by the channels of a release."""
    if not isinstance(release, Release):
        return ""
    wrong = [
        name for name in keys if not all(one.only_coarser for one in release.channels_of(name))
    ]
    return PERTURBED.format(listing(wrong)) if wrong else ""


class _FittingPeople(NamedTuple):
    """The people who share the keys of each record, and the risk that follows."""

    people: Floats
    risks: Floats
    basis: Basis
    note: str = ""


def _people(
    data: Microdata,
    keys: Sequence[str],
    sizes: Ints,
    population: Microdata | None,
    fraction: float | None,
) -> _FittingPeople:
    if population is not None:
        population.check(*keys)
        people = population_counts(data, population, keys).astype(np.float64)
        risks: Floats = np.where(people > 0, 1 / np.maximum(people, 1), 0.0)
        nobody, fewer = int((people == 0).sum()), int(((people > 0) & (people < sizes)).sum())
        notes = [UNFITTING.format(count(nobody, "record"))] if nobody else []
        notes += [NOT_INCLUDED.format(count(fewer, "record"))] if fewer else []
        return _FittingPeople(people, risks, "population", "; ".join(notes))
    known = known_fraction(data, fraction)
    if known is None:
        return _FittingPeople(sizes.astype(np.float64), 1 / sizes, "release", UPPER_BOUND)
    weight = column_with_role(data, "weight") if fraction is None else None
    if weight is None:
        risks = expected_inverse(sizes, np.full(len(sizes), known))
        return _FittingPeople(sizes / known, risks, "fraction")
    weights = weights_of(data, weight)
    classes = classes_of(data, keys)
    order = np.argsort(weights)
    labels = classes.scatter(np.arange(len(classes.sizes)))
    people = np.bincount(labels[order], weights[order])[labels]
    return _FittingPeople(people, individual_risk(data, keys, weight), "weights")
