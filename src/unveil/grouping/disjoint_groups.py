"""Disjoint groups of records, each of which agrees in some attributes and satisfies the rules.

A group publishes the attributes of its mask and has a star in the others. Each record is in one
group or in none, so that counts on the groups are counts on the released file.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from unveil.grouping.classes import SIZE, Classes, ClassRules, agreement_labels, satisfies
from unveil.grouping.kernels.suppression import lend
from unveil.support.arrays import Bools, Floats, Ints, Ints32


def mask_columns(mask: int, attributes: int) -> list[int]:
    """The attributes of a mask."""
    return [j for j in range(attributes) if mask >> j & 1]


def masks_with_stars(attributes: int, stars: int) -> list[int]:
    """The masks with so many stars."""
    every, columns = (1 << attributes) - 1, range(attributes)
    return [every - sum(1 << j for j in starred) for starred in combinations(columns, stars)]


class GroupBuilder:
    """Groups in construction, by phases that a mask calls in the order of its method.

    `add_groups` or `add_patterns` build groups of unassigned records; `join_groups`,
    `borrow_records` and `absorb_rest` place the remaining records; `split_groups` then publishes
    more attributes where the rules allow it.
    """

    def __init__(self, codes: Ints32, rules: ClassRules) -> None:
        self.codes = np.ascontiguousarray(codes.T)  # attributes x records; -1 equals no value
        self.rules = rules
        self.group: Ints = np.full(len(codes), -1)  # of each record; -1: none yet
        self.masks: Ints = np.zeros(0, np.int64)  # of each group
        self.by_size = bool((rules.kind == SIZE).all())  # no rule but on the number of records
        self.k = int(rules.bound[rules.kind == SIZE].max(initial=1))

    @property
    def unassigned(self) -> Ints:
        """The records that are in no group."""
        return np.flatnonzero(self.group < 0)

    @property
    def published(self) -> Bools:
        """For each record and attribute whether its group publishes it."""
        return _bits(np.append(self.masks, 0)[self.group], len(self.codes))

    def classes(self) -> Classes:
        """The records of the groups."""
        rows = np.flatnonzero(self.group >= 0)
        return _known_classes(self.group[rows], rows)

    def add_groups(self, masks: Iterable[int]) -> None:
        """Build groups of the unassigned records that agree in a mask, mask after mask."""
        for mask in masks:
            rows = self.unassigned
            if not len(rows):
                return
            self._add(_known_classes(self._labels(mask, rows), rows), mask)

    def by_coverage(self, masks: Sequence[int]) -> list[int]:
        """Masks with the same number of stars in the order of the records that they would cover."""
        rows = self.unassigned
        covered = []
        for mask in masks:
            classes = _known_classes(self._labels(mask, rows), rows)
            covered.append(int(classes.sizes[satisfies(self.rules, classes)].sum()))
        return [masks[place] for place in np.argsort(-np.array(covered), kind="stable")]

    def pattern_members(
        self, rows: Ints, masks: Ints, within: Ints
    ) -> tuple[Ints, Ints, dict[int, Classes]]:
        """The support of each pattern: the values of a row in a mask, within the row's class.

        And the records by mask, with the place of each pattern's among them.
        """
        sizes, places = np.empty((2, len(rows)), np.int64)
        records, by_mask = np.arange(len(self.group)), dict[int, Classes]()
        for mask in np.unique(masks).tolist():
            patterns = np.flatnonzero(masks == mask)
            labels = self._labels(mask, records, within)
            by_mask[mask] = classes = _known_classes(labels, records)
            listed = labels[classes.members[classes.starts[:-1]]]
            places[patterns] = np.searchsorted(listed, labels[rows[patterns]])
            sizes[patterns] = classes.sizes[places[patterns]]
        return sizes, places, by_mask

    def add_patterns(self, rows: Ints, masks: Ints, within: Ints) -> None:
        """Build groups of patterns from unassigned records: the longest first, then the largest."""
        sizes, places, by_mask = self.pattern_members(rows, masks, within)
        length = np.bitwise_count(masks).astype(np.int64)
        # Ties are ordered by contents, so that the order of the rows does not matter.
        cells = np.where(_bits(masks, len(self.codes)), self.codes[:, rows].T, -1)
        for pattern in np.lexsort((*cells.T, within[rows], masks, -sizes, -length)).tolist():
            members = by_mask[int(masks[pattern])].of(places[pattern])
            members = members[self.group[members] < 0]
            if len(members):
                self._add(Classes(members, np.array([0, len(members)])), int(masks[pattern]))

    def join_groups(self, within: Ints | None = None) -> None:
        """Let unassigned records join the groups that they agree with, the longest first."""
        before, grouped = self.group.copy(), np.flatnonzero(self.group >= 0)
        a_member = np.empty(len(self.masks), np.int64)
        a_member[self.group[grouped]] = grouped
        for mask in sorted(set(self.masks.tolist()), key=lambda m: -m.bit_count()):
            groups, rows = np.flatnonzero(self.masks == mask), self.unassigned
            labels = self._labels(mask, np.append(a_member[groups], rows), within)
            own, labels = labels[: len(groups)], labels[len(groups) :]
            order = np.argsort(own, kind="stable")
            place = np.minimum(np.searchsorted(own[order], labels), len(groups) - 1)
            same = (own[order][place] == labels) & (labels >= 0)
            self.group[rows[same]] = groups[order[place[same]]]
        broken = ~satisfies(self.rules, self.classes())
        back = (before < 0) & (self.group >= 0)
        back[back] = broken[self.group[back]]
        self.group[back] = -1

    def borrow_records(self, masks: Iterable[int]) -> None:
        """Build groups of unassigned records, with some that groups of more than k can spare.

        Mask after mask: where too few unassigned records agree, others that agree with them are
        moved, as many as are needed, as long as no group falls below k. For rules of size only.
        """
        if not self.by_size:
            return
        for mask in masks:
            rows = self.unassigned
            if not len(rows):
                return
            spare = np.bincount(self.group[self.group >= 0], minlength=len(self.masks)) - self.k
            rich = np.flatnonzero(np.append(spare, 0)[self.group] > 0)
            labels = self._labels(mask, np.append(rows, rich))
            labels, others = labels[: len(rows)], labels[len(rows) :]
            wanted = np.isin(others, labels[labels >= 0])
            rich, others = rich[wanted], others[wanted]
            needy = _known_classes(labels, rows)
            order = self._by_contents(rich, others)
            listed = labels[np.searchsorted(rows, needy.members[needy.starts[:-1]])]
            starts = np.searchsorted(others[order], listed)
            stops = np.searchsorted(others[order], listed, side="right")
            added = lend(
                needy.members, needy.starts, rich[order], starts, stops, self.k, self.group, spare,
                np.empty(self.k, np.int64), len(self.masks),
            )  # fmt: skip
            self.masks = np.append(self.masks, np.full(added, mask))

    def absorb_rest(self, weights: Floats) -> bool:
        """Let each unassigned record join the cheapest group; false where none can take it.

        The group then publishes the attributes in which the record agrees with it.
        """
        self.join_groups()
        for record in self.unassigned.tolist():
            groups = self.classes()
            values = self.codes[:, groups.members[groups.starts[:-1]]]
            published = np.ascontiguousarray(_bits(self.masks, len(self.codes)).T)
            agree = published & (values == self.codes[:, record, None])
            cost = (weights @ (published & ~agree)) * groups.sizes + weights @ ~agree
            for group in np.argsort(cost, kind="stable").tolist():
                members = groups.members[groups.starts[group] : groups.starts[group + 1]]
                joined = Classes(np.append(members, record), np.array([0, len(members) + 1]))
                if satisfies(self.rules, joined)[0]:
                    self.group[record] = group
                    self.masks[group] = sum(1 << j for j in np.flatnonzero(agree[:, group]))
                    break
            else:
                return False
        return True

    def split_groups(self) -> None:
        """Split groups by the attributes for which they have a star, where the rules allow it."""
        every = (1 << len(self.codes)) - 1
        for mask in np.unique(self.masks).tolist():
            if (every & ~mask).bit_count() > 1:
                self._split(mask, every & ~mask)
        for j in range(len(self.codes)):
            for mask in np.unique(self.masks).tolist():
                if not mask >> j & 1:
                    self._split(mask, 1 << j)

    def _split(self, mask: int, more: int) -> None:
        """Split the groups of a mask by more attributes.

        Records that agree with enough others become groups of their own; the others stay
        together. Where they are too few, the smallest of the new groups stays with them.
        """
        rows = np.flatnonzero(np.append(self.masks, -1)[self.group] == mask)  # -1: in none
        parts = _known_classes(self._labels(more, rows, self.group), rows)
        if not len(parts.sizes):
            return
        group = self.group[parts.members[parts.starts[:-1]]]
        good = satisfies(self.rules, parts)
        if self.by_size:
            parts = self._leave_enough(rows, parts, group, good)
        for _ in range(2):
            broken = self._broken_remainders(rows, parts, good)
            if not np.isin(group, broken).any():
                break
            order = np.lexsort((parts.sizes, ~good, group))
            smallest = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
            good[smallest[np.isin(group[smallest], broken)]] = False
        good &= ~np.isin(group, self._broken_remainders(rows, parts, good))
        self._add(parts, mask | more, good)
        there = np.bincount(self.group[self.group >= 0], minlength=len(self.masks)) > 0
        number = np.append(np.cumsum(there) - 1, -1)
        self.group, self.masks = number[self.group], self.masks[there]

    def _leave_enough(self, rows: Ints, parts: Classes, group: Ints, good: Bools) -> Classes:
        """The parts, of which the largest leaves behind what the rest of its group needs."""
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
        order = self._by_contents(parts.members, label)
        stays = inside >= np.repeat(fewer, parts.sizes)
        starts = np.append(0, np.cumsum(parts.sizes - fewer))
        return Classes(parts.members[order][stays], starts)

    def _broken_remainders(self, rows: Ints, parts: Classes, good: Bools) -> Ints:
        """The groups that lose some records, and whose others do not satisfy the rules."""
        leaves = np.zeros(len(self.group), np.bool_)
        leaves[parts.members] = np.repeat(good, parts.sizes)
        stay = rows[~leaves[rows]]
        others = _known_classes(self.group[stay], stay)
        return self.group[others.members[others.starts[:-1]]][~satisfies(self.rules, others)]

    def _labels(self, mask: int, rows: Ints, extra: Ints | None = None) -> Ints:
        """A label for each record, the same for records that agree; -1 where a cell is unknown.

        `extra` is one more attribute of the records.
        """
        cells = [self.codes[j, rows] for j in mask_columns(mask, len(self.codes))]
        labels = agreement_labels(cells if extra is None else [extra[rows], *cells], len(rows))
        for column in cells:
            labels[column < 0] = -1
        return labels

    def _add(self, classes: Classes, mask: int, good: Bools | None = None) -> None:
        """Make groups of the good classes: by default those that satisfy the rules."""
        good = satisfies(self.rules, classes) if good is None else good
        number = len(self.masks) + np.arange(int(good.sum()))
        members = classes.members[np.repeat(good, classes.sizes)]
        self.group[members] = np.repeat(number, classes.sizes[good])
        self.masks = np.append(self.masks, np.full(len(number), mask))

    def _by_contents(self, rows: Ints, labels: Ints) -> Ints:
        """An order by label, and then by the records' values, wherever they stand."""
        return np.lexsort((*self.codes[:, rows], labels))


def _known_classes(labels: Ints, rows: Ints) -> Classes:
    """Records by their labels, except those without one; their order in a class is arbitrary."""
    known = np.flatnonzero(labels >= 0)
    order = known[np.argsort(labels[known])]
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    return Classes(rows[order], np.append(starts, len(order)))


def _bits(masks: Ints, attributes: int) -> Bools:
    return np.asarray(masks[:, None] >> np.arange(attributes) & 1 == 1)
