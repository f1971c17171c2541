"""Compatibility as it is defined: over all belief functions, on few records."""

from functools import cache

import numpy as np
from scipy.optimize import linprog


def compatible(attack, truth):
    """Whether masses exist with Bel(A) <= P(A) for every A, whose pignistic probability is P'."""
    sets, below, bets = _program(len(truth))
    at_most = [sum(truth[i] for i in _members(a)) for a in sets]
    found = linprog(
        np.zeros(len(sets)), below, at_most, np.vstack([bets, np.ones(len(sets))]), [*attack, 1.0]
    )
    assert found.status in (0, 2), found.message
    return found.status == 0


def distance(attack, truth):
    """The least total variation between P' and the pignistic probability of such masses."""
    sets, below, bets = _program(len(truth))
    n, m = len(truth), len(sets)
    at_most = [sum(truth[i] for i in _members(a)) for a in sets]
    found = linprog(
        np.concatenate([np.zeros(m), np.full(2 * n, 0.5)]),
        np.hstack([below, np.zeros((m, 2 * n))]),
        at_most,
        np.vstack(
            [
                np.hstack([bets, np.eye(n), -np.eye(n)]),
                np.concatenate([np.ones(m), np.zeros(2 * n)]),
            ]
        ),
        [*attack, 1.0],
    )
    assert found.status == 0, found.message
    return found.fun


@cache
def _program(n):
    """All non-empty sets, which are inside which, and each set's mass shared by its members."""
    sets = range(1, 1 << n)
    below = np.array([[inside & ~a == 0 for inside in sets] for a in sets], float)
    bets = np.array([[(a >> i & 1) / a.bit_count() for a in sets] for i in range(n)])
    return sets, below, bets


def _members(a):
    return [i for i in range(a.bit_length()) if a >> i & 1]
