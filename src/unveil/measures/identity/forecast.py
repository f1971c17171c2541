"""Forecast: how many links an intruder expects to be right, who does not know the truth."""

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import LOOKED_AT, hits
from unveil.support.arrays import Floats
from unveil.support.options import share
from unveil.values.links import Links
from unveil.values.results.risk import Forecast

SURE = 0.9


def certainty(links: Links) -> Floats:
    """How likely the attack itself holds each link to be right.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=10)], seed=7)
    >>> attack = unveil.attacks.Tailored(matching="posterior")
    >>> knows = unveil.Intruder(knows=["age", "income"])
    >>> sure = certainty(unveil.attack(sample, release, attack, intruder=knows))
    >>> bool((sure <= 1).all())
    True
    """
    found = _certainty(links)
    if found is None:
        raise UsageError(
            f"{links.name}: its scores say which candidate is better, not how likely it is; "
            "matching='posterior' gives every attack probabilities"
        )
    return found


def _certainty(links: Links) -> Floats | None:
    totals = links.finder.log_totals(links.records)
    if totals is None:
        return None
    with np.errstate(invalid="ignore"):  # where nobody is possible
        sure: Floats = np.nan_to_num(np.exp(-links.score - totals))
    return np.minimum(sure, 1.0)


def forecast(links: Links, above: float = SURE, *, sample: int = LOOKED_AT) -> Forecast | None:
    """What an intruder expects of the attack, and what the truth says of that.

    An attack that reckons in probabilities says itself which share of its links is right, from 0
    to 1, and an intruder sees that without knowing the truth. Where it is near to what is really
    right, the intruder knows how far to trust the links.

    The mean of the links' probabilities is the share that is expected to be right. Claims
    are the links held to be right with more than some probability. None where the attack
    gives no probabilities. Of many records a sample is looked at.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=10)], seed=7)
    >>> attack = unveil.attacks.Tailored(matching="posterior")
    >>> knows = unveil.Intruder(knows=["age", "income"])
    >>> forecast(unveil.attack(sample, release, attack, intruder=knows)).n
    200
    """
    above = share(above, "above")
    some = links.sample(sample)
    sure = _certainty(some)
    if sure is None:
        return None
    known = None if some.truth is None else hits(some)
    claimed = sure > above
    return Forecast(
        n=len(some),
        share=float(np.sort(sure).mean()) if len(sure) else 0.0,
        found=None if known is None else float(np.sort(known).mean()),
        above=above,
        claimed=int(claimed.sum()),
        right=None if known is None else float(known[claimed].sum()),
    )
