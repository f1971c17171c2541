"""Probabilistic record linkage."""

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, AuditedFiles, LinkageFiles, Matching
from unveil.attacks.comparators.comparison import TextComparison, check_comparisons
from unveil.attacks.distance.attribute_costs import nothing_to_compare
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.probabilistic.answers import AnswerTable
from unveil.attacks.probabilistic.comparisons import (
    AttributeComparison,
    compare_attributes,
    drop_redundant,
)
from unveil.attacks.probabilistic.decision_rule import ErrorLimits
from unveil.attacks.probabilistic.dependence import Dependence
from unveil.attacks.probabilistic.dependent_search import DependentSearch, pattern_weights
from unveil.attacks.probabilistic.estimation import estimate_pairs
from unveil.attacks.probabilistic.estimation_work import estimation_seconds
from unveil.attacks.probabilistic.fellegi_sunter import EstimationRules, FellegiSunterModel
from unveil.attacks.probabilistic.match_weights import weight_metric
from unveil.attacks.probabilistic.pair_classes import DependentModel, SlotPatterns
from unveil.attacks.probabilistic.pair_counts import CountedPairs
from unveil.attacks.probabilistic.pair_decisions import ComparedPairs
from unveil.errors import SchemaError, SpecError
from unveil.support.arrays import Floats
from unveil.support.work import search_seconds
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.links import Finder
from unveil.wording import listing

MOST_CODES = 2000  # categories of an attribute whose difference may be evidence for a match
PATTERN_BYTES = 300 * 2**20  # of the table of agreement patterns

Share = Annotated[float, Meta(gt=0, lt=1)]


class Probabilistic(Attack, frozen=True, kw_only=True):
    """Probabilistic record linkage (PRL): link each record to the row of the highest match weight.

    It learns from the two files how much evidence agreement in each attribute is. The intruder
    needs no knowledge of the masking.

    Fellegi and Sunter, A theory for record linkage (1969), on comparison levels: cells are
    equal, nearly equal, or different. The probabilities of each level among matches (m) and other
    pairs (u) are estimated by EM, without the truth. m / u may not rise from agreement to
    disagreement: without this constraint EM may find another division of the pairs than that into
    matches and others. A missing attribute has weight 0.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.Pram(theta=0.3)], seed=7)
    >>> intruder = unveil.Intruder(knows=["region", "sex", "education", "occupation"])
    >>> links = unveil.attack(sample, release, Probabilistic(), intruder=intruder)
    >>> links.finder.details["converged"]
    True
    """

    tolerances: Annotated[
        dict[str, tuple[float, ...]] | None,
        Meta(
            description="The largest gaps of an attribute's levels. They ascend, in its unit or in "
            "places of ordinal categories; 0 is equality. By default equality and 0.05, 0.2 and "
            "0.5 deviations of the release, or one place and two."
        ),
    ] = None
    comparisons: Annotated[
        dict[str, TextComparison] | None,
        Meta(
            description="Comparators of text, dates and codes. For each column `by` (jaro-winkler, "
            "damerau-levenshtein, tokens, soundex, prefix, parts or days) and its `levels`; "
            "docs/text.md explains them."
        ),
    ] = None
    agreement: Annotated[
        Share | None,
        Meta(
            description="The share of the range up to which numbers agree. It is the only level "
            "of numbers without tolerances; weights are prorated over the whole range."
        ),
    ] = None
    prorated: Annotated[
        bool, Meta(description="Prorate the weights of numbers between tolerances.")
    ] = True
    constrained: Annotated[
        bool,
        Meta(
            description="Keep m / u from rising with disagreement. Can be dropped, as published "
            "programs do, if all attributes are compared by equality."
        ),
    ] = True
    prior: Annotated[
        Literal["fixed", "estimated"] | Share,
        Meta(
            description="The share of matches among the pairs. One for each record of the smaller "
            "file (fixed), estimated, or a number."
        ),
    ] = "fixed"
    u: Annotated[
        Literal["counted", "estimated"], Meta(description="Count u over all pairs, or estimate it.")
    ] = "counted"
    dependence: Annotated[
        Dependence,
        Meta(
            description="How attributes depend on each other. Not at all (none), by interactions "
            "of two (log-linear), by classes of non-matches (latent), or by the model of least BIC "
            "(chosen). u is then estimated. For categories: of numbers alone, EM takes similar "
            "people for matches."
        ),
    ] = "none"
    smoothing: Annotated[
        float,
        Meta(
            ge=0,
            le=1e6,
            description="Matches added to those found. They are distributed over the levels as all "
            "pairs are, which bounds the weights of levels without matches.",
        ),
    ] = 1.0
    iterations: Annotated[
        int, Meta(ge=1, le=1_000_000, description="The largest number of EM steps.")
    ] = 1000
    tolerance: Annotated[
        float, Meta(gt=0, lt=1, description="Change of a probability at convergence.")
    ] = 1e-5
    p_link_unmatched: Annotated[
        Share | None,
        Meta(
            description="P(LP|U): other pairs that may be linked. With p_nonlink_matched, pairs "
            "are classified as linked, clerical and non-linked."
        ),
    ] = None
    p_nonlink_matched: Annotated[
        Share | None, Meta(description="P(NP|M): matches that may stay unlinked.")
    ] = None
    answers: Annotated[
        Any,
        Meta(
            description="Answers of a clerical review. The path of its table, a frame or "
            "Microdata; weights are estimated with these pairs as known."
        ),
    ] = None
    sampled: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Records sampled for the estimates. Up to 10^8 pairs all are used.",
        ),
    ] = 2000

    scores_every_pair: ClassVar[bool] = True
    costly_to_repeat: ClassVar[bool] = True
    classifies_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for column, ends in (self.tolerances or {}).items():
            values = np.array(ends)
            within = (values >= 0) & (values <= LARGEST_SQUARABLE)
            if not len(ends) or not within.all() or (np.diff(values) <= 0).any():
                raise SpecError(
                    f"probabilistic: tolerances: of '{column}', one number or several that ascend, "
                    "from 0 to 1e150"
                )
        check_comparisons(self.name, self.comparisons)
        if both := {*(self.tolerances or {})} & {*(self.comparisons or {})}:
            raise SpecError(
                f"probabilistic: column '{min(both)}' has tolerances and a comparison; give one"
            )
        if (self.p_link_unmatched is None) != (self.p_nonlink_matched is None):
            raise SpecError(
                "probabilistic: p_link_unmatched and p_nonlink_matched go together: each threshold "
                "needs its own"
            )
        if self.answers is not None and self.dependence != "none":
            raise SpecError(
                "probabilistic: answers of a review are used by the model without dependence; "
                "leave out answers or dependence"
            )

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:
        """The attack with the table of answers read."""
        if self.answers is None:
            return self
        name = str(self.answers) if isinstance(self.answers, str | os.PathLike) else ""
        table = AnswerTable(name, read(self.answers))
        return msgspec.structs.replace(self, answers=table)

    @property
    def compared_as_written(self) -> tuple[str, ...]:
        return tuple(self.comparisons or ())

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """Agreement is of single values."""
        single = pair.plain()
        return tuple(name for name in known if name in single)

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """Once, if any attribute has single values."""
        return (cls(),) if cls().comparable(audited.pair, audited.known) else ()

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """The linkage, and the estimates: numbers have many patterns of agreement to weigh."""
        decides = self.p_link_unmatched is not None
        weighing = estimation_seconds(
            self.dependence, candidates, width, numeric=numeric, decides=decides
        )
        counted = min(self.sampled, candidates)  # records whose pairs are counted
        weighing += search_seconds(counted, candidates, width, numeric=numeric, exact=True)
        return super().work(records, candidates, width, numeric=numeric) + weighing

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """The search, and the table of patterns."""
        patterns = PATTERN_BYTES * (1 if self.dependence == "none" else 3)
        return super().memory(records, candidates, width, matching) + patterns

    def finder(self, files: LinkageFiles) -> Finder:
        """Estimate the match weights, and prepare the linkage of two files."""
        comparisons, dropped = drop_redundant(
            compare_attributes(files, self.tolerances or {}, self.agreement, self.comparisons)
        )
        if not comparisons:
            raise nothing_to_compare()
        self._check_order(comparisons)
        estimated = estimate_pairs(self, ComparedPairs(files, comparisons))
        model, decisions = estimated.model, estimated.decisions(self._limits)
        details = self._details(comparisons, estimated.counted, model)
        if decisions is not None:
            details["thresholds"] = decisions.thresholds
        details["dropped"] = dropped
        if estimated.dependence is not None:
            details["dependence"] = estimated.dependence
        weights = model.by_attribute(model.weights())
        metric = weight_metric(comparisons, weights, prorate=self.prorated)
        search = NearestSearch(
            files,
            as_records(np.column_stack([one.intruder for one in comparisons])),
            as_records(np.column_stack([one.released for one in comparisons])),
            metric.reversed if files.reverse else metric,
            tuple(one.column for one in comparisons),
            margins="likelihood",
            details=details,
            pair_decisions=decisions,
        )
        if not isinstance(model, DependentModel):
            return search
        plain = weight_metric(comparisons, weights, prorate=False)
        everything = not estimated.counted.sampled and not files.links_strangers
        seen = SlotPatterns.decode(estimated.counted.patterns).slots if everything else None
        corrections = pattern_weights(model.classes, comparisons, (metric, plain), seen)
        return DependentSearch(search, corrections, search.details)

    @property
    def rules(self) -> EstimationRules:
        """How the parameters are estimated."""
        return EstimationRules(
            constrained=self.constrained,
            estimate_prior=self.prior == "estimated",
            estimate_u=self.u == "estimated",
            smoothing=self.smoothing,
            iterations=self.iterations,
            tolerance=self.tolerance,
        )

    @property
    def _limits(self) -> ErrorLimits | None:
        if self.p_link_unmatched is None or self.p_nonlink_matched is None:
            return None
        return ErrorLimits(self.p_link_unmatched, self.p_nonlink_matched)

    def _check_order(self, comparisons: Sequence[AttributeComparison]) -> None:
        if self.constrained:
            return
        graded = [one.column for one in comparisons if not one.equality]
        if graded:
            raise SpecError(
                "probabilistic: constrained = false needs attributes compared by equality; more "
                f"levels: {listing(graded)}; give the tolerances [0], or leave out constrained"
            )
        wide = [
            one.column
            for one in comparisons
            if one.kind == "numbers"
            or np.fmax.reduce(np.concatenate([one.intruder, one.released])) >= MOST_CODES
        ]
        if wide:
            raise SchemaError(
                "probabilistic: constrained: without the order constraint only categories are "
                f"compared, at most {MOST_CODES:,} of an attribute: leave out {listing(wide)}"
            )

    def _details(
        self,
        comparisons: Sequence[AttributeComparison],
        counted: CountedPairs,
        model: FellegiSunterModel,
    ) -> dict[str, Any]:
        """The estimates, as plain values in splink's terms."""
        m, u, weights = map(model.by_attribute, (model.m, model.u, model.weights()))
        return {
            "prior": model.prior,
            "converged": model.converged,
            "iterations": len(model.path) - 1,
            "log_likelihood": model.path,
            "counted": counted.description,
            "greatest_match_weight": float(sum(map(np.max, weights)) / np.log(2)),
            "comparisons": [
                {"output_column_name": one.column, "comparison_levels": _levels(one, *own)}
                for one, *own in zip(comparisons, m, u, weights, strict=True)
            ],
        }


def _levels(
    one: AttributeComparison, m: Floats, u: Floats, weights: Floats
) -> list[dict[str, Any]]:
    return [
        {
            "label_for_charts": label,
            "m_probability": float(matched),
            "u_probability": float(unmatched),
            "match_weight": float(weight / np.log(2)),
            "bayes_factor": float(np.exp(weight)),
        }
        for label, matched, unmatched, weight in zip(one.labels, m, u, weights, strict=True)
    ]
