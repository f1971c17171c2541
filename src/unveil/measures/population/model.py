"""The risk in the population by a Poisson log-linear model, with prediction intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.grid import Term
from unveil.measures.population.key_table import KeyTable, key_table, record_weights
from unveil.measures.population.log_linear import variance_of
from unveil.measures.population.minimum_error import (
    EstimatedErrors,
    ModelPath,
    all_pairs,
    choose,
    given_terms,
    unseen_people,
)
from unveil.measures.population.misclassification import kept_probabilities
from unveil.measures.population.posterior import inverse_moments
from unveil.support.arrays import Floats
from unveil.table.microdata import Microdata
from unveil.values.release.release import Release
from unveil.values.results.disclosure import Above
from unveil.values.results.population_model import (
    ModelStep,
    PopulationEstimates,
    PopulationModel,
    Predicted,
)
from unveil.wording import listing

Terms = Literal["chosen", "independence", "two-way"] | Sequence[Sequence[str]]
THRESHOLDS = (0.01, 0.05, 0.1, 0.5)
CONFIDENCE, NORMAL_QUANTILE = 0.95, 1.959964


def population_model(
    data: Microdata | Release,
    columns: Sequence[str] | None = None,
    *,
    fraction: float | Mapping[str, float] | None = None,
    weight: str | None = None,
    strata: str | None = None,
    terms: Terms = "chosen",
) -> PopulationModel:
    """The risk in the population, by a log-linear model of how common each combination is.

    A record that is unique in the sample may have many doubles in the population. The model
    estimates how many people share each combination of values, from how common its values, pairs
    and triples of values are. The intruder knows the columns of everybody in the population.

    Skinner and Shlomo, Assessing identification risk in survey microdata using log-linear models
    (2008). Unequal weights enter by pseudo-likelihood. The intervals are prediction intervals of
    95 %: they hold the errors of the parameters, of the choice of the model as far as its
    criterion shows them, and the chance of who is in the population.

    Parameters
    ----------
    data
        The sample; or a release, whose channels tell how probably released values are right:
        Shlomo and Skinner, Assessing the protection provided by misclassification-based
        disclosure limitation methods for survey microdata (2010).
    columns
        The intruder's knowledge; by default the quasi-identifiers. Categories: numbers with many
        values are recoded first.
    fraction
        The share of the population in the sample; or a mapping from each stratum to its share.
    weight
        The column of the number of people that a record represents; by default that of the role.
    strata
        The column of the sampling strata, in which weights are averaged.
    terms
        "chosen": from independent columns up, terms are added until the minimum-error criterion
        is within its noise. Their margins are shrunk, so that combinations that are not in the
        sample are rare and not impossible. "independence", "two-way" or a list of terms, each
        of two or three columns: these, by maximum likelihood.

    >>> import unveil
    >>> sample = unveil.households(2000, seed=7)
    >>> found = population_model(sample, ["region", "sex", "education"], fraction=0.01)
    >>> found.estimates.uniques >= found.estimates.tau2.value >= found.estimates.tau1.value >= 0
    True
    """
    sample = data.data if isinstance(data, Release) else data
    if columns is None:
        columns = sample.require("quasi")
    if weight is None and fraction is None:
        declared = [one for one in sample.schema.with_role("weight") if one in sample.columns]
        weight = declared[0] if declared else None
    weights = record_weights(sample, weight, fraction, strata)
    table = key_table(sample, columns, weights)
    path = _fitted(table, terms)
    kept = np.ones(len(table.cells))
    perturbed: tuple[str, ...] = ()
    if isinstance(data, Release):
        right, perturbed = kept_probabilities(data, columns)
        kept[table.cell_of] = right
    source = weight or ("strata" if isinstance(fraction, Mapping) else "fraction")
    return _model(table, path, kept, source, perturbed)


def _fitted(table: KeyTable, terms: Terms) -> ModelPath:
    if terms == "chosen":
        return choose(table)
    if terms == "independence":
        return given_terms(table, [])
    if terms == "two-way":
        return given_terms(table, list(all_pairs(len(table.grid.shape))))
    if isinstance(terms, str):
        raise UsageError(
            'terms: "chosen", "independence", "two-way", or a list of terms, each a list of columns'
        )
    return given_terms(table, [_axes(table, term) for term in terms])


def _axes(table: KeyTable, term: Sequence[str]) -> Term:
    names = list(term)
    if isinstance(term, str) or not 2 <= len(set(names)) == len(names) <= 3:
        raise UsageError("terms: each is a list of two or three different columns")
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise UsageError(
            f"terms: {listing(absent)} is not among the columns {listing(table.columns)}"
        )
    return tuple(sorted(table.columns.index(name) for name in names))


def _model(
    table: KeyTable, path: ModelPath, kept: Floats, source: str, perturbed: tuple[str, ...]
) -> PopulationModel:
    unseen = unseen_people(table, path.model)
    moments = inverse_moments(table.records, unseen)
    alone = (table.records == 1).astype(np.float64)
    unique = alone * kept * np.exp(-unseen)
    risk, square = kept * moments.mean, kept * moments.square
    slope = kept * moments.slope * unseen
    spread = square - risk**2
    errors = path.errors
    misfit = errors.bias**2 + errors.error**2
    by_tau2 = float((table.records * risk).sum()) / max(float((alone * risk).sum()), 1e-9)

    def predicted(values: Floats, gradient: Floats, chance: Floats, error: float) -> Predicted:
        variance = variance_of(table, path.model, gradient) + float(chance.sum()) + error
        return _interval(float(values.sum()), variance**0.5, values, table)

    tau1 = predicted(unique, -unseen * unique, unique * (1 - unique), misfit[0])
    tau2 = predicted(alone * risk, alone * slope, alone * spread, misfit[1])
    matches = predicted(
        table.records * risk,
        table.records * slope,
        table.records**2 * spread,
        misfit[1] * by_tau2**2,
    )
    risks = risk[table.cell_of]
    estimates = PopulationEstimates(
        columns=table.columns,
        weights=source,
        n=len(risks),
        population=table.population,
        cells=table.grid.size,
        occurring=len(table.cells),
        uniques=int(alone.sum()),
        tau1=tau1,
        tau2=tau2,
        expected_matches=matches,
        highest=float(risks.max()),
        above=tuple(Above(limit, int((risks > limit).sum())) for limit in THRESHOLDS),
        terms=tuple(table.names(term) for term in path.model.terms),
        path=tuple(_step(table, term, step) for term, step in path.steps),
        acceptable=errors.acceptable,
        not_converged=tuple(table.names(term) for term in path.failed),
        perturbed=perturbed,
    )
    return PopulationModel(estimates, risks, unique[table.cell_of])


def _interval(value: float, deviation: float, values: Floats, table: KeyTable) -> Predicted:
    """The interval of a sum above 0, symmetric in its logarithm."""
    width = NORMAL_QUANTILE * deviation / value if value > 0 else 0.0
    most = float(table.records[values > 0].sum())
    high = min(value * float(np.exp(min(width, 50.0))), max(most, value))
    return Predicted(value, value * float(np.exp(-width)), high, CONFIDENCE)


def _step(table: KeyTable, term: Term | None, errors: EstimatedErrors) -> ModelStep:
    (tau1, tau2), (bias1, bias2), (error1, error2) = (part.tolist() for part in errors)
    return ModelStep(
        term=table.names(term or ()),
        tau1=tau1,
        tau2=tau2,
        bias1=bias1,
        bias2=bias2,
        error1=error1,
        error2=error2,
    )
