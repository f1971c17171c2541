"""Microaggregation: records in small groups that are alike, replaced by their centres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.grouping.mdav import Categories, mdav, v_mdav
from unveil.grouping.optimal import optimal_groups
from unveil.masks.base import (
    Draw,
    KeepType,
    Masked,
    OnColumns,
    ascending,
    check_known,
    is_constant,
    known_numbers,
    sort_keys,
)
from unveil.masks.centres import centred, means
from unveil.masks.column_sets import ColumnSet, InGroups, Size, check_sets, sets_of
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.work import GROUPED
from unveil.table.encoding.to_arrays import codes, scale_of
from unveil.table.encoding.to_columns import slack_of
from unveil.table.microdata import Microdata
from unveil.table.roles import LEVELS
from unveil.values.release.channels import Channel, Groups, Swap
from unveil.wording import listing

MOST_CELLS = 2**27  # a GiB of points
GAMMA = 0.2  # for scattered data, as published


class Microaggregation(OnColumns, frozen=True, kw_only=True):
    """Microaggregation: groups of at least k records alike, replaced by their centres.

    In the columns that are masked together at least k records become equal, so that nobody can
    tell them apart by these. The more alike the records of a group were, the less is lost.

    "mdav": the record farthest from the centre of all makes a group with its k - 1 nearest;
    the record farthest from it makes another; and so on with those left. Groups have k to
    2k - 1 records. Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation (2005).

    "v-mdav": groups of variable size, for data in clusters. The record farthest from the
    centre of the whole file makes a group with its k - 1 nearest. Then, up to 2k - 1, the
    record nearest to any member joins, if it is less far from that member than `gamma` times
    as far as from the nearest other record that is in no group yet; else the next group
    begins. When fewer than k are left, each joins the group whose centre is nearest, which
    may then have more than 2k - 1. With `gamma` 0 nobody joins before that; 0.2 suits
    scattered data, 1.1 data in clusters. Solanas and Martínez-Ballesté, V-MDAV: a
    multivariate microaggregation with variable group size (2006).

    "optimal": of one column, numeric or ordinal, the groups with the least sum of squares
    within them: of numbers, no others of at least k lose less variance. Groups are k to
    2k - 1 neighbours in ascending order; equal values may come into different ones, as they
    stand in the file. Ordered categories count by their places. The channel is that of
    individual ranking, a swap by no position: a group stands where its members stood. Hansen
    and Mukherjee, A polynomial algorithm for optimal univariate microaggregation (2003).

    Numbers become the group's mean, ordered categories its median (the lower of two), others
    its commonest category. Between records, numbers count by their difference over the
    deviation, ordered categories by the difference of their places, the lowest and the
    highest being 1 apart, others 0 or 1; squares are added up. Among equally far records the
    first in the file is taken.

    `groups` aggregates several sets of columns, each by itself and with its own k. A
    missing cell stays missing. It counts as an average one, and where fewer than k members of
    a group know a value, it is averaged with the next group along that column; the optimal
    groups are those of the known values.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100)
    >>> both = Microaggregation(k=5, columns=["income", "tax"])
    >>> unveil.mask(sample, [both]).channels
    (Groups(income, tax),)
    >>> apart = Microaggregation(
    ...     groups=[{"columns": ["income"], "k": 3}, {"columns": ["tax", "rent"], "k": 8}]
    ... )
    >>> unveil.mask(sample, [apart]).channels
    (Groups(income), Groups(tax, rent))
    >>> best = Microaggregation(k=5, columns=["income"], algorithm="optimal")
    >>> unveil.mask(sample, [best]).channels
    (Swap(income),)
    """

    levels: ClassVar[tuple[str, ...]] = LEVELS
    chance: ClassVar[bool] = False
    seconds_per_record: ClassVar[float] = GROUPED

    k: Annotated[Size | None, Meta(description="The least size of a group.")] = None
    groups: InGroups = None
    algorithm: Annotated[
        Literal["mdav", "v-mdav", "optimal"],
        Meta(description="How groups are made: optimal is for one column at a time."),
    ] = "mdav"
    gamma: Annotated[
        Annotated[float, Meta(ge=0, le=1000)] | None,
        Meta(
            description="V-MDAV: how readily groups grow beyond k, 0 not at all; "
            f"if not given, {GAMMA}."
        ),
    ] = None
    standardise: Annotated[
        bool, Meta(description="Whether numbers are divided by their deviation in distances.")
    ] = True
    keep_type: KeepType = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_sets(self)
        if self.gamma is not None and self.algorithm != "v-mdav":
            raise SpecError(f"{self.step}: gamma goes with algorithm 'v-mdav'")

    def accepted(self) -> tuple[str, ...]:
        """The optimal groups need an order."""
        return ("numeric", "ordinal") if self.algorithm == "optimal" else self.levels

    def _check_level(self, data: Microdata, column: str) -> None:
        generalised = data.schema[column].generalised
        if self.algorithm == "optimal" and not generalised and data.level(column) == "nominal":
            raise SchemaError(
                f"{self.step}: column '{column}' is nominal, and algorithm 'optimal' needs an "
                "order: use 'mdav' or 'v-mdav', or declare the order of its categories"
            )
        super()._check_level(data, column)

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns of all groups."""
        return tuple(column for group in self._sets(data) for column in group.columns)

    def _sets(self, data: Microdata) -> tuple[ColumnSet, ...]:
        """The sets of columns that are aggregated together."""
        return sets_of(self, data, super().targets(data) if self.groups is None else ())

    def check(self, data: Microdata) -> None:
        """There must be a group, and something to level out."""
        for group in self._sets(data):
            if self.algorithm == "optimal" and len(group.columns) > 1:
                raise SpecError(
                    f"{self.step}: algorithm 'optimal' is for one column at a time, and "
                    f"{listing(group.columns)} are to be aggregated together: give each a set of "
                    "its own in groups, or use 'mdav' or 'v-mdav'"
                )
            for column in group.columns:
                check_known(self, data, column, group.k)
                nominal = data.level(column) == "nominal"
                if nominal and len(data) * data.column(column).n_unique() > MOST_CELLS:
                    raise DataError(
                        f"{self.step}: column '{column}' has too many categories for so many "
                        "records; merge some by global recoding first, or leave it out"
                    )
            if all(is_constant(data, column) for column in group.columns):
                raise DataError(
                    f"{self.step}: every column to aggregate is constant: nothing would change"
                )

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """Aggregate each set of columns."""
        masked: list[pl.Series] = []
        channels: list[Channel] = []
        for group in self._sets(data):
            space = _Space(self, data, group.columns)
            found = self._grouped(data, group, space, progress)
            for column in group.columns:
                own = enough_known(found, sort_keys(data, column), group.k)
                masked.append(centred(data, column, own, keep_type=self.keep_type))
            if self.algorithm == "optimal":
                slack = slack_of(data.column(group.columns[0]), keep_type=self.keep_type)
                channels.append(Swap(group.columns, 0, slack=slack))
            else:
                channels.append(Groups(group.columns, group.k, space.deviation))
        return Masked(data.replace(masked), tuple(channels))

    def _grouped(
        self, data: Microdata, group: ColumnSet, space: _Space, progress: Progress | None
    ) -> Ints:
        """The group of each record; of those that are in none, -1."""
        if self.algorithm == "mdav":
            return mdav(space.points, group.k, categories=space.categories, progress=progress)
        if self.algorithm == "v-mdav":
            gamma = GAMMA if self.gamma is None else self.gamma
            return v_mdav(
                space.points,
                group.k,
                gamma=gamma,
                categories=space.categories,
                progress=progress,
            )
        keys = sort_keys(data, group.columns[0])
        rows, groups = ascending(keys), np.full(len(data), -1)
        groups[rows] = optimal_groups(keys[rows], group.k, progress=progress)
        return groups


class _Space:
    """The records as points, squared distances between which are those of the method."""

    def __init__(self, mask: Microaggregation, data: Microdata, columns: Sequence[str]) -> None:
        self.categories: list[Categories] = []
        self.deviation = np.ones(len(columns))
        parts: list[Floats] = []
        for j, column in enumerate(columns):
            width = sum(part.shape[1] for part in parts)
            if data.level(column) == "numeric":
                found = known_numbers(mask, data, [column])
                scale = scale_of(found)
                if mask.standardise and scale.deviation[0] > 0:
                    self.deviation[j] = scale.deviation[0]
                values = (found.values - scale.mean) / self.deviation[j]
                parts.append(np.where(found.present, values, 0.0))
            else:
                placed = _placed(data, column, width)
                self.categories.append(placed)
                sizes = np.bincount(placed.codes[placed.codes >= 0], minlength=len(placed.places))
                average = (placed.places * (sizes / sizes.sum())[:, None]).sum(0)
                parts.append(np.vstack([placed.places, average])[placed.codes])
        self.points: Floats = np.ascontiguousarray(np.hstack(parts))


def _placed(data: Microdata, column: str, first: int) -> Categories:
    coded = codes(data, column)
    place = _in_line if coded.ordered else _all_apart
    places = place(len(coded.categories))
    return Categories(coded.codes.astype(np.int64), places, first, coded.ordered)


def _in_line(categories: int) -> Floats:
    """Places of ordered categories, the first and the last 1 apart."""
    return np.linspace(0.0, 1.0, categories)[:, None]


def _all_apart(categories: int) -> Floats:
    """Places of categories without an order, any two 1 apart."""
    return np.diag(np.full(categories, np.sqrt(0.5)))


def enough_known(groups: Ints, keys: Floats, k: int) -> Ints:
    """Groups of at least k known values: one with fewer joins the next along the column.

    >>> enough_known(np.array([0, 0, 1, 1]), np.array([1.0, np.nan, 5.0, 6.0]), 2).tolist()
    [0, 0, 0, 0]
    """
    known = np.bincount(groups[~np.isnan(keys)], minlength=groups.max() + 1)
    if not ((known > 0) & (known < k)).any():
        return groups
    here = ~np.isnan(keys)
    along = np.full(len(known), np.inf)
    along[groups[here]] = means(keys, groups)[here]
    order = np.argsort(along, kind="stable")[: np.count_nonzero(known)]
    joined, current, inside, before = np.arange(len(known)), order[0], 0, -1
    for group in order:
        if inside >= k:
            before, current, inside = current, group, 0
        joined[group] = current
        inside += known[group]
    if inside < k and before >= 0:  # nobody comes after the last
        joined[joined == current] = before
    result: Ints = joined[groups]
    return result
