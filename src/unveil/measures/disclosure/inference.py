"""Attribute disclosure by links: what following one tells, and what is known without it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.errors import UsageError
from unveil.measures.disclosure.baseline_guess import (
    FOLDS,
    TRAINED,
    best_guess,
    clues,
    folds,
    informed_guesses,
    near,
)
from unveil.measures.disclosure.followed_links import Followed, Paths, follow
from unveil.measures.identity.hits import LOOKED_AT
from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.encoding.to_arrays import ROUNDING_SLACK, spread
from unveil.values.file_pair import FilePair
from unveil.values.links import Links
from unveil.values.results.disclosure import Inference
from unveil.values.single_values import single_values

TOLERANCE = 0.05  # of a standard deviation


def linked_disclosure(links: Links, both: FilePair, *, seed: int) -> tuple[Inference, ...]:
    """What links disclose of each confidential attribute that the intruder does not know.

    The intruder takes each record for its nearest rows and reads their cell; where several
    tie, each is read with the same chance. A category is right if it is the original's; a
    number, if it is within 5 % of the original's standard deviation (with n - 1) of it. Beside
    that stand the same with the person's own row taken out, one guess for everybody, and what
    a model of the release says of somebody from what the attack compares: a decision tree,
    where it does better than that guess, made of at most 20,000 released rows, of which the
    person's own is never one. A link that tells more than these tells it of the person.

    Of many records a sample is looked at. A person whose original cell is missing does not
    count; a released cell that is missing tells nothing, and is not right. Confidential
    attributes that are generalised in either file are left out. There is nothing for links
    from release to original, where the row is in hand and only whose it is is asked, nor where
    the truth is not known.

    Parameters
    ----------
    links
        Of an attack on this release.
    both
        The original and the release, with the pairs known.
    seed
        Of the parts that a model is made of.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> sample = unveil.households(300, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=2, columns=["age"])], seed=7)
    >>> links = unveil.attack(sample, release, unveil.attacks.Distance())
    >>> both = FilePair(sample, release.data, release.row_map)
    >>> for one in linked_disclosure(links, both, seed=7):
    ...     assert one.linked > max(one.control, one.guess, one.inferred), one.column
    """
    if links.intruder.reverse or links.truth is None or both.rows is None:
        return ()
    if links.candidates != len(both.release):
        raise UsageError("the links are of another release than the one they are held against")
    wanted = _not_known(links, both)
    looked = _Looked.at(links, both) if wanted else None
    if looked is None:
        return ()
    model = _Model.of(looked, seed)
    found = (_measured(looked, model, column) for column in wanted)
    return tuple(one for one in found if one is not None)


def _not_known(links: Links, both: FilePair) -> list[str]:
    """Confidential attributes with plain cells that the intruder does not have already."""
    knows = set(links.intruder.knows or both.with_role("quasi"))
    knows |= {*links.intruder.blocks, *links.finder.columns}
    return [
        name
        for name in both.with_role("confidential")
        if name not in knows and not both.generalised(name)
    ]


@dataclass(frozen=True, repr=False, eq=False)
class _Looked:
    """The records looked at whose person is in both files, and whom they are taken for."""

    links: Links
    both: FilePair
    people: Ints  # their rows in the original
    own: Ints  # and in the release
    paths: Paths
    left_out: int

    @classmethod
    def at(cls, links: Links, both: FilePair) -> _Looked | None:
        some = links.sample(LOOKED_AT)
        rows, true = both.rows, some.true_rows
        assert rows is not None  # noqa: S101 - asked before
        here = np.flatnonzero((true >= 0) & (rows[np.maximum(true, 0)] >= 0))
        if not len(here):
            return None
        if len(here) < len(some):  # else what was found out already is of use
            some = replace(some, records=some.records[here], truth=true[here])
        paths = follow(some)
        own = some.true_rows[paths.told]
        return cls(links, both, rows[own], own, paths, len(here) - len(own))


@dataclass(frozen=True, repr=False, eq=False)
class _Model:
    """What is known of people and of released rows, and which rows may say what of whom."""

    known: tuple[str, ...]
    people: Floats
    released: Floats
    fold: Ints
    order: Ints

    @classmethod
    def of(cls, looked: _Looked, seed: int) -> _Model | None:
        finder, both = looked.links.finder, looked.both
        names = dict.fromkeys([*finder.columns, *looked.links.intruder.blocks])
        known = tuple(name for name in names if name in both.columns)
        if not known:
            return None
        original, released = clues(both, known)
        fold, order = folds(both.content_order, seed)
        return cls(known, original[looked.people], released, fold, order)

    def guesses(self, released: Floats, own: Ints, *, ordered: bool, tolerance: float) -> Floats:
        """For each person the guess of a model that his row had no part in."""
        found = np.full(len(own), np.nan)
        for part in range(FOLDS):
            asked = self.fold[own] == part
            if asked.any():
                rows = self.order[self.fold[self.order] != part][:TRAINED]
                found[asked] = informed_guesses(
                    self.released[rows],
                    released[rows],
                    self.people[asked],
                    ordered=ordered,
                    tolerance=tolerance,
                )
        return found


def _measured(looked: _Looked, model: _Model | None, column: str) -> Inference | None:
    both, links = looked.both, looked.links
    numeric = both.level(column) == "numeric"
    original, released = single_values(both, column)
    width = TOLERANCE * spread(original)[1] * (1 + ROUNDING_SLACK) if numeric else 0.0
    truth = original[looked.people]
    have = np.flatnonzero(~np.isnan(truth))
    if not len(have):
        return None
    reader = _Reader(released, truth, width)
    linked, control = (
        np.array([reader.right(place, side[place]) for place in have.tolist()])
        for side in (looked.paths.linked, looked.paths.control)
    )
    alike = [reader.one_value(looked.paths.linked[place]) for place in have]
    inferred = None
    if model is not None:
        guesses = model.guesses(released, looked.own, ordered=numeric, tolerance=width)
        inferred = _share(near(guesses, truth, width)[have])
    return Inference(
        column=column,
        attack=links.name,
        known=() if model is None else model.known,
        n=len(have),
        left_out=looked.left_out,
        population=links.population,
        tolerance=TOLERANCE if numeric else None,
        linked=_share(linked),
        control=_share(control),
        guess=_share(near(best_guess(released, width), truth[have], width)),
        inferred=inferred,
        homogeneous=_share((linked == 1) & alike),
    )


class _Reader:
    """The released cells that an intruder reads, and whether they are right."""

    def __init__(self, released: Floats, truth: Floats, width: float) -> None:
        self._released, self._width = released, width
        self._truth = truth
        self._classes: dict[int, Floats] = {}  # cells of a class are put in order once

    def _cells(self, found: Followed) -> Floats:
        """In ascending order, missing ones last."""
        if found.key < 0:
            return np.sort(self._released[found.rows])
        if found.key not in self._classes:
            self._classes[found.key] = np.sort(self._released[found.rows])
        return self._classes[found.key]

    def right(self, place: int, found: Followed) -> float:
        """The share of the rows that have a person's value, so that a random one is right."""
        taken = int(found.without >= 0)
        n = len(found.rows) - taken
        if n <= 0:
            return 0.0
        low, high = self._truth[place] - self._width, self._truth[place] + self._width
        cells = self._cells(found)
        many = np.searchsorted(cells, high, "right") - np.searchsorted(cells, low, "left")
        if taken:
            many -= low <= self._released[found.without] <= high
        return float(many) / n

    def one_value(self, found: Followed) -> bool:
        """Whether all rows have the same value, numbers within the tolerance."""
        cells = self._cells(found)
        return len(cells) > 0 and bool(cells[-1] - cells[0] <= self._width)


def _share(right: Floats | Bools) -> float:
    """The mean, the same in whatever order the rows stand."""
    return float(np.sort(right).sum()) / len(right)
