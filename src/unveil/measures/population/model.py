"""The risk in the population by a Poisson log-linear model, with prediction intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.exposure import Exposure, released_keys
from unveil.measures.population.grid import Term
from unveil.measures.population.key_table import KeyTable, record_weights, sample_keys
from unveil.measures.population.keys import column_with_role, named_columns
from unveil.measures.population.log_linear import variance_of
from unveil.measures.population.minimum_error import (
    EstimatedErrors,
    ModelPath,
    all_pairs,
    choose,
    given_terms,
)
from unveil.measures.population.posterior import inverse_moments
from unveil.measures.population.recorded_keys import Errors, recorded_keys
from unveil.support.arrays import Floats
from unveil.table.microdata import Microdata
from unveil.values.release.release import Release
from unveil.values.results.disclosure import Above
from unveil.values.results.population.model import (
    ModelStep,
    PopulationEstimates,
    PopulationModel,
    Predicted,
)
from unveil.wording import listing

Terms = Literal["chosen", "independence", "two-way"] | Sequence[Sequence[str]]
THRESHOLDS = (0.01, 0.05, 0.1, 0.5)
CONFIDENCE, NORMAL_QUANTILE = 0.95, 1.959964
CURVED_WIDTH = 2.0  # of an interval, in logarithms: beyond it, its end is along the tangent


def population_model(  # noqa: PLR0913 - the inputs of a measure, by name
    data: Microdata,
    columns: Sequence[str] | None = None,
    *,
    fraction: float | Mapping[str, float] | None = None,
    weight: str | None = None,
    strata: str | None = None,
    terms: Terms = "chosen",
    release: Release | None = None,
    errors: Errors | None = None,
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
        The sample, as it was before masking.
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
    release
        A masked release of the sample: the risk is that of its rows, whose values may be wrong by
        the probabilities of its channels. Shlomo and Skinner, Assessing the protection provided by
        misclassification-based disclosure limitation methods for survey microdata (2010). If
        fewer records are released, these are the sample: `fraction` is their share of the
        population, and weights that do not sum to the population overstate the risk.
    errors
        For columns that were recorded with error: for each true category, the probability of each
        recorded one. The intruder knows the true values.

    >>> import unveil
    >>> sample = unveil.households(2000, seed=7)
    >>> found = population_model(sample, ["region", "sex", "education"], fraction=0.01)
    >>> found.estimates.uniques >= found.estimates.tau2.value >= found.estimates.tau1.value >= 0
    True
    """
    columns = named_columns(data, columns)
    if weight is None and fraction is None:
        weight = column_with_role(data, "weight")
    weights = record_weights(data, weight, fraction, strata)
    if release is not None:
        if errors is not None:
            raise UsageError("release, errors: give one of them")
        table, exposure = released_keys(data, release, columns, weights)
    else:
        table = sample_keys(data, columns, weights)
        exposure = Exposure(table) if errors is None else recorded_keys(data, table, errors)
    source = weight or ("strata" if isinstance(fraction, Mapping) else "fraction")
    return _model(table, _fitted(table, terms), exposure, source)


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


class _Sum(NamedTuple):
    """The terms of a sum over cells, with their slopes by the log of the mean, and variances."""

    values: Floats
    slopes: Floats
    variances: Floats


def _model(table: KeyTable, path: ModelPath, exposure: Exposure, source: str) -> PopulationModel:
    seen, errors = exposure.seen, path.errors
    right, unseen = exposure.right_and_unseen(path.model, table.fraction)
    moments = inverse_moments(1 + (seen.records - 1) * right, unseen)
    alone = seen.records == 1
    unique = np.where(alone, right * np.exp(-unseen), 0.0)
    risk = right * moments.mean
    slope = risk * (1 - right) + right * moments.slope * unseen
    variance = np.maximum(right * moments.square - risk**2, 0.0)
    sums = (
        _Sum(unique, unique * (1 - right - unseen), unique * (1 - unique)),
        _Sum(alone * risk, alone * slope, alone * variance),
        _Sum(seen.records * risk, seen.records * slope, seen.records**2 * variance),
    )
    error = np.hypot(errors.bias, errors.error)
    bias = error / np.maximum(errors.tau, 1e-9)
    of_all = float(error[1]) / max(float(errors.tau[1]), 1.0)  # of few uniques, no share
    tau1, tau2, matches = (
        _predicted(table, path, seen, one, share)
        for one, share in zip(sums, [*bias.tolist(), of_all], strict=True)
    )
    risks = risk[seen.cell_of]
    estimates = PopulationEstimates(
        columns=table.columns,
        weights=source,
        n=len(risks),
        population=table.population,
        cells=table.grid.size,
        occurring=len(seen.cells),
        uniques=int(alone.sum()),
        tau1=_whole_people(tau1, float(alone.sum())),
        tau2=tau2,
        expected_matches=matches,
        highest=float(risks.max()),
        above=tuple(Above(limit, int((risks > limit).sum())) for limit in THRESHOLDS),
        terms=tuple(table.names(term) for term in path.model.terms),
        path=tuple(_step(table, term, step) for term, step in path.steps),
        acceptable=errors.acceptable,
        not_converged=tuple(table.names(term) for term in path.failed),
        perturbed=exposure.perturbed,
    )
    return PopulationModel(estimates, risks, unique[seen.cell_of])


def _predicted(
    table: KeyTable, path: ModelPath, seen: KeyTable, parts: _Sum, misfit: float
) -> Predicted:
    """A sum with its interval; `misfit`: the model's, as a share.

    The interval is symmetric in the logarithm. Beyond a factor of e squared its upper end goes on
    along the tangent, since an error of a few people is no factor of thousands.
    """
    value = float(parts.values.sum())
    if value <= 0:
        return Predicted(0.0, 0.0, 0.0, CONFIDENCE)
    variance = variance_of(table, path.model, seen.cells, parts.slopes)
    variance += float(parts.variances.sum()) + (misfit * value) ** 2
    width = NORMAL_QUANTILE * variance**0.5 / value
    most = max(float(seen.records[parts.values > 0].sum()), value)
    curved = min(width, CURVED_WIDTH)
    factor = float(np.exp(curved)) * (1 + width - curved)
    return Predicted(value, value * float(np.exp(-width)), min(value * factor, most), CONFIDENCE)


def _whole_people(found: Predicted, most: float) -> Predicted:
    """The interval of a number of people: whole ones, and no narrower than the chance of few."""
    from scipy.stats import poisson

    tail = (1 - found.confidence) / 2
    low = min(np.floor(found.low), poisson.ppf(tail, found.value))
    high = max(np.ceil(found.high), poisson.ppf(1 - tail, found.value))
    return Predicted(found.value, float(low), max(min(float(high), most), found.value), CONFIDENCE)


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
