"""The estimators of the risk in the population side by side, on the keys of one release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from msgspec.structs import replace

from unveil.errors import UnveilError
from unveil.measures.disclosure.population import expected_inverse, population_risk
from unveil.measures.population.attackers import attackers
from unveil.measures.population.keys import weights_of
from unveil.measures.population.model import population_model
from unveil.measures.population.prepared_keys import PreparedKeys
from unveil.measures.population.suda import file_level, suda
from unveil.measures.population.super_population import BENEDETTI, NO_PAIRS, super_population
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Floats, Ints
from unveil.values.results.disclosure import PopulationRisk
from unveil.values.results.population.in_population import (
    EstimatorResult,
    InPopulation,
    PopulationFigure,
)
from unveil.values.results.population.model import PopulationEstimates, Predicted
from unveil.values.results.population.special_uniques import SpecialUniques
from unveil.values.results.population.uniques import SuperPopulation

LARGE_SEARCH = 2**28  # records times sets of keys: above it, only small sets are searched
SMALL_SETS = 3
NO_WEIGHT = "no column has the role weight"
EQUAL_WEIGHTS = "all weights are equal, so that it depends on the sizes of the classes alone"
NO_FIT = "the model misses structure of the sample by more than chance"


class PopulationMeasures(NamedTuple):
    """The estimators side by side, and the individual risks with those of households."""

    result: InPopulation
    individual: PopulationRisk | None = None


def in_population(
    prepared: PreparedKeys, source: Literal["policy", "register"], *, model: bool = True
) -> PopulationMeasures:
    """Every estimator of the risk in the population, by the sampling weights.

    Without weights nobody can say how many people of the population share a key: then only the
    attackers (as upper bounds) and the special uniques are measured. `model`: whether the
    log-linear model is made, which takes most of the work.
    """
    data, keys = prepared.data, prepared.columns
    sizes, missing = classes_of(data, keys).sizes, ""
    if prepared.weight is None:
        missing = NO_WEIGHT
    else:
        try:
            weights_of(data, prepared.weight)
        except UnveilError as error:
            missing, data = str(error), data.select(keys)
    result = InPopulation(
        keys=prepared.keys,
        left_out=prepared.left_out,
        source=source,
        weight=prepared.weight,
        n=len(data),
        population=None,
        uniques=int((sizes == 1).sum()),
        missing=missing,
        special=_special(prepared),
        attackers=attackers(data, columns=keys),
    )
    if missing:
        return PopulationMeasures(result)
    individual = population_risk(data, keys)
    known = super_population(data, keys)
    fitted = population_model(data, keys).estimates if model else None
    estimates = [*([] if fitted is None else [_log_linear(fitted)]), *_by_sizes(known)]
    estimates.append(_intrusion(sizes, known.sampling_fraction))
    if individual is not None:
        estimates.append(_individual(prepared, individual))
    done = replace(
        result,
        population=known.population,
        estimates=tuple(estimates),
        share=None if fitted is None else fitted.expected_matches.value / len(data),
        chosen=known.chosen,
        model=fitted,
    )
    return PopulationMeasures(done, individual)


def _special(prepared: PreparedKeys) -> SpecialUniques | None:
    """The special uniques by attributes that vary; categories would be codes."""
    keys = [one.column for one in prepared.keys if one.categories > 1]
    if not keys:
        return None
    data, most = prepared.data.select(keys), len(keys)  # the scores need no fraction
    if len(data) << most > LARGE_SEARCH:
        most = min(most, SMALL_SETS)
    return replace(suda(data, keys, max_size=most).summary, categories=())


def _log_linear(fitted: PopulationEstimates) -> EstimatorResult:
    def figure(one: Predicted) -> PopulationFigure:
        return PopulationFigure(value=one.value, low=one.low, high=one.high)

    return EstimatorResult(
        estimator="log-linear",
        population_uniques=figure(fitted.tau1),
        unique_matches=figure(fitted.tau2),
        matches=figure(fitted.expected_matches),
        valid=fitted.acceptable,
        reason="" if fitted.acceptable else NO_FIT,
    )


def _by_sizes(known: SuperPopulation) -> Iterator[EstimatorResult]:
    for one in known.estimates:
        if one.estimator != BENEDETTI:
            yield EstimatorResult(
                estimator=one.estimator,
                population_uniques=_figure(one.sample_uniques),
                valid=one.sample_uniques is not None,
                reason=one.reason,
            )


def _figure(value: float | None) -> PopulationFigure | None:
    return None if value is None else PopulationFigure(value=value)


def _intrusion(sizes: Ints, fraction: float) -> EstimatorResult:
    """By data intrusion simulation: uniques times the probability that a match is right."""
    alone, pairs = int((sizes == 1).sum()), int((sizes == 2).sum())
    return EstimatorResult(
        estimator="dis",
        unique_matches=PopulationFigure(value=alone * file_level(alone, pairs, fraction)),
        valid=pairs > 0 or not alone,
        reason="" if pairs or not alone else NO_PAIRS,
    )


def _individual(prepared: PreparedKeys, risk: PopulationRisk) -> EstimatorResult:
    """By the individual risk of Benedetti and Franconi."""
    data, weight = prepared.data, prepared.weight or ""
    weights, classes = weights_of(data, weight), classes_of(data, prepared.columns)
    alone = classes.members[classes.starts[np.flatnonzero(classes.sizes == 1)]]
    inverse: Floats = expected_inverse(np.ones(len(alone), np.int64), 1 / weights[alone])
    equal = bool(weights.max() <= weights.min() * (1 + 1e-9))
    return EstimatorResult(
        estimator="benedetti-franconi",
        population_uniques=PopulationFigure(value=risk.population_uniques),
        unique_matches=PopulationFigure(value=float(np.sort(inverse).sum())),
        matches=PopulationFigure(value=risk.expected),
        valid=not equal,
        reason=EQUAL_WEIGHTS if equal else "",
    )
