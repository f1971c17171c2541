"""Hierarchies: categories, their groups, and the groups of these, level by level.

A hierarchy is a table. Each row is a category, level 0, and its ever coarser groups, levels 1 and
up. A label may occur at several levels (a group of one may have the name of its member), and then
means the union of its meanings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SchemaError
from unveil.wording import count

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, repr=False, eq=False)
class Hierarchy:
    """The levels of a declared hierarchy as arrays.

    >>> jobs = Hierarchy.of([["nurse", "health"], ["clerk", "office"], ["doctor", "health"]])
    >>> jobs.leaves, jobs.labels[1], jobs.codes[1].tolist()
    (('nurse', 'clerk', 'doctor'), ('health', 'office'), [0, 1, 0])
    >>> jobs.below("health")
    ('nurse', 'doctor')
    """

    labels: tuple[tuple[str, ...], ...]  # of each level, its groups in the order of the rows
    codes: NDArray[np.int32]  # levels x leaves: the group of each leaf

    @classmethod
    def of(cls, rows: Rows) -> Hierarchy:
        """The levels of a table that has passed `check_hierarchy`."""
        labels, codes = [], []
        for level in zip(*rows, strict=True):
            groups = {label: code for code, label in enumerate(dict.fromkeys(level))}
            labels.append(tuple(groups))
            codes.append([groups[label] for label in level])
        return cls(tuple(labels), np.array(codes, np.int32).reshape(len(labels), len(rows)))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The categories, in the order of the rows."""
        return self.labels[0] if self.labels else ()

    @property
    def depth(self) -> int:
        """The number of levels above the categories."""
        return max(len(self.labels) - 1, 0)

    def below(self, label: str) -> tuple[str, ...]:
        """The categories below a label, in the order of the rows; none if it is unknown."""
        return self._below.get(label, ())

    def __contains__(self, label: object) -> bool:
        return label in self._below

    @cached_property
    def _below(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for labels, codes in zip(self.labels, self.codes.tolist(), strict=True):
            for leaf, code in zip(self.leaves, codes, strict=True):
                found.setdefault(labels[code], {})[leaf] = None
        place = {leaf: number for number, leaf in enumerate(self.leaves)}
        return {label: tuple(sorted(own, key=place.__getitem__)) for label, own in found.items()}


def check_hierarchy(rows: Rows) -> None:
    """Refuse a hierarchy with a hole, a group with two parents or a label above itself."""
    parents: dict[tuple[int, str], str] = {}
    above: dict[str, set[str]] = {}
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        _check_row(row, number, len(rows[0]))
        if row[0] in seen:
            raise SchemaError(
                f"the hierarchy lists the category of row {number} twice, at level 0; "
                "give each category one row"
            )
        seen.add(row[0])
        for depth, (label, parent) in enumerate(pairwise(row)):
            if parents.setdefault((depth, label), parent) != parent:
                raise SchemaError(
                    f"in the hierarchy, a group at level {depth} belongs to two groups of level "
                    f"{depth + 1} (second one in row {number}); give it one parent"
                )
            if label == parent or parent in above.get(label, ()):
                continue
            if _reaches(above, parent, label):
                raise SchemaError(
                    f"in the hierarchy, a label at level {depth} of row {number} is its own "
                    f"ancestor; give groups of level {depth + 1} names that differ from their "
                    "members"
                )
            above.setdefault(label, set()).add(parent)


def _check_row(row: Sequence[str], number: int, width: int) -> None:
    rule = "each row is a category and its coarser groups, as many in every row, none of them blank"
    if len(row) < 2 or len(row) != width:
        other = f", and row 1 has {width}" if width != len(row) else ""
        raise SchemaError(
            f"the hierarchy has a hole in row {number}, which has {count(len(row), 'level')}"
            f"{other}: {rule}"
        )
    if "" in row:
        raise SchemaError(
            f"the hierarchy has a hole in row {number}, at level {row.index('')}: {rule}"
        )


def _reaches(above: dict[str, set[str]], start: str, goal: str) -> bool:
    waiting, met = [start], {start}
    while waiting:
        label = waiting.pop()
        if label == goal:
            return True
        new = above.get(label, set()) - met
        met |= new
        waiting += new
    return False
