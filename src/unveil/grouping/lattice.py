"""The best levels of all attributes together: an exact search in the lattice of levels.

A node gives the level of each attribute. Above it are the nodes with no attribute lower: their
classes are unions of its classes. The search finds a node of the least loss among those at which
at most so many records must be left out for the others to satisfy the rules. It prunes only nodes
that cannot be better:

- Monotone rules (records, population counts, distinct values) hold for every union of a class
  that satisfies them. So where too many records break them, too many do at every node below. The
  same holds for a subset of the attributes (LeFevre, DeWitt and Ramakrishnan, Incognito, 2005,
  Section 3), whose classes are unions of those of all. So single attributes, pairs and triples
  are counted first, and each failure excludes all nodes at or below these levels.
- Other rules (entropy, recursive diversity, the share of a value, t-closeness) hold for a union of
  classes that all satisfy them. So where no record may be left out, a failing node excludes those
  below it. Where some may be, a failure excludes only the node itself.
- A node whose bound (`LevelLoss`) is not below the best loss found, and then all above it.

Nodes are counted along chains, from the one of the least bound upwards, by bisection. The lattice
is an array of bounds, 8 bytes a node, or two of them where records may be left out, of at most
`MOST_NODES` nodes; each node that is counted costs one pass over the distinct rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from unveil.grouping.classes import DISTINCT, ClassRules
from unveil.grouping.level_loss import CodedClasses, LevelLoss
from unveil.grouping.rollup import Ladder, MonotoneRules, RolledRows, broken_records
from unveil.support.arrays import Bools, Floats
from unveil.support.options import Progress

Node = tuple[int, ...]

MOST_NODES = 20_000_000
MAX_SUBSET = 3  # attributes that are counted together before all are
NODES_PER_SUBSET = 4  # open nodes for each undecided choice of a subset, to make it pay


@dataclass(frozen=True, repr=False, eq=False)
class LatticeProblem:
    """The rows, the levels of their attributes, the rules on classes, and the loss."""

    rows: RolledRows
    ladders: tuple[Ladder, ...]
    rules: ClassRules
    people: tuple[int, ...]  # the least count of a class in each of the other files
    most: int  # records that may be left out
    loss: LevelLoss

    @property
    def shape(self) -> Node:
        """The number of levels of each attribute."""
        return tuple(len(ladder.sizes) for ladder in self.ladders)

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.rows.of_record)


@dataclass(frozen=True, repr=False, eq=False)
class LatticeOptimum:
    """The best node, and how it was found."""

    levels: Node | None  # None: there is none
    loss: float
    left_out: int  # there; or the fewest at any node that was counted
    looked: int  # nodes whose classes were counted
    subsets: int  # levels of one, two or three attributes that were counted
    nodes: int


@dataclass(frozen=True, repr=False, eq=False)
class NodeCounts:
    """The classes of a node, and those that must be left out."""

    cut: CodedClasses
    monotone: Bools  # classes that break a monotone rule
    broken: Bools  # classes that break any rule

    @property
    def left_out(self) -> int:
        """The records to leave out."""
        return int(self.cut.sizes[self.broken].sum())

    @property
    def left_out_below(self) -> int:
        """The records to leave out here and at every node below."""
        return int(self.cut.sizes[self.monotone].sum())


def count_node(
    problem: LatticeProblem,
    node: Node,
    monotone: MonotoneRules | None = None,
    *,
    most: int | None = None,
) -> NodeCounts:
    """Count the classes of a node, and those that must be left out.

    Where too many records break the monotone rules, the others are not counted; and the count of
    records to leave out stops beyond `most`, if given.
    """
    rows, rules = problem.rows, problem.rules
    labels = rows.labels(problem.ladders, node)
    monotone = monotone or MonotoneRules.select(rows, rules, problem.people)
    sizes, broken = monotone.count(labels)
    counts = NodeCounts(CodedClasses(rows, node, labels, sizes), broken, broken)
    if (rules.kind <= DISTINCT).all() or counts.left_out_below > problem.most:
        return counts
    of_record = labels[rows.of_record]
    limit = problem.n if most is None else most
    gone = broken_records(rules, of_record, broken[of_record], limit)
    broken = broken.copy()
    broken[of_record[gone]] = True
    return replace(counts, broken=broken)


def search(problem: LatticeProblem, progress: Progress | None = None) -> LatticeOptimum:
    """Find the node of the least loss at which few enough records are left out."""
    return _Search(problem, progress).run()


class _Search:
    """The state of the search: a lower bound for each node, infinite where it is decided."""

    def __init__(self, problem: LatticeProblem, progress: Progress | None) -> None:
        self.problem, self.progress = problem, progress
        self.monotone = MonotoneRules.select(problem.rows, problem.rules, problem.people)
        self.low = problem.loss.floor(problem.shape)
        self.best, self.left_out = np.inf, problem.n + 1
        self.levels: Node | None = None
        self.fewest = problem.n + 1
        self.looked = self.subsets = 0

    def run(self) -> LatticeOptimum:
        top = tuple(many - 1 for many in self.problem.shape)
        if self.possible_at(top):
            self.count_subsets()
            self.roll_up()
            while self.price(start := _place(self.low.argmin(), self.low.shape)) < np.inf:
                _bisect(_chain(start, self.low.shape, self.price), self.visit)
                self.report()
        found = self.left_out if self.levels is not None else self.fewest
        nodes = self.low.size
        return LatticeOptimum(self.levels, self.best, found, self.looked, self.subsets, nodes)

    def possible_at(self, top: Node) -> bool:
        """Whether the monotone rules can be satisfied at all: if so, at the top."""
        counts = count_node(self.problem, top, self.monotone)
        self.fewest = min(self.fewest, counts.left_out)
        self.looked += counts.left_out_below > self.problem.most
        return counts.left_out_below <= self.problem.most

    def price(self, node: Node) -> float:
        return float(self.low[node]) if self.low[node] < self.best else np.inf

    def visit(self, node: Node) -> bool:
        """Count a node, take it if it is better, and say whether it satisfies the rules."""
        if self.price(node) == np.inf:  # by what was counted since the chain was made
            return False
        problem = self.problem
        most = None if self.levels is None else problem.most  # the fewest matter no more
        seen = count_node(problem, node, self.monotone, most=most)
        self.looked += 1
        above = problem.loss.above(seen.cut)
        if above > 0:
            upper = self.low[_above(node)]
            np.maximum(upper, above, out=upper)
        self.low[node] = np.inf
        if seen.left_out > problem.most or seen.left_out >= problem.n:
            self.fewest = min(self.fewest, seen.left_out)
            if seen.left_out_below > problem.most or problem.most == 0:
                self.low[_below(node)] = np.inf
            return False
        more = problem.loss.more_below(seen.cut, seen.monotone)
        if more > 0:
            lower = self.low[_below(node)]
            np.maximum(lower, self.floor[_below(node)] + more, out=lower)
        loss = problem.loss.total(seen.cut, seen.broken)
        if (loss, seen.left_out) < (self.best, self.left_out):
            self.best, self.left_out, self.levels = loss, seen.left_out, node
        return True

    @cached_property
    def floor(self) -> Floats:
        """The bounds before any node was counted."""
        return self.problem.loss.floor(self.low.shape)

    def count_subsets(self) -> None:
        """Count one, two and three attributes by themselves, as long as that pays."""
        every = range(self.low.ndim)
        for size in range(1, min(MAX_SUBSET, self.low.ndim - 1) + 1):
            for subset in combinations(every, size):
                alive = np.isfinite(self.low)
                undecided = _along(alive, subset)
                if undecided.sum() * NODES_PER_SUBSET <= alive.sum():
                    self._decide(subset, undecided)
                    self.report()

    def _decide(self, subset: Sequence[int], undecided: Bools) -> None:
        """Exclude the levels of a subset at which too many records break the monotone rules."""
        rows = self.problem.rows.project(subset)
        ladders = [self.problem.ladders[place] for place in subset]
        monotone = MonotoneRules.select(rows, self.problem.rules, self.problem.people)

        def possible(levels: Node) -> bool:
            self.subsets += 1
            sizes, broken = monotone.count(rows.labels(ladders, levels))
            if int(sizes[broken].sum()) <= self.problem.most:
                undecided[_above(levels)] = False
                return True
            undecided[_below(levels)] = False
            whole = [slice(None)] * self.low.ndim
            for place, level in zip(subset, levels, strict=True):
                whole[place] = slice(level + 1)
            self.low[tuple(whole)] = np.inf
            return False

        while undecided.any():
            start = _place(undecided.argmax(), undecided.shape)
            path = _chain(start, undecided.shape, lambda node: 0.0 if undecided[node] else np.inf)
            _bisect(path, possible)

    def roll_up(self) -> None:
        """Merge the rows that are together at every open node."""
        alive, every = np.isfinite(self.low), range(self.low.ndim)
        if not alive.any():
            return
        lowest = [int(_along(alive, [place]).argmax()) for place in every]
        problem = self.problem
        rows = problem.rows.roll_up(problem.ladders, lowest)
        self.problem = replace(problem, rows=rows)
        self.monotone = MonotoneRules.select(rows, problem.rules, problem.people)

    def report(self) -> None:
        if self.progress is not None:
            left = int((self.low < self.best).sum())
            self.progress(self.low.size - left, self.low.size)


def _along(alive: Bools, subset: Sequence[int]) -> Bools:
    """For the levels of a subset of attributes whether any open node has them."""
    others = tuple(place for place in range(alive.ndim) if place not in subset)
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


def _bisect(path: Sequence[Node], does: Callable[[Node], bool]) -> None:
    """Find where along a chain nodes begin to satisfy the rules."""
    first, last = 0, len(path)
    while first < last:
        middle = (first + last) // 2
        if does(path[middle]):
            last = middle
        else:
            first = middle + 1
