"""Formal re-identification: how many of an attack's results are compatible with the truth.

Definition 4 of the paper on supervised linkage (section 2.4): an attack is record linkage if its
probability is compatible with the true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.formal.belief import Belief
from unveil.measures.formal.compatibility import compatible
from unveil.measures.formal.distributions import Distributed, Distributions, distributions
from unveil.measures.identity.hits import SAMPLE_SIZE, hits
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Bools, Floats, Ints, consecutive
from unveil.values.links import Links


class Formal(NamedTuple):
    """How far an attack is record linkage by the definition."""

    compatible: float  # the share of the records whose result is compatible with the truth
    hit: float  # the mean probability that a result gives to the true record
    n: int  # sampled records with a true record
    population: int


def formal(
    links: Links,
    *,
    results: Distributions | Sequence[Belief] | None = None,
    columns: Sequence[str] | None = None,
    sample: int = SAMPLE_SIZE,
) -> Formal:
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

    ``results`` are your own for each record of the links, in their order: probabilities, or one
    belief function each over all candidates. A belief is compatible if it is nowhere above the true
    probability. A table of pairs with probabilities is the attack :class:`~unveil.attacks.Pairs`.
    ``columns`` are what the true distribution sees, as in :func:`true_distributions`.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> formal(links).compatible
    1.0
    """
    if isinstance(links.finder, Distributed) or (results, columns) != (None, None):
        shared = _ClassMembers.of(links, columns)
        sampled = links.sample(sample) if results is None else links
        known = sampled.true_rows >= 0
        if results is None:
            results = distributions(sampled, sample=max(len(sampled), 1))
        if isinstance(results, Distributions):
            _check_records(results.records, sampled)
            hit, right = results.of(sampled.true_rows), _are_compatible(results, shared, sampled)
        else:
            hit, right = _judge_beliefs(results, shared, sampled)
    else:
        known = links.true_rows >= 0
        hit, right = hits(links), links.n_closer == 0
        if links.intruder.reverse:  # rows of a class have the same result
            classes = _query_classes(links, links.finder.classes())
            right = ~np.isin(classes, classes[known & ~right])
    n = int(known.sum())
    mean_hit = float(np.sort(hit[known]).sum()) / max(n, 1)  # the order of the rows has no effect
    return Formal(float(right[known].sum()) / max(n, 1), mean_hit, n, links.population)


def true_distributions(links: Links, *, columns: Sequence[str] | None = None) -> Distributions:
    """The true probability P(x|y) of each record of a masked file (Definition 4).

    It is uniform on the candidates that nobody can tell from the true one: those of equal released
    rows, as :func:`formal` describes. Rows are equal in ``columns`` of the release; by default in
    what the attack compares. A record without a true one has no candidates.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> rows, probability = true_distributions(links, columns=["sex"])[0]
    >>> len(rows) == (people.column("sex") == people.column("sex")[0]).sum()
    True
    >>> formal(links, results=true_distributions(links)).compatible
    1.0
    """
    shared, known = _ClassMembers.of(links, columns), links.true_rows >= 0
    released = np.where(known, links.records if links.intruder.reverse else links.true_rows, 0)
    classes = shared.classes[released]
    sizes = np.where(known, np.diff(shared.starts)[classes], 0)
    rows = shared.members[consecutive(shared.starts[classes], sizes)]
    starts = np.append(0, np.cumsum(sizes))
    return Distributions(links.records, starts, rows, np.repeat(1 / np.maximum(sizes, 1), sizes))


def _classes(links: Links, columns: Sequence[str] | None) -> Ints:
    """The class of each released row: equal to the attack, or in some columns."""
    if columns is None:
        return links.finder.classes()
    classes = classes_of(links.pair.release, tuple(columns))
    return classes.scatter(np.arange(len(classes.sizes)))


def _query_classes(links: Links, classes: Ints) -> Ints:
    """The class of each released row that is linked; classes must be complete."""
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
    def of(cls, links: Links, columns: Sequence[str] | None) -> _ClassMembers:
        classes = _classes(links, columns)
        class_of, members = classes, np.arange(len(classes))
        if links.intruder.reverse:
            known = links.true_rows >= 0
            class_of, members = _query_classes(links, classes)[known], links.true_rows[known]
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


def _check_records(records: Ints, links: Links) -> None:
    if not np.array_equal(records, links.records):
        raise UsageError(
            "formal: results: one for each record of the links, in their order (links.records)"
        )


def _judge_beliefs(
    beliefs: Sequence[Belief], shared: _ClassMembers, links: Links
) -> tuple[Floats, Bools]:
    """The probability that each belief bets on the true record, and whether it is compatible."""
    beliefs, n = list(beliefs), links.candidates
    if len(beliefs) != len(links) or not all(isinstance(one, Belief) for one in beliefs):
        raise UsageError("formal: results: one Belief for each record of the links, or a table")
    if any(one.n != n for one in beliefs):
        raise UsageError(f"formal: results: each Belief is on all {n:,} candidates")
    hit, right = np.zeros(len(links)), np.zeros(len(links), np.bool_)
    released = links.records if links.intruder.reverse else links.true_rows
    for place in np.flatnonzero(links.true_rows >= 0).tolist():
        members = shared.with_row(int(released[place]))
        truth = np.zeros(n)
        truth[members] = 1 / len(members)
        hit[place] = beliefs[place].pignistic()[links.true_rows[place]]
        right[place] = beliefs[place].is_below(truth)
    return hit, right
