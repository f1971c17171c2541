"""Random matchings of all records at once: how likely each pair is, and how likely all are.

Given are weights: for each pair the log of how much likelier it is than one of strangers. A
matching is as likely as its pairs are together; sums over all matchings are approximated.
"""

import numpy as np

from unveil.support.arrays import Floats

SCALINGS, STILL = 20, 1e-3  # of rows and columns, at most; a change that is none
MANY_MORE = 5  # times as many, where some have no partner
MANY_PAIRS = 250_000  # from which 32 bits will do, and
FEWER = 8  # scalings: of many pairs each step of a search makes others
SETTLED = 0.01  # the largest change of a probability that is none
UNLIKELY = -80.0  # the log of the least likelihood that 32 bits hold
MESSAGES = 30  # rounds of belief propagation, at most
NARROW = 1e-12  # a share of a sum that is lost in rounding
TINY = 1e-300  # a probability that is none, with a log


def many(pairs: int) -> bool:
    """Whether there are so many pairs that less is done for each."""
    return pairs > MANY_PAIRS


def posterior_of(weights: Floats) -> Floats:
    """How likely each pair is in a random matching, of all pairs at once.

    The records of the smaller file all have a partner; those of the larger that have none do not
    differ in that. Sinkhorn's scaling, as in `unveil.matching.posterior`, of a whole matrix.
    """
    if len(weights) > weights.shape[1]:
        return posterior_of(weights.T).T
    rows, columns = weights.shape
    below = weights - weights.max(1, keepdims=True)
    likely = np.exp(np.maximum(below, UNLIKELY, out=below), out=below)
    left, right = np.ones(rows, likely.dtype), np.ones(columns, likely.dtype)
    alone = 0.0  # of the columns that are left over
    for _ in range(FEWER if many(weights.size) else SCALINGS):
        before, left = left, 1 / (likely @ right)
        if np.abs(left / before - 1).max() < STILL:
            break
        right = 1 / (left @ likely + left.dtype.type(alone))
        alone = (columns - rows) / float(right.sum())
    likely *= (1 / (likely @ right))[:, None]
    likely *= right
    found: Floats = likely
    return found


def log_odds(pairs: float, rows: int, columns: int) -> float:
    """How much likelier two records are a pair than both alone, as a log, before they are seen."""
    return float(np.log(pairs) - np.log(rows - pairs) - np.log(columns - pairs))


def partly_matched(weights: Floats, pairs: float) -> Floats:
    """How likely each pair is in a random matching of about so many; the others have nobody."""
    rows, columns = weights.shape
    likely = np.clip(weights + log_odds(pairs, rows, columns), UNLIKELY, -UNLIKELY)
    np.exp(likely, out=likely)
    right = np.full(columns, 1 - pairs / columns, likely.dtype)
    for _ in range(SCALINGS * MANY_MORE):
        left = 1 / (1 + likely @ right)
        before, right = right, 1 / (1 + left @ likely)
        if np.abs(right / before - 1).max() < STILL:
            break
    likely *= (1 / (1 + likely @ right))[:, None]
    likely *= right
    return likely


def beliefs_of(weights: Floats) -> Floats:
    """How likely each pair is in a random matching, by belief propagation.

    Nearer to the truth than scaling, from which it begins, and dearer. The records of the smaller
    file all have a partner, also before it has settled.
    """
    if len(weights) > weights.shape[1]:
        return beliefs_of(weights.T).T
    rows, columns = weights.shape
    likely = np.exp(np.maximum(weights - weights.max(1, keepdims=True), UNLIKELY))
    scaled = posterior_of(weights)
    free = np.maximum(1 - scaled.sum(0), NARROW) if columns > rows else 1.0
    back = free / np.maximum(1 - scaled, NARROW)
    chance = np.zeros_like(likely)
    for _ in range(MESSAGES):
        told = likely * back
        rest = told.sum(1, keepdims=True)
        forth = 1 / np.maximum(rest - told, NARROW * rest)
        told = likely * forth
        rest = told.sum(0) + (1.0 if columns > rows else 0.0)
        back = 1 / np.maximum(rest - told, NARROW * rest)
        odds = told * back
        before, chance = chance, odds / (1 + odds)
        if np.abs(chance - before).max() < SETTLED:
            break
    found: Floats = chance / chance.sum(1, keepdims=True)
    return found


def likelihood_of(weights: Floats, posterior: Floats) -> float:
    """The log of how much likelier the files are if some matching is true than if none is.

    Over all matchings, each as likely as another (Bethe's approximation of the permanent).
    """
    return _free_energy(posterior.astype(np.float64), weights) - _knowing_nothing(*weights.shape)


def _knowing_nothing(rows: int, columns: int) -> float:
    """The free energy where each pair is as likely as another."""
    few, many = sorted((rows, columns))
    shares = np.array([(many - 1) / many, (many - few) / many])
    other, alone = shares * np.log(np.maximum(shares, TINY))
    return float(few * np.log(many) + few * many * other - many * alone)


def _free_energy(chance: Floats, weights: Floats) -> float:
    alone = [np.maximum(1 - chance.sum(axis), 0.0) for axis in (0, 1)]
    energy = float((chance * weights).sum()) - _ordered(chance)
    return energy + _ordered(np.maximum(1 - chance, 0.0)) - sum(map(_ordered, alone))


def _ordered(shares: Floats) -> float:
    """The negative entropy."""
    return float((shares * np.log(np.maximum(shares, TINY))).sum())
