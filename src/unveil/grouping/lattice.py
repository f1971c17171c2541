"""The best levels for all attributes together: an exact search in the lattice of levels.

A node says at which level each attribute is. Above it are those with no attribute lower: their
classes are unions of its classes. Found is a node of the least loss among those at which at most
so many records have to be left out for the others to keep what is asked. No node is left out
that could be better:

- What grows with a class (records, people of a population, distinct values) is kept by a class
  however it is put together with others. So where too many records break it, too many do at
  every node below. That also holds for some of the attributes (LeFevre, DeWitt and Ramakrishnan,
  Incognito, 2005, Section 3): their classes are unions of those of all. So single attributes,
  pairs and triples are counted first, and each failure excludes all nodes that have such levels,
  or lower ones, in these attributes.
- What does not grow (entropy, recursive diversity, the share of a value, t-closeness) is kept by a
  union of classes that all keep it. So where no record may be left out, a node that fails excludes
  those below it. Where some may be, a class that keeps it may break it together with one
  that does not: then such a failure says nothing of any other node, and excludes itself only.
- A node whose bound (`Loss`) is not below the best loss found, nor then any above it.

Nodes are looked at along chains: from the one of the least bound upwards, the chain halved
until it is known where its nodes begin to do. The search is over when no node is left.

The lattice is an array of bounds, 8 bytes a node, or two of them where records may be left out, of
at most `MOST_NODES` nodes; each look counts the distinct rows of the file once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from unveil.grouping.classes import DISTINCT, ClassRules
from unveil.grouping.level_loss import CodedClasses, LevelLoss
from unveil.grouping.rollup import Growing, Ladder, RolledRows, broken_records
from unveil.support.arrays import Bools, Floats
from unveil.support.options import Progress

Node = tuple[int, ...]


MOST_NODES = 20_000_000
SUBSETS = 3  # attributes that are counted together before all are
PAYS = 4  # nodes that are left for each that has to be decided of a subset


@dataclass(frozen=True, repr=False, eq=False)
class LatticeProblem:
    """The rows, the levels of their attributes, what is asked of classes, and what is lost."""

    rows: RolledRows
    ladders: tuple[Ladder, ...]
    rules: ClassRules
    people: tuple[int, ...]  # how many a class has to have in each of the other files
    most: int  # records that may be left out
    loss: LevelLoss

    @property
    def shape(self) -> Node:
        """How many levels each attribute has."""
        return tuple(len(ladder.sizes) for ladder in self.ladders)

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.rows.of_record)


@dataclass(frozen=True, repr=False, eq=False)
class LatticeOptimum:
    """The best node, and how it was found."""

    levels: Node | None  # None: there is none
    loss: float
    left_out: int  # there; or the fewest at any node that was looked at
    looked: int  # nodes whose classes were counted
    subsets: int  # levels of one, two or three attributes that were counted
    nodes: int


@dataclass(frozen=True, repr=False, eq=False)
class Look:
    """What there is to see at a node."""

    cut: CodedClasses
    growing: Bools  # classes that break what grows
    broken: Bools  # classes that have to be left out

    @property
    def left_out(self) -> int:
        """How many records have to be left out."""
        return int(self.cut.sizes[self.broken].sum())

    @property
    def certain(self) -> int:
        """How many have to be left out here and at every node below."""
        return int(self.cut.sizes[self.growing].sum())


def look(
    problem: LatticeProblem, node: Node, growing: Growing | None = None, *, most: int | None = None
) -> Look:
    """Count the classes of a node, and those that have to be left out.

    Where what grows is already broken by too many records, the rest is not counted; and no
    more than `most` that break it are looked for, if given.
    """
    rows, rules = problem.rows, problem.rules
    labels = rows.labels(problem.ladders, node)
    counter = growing or Growing.of(rows, rules, problem.people)
    sizes, broken = counter.counted(labels)
    seen = Look(CodedClasses(rows, node, labels, sizes), broken, broken)
    if (rules.kind <= DISTINCT).all() or seen.certain > problem.most:
        return seen
    of_record = labels[rows.of_record]
    limit = problem.n if most is None else most
    gone = broken_records(rules, of_record, broken[of_record], limit)
    every = broken.copy()
    every[of_record[gone]] = True
    return replace(seen, broken=every)


def search(problem: LatticeProblem, progress: Progress | None = None) -> LatticeOptimum:
    """Find the node of the least loss at which few enough records are left out."""
    return _Search(problem, progress).run()


class _Search:
    """The lattice as far as it is known: of each node a bound, infinite where it is decided."""

    def __init__(self, problem: LatticeProblem, progress: Progress | None) -> None:
        self.problem, self.progress = problem, progress
        self.growing = Growing.of(problem.rows, problem.rules, problem.people)
        self.low = problem.loss.floor(problem.shape)
        self.best, self.left_out = np.inf, problem.n + 1
        self.levels: Node | None = None
        self.fewest = problem.n + 1
        self.looked = self.subsets = 0

    def run(self) -> LatticeOptimum:
        top = tuple(many - 1 for many in self.problem.shape)
        if self.certain_at(top):
            self.project()
            self.roll_up()
            while self.price(start := _place(self.low.argmin(), self.low.shape)) < np.inf:
                _halve(_chain(start, self.low.shape, self.price), self.visit)
                self.tell()
        found = self.left_out if self.levels is not None else self.fewest
        nodes = self.low.size
        return LatticeOptimum(self.levels, self.best, found, self.looked, self.subsets, nodes)

    def certain_at(self, top: Node) -> bool:
        """Whether what grows can be kept at all: at the top, then at least there."""
        seen = look(self.problem, top, self.growing)
        self.fewest = min(self.fewest, seen.left_out)
        self.looked += seen.certain > self.problem.most
        return seen.certain <= self.problem.most

    def price(self, node: Node) -> float:
        return float(self.low[node]) if self.low[node] < self.best else np.inf

    def visit(self, node: Node) -> bool:
        """Look at a node, take it if it is better, and say whether it does."""
        if self.price(node) == np.inf:  # by what was seen since the chain was made
            return False
        problem = self.problem
        enough = None if self.levels is None else problem.most  # who comes nearest matters no more
        seen = look(problem, node, self.growing, most=enough)
        self.looked += 1
        above = problem.loss.above(seen.cut)
        if above > 0:
            upper = self.low[_above(node)]
            np.maximum(upper, above, out=upper)
        self.low[node] = np.inf
        does = seen.left_out <= problem.most and seen.left_out < problem.n
        if not does:
            self.fewest = min(self.fewest, seen.left_out)
            if seen.certain > problem.most or problem.most == 0:
                self.low[_below(node)] = np.inf
            return False
        self._more_below(node, seen)
        loss = problem.loss.of(seen.cut, seen.broken)
        if (loss, seen.left_out) < (self.best, self.left_out):
            self.best, self.left_out, self.levels = loss, seen.left_out, node
        return True

    def _more_below(self, node: Node, seen: Look) -> None:
        more = self.problem.loss.more_below(seen.cut, seen.growing)
        if more > 0:
            lower = self.low[_below(node)]
            np.maximum(lower, self.floor[_below(node)] + more, out=lower)

    @cached_property
    def floor(self) -> Floats:
        """The bounds as they were before anything was looked at."""
        return self.problem.loss.floor(self.low.shape)

    def project(self) -> None:
        """Count one, two and three attributes by themselves, as long as that pays."""
        every = range(self.low.ndim)
        for size in range(1, min(SUBSETS, self.low.ndim - 1) + 1):
            for some in combinations(every, size):
                alive = np.isfinite(self.low)
                undecided = _along(alive, some)
                if undecided.sum() * PAYS <= alive.sum():
                    self._decide(some, undecided)
                    self.tell()

    def _decide(self, some: Sequence[int], undecided: Bools) -> None:
        """Exclude the levels of some attributes at which too many records break what grows."""
        rows = self.problem.rows.only(some)
        ladders = [self.problem.ladders[place] for place in some]
        growing = Growing.of(rows, self.problem.rules, self.problem.people)

        def does(levels: Node) -> bool:
            self.subsets += 1
            sizes, broken = growing.counted(rows.labels(ladders, levels))
            if int(sizes[broken].sum()) <= self.problem.most:
                undecided[_above(levels)] = False
                return True
            undecided[_below(levels)] = False
            whole = [slice(None)] * self.low.ndim
            for place, level in zip(some, levels, strict=True):
                whole[place] = slice(level + 1)
            self.low[tuple(whole)] = np.inf
            return False

        while undecided.any():
            start = _place(undecided.argmax(), undecided.shape)
            path = _chain(start, undecided.shape, lambda node: 0.0 if undecided[node] else np.inf)
            _halve(path, does)

    def roll_up(self) -> None:
        """Put together what is together at every node that is left."""
        alive, every = np.isfinite(self.low), range(self.low.ndim)
        if not alive.any():
            return
        lowest = [int(_along(alive, [place]).argmax()) for place in every]
        problem = self.problem
        rows = problem.rows.rolled_up(problem.ladders, lowest)
        self.problem = replace(problem, rows=rows)
        self.growing = Growing.of(rows, problem.rules, problem.people)

    def tell(self) -> None:
        if self.progress is not None:
            left = int((self.low < self.best).sum())
            self.progress(self.low.size - left, self.low.size)


def _along(alive: Bools, some: Sequence[int]) -> Bools:
    """For the levels of some attributes whether any node is left that has them."""
    others = tuple(place for place in range(alive.ndim) if place not in some)
    return np.asarray(alive.any(axis=others))


def _place(flat: np.intp, shape: Node) -> Node:
    return tuple(int(one) for one in np.unravel_index(flat, shape))


def _below(node: Node) -> tuple[slice, ...]:
    return tuple(slice(level + 1) for level in node)


def _above(node: Node) -> tuple[slice, ...]:
    return tuple(slice(level, None) for level in node)


def _chain(start: Node, shape: Node, price: Callable[[Node], float]) -> list[Node]:
    """Nodes one above the other, from a first one up, the cheapest next and then the evenest."""
    path = [start]
    while True:
        here, steps = path[-1], []
        for place, level in enumerate(here):
            if level + 1 < shape[place]:
                following = (*here[:place], level + 1, *here[place + 1 :])
                steps.append((price(following), (level + 1) / (shape[place] - 1), following))
        if not steps or (cheapest := min(steps))[0] == np.inf:
            return path
        path.append(cheapest[2])


def _halve(path: Sequence[Node], does: Callable[[Node], bool]) -> None:
    """Find where along a chain nodes begin to do."""
    first, last = 0, len(path)
    while first < last:
        middle = (first + last) // 2
        if does(path[middle]):
            last = middle
        else:
            first = middle + 1
