"""Distinct rows with counts, generalised to any level of each attribute."""

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

DENSE_LABELS = 4  # up to so many labels per row, a table is faster than sorting


class Ladder(NamedTuple):
    """The generalisation levels of one attribute: each merges groups of the one before."""

    groups: Ints  # levels x values: the group of each value, numbered from 0
    sizes: Ints  # the number of groups of each level

    @classmethod
    def from_groups(cls, groups: Ints) -> Ladder:
        """The levels of groups that are numbered without a gap."""
        return cls(groups, groups.max(axis=1) + 1)


@dataclass(frozen=True, repr=False, eq=False)
class RolledRows:
    """Distinct rows, their counts in several files, and the row of each record.

    The first file is the one to release; the others are only counted.
    """

    values: Ints  # attributes x rows: the number of each value
    counts: Ints  # rows x files
    of_record: Ints  # of the first file

    @classmethod
    def from_files(cls, files: Sequence[Ints]) -> RolledRows:
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
        return numbered(cells) if cells else np.zeros(len(self.counts), np.int64)

    def roll_up(self, ladders: Sequence[Ladder], levels: Levels) -> RolledRows:
        """One row for each class at these levels: as much as they and higher levels tell apart."""
        return self._merge(self.values, self.labels(ladders, levels))

    def project(self, attributes: Sequence[int]) -> RolledRows:
        """The distinct rows of some attributes."""
        values = self.values[list(attributes)]
        return self._merge(values, numbered(values))

    def _merge(self, values: Ints, labels: Ints) -> RolledRows:
        counts = np.zeros((int(labels.max()) + 1, self.counts.shape[1]), np.int64)
        np.add.at(counts, labels, self.counts)
        return RolledRows(values[:, _first(labels)], counts, labels[self.of_record])


def numbered(columns: Sequence[Ints] | Ints) -> Ints:
    """A number for each row of columns, from 0 in the order of contents, the same for equals."""
    key = agreement_labels(columns, len(columns[0]))
    size = int(key.max(initial=-1)) + 1
    if size > DENSE_LABELS * len(key):
        return np.unique(key, return_inverse=True)[1]
    used = np.zeros(size, np.bool_)
    used[key] = True
    return np.asarray((np.cumsum(used) - 1)[key])


def _first(labels: Ints) -> Ints:
    """The first place of each label."""
    places = np.empty(int(labels.max()) + 1, np.int64)
    places[labels[::-1]] = np.arange(len(labels))[::-1]
    return places


class DistinctValues(NamedTuple):
    """Distinct l-diversity of one attribute: its values in each row, each pair once."""

    row: Ints
    value: Ints
    values: int
    least: float

    def of_classes(self, labels: Ints) -> Ints:
        """The number of values of each class."""
        pairs = np.unique(labels[self.row] * self.values + self.value)
        return np.bincount(pairs // self.values, minlength=int(labels.max()) + 1)


@dataclass(frozen=True, repr=False, eq=False)
class MonotoneRules:
    """The rules on numbers that grow with a class: records, population counts, distinct values.

    A class that satisfies them does so in every union with others, so that fewer records break
    them the higher the levels are.
    """

    rows: RolledRows
    least: Ints  # records of each file in a class
    distinct: tuple[DistinctValues, ...]

    @classmethod
    def select(cls, rows: RolledRows, rules: ClassRules, people: Sequence[int]) -> MonotoneRules:
        """The monotone ones of the rules, and the least count of a class in each other file."""
        size = int(np.ceil(rules.bound[rules.kind == SIZE].max(initial=1.0)))
        distinct = []
        for rule in np.flatnonzero(rules.kind == DISTINCT):
            codes = rules.codes[rules.column[rule]].astype(np.int64) + 1
            many = int(codes.max()) + 1
            pairs = np.unique(rows.of_record * many + codes)
            bound = float(rules.bound[rule])
            distinct.append(DistinctValues(pairs // many, pairs % many, many, bound))
        return cls(rows, np.array([size, *people]), tuple(distinct))

    def count(self, labels: Ints) -> tuple[Ints, Bools]:
        """The records of each class, and whether it breaks any of the rules."""
        counts = np.column_stack(
            [np.bincount(labels, file) for file in self.rows.counts.T]  # exact below 2^53
        ).astype(np.int64)
        broken = (counts < self.least).any(axis=1)
        for attribute in self.distinct:
            broken |= attribute.of_classes(labels) < attribute.least
        sizes: Ints = counts[:, 0]
        return sizes, broken & (sizes > 0)


def broken_records(rules: ClassRules, labels: Ints, broken: Bools, most: int) -> Bools:
    """The records to leave out so that all the others satisfy every rule.

    `labels` is the class of each record, `broken` the records that are left out in any case.
    Rules that compare with the whole file, as t-closeness does, compare with what remains of it:
    then further records may break them, until all that remain satisfy them. The search stops once
    more than `most` are out.
    """
    out, everybody = broken.copy(), len(broken)
    of_whole = np.isin(rules.kind, (EQUAL, ORDERED)).any()
    while 0 < (kept := np.flatnonzero(~out)).size >= everybody - most:
        classes = Classes.from_labels(numbered([labels[kept]]))
        members = kept[classes.members]
        if of_whole and len(kept) < everybody:
            remaining = Classes(np.arange(len(kept)), classes.starts)
            good = satisfies(restrict_rules(rules, members), remaining)
        else:
            good = satisfies(rules, Classes(members, classes.starts))
        if good.all():
            break
        out[members] = np.repeat(~good, classes.sizes)
        if not of_whole:
            break
    return out
