"""The decision rule of Fellegi and Sunter: the match weights to link, to review and not to link."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np

from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints

ROUNDING = 1e-9  # the largest difference of equal weights
LINKED, CLERICAL, NONLINKED = range(3)  # classes, as numbers


class ErrorLimits(NamedTuple):
    """The limits of both error rates."""

    p_link_unmatched: float  # P(LP|U): the share of other pairs that are linked
    p_nonlink_matched: float  # P(NP|M): the share of matches that are not linked


class WeighedPatterns(NamedTuple):
    """Patterns of agreement: match weight in nats, number of pairs, expected matches."""

    weights: Floats
    pairs: Floats
    matches: Floats

    @classmethod
    def of(cls, weights: Floats, pairs: Floats, logit: float) -> WeighedPatterns:
        """The patterns of a model: each pair is a match with its posterior probability."""
        return cls(weights, pairs, pairs * match_probability(weights, logit))


def match_probability(weights: Floats, logit: float) -> Floats:
    """The probability of a match, given its weight and the prior's logit."""
    probability: Floats = 1 / (1 + np.exp(-np.clip(weights + logit, -700, 700)))
    return probability


@dataclass(frozen=True)
class DecisionRule:
    """The least weights of linked pairs and of reviewed pairs, in nats."""

    link_from: float
    review_from: float
    link_threshold: float | None  # the least weight that occurs among linked pairs
    nonlink_threshold: float | None  # the greatest among non-linked ones

    def classes(self, weights: Floats) -> Ints:
        """The class of each weight: 0 linked, 1 clerical, 2 non-linked."""
        return np.where(weights >= self.link_from, LINKED, CLERICAL) + (weights < self.review_from)

    def details(self, patterns: WeighedPatterns, pairs_each: float) -> dict[str, Any]:
        """The thresholds in bits, and the pairs of each class."""
        pairs = np.bincount(self.classes(patterns.weights), patterns.pairs, minlength=3)
        linked, clerical, nonlinked = (round(float(n) * pairs_each) for n in pairs)
        link, nonlink = (
            None if end is None else float(end / np.log(2))
            for end in (self.link_threshold, self.nonlink_threshold)
        )
        return {
            "link_threshold": link,
            "nonlink_threshold": nonlink,
            "linked_pairs": linked,
            "clerical_pairs": clerical,
            "nonlinked_pairs": nonlinked,
        }


def decision_rule(
    patterns: WeighedPatterns, limits: ErrorLimits, *, strict: bool = True
) -> DecisionRule:
    """The rule with the fewest pairs to review within both error rates.

    Fellegi and Sunter (1969), Section 2: patterns are sorted by weight. The heaviest are linked
    until P(LP|U) reaches its limit; the lightest are non-linked until P(NP|M) reaches its limit. If
    both sets would overlap, the limits cross: this is an error, or without `strict` all pairs that
    are not linked are non-linked.
    """
    weights, pairs, matches = patterns
    order = np.argsort(-weights, kind="stable")
    heavy = weights[order]
    starts = np.flatnonzero(np.diff(heavy, prepend=np.inf) < -ROUNDING)
    m, u = (np.add.reduceat(one[order], starts) for one in (matches, pairs - matches))
    wrong = np.cumsum(u) / max(u.sum(), 1e-300)
    missed = np.cumsum(m[::-1])[::-1] / max(m.sum(), 1e-300)
    linked = int((wrong <= limits.p_link_unmatched * (1 + ROUNDING)).sum())
    unlinked = int((missed <= limits.p_nonlink_matched * (1 + ROUNDING)).sum())
    n = len(starts)
    if linked + unlinked > n:
        if strict:
            first = n - unlinked  # the first group that is not linked
            raise _crossing(
                limits, missed[linked] if linked < n else 0.0, wrong[first - 1] if first else 0.0
            )
        unlinked = n - linked
    ends = np.append(heavy[starts[1:] - 1], heavy[-1])  # the least weight of each group

    def between(group: int) -> float:
        """A weight between a group and the previous one."""
        if group == 0:
            return np.inf
        return -np.inf if group == n else float(ends[group - 1] + heavy[starts[group]]) / 2

    return DecisionRule(
        between(linked),
        between(n - unlinked),
        float(heavy[starts[linked - 1]]) if linked else None,
        float(heavy[starts[n - unlinked]]) if unlinked else None,
    )


def _crossing(limits: ErrorLimits, missed: float, wrong: float) -> SpecError:
    """The least limit that can be met: without pairs to review, one limit determines the other."""
    remedies = [
        f"with {name} {limit:g} and no review, {other} is {_rounded_down(least):g}: give "
        f"{parameter} at most that"
        for name, limit, other, parameter, least in (
            ("P(LP|U)", limits.p_link_unmatched, "P(NP|M)", "p_nonlink_matched", missed),
            ("P(NP|M)", limits.p_nonlink_matched, "P(LP|U)", "p_link_unmatched", wrong),
        )
        if _rounded_down(least) > 0
    ]
    remedy = "; or ".join(remedies) or "lower p_link_unmatched or p_nonlink_matched"
    return SpecError(
        "probabilistic: the thresholds cross: such large error rates leave no pair to review, and "
        f"some pairs both linked and non-linked; {remedy}"
    )


def _rounded_down(share: float) -> float:
    """The share rounded down to three digits."""
    if share <= 1e-12:
        return 0.0
    unit = 10.0 ** (floor(log10(share)) - 2)
    return floor(share / unit * (1 + 1e-12)) * unit
