"""Equivalence classes of records, and what privacy models require of each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.grouping.kernels import diversity
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.compile import prepare

ClassRules = diversity.ClassRules
# The kinds of rules: lower bounds, then upper bounds.
SIZE, DISTINCT, ENTROPY = diversity.SIZE, diversity.DISTINCT, diversity.ENTROPY
RECURSIVE, SHARE = diversity.RECURSIVE, diversity.SHARE
EQUAL, ORDERED = diversity.EQUAL, diversity.ORDERED  # distances of t-closeness
LARGEST_LABEL = 2**62  # a number that can still be added to


@dataclass(frozen=True, repr=False, eq=False)
class Classes:
    """The records of a file, class by class.

    >>> found = Classes.from_labels(np.array([1, 0, 1]))
    >>> found.members.tolist(), found.starts.tolist()
    ([1, 0, 2], [0, 1, 3])
    """

    members: Ints
    starts: Ints  # where each class begins; the last is the number of records

    @classmethod
    def from_labels(cls, labels: Ints) -> Classes:
        """The classes of records by their labels, from 0; no class is empty."""
        sizes = np.bincount(labels)
        return cls(np.argsort(labels, kind="stable"), np.append(0, np.cumsum(sizes)))

    @cached_property
    def sizes(self) -> Ints:
        """The number of records of each class."""
        return np.diff(self.starts)

    def of(self, place: int) -> Ints:
        """The records of one class."""
        return self.members[self.starts[place] : self.starts[place + 1]]

    def scatter(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each record the value of its class."""
        out = np.empty(len(self.members), values.dtype)
        out[self.members] = np.repeat(values, self.sizes)
        return out


def agreement_labels(columns: Iterable[Ints | Ints32], n: int) -> Ints:
    """A label for each of n records, the same for records that agree in all columns of codes."""
    labels, room = np.zeros(n, np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if room > LARGEST_LABEL // width:
            listed, labels = np.unique(labels, return_inverse=True)
            room = len(listed)
        labels = labels * width + codes
        room *= width
    return labels


class ClassRequirement(NamedTuple):
    """A bound on one number of every class."""

    kind: int  # SIZE, DISTINCT, ...
    column: int  # of the confidential attributes; 0 where it is about none
    bound: float
    least: int = 0  # recursive diversity: l


class Confidential(NamedTuple):
    """A confidential attribute as codes in their order."""

    codes: Ints32  # -1 missing
    categories: int


def build_rules(
    requirements: Sequence[ClassRequirement], attributes: Sequence[Confidential], n: int
) -> ClassRules:
    """The requirements on classes of n records, as arrays for the kernels.

    >>> rules = build_rules([ClassRequirement(SIZE, 0, 2.0)], [], 3)
    >>> class_values(rules, Classes.from_labels(np.array([1, 0, 1]))).tolist()
    [[1.0], [2.0]]
    """
    share, upto = [np.zeros(0)], [np.zeros(0)]
    for attribute in attributes:
        counts = np.bincount(attribute.codes + 1, minlength=attribute.categories + 1)
        share.append(counts / n)
        known = max(int(counts[1:].sum()), 1)
        upto.append(np.append(0.0, np.cumsum(np.cumsum(counts[1:]) / known)))
    codes = np.array([attribute.codes for attribute in attributes], np.int32)
    widths = [attribute.categories + 1 for attribute in attributes]
    return ClassRules(
        kind=np.array([rule.kind for rule in requirements], np.int64),
        column=np.array([rule.column for rule in requirements], np.int64),
        bound=np.array([rule.bound for rule in requirements], np.float64),
        least=np.array([rule.least for rule in requirements], np.int64),
        codes=codes.reshape(len(attributes), n),
        offset=np.cumsum([0, *widths], dtype=np.int64),
        share=np.concatenate(share),
        upto=np.concatenate(upto),
    )


def restrict_rules(rules: ClassRules, records: Ints) -> ClassRules:
    """The same rules for some of the records, as if the file had no others."""
    attributes = []
    for codes, many in zip(rules.codes, np.diff(rules.offset), strict=True):
        here = codes[records]
        found = np.zeros(many, np.bool_)
        found[here + 1] = True
        number = np.cumsum(found) - 1 - int(found[0])  # without a gap; missing stays -1
        attributes.append(Confidential(number[here + 1].astype(np.int32), int(number[-1]) + 1))
    requirements = map(ClassRequirement, rules.kind, rules.column, rules.bound, rules.least)
    return build_rules(list(requirements), attributes, len(records))


def class_scratch(rules: ClassRules, largest: int) -> diversity.ClassScratch:
    """The scratch of kernels for classes of at most so many records."""
    largest_runs = np.empty(rules.least.max(initial=0), np.int64)
    return diversity.ClassScratch(np.empty(largest, np.int32), largest_runs)


def class_values(rules: ClassRules, classes: Classes) -> Floats:
    """For each class and each rule the value that the rule bounds."""
    prepare("the privacy models", _rehearse)
    out = np.empty((len(classes.sizes), len(rules.kind)))
    scratch = class_scratch(rules, int(classes.sizes.max(initial=0)))
    diversity.class_values(rules, classes.members, classes.starts, scratch, out)
    return out


def satisfies(rules: ClassRules, classes: Classes) -> Bools:
    """For each class whether it satisfies every rule."""
    if (rules.kind == SIZE).all():
        return np.asarray(classes.sizes >= rules.bound.max(initial=1))
    prepare("the privacy models", _rehearse)
    out = np.empty(len(classes.sizes), np.bool_)
    scratch = class_scratch(rules, int(classes.sizes.max(initial=0)))
    diversity.classes_keep(rules, classes.members, classes.starts, scratch, out)
    return out


def within_bound(kind: int, values: Floats, bound: float) -> Bools:
    """Whether values of a kind of rule keep its bound, up to rounding, as the kernels judge."""
    if kind <= ENTROPY:
        return np.asarray(values >= bound * (1 - diversity.SLACK))
    if kind == RECURSIVE:
        return np.asarray(values < bound * (1 - diversity.SLACK))
    return np.asarray(values <= bound + diversity.SLACK)


def _rehearse() -> None:
    attribute = Confidential(np.zeros(1, np.int32), 1)
    rules = build_rules([ClassRequirement(DISTINCT, 0, 1.0)], [attribute], 1)
    scratch, members, starts = class_scratch(rules, 1), np.zeros(1, np.int64), np.array([0, 1])
    diversity.class_values(rules, members, starts, scratch, np.empty((1, 1)))
    diversity.classes_keep(rules, members, starts, scratch, np.empty(1, np.bool_))
