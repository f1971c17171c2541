"""Claims: links that an intruder asserts without knowing the truth, and how many are right."""

from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Floats
from unveil.support.options import share, whole_number
from unveil.values.links import Links
from unveil.values.results.risk import Claims

ROUNDING = 1e-9  # margins that differ by less are equal
LARGEST_POSSIBLE = 1 - 1e-8  # margin of likelihoods if the second candidate is possible at all
CLEAR_MARGIN = 0.5  # the second-best candidate is at least twice as far


def margins(links: Links, *, without_true: bool = False) -> Floats:
    """How much closer the best candidate is than the second: 0 for a tie, 1 for no distance.

    For likelihoods, how much less likely the second is: 0 for a tie, 1 if it is impossible.
    An intruder sees the margin without knowing the truth. `without_true` removes the true
    row from the candidates, as if its person were not in the release. A record with a single
    candidate has margin 1, with none -1.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(margins(links).max())
    1.0
    """
    if not links.finder.margins:
        raise UsageError(
            f"{links.name}: its scores are not distances, so links cannot be claimed by their "
            "margin"
        )
    rows, scores = links.top_candidates.rows, links.top_candidates.scores
    if without_true:
        removed = rows == links.true_rows[:, None]
        order = np.argsort(removed, axis=1, kind="stable")
        scores = np.take_along_axis(np.where(removed, np.inf, scores), order, axis=1)
    best, second = scores[:, 0], scores[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        if links.finder.margins == "likelihood":
            margin = np.minimum(-np.expm1(best - second), LARGEST_POSSIBLE)
        else:
            size = np.maximum(np.abs(second), np.abs(best))
            margin = (second - best) / np.where(size > 0, size, 1.0)
        margin = np.where(np.isinf(second), 1.0, margin)
    return np.where(np.isinf(best), -1.0, margin)


def clear_margin(links: Links) -> float:
    """The margin that an intruder demands: 0.5, or 1 for likelihoods (no other row is possible)."""
    return 1.0 if links.finder.margins == "likelihood" else CLEAR_MARGIN


def claims(links: Links, margin: float | None = None) -> Claims:
    """The links that an intruder who demands a margin claims, and how many of them are right.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> claims(links).claimed == claims(links).right
    True
    """
    claimed = margins(links) >= _least_margin(links, margin)
    return Claims(len(links), int(claimed.sum()), float(links.rank_of_truth.hits[claimed].sum()))


def control(links: Links, margin: float | None = None, *, outsiders: Links | None = None) -> Claims:
    """The claims of the same intruder about people who are not in the release: all are wrong.

    If they are about as many as the claims about people who are in it, a claim proves nothing. The
    number goes from 0 to all sampled records; the lower it is, the more a claim is worth.

    Each record is attacked without its own row; or `outsiders` are links of the same attack on
    people who are known not to be in the release, from `links.on(people)`.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> control(links).right
    0.0
    >>> control(links, outsiders=links.on(unveil.households(50, seed=1))).n
    50
    """
    values = margins(links, without_true=True) if outsiders is None else margins(outsiders)
    return Claims(len(values), int((values >= _least_margin(links, margin)).sum()), 0.0)


def _least_margin(links: Links, margin: float | None) -> float:
    return share(clear_margin(links) if margin is None else margin, "margin") - ROUNDING


class Precision(NamedTuple):
    """The claimed links at each required margin, and their precision."""

    margin: Floats
    coverage: Floats  # the share of the records that are claimed
    precision: Floats  # the share of the claims that are right; NaN where nothing is claimed
    control: Floats  # the share claimed of people who are not in the release
    n: int


def precision(links: Links, *, sample: int = SAMPLE_SIZE, steps: int = 20) -> Precision:
    """Precision against coverage, for an intruder who claims only links with a clear margin.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> precision(links).n
    100
    """
    sampled = links.sample(sample)
    margin = np.arange(steps) / whole_number(steps, "steps", 1, 1000)
    least = margin[:, None] - ROUNDING
    claimed = margins(sampled) >= least
    right, n_claimed = (claimed * sampled.rank_of_truth.hits).sum(axis=1), claimed.sum(axis=1)
    return Precision(
        margin,
        n_claimed / len(sampled),
        np.where(n_claimed > 0, right / np.maximum(n_claimed, 1), np.nan),
        (margins(sampled, without_true=True) >= least).mean(axis=1),
        len(sampled),
    )
