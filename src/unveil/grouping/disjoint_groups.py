"""Records gathered into groups, each of which agrees in some attributes and keeps the rules.

A group tells the attributes of its mask and has a star in the others. Each record is in one group
or in none, so that what is counted on groups is counted on the released file.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from unveil.grouping.classes import SIZE, Classes, ClassRules, agreement_labels, satisfies
from unveil.grouping.kernels.lending import lend
from unveil.support.arrays import Bools, Floats, Ints, Ints32


def columns_of(mask: int, attributes: int) -> list[int]:
    """The attributes of a mask.

    >>> columns_of(0b101, 3)
    [0, 2]
    """
    return [j for j in range(attributes) if mask >> j & 1]


def masks_with(attributes: int, stars: int) -> list[int]:
    """The masks with so many stars.

    >>> [bin(mask) for mask in masks_with(3, 1)]
    ['0b110', '0b101', '0b11']
    """
    every = (1 << attributes) - 1
    return [every - sum(1 << j for j in some) for some in combinations(range(attributes), stars)]


class GroupBuilder:
    """Groups in the making."""

    def __init__(self, codes: Ints32, rules: ClassRules) -> None:
        self.codes = np.ascontiguousarray(codes.T)  # attributes x records; -1 equals no value
        self.rules = rules
        self.group: Ints = np.full(len(codes), -1)  # of each record; -1: none yet
        self.masks: Ints = np.zeros(0, np.int64)  # of each group

    @property
    def left(self) -> Ints:
        """The records that are in no group."""
        return np.flatnonzero(self.group < 0)

    def labels(self, mask: int, rows: Ints, extra: Ints | None = None) -> Ints:
        """A number for each record, the same for those who agree; -1 where one is unknown.

        `extra` is one more attribute of the records.
        """
        told = [self.codes[j, rows] for j in columns_of(mask, len(self.codes))]
        found = agreement_labels(told if extra is None else [extra[rows], *told], len(rows))
        for cells in told:
            found[cells < 0] = -1
        return found

    def _classes(self, labels: Ints, rows: Ints) -> Classes:
        """Records by their labels, but for those without one."""
        known = np.flatnonzero(labels >= 0)
        order = known[np.argsort(labels[known])]  # in which order within a class, is all the same
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        return Classes(rows[order], np.append(starts, len(order)))

    def _add(self, found: Classes, good: Bools, mask: int) -> None:
        """Make groups of the classes that are good."""
        number = len(self.masks) + np.arange(int(good.sum()))
        members = found.members[np.repeat(good, found.sizes)]
        self.group[members] = np.repeat(number, found.sizes[good])
        self.masks = np.append(self.masks, np.full(len(number), mask))

    def fill(self, masks: Iterable[int]) -> None:
        """Make groups of the records left that agree in a mask, mask after mask."""
        for mask in masks:
            left = self.left
            if not len(left):
                return
            found = self._classes(self.labels(mask, left), left)
            self._add(found, satisfies(self.rules, found), mask)

    def by_coverage(self, masks: Sequence[int]) -> list[int]:
        """Masks with the same number of stars: those first that would take in most records."""
        left = self.left
        taken = []
        for mask in masks:
            found = self._classes(self.labels(mask, left), left)
            taken.append(int(found.sizes[satisfies(self.rules, found)].sum()))
        return [masks[place] for place in np.argsort(-np.array(taken), kind="stable")]

    @property
    def told(self) -> Bools:
        """For each record and attribute whether its group tells it; nothing, if it is in none."""
        bits = np.append(self.masks, 0)[self.group]
        told: Bools = bits[:, None] >> np.arange(len(self.codes)) & 1 == 1
        return told

    def satisfying(
        self, rows: Ints, masks: Ints, within: Ints
    ) -> tuple[Ints, Ints, dict[int, Classes]]:
        """How many records satisfy each pattern: what a record has in a mask, within its class.

        And the records by mask, with the place of each pattern's among them.
        """
        sizes, places = np.empty((2, len(rows)), np.int64)
        every, by_mask = np.arange(len(self.group)), dict[int, Classes]()
        for mask in np.unique(masks).tolist():
            own = np.flatnonzero(masks == mask)
            labels = self.labels(mask, every, within)
            by_mask[mask] = found = self._classes(labels, every)
            listed = labels[found.members[found.starts[:-1]]]
            places[own] = np.searchsorted(listed, labels[rows[own]])
            sizes[own] = found.sizes[places[own]]
        return sizes, places, by_mask

    def take(self, rows: Ints, masks: Ints, within: Ints) -> None:
        """Make groups of patterns, the longest first, then the largest, by who is still left."""
        sizes, places, by_mask = self.satisfying(rows, masks, within)
        length = np.bitwise_count(masks).astype(np.int64)
        told = masks[:, None] >> np.arange(len(self.codes)) & 1 == 1
        cells = np.where(told, self.codes[:, rows].T, -1)  # where rows stand is all the same
        for one in np.lexsort((*cells.T, within[rows], masks, -sizes, -length)).tolist():
            found = by_mask[int(masks[one])]
            members = found.members[found.starts[places[one]] : found.starts[places[one] + 1]]
            members = members[self.group[members] < 0]
            if len(members):
                some = Classes(members, np.array([0, len(members)]))
                self._add(some, satisfies(self.rules, some), int(masks[one]))

    def append(self, within: Ints | None = None) -> None:
        """Let the records left join the groups that they agree with, the longest first."""
        before, a_member = self.group.copy(), self._first()
        for mask in sorted(set(self.masks.tolist()), key=lambda m: -m.bit_count()):
            groups, left = np.flatnonzero(self.masks == mask), self.left
            first = a_member[groups]
            labels = self.labels(mask, np.append(first, left), within)
            order = np.argsort(labels[: len(first)], kind="stable")
            listed = labels[order]
            place = np.minimum(np.searchsorted(listed, labels[len(first) :]), len(listed) - 1)
            same = (listed[place] == labels[len(first) :]) & (labels[len(first) :] >= 0)
            self.group[left[same]] = groups[order[place[same]]]
        broken = ~satisfies(self.rules, self.classes())
        back = (before < 0) & (self.group >= 0)
        back[back] = broken[self.group[back]]
        self.group[back] = -1

    def borrow(self, masks: Iterable[int]) -> None:
        """Make groups of records left, with some that groups of more than k can spare.

        Mask after mask: where too few of those left agree, others who agree with them come along,
        as many as are needed and no group falls below k by. For rules of size only.
        """
        if not self.by_size:
            return
        for mask in masks:
            left = self.left
            if not len(left):
                return
            spare = np.bincount(self.group[self.group >= 0], minlength=len(self.masks)) - self.k
            rich = np.flatnonzero(np.append(spare, 0)[self.group] > 0)
            labels = self.labels(mask, np.append(left, rich))
            mine, others = labels[: len(left)], labels[len(left) :]
            wanted = np.isin(others, mine[mine >= 0])
            rich, others = rich[wanted], others[wanted]
            asks = self._classes(mine, left)
            order = self._by_contents(rich, others)
            listed = mine[np.searchsorted(left, asks.members[asks.starts[:-1]])]
            starts = np.searchsorted(others[order], listed)
            stops = np.searchsorted(others[order], listed, side="right")
            made = lend(
                asks.members, asks.starts, rich[order], starts, stops, self.k, self.group, spare,
                np.empty(self.k, np.int64), len(self.masks),
            )  # fmt: skip
            self.masks = np.append(self.masks, np.full(made, mask))

    def _by_contents(self, rows: Ints, labels: Ints) -> Ints:
        """An order by label, and then by what the records hold, wherever they stand."""
        return np.lexsort((*self.codes[:, rows], labels))

    @property
    def by_size(self) -> bool:
        """Whether nothing is asked of a group but how many records it has."""
        return bool((self.rules.kind == SIZE).all())

    @property
    def k(self) -> int:
        """How many records a group has at least."""
        return int(self.rules.bound[self.rules.kind == SIZE].max(initial=1))

    def absorb(self, weights: Floats) -> bool:
        """Let each record left join the group that this costs least; false where none can take it.

        The group and the record then tell what they agree in.
        """
        self.append()
        for record in self.left.tolist():
            groups = self.classes()
            values = self.codes[:, groups.members[groups.starts[:-1]]]
            told = (self.masks >> np.arange(len(self.codes))[:, None] & 1) == 1
            agree = told & (values == self.codes[:, record, None])
            cost = (weights @ (told & ~agree)) * groups.sizes + weights @ ~agree
            for group in np.argsort(cost, kind="stable").tolist():
                own = groups.members[groups.starts[group] : groups.starts[group + 1]]
                some = Classes(np.append(own, record), np.array([0, len(own) + 1]))
                if satisfies(self.rules, some)[0]:
                    self.group[record] = group
                    self.masks[group] = sum(1 << j for j in np.flatnonzero(agree[:, group]))
                    break
            else:
                return False
        return True

    def classes(self) -> Classes:
        """The groups' records."""
        rows = np.flatnonzero(self.group >= 0)
        return self._classes(self.group[rows], rows)

    def _first(self) -> Ints:
        """A record of each group."""
        found = np.empty(len(self.masks), np.int64)
        rows = np.flatnonzero(self.group >= 0)
        found[self.group[rows]] = rows
        return found

    def refine(self) -> None:
        """Tell what can be told: split groups by what they have a star for, where rules allow."""
        every = (1 << len(self.codes)) - 1
        for mask in np.unique(self.masks).tolist():
            stars = columns_of(every & ~mask, len(self.codes))
            if len(stars) > 1:
                self._tell(mask, every & ~mask)
        for j in range(len(self.codes)):
            for mask in np.unique(self.masks).tolist():
                if not mask >> j & 1:
                    self._tell(mask, 1 << j)

    def _tell(self, mask: int, told: int) -> None:
        """Split the groups of a mask by more attributes.

        Those who agree with enough others make groups of their own; the others stay together.
        Where they are too few, the smallest of the new groups stays with them.
        """
        rows = np.flatnonzero(np.append(self.masks, -1)[self.group] == mask)  # -1: in none
        parts = self._classes(self.labels(told, rows, self.group), rows)
        if not len(parts.sizes):
            return
        group = self.group[parts.members[parts.starts[:-1]]]
        good = satisfies(self.rules, parts)
        if self.by_size:
            parts = self._sparing(rows, parts, group, good)
        for _ in range(2):
            stay = self._staying(rows, parts, good)
            broken = np.isin(group, stay)
            if not broken.any():
                break
            order = np.lexsort((parts.sizes, ~good, group))
            smallest = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
            good[smallest[np.isin(group[smallest], stay)]] = False
        good &= ~np.isin(group, self._staying(rows, parts, good))
        self._add(parts, good, mask | told)
        self._renumber()

    def _sparing(self, rows: Ints, parts: Classes, group: Ints, good: Bools) -> Classes:
        """The parts, of which some leave behind as many as the others of their group need.

        Where those who stay are too few, the largest part that has enough leaves some behind.
        """
        total = np.bincount(self.group[rows], minlength=len(self.masks))
        leave = np.bincount(group[good], parts.sizes[good], len(self.masks)).astype(np.int64)
        stay = total - leave
        needs = np.where((stay > 0) & (leave > 0), np.maximum(self.k - stay, 0), 0)
        order = np.lexsort((-parts.sizes, ~good, group))
        largest = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
        able = good[largest] & (parts.sizes[largest] - needs[group[largest]] >= self.k)
        fewer = np.zeros(len(parts.sizes), np.int64)
        fewer[largest[able]] = needs[group[largest[able]]]
        if not fewer.any():
            return parts
        inside = np.arange(len(parts.members)) - np.repeat(parts.starts[:-1], parts.sizes)
        label = np.repeat(np.arange(len(parts.sizes)), parts.sizes)
        order = self._by_contents(parts.members, label)  # who is left behind: wherever rows stand
        stays = inside >= np.repeat(fewer, parts.sizes)
        starts = np.append(0, np.cumsum(parts.sizes - fewer))
        return Classes(parts.members[order][stays], starts)

    def _staying(self, rows: Ints, parts: Classes, good: Bools) -> Ints:
        """The groups that lose some records, and whose others do not keep the rules."""
        leaves = np.zeros(len(self.group), np.bool_)
        leaves[parts.members] = np.repeat(good, parts.sizes)
        stay = rows[~leaves[rows]]
        others = self._classes(self.group[stay], stay)
        return self.group[others.members[others.starts[:-1]]][~satisfies(self.rules, others)]

    def _renumber(self) -> None:
        """Leave out groups that nobody is in any more."""
        there = np.bincount(self.group[self.group >= 0], minlength=len(self.masks)) > 0
        number = np.append(np.cumsum(there) - 1, -1)
        self.group, self.masks = number[self.group], self.masks[there]
