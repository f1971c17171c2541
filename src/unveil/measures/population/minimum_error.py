"""The minimum-error criterion and the choice of a log-linear model by it.

Skinner and Shlomo, Assessing identification risk in survey microdata using log-linear models
(2008), section 3: a model with too few terms overstates tau1 and tau2. The overstatement is
estimated by an expansion in the difference of lambda and its estimate, where (f - mu) / pi stands
for the difference and ((f - mu)^2 - f) / pi^2 for its square. The sums run over all possible cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from unveil.measures.population.grid import Term
from unveil.measures.population.kernels import cells as kernels
from unveil.measures.population.key_table import KeyTable
from unveil.measures.population.log_linear import (
    LogLinear,
    Target,
    independence,
    shrunk_target,
    term_deviance,
)
from unveil.support.arrays import Floats
from unveil.support.compile import prepare

NOISE = 1.96  # standard errors within which an estimated error is none
NEGLIGIBLE = 0.02  # of tau, or of a record: a smaller error is no reason for a further term


class EstimatedErrors(NamedTuple):
    """By how much a model overstates tau1 and tau2, and the standard errors of that."""

    tau: Floats
    bias: Floats
    error: Floats

    @property
    def acceptable(self) -> bool:
        """Whether neither is beyond noise and negligible parts."""
        negligible = NEGLIGIBLE * np.maximum(self.tau, 1.0)
        within = np.abs(self.bias) <= np.maximum(NOISE * self.error, negligible)
        return bool(within.all())


@dataclass
class ModelPath:
    """The models that were tried, the last of which is chosen."""

    model: LogLinear
    errors: EstimatedErrors
    steps: list[tuple[Term | None, EstimatedErrors]] = field(default_factory=list)
    failed: list[Term] = field(default_factory=list)  # with which the fit did not converge


def unseen_people(table: KeyTable, model: LogLinear) -> Floats:
    """The expected number of people outside the sample in each cell that occurs."""
    people = np.maximum(model.fitted[table.cells], 0.0) / table.fraction
    unseen: Floats = people * (1 - table.share)
    return unseen


def estimated_errors(table: KeyTable, model: LogLinear) -> EstimatedErrors:
    """The criterion of a model; B1, B2 and their standard errors if the model is true.

    Cells that do not occur are taken to be sampled at the overall rate.
    """
    prepare("population models", _rehearse)
    alone = unseen_people(table, model)[table.records == 1]
    inverse = np.divide(-np.expm1(-alone), alone, out=np.ones_like(alone), where=alone > 0)
    tau = np.array([np.exp(-alone).sum(), inverse.sum()])
    none, rate = np.zeros(1), np.array([table.fraction])
    total, empty, occurring = (np.zeros((2, 2)) for _ in range(3))
    kernels.add_errors(model.fitted, none, rate, total)
    here = model.fitted[table.cells]
    kernels.add_errors(here, none, rate, empty)
    own = here / table.fraction * table.share
    kernels.add_errors(own, table.records, table.share, occurring)
    bias, variance = (total - empty + occurring).T
    return EstimatedErrors(tau, bias, (np.maximum(variance, 0) * table.effect) ** 0.5)


def choose(table: KeyTable) -> ModelPath:
    """Add terms to the independent columns until the criterion is within its noise.

    The term that the model misses by most comes first: pairs, then triples of pairs that are in.
    Terms are shrunk; one without any surplus over noise is left out.
    """
    model = independence(table)
    path = ModelPath(model, estimated_errors(table, model))
    path.steps.append((None, path.errors))
    columns = range(len(table.grid.shape))
    pairs = list(combinations(columns, 2))
    _add_terms(table, path, pairs)
    taken = {pair for pair in pairs if any(set(pair) <= set(one) for one in path.model.terms)}
    triples = [one for one in combinations(columns, 3) if set(combinations(one, 2)) <= taken]
    _add_terms(table, path, triples)
    return path


def _add_terms(table: KeyTable, path: ModelPath, candidates: Sequence[Term]) -> None:
    waiting = list(candidates)
    while waiting and not path.errors.acceptable:
        margins = table.grid.margins(path.model.fitted, waiting)
        missed = {term: term_deviance(table, term, margins[term]) for term in waiting}
        term = max(waiting, key=lambda one: missed[one])
        waiting.remove(term)
        target = shrunk_target(table, term, margins[term])
        if target is not None:
            _extend(table, path, term, target)


def _extend(table: KeyTable, path: ModelPath, term: Term, target: Target) -> None:
    """Take a term into the model, unless the fit does not converge with it."""
    model = path.model.with_term(table, term, target)
    if not model.converged:
        path.failed.append(term)
        return
    path.model, path.errors = model, estimated_errors(table, model)
    path.steps.append((term, path.errors))


def given_terms(table: KeyTable, terms: Sequence[Term]) -> ModelPath:
    """The model of given terms by maximum likelihood, added one by one in their order."""
    model = independence(table)
    path = ModelPath(model, estimated_errors(table, model))
    path.steps.append((None, path.errors))
    for term in terms:
        _extend(table, path, term, Target(table.observed(term)))
    return path


def all_pairs(columns: int) -> Iterator[Term]:
    """All two-way terms."""
    return combinations(range(columns), 2)


def _rehearse() -> None:
    places, cells = np.zeros(1, np.int64), np.ones(1)
    kernels.add_margin(cells, places, places, np.zeros(1))
    kernels.multiply(cells, places, places, np.ones(1))
    kernels.add_product(cells, cells, places, places, np.zeros(1))
    kernels.add_to_cells(cells, places, places, np.zeros(1))
    kernels.add_errors(cells, cells, cells, np.zeros((2, 2)))
