"""Hits: how likely each record is linked with its true row."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats
from unveil.support.options import share, whole_number
from unveil.values.links import Links

Ties = Literal["expected", "unique", "any", "first"]
LOOKED_AT = 2000  # records on which what takes long is measured
MOST_PLACES = 1000


def hits(links: Links, *, ties: Ties = "expected") -> Floats:
    """For each record the probability that the attack links it with its true row: its risk.

    It is 1 where the true row is nearer than all others, a half where one other is just as near,
    and 0 where another is nearer.

    Parameters
    ----------
    links
        Of an attack, with the truth known.
    ties
        What a tie with the true row is worth: its share ("expected"), nothing ("unique"), a
        whole hit ("any"), or one if the true row stands first in the file ("first"). The last
        two are for reproducing published tables and for nothing else: "any" rewards an attack
        that tells nobody from anybody, "first" depends on the order of the rows.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(hits(links).max())
    1.0
    """
    if not isinstance(links, Links):
        raise UsageError(f"links are what an attack makes, not {type(links).__name__}")
    if ties not in get_args(Ties):
        raise UsageError(f"ties: one of {', '.join(get_args(Ties))}")
    if ties == "first":
        first: Floats = ((links.best == links.true_rows) & (links.best >= 0)).astype(np.float64)
        return first
    each = links.rank_of_truth.hits
    if ties == "expected":
        return each
    return (each == 1 if ties == "unique" else each > 0).astype(np.float64)


def in_any(attacks: Sequence[Links]) -> Floats:
    """For each record the best of its probabilities to be linked rightly, by several attacks.

    It is what somebody would get who knew for each record which attack to believe: an oracle,
    and no attack.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> one = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> bool((in_any([one, one]) == hits(one)).all())
    True
    """
    each = [hits(links) for links in attacks]
    if len({len(one) for one in each}) != 1:
        raise UsageError("the union of hits is of attacks on the same records, at least one")
    best: Floats = np.max(each, axis=0)
    return best


class TopKCurve(NamedTuple):
    """The share of the records whose true row is among the k best, for k = 1, 2, ..."""

    share: Floats
    n: int  # records looked at
    population: int


def top_k(links: Links, most: int = 10, *, sample: int = LOOKED_AT) -> TopKCurve:
    """How often the true row is among the k best candidates, ties counted by their share.

    At k = 1 it is the share that is linked rightly. Where it rises fast from there, many people
    are found by who looks at a few rows more. Picking k of n rows at random would find k / n of
    them.

    For each record clip((k - n_closer) / (1 + n_tied), 0, 1). Counting who is closer takes
    longer than asking whether anybody is: of many records a sample is looked at.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> top_k(links, 3).share.round(2).tolist()
    [1.0, 1.0, 1.0]
    """
    most = whole_number(most, "most", 1, MOST_PLACES)
    some = links.sample(sample)
    known = some.true_rows >= 0
    closer, tied, chance, _ = some.rank_up_to(most)
    places = np.arange(1, most + 1)[:, None]
    within = np.clip((places - closer) / (1 + np.maximum(tied, 0)), 0.0, 1.0)
    within[:, closer < 0] = 0.0
    if chance is not None:  # a matching names one partner: there is no second best
        within[:] = chance
    n = int(known.sum())
    return TopKCurve(within.sum(axis=1) / max(n, 1), n, links.population)


class AtRisk(NamedTuple):
    """ARX's three numbers: records above a threshold, the highest risk, the mean risk."""

    above: float  # share of the records
    highest: float
    mean: float
    threshold: float


def at_risk(links: Links, threshold: float = 0.2) -> AtRisk:
    """The share of records whose risk is above a threshold, the highest and the mean risk.

    The risk of a record goes from 0, never found, to 1, always found. Where a few records carry
    most of it the mean hides them, and this share does not.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> at_risk(links).highest
    1.0
    """
    threshold = share(threshold, "threshold")
    each = hits(links)[links.true_rows >= 0]
    if not len(each):
        return AtRisk(0.0, 0.0, 0.0, threshold)
    return AtRisk(
        float((each > threshold).mean()), float(each.max()), float(each.mean()), threshold
    )
