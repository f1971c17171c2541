"""Forecast: how many links an intruder who does not know the truth expects to be right."""

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Floats
from unveil.support.options import share
from unveil.values.links import Links
from unveil.values.results.risk import Forecast

SURE_PROBABILITY = 0.9  # above it, an intruder claims a link


def certainty(links: Links) -> Floats:
    """The probability that each link is right, by the attack's own scores.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> posterior = unveil.attacks.Distance(matching="posterior")
    >>> bool((certainty(unveil.attack(people, people, posterior)) <= 1).all())
    True
    """
    probability = link_probability(links)
    if probability is None:
        raise UsageError(
            f"{links.name}: its scores rank candidates and are no probabilities; "
            "matching='posterior' gives every attack probabilities"
        )
    return probability


def link_probability(links: Links) -> Floats | None:
    """The probability that each link is right; None if the attack gives none."""
    totals = links.finder.log_totals(links.records)
    if totals is None:
        return None
    with np.errstate(invalid="ignore"):  # a record without a possible candidate
        probability: Floats = np.nan_to_num(np.exp(-links.score - totals))
    return np.minimum(probability, 1.0)


def forecast(
    links: Links, above: float = SURE_PROBABILITY, *, sample: int = SAMPLE_SIZE
) -> Forecast | None:
    """The share of its links that an attack expects to be right, beside the share that is.

    An attack with probabilities states the share itself, from 0 to 1, and an intruder sees it
    without knowing the truth. If it is near the share that is right, the intruder knows how far to
    trust the links.

    The forecast is the mean of the links' probabilities. Claims are the links with a probability
    above `above`. At most `sample` records are drawn. None if the attack gives no probabilities.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> posterior = unveil.attacks.Distance(matching="posterior")
    >>> forecast(unveil.attack(people, people, posterior)).n
    100
    """
    above = share(above, "above")
    sampled = links.sample(sample)
    probability = link_probability(sampled)
    if probability is None:
        return None
    right = None if sampled.truth is None else sampled.rank_of_truth.hits
    claimed = probability > above
    return Forecast(
        n=len(sampled),
        share=float(np.sort(probability).mean()) if len(probability) else 0.0,
        found=None if right is None else float(np.sort(right).mean()),
        above=above,
        claimed=int(claimed.sum()),
        right=None if right is None else float(right[claimed].sum()),
    )
