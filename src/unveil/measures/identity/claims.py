"""Claims: what an intruder would assert who does not know the truth, and how much is right."""

from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import LOOKED_AT, hits
from unveil.support.arrays import Floats
from unveil.support.options import share, whole_number
from unveil.values.links import Links
from unveil.values.results.risk import Claims

ROUNDING = 1e-9  # margins nearer than this are equal
SURE = 1 - 1e-8  # as much less likely as the second can be that is still possible
CLEAR = 0.5  # the margin of a clear link: the second best is at least twice as far


def margins(links: Links, *, without_true: bool = False) -> Floats:
    """How much nearer the best candidate is than the second: 0 for a tie, 1 for no distance.

    Of likelihoods, how much less likely the second is: 0 for a tie, 1 where it cannot be.
    It is what an intruder sees who does not know the truth. `without_true` takes the true
    row out of the candidates, as if its person were not in the release. A record with
    one candidate only has margin 1, with none -1.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(margins(links).max())
    1.0
    """
    if not links.finder.margins:
        raise UsageError(
            f"{links.name}: its scores are no distances, so that no margin between them says how "
            "sure a link is"
        )
    rows, scores = links.top_candidates.rows, links.top_candidates.scores
    if without_true:
        gone = rows == links.true_rows[:, None]
        order = np.argsort(gone, axis=1, kind="stable")
        scores = np.take_along_axis(np.where(gone, np.inf, scores), order, axis=1)
    best, second = scores[:, 0], scores[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        if links.finder.margins == "likelihood":
            margin = np.minimum(-np.expm1(best - second), SURE)
        else:
            size = np.maximum(np.abs(second), np.abs(best))
            margin = (second - best) / np.where(size > 0, size, 1.0)
        margin = np.where(np.isinf(second), 1.0, margin)
    return np.where(np.isinf(best), -1.0, margin)


def clear(links: Links) -> float:
    """The margin of a link that an intruder would assert: of likelihoods, that no other can be.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> clear(unveil.attack(people, people, unveil.attacks.Distance()))
    0.5
    """
    return 1.0 if links.finder.margins == "likelihood" else CLEAR


def claims(links: Links, margin: float | None = None) -> Claims:
    """The links that an intruder claims who demands a margin, and how many of them are right.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> claims(links).claimed == claims(links).right
    True
    """
    claimed = margins(links) >= _demanded(links, margin)
    return Claims(len(links), int(claimed.sum()), float(hits(links)[claimed].sum()))


def control(links: Links, margin: float | None = None, *, outsiders: Links | None = None) -> Claims:
    """What the same intruder would claim of people who are not in the release: all of it wrong.

    Where it is about as much as is claimed of those who are in it, a claim proves nothing. It
    goes from 0 to all records looked at; the lower it is, the more a claim is worth.

    Each record is attacked with its own row taken out; or `outsiders` are links of the same
    attack on people who are known not to be in the release, as `links.on(people)` makes them.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> control(links).right
    0.0
    >>> control(links, outsiders=links.on(unveil.households(50, seed=1))).n
    50
    """
    looked = margins(links, without_true=True) if outsiders is None else margins(outsiders)
    return Claims(len(looked), int((looked >= _demanded(links, margin)).sum()), 0.0)


def _demanded(links: Links, margin: float | None) -> float:
    return share(clear(links) if margin is None else margin, "margin") - ROUNDING


class Precision(NamedTuple):
    """For each margin that an intruder may demand: what is claimed, and how much of it is right."""

    margin: Floats
    coverage: Floats  # the share of the records that are claimed
    precision: Floats  # the share of the claims that are right; NaN where nothing is claimed
    control: Floats  # the share claimed of people who are not in the release
    n: int


def precision(links: Links, *, sample: int = LOOKED_AT, steps: int = 20) -> Precision:
    """Precision against coverage, for an intruder who claims only links with a clear margin.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> precision(links).n
    100
    """
    some = links.sample(sample)
    demanded = np.arange(steps) / whole_number(steps, "steps", 1, 1000)
    least = demanded[:, None] - ROUNDING
    own, other, right = margins(some), margins(some, without_true=True), hits(some)
    claimed = own >= least
    many = claimed.sum(axis=1)
    return Precision(
        demanded,
        many / len(some),
        np.where(many > 0, (claimed * right).sum(axis=1) / np.maximum(many, 1), np.nan),
        (other >= least).mean(axis=1),
        len(some),
    )
