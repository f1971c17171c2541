"""Attack a release: link the records that an intruder has with the released rows."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from unveil.attacks import Attack, Pairs, Position
from unveil.attacks.base import Files
from unveil.data.intruder import Intruder
from unveil.data.links import Links, Order
from unveil.data.microdata import Microdata
from unveil.data.release import Release, check_seed
from unveil.data.rows import content_places
from unveil.errors import (
    SpecError,
    UsageError,
    count,
    listing,
)
from unveil.files.schemas import as_schema
from unveil.workflows.intruding import compared_columns, drawn_rows, known_blocks, own_file
from unveil.workflows.sources import as_microdata
from unveil.workflows.truth import Whereabouts, true_rows

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
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`.
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
    _check_kinds(spec, intruder)
    seed = check_seed(seed)
    if isinstance(original, Microdata) and isinstance(release, Microdata | Release):
        as_microdata(original, schema)  # which refuses a schema that is of no use
    whole = original if isinstance(original, Microdata) else as_microdata(original, schema)
    released, row_map = _released(release, spec, schema)
    own = own_file(intruder, schema)
    where = Whereabouts(
        mine=whole if own is None else own,
        rows=np.arange(len(whole)) if own is None else None,
        original=whole,
        release=released,
        row_map=row_map,
    )
    pairs = true_rows(truth, where)
    origin = drawn_rows(intruder, where.mine, released, pairs, seed)
    mine = where.mine if origin is None else where.mine.take(origin)
    if origin is None:
        origin = np.arange(len(mine))
    elif pairs is not None:
        pairs = pairs[origin]
    files = Files(
        mine=mine,
        release=released,
        columns=compared_columns(spec, mine, released, intruder),
        few=not intruder.has_all,
        reverse=intruder.reverse,
        blocks=known_blocks(mine, released, intruder),
        pairs=pairs,
    )
    _tell_moved(files)
    if isinstance(spec, Pairs):
        spec = msgspec.structs.replace(spec, pairs=as_microdata(spec.pairs))
    records, candidates = files.asked(len(mine), len(released))
    known = None if pairs is None else files.asked(pairs, _back(pairs, len(released)))[0]
    return Links(
        attack=spec,
        intruder=intruder,
        finder=spec.finder(files),
        records=np.arange(records),
        truth=known,
        population=records if known is None else int((known >= 0).sum()),
        candidates=candidates,
        origin=origin,
        order=cache(lambda: _order(files)),
        seed=seed,
    )


def _check_kinds(spec: Any, intruder: Any) -> None:
    if not isinstance(spec, Attack):
        raise UsageError(f"an attack is one of unveil.attacks, not {type(spec).__name__}")
    if not isinstance(intruder, Intruder):
        raise UsageError(f"an intruder is an Intruder, not {type(intruder).__name__}")
    if intruder.channel:
        raise SpecError(
            f"{spec.method}: this attack makes no use of how the release was masked: leave out "
            "channel"
        )
    if isinstance(spec, Pairs) and not (intruder.has_all or intruder.has_file):
        raise SpecError(
            "pairs: the pairs themselves say which records are linked: leave out records"
        )


def _released(
    release: Any, spec: Attack, schema: Schema | str | os.PathLike[str] | None
) -> tuple[Microdata, Ints | None]:
    """The released table, and its row map if it has one."""
    if isinstance(release, Release):
        # What is betrayed by position is betrayed by the file, whose rows are shuffled.
        as_written = isinstance(spec, Position) and not release.plan.keep_order
        shown = release.shuffled() if as_written else release
        return shown.data, shown.row_map
    if isinstance(release, Microdata):
        return release, None
    declared = as_schema(schema)
    return as_microdata(release, None if declared is None else declared.where_there()), None


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


def _order(files: Files) -> Order:
    """Both files' rows by content, each with its partner's."""
    back = None if files.pairs is None else _back(files.pairs, len(files.release))
    mine = content_places(files.mine, files.release, files.pairs)
    released = content_places(files.release, files.mine, back)
    return Order(*files.asked(mine, released))
