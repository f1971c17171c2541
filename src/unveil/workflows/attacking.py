"""Attack a release: link the records that an intruder has with the released rows."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from unveil.attacks import Attack, Pairs, Position
from unveil.attacks.base import Files, Positions
from unveil.attacks.matched import matched
from unveil.data.intruder import Intruder
from unveil.data.links import Links
from unveil.data.microdata import Microdata
from unveil.data.release import Release, Releases, check_seed
from unveil.data.rows import content_places
from unveil.errors import (
    SpecError,
    UsageError,
    count,
    listing,
)
from unveil.files.schemas import as_schema
from unveil.workflows.intruding import as_others, compared_columns, drawn_rows, known_blocks
from unveil.workflows.knowing import check_level
from unveil.workflows.several import Together, together
from unveil.workflows.sources import as_microdata
from unveil.workflows.truth import ROW_ORDER, Whereabouts, true_rows

if TYPE_CHECKING:
    import os

    from unveil.data.encode import Ints
    from unveil.data.schema import Schema

EVERYBODY = Intruder()


def attack(
    original: Any,
    release: Any,
    spec: Attack,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    intruder: Intruder = EVERYBODY,
    truth: Any = None,
    seed: int = 0,
) -> Links:
    """Link the records that an intruder has with the rows of a release.

    Nothing is searched yet: each part of the links is made when it is asked for, and
    :func:`unveil.measures.risk` counts them. The order of the rows means nothing.

    Parameters
    ----------
    original, release
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`, or several
        :class:`~unveil.Releases`.
    spec
        The attack, one of :mod:`unveil.attacks`.
    schema
        What the columns are, for paths and frames; the release may lack some of them.
    intruder
        What the intruder knows, and of whom; all quasi-identifiers of all records, if not
        given. One with few records ranks and scales them by the release.
    truth
        Which released row is whose: the name of an identifier that both files have, the path
        of a row map (as `unveil.write` makes it), the original's row of each released row, or
        "row-order" where both files stand in the same order. A Release knows it already.
    seed
        Of what is drawn: the records of an intruder who has a share of them, a sample.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(1000, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> attack = unveil.attacks.Rank(criterion="max")
    >>> links = unveil.attack(sample, release, attack, intruder=intruder)
    >>> links
    Links(rank: 1,000 records, 1,000 candidates, truth known)
    >>> links.n_closer.shape
    (1000,)
    """
    _check_kinds(spec, intruder, truth)
    seed = check_seed(seed)
    whole = original if isinstance(original, Microdata) else as_microdata(original, schema)
    others = _for_others(original, release, intruder, schema)
    side = together(release, others)
    released = side.data
    own = as_others(intruder.records, others) if intruder.has_file else None
    where = Whereabouts(
        mine=side.copied(whole if own is None else own),
        rows=np.arange(len(whole)) if own is None else None,
        original=whole,
        release=released,
        row_map=side.row_map,
        origin=side.origin,
    )
    pairs = true_rows(truth, where)
    drawn = drawn_rows(intruder, where.mine, released, pairs, seed)
    mine = where.mine if drawn is None else where.mine.take(drawn)
    origin = np.arange(len(mine)) if drawn is None else drawn
    if pairs is not None:
        pairs = pairs[origin]
    columns = compared_columns(spec, mine, released, side.knowing(intruder))
    masking = None
    if spec.knows is not None:
        if intruder.channel is False:  # a Release tells it
            intruder = msgspec.structs.replace(intruder, channel=True)
        known = side.known_by(intruder, whole, seed)
        masking = side.masking_of(known, whole, columns, seed)
        if spec.knows == "original":
            mine = side.done_again(known, mine, seed)
    files = Files(
        mine=mine,
        people=mine,
        release=released,
        columns=columns,
        few=not intruder.has_all,
        reverse=intruder.reverse,
        blocks=known_blocks(mine, released, intruder),
        pairs=pairs,
        positions=Positions(origin, len(where.mine), _as_written(release, len(released))),
        masking=masking,
    )
    _tell_moved(files)
    if isinstance(spec, Pairs):
        spec = msgspec.structs.replace(spec, pairs=as_microdata(spec.pairs))
    return _links(spec, intruder, files, side, seed)


def _links(
    spec: Attack,
    intruder: Intruder,
    files: Files,
    side: Together,
    seed: int,
    *,
    strangers: bool = False,
) -> Links:
    """The links of an attack; strangers are nobody in the release."""
    records, candidates = files.asked(len(files.mine), len(files.release))
    pairs = np.full(len(files.mine), -1) if strangers else files.pairs
    known = pairs
    if pairs is not None and files.reverse:
        known = _back(pairs, len(files.release))

    def again(source: Any) -> Links:
        people = side.copied(as_others(source, files.people.schema))
        for name in files.columns:
            people.check(name)
        blocks = known_blocks(people, files.release, intruder)
        places = files.positions._replace(mine=np.arange(len(people)), file=len(people))
        others = replace(files, mine=people, blocks=blocks, positions=places)
        return _links(spec, intruder, others, side, seed, strangers=True)

    order = ContentOrder(replace(files, pairs=pairs))
    return Links(
        attack=spec,
        intruder=intruder,
        finder=matched(spec.finder(files), spec.matching, order, seed),
        records=np.arange(records),
        truth=known,
        population=records if known is None else int((known >= 0).sum()),
        candidates=candidates,
        positions=files.asked(files.positions.mine, files.positions.released),
        order=order,
        again=again,
        seed=seed,
    )


def _for_others(
    original: Any,
    release: Any,
    intruder: Intruder,
    schema: Schema | str | os.PathLike[str] | None,
) -> Schema | None:
    """What the columns of a release, or of the intruder's own file, are, unless they say it.

    As the schema says; without one as the original's does.
    """
    every = release.releases if isinstance(release, Releases) else (release,)
    read = isinstance(original, Microdata), all(isinstance(r, Microdata | Release) for r in every)
    own = intruder.has_file and not isinstance(intruder.records, Microdata)
    if schema is not None and all(read) and not own:
        raise UsageError("these Microdata have a schema already: leave out schema=")
    declared = as_schema(schema)
    return original.schema if declared is None and read[0] else declared


def _as_written(release: Any, n: int) -> Ints:
    """Where each released row stands in the file that is, or would be, written."""
    if not isinstance(release, Release) or release.plan.keep_order:
        return np.arange(n)
    places = np.empty(n, np.int64)
    places[release.written_order()] = np.arange(n)
    return places


def _check_kinds(spec: Any, intruder: Any, truth: Any) -> None:
    if not isinstance(spec, Attack):
        raise UsageError(f"an attack is one of unveil.attacks, not {type(spec).__name__}")
    if not isinstance(intruder, Intruder):
        raise UsageError(f"an intruder is an Intruder, not {type(intruder).__name__}")
    if spec.knows is not None:
        check_level(spec.knows, has_all=intruder.has_all)
    elif intruder.channel is not False:
        raise SpecError(
            f"{spec.method}: this attack makes no use of how the release was masked: leave out "
            "channel"
        )
    if isinstance(spec, Position) and isinstance(truth, str) and truth == ROW_ORDER:
        raise SpecError(
            "position: with the truth told by the order of the rows, the order of the rows tells "
            "the truth; give an identifier or a row map"
        )
    if isinstance(spec, Pairs) and intruder.blocks:
        raise SpecError("pairs: blocks are for attacks that compare; these pairs are made")
    if isinstance(spec, Pairs) and not (intruder.has_all or intruder.has_file):
        raise SpecError(
            "pairs: the pairs themselves say which records are linked: leave out records"
        )


def _tell_moved(files: Files) -> None:
    """Warn where blocks part records from their true rows."""
    if not files.blocks.columns or files.pairs is None:
        return
    there = files.pairs >= 0
    apart = ~files.blocks.fit(files.blocks.mine[there], files.blocks.released[files.pairs[there]])
    if apart.any():
        logging.getLogger("unveil").warning(
            "blocks by %s part %s from their true rows, which cannot be found then: were these "
            "columns left unmasked?",
            listing(files.blocks.columns),
            count(int(apart.sum()), "record"),
        )


def _back(pairs: Ints, released: int) -> Ints:
    """The intruder's record of each released row, -1 for none."""
    back = np.full(released, -1)
    known = np.flatnonzero(pairs >= 0)
    back[pairs[known]] = known
    return back


@dataclass(frozen=True, repr=False, eq=False)
class ContentOrder:
    """The rows of two files by what they and their partners hold, found when asked for."""

    files: Files

    @cached_property
    def _mine(self) -> Ints:
        return content_places(self.files.mine, self.files.release, self.files.pairs)

    @cached_property
    def _released(self) -> Ints:
        pairs = self.files.pairs
        back = None if pairs is None else _back(pairs, len(self.files.release))
        return content_places(self.files.release, self.files.mine, back)

    @property
    def records(self) -> Ints:
        """Of the records that are linked."""
        return self._released if self.files.reverse else self._mine

    @property
    def candidates(self) -> Ints:
        """Of those that they are linked with."""
        return self._mine if self.files.reverse else self._released
