"""Rank-based record linkage: each record is linked with the one that stands in the same places."""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from unveil.attacks.base import (
    Aggregation,
    Attack,
    LinkageFiles,
    Weights,
    as_measure,
    measure_for,
    weights_of,
)
from unveil.attacks.distance.attribute_costs import code_values
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.rank.marginality import marginality, semantic_distances
from unveil.engines.metric import Metric, absolute, chebyshev, choquet, manhattan
from unveil.errors import SchemaError, SpecError
from unveil.support.arrays import Bools, Floats
from unveil.support.threads import on_all_cores
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_arrays import codes, tied_blocks
from unveil.values.links import Finder

Ranks = NDArray[np.float64 | np.int64]


Ranking = Literal["own", "release"]


class Rank(Attack, frozen=True, kw_only=True):
    """Linkage by rank: each record is linked with the one whose ranks are nearest (RBRL).

    It compares places in the order from lowest to highest, not the values themselves: many masks
    change them little. It takes no knowledge of how the release was masked.

    Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification risk
    assessment (2016): absolute differences of average ranks, added up or the largest of them.
    A nominal attribute with a hierarchy is ranked by its marginality, without one it has no
    ranks. A missing rank costs what it costs on average.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> links = unveil.attack(sample, swapped, Rank(criterion="max"), intruder=intruder)
    >>> unveil.measures.risk(links).n
    500
    """

    criterion: Annotated[
        Literal["sum", "max"],
        Meta(description="Whether differences of ranks are added up, or the largest counts."),
    ] = "sum"
    ranks: Annotated[
        Ranking | None,
        Meta(
            description="Among whom a record is ranked: its own file, or the release; if not "
            "given, its own file, but the release where the intruder has few records or the "
            "files are of different sizes."
        ),
    ] = None
    weights: Weights = None
    aggregation: Aggregation = None

    def __post_init__(self) -> None:
        super().__post_init__()
        as_measure(self, self.aggregation)
        if self.aggregation is not None and (self.weights or self.criterion != "sum"):
            raise SpecError("rank: a fuzzy measure takes the place of criterion and weights")

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        weights = weights_of(self, self.weights, files.columns)
        columns = tuple(name for name, w in zip(files.columns, weights, strict=True) if w > 0)
        alike = not files.few_records and len(files.reference) == len(files.release)
        by: Ranking = self.ranks or ("own" if alike else "release")
        pairs = on_all_cores(lambda name: ranked(*self._keys(files, name, by), by), columns)
        intruder, released = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
        return NearestSearch(
            files,
            as_records(intruder),
            as_records(released),
            self._metric(columns, weights),
            columns,
        )

    def _metric(self, columns: tuple[str, ...], weights: Floats) -> Metric:
        if self.aggregation is not None:
            return choquet(measure_for(self, self.aggregation, columns), absolute())
        metric = manhattan if self.criterion == "sum" else chebyshev
        return metric(None if self.weights is None else weights[weights > 0])

    def _keys(self, files: LinkageFiles, column: str, by: Ranking) -> tuple[Floats, Floats, Floats]:
        """Numbers that stand as the cells do: of mine, of the people and of the release."""
        if files.generalised(column):
            raise SchemaError(
                f"rank: column '{column}' is generalised, and ranges and sets have no rank: leave "
                "it out of what the intruder knows, or attack by distance"
            )
        level = common_level(*files.pair, column)
        if level == "numeric":
            return files.numbers(column)
        if level == "nominal":
            return self._marginal(files, column, by)
        listed = files.categories(column)
        intruder, released = (code_values(data, column, listed) for data in files.pair)
        strangers = files.reference is not files.intruder_records
        return (
            intruder,
            code_values(files.reference, column, listed) if strangers else intruder,
            released,
        )

    def _marginal(
        self, files: LinkageFiles, column: str, by: Ranking
    ) -> tuple[Floats, Floats, Floats]:
        hierarchy = next((h for data in files.pair if (h := data.schema[column].hierarchy)), ())
        if not hierarchy:
            raise SchemaError(
                f"rank: column '{column}' is nominal, and its categories have no order: declare "
                "a hierarchy (or an order, if it has one), leave it out of what the intruder "
                "knows, or attack by distance"
            )
        distances = semantic_distances(hierarchy)
        listed = tuple(row[0] for row in hierarchy)
        intruder, reference, released = (
            codes(data, column, listed).codes.astype(np.int64)
            for data in (files.intruder_records, files.reference, files.release)
        )
        own, theirs = (
            np.append(marginality(distances, among), np.nan)
            for among in ((reference if by == "own" else released), released)
        )
        return own[intruder], own[reference], theirs[released]


def ranked(
    intruder: Floats, reference: Floats, released: Floats, by: Ranking
) -> tuple[Ranks, Ranks]:
    """Twice the average rank of each value of mine and of the release.

    Among the people, or where it would stand in the release. Where counts differ, a rank
    among the people becomes the rank that the release's values are expected to give it: r of
    m is r (n + 1) / (m + 1) of n.

    >>> mine, released = np.array([5.0, 1.0]), np.array([2.0, 4.0, 4.0, 9.0])
    >>> [ranks.tolist() for ranks in ranked(mine, mine, released, "release")]
    [[7, 1], [2, 5, 5, 8]]
    >>> [ranks.tolist() for ranks in ranked(mine, mine, released, "own")]
    [[6.666666666666667, 3.3333333333333335], [2, 5, 5, 8]]
    """
    known, there = ~np.isnan(intruder), ~np.isnan(released)
    among = released[there] if by == "release" else reference[~np.isnan(reference)]
    if by == "own" and reference is intruder:
        ours = tied_blocks(intruder, known).twice_rank
    else:
        ascending = np.sort(among)
        below, upto = (np.searchsorted(ascending, intruder, side) for side in ("left", "right"))
        ours = below + upto + 1
    if len(among) != there.sum():
        ours = ours * ((there.sum() + 1) / (len(among) + 1))
    return _known(ours, known), _known(tied_blocks(released, there).twice_rank, there)


def _known(ranks: Ranks, present: Bools) -> Ranks:
    return ranks if present.all() else np.where(present, ranks, np.nan)
