"""Decisions on all pairs of two files by their match weights: classes, error rates, lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.probabilistic.answers import AnsweredPairs
from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.decision_rule import (
    CLERICAL,
    LINKED,
    NONLINKED,
    ROUNDING,
    DecisionRule,
    ErrorLimits,
    WeighedPatterns,
    decision_rule,
    match_probability,
)
from unveil.attacks.probabilistic.error_intervals import (
    CONFIDENCE,
    Rate,
    class_sums,
    error_rates,
    interval,
    simulated_errors,
)
from unveil.attacks.probabilistic.fellegi_sunter import FellegiSunterModel, LabelledPairs
from unveil.attacks.probabilistic.level_counts import count_pairs, pair_batches, pair_patterns
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.attacks.probabilistic.pair_counts import CountedPairs
from unveil.engines.code_pairs import CodePairs
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.values.pair_decisions import ClassifiedPairs
from unveil.values.results.pair_classes import (
    PAIR_CLASSES,
    ClassCount,
    DecisionError,
    PairClasses,
    WeightBin,
    WeightStep,
)

BITS = float(np.log(2))
MOST_BINS = 60  # of the distribution of match weights
Estimate = Callable[[LevelPatterns, FellegiSunterModel | None], FellegiSunterModel]


@dataclass(frozen=True, repr=False, eq=False)
class ComparedPairs:
    """Two files, and how pairs of their rows are compared."""

    files: LinkageFiles
    comparisons: Sequence[AttributeComparison]

    @cached_property
    def cells(self) -> tuple[Floats, Floats]:
        """The reference records and the released rows as numbers."""
        reference = np.column_stack([one.reference for one in self.comparisons])
        return reference, np.column_stack([one.released for one in self.comparisons])

    @cached_property
    def tolerances(self) -> list[tuple[float, ...]]:
        """Of each attribute."""
        return [one.tolerances for one in self.comparisons]

    @cached_property
    def gaps(self) -> list[CodePairs | None]:
        """Of each attribute, the listed pairs of codes."""
        return [one.pairs for one in self.comparisons]

    def patterns(self, rows: Ints) -> tuple[LevelPatterns, Ints]:
        """The patterns of pairs of rows, and the place of each pair's pattern."""
        return pair_patterns(*self.cells, self.tolerances, rows, self.gaps)

    def label(self, answered: AnsweredPairs, *, counted: bool) -> LabelledPairs:
        """The answered pairs by their patterns."""
        yes, no = (
            count_pairs(*self.cells, self.tolerances, rows, np.ones(len(rows)), self.gaps)
            for rows in (answered.rows[answered.match], answered.rows[~answered.match])
        )
        return LabelledPairs(yes, no, counted)

    def weigh(self, rows: Ints, model: FellegiSunterModel) -> Floats:
        """The match weight of each pair of rows, in nats."""
        patterns, places = self.patterns(rows)
        return model.weigh(patterns)[places]


@dataclass(frozen=True, repr=False, eq=False)
class FellegiSunterDecisions:
    """The decisions of an estimated model (`unveil.values.pair_decisions.PairDecider`)."""

    compared: ComparedPairs
    counted: CountedPairs
    model: FellegiSunterModel
    estimate: Estimate  # the model of other counts, from a start
    limits: ErrorLimits
    answered: AnsweredPairs | None
    labelled: LabelledPairs | None

    @cached_property
    def weighed(self) -> WeighedPatterns:
        """The counted patterns."""
        return self._weigh(self.counted.patterns, self.model)

    @cached_property
    def rule(self) -> DecisionRule:
        """The rule that keeps both limits."""
        return decision_rule(self.weighed, self.limits)

    def _weigh(self, patterns: LevelPatterns, model: FellegiSunterModel) -> WeighedPatterns:
        return WeighedPatterns.of(model.weigh(patterns), patterns.counts, model.logit)

    @property
    def thresholds(self) -> dict[str, Any]:
        """The thresholds in bits and the pairs of each class by weight, as plain values."""
        return self.rule.details(self.weighed, self.counted.pairs_each)

    def classes(self) -> PairClasses:
        """All pairs by class, with the error rates."""
        pairs, matches = class_sums(self.rule, self.weighed) * self.counted.pairs_each
        answered_expected = self._move_answered(pairs, matches)
        right, separated = self._true_matches()
        details = self.thresholds
        differences = self._simulated()
        return PairClasses(
            link_threshold=details["link_threshold"],
            nonlink_threshold=details["nonlink_threshold"],
            classes=tuple(
                ClassCount(
                    name=name,
                    pairs=round(float(pairs[place])),
                    expected=float(matches[place]),
                    right=None if right is None else int(right[place]),
                )
                for place, name in enumerate(PAIR_CLASSES)
            ),
            errors=self._errors(pairs, matches, right, differences),
            confidence=CONFIDENCE,
            simulations=0 if differences is None else len(differences),
            converged=self.model.converged,
            sampled=self.counted.sampled > 0,
            possible=min(map(len, self.compared.cells)),
            separated=separated,
            answered=0 if self.answered is None else len(self.answered),
            answered_yes=0 if self.answered is None else int(self.answered.match.sum()),
            answered_expected=answered_expected,
            weights=tuple(self._bins()),
            example=self._example(),
        )

    def _move_answered(self, pairs: Floats, matches: Floats) -> float:
        """Count answered pairs as linked or non-linked; the matches expected among them."""
        total = 0.0
        if self.labelled is None:
            return total
        kinds = ((self.labelled.matches, LINKED), (self.labelled.others, NONLINKED))
        for patterns, known in kinds:
            if len(patterns):
                own, expected = class_sums(self.rule, self._weigh(patterns, self.model))
                total += float(expected.sum())
                pairs -= own
                matches -= expected
                pairs[known] += patterns.pairs
                matches[known] += patterns.pairs if known == LINKED else 0.0
        np.maximum(matches, 0.0, out=matches)
        return total

    def _true_matches(self) -> tuple[Ints | None, int | None]:
        """The matches of each class by the truth, and those that blocks separate."""
        truth = self.compared.files.truth
        if truth is None:
            return None, None
        rows = np.column_stack([truth.records, truth.rows])
        there = self.compared.files.blocks.between.compares(*rows.T)
        found = self._classify(rows[there]).classes
        return np.bincount(found, minlength=3), int((~there).sum())

    def _errors(
        self, pairs: Floats, matches: Floats, right: Ints | None, differences: Floats | None
    ) -> tuple[DecisionError, ...]:
        true: tuple[Rate | None, ...] = (None, None)
        if right is not None:
            true = error_rates(pairs, right.astype(np.float64))
        found = []
        for place, (name, rate, decided) in enumerate(
            zip(
                ("P(LP|U)", "P(NP|M)"),
                error_rates(pairs, matches),
                (pairs[LINKED], pairs[NONLINKED]),
                strict=True,
            )
        ):
            low = high = None
            if differences is not None:
                low, high = interval(rate, differences[:, place]) if decided else (0.0, 0.0)
            known = true[place]
            found.append(
                DecisionError(
                    name=name,  # type: ignore[arg-type]
                    allowed=self.limits[place],
                    estimate=rate.share,
                    low=low,
                    high=high,
                    found=None if known is None else known.share,
                )
            )
        return tuple(found)

    def _simulated(self) -> Floats | None:
        """None before EM has converged: each estimate of a simulation would take further steps."""
        if not self.model.converged:
            return None
        rng = stream(self.compared.files.seed, "probabilistic", "decisions")

        def refit(patterns: LevelPatterns) -> WeighedPatterns:
            return self._weigh(patterns, self.estimate(patterns, self.model))

        return simulated_errors(self.counted.patterns, self.weighed, self.limits, refit, rng)

    def _bins(self) -> Iterator[WeightBin]:
        """The distribution of match weights, by whole bits."""
        weights = self.weighed.weights / BITS
        low, high = floor(weights.min()), floor(weights.max()) + 1
        width = ceil((high - low) / MOST_BINS)
        place = ((weights - low) // width).astype(np.int64)
        each = self.counted.pairs_each
        parts = self.weighed.pairs, self.weighed.matches
        pairs, matches = (np.bincount(place, part) * each for part in parts)
        for number in range(len(pairs)):
            start = float(low + number * width)
            yield WeightBin(
                low=start,
                high=start + width,
                pairs=float(pairs[number]),
                expected=float(matches[number]),
            )

    def _example(self) -> tuple[WeightStep, ...]:
        """The pattern of the most expected matches to review, else the lightest that is linked."""
        classes, weights = self.rule.classes(self.weighed.weights), self.weighed.weights
        score = np.where(classes == CLERICAL, self.weighed.matches, -1.0)
        if not (classes == CLERICAL).any():
            score = np.where(classes == LINKED, -weights, -np.inf)
        return self._steps(self.counted.patterns, int(np.argmax(score)))

    def steps(self, record: int, row: int) -> tuple[WeightStep, ...]:
        """The parts of one pair's match weight."""
        patterns, _ = self.compared.patterns(np.array([[record, row]]))
        return self._steps(patterns, 0)

    def _steps(self, patterns: LevelPatterns, place: int) -> tuple[WeightStep, ...]:
        steps = [WeightStep(part="prior", level="", weight=self.model.logit / BITS)]
        by_attribute = self.model.by_attribute(self.model.weights())
        levels = patterns.levels(place).tolist()
        for one, weights, level in zip(
            self.compared.comparisons, by_attribute, levels, strict=True
        ):
            label = "missing" if level < 0 else one.labels[level]
            weight = 0.0 if level < 0 else float(weights[level])
            steps.append(WeightStep(part=one.column, level=label, weight=weight / BITS))
        rest = float(self.model.weigh(patterns)[place]) / BITS - sum(s.weight for s in steps[1:])
        if abs(rest) > ROUNDING:  # a model whose attributes depend on each other
            steps.append(WeightStep(part="dependence", level="", weight=rest))
        return tuple(steps)

    @property
    def pairs(self) -> int:
        """The number of compared pairs."""
        return self.counted.pairs

    def listed(self, wanted: Collection[int]) -> Iterator[ClassifiedPairs]:
        """The pairs of these classes, some at a time; every pair is weighed."""
        between = self.compared.files.blocks.between
        blocks = between.comparison_blocks(np.arange(len(self.compared.cells[0])))
        for batch in pair_batches(blocks):
            rows = np.concatenate(
                [
                    np.column_stack([np.repeat(own, len(others)), np.tile(others, len(own))])
                    for own, others in batch
                ]
            )
            found = self._classify(rows)
            yield found.take(np.isin(found.classes, list(wanted)))

    def _classify(self, rows: Ints) -> ClassifiedPairs:
        """An answer decides; without one, the match weight."""
        weights = self.compared.weigh(rows, self.model)
        classes, chance = self.rule.classes(weights), match_probability(weights, self.model.logit)
        known = np.zeros(len(rows), np.bool_)
        if self.answered is not None:
            known, yes = self.answered.find(rows, len(self.compared.cells[1]))
            classes = np.where(known, np.where(yes, LINKED, NONLINKED), classes)
            chance = np.where(known, yes, chance)
        return ClassifiedPairs(rows[:, 0], rows[:, 1], weights / BITS, chance, classes)
