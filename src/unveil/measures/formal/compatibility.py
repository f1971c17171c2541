"""Compatibility: whether an attack's probability over records is compatible with the true one.

Definition 3 of the paper on supervised linkage (section 2.4): P' is compatible with P if a
belief function Bel <= P has P' as its pignistic probability. Such a Bel spreads record i's
P(i) as a mixture of uniform distributions on sets that contain i, and these mixtures are the
distributions whose mode is i: P' = sum over i of P(i) K_i, each K_i with mode i. With
t_ij = P(i) K_i(j) that is a linear program.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import UsageError
from unveil.measures.formal.belief import Belief, probabilities
from unveil.support.arrays import Floats, Ints

# The distance changes by no more than either distribution does, so that rounding of some 1e-16 in
# each of a million records stays below this. The solver's tolerance is ten times smaller.
TOLERANCE = 1e-9
SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
MOST_PAIRS = 50_000  # in a program: more take minutes
MOST_PLANNED = 5000  # records of a plan, which is a matrix


class Kinds(NamedTuple):
    """Kinds of records: those with the same two probabilities are interchangeable."""

    kind: Ints  # of each record
    sizes: Floats  # records of each kind
    truth: Floats  # the true probability of all records of the kind
    attack: Floats  # the attack's

    @property
    def true(self) -> Ints:
        """The kinds whose records may be the true one."""
        return np.flatnonzero(self.truth > 0)

    @property
    def others(self) -> Floats:
        """For each true kind, how many other records each kind has than one record of it."""
        others = np.tile(self.sizes, (len(self.true), 1))
        others[np.arange(len(self.true)), self.true] -= 1
        return others


class Spread(NamedTuple):
    """The probability that each true kind keeps on its own records, and spreads on others."""

    kept: Floats
    spread: Floats  # true kinds x kinds


@dataclass(frozen=True, repr=False, eq=False)
class Compatibility:
    """Whether an attack's result is compatible with the truth, and the plan that shows it."""

    compatible: bool
    distance: float  # the least probability that must move for it to be compatible
    kinds: Kinds
    spread: Spread

    @property
    def plan(self) -> Floats:
        """The matrix t: t_ij is what true record i gives to record j, at most what it keeps.

        Rows sum to the truth, columns to the attack's result or the nearest compatible one.

        >>> compatible([0.3, 0.7], [0.6, 0.4]).plan.round(2).tolist()
        [[0.3, 0.3], [0.0, 0.4]]
        """
        kind, sizes = self.kinds.kind, self.kinds.sizes
        if len(kind) > MOST_PLANNED:
            raise UsageError(f"plan: a matrix for at most {MOST_PLANNED:,} records")
        per_other = np.zeros((len(sizes), len(sizes)))
        per_other[self.kinds.true] = self.spread.spread / np.maximum(self.kinds.others, 1)
        own = np.zeros(len(sizes))
        own[self.kinds.true] = self.spread.kept
        plan: Floats = (per_other / sizes[:, None])[kind[:, None], kind]
        np.fill_diagonal(plan, (own / sizes)[kind])
        return plan

    def belief(self) -> Belief:
        """The belief function of the definition: at most the truth on every set.

        Its pignistic probability is the attack's result, or the nearest compatible one.

        >>> compatible([0.5, 0.5], [1.0, 0.0]).belief().belief([0])
        0.0
        """
        plan, masses = self.plan, dict[frozenset[int], float]()
        for record in np.flatnonzero(plan.any(axis=1)).tolist():
            ranked = plan[record].copy()
            ranked[record] = np.inf  # first among ties
            order = np.argsort(-ranked, kind="stable")
            steps = -np.diff(plan[record][order], append=0.0)
            for size in (np.flatnonzero(steps > 0) + 1).tolist():
                members = frozenset(order[:size].tolist())
                masses[members] = masses.get(members, 0.0) + size * float(steps[size - 1])
        return Belief(len(plan), masses)

    def __repr__(self) -> str:
        away = "compatible" if self.compatible else f"not compatible, {self.distance:.4g} away"
        return f"Compatibility({away})"


def compatible(attack: ArrayLike, truth: ArrayLike) -> Compatibility:
    """Whether an attack's result is compatible with the true probability of each record.

    It is if there are t_ij >= 0 with sum_j t_ij = truth_i, sum_i t_ij = attack_j and
    t_ij <= t_ii. For a certain truth: if the true record is among the most probable. For a truth
    shared equally by records that the attack gives the same: if no other record is given more than
    these together. A uniform result is compatible with every truth.

    The true probability of a record is the one given everything that the masking did. The result
    has `compatible`; `distance`, the total variation distance between the attack's result and the
    nearest compatible one; and `plan`, the t_ij of that one.

    >>> compatible([0.2, 0.4, 0.4], [0.0, 1.0, 0.0]).compatible
    True
    >>> round(compatible([0.0, 1.0], [1.0, 0.0]).distance, 9)
    0.5
    """
    result, true = probabilities(attack, "attack"), probabilities(truth, "truth")
    if len(result) != len(true):
        raise UsageError(
            f"attack and truth: both need the same records, and have {len(result):,} and "
            f"{len(true):,}"
        )
    (true_kinds, result_kinds), kind, counts = np.unique(
        np.stack([true, result]), axis=1, return_inverse=True, return_counts=True
    )
    sizes = counts.astype(np.float64)
    kinds = Kinds(kind.ravel(), sizes, true_kinds * counts, result_kinds * counts)
    spread = by_filling(kinds) if len(kinds.true) == 1 else by_program(kinds)
    nearest = spread.spread.sum(axis=0)
    nearest[kinds.true] += spread.kept
    distance = float(np.maximum(kinds.attack - nearest, 0.0).sum())
    return Compatibility(distance <= TOLERANCE, distance, kinds, spread)


def by_filling(kinds: Kinds) -> Spread:
    """The nearest compatible result for a single true kind, in closed form.

    By symmetry the kind is one record with all its probability. That is raised, and all
    probabilities above it are cut, to one level: the largest mean of it and the m most probable
    others.
    """
    own = kinds.true[0]
    order = np.argsort(-kinds.attack / kinds.sizes)
    order = order[order != own]
    sums = np.cumsum(np.append(kinds.attack[own], kinds.attack[order]))
    level = (sums / np.cumsum(np.append(1.0, kinds.sizes[order]))).max()
    spread = np.minimum(kinds.attack, level * kinds.sizes)
    spread[own] = 0.0
    return Spread(np.array([1 - spread.sum()]), spread[None])


def by_program(kinds: Kinds) -> Spread:
    """The nearest compatible result for any truth, by the linear program, which has a solution."""
    from scipy.optimize import linprog

    n_true, others = len(kinds.true), kinds.others
    if others.size > MOST_PAIRS:
        raise UsageError(
            f"compatible: the program has {others.size:,} pairs of records with different "
            f"probabilities, and at most {MOST_PAIRS:,} are solved: leave out the least probable"
        )
    cost = np.concatenate([np.zeros(others.size + n_true), np.ones(len(kinds.sizes))])
    solution = linprog(cost, *_constraints(kinds), method="highs", options=SOLVER).x
    if solution is None:
        raise UsageError("compatible: the program was not solved; leave out the least probable")
    kept = np.maximum(solution[others.size : others.size + n_true], 0.0)
    spread = np.clip(solution[: others.size].reshape(others.shape), 0.0, others * kept[:, None])
    # The rest within the solver's tolerance goes where it breaks no constraint.
    total = kept + spread.sum(axis=1)
    scale = np.minimum(1.0, kinds.truth[kinds.true] / np.where(total > 0, total, 1.0))
    spread *= scale[:, None]
    return Spread(kinds.truth[kinds.true] - spread.sum(axis=1), spread)


def _constraints(kinds: Kinds) -> tuple[Any, ...]:
    """The inequalities and the equations on what is spread, kept and lacking, for `linprog`."""
    from scipy import sparse

    true, others, n = kinds.true, kinds.others, len(kinds.sizes)
    rows = np.repeat(np.arange(len(true)), n)
    pairs = np.arange(others.size)
    ones = np.ones(others.size)
    of_row = sparse.coo_array((ones, (rows, pairs)))
    of_column = sparse.coo_array((ones, (np.tile(np.arange(n), len(true)), pairs)))
    own = sparse.coo_array((np.ones(len(true)), (true, np.arange(len(true)))), shape=(n, len(true)))
    most = sparse.coo_array((others.ravel(), (pairs, rows)))  # no other gets more than is kept
    at_most = sparse.block_array(
        [[sparse.eye_array(others.size), -most, None], [-of_column, -own, -sparse.eye_array(n)]]
    )
    equal = sparse.block_array(
        [[of_row, sparse.eye_array(len(true)), sparse.coo_array((len(true), n))]]
    )
    limits = np.concatenate([np.zeros(others.size), -kinds.attack])
    return at_most.tocsr(), limits, equal.tocsr(), kinds.truth[true]
