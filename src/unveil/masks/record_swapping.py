"""Targeted record swapping: households at risk exchange their areas with similar households."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush, heapreplace
from typing import Annotated

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.masks.base import Draw, Mask, MaskedTable
from unveil.support.arrays import Bools, Ints
from unveil.support.options import Progress, part_of
from unveil.table.columns import labels_of
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_columns import donated
from unveil.table.households import Homes, declared_shared, household_numbers, households_of
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import AreaChanges, JointTransition
from unveil.values.release.channels import Channel, Unknown
from unveil.wording import count, listing


@dataclass(frozen=True)
class HouseholdSwaps:
    """How many households were at risk, and how many were swapped."""

    households: int
    at_risk: int
    swapped: int  # two in each swap
    at_risk_swapped: int  # now in another area at the level of their risk
    without_partner: int  # at risk, and alike nobody elsewhere
    records: int = 0  # members of those that were swapped

    @property
    def sentence(self) -> str:
        """The counts in words, without a full stop."""
        return (
            f"{self.swapped:,} of {count(self.households, 'household')} swapped, with "
            f"{count(self.records, 'record')}; {self.at_risk:,} at risk, of which "
            f"{self.at_risk_swapped:,} left the area of their risk and {self.without_partner:,} "
            "found no partner"
        )


class RecordSwapping(Mask, frozen=True, kw_only=True):
    """Targeted record swapping: exchange areas between risky households and similar ones elsewhere.

    An intruder cannot be sure that a rare household of a small area is the one it seems to be. The
    members of a household stay together, and tables by area change little.

    A household is at risk at a level of the `geography` if the `keys` of a member occur in fewer
    than `k` households of its area. Those at risk at the coarsest level are swapped first, and
    among these the rarest; then random households, until the `share` is swapped. Without a share,
    all at risk are swapped, and no others but their partners.

    The partner is a random household with as many members that agrees in the first possible profile
    of `similar`. It lives in another area of the level of the risk (without risk, of the finest
    level), if possible within the same area of the level above. All members exchange the geography
    and the `carry` columns. No household is swapped twice, and none whose area is missing. Without
    household numbers each record is a household.

    The channel describes one record: it does not say that members move together. Dalenius and
    Reiss, Data-swapping: a technique for disclosure control (1982); Office for National Statistics,
    Protecting personal data in Census 2021 results; Gussenbauer, Targeted record swapping,
    sdcMicro (2023).

    Examples
    --------
    >>> import unveil
    >>> swapping = RecordSwapping(geography=["region"], keys=["sex", "education"], share=0.1)
    >>> release = unveil.mask(unveil.households(1000, seed=7), [swapping], seed=7)
    >>> release.details["record-swapping"].swapped
    46
    """

    geography: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Columns of the areas, coarsest first: region, district."),
    ]
    keys: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | None,
        Meta(description="Columns whose rare combinations are at risk; by default all other "
             "quasi-identifiers."),
    ] = None  # fmt: skip
    k: Annotated[
        int, Meta(ge=1, description="Keys in fewer households of an area are at risk; 1: none.")
    ] = 3
    share: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="Fraction of the households to swap; by default those at risk."),
    ] = None
    similar: Annotated[
        Annotated[tuple[tuple[str, ...], ...], Meta(min_length=1)] | None,
        Meta(description="Profiles, tried in order: columns in which partners agree; by default "
             "the per_household columns, then none."),
    ] = None  # fmt: skip
    carry: Annotated[
        tuple[str, ...], Meta(description="Further columns that belong to the area.")
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k == 1 and self.share is None:
            raise SpecError(f"{self.step}: with k = 1 no household is at risk: give a share")

    @property
    def uses_households(self) -> bool:
        return True

    def targets(self, data: Microdata) -> tuple[str, ...]:
        exchanged = (*self.geography, *self.carry)
        self.check_columns(data, exchanged)
        return exchanged

    def check(self, data: Microdata) -> None:
        self._refuse_numbers(data)
        for column in self.targets(data):
            self.check_known(data, column)
            if data.schema[column].generalised:
                raise SchemaError(
                    f"{self.step}: column '{column}' is generalised, and ranges and sets cannot "
                    "be masked again; leave it out"
                )
        for column in self.geography:
            self.check_varies(data, column)
        if not (keys := self._keys(data)) and self.k > 1:
            raise SpecError(
                f"{self.step}: no other column is a quasi-identifier: name the keys, or declare "
                "roles in the schema"
            )
        for columns in filter(None, (keys, *self._profiles(data))):
            self.check_columns(data, columns)
        homes = _households(data)
        varying = {name: _varying(data, name, homes) for name in self.targets(data)}
        where = [f"'{name}' in {count(n, 'household')}" for name, n in varying.items() if n]
        if where:
            raise DataError(
                f"{self.step}: members of a household must have the same area, and they differ "
                f"in column {listing(where)}; correct the cells, or leave the column out"
            )

    def _refuse_numbers(self, data: Microdata) -> None:
        """Raise an error if a household number is an area, a key or something to agree in."""
        own = [*self.geography, *self.carry, *(self.keys or ())]
        own += [name for profile in self.similar or () for name in profile]
        numbers = [name for name in household_numbers(data) if name in own]
        if numbers:
            raise SpecError(
                f"{self.step}: {listing(numbers)} is the household number, which makes each "
                "household unique; name other columns"
            )

    def _keys(self, data: Microdata) -> tuple[str, ...]:
        if self.keys is not None:
            return self.keys
        not_keys = (*self.geography, *self.carry, *household_numbers(data))
        others = (name for name in data.columns if name not in not_keys)
        return tuple(name for name in others if "quasi" in data.schema[name].role)

    def _profiles(self, data: Microdata) -> tuple[tuple[str, ...], ...]:
        if self.similar is not None:
            return self.similar
        others = (*self.geography, *self.carry, *household_numbers(data))
        return tuple(name for name in declared_shared(data) if name not in others), ()

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        homes, exchanged = _households(data), self.targets(data)
        keys, profiles = self._keys(data), self._profiles(data)
        places = [self.geography[: level + 1] for level in range(len(self.geography))]
        areas = [_combinations(data, columns) for columns in places]
        levels, counts = risk_levels(areas, _combinations(data, keys), homes, self.k)
        used = dict.fromkeys((*exchanged, *keys, *(name for each in profiles for name in each)))
        rank = np.empty(len(homes), np.int64)
        content = _alike(homes, _combinations(data, used))
        rank[np.argsort(content, kind="stable")] = draw().permutation(len(homes))
        known = np.all([common_cells(data, column=name)[0] >= 0 for name in exchanged], axis=0)
        partners = Partners(
            [area[homes.firsts] for area in areas],
            [_alike(homes, _combinations(data, profile)) for profile in profiles],
            rank,
            np.logical_and.reduceat(known[homes.order], homes.starts[:-1]),
        )
        order = np.lexsort((rank, counts, levels))
        if self.share is None:
            order = order[levels[order] < len(areas)]
        most = part_of(len(homes), 1 if self.share is None else self.share, 2)
        partner, details = partners.match(order, levels, most)
        rows = np.arange(len(data))
        moved = (partner != np.arange(len(homes)))[homes.of_record]
        rows[moved] = homes.firsts[partner[homes.of_record[moved]]]
        after = data.replace([donated(data.column(name), rows) for name in exchanged])
        details = replace(details, records=int(moved.sum()))
        return MaskedTable(after, self._channels(data, areas, rows), details=details)

    def _channels(self, data: Microdata, areas: Sequence[Ints], rows: Ints) -> tuple[Channel, ...]:
        exchanged = self.targets(data)
        cells = pl.DataFrame([labels_of(data.column(name)) for name in exchanged])
        places, known = (
            np.full(len(data), -1),
            np.flatnonzero(~np.any([c.is_null() for c in cells], axis=0)),
        )
        if not len(known):
            return tuple(Unknown((name,)) for name in exchanged)
        listed = np.unique(
            _combinations(data, exchanged)[known], return_index=True, return_inverse=True
        )
        firsts, places[known] = known[listed[1]], listed[2]
        levels = np.column_stack(areas)[firsts]
        changes = AreaChanges.counted(levels, places[known], places[rows[known]])
        combinations = tuple(cells[firsts].rows())
        return (JointTransition(exchanged, combinations, changes.sizes, changes),)


def risk_levels(areas: Sequence[Ints], keys: Ints, homes: Homes, k: int) -> tuple[Ints, Ints]:
    """The coarsest level at which each household is at risk, and how many have its rarest keys.

    Areas of each level and keys are those of the records; a household that is not at risk has the
    number of levels for its level.
    """
    levels, counts = np.full(len(homes), len(areas)), np.zeros(len(homes), np.int64)
    for level in reversed(range(len(areas))):
        cells = _combined(areas[level], keys)
        pairs = np.unique(cells * len(homes) + homes.of_record)
        found = np.bincount(pairs // len(homes))[cells]
        rarest = np.minimum.reduceat(found[homes.order], homes.starts[:-1])
        at_risk = rarest < k
        levels[at_risk], counts[at_risk] = level, rarest[at_risk]
    return levels, counts


@dataclass(frozen=True, repr=False, eq=False)
class Partners:
    """Households, each of which may become the partner of one in another area."""

    areas: Sequence[Ints]  # of each household, at each level
    profiles: Sequence[Ints]  # equal where two households agree
    rank: Ints  # random; of several possible partners the lowest
    usable: Bools  # whether a household may be swapped

    def match(self, order: Ints, levels: Ints, most: int) -> tuple[Ints, HouseholdSwaps]:
        """The partner of each household, itself if there is none; at most so many pairs."""
        free, partner, without = self.usable.tolist(), list(range(len(levels))), 0
        pools: dict[int, list[_Pool]] = {}
        for home, at_risk in zip(order.tolist(), levels[order].tolist(), strict=True):
            if not most:
                break
            if not free[home]:
                without += partner[home] == home and at_risk < len(self.areas)
                continue
            level = min(at_risk, len(self.areas) - 1)
            if level not in pools:
                pools[level] = list(self._pools(level))
            found = (pool.partner(home, free) for pool in pools[level])
            other = next((one for one in found if one >= 0), -1)
            if other < 0:
                without += at_risk < len(self.areas)
                continue
            partner[home], partner[other] = other, home
            free[home] = free[other] = False
            most -= 1
        result = np.array(partner)
        left = [(levels == i) & (area[result] != area) for i, area in enumerate(self.areas)]
        swapped = int((result != np.arange(len(result))).sum())
        at_risk = int((levels < len(self.areas)).sum())
        return result, HouseholdSwaps(len(levels), at_risk, swapped, int(np.sum(left)), without)

    def _pools(self, level: int) -> Iterator["_Pool"]:
        """The candidate partners: by profile, near before anywhere."""
        homes = np.flatnonzero(self.usable)
        for profile in self.profiles:
            if level:
                near = _combined(profile, self.areas[level - 1])
                yield _Pool(homes, near, self.areas[level], self.rank)
            yield _Pool(homes, profile, self.areas[level], self.rank)


class _Pool:
    """Groups of households; of each group a heap of its areas, each a stack with the lowest on top.

    A partner is found in logarithmic time: households that were swapped are removed when they are
    met.
    """

    def __init__(self, homes: Ints, group: Ints, area: Ints, rank: Ints) -> None:
        self.group, self.area, self.rank = group.tolist(), area.tolist(), rank.tolist()
        self.heaps: dict[int, list[tuple[int, int, list[int]]]] = {}
        order = homes[np.lexsort((-rank[homes], area[homes], group[homes]))]
        ends = np.flatnonzero(np.diff(group[order]) | np.diff(area[order])) + 1
        for stack in np.split(order, ends):
            home = int(stack[-1])
            heap = self.heaps.setdefault(self.group[home], [])
            heap.append((self.rank[home], self.area[home], stack.tolist()))
        for heap in self.heaps.values():
            heapify(heap)

    def partner(self, home: int, free: list[bool]) -> int:
        """The free household of the lowest rank in the group, of another area; -1 for none."""
        heap, own, found = self.heaps[self.group[home]], None, -1
        while heap and found < 0:
            rank, area, stack = heap[0]
            while stack and not free[stack[-1]]:
                stack.pop()
            if not stack:
                heappop(heap)
            elif self.rank[stack[-1]] != rank:
                heapreplace(heap, (self.rank[stack[-1]], area, stack))
            elif area == self.area[home]:
                own = heappop(heap)
            else:
                found = stack[-1]
        if own is not None:
            heappush(heap, own)
        return found


def _households(data: Microdata) -> Homes:
    return households_of(data) or Homes(np.arange(len(data)))


def _varying(data: Microdata, column: str, homes: Homes) -> int:
    """The number of households whose members differ in a column; missing differs from nothing."""
    cells = common_cells(data, column=column)[0]
    largest = np.maximum.reduceat(cells[homes.order], homes.starts[:-1])[homes.of_record]
    return len(np.unique(homes.of_record[(cells >= 0) & (cells != largest)]))


def _combinations(data: Microdata, columns: Iterable[str]) -> Ints:
    """The place of each record's cells among all combinations, ascending."""
    cells = (common_cells(data, column=name)[0] for name in columns)
    return _combined(np.zeros(len(data), np.int64), *cells)


def _combined(*cells: Ints) -> Ints:
    place = np.zeros(len(cells[0]), np.int64)
    for column in cells:
        own = np.unique(column, return_inverse=True)[1]
        place = np.unique(place * (own.max() + 1) + own, return_inverse=True)[1]
    return place


def _alike(homes: Homes, cells: Ints) -> Ints:
    """Equal numbers for households whose members have the same cells, in whatever order."""
    order, place = np.lexsort((cells, homes.of_record)), np.zeros(len(homes), np.int64)
    for member in range(homes.sizes.max()):
        there = np.flatnonzero(homes.sizes > member)
        place[there] = _combined(place[there], cells[order[homes.starts[there] + member]])
    return _combined(homes.sizes, place)
