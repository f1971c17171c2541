"""Re-identification as defined: how many of an attack's results are compatible with the truth.

Definition 4 of the paper on supervised linkage (section 2.4): an attack is record linkage where
the probability that it gives is compatible with the true one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.formal.compatibility import compatible
from unveil.measures.formal.distributions import Distributed, Distributions, distributions
from unveil.measures.identity.hits import LOOKED_AT, hits
from unveil.support.arrays import Bools, Ints
from unveil.values.links import Links


class Formal(NamedTuple):
    """How far an attack is record linkage as defined: of how many records, and what it says."""

    compatible: float  # the share of the records whose result is compatible with the truth
    hit: float  # the mean probability that a result gives to the true record
    n: int  # records looked at, all of them with a true record
    population: int


def formal(links: Links, *, sample: int = LOOKED_AT) -> Formal:
    """The share of the records whose result is compatible with the truth (Definition 4).

    A record's result is its distribution of `distributions`. The true distribution is what
    somebody knows who knows everything but who is who among equal released rows:

    - release-to-original, as defined: uniform on the originals, of those that the intruder has,
      of all released rows that equal this one in the attributes that the attack sees;
    - original-to-release: uniform on the released rows that equal the true one in these.

    So an attack by nearest candidates is right on an original if nothing is nearer than its true
    row, and on a released row if nothing is nearer than any of the originals that share it: to
    name one of these and not the others is more than can be known. Records without a true record
    are not counted; one that is compared with nobody, or not with its true record, is not
    compatible.

    It says whether an attack ever claims too much, not whether it finds anybody: a result that
    takes all records for alike is compatible with every truth. `hit`, beside it, is what
    `hits` are on average.

    Parameters
    ----------
    links
        Of an attack, with the truth known. In the direction release-to-original they are not a
        sample: the originals of equal rows would be left out.
    sample
        So many records are looked at where the attack gives probabilities, each of which may take
        a linear program (see `compatible`); else all of them are.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> formal(links).compatible
    1.0
    """
    if isinstance(links.finder, Distributed):
        shared, some = _Shared.of(links), links.sample(sample)
        known = some.true_rows >= 0
        results = distributions(some, sample=max(len(some), 1))
        own, right = results.of(some.true_rows), _agreeing(results, shared, some)
    else:
        known = links.true_rows >= 0
        own, right = hits(links), links.n_closer == 0
        if links.intruder.reverse:  # rows of a class ask alike: each answers for all
            classes = _classes_of(links)
            right = ~np.isin(classes, classes[known & ~right])
    n = int(known.sum())
    hit = float(np.sort(own[known]).sum()) / max(n, 1)  # in whatever order the rows stand
    return Formal(float(right[known].sum()) / max(n, 1), hit, n, links.population)


def _classes_of(links: Links) -> Ints:
    """The class of each released row that looks for its original; all of each class are here."""
    classes = links.finder.classes()
    own = classes[links.records]
    missed = np.bincount(classes) - np.bincount(own, minlength=int(classes.max(initial=-1)) + 1)
    if missed[own].any():
        raise UsageError(
            "formal: these links are a sample, in which not all released rows that equal each "
            "other are: give the links of all, and sample="
        )
    return own


class _Shared(NamedTuple):
    """The records that share each class of equal released rows."""

    classes: Ints  # of released rows
    starts: Ints
    members: Ints

    @classmethod
    def of(cls, links: Links) -> _Shared:
        classes = links.finder.classes()
        of, members = classes, np.arange(len(classes))
        if links.intruder.reverse:
            known = links.true_rows >= 0
            of, members = _classes_of(links)[known], links.true_rows[known]
        order = np.argsort(of, kind="stable")
        starts = np.searchsorted(of[order], np.arange(int(classes.max(initial=-1)) + 2))
        return cls(classes, starts, members[order])

    def with_row(self, row: int) -> Ints:
        """The records that share the class of a released row."""
        start, stop = self.starts[self.classes[row] :][:2]
        return self.members[start:stop]


def _agreeing(results: Distributions, shared: _Shared, links: Links) -> Bools:
    """Whether each result is compatible with the uniform distribution on those who share."""
    right = np.zeros(len(links), np.bool_)
    released = links.records if links.intruder.reverse else links.true_rows
    for place in np.flatnonzero(links.true_rows >= 0).tolist():
        rows, probability = results[place]
        members = shared.with_row(int(released[place]))
        both, at = np.unique(np.concatenate([rows, members]), return_inverse=True)
        attack, truth = np.zeros((2, len(both)))
        attack[at[: len(rows)]] = probability
        truth[at[len(rows) :]] = 1 / len(members)
        # Who may be the true record and has no probability keeps nothing, and so can give nothing.
        possible = attack[truth > 0].all() and attack.sum() > 0
        right[place] = bool(possible) and compatible(attack / attack.sum(), truth).compatible
    return right
