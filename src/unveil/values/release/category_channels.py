"""Channels of categories: sets that hold them, and other categories in their place."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.memory import require_memory
from unveil.table.columns import labels_of
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

    only_coarser: ClassVar[bool] = True

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

    only_coarser: ClassVar[bool] = True

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

    def at(self, x: Ints, y: Ints) -> Floats:
        """The probability that each category x becomes y."""
        chance: Floats = np.where(x == y, 1.0 - self.change[x], self.to_each[x] * self.occurs[y])
        return chance


class AreaChanges(NamedTuple):
    """A transition matrix of areas in a hierarchy.

    Whoever leaves an area takes the place of any record, all alike, that shares as many levels of
    the hierarchy with it.
    """

    levels: Ints  # area x level: the place of the area that it is part of
    sizes: Ints  # the records of each area
    change: Floats  # the probability that a record leaves each area
    to_each: Floats  # area x levels in common: the probability that it takes one record's place

    @classmethod
    def counted(cls, levels: Ints, before: Ints, after: Ints) -> AreaChanges:
        """The matrix by the areas of records before and after; unseen is not impossible.

        Of what was done it has the share that left each area and, over all areas, the levels that
        they shared with their new area, but not who went where.
        """
        sizes, gone = np.bincount(before, minlength=len(levels)), before != after
        within = [np.bincount(level, sizes)[level] for level in levels.T]
        records = -np.diff([np.full(len(levels), len(before)), *within], axis=0).T
        common = (levels[before[gone]] == levels[after[gone]]).sum(1)
        share = (np.bincount(common, minlength=levels.shape[1]) + 1) * (records > 0)
        usual = (gone.sum() + 1) / (len(gone) + 2)
        leaving = np.bincount(before[gone], minlength=len(levels)) + usual
        change = np.where(share.any(1), leaving / (sizes + 1), 0.0)
        total = np.maximum(share.sum(1, keepdims=True), 1)
        return cls(levels, sizes, change, change[:, None] * share / total / np.maximum(records, 1))

    def matrix(self) -> Floats:
        """All probabilities; memory quadratic in the areas."""
        require_transitions(len(self.levels))
        areas = np.arange(len(self.levels))
        return self.at(areas[:, None], areas)

    def at(self, x: Ints, y: Ints) -> Floats:
        """The probability that each area x becomes y."""
        common = (self.levels[x] == self.levels[y]).sum(-1)
        to_each = np.column_stack([self.to_each, np.zeros(len(self.levels))])[x, common]
        chance: Floats = np.where(x == y, 1.0 - self.change[x], to_each * self.sizes[y])
        return chance


class MatrixChannel(Channel):
    """What has a matrix of transition probabilities, written out or by a formula."""

    transitions: Floats | EvenChanges | AreaChanges

    @property
    def matrix(self) -> Floats:
        """The transition probabilities, one row per category or combination."""
        given = self.transitions
        return given if isinstance(given, np.ndarray) else given.matrix()

    @abc.abstractmethod
    def places(self, data: Microdata) -> Ints:
        """The row of the matrix of each record; -1 for none."""

    def changes(
        self, before: Microdata, after: Microdata, places: tuple[Ints, Ints], size: int
    ) -> Floats | None:
        listed = np.full(size, -1)
        for file, where in zip((before, after), places, strict=True):
            listed[where] = self.places(file)
        known = np.flatnonzero(listed >= 0)
        matrix = np.eye(size)
        matrix[known] = 0.0
        matrix[np.ix_(known, known)] = self.matrix[np.ix_(listed[known], listed[known])]
        return matrix

    def excludes(self, before: Microdata, after: Microdata) -> Bools:
        x, y = self.places(before), self.places(after)
        given = self.transitions
        chance = given[x, y] if isinstance(given, np.ndarray) else given.at(x, y)
        impossible: Bools = (x >= 0) & (y >= 0) & (chance <= 0)
        return impossible


@dataclass(frozen=True, repr=False, eq=False)
class Transition(MatrixChannel, Relabelling):
    """A category was replaced by one drawn from its row of the matrix."""

    categories: tuple[str, ...]
    transitions: Floats | EvenChanges
    runs: int = 0

    @property
    def is_fitted(self) -> bool:
        return self.runs > 0

    def places(self, data: Microdata) -> Ints:
        return codes(data, self.columns[0], self.categories).codes.astype(np.int64)

    @property
    def named(self) -> tuple[str, ...]:
        return self.categories

    def probabilities(self, listed: tuple[str, ...]) -> Floats:
        at = [listed.index(category) for category in self.categories]
        matrix = np.eye(len(listed))
        matrix[at] = 0.0
        matrix[np.ix_(at, at)] = self.matrix
        return matrix


@dataclass(frozen=True, repr=False, eq=False)
class JointTransition(MatrixChannel):
    """The categories of several columns were replaced together, by a row of the matrix."""

    combinations: tuple[tuple[str, ...], ...]
    sizes: Ints  # the records of each combination
    transitions: Floats | AreaChanges

    estimated: ClassVar[Estimated | None] = "exchange"

    def places(self, data: Microdata) -> Ints:
        names = [str(j) for j in range(len(self.columns))]
        cells = pl.DataFrame([labels_of(data.column(column)) for column in self.columns])
        cells.columns = names
        listed = pl.DataFrame(self.combinations, dict.fromkeys(names, pl.String), orient="row")
        listed = listed.with_row_index("place")
        found = cells.join(listed, on=names, how="left", maintain_order="left")["place"]
        return found.cast(pl.Int64).fill_null(-1).to_numpy()

    def only(self, columns: Sequence[str]) -> JointTransition | Transition:
        """The transitions of some of the columns; of one column a matrix of its categories."""
        kept = [j for j, column in enumerate(self.columns) if column in columns]
        if len(kept) == len(self.columns) > 1:
            return self
        parts = [tuple(one[j] for j in kept) for one in self.combinations]
        listed = {part: place for place, part in enumerate(dict.fromkeys(parts))}
        member = np.zeros((len(parts), len(listed)))
        member[np.arange(len(parts)), [listed[part] for part in parts]] = 1.0
        sizes = np.einsum("ij,i->j", member, self.sizes)
        flows = np.einsum("ij,i,ik,kl->jl", member, self.sizes, self.matrix, member, optimize=True)
        names, matrix = tuple(self.columns[j] for j in kept), flows / sizes[:, None]
        if len(names) == 1:
            return Transition(names, tuple(part[0] for part in listed), matrix)
        return JointTransition(names, tuple(listed), sizes, matrix)

    def evenly(self, change: float) -> JointTransition:
        """The same if a share of the records take the combination of any other."""
        matrix = (1 - change) * np.eye(len(self.sizes)) + change * self.sizes / self.sizes.sum()
        return replace(self, transitions=matrix)
