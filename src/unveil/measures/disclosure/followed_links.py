"""Followed links: the released rows that an intruder takes each record for, ties included."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Ints
from unveil.values.links import Links

MOST_TIED = 1000  # rows that are listed for a record


class LinkedRows(NamedTuple):
    """The released rows that tie for one record."""

    rows: Ints
    class_id: int = -1  # if they are one whole class of rows that the attack cannot distinguish
    excluded: int = -1  # a row of these that is left out


class FollowedLinks(NamedTuple):
    """The sampled people who are in both files, with the released rows that they are linked to."""

    people: Ints  # their rows in the original
    own_rows: Ints  # their rows in the release
    linked: list[LinkedRows]
    control: list[LinkedRows]  # the same attack without the person's own row
    left_out: int  # people for whom more rows tie than are listed


def follow(links: Links, originals: Ints) -> FollowedLinks | None:
    """The rows that each record is linked to, and those without its own row; None: no record.

    `originals` has the original's row of each released row. Rows that tie beyond the search's
    list are those of one class, or are listed up to a thousand. A record for which more tie, in
    several classes, is left out: which rows were listed would depend on the order of the file.
    """
    sample = links.sample(SAMPLE_SIZE)
    true = sample.true_rows
    known = np.flatnonzero((true >= 0) & (originals[np.maximum(true, 0)] >= 0))
    if not len(known):
        return None
    if len(known) < len(sample):  # otherwise what the sample has computed is used again
        sample = replace(sample, records=sample.records[known])
    classes = sample.finder.classes()
    linked = _tied_rows(sample, classes, sample.best, sample.n_best)
    control = [
        rows._replace(excluded=own) if rows is not None and own in rows.rows else rows
        for rows, own in zip(linked, sample.true_rows.tolist(), strict=True)
    ]
    for place, rows in _runners_up(sample, classes).items():
        control[place] = rows
    complete = [
        (place, first, second)
        for place, (first, second) in enumerate(zip(linked, control, strict=True))
        if first is not None and second is not None
    ]
    own = sample.true_rows[[place for place, _, _ in complete]]
    return FollowedLinks(
        people=originals[own],
        own_rows=own,
        linked=[first for _, first, _ in complete],
        control=[second for _, _, second in complete],
        left_out=len(known) - len(complete),
    )


def _runners_up(links: Links, classes: Ints) -> dict[int, LinkedRows | None]:
    """The second-best rows of the records for which their own row alone was the best."""
    alone = np.flatnonzero((links.n_best == 1) & (links.best == links.true_rows))
    if not len(alone):
        return {}
    second, n_tied = np.full(len(links), -1), np.zeros(len(links), np.int64)
    second[alone] = links.top_candidates.rows[alone, 1]
    there = alone[second[alone] >= 0]
    if len(there):
        rank = links.finder.rank_of_truth(links.records[there], second[there], None, links.progress)
        n_tied[there] = rank.n_tied + 1
    result = _tied_rows(links, classes, second, n_tied, skip=1)
    return {place: result[place] for place in alone.tolist()}


def _tied_rows(
    links: Links, classes: Ints, first: Ints, n_tied: Ints, skip: int = 0
) -> list[LinkedRows | None]:
    """The rows that tie with a record's `first` row, after `skip` better ones; None: too many."""
    listed = links.top_candidates.rows[:, skip:]
    members, sizes = np.argsort(classes, kind="stable"), np.bincount(classes)
    starts = np.cumsum(sizes) - sizes
    result: list[LinkedRows | None] = []
    for place, (row, n) in enumerate(zip(first.tolist(), n_tied.tolist(), strict=True)):
        if row < 0 or not n:
            result.append(LinkedRows(np.zeros(0, np.int64)))
        elif n <= listed.shape[1]:
            result.append(LinkedRows(listed[place, :n]))
        elif sizes[own := int(classes[row])] == n:
            result.append(LinkedRows(members[starts[own] : starts[own] + n], own))
        else:
            result.append(None)
    more = [p for p, rows in enumerate(result) if rows is None and n_tied[p] <= MOST_TIED]
    if more:
        k = int(n_tied[more].max()) + skip
        longer = links.finder.nearest(links.records[more], k, links.progress).rows
        for place, rows in zip(more, longer, strict=True):
            result[place] = LinkedRows(rows[skip : skip + int(n_tied[place])])
    return result
