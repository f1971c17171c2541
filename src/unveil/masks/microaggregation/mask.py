"""Microaggregation: similar records form groups, and are replaced by the centre of the group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.grouping.mdav import Categories, mdav, v_mdav
from unveil.grouping.optimal import optimal_groups
from unveil.masks.base import (
    ColumnMask,
    ColumnSet,
    ColumnSets,
    Draw,
    GroupSize,
    KeepType,
    MaskedTable,
    ascending_rows,
    check_column_sets,
    column_sets,
    is_constant,
    sort_keys,
)
from unveil.masks.centres import group_centres, group_means
from unveil.support.arrays import Floats, Ints
from unveil.support.memory import require_memory
from unveil.support.options import Progress
from unveil.support.work import GROUPING_SECONDS
from unveil.table.encoding.to_arrays import codes, scale_of
from unveil.table.encoding.to_columns import slack_of
from unveil.table.households import Homes
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel, Groups
from unveil.values.release.swap import Swap
from unveil.wording import count, listing

COORDINATE_BYTES = 60  # of a number, an ordered category or one nominal category of a record
DEFAULT_GAMMA = 0.2  # published value for scattered data


class Microaggregation(ColumnMask, frozen=True, kw_only=True):
    """Microaggregation: replace groups of at least k similar records by their centres.

    In the columns that are masked together at least k records become equal, so that these columns
    do not tell them apart. The more similar the records of a group, the less is lost.

    "mdav": the record farthest from the centre of all records forms a group with its k - 1
    nearest; the record farthest from that one forms another; the rest is treated alike. Groups
    have k to 2k - 1 records. Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation (2005).

    "v-mdav": groups of variable size, for clustered data. The record farthest from the centre of
    the file forms a group with its k - 1 nearest. Up to size 2k - 1 the record nearest to a member
    joins if its distance is less than `gamma` times the distance to its nearest other ungrouped
    record. The last fewer than k records join the groups with the nearest centres, which may then
    have more than 2k - 1. With `gamma` 0 no group is extended; 0.2 suits scattered data, 1.1
    clustered data. Solanas and Martínez-Ballesté, V-MDAV: a multivariate microaggregation with
    variable group size (2006).

    "optimal": the groups of one numeric or ordinal column with the least within-group sum of
    squares. Groups are k to 2k - 1 neighbours in ascending order (ties in file order); ordered
    categories count by their positions. The channel is that of individual ranking. Hansen and
    Mukherjee, A polynomial algorithm for optimal univariate microaggregation (2003).

    Numbers become the mean of the group, ordered categories the lower median, others the most
    frequent category. The squared distance of two records sums the squared differences of numbers
    over their standard deviation (`standardise`), of the positions of ordered categories, scaled
    to 0..1, and 0 or 1 for other categories. Among equally distant records the first is taken.

    Columns that describe a household are aggregated over households: groups of at least k
    households are made first, by the means of their members, then groups of persons in each.

    `groups` aggregates several sets of columns, each on its own and with its own k. Missing cells
    stay missing and count as average in distances. A group with fewer than k known values in a
    column is averaged with the next group along that column.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100)
    >>> together = Microaggregation(k=5, columns=["income", "tax"])
    >>> unveil.mask(sample, [together]).channels
    (Groups(income, tax),)
    >>> in_sets = Microaggregation(
    ...     groups=[{"columns": ["income"], "k": 3}, {"columns": ["tax", "rent"], "k": 8}]
    ... )
    >>> unveil.mask(sample, [in_sets]).channels
    (Groups(income), Groups(tax, rent))
    """

    is_random: ClassVar[bool] = False
    seconds_per_record: ClassVar[float] = GROUPING_SECONDS

    k: Annotated[GroupSize | None, Meta(description="Minimum group size.")] = None
    groups: ColumnSets = None
    algorithm: Annotated[
        Literal["mdav", "v-mdav", "optimal"],
        Meta(description="Grouping algorithm; optimal takes one column at a time."),
    ] = "mdav"
    gamma: Annotated[
        Annotated[float, Meta(ge=0, le=1000)] | None,
        Meta(description=f"V-MDAV: how readily groups grow; by default {DEFAULT_GAMMA}."),
    ] = None
    standardise: Annotated[
        bool, Meta(description="Divide numbers by their standard deviation in distances.")
    ] = True
    keep_type: KeepType = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_column_sets(self, self.k, self.groups)
        if self.gamma is not None and self.algorithm != "v-mdav":
            raise SpecError(f"{self.step}: gamma goes with algorithm 'v-mdav'")

    def accepted_levels(self) -> tuple[str, ...]:
        """Optimal groups need an order."""
        return ("numeric", "ordinal") if self.algorithm == "optimal" else self.levels

    @property
    def makes_centres(self) -> bool:
        return True

    def _check_level(self, data: Microdata, column: str) -> None:
        generalised = data.schema[column].generalised
        if self.algorithm == "optimal" and not generalised and data.level(column) == "nominal":
            raise SchemaError(
                f"{self.step}: column '{column}' is nominal, and algorithm 'optimal' needs an "
                "order: use 'mdav' or 'v-mdav', or declare the order of its categories"
            )
        super()._check_level(data, column)

    def only(self, columns: Sequence[str]) -> Self | None:
        if self.groups is None:
            return super().only(columns)
        kept = ([name for name in one.columns if name in columns] for one in self.groups)
        sets = zip(kept, self.groups, strict=True)
        groups = tuple(ColumnSet(columns=tuple(names), k=one.k) for names, one in sets if names)
        return msgspec.structs.replace(self, groups=groups)

    def targets(self, data: Microdata) -> tuple[str, ...]:
        return tuple(column for group in self._sets(data) for column in group.columns)

    def _sets(self, data: Microdata) -> tuple[ColumnSet, ...]:
        return column_sets(self, data, self.k, self.groups)

    def check(self, data: Microdata) -> None:
        """Raise an error for fewer than k values, too many categories, or constants only."""
        for group in self._sets(data):
            if self.algorithm == "optimal" and len(group.columns) > 1:
                raise SpecError(
                    f"{self.step}: algorithm 'optimal' is for one column at a time, and "
                    f"{listing(group.columns)} are to be aggregated together: give each a set of "
                    "its own in groups, or use 'mdav' or 'v-mdav'"
                )
            for column in group.columns:
                self.check_known(data, column, group.k)
            self._check_memory(data, group.columns)
            if all(is_constant(data, column) for column in group.columns):
                raise DataError(
                    f"{self.step}: every column to aggregate is constant: nothing would change"
                )

    def _check_memory(self, data: Microdata, columns: Sequence[str]) -> None:
        width = sum(
            data.column(column).n_unique() if data.level(column) == "nominal" else 1
            for column in columns
        )
        work = f"{self.step}: {count(len(data), 'record')} with {count(width, 'coordinate')}"
        remedy = "merge categories by global recoding, or aggregate fewer columns together (groups)"
        require_memory(COORDINATE_BYTES * len(data) * width, work, remedy)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        masked: list[pl.Series] = []
        channels: list[Channel] = []
        for group in self._sets(data):
            space = RecordPoints(self, data, group.columns)
            partition = self._partition(data, group, space, progress)
            for column in group.columns:
                groups = merge_small_groups(partition, sort_keys(data, column), group.k)
                masked.append(group_centres(data, column, groups, keep_type=self.keep_type))
            if self.algorithm == "optimal":
                slack = slack_of(data.column(group.columns[0]), keep_type=self.keep_type)
                channels.append(Swap(group.columns, 0, slack=slack))
            else:
                channels.append(Groups(group.columns, group.k, space.deviation))
        return MaskedTable(data.replace(masked), tuple(channels))

    def apply_nested(
        self, data: Microdata, homes: Homes, shared: Sequence[str], progress: Progress | None = None
    ) -> MaskedTable | None:
        """Groups of households first, then groups of the persons in each group of households.

        So at least k records stay alike in the columns of both together.
        """
        sets = self._sets(data)
        if not any({*one.columns} & {*shared} and {*one.columns} - {*shared} for one in sets):
            return None
        masked: list[pl.Series] = []
        channels: list[Channel] = []
        for group in sets:
            space = RecordPoints(self, data, group.columns)
            of_homes = np.zeros(len(homes), np.int64)
            if {*group.columns} & {*shared}:
                of_homes = self._group(space.means(homes), (), group.k, progress)
            partition = np.full(len(data), -1)
            for number in range(int(of_homes.max()) + 1):
                rows = np.flatnonzero(of_homes[homes.of_record] == number)
                inside = self._group(*space.take(rows), group.k, progress)
                partition[rows] = partition.max() + 1 + inside
            for column in group.columns:
                if column in shared:
                    masked.append(self._shared_centres(data, homes, column, of_homes, group.k))
                    continue
                groups = merge_small_groups(partition, sort_keys(data, column), group.k)
                masked.append(group_centres(data, column, groups, keep_type=self.keep_type))
            channels.append(Groups(group.columns, group.k, space.deviation))
        return MaskedTable(data.replace(masked), tuple(channels))

    def _shared_centres(
        self, data: Microdata, homes: Homes, column: str, groups: Ints, k: int
    ) -> pl.Series:
        """A column of households with the centres of their groups; missing cells stay missing."""
        known = data.column(column).is_not_null()
        table = data.take(homes.known_members(known.to_numpy()))
        groups = merge_small_groups(groups, sort_keys(table, column), k)
        centres = group_centres(table, column, groups, keep_type=self.keep_type)
        return centres.gather(homes.of_record).set(~known, None)

    def _group(
        self, points: Floats, categories: Sequence[Categories], k: int, progress: Progress | None
    ) -> Ints:
        """The group of each point."""
        if self.algorithm == "mdav":
            return mdav(points, k, categories=categories, progress=progress)
        gamma = DEFAULT_GAMMA if self.gamma is None else self.gamma
        return v_mdav(points, k, gamma=gamma, categories=categories, progress=progress)

    def _partition(
        self, data: Microdata, group: ColumnSet, space: RecordPoints, progress: Progress | None
    ) -> Ints:
        """The group of each record; -1 without one."""
        if self.algorithm != "optimal":
            return self._group(space.points, space.categories, group.k, progress)
        keys = sort_keys(data, group.columns[0])
        rows, groups = ascending_rows(keys), np.full(len(data), -1)
        groups[rows] = optimal_groups(keys[rows], group.k, progress=progress)
        return groups


class RecordPoints:
    """The records as points; their squared distances are those of the method."""

    def __init__(self, mask: Microaggregation, data: Microdata, columns: Sequence[str]) -> None:
        self.categories: list[Categories] = []
        self.deviation = np.ones(len(columns))
        parts: list[Floats] = []
        for j, column in enumerate(columns):
            width = sum(part.shape[1] for part in parts)
            if data.level(column) == "numeric":
                original = mask.numbers(data, column)
                scale = scale_of(original)
                if mask.standardise and scale.deviation[0] > 0:
                    self.deviation[j] = scale.deviation[0]
                values = (original.values - scale.mean) / self.deviation[j]
                parts.append(np.where(original.present, values, 0.0))
            else:
                embedded = _embedded(data, column, width)
                self.categories.append(embedded)
                known, places = embedded.codes[embedded.codes >= 0], embedded.places
                sizes = np.bincount(known, minlength=len(places))
                average = (places * (sizes / sizes.sum())[:, None]).sum(0)
                parts.append(np.vstack([places, average])[embedded.codes])
        self.points: Floats = np.ascontiguousarray(np.hstack(parts))

    def means(self, homes: Homes) -> Floats:
        """The mean of the members of each household."""
        sums = np.add.reduceat(self.points[homes.order], homes.starts[:-1])
        means: Floats = np.ascontiguousarray(sums / homes.sizes[:, None])
        return means

    def take(self, rows: Ints) -> tuple[Floats, list[Categories]]:
        """Some of the records."""
        categories = [replace(one, codes=one.codes[rows]) for one in self.categories]
        return np.ascontiguousarray(self.points[rows]), categories


def _embedded(data: Microdata, column: str, first: int) -> Categories:
    """Categories as points: on a line from 0 to 1 if ordered, else all at distance 1."""
    coded = codes(data, column)
    n_categories = len(coded.categories)
    places = np.diag(np.full(n_categories, np.sqrt(0.5)))
    if coded.ordered:
        places = np.linspace(0.0, 1.0, n_categories)[:, None]
    return Categories(coded.codes.astype(np.int64), places, first, coded.ordered)


def merge_small_groups(groups: Ints, keys: Floats, k: int) -> Ints:
    """Groups of at least k known values: a smaller group joins the next along the column."""
    known = np.bincount(groups[~np.isnan(keys)], minlength=groups.max() + 1)
    if not ((known > 0) & (known < k)).any():
        return groups
    present = ~np.isnan(keys)
    centre = np.full(len(known), np.inf)
    centre[groups[present]] = group_means(keys, groups)[present]
    order = np.argsort(centre, kind="stable")[: np.count_nonzero(known)]
    merged, current, size, previous = np.arange(len(known)), order[0], 0, -1
    for group in order:
        if size >= k:
            previous, current, size = current, group, 0
        merged[group] = current
        size += known[group]
    if size < k and previous >= 0:  # the last has no next
        merged[merged == current] = previous
    result: Ints = merged[groups]
    return result
