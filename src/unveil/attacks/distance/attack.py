"""Distance-based record linkage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import (
    Aggregation,
    Attack,
    AuditedFiles,
    LinkageFiles,
    MaskKnowledge,
    Matching,
    Weights,
)
from unveil.attacks.comparators.comparison import TextComparison, check_comparisons
from unveil.attacks.distance.attribute_costs import (
    CostRule,
    Distances,
    Scaling,
    compare_by_table,
    compare_categories,
    compare_numbers,
    mean_and_deviation,
    nothing_to_compare,
    scaled,
    standardised,
    warn_constant,
)
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.attacks.distance.mixed_levels import compare_mixed, has_order
from unveil.attacks.distance.numeric_metrics import Covariance, covariance_of, polynomial
from unveil.attacks.distance.text_costs import compare_text
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.engines.metric import Metric, euclid, whitened
from unveil.engines.records import Records
from unveil.errors import SchemaError, SpecError
from unveil.table.encoding.shared_attributes import common_level, has_mixed_levels
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.links import Finder
from unveil.wording import absent_column, listing


class Distance(Attack, frozen=True, kw_only=True):
    """Distance-based record linkage (DBRL): link each record to the nearest released row.

    The differences in all attributes are added, each relative to how much people differ in it.
    The intruder needs no knowledge of the masking.

    Numbers are standardised. Ordinal and nominal attributes have the distance of Domingo-Ferrer
    and Torra, Validating distance-based record linkage with probabilistic record linkage (2002). A
    generalised cell is as far as the nearest value that it contains. A category in one file is as
    far from a number in the other as, on average, from the categories in the number's place. The
    metrics are those of Torra, Record linkage approaches for dynamic database integration (2013),
    Section 2.6: Euclid, weighted, Mahalanobis, Choquet. A missing attribute has its expected cost.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.1, columns=["income", "rent"])
    >>> links = unveil.attack(
    ...     sample,
    ...     unveil.mask(sample, [noise], seed=7),
    ...     Distance(),
    ...     intruder=unveil.Intruder(knows=["income", "rent"]),
    ... )
    >>> unveil.measures.risk(links).n
    500
    """

    metric: Annotated[
        Literal["euclid", "mahalanobis", "manhattan", "chebyshev", "polynomial"],
        Meta(description="How the distances of the attributes are combined."),
    ] = "euclid"
    scale: Annotated[
        Scaling | None,
        Meta(
            description="The file whose mean and deviation standardise numbers. By default each "
            "file's own, but the release's for an intruder with few records."
        ),
    ] = None
    weights: Weights = None
    covariance: Annotated[
        Covariance | None,
        Meta(
            description="Mahalanobis: the covariance. From both files' moments, of the original, "
            "of the release, their sum, or of the true pairs, which no intruder has. By default "
            "moments; release for an intruder with few records."
        ),
    ] = None
    groups: Annotated[
        tuple[Annotated[tuple[str, ...], Meta(min_length=1)], ...] | None,
        Meta(description="Mahalanobis by moments: attributes that were masked together."),
    ] = None
    degree: Annotated[
        Annotated[int, Meta(ge=1, le=20)] | None,
        Meta(description="Polynomial: the degree of the kernel, 2 by default."),
    ] = None
    aggregation: Aggregation = None
    inclusive: Annotated[
        bool, Meta(description="Count ordinal places with both ends, as in the paper.")
    ] = False
    tables: Annotated[
        dict[str, Distances] | None,
        Meta(description="The user's own distances between an attribute's categories."),
    ] = None
    comparisons: Annotated[
        dict[str, TextComparison] | None,
        Meta(
            description="Comparators of text, dates and codes. A distance is 1 - similarity where "
            "the last level is reached, else 1. docs/text.md explains them."
        ),
    ] = None
    cost: Annotated[
        Literal["squared", "distance"],
        Meta(description="One-to-one: the sum to minimise, of squared distances or of distances."),
    ] = "squared"
    exclude_impossible: Annotated[
        bool,
        Meta(
            description="Use the known masking: a pair that it cannot have made costs infinity. "
            "docs/knowing-the-mask.md explains it."
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_aggregation(self.aggregation)
        for column, given in (self.tables or {}).items():
            given.as_array(column)
        check_comparisons(self.name, self.comparisons)
        for column, comparison in (self.comparisons or {}).items():
            if column in (self.tables or {}):
                raise SpecError(f"distance: column '{column}' has a table and a comparison")
            if comparison.by == "days" and comparison.levels is not None:
                raise SpecError(
                    f"distance: comparisons: '{column}': days are standardised like numbers and "
                    "have no levels; leave out levels"
                )
        needs = {
            "covariance": ("mahalanobis",),
            "groups": ("mahalanobis",),
            "degree": ("polynomial",),
            "aggregation": ("euclid",),
            "scale": ("euclid", "manhattan", "chebyshev", "polynomial"),
            "weights": ("euclid", "manhattan", "chebyshev", "polynomial"),
            "tables": ("euclid", "manhattan", "chebyshev"),
            "comparisons": ("euclid", "manhattan", "chebyshev"),
        }
        for name, metrics in needs.items():
            if getattr(self, name) is not None and self.metric not in metrics:
                raise SpecError(
                    f"distance: {name} goes with metric {' or '.join(metrics)}, not {self.metric}"
                )
        if self.aggregation is not None and self.weights is not None:
            raise SpecError("distance: a fuzzy measure weighs the attributes: leave out weights")
        if self.inclusive and self.metric in ("mahalanobis", "polynomial"):
            raise SpecError(
                f"distance: inclusive applies to ordinal attributes, not to {self.metric}"
            )
        if self.groups is not None and self.covariance not in (None, "moments"):
            raise SpecError("distance: groups go with covariance 'moments'")
        if self.exclude_impossible and (
            self.metric in ("mahalanobis", "polynomial") or self.aggregation is not None
        ):
            raise SpecError(
                "distance: exclude_impossible goes with metric euclid, manhattan or chebyshev, and "
                "without aggregation"
            )
        squares = self.metric in ("euclid", "mahalanobis", "polynomial")
        if self.adds_roots and not (self.matching == "one-to-one" and squares):
            raise SpecError(
                "distance: cost 'distance' goes with matching one-to-one and metric euclid, "
                "mahalanobis or polynomial; other metrics have no squares"
            )

    @property
    def knows(self) -> MaskKnowledge | None:
        return "parameters" if self.exclude_impossible else None

    @property
    def adds_roots(self) -> bool:
        return self.cost == "distance"

    def check(self, intruder: Intruder, *, ordered_truth: bool) -> None:
        if intruder.channel is not False and not self.exclude_impossible:
            raise SpecError(
                "distance: this attack does not use the masking without exclude_impossible; set "
                "it, or leave out channel"
            )
        super().check(intruder, ordered_truth=ordered_truth)

    @property
    def compares_mixed_levels(self) -> bool:
        return self.metric not in ("mahalanobis", "polynomial")

    @property
    def compared_as_written(self) -> tuple[str, ...]:
        return tuple(self.comparisons or ())

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """Distances are listed, of all pairs."""
        listed = 8 * records * candidates if self.adds_roots else 0
        return super().memory(records, candidates, width, matching) + listed

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """Every attribute has a distance, mixed levels in an order; Mahalanobis' is of numbers."""
        if self.metric != "mahalanobis":
            files = pair.original, pair.release
            return tuple(
                name
                for name in known
                if not has_mixed_levels(*files, name) or has_order(*files, name, known)
            )
        numeric = pair.plain("numeric")
        return tuple(name for name in known if name in numeric)

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """Euclid's distance, by nearest rows and by posterior; Mahalanobis' of two numbers."""
        mahalanobis = cls(metric="mahalanobis")
        correlated = len(mahalanobis.comparable(audited.pair, audited.known)) > 1
        return (cls(), *([mahalanobis] if correlated else []), cls(matching="posterior"))

    def scalings(self, pair: FilePair) -> tuple[Attack, ...]:
        """Where the release lacks people, also the scaling of an intruder with few records."""
        given = (self.scale, self.covariance) != (None, None) or self.groups is not None
        if given or len(pair.original) == len(pair.release):
            return (self,)
        name = "covariance" if self.metric == "mahalanobis" else "scale"
        return self, msgspec.structs.replace(self, **{name: "release"})

    def finder(self, files: LinkageFiles) -> Finder:
        if self.metric in ("mahalanobis", "polynomial") or self.aggregation is not None:
            files = replace(files, form_columns={})  # which have no place for more attributes
        if self.metric == "mahalanobis":
            return self._mahalanobis(files)
        weights = self._weights_by_column(self.weights, files.columns).tolist()
        used = {name: w for name, w in zip(files.columns, weights, strict=True) if w > 0}
        if self.metric == "polynomial":
            return self._polynomial(files, used)
        forms = files.form_columns.items()
        used |= {name: used[about] for name, about in forms if about in used}
        for name in ("tables", "comparisons"):
            files.check_compared(f"distance: {name}", getattr(self, name) or ())
        parts = self.compare_attributes(files, used)
        if self.exclude_impossible:
            last = next(reversed(parts))
            from unveil.attacks.distance.impossible_pairs import impossible_pairs  # another attack

            parts[last] = parts[last].beside(impossible_pairs(files))
        metric = self._combine(parts)
        return NearestSearch(files, *side_by_side(parts), metric, tuple(parts))

    def compare_attributes(
        self, files: LinkageFiles, weights: dict[str, float]
    ) -> dict[str, ComparedAttribute]:
        """Each attribute in both files, and the cost of a gap; constant attributes are left out."""
        rule = CostRule(
            power=2 if self.metric == "euclid" else 1,
            scaling=self._scaling(files),
            inclusive=self.inclusive,
        )
        parts = {name: self._compare(files, name, rule, w) for name, w in weights.items()}
        if all(part is None for part in parts.values()):
            raise nothing_to_compare()
        if self.aggregation is not None:  # a fuzzy measure knows attributes by their position
            intruder, released = (np.zeros((len(data), 1)) for data in files.pair)
            constant = ComparedAttribute(intruder, released, (rule.gap(1.0),))
            return {name: part or constant for name, part in parts.items()}
        return {name: part for name, part in parts.items() if part is not None}

    def _scaling(self, files: LinkageFiles) -> Scaling:
        return self.scale or ("release" if _is_few(files) else "own")

    def _combine(self, parts: dict[str, ComparedAttribute]) -> Metric:
        """The metric: the sum of the costs of all attributes, the largest, or their integral."""
        costs = tuple(cost for part in parts.values() for cost in part.costs)
        root = self.metric == "euclid"
        if self.aggregation is None:
            largest = self.metric == "chebyshev"
            return Metric(costs, combine="largest" if largest else "sum", root=root)
        if len(costs) > len(parts):
            raise SchemaError(
                "distance: aggregation: a generalised number has two columns, which a fuzzy "
                "measure cannot weigh; leave it out, or leave out aggregation"
            )
        measure = self._measure_of(self.aggregation, tuple(parts))
        return Metric(costs, combine="choquet", root=root, measure=measure)

    def _compare(
        self, files: LinkageFiles, column: str, rule: CostRule, weight: float
    ) -> ComparedAttribute | None:
        comparison = (self.comparisons or {}).get(column)
        if comparison is not None:
            return compare_text(files, column, comparison, rule, weight)
        distances = (self.tables or {}).get(column)
        if distances is None and has_mixed_levels(*files.pair, column):
            return compare_mixed(files, column, rule, weight)
        level = common_level(*files.pair, column)
        if distances is not None:
            if level == "numeric" or files.generalised(column):
                raise SchemaError(
                    f"distance: tables: column '{column}' is not a plain attribute of categories"
                )
            costs = weight * distances.as_array(column) ** rule.power
            return compare_by_table(files, column, distances.categories, costs)
        if level == "numeric":
            return compare_numbers(files, column, rule, weight)
        return compare_categories(files, column, rule, weight, ordered=level == "ordinal")

    def _polynomial(self, files: LinkageFiles, weights: dict[str, float]) -> Finder:
        self._check_numbers(files, tuple(weights))
        pairs = {name: standardised(files, name, self._scaling(files)) for name in weights}
        kept = {name: pair for name, pair in pairs.items() if pair is not None}
        if not kept:
            raise nothing_to_compare()
        roots = np.sqrt([weights[name] for name in kept])
        intruder, released = (
            polynomial(as_records(np.column_stack(side) * roots), self.degree or 2)
            for side in zip(*kept.values(), strict=True)
        )
        return NearestSearch(files, intruder, released, euclid(), tuple(kept))

    def _mahalanobis(self, files: LinkageFiles) -> Finder:
        """Euclid's distance after the map that whitens the differences of true pairs."""
        self._check_numbers(files, files.columns)
        kind: Covariance = self.covariance or ("release" if _is_few(files) else "moments")
        sides = {}
        for column in files.columns:
            values = files.numbers(column)
            scale = mean_and_deviation(values[2])  # one for all files, against rounding errors
            if scale is None:
                warn_constant(files, column, "release")
                continue
            sides[column] = [scaled(column, side, scale) for side in values]
        if not sides:
            raise nothing_to_compare()
        intruder, reference, released = map(np.column_stack, zip(*sides.values(), strict=True))
        groups = self._column_groups(files.columns, tuple(sides))
        covariance = covariance_of(kind, reference, released, files.truth, groups)
        return NearestSearch(
            files,
            as_records(intruder),
            as_records(released),
            whitened(covariance),
            tuple(sides),
            supervised=kind == "pairs",
        )

    def _column_groups(self, known: tuple[str, ...], columns: tuple[str, ...]) -> list[list[int]]:
        """The places of columns that were masked together; other columns are groups of one."""
        named = [name for group in self.groups or () for name in group]
        for name in named:
            if name not in known:
                raise SpecError(f"distance: groups: {absent_column(name, known)}")
        if len(set(named)) < len(named):
            raise SpecError("distance: groups: a column is in one group only")
        groups = [*(self.groups or ()), *((name,) for name in columns if name not in named)]
        places = [[columns.index(name) for name in group if name in columns] for group in groups]
        return [group for group in places if group]

    def _check_numbers(self, files: LinkageFiles, columns: tuple[str, ...]) -> None:
        other = [
            name
            for name in columns
            if common_level(*files.pair, name) != "numeric" or files.generalised(name)
        ]
        if other:
            raise SchemaError(
                f"distance: {self.metric} compares plain numbers, and {listing(other)} are not; "
                "leave them out of the known attributes, or choose euclid"
            )


def _is_few(files: LinkageFiles) -> bool:
    return files.few_records or len(files.reference) == 1


def side_by_side(parts: Mapping[str, ComparedAttribute]) -> tuple[Records, Records]:
    """The attributes of the intruder's records, and of the release, as records."""
    intruder = as_records(np.column_stack([part.intruder for part in parts.values()]))
    return intruder, as_records(np.column_stack([part.released for part in parts.values()]))
