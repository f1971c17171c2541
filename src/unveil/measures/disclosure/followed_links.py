"""Following links: the released rows that a record is taken for, all that tie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Ints
from unveil.values.links import Links

MOST_TIED = 1000  # rows that are listed for a record


class Followed(NamedTuple):
    """The released rows that a record is taken for; rows of one class are kept once for all."""

    rows: Ints
    key: int  # of the class; -1: these rows are nobody else's
    without: int  # a row that is taken out; -1: none


NOBODY = Followed(np.zeros(0, np.int64), -1, -1)


class Paths(NamedTuple):
    """Whom records are taken for, those for whom it can be told."""

    told: Ints  # their places among the records
    linked: list[Followed]
    control: list[Followed]  # with the true row taken out


def follow(links: Links) -> Paths:
    """The rows that each record is taken for, and those once its true row is gone.

    Where more tie than are listed by the search, they are the rows of one class that the
    attack cannot tell apart, or up to a thousand are asked for. A record for which more tie
    than that, in several classes, is left out: which are listed would depend on where they
    stand.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> paths = follow(links)
    >>> paths.linked[3].rows.tolist(), 3 in paths.control[3].rows.tolist()
    ([3], False)
    """
    classes = _Classes(links.finder.classes())
    linked = _Ask(links, classes, 0, links.best, links.n_best).answers()
    control = [
        None if found is None else _less(found, row)
        for found, row in zip(linked, links.true_rows.tolist(), strict=True)
    ]
    for place, found in _behind(links, classes).items():
        control[place] = found
    both = [
        (place, first, second)
        for place, (first, second) in enumerate(zip(linked, control, strict=True))
        if first is not None and second is not None
    ]
    told = np.array([place for place, _, _ in both], np.int64)
    return Paths(told, [first for _, first, _ in both], [second for _, _, second in both])


def _behind(links: Links, classes: _Classes) -> dict[int, Followed | None]:
    """Who is next, where only the true row was nearest."""
    alone = np.flatnonzero((links.n_best == 1) & (links.best == links.true_rows))
    if not len(alone):
        return {}
    second, many = np.full(len(links), -1), np.zeros(len(links), np.int64)
    second[alone] = links.top_candidates.rows[alone, 1]
    asked = alone[second[alone] >= 0]
    if len(asked):
        against = links.finder.rank_of_truth(
            links.records[asked], second[asked], None, links.progress
        )
        many[asked] = against.n_tied + 1
    found = _Ask(links, classes, 1, second, many).answers()
    return {place: found[place] for place in alone.tolist()}


class _Classes:
    """Rows that cannot be told apart, by class."""

    def __init__(self, of: Ints) -> None:
        self.of = of
        self._order = np.argsort(of, kind="stable")
        self._starts = np.append(0, np.cumsum(np.bincount(of)))
        self._kept: dict[int, Ints] = {}

    def size(self, row: int) -> int:
        own = self.of[row]
        return int(self._starts[own + 1] - self._starts[own])

    def rows(self, row: int) -> Followed:
        own = int(self.of[row])
        if own not in self._kept:
            self._kept[own] = self._order[self._starts[own] : self._starts[own + 1]]
        return Followed(self._kept[own], own, -1)


class _Ask(NamedTuple):
    """Who ties with a row, for each record; so many nearer ones are passed by."""

    links: Links
    classes: _Classes
    passed: int
    row: Ints  # -1: nobody
    many: Ints

    def answers(self) -> list[Followed | None]:
        """By the list that there is, by class, or by a longer list."""
        listed = self.links.top_candidates.rows[:, self.passed :]
        found: list[Followed | None] = []
        for place, (row, many) in enumerate(
            zip(self.row.tolist(), self.many.tolist(), strict=True)
        ):
            if row < 0 or not many:
                found.append(NOBODY)
            elif many <= listed.shape[1]:
                found.append(Followed(listed[place, :many], -1, -1))
            else:
                found.append(self.classes.rows(row) if self.classes.size(row) == many else None)
        self._ask_again(found)
        return found

    def _ask_again(self, found: list[Followed | None]) -> None:
        more = [
            place
            for place, one in enumerate(found)
            if one is None and self.many[place] <= MOST_TIED
        ]
        if not more:
            return
        k = int(self.many[more].max()) + self.passed
        links = self.links
        longer = links.finder.nearest(links.records[more], k, links.progress).rows
        for place, rows in zip(more, longer, strict=True):
            upto = self.passed + int(self.many[place])
            found[place] = Followed(rows[self.passed : upto], -1, -1)


def _less(found: Followed, row: int) -> Followed:
    """The same rows without one of them."""
    there = (found.rows == row).any() if row >= 0 else False
    return found._replace(without=row) if there else found
