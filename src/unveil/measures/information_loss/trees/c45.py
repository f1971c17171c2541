"""C4.5: decision trees on nominal attributes, with the conventions of Weka's J48.

Quinlan, C4.5: Programs for Machine Learning (1993), chapters 2 (gain ratio), 3 (unknown values) and
4 (pruning). Codes count from 0, and -1 is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Bools, Floats, Ints

SMALL = 1e-6  # weights and entropies that differ by less are equal
NEARLY_AVERAGE = 1e-3  # how far below the average a gain may be
COLLAPSED = 1e-3  # training errors that a subtree must spare
PRUNED = 0.1  # expected errors that a subtree must spare
MANY = 0.3  # an attribute with more values than this share of the records has many


@dataclass(eq=False, repr=False)
class Node:
    """Records with weights, and the branches that they go down; a leaf has none."""

    rows: Ints
    weights: Floats
    own: Floats  # the weight of each class
    attribute: int | None = None
    sons: list[Node] = field(default_factory=list)

    @property
    def leaves(self) -> int:
        """How many leaves there are, those that no record has come to among them."""
        return sum(son.leaves for son in self.sons) or 1

    @property
    def wrong(self) -> float:
        """The weight of the records that the tree classes wrongly."""
        return sum(son.wrong for son in self.sons) if self.sons else wrong(self.own)

    def shares(self) -> Floats:
        """How much of the weight goes down each branch."""
        return np.array([float(son.own.sum()) for son in self.sons]) / float(self.own.sum())

    def collapse(self) -> None:
        """Make leaves of trees that err no less on their own records."""
        if self.sons and self.wrong >= wrong(self.own) - COLLAPSED:
            self.sons = []
        for son in self.sons:
            son.collapse()

    def answer(self, codes: Ints, rows: Ints, weights: Floats, chances: Floats) -> None:
        """Add to each record's chances what the tree says of it, by its weight."""
        if not self.sons:
            chances[rows] += np.outer(weights, self.own / self.own.sum())
            return
        told = codes[rows, self.attribute]
        for code, (son, share) in enumerate(zip(self.sons, self.shares(), strict=True)):
            here = told == code
            if not son.sons and son.own.sum() < SMALL:  # nobody came: the parent answers
                chances[rows[here]] += np.outer(weights[here], self.own / self.own.sum())
                continue
            parts = np.where(here, weights, share * weights)
            here |= told < 0
            if here.any():
                son.answer(codes, rows[here], parts[here], chances)


class C45:
    """A tree that predicts the class from nominal attributes.

    Parameters
    ----------
    codes, classes
        The records: a code for each attribute, and the class.
    values
        How many values each attribute has.
    weights
        How much each record counts; all the same, if not given.
    least
        The weight that two branches of a split must have.
    confidence
        How pessimistic pruning is (0 to 0.5, less prunes more); None: it is not pruned.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    >>> tree = C45(codes, np.array([0, 0, 1, 1] * 3), values=[2, 2])
    >>> tree.predict(np.array([[1, 0], [0, -1]])).tolist(), tree.root.leaves
    ([1, 0], 2)
    """

    def __init__(
        self, codes: Ints, classes: Ints, *, values: Sequence[int], weights: Floats | None = None,
        least: float = 2, confidence: float | None = 0.25,
    ) -> None:  # fmt: skip
        self.codes, self.classes, self.values = codes, classes, np.asarray(values)
        self.least, self.confidence, self.many = least, confidence, int(classes.max()) + 1
        self._check(codes)
        few = self.values < MANY * len(codes) - SMALL
        self._averaged = few if few.any() else ~few
        # One table for all attributes, where the last value of each stands for the missing.
        self._starts = np.cumsum(self.values + 1) - self.values - 1
        cells = self._starts + np.where(codes < 0, self.values, codes)
        self._cells = cells * self.many + classes[:, None]
        weights = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
        self.root = self._grown(np.arange(len(codes)), weights)
        self.root.collapse()
        if confidence is not None:
            self._prune(self.root)

    def predict(self, codes: Ints) -> Ints:
        """The likeliest class of each record, the first of several."""
        found: Ints = self.chances(codes).argmax(axis=1)
        return found

    def chances(self, codes: Ints) -> Floats:
        """How likely each class is.

        A missing value goes all ways, in proportion to the records that went there.
        """
        self._check(codes)
        chances = np.zeros((len(codes), self.many))
        self.root.answer(codes, np.arange(len(codes)), np.ones(len(codes)), chances)
        return chances

    def _check(self, codes: Ints) -> None:
        if codes.ndim != 2 or codes.shape[1] != len(self.values) or (codes >= self.values).any():
            raise UsageError("codes are records by attributes, and below the number of values")

    def _grown(self, rows: Ints, weights: Floats) -> Node:
        node = Node(rows, weights, self._count(rows, weights))
        node.attribute = self._best(node)
        if node.attribute is not None:
            node.sons = [self._grown(*part) for part in self._split(node.attribute, rows, weights)]
        return node

    def _count(self, rows: Ints, weights: Floats) -> Floats:
        found: Floats = np.bincount(self.classes[rows], weights, self.many).astype(np.float64)
        return found

    def _best(self, node: Node) -> int | None:
        """The attribute with the best gain ratio among those of at least average gain."""
        if node.own.sum() < 2 * self.least - SMALL or wrong(node.own) < SMALL:
            return None
        gains, ratios, useful = self.gains(node)
        averaged = useful & self._averaged
        if not averaged.any():
            return None
        useful &= gains >= gains[averaged].mean() - NEARLY_AVERAGE
        best, most = None, SMALL
        for attribute in np.flatnonzero(useful & (ratios > SMALL)):
            if ratios[attribute] > most:
                best, most = int(attribute), ratios[attribute] + SMALL
        return best

    def gains(self, node: Node) -> tuple[Floats, Floats, Bools]:
        """The gain and the gain ratio of each attribute, and whether two branches are large."""
        cells, total = self._cells[node.rows], node.own.sum()
        size, missing = int(self.values.sum()) + len(self.values), self._starts + self.values
        weights = np.repeat(node.weights, cells.shape[1])
        table = np.bincount(cells.ravel(), weights, size * self.many).astype(np.float64)
        table = table.reshape(size, self.many)
        bags = table.sum(axis=1)
        split = entropy(total) - np.add.reduceat(entropy(bags), self._starts)
        known = total - bags[missing]
        table[missing] = bags[missing] = 0
        saved = entropy(known) - entropy(np.add.reduceat(table, self._starts)).sum(axis=1)
        within = entropy(bags) - entropy(table).sum(axis=1)
        saved -= np.add.reduceat(within, self._starts)
        # Over the known, times the rate of the known.
        gains = np.where(np.abs(saved * known / total) < SMALL, 0, saved / total)
        ratios = np.divide(gains * total, split, out=np.zeros(len(gains)), where=split >= SMALL)
        large = (bags > self.least - SMALL).astype(np.int64)
        return gains, ratios, np.add.reduceat(large, self._starts) > 1

    def _split(self, attribute: int, rows: Ints, weights: Floats) -> list[tuple[Ints, Floats]]:
        """The records of each branch; the missing go down every one in part."""
        codes, many = self.codes[rows, attribute], int(self.values[attribute])
        known = codes >= 0
        bags = np.bincount(codes[known], weights[known], many)
        shares = bags / bags.sum() if bags.sum() >= SMALL else np.full(many, 1 / many)
        parts = []
        for code, share in enumerate(shares):
            here = codes == code
            if share > SMALL:
                here |= ~known
            part = np.where(known[here], 1.0, share)
            parts.append((rows[here], weights[here] * part))
        return parts

    def _expected(self, own: Floats) -> float:
        """The errors to expect of a leaf."""
        total, seen = float(own.sum()), wrong(own)
        return 0.0 if total < SMALL else seen + extra_errors(total, seen, self.confidence or 0)

    def _expected_of(self, node: Node) -> float:
        if not node.sons:
            return self._expected(node.own)
        return sum(self._expected_of(son) for son in node.sons)

    def _expected_with(self, node: Node, rows: Ints, weights: Floats) -> float:
        """The errors to expect of a tree, were these records its own."""
        if not node.sons or node.attribute is None:
            return self._expected(self._count(rows, weights))
        parts = self._split(node.attribute, rows, weights)
        pairs = zip(node.sons, parts, strict=True)
        return sum(self._expected_with(son, *part) for son, part in pairs)

    def _prune(self, node: Node) -> None:
        """Put a leaf or the largest branch in place of a tree where that errs hardly more."""
        if not node.sons:
            return
        for son in node.sons:
            self._prune(son)
        shares = node.shares()
        largest = node.sons[np.flatnonzero(shares > shares.max() - SMALL)[-1]]
        raised = self._expected_with(largest, node.rows, node.weights)
        leaf, tree = self._expected(node.own), self._expected_of(node)
        if leaf <= min(tree, raised) + PRUNED + SMALL:
            node.sons = []
        elif raised <= tree + PRUNED + SMALL:
            node.attribute, node.sons = largest.attribute, largest.sons
            self._refill(node, node.rows, node.weights)
            self._prune(node)

    def _refill(self, node: Node, rows: Ints, weights: Floats) -> None:
        """Give a tree other records."""
        node.rows, node.weights, node.own = rows, weights, self._count(rows, weights)
        if node.sons and node.attribute is not None:
            parts = self._split(node.attribute, rows, weights)
            for son, part in zip(node.sons, parts, strict=True):
                self._refill(son, *part)


def extra_errors(weight: float, errors: float, confidence: float = 0.25) -> float:
    """The errors to expect beyond those seen: the upper limit of a binomial share, less these.

    By the normal approximation with continuity; exactly without errors, and between none and one
    along a line.

    >>> round(extra_errors(6, 0) / 6, 3), round((1 + extra_errors(16, 1)) / 16, 3)
    (0.206, 0.155)
    """
    if errors < 1:
        none = weight * (1 - float(confidence ** (1 / weight)))
        return none if errors == 0 else none + errors * (extra_errors(weight, 1, confidence) - none)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    z = NormalDist().inv_cdf(1 - confidence)
    share, spread = (errors + 0.5) / weight, z * z / weight
    width = z * float(np.sqrt((share - share * share) / weight + spread / (4 * weight)))
    return (share + spread / 2 + width) / (1 + spread) * weight - errors


def entropy(weights: Floats | float) -> Floats:
    """Each weight times its binary logarithm; 0 for none."""
    weights = np.asarray(weights, np.float64)
    logs: Floats = np.log2(weights, out=np.zeros_like(weights), where=weights >= SMALL)
    return weights * logs


def wrong(own: Floats) -> float:
    """The weight of all but the commonest class."""
    return float(own.sum() - own.max())
