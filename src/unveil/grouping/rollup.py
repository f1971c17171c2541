"""Distinct rows with counts, rolled up to any level of each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.grouping.classes import (
    DISTINCT,
    EQUAL,
    ORDERED,
    SIZE,
    Classes,
    ClassRules,
    agreement_labels,
    restrict_rules,
    satisfies,
)
from unveil.support.arrays import Bools, Ints

Levels = Sequence[int]


DENSE = 4  # so many times as many places as rows may be laid out rather than sorted


class Ladder(NamedTuple):
    """The levels of one attribute: each puts together groups of the one before."""

    groups: Ints  # levels x values: the group of each value, numbered from 0
    sizes: Ints  # how many groups each level has

    @classmethod
    def of(cls, groups: Ints) -> Ladder:
        """The levels of groups that are numbered without a gap."""
        return cls(groups, groups.max(axis=1) + 1)


@dataclass(frozen=True, repr=False, eq=False)
class RolledRows:
    """Distinct rows, how often each stands in some files, and which row each record is.

    The first file is the one to release; the others are only counted.

    >>> rows = RolledRows.of([np.array([[0, 1], [0, 0], [0, 1]])])
    >>> rows.counts.ravel().tolist(), rows.of_record.tolist()
    ([1, 2], [1, 0, 1])
    """

    values: Ints  # attributes x rows: the number of each value
    counts: Ints  # rows x files
    of_record: Ints  # of the first file

    @classmethod
    def of(cls, files: Sequence[Ints]) -> RolledRows:
        """The distinct rows of files of records x attributes."""
        values = np.concatenate(files).T
        labels = numbered(values)
        parts = np.split(labels, np.cumsum([len(file) for file in files])[:-1])
        many = int(labels.max()) + 1
        counts = np.column_stack([np.bincount(part, minlength=many) for part in parts])
        return cls(values[:, _first(labels)], counts, parts[0])

    def labels(self, ladders: Sequence[Ladder], levels: Levels) -> Ints:
        """The class of each row where every attribute is at a level; numbered from 0."""
        cells = []
        for ladder, level, own in zip(ladders, levels, self.values, strict=True):
            if ladder.sizes[level] > 1:  # else everything is alike
                cells.append(ladder.groups[level][own])
        if not cells:
            return np.zeros(len(self.counts), np.int64)
        return numbered(cells)

    def rolled_up(self, ladders: Sequence[Ladder], levels: Levels) -> RolledRows:
        """Fewer rows, which say as much at these levels and above: one stands for a class."""
        labels = self.labels(ladders, levels)
        counts = np.zeros((int(labels.max()) + 1, self.counts.shape[1]), np.int64)
        np.add.at(counts, labels, self.counts)
        return RolledRows(self.values[:, _first(labels)], counts, labels[self.of_record])

    def only(self, attributes: Sequence[int]) -> RolledRows:
        """The distinct rows of some attributes."""
        values = self.values[list(attributes)]
        labels = numbered(values)
        counts = np.zeros((int(labels.max()) + 1, self.counts.shape[1]), np.int64)
        np.add.at(counts, labels, self.counts)
        return RolledRows(values[:, _first(labels)], counts, labels[self.of_record])


def numbered(columns: Sequence[Ints] | Ints) -> Ints:
    """A number for each row of columns, from 0 without a gap, the same for equal rows.

    Their order is that of the rows' contents.

    >>> numbered(np.array([[0, 1, 0], [2, 0, 2]])).tolist()
    [0, 1, 0]
    """
    key = agreement_labels(columns, len(columns[0]))
    size = int(key.max(initial=-1)) + 1
    if size > DENSE * len(key):
        return np.unique(key, return_inverse=True)[1]
    used = np.zeros(size, np.bool_)
    used[key] = True
    made: Ints = (np.cumsum(used) - 1)[key]
    return made


def _first(labels: Ints) -> Ints:
    """For each label the place of one that has it."""
    found = np.empty(int(labels.max()) + 1, np.int64)
    found[labels[::-1]] = np.arange(len(labels))[::-1]
    return found


class Diverse(NamedTuple):
    """Distinct l-diversity of one attribute: its values in each row, each pair once."""

    row: Ints
    value: Ints
    values: int
    least: float

    def of_classes(self, labels: Ints) -> Ints:
        """How many values each class has."""
        pairs = np.unique(labels[self.row] * self.values + self.value)
        return np.bincount(pairs // self.values, minlength=int(labels.max()) + 1)


@dataclass(frozen=True, repr=False, eq=False)
class Growing:
    """What classes keep that only grows with them: records, people elsewhere, distinct values.

    A class that keeps this does so however it is put together with others, so that fewer
    records break it the higher the levels are.
    """

    rows: RolledRows
    least: Ints  # records of each file in a class
    diverse: tuple[Diverse, ...]

    @classmethod
    def of(cls, rows: RolledRows, rules: ClassRules, people: Sequence[int]) -> Growing:
        """The part of some rules that grows, and how many people of each other file there are."""
        size = int(np.ceil(rules.bound[rules.kind == SIZE].max(initial=1.0)))
        diverse = []
        for rule in np.flatnonzero(rules.kind == DISTINCT):
            codes = rules.codes[rules.column[rule]].astype(np.int64) + 1
            many = int(codes.max()) + 1
            pairs = np.unique(rows.of_record * many + codes)
            diverse.append(Diverse(pairs // many, pairs % many, many, float(rules.bound[rule])))
        return cls(rows, np.array([size, *people]), tuple(diverse))

    def counted(self, labels: Ints) -> tuple[Ints, Bools]:
        """How many records each class has, and whether it breaks any of this."""
        counts = np.column_stack([_summed(labels, one) for one in self.rows.counts.T])
        broken = (counts < self.least).any(axis=1)
        for one in self.diverse:
            broken |= one.of_classes(labels) < one.least
        sizes: Ints = counts[:, 0]
        return sizes, broken & (sizes > 0)


def _summed(labels: Ints, counts: Ints) -> Ints:
    return np.bincount(labels, counts).astype(np.int64)  # exact below 2^53


def broken_records(rules: ClassRules, labels: Ints, broken: Bools, most: int) -> Bools:
    """Which records have to be left out for all the others to keep every rule.

    `labels` is the class of each record, `broken` those that are left out in any case.
    What is compared with the whole file, as t-closeness is, is compared with what is left of it:
    then others may break it, and go too, until all that are left keep it. Once more than `most`
    are out, no more are looked for.

    >>> from unveil.grouping.classes import Ask, Confidential, rules_of
    >>> rules = rules_of([Ask(DISTINCT, 0, 2.0)], [Confidential(np.array([0, 1, 1, 1]), 2)], 4)
    >>> broken_records(rules, np.array([0, 0, 1, 1]), np.zeros(4, bool), 4).tolist()
    [False, False, True, True]
    """
    out, everybody = broken.copy(), len(broken)
    of_whole = np.isin(rules.kind, (EQUAL, ORDERED)).any()
    while 0 < (kept := np.flatnonzero(~out)).size >= everybody - most:
        own = numbered([labels[kept]])
        classes = Classes.from_labels(own)
        members = kept[classes.members]
        if of_whole and len(kept) < everybody:
            good = satisfies(
                restrict_rules(rules, members), Classes(np.arange(len(kept)), classes.starts)
            )
        else:
            good = satisfies(rules, Classes(members, classes.starts))
        if good.all():
            break
        out[members] = np.repeat(~good, classes.sizes)
        if not of_whole:
            break
    return out
