"""Reliability: whether links of a claimed probability are right so often."""

import numpy as np

from unveil.measures.identity.forecast import link_probability
from unveil.measures.identity.hits import SAMPLE_SIZE, hits
from unveil.support.arrays import Floats
from unveil.support.options import whole_number
from unveil.values.links import Links
from unveil.values.results.risk import Reliability, ReliabilityBin

LEAST = 1e-6  # the distance of a probability from 0 and from 1, of which a log is taken


def reliability(links: Links, bins: int = 10, *, sample: int = SAMPLE_SIZE) -> Reliability | None:
    """How often links are right, against the probability that the attack claims for them.

    The links are divided into bins of equal size by their claimed probability. An attack is
    reliable if in each bin as many are right as claimed. The calibration error is the mean
    difference between both over all links, from 0 to 1.

    The log score is the mean of minus the log of the probability given to what is true: the lower,
    the more the probabilities tell. It is compared with that of one probability for all links, the
    share that is right.

    At most `sample` records are drawn. None if the attack gives no probabilities.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> posterior = unveil.attacks.Distance(matching="posterior")
    >>> found = reliability(unveil.attack(people, people, posterior, truth="person"))
    >>> found.n, len(found.bins), found.error < 0.2
    (100, 10, True)
    """
    sampled = links.sample(sample)
    probability = link_probability(sampled)
    if probability is None or not len(probability):
        return None
    right = hits(sampled)
    order = np.lexsort((right, probability))  # whatever the order of the rows
    parts = np.array_split(order, min(whole_number(bins, "bins", 1, 1000), len(order)))
    found = tuple(
        ReliabilityBin(
            n=len(part), claimed=float(probability[part].mean()), right=float(right[part].mean())
        )
        for part in parts
    )
    return Reliability(
        n=len(order),
        bins=found,
        error=sum(one.n * abs(one.claimed - one.right) for one in found) / len(order),
        log_score=_log_score(probability[order], right[order]),
        base_log_score=_log_score(np.full(len(order), right[order].mean()), right[order]),
    )


def _log_score(probability: Floats, right: Floats) -> float:
    p = np.clip(probability, LEAST, 1 - LEAST)
    return float(-(right * np.log(p) + (1 - right) * np.log1p(-p)).mean())
