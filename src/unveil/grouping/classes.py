"""Classes of records that are alike, and what each has of what privacy models ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.grouping.kernels import diversity
from unveil.grouping.kernels.diversity import ClassRules, ClassScratch
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.compile import prepare

MOST = 2**62  # a number that can still be added to


@dataclass(frozen=True, repr=False, eq=False)
class Classes:
    """Records class by class.

    >>> found = Classes.of(np.array([1, 0, 1]))
    >>> found.members.tolist(), found.starts.tolist()
    ([1, 0, 2], [0, 1, 3])
    """

    members: Ints
    starts: Ints  # where each class begins; the last is the number of records

    @classmethod
    def of(cls, labels: Ints) -> Classes:
        """The classes of records by their labels, from 0; none of them is empty."""
        sizes = np.bincount(labels)
        return cls(np.argsort(labels, kind="stable"), np.append(0, np.cumsum(sizes)))

    @cached_property
    def sizes(self) -> Ints:
        """How many records each class has."""
        return np.diff(self.starts)

    def scatter(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each record the value of its class."""
        out = np.empty(len(self.members), values.dtype)
        out[self.members] = np.repeat(values, self.sizes)
        return out


def agreeing(columns: Iterable[Ints | Ints32], n: int) -> Ints:
    """A number for each of n records, the same for those who agree in all columns of codes from 0.

    >>> agreeing([np.array([0, 1, 0]), np.array([2, 2, 2])], 3).tolist()
    [2, 5, 2]
    """
    found, room = np.zeros(n, np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if room > MOST // width:
            listed, found = np.unique(found, return_inverse=True)
            room = len(listed)
        found = found * width + codes
        room *= width
    return found


class ClassRequirement(NamedTuple):
    """One number that every class has to keep."""

    kind: int  # one of kernels.diversity
    column: int  # of the confidential attributes; 0 where it is about none
    bound: float
    least: int = 0  # recursive diversity: l


class Confidential(NamedTuple):
    """A confidential attribute as codes in their order."""

    codes: Ints32  # -1 missing
    categories: int


def rules_of(
    asked: Sequence[ClassRequirement], attributes: Sequence[Confidential], n: int
) -> ClassRules:
    """What is asked of classes of n records, as arrays.

    >>> rules = rules_of([ClassRequirement(diversity.SIZE, 0, 2.0)], [], 3)
    >>> values_of(rules, Classes.of(np.array([1, 0, 1]))).tolist()
    [[1.0], [2.0]]
    """
    share, upto = [], []
    for one in attributes:
        counts = np.bincount(one.codes + 1, minlength=one.categories + 1)
        share.append(counts / n)
        known = max(int(counts[1:].sum()), 1)
        upto.append(np.append(0.0, np.cumsum(np.cumsum(counts[1:]) / known)))
    widths = [one.categories + 1 for one in attributes]
    return ClassRules(
        kind=np.array([one.kind for one in asked], np.int64),
        column=np.array([one.column for one in asked], np.int64),
        bound=np.array([one.bound for one in asked], np.float64),
        least=np.array([one.least for one in asked], np.int64),
        codes=np.array([one.codes for one in attributes], np.int32).reshape(len(attributes), n),
        offset=np.append(0, np.cumsum(widths, dtype=np.int64)).astype(np.int64),
        share=np.concatenate(share) if share else np.zeros(0),
        upto=np.concatenate(upto) if upto else np.zeros(0),
    )


def narrowed(rules: ClassRules, records: Ints) -> ClassRules:
    """The same rules of some of the records only, as if there were no others.

    >>> one = Confidential(np.array([0, 2, 2], np.int32), 3)
    >>> rules = rules_of([ClassRequirement(diversity.EQUAL, 0, 0.5)], [one], 3)
    >>> narrowed(rules, np.array([1, 2])).share.tolist()
    [0.0, 1.0]
    """
    attributes = []
    for codes, many in zip(rules.codes, np.diff(rules.offset), strict=True):
        here = codes[records]
        found = np.zeros(many, np.bool_)
        found[here + 1] = True
        number = np.cumsum(found) - 1 - int(found[0])  # without a gap; missing stays -1
        attributes.append(Confidential(number[here + 1].astype(np.int32), int(number[-1]) + 1))
    asked = map(ClassRequirement, rules.kind, rules.column, rules.bound, rules.least)
    return rules_of(list(asked), attributes, len(records))


def scratch_of(rules: ClassRules, largest: int) -> ClassScratch:
    """What kernels write on that look at classes of at most so many records."""
    return ClassScratch(np.empty(largest, np.int32), np.empty(rules.least.max(initial=0), np.int64))


def values_of(rules: ClassRules, classes: Classes) -> Floats:
    """For each class and each rule what the class has."""
    _ready()
    out = np.empty((len(classes.sizes), len(rules.kind)))
    scratch = scratch_of(rules, int(classes.sizes.max(initial=0)))
    diversity.class_values(rules, classes.members, classes.starts, scratch, out)
    return out


def keep(rules: ClassRules, classes: Classes) -> Bools:
    """For each class whether it keeps every rule.

    >>> rules = rules_of([ClassRequirement(diversity.SIZE, 0, 2.0)], [], 3)
    >>> keep(rules, Classes.of(np.array([1, 0, 1]))).tolist()
    [False, True]
    """
    if (rules.kind == diversity.SIZE).all():
        return np.asarray(classes.sizes >= rules.bound.max(initial=1))
    _ready()
    out = np.empty(len(classes.sizes), np.bool_)
    scratch = scratch_of(rules, int(classes.sizes.max(initial=0)))
    diversity.classes_keep(rules, classes.members, classes.starts, scratch, out)
    return out


def _ready() -> None:
    prepare("the privacy models", _rehearse)


def _rehearse() -> None:
    one = Confidential(np.zeros(1, np.int32), 1)
    rules, members = (
        rules_of([ClassRequirement(diversity.DISTINCT, 0, 1.0)], [one], 1),
        np.zeros(1, np.int64),
    )
    scratch, starts = scratch_of(rules, 1), np.array([0, 1])
    diversity.class_values(rules, members, starts, scratch, np.empty((1, 1)))
    diversity.classes_keep(rules, members, starts, scratch, np.empty(1, np.bool_))
