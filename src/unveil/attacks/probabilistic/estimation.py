"""The model of all pairs of two files: counted patterns, EM with or without dependence, answers."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.attacks.probabilistic.answers import AnsweredPairs
from unveil.attacks.probabilistic.decision_rule import ErrorLimits
from unveil.attacks.probabilistic.dependence import DependenceChoice
from unveil.attacks.probabilistic.fellegi_sunter import (
    EstimationRules,
    FellegiSunterModel,
    LabelledPairs,
    estimate,
)
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.attacks.probabilistic.pair_classes import DependentModel, SlotPatterns, fit
from unveil.attacks.probabilistic.pair_counts import CountedPairs, count_comparisons, level_shares
from unveil.attacks.probabilistic.pair_decisions import ComparedPairs, FellegiSunterDecisions

if TYPE_CHECKING:
    from unveil.attacks.probabilistic.attack import Probabilistic

MOST_PRIOR = 0.5
REFIT_STEPS = 100  # of EM with dependence, from a model that is near


@dataclass(frozen=True, repr=False, eq=False)
class EstimatedPairs:
    """The estimated model of two files, with the counts that it was estimated from."""

    compared: ComparedPairs
    counted: CountedPairs
    rules: EstimationRules
    prior: float  # or its start
    model: FellegiSunterModel
    answered: AnsweredPairs | None
    labelled: LabelledPairs | None
    dependence: dict[str, Any] | None  # how the model was chosen

    def refit(
        self, patterns: LevelPatterns, start: FellegiSunterModel | None
    ) -> FellegiSunterModel:
        """The same kind of model, estimated from other counts."""
        u = level_shares(patterns.totals(), patterns.first)
        if isinstance(self.model, DependentModel):
            spread = np.split(u, patterns.first[1:-1])
            rules = replace(self.rules, iterations=min(self.rules.iterations, REFIT_STEPS))
            classes = fit(SlotPatterns.decode(patterns), self.model.classes, spread, rules)
            return classes.by_attribute(patterns.first)
        return estimate(patterns, u, self.prior, self.rules, labelled=self.labelled, start=start)

    def decisions(self, limits: ErrorLimits | None) -> FellegiSunterDecisions | None:
        """The decisions on pairs, if error rates are given and the pairs are those of the files."""
        if limits is None or self.compared.files.links_strangers:
            return None
        parts = (self.compared, self.counted, self.model, self.refit, limits)
        return FellegiSunterDecisions(*parts, self.answered, self.labelled)


def estimate_pairs(spec: Probabilistic, compared: ComparedPairs) -> EstimatedPairs:
    """Count the pairs of two files by their patterns, and estimate the model."""
    files = compared.files
    counted = count_comparisons(files, compared.comparisons, spec.sampled)
    matches = min(len(files.reference), len(files.release))
    one_each = min(matches / max(counted.pairs, 1), MOST_PRIOR)
    prior = one_each if isinstance(spec.prior, str) else spec.prior
    answered = labelled = dependence = None
    if spec.answers is not None:
        answered = spec.answers.pairs(files, one_each=spec.matching != "nearest")
        labelled = compared.label(answered, counted=not counted.sampled)
    model = estimate(counted.patterns, counted.u, prior, spec.rules, labelled=labelled)
    if spec.dependence != "none":
        columns = tuple(one.column for one in compared.comparisons)
        parts = (counted.patterns, model, counted.u, matches, spec.rules, columns)
        classes, dependence = DependenceChoice(*parts).fit(spec.dependence, counted.pairs_each)
        if classes is not None:
            model = classes.by_attribute(counted.patterns.first)
    if not model.converged:
        logging.getLogger("unveil").warning(
            "probabilistic: EM has not converged in %d steps; allow more iterations, or a larger "
            "tolerance",
            spec.iterations,
        )
    return EstimatedPairs(
        compared, counted, spec.rules, prior, model, answered, labelled, dependence
    )
