"""Formal re-identification: how many of an attack's results are compatible with the truth.

Definition 4 of the paper on supervised linkage (section 2.4): an attack is record linkage if its
probability is compatible with the true one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.formal.compatibility import compatible
from unveil.measures.formal.distributions import Distributed, Distributions, distributions
from unveil.measures.identity.hits import SAMPLE_SIZE, hits
from unveil.support.arrays import Bools, Ints
from unveil.values.links import Links


class Formal(NamedTuple):
    """How far an attack is record linkage by the definition."""

    compatible: float  # the share of the records whose result is compatible with the truth
    hit: float  # the mean probability that a result gives to the true record
    n: int  # sampled records with a true record
    population: int


def formal(links: Links, *, sample: int = SAMPLE_SIZE) -> Formal:
    """The share of the records whose result is compatible with the truth (Definition 4).

    A record's result is its distribution of `distributions`. The true distribution knows
    everything except the true link among equal released rows:

    - release-to-original, as defined: uniform on the originals, of those that the intruder has,
      of all released rows that equal this one in the attributes that the attack sees;
    - original-to-release: uniform on the released rows that equal the true one in these.

    So an attack by nearest candidates is right on an original if nothing is closer than its true
    row, and on a released row if nothing is closer than any of the originals that share it. Records
    without a true record are not counted; a record that is not compared with its true record is not
    compatible.

    This shows whether an attack claims too much, not whether it finds anybody: a uniform result is
    compatible with every truth. `hit`, beside it, is the mean of `hits`.

    If the attack gives probabilities, at most `sample` records are drawn, as each may take a linear
    program (see `compatible`). The links themselves must be of all records in the direction
    release-to-original: a sample would leave out originals of equal rows.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> formal(links).compatible
    1.0
    """
    if isinstance(links.finder, Distributed):
        shared, sampled = _ClassMembers.of(links), links.sample(sample)
        known = sampled.true_rows >= 0
        results = distributions(sampled, sample=max(len(sampled), 1))
        hit, right = results.of(sampled.true_rows), _are_compatible(results, shared, sampled)
    else:
        known = links.true_rows >= 0
        hit, right = hits(links), links.n_closer == 0
        if links.intruder.reverse:  # rows of a class have the same result
            classes = _query_classes(links)
            right = ~np.isin(classes, classes[known & ~right])
    n = int(known.sum())
    mean_hit = float(np.sort(hit[known]).sum()) / max(n, 1)  # the order of the rows has no effect
    return Formal(float(right[known].sum()) / max(n, 1), mean_hit, n, links.population)


def _query_classes(links: Links) -> Ints:
    """The class of each released row that is linked; classes must be complete."""
    classes = links.finder.classes()
    own = classes[links.records]
    missing = np.bincount(classes) - np.bincount(own, minlength=int(classes.max(initial=-1)) + 1)
    if missing[own].any():
        raise UsageError(
            "formal: these links are a sample without some released rows that equal others: give "
            "the links of all records, and sample="
        )
    return own


class _ClassMembers(NamedTuple):
    """The records that share each class of equal released rows."""

    classes: Ints  # of released rows
    starts: Ints
    members: Ints

    @classmethod
    def of(cls, links: Links) -> _ClassMembers:
        classes = links.finder.classes()
        class_of, members = classes, np.arange(len(classes))
        if links.intruder.reverse:
            known = links.true_rows >= 0
            class_of, members = _query_classes(links)[known], links.true_rows[known]
        order = np.argsort(class_of, kind="stable")
        starts = np.searchsorted(class_of[order], np.arange(int(classes.max(initial=-1)) + 2))
        return cls(classes, starts, members[order])

    def with_row(self, row: int) -> Ints:
        """The records that share the class of a released row."""
        start, stop = self.starts[self.classes[row] :][:2]
        return self.members[start:stop]


def _are_compatible(results: Distributions, shared: _ClassMembers, links: Links) -> Bools:
    """Whether each result is compatible with the uniform distribution on its class."""
    right = np.zeros(len(links), np.bool_)
    released = links.records if links.intruder.reverse else links.true_rows
    for place in np.flatnonzero(links.true_rows >= 0).tolist():
        rows, probability = results[place]
        members = shared.with_row(int(released[place]))
        union, at = np.unique(np.concatenate([rows, members]), return_inverse=True)
        attack, truth = np.zeros((2, len(union)))
        attack[at[: len(rows)]] = probability
        truth[at[len(rows) :]] = 1 / len(members)
        # A possible true record without probability keeps nothing, and so can give nothing.
        possible = attack[truth > 0].all() and attack.sum() > 0
        right[place] = bool(possible) and compatible(attack / attack.sum(), truth).compatible
    return right
