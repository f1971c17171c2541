"""Hits: expected hit of a record = [n_closer = 0] / (1 + n_tied).

n_closer counts the candidates that are strictly closer to the record than its true row, n_tied
those that are exactly as close. An attack that breaks ties at random links the record correctly
with this probability, so the sum over all records is the expected number of correct links. The
search counts both, and `RankOfTruth.hits` in `values/search_results.py` divides; here ties are
chosen. A matching replaces the formula by its own probability.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats
from unveil.support.options import share, whole_number
from unveil.values.links import Links
from unveil.values.results.risk import AtRisk

Ties = Literal["expected", "unique", "any", "first"]
SAMPLE_SIZE = 2000  # records that expensive measures look at
LARGEST_K = 1000


def hits(links: Links, *, ties: Ties = "expected") -> Floats:
    """The probability that each link is right, whose sum is the expected number of correct links.

    It is 1 if the true row is closer than all others, one half if one other is exactly as close,
    and 0 if another is closer: [n_closer = 0] / (1 + n_tied). Equal records have the same link, so
    that one of them may have a whole hit and the others none: the risk of a single record is
    `shared_hits`.

    Parameters
    ----------
    links
        Of an attack, with the truth known.
    ties
        What a tie with the true row counts: its share ("expected"), nothing ("unique"), a whole
        hit ("any"), or a hit if the true row stands first in the file ("first"). Use the last two
        only to reproduce published tables: "any" rewards an attack that cannot distinguish the
        rows, "first" depends on the order of the rows.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(hits(links).max())
    1.0
    """
    if not isinstance(links, Links):
        raise UsageError(f"links: the result of an attack, not {type(links).__name__}")
    if ties not in get_args(Ties):
        raise UsageError(f"ties: one of {', '.join(get_args(Ties))}")
    if ties == "first":
        first: Floats = ((links.best == links.true_rows) & (links.best >= 0)).astype(np.float64)
        return first
    expected = links.hits
    if ties == "expected":
        return expected
    return (expected == 1 if ties == "unique" else expected > 0).astype(np.float64)


def shared_hits(links: Links) -> Floats:
    """The risk of each record: the probability that the attack links it with its true row.

    It goes from 0, never, to 1, always. Released rows that are equal in all that is compared share
    their hits equally: an intruder who holds ten equal rows links all ten to the same person, and
    is right once in ten. So no risk is above 1 / (released rows that equal the record's own).

    The hits of one class are summed and divided by its released rows, also those without a true
    record and those that a sample leaves out. In the direction original-to-release equal rows tie,
    and the hits are shared already. Where every row has a true record, the sum stays that of
    :func:`~unveil.measures.hits`.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> knows = unveil.Intruder(knows=["sex"], direction="release-to-original")
    >>> links = unveil.attack(people, people, "distance", intruder=knows, truth="person")
    >>> bool(shared_hits(links).max() < 1 / 40)
    True
    """
    per_link = hits(links)
    if not links.intruder.reverse:
        return per_link
    classes = links.finder.classes()
    sizes, own = np.bincount(classes), classes[links.records]
    left_out = np.isin(classes, own[sizes[own] > 1])
    left_out[links.records] = False
    rest = replace(links, records=np.flatnonzero(left_out))
    every, of = np.append(per_link, hits(rest)), np.append(own, classes[rest.records])
    order = np.argsort(every)  # so that sums do not depend on the order of the rows
    every, of, least = every[order], of[order], np.zeros(len(sizes))
    least[of[::-1]] = every[
        ::-1
    ]  # where all hits of a class are equal, they stay to the last digit
    shared: Floats = least + np.bincount(of, every - least[of], len(sizes)) / np.maximum(sizes, 1)
    return shared[own]


def in_any(attacks: Sequence[Links]) -> Floats:
    """The largest hit of each record over several attacks.

    It is an oracle and not an attack: it knows for each record which attack to believe.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> bool((in_any([links, links]) == hits(links)).all())
    True
    """
    per_attack = [hits(links) for links in attacks]
    if len({len(values) for values in per_attack}) != 1:
        raise UsageError("attacks: at least one, and all on the same records")
    best: Floats = np.max(per_attack, axis=0)
    return best


class TopKCurve(NamedTuple):
    """The share of the records whose true row is among the k best, for k = 1, 2, ..."""

    share: Floats
    n: int  # sampled records
    population: int


def top_k(links: Links, most: int = 10, *, sample: int = SAMPLE_SIZE) -> TopKCurve:
    """The share of the records whose true row is among the k best candidates.

    At k = 1 it is the share that is linked correctly. If it rises fast from there, an intruder who
    inspects a few more rows finds many people. Picking k of n rows at random finds k / n of them.

    A record counts clip((k - n_closer) / (1 + n_tied), 0, 1). To count the closer rows takes
    longer than to test whether there is one, so that at most `sample` records are drawn.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> top_k(links, 3).share.round(2).tolist()
    [1.0, 1.0, 1.0]
    """
    most = whole_number(most, "most", 1, LARGEST_K)
    sampled = links.sample(sample)
    n_closer, n_tied, chance, _ = sampled.rank_up_to(most)
    k = np.arange(1, most + 1)[:, None]
    within = np.clip((k - n_closer) / (1 + np.maximum(n_tied, 0)), 0.0, 1.0)
    within[:, n_closer < 0] = 0.0
    if chance is not None:  # a matching names one partner: there is no second best
        within[:] = chance
    n = sampled.n_with_truth
    return TopKCurve(within.sum(axis=1) / max(n, 1), n, links.population)


def at_risk(links: Links, threshold: float = 0.2) -> AtRisk:
    """The share of the records whose risk is above a threshold, the highest and the mean risk.

    The risk of a record goes from 0, never linked correctly, to 1, always; indistinguishable
    released rows share it equally. The mean hides a few records that carry most of the risk; this
    share does not.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> at_risk(links).highest
    1.0
    """
    return at_risk_of(shared_hits(links)[links.true_rows >= 0], threshold)


def at_risk_of(risks: Floats, threshold: float) -> AtRisk:
    """The three numbers of the risks of records; 0 where there are none."""
    threshold = share(threshold, "threshold")
    if not len(risks):
        return AtRisk(0.0, 0.0, 0.0, threshold)
    mean = float(np.sort(risks).mean())  # whatever the order of the rows
    return AtRisk(float((risks > threshold).mean()), float(risks.max()), mean, threshold)
