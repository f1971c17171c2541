"""Channels of categories: sets that hold them, and other categories in their place."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Bools, Floats
from unveil.support.memory import require_memory
from unveil.table.encoding.generalised import CodeSets, code_sets, common_members
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel, Estimated

COPIES = 4  # of a transition matrix, while it is used


def require_transitions(n: int) -> None:
    """Refuse a transition matrix of n categories that the machine cannot hold."""
    remedy = "merge categories by global recoding, or leave the column out"
    require_memory(COPIES * 8 * n**2, f"a transition matrix of {n:,} categories", remedy)


@dataclass(frozen=True, repr=False, eq=False)
class Sets(Channel):
    """A category was replaced by a cell that stands for it and perhaps for others.

    The cell is the category, a set, a range of the order, a prefix, a group of the hierarchy or a
    star. Where there is a `table`, the category was first recoded by it.
    """

    table: dict[str, str] = field(default_factory=dict)  # other categories stayed

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        column = self.columns[0]
        listed = self.listed(common_categories(before, after, column))
        x = self.becomes(code_sets(before, column, listed))
        y = code_sets(after, column, listed)
        known = np.flatnonzero((x.cell >= 0) & (y.cell >= 0))
        found = np.zeros(len(x.cell), np.bool_)
        found[known] = ~common_members(x, y, x.cell[known], y.cell[known])
        return found

    def listed(self, categories: tuple[str, ...]) -> tuple[str, ...]:
        """All categories, with those that the table produces."""
        return tuple(dict.fromkeys((*categories, *self.table, *self.table.values())))

    def becomes(self, sets: CodeSets) -> CodeSets:
        """Each set after recoding by the table; its categories are `listed`."""
        place = {category: code for code, category in enumerate(sets.categories)}
        now = [place[self.table.get(category, category)] for category in sets.categories]
        return replace(sets, members=np.array(now, np.int32)[sets.members])

    def then(self, following: Channel) -> Sets | None:
        """A set of sets, unless its categories were recoded in between."""
        if not isinstance(following, Sets) or following.table:
            return None
        return Sets(self.columns, self.table)


class Relabelling(Channel):
    """A category was replaced by another: a step of a Markov chain."""

    estimated: ClassVar[Estimated | None] = "transitions"

    @property
    @abc.abstractmethod
    def named(self) -> tuple[str, ...]:
        """The categories that it names."""

    @abc.abstractmethod
    def probabilities(self, listed: tuple[str, ...]) -> Floats:
        """The transition matrix of these categories; those that it does not name stay."""

    def then(self, following: Channel) -> Channel | None:
        if not isinstance(following, Relabelling):
            return None
        listed = tuple(dict.fromkeys((*self.named, *following.named)))
        require_transitions(len(listed))
        runs = max(getattr(channel, "runs", 0) for channel in (self, following))
        steps = self.probabilities(listed), following.probabilities(listed)
        return Transition(self.columns, listed, np.einsum("ij,jk->ik", *steps), runs)


@dataclass(frozen=True, repr=False, eq=False)
class Recoding(Relabelling):
    """A category was replaced by another, always by the same."""

    table: dict[str, str]  # every category, including those that stay

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        x, y = codes(before, self.columns[0]), codes(after, self.columns[0])
        place = {category: code for code, category in enumerate(y.categories)}
        becomes = [place.get(self.table.get(category, ""), -2) for category in x.categories]
        expected = np.array([*becomes, -1])[x.codes]
        other: Bools = (x.codes >= 0) & (y.codes >= 0) & (y.codes != expected)
        return other

    @property
    def named(self) -> tuple[str, ...]:
        return (*self.table, *self.table.values())

    def probabilities(self, listed: tuple[str, ...]) -> Floats:
        place = {category: code for code, category in enumerate(listed)}
        matrix = np.eye(len(listed))
        for old, new in self.table.items():
            matrix[place[old]] = 0.0
            matrix[place[old], place[new]] = 1.0
        return matrix

    def then(self, following: Channel) -> Channel | None:
        """A recoding of a recoding is one, and so is a set of recoded categories a set."""
        if isinstance(following, Recoding):
            table = {old: following.table.get(new, new) for old, new in self.table.items()}
            return Recoding(self.columns, table)
        if isinstance(following, Sets) and not following.table:
            return Sets(self.columns, self.table)
        return super().then(following)


class EvenChanges(NamedTuple):
    """A transition matrix in which a category changes to every other with equal probability."""

    change: Floats  # the probability that each category changes
    occurs: Bools  # no category changes to one that does not occur

    @property
    def to_each(self) -> Floats:
        """The probability of a change from each category to any one other."""
        return self.change / max(int(self.occurs.sum()) - 1, 1)

    def matrix(self) -> Floats:
        """All probabilities; memory quadratic in the categories."""
        require_transitions(len(self.change))
        matrix = np.outer(self.to_each, self.occurs)
        np.fill_diagonal(matrix, 1.0 - self.change)
        return matrix

    def at(self, x: NDArray[np.int32], y: NDArray[np.int32]) -> Floats:
        """The probability that each category x becomes y."""
        chance: Floats = np.where(x == y, 1.0 - self.change[x], self.to_each[x] * self.occurs[y])
        return chance


@dataclass(frozen=True, repr=False, eq=False)
class Transition(Relabelling):
    """A category was replaced by one drawn from its row of the matrix."""

    categories: tuple[str, ...]
    transitions: Floats | EvenChanges
    runs: int = 0

    @property
    def matrix(self) -> Floats:
        """The transition probabilities, one row per category."""
        given = self.transitions
        return given.matrix() if isinstance(given, EvenChanges) else given

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        x, y = (codes(data, self.columns[0], self.categories).codes for data in (before, after))
        given = self.transitions
        chance = given.at(x, y) if isinstance(given, EvenChanges) else given[x, y]
        impossible: Bools = (x >= 0) & (y >= 0) & (chance <= 0)
        return impossible

    @property
    def named(self) -> tuple[str, ...]:
        return self.categories

    def probabilities(self, listed: tuple[str, ...]) -> Floats:
        at = [listed.index(category) for category in self.categories]
        matrix = np.eye(len(listed))
        matrix[at] = 0.0
        matrix[np.ix_(at, at)] = self.matrix
        return matrix
