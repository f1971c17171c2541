"""Rank-based record linkage."""

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from unveil.attacks.base import Aggregation, Attack, AuditedFiles, LinkageFiles, Weights
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.engines.metric import Metric, absolute, chebyshev, choquet, manhattan
from unveil.errors import SchemaError, SpecError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.threads import on_all_cores
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_arrays import codes, tied_blocks
from unveil.values.file_pair import FilePair
from unveil.values.links import Finder

Ranks = NDArray[np.float64 | np.int64]
Ranking = Literal["own", "release"]
MARGINALITY_DIGITS = 12  # equal marginalities stay equal, whatever the rounding


class Rank(Attack, frozen=True, kw_only=True):
    """Rank-based record linkage (RBRL): link each record to the row with the nearest ranks.

    It compares the ranks of values instead of the values, since many masks change ranks little.
    The intruder needs no knowledge of the masking.

    Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification risk
    assessment (2016): absolute differences of average ranks, their sum or the largest of them.
    A nominal attribute with a hierarchy is ranked by marginality; without one it has no ranks. A
    missing rank has its expected cost.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> links = unveil.attack(sample, swapped, Rank(criterion="max"), intruder=intruder)
    >>> unveil.measures.risk(links).n
    500
    """

    criterion: Annotated[
        Literal["sum", "max"], Meta(description="The sum of rank differences, or the largest.")
    ] = "sum"
    ranks: Annotated[
        Ranking | None,
        Meta(
            description="The file in which a record is ranked. By default its own, but the release "
            "for an intruder with few records, or files of different sizes."
        ),
    ] = None
    weights: Weights = None
    aggregation: Aggregation = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_aggregation(self.aggregation)
        if self.aggregation is not None and (self.weights or self.criterion != "sum"):
            raise SpecError("rank: a fuzzy measure replaces criterion and weights; leave them out")

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """Ranks need an order: numbers, ordered categories, or a hierarchy."""
        return tuple(name for name in known if pair.is_ordered(name))

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """Both criteria, if any attribute has ranks."""
        variants = cls(), cls(criterion="max")
        return variants if variants[0].comparable(audited.pair, audited.known) else ()

    def finder(self, files: LinkageFiles) -> Finder:
        weights = self._weights_by_column(self.weights, files.columns)
        columns = tuple(name for name, w in zip(files.columns, weights, strict=True) if w > 0)
        same_size = not files.few_records and len(files.reference) == len(files.release)
        ranking: Ranking = self.ranks or ("own" if same_size else "release")
        pairs = on_all_cores(
            lambda name: rank_values(*self._sort_keys(files, name, ranking), ranking), columns
        )
        intruder, released = map(np.column_stack, zip(*pairs, strict=True))
        metric = self._metric(columns, weights)
        return NearestSearch(files, as_records(intruder), as_records(released), metric, columns)

    def _metric(self, columns: tuple[str, ...], weights: Floats) -> Metric:
        if self.aggregation is not None:
            return choquet(self._measure_of(self.aggregation, columns), absolute())
        metric = manhattan if self.criterion == "sum" else chebyshev
        return metric(None if self.weights is None else weights[weights > 0])

    def _sort_keys(
        self, files: LinkageFiles, column: str, ranking: Ranking
    ) -> tuple[Floats, Floats, Floats]:
        """Numbers in the order of the cells: of intruder, reference and release."""
        if files.generalised(column):
            raise SchemaError(
                f"rank: column '{column}' is generalised, and ranges and sets have no rank: "
                "leave it out of the known attributes, or attack by distance"
            )
        level = common_level(*files.pair, column)
        if level == "numeric":
            return files.numbers(column)
        if level == "ordinal":
            return files.codes(column, files.categories(column))
        hierarchy = next((h for data in files.pair if (h := data.schema[column].hierarchy)), ())
        if not hierarchy:
            raise SchemaError(
                f"rank: column '{column}' is nominal, so its categories have no order"
                f"{files.pair[0].schema[column].doubt}; declare an order or a hierarchy, "
                "leave it out of the known attributes, or attack by distance"
            )
        distances = semantic_distances(hierarchy)
        intruder, reference, released = (
            codes(data, column, tuple(row[0] for row in hierarchy)).codes.astype(np.int64)
            for data in (files.intruder_records, files.reference, files.release)
        )
        own, theirs = (
            np.append(marginality(distances, among), np.nan)
            for among in ((reference if ranking == "own" else released), released)
        )
        return own[intruder], own[reference], theirs[released]


def rank_values(
    intruder: Floats, reference: Floats, released: Floats, ranking: Ranking
) -> tuple[Ranks, Ranks]:
    """Twice the average rank of each value of the intruder and of the release.

    Among the reference records, or where it would stand in the release. If the numbers of values
    differ, rank r of m becomes r (n + 1) / (m + 1) of n, its expected rank in the release.
    """
    known, there = ~np.isnan(intruder), ~np.isnan(released)
    among = released[there] if ranking == "release" else reference[~np.isnan(reference)]
    if ranking == "own" and reference is intruder:
        ours = tied_blocks(intruder, known).twice_rank
    else:
        ascending = np.sort(among)
        below, upto = (np.searchsorted(ascending, intruder, side) for side in ("left", "right"))
        ours = below + upto + 1
    if len(among) != there.sum():
        ours = ours * ((there.sum() + 1) / (len(among) + 1))
    theirs = tied_blocks(released, there).twice_rank
    return _with_missing(ours, known), _with_missing(theirs, there)


def _with_missing(ranks: Ranks, present: Bools) -> Ranks:
    return ranks if present.all() else np.where(present, ranks, np.nan)


def semantic_distances(hierarchy: Sequence[Sequence[str]]) -> Floats:
    """The distance of each two categories: log2(1 + the share of ancestors not in common).

    Of all ancestors of both, themselves included (Sánchez, Batet, Isern and Valls, Ontology-based
    semantic similarity: a new feature-based approach, 2012).
    """
    rows = np.array([list(row) for row in hierarchy])
    shared = (rows[:, None, :] == rows[None, :, :]).sum(axis=2)
    together = 2 * rows.shape[1] - shared
    distances: Floats = np.log2(1 + (together - shared) / together)
    return distances


def marginality(distances: Floats, coded: Ints) -> Floats:
    """The mean distance of each category from those of the records; -1 is missing.

    Domingo-Ferrer, Sánchez and Rufian-Torrell, Anonymization of nominal data using semantic
    marginality (2013): it orders nominal categories, ordinary ones first and peculiar ones last.
    """
    shares = np.bincount(coded[coded >= 0], minlength=len(distances)) / max((coded >= 0).sum(), 1)
    mean: Floats = np.round(distances @ shares, MARGINALITY_DIGITS)
    return mean
