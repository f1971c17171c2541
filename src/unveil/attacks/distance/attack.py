"""Distance-based record linkage: each record is linked with the nearest."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from unveil.attacks.base import (
    Aggregation,
    Attack,
    LinkageFiles,
    Weights,
    as_measure,
    measure_for,
    weights_of,
)
from unveil.attacks.distance.attribute_costs import (
    CostRule,
    Distances,
    Scaling,
    compare_by_table,
    compare_categories,
    compare_numbers,
    leave_out,
    mean_and_deviation,
    standardised,
)
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.attacks.distance.mahalanobis import Covariance, covariance_of
from unveil.attacks.distance.polynomial import polynomial
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.engines.metric import Metric, euclid, whitened
from unveil.engines.records import Records
from unveil.errors import DataError, SchemaError, SpecError
from unveil.table.encoding.shared_attributes import common_level
from unveil.values.links import Finder
from unveil.wording import absent_column, listing


class Distance(Attack, frozen=True, kw_only=True):
    """Linkage by distance: each record is linked with the nearest (DBRL).

    Differences in all attributes are added up, each measured by how much people differ in it, and
    the row with the smallest sum is taken. It takes no knowledge of how the release was masked.

    Numbers are standardised; ordinal and nominal attributes have the distance of
    Domingo-Ferrer and Torra, Validating distance-based record linkage with probabilistic
    record linkage (2002); generalised cells are as far as the nearest value that they may
    hold. The distances of Torra, Record linkage approaches for dynamic database integration
    (2013), Section 2.6: Euclid, weighted, Mahalanobis, Choquet. An attribute that is missing on
    either side costs what it costs on average.

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
        Meta(description="How the distances of the attributes make one."),
    ] = "euclid"
    scale: Annotated[
        Scaling | None,
        Meta(
            description="Whose mean and deviation numbers are standardised by: each file's own, "
            "or those of one; if not given, their own, but the release's for an intruder with "
            "few records."
        ),
    ] = None
    weights: Weights = None
    covariance: Annotated[
        Covariance | None,
        Meta(
            description="Mahalanobis: the covariance of what differs: from both files' moments, "
            "of the original, of the release, their sum, or of the true pairs, which no "
            "intruder has. If not given, moments; for an intruder with few records, release."
        ),
    ] = None
    groups: Annotated[
        tuple[Annotated[tuple[str, ...], Meta(min_length=1)], ...] | None,
        Meta(description="Mahalanobis by moments: attributes that were masked together."),
    ] = None
    degree: Annotated[
        Annotated[int, Meta(ge=1, le=20)] | None,
        Meta(description="Polynomial: the degree of the kernel; if not given, 2."),
    ] = None
    aggregation: Aggregation = None
    inclusive: Annotated[
        bool,
        Meta(description="Whether ordinal places are counted with both ends, as in the paper."),
    ] = False
    tables: Annotated[
        dict[str, Distances] | None,
        Meta(description="Distances of your own between an attribute's categories."),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        as_measure(self, self.aggregation)
        for column, given in (self.tables or {}).items():
            given.as_array(column)
        needs = {
            "covariance": ("mahalanobis",),
            "groups": ("mahalanobis",),
            "degree": ("polynomial",),
            "aggregation": ("euclid",),
            "scale": ("euclid", "manhattan", "chebyshev", "polynomial"),
            "weights": ("euclid", "manhattan", "chebyshev", "polynomial"),
            "tables": ("euclid", "manhattan", "chebyshev"),
        }
        for name, metrics in needs.items():
            if getattr(self, name) is not None and self.metric not in metrics:
                raise SpecError(
                    f"distance: {name} goes with metric {' or '.join(metrics)}, not {self.metric}"
                )
        if self.aggregation is not None and self.weights is not None:
            raise SpecError("distance: a fuzzy measure weighs the attributes: leave out weights")
        if self.inclusive and self.metric in ("mahalanobis", "polynomial"):
            raise SpecError(f"distance: inclusive is of ordinal attributes, not of {self.metric}")
        if self.groups is not None and self.covariance not in (None, "moments"):
            raise SpecError("distance: groups go with covariance 'moments'")

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        if self.metric == "mahalanobis":
            return self._by_covariance(files)
        weights = weights_of(self, self.weights, files.columns)
        used = {name: w for name, w in zip(files.columns, weights.tolist(), strict=True) if w > 0}
        if self.metric == "polynomial":
            return self._by_kernel(files, used)
        return self._by_attributes(files, used)

    def _by_attributes(self, files: LinkageFiles, used: dict[str, float]) -> Finder:
        """A distance for each attribute, added up, the largest of them, or integrated."""
        for column in self.tables or {}:
            if column not in files.columns:
                raise SpecError(f"distance: tables: {absent_column(column, files.columns)}")
        parts, rule = self.compared(files, used), self._rule(files)
        intruder, released = side_by_side(parts)
        return NearestSearch(files, intruder, released, self._metric(parts, rule), tuple(parts))

    def compared(self, files: LinkageFiles, used: dict[str, float]) -> dict[str, ComparedAttribute]:
        """Each attribute in both files, and what a gap costs; without those that do not vary."""
        rule = self._rule(files)
        found = {name: self._compared(files, name, rule, weight) for name, weight in used.items()}
        if all(part is None for part in found.values()):
            raise nothing_left()
        if self.aggregation is not None:  # a measure knows every attribute by its place
            return {name: part or _always_equal(files, rule) for name, part in found.items()}
        return {name: part for name, part in found.items() if part is not None}

    def _rule(self, files: LinkageFiles) -> CostRule:
        return CostRule(
            power=2 if self.metric == "euclid" else 1,
            scaling=self._scaling(files),
            inclusive=self.inclusive,
        )

    def _scaling(self, files: LinkageFiles) -> Scaling:
        return self.scale or (
            "release" if files.few_records or len(files.reference) == 1 else "own"
        )

    def _metric(self, parts: dict[str, ComparedAttribute], rule: CostRule) -> Metric:
        costs = tuple(cost for part in parts.values() for cost in part.costs)
        root = rule.power == 2
        if self.aggregation is None:
            return Metric(
                costs, combine="largest" if self.metric == "chebyshev" else "sum", root=root
            )
        if len(costs) > len(parts):
            raise SchemaError(
                "distance: aggregation: a generalised number is two columns, which a fuzzy "
                "measure does not know; leave it out, or leave out aggregation"
            )
        measure = measure_for(self, self.aggregation, tuple(parts))
        return Metric(costs, combine="choquet", root=root, measure=measure)

    def _compared(
        self, files: LinkageFiles, column: str, rule: CostRule, weight: float
    ) -> ComparedAttribute | None:
        level = common_level(*files.pair, column)
        own = (self.tables or {}).get(column)
        if own is not None:
            if level == "numeric" or files.generalised(column):
                raise SchemaError(
                    f"distance: tables: column '{column}' is not a plain attribute of categories"
                )
            distances = weight * own.as_array(column) ** rule.power
            return compare_by_table(files, column, own.categories, distances)
        if level == "numeric":
            return compare_numbers(files, column, rule, weight)
        return compare_categories(files, column, rule, weight, ordered=level == "ordinal")

    def _by_kernel(self, files: LinkageFiles, used: dict[str, float]) -> Finder:
        """Euclid on the products that the polynomial kernel stands for."""
        self._check_numbers(files, tuple(used))
        pairs = {name: standardised(files, name, self._scaling(files)) for name in used}
        kept = {name: pair for name, pair in pairs.items() if pair is not None}
        if not kept:
            raise nothing_left()
        size = np.sqrt([used[name] for name in kept])
        intruder, released = (
            polynomial(
                as_records(np.column_stack([pair[side] for pair in kept.values()]) * size),
                self.degree or 2,
            )
            for side in (0, 1)
        )
        return NearestSearch(files, intruder, released, euclid(), tuple(kept))

    def _by_covariance(self, files: LinkageFiles) -> Finder:
        """Euclid after the map that makes what differs between true pairs a unit ball."""
        self._check_numbers(files, files.columns)
        alone = files.few_records or len(files.reference) == 1
        kind: Covariance = self.covariance or ("release" if alone else "moments")
        found = {}
        for column in files.columns:
            values = files.numbers(column)
            scale = mean_and_deviation(values[2])  # one for all, for the sake of the digits
            if scale is None:
                leave_out(column, "release")
                continue
            found[column] = [(file - scale[0]) / scale[1] for file in values]
        if not found:
            raise nothing_left()
        intruder, reference, released = (
            np.column_stack([files[side] for files in found.values()]) for side in range(3)
        )
        groups = self._grouped(files.columns, tuple(found))
        covariance = covariance_of(kind, reference, released, files.pairs, groups)
        return NearestSearch(
            files,
            as_records(intruder),
            as_records(released),
            whitened(covariance),
            tuple(found),
            supervised=kind == "pairs",
        )

    def _grouped(self, known: tuple[str, ...], columns: tuple[str, ...]) -> list[list[int]]:
        """The places of the columns masked together; one that is in no group is one by itself."""
        named = [name for group in self.groups or () for name in group]
        for name in named:
            if name not in known:
                raise SpecError(f"distance: groups: {absent_column(name, known)}")
        if len(set(named)) < len(named):
            raise SpecError("distance: groups: a column is in one group only")
        groups = [*(self.groups or ()), *((name,) for name in columns if name not in named)]
        found = [[columns.index(name) for name in group if name in columns] for group in groups]
        return [group for group in found if group]

    def _check_numbers(self, files: LinkageFiles, columns: tuple[str, ...]) -> None:
        other = [
            name
            for name in columns
            if common_level(*files.pair, name) != "numeric" or files.generalised(name)
        ]
        if other:
            raise SchemaError(
                f"distance: {self.metric} compares plain numbers, and these are not: "
                f"{listing(other)}; leave them out of what the intruder knows, or choose euclid"
            )


def nothing_left() -> DataError:
    """The error where no column varies."""
    return DataError("no attribute that the intruder knows varies: there is nothing to compare")


def side_by_side(parts: Mapping[str, ComparedAttribute]) -> tuple[Records, Records]:
    """The attributes of mine, and of the release, as records."""
    intruder, released = (
        as_records(np.column_stack([getattr(part, whose) for part in parts.values()]))
        for whose in ("intruder", "released")
    )
    return intruder, released


def _always_equal(files: LinkageFiles, rule: CostRule) -> ComparedAttribute:
    """An attribute in which nobody differs from anybody."""
    intruder, released = (np.zeros((len(data), 1)) for data in files.pair)
    return ComparedAttribute(intruder, released, (rule.gap(1.0),))
