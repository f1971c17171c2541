"""Attack a release: link the records that an intruder has with the released rows."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from unveil.attacks import Attack, Pairs, Position
from unveil.attacks.base import Files
from unveil.attacks.blocks import blocks_by
from unveil.attacks.common import common_level
from unveil.data.intruder import Intruder
from unveil.data.links import Links, Order
from unveil.data.microdata import Microdata
from unveil.data.release import Release, check_seed
from unveil.data.rows import content_places
from unveil.data.shares import part_of
from unveil.data.streams import stream
from unveil.errors import (
    DataError,
    SchemaError,
    SpecError,
    UsageError,
    absent_column,
    count,
    listing,
)
from unveil.files.schemas import as_schema
from unveil.workflows.sources import as_microdata
from unveil.workflows.truth import Whereabouts, true_rows

if TYPE_CHECKING:
    import os

    from unveil.attacks.blocks import Blocks
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
    own = _own_file(intruder, schema)
    where = Whereabouts(
        mine=whole if own is None else own,
        rows=np.arange(len(whole)) if own is None else None,
        original=whole,
        release=released,
        row_map=row_map,
    )
    pairs = true_rows(truth, where)
    origin = _drawn(intruder, where.mine, released, pairs, seed)
    mine = where.mine if origin is None else where.mine.take(origin)
    if origin is None:
        origin = np.arange(len(mine))
    elif pairs is not None:
        pairs = pairs[origin]
    files = Files(
        mine=mine,
        release=released,
        columns=_compared(spec, mine, released, intruder),
        few=not intruder.has_all,
        reverse=intruder.reverse,
        blocks=_blocks(mine, released, intruder),
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


def _own_file(
    intruder: Intruder, schema: Schema | str | os.PathLike[str] | None
) -> Microdata | None:
    """The intruder's own file, if that is what it has."""
    if not intruder.has_file:
        return None
    if isinstance(intruder.records, Microdata):
        return intruder.records
    declared = as_schema(schema)
    return as_microdata(intruder.records, None if declared is None else declared.where_there())


def _drawn(
    intruder: Intruder, mine: Microdata, released: Microdata, pairs: Ints | None, seed: int
) -> Ints | None:
    """The rows that the intruder has; None for all."""
    if intruder.has_all or intruder.has_file:
        return None
    n = len(mine)
    if isinstance(intruder.records, tuple):
        rows = np.array(intruder.records)
        if rows.max() >= n:
            raise UsageError(f"intruder: records: rows of the original go from 0 to {n - 1}")
        return rows
    share = isinstance(intruder.records, float)
    many = max(1, part_of(n, intruder.records)) if share else intruder.records
    if many > n:
        raise UsageError(
            f"intruder: records: {count(many, 'record')} of an original that has {n:,}"
        )
    by_content = np.argsort(content_places(mine, released, pairs))
    chosen = stream(seed, "intruder", "records").choice(n, many, replace=False)
    return np.sort(by_content[chosen])


def _compared(
    spec: Attack, mine: Microdata, released: Microdata, intruder: Intruder
) -> tuple[str, ...]:
    """The columns that are compared: known to the intruder, and in both files."""
    if isinstance(spec, Position | Pairs):
        if intruder.knows is not None:
            raise SpecError(f"{spec.method}: this attack looks at no attribute: leave out knows")
        return ()
    common = [
        name
        for name in mine.columns
        if name in released.columns and "identifier" not in mine.schema[name].role
    ]
    if not common:
        raise DataError(
            "the two files have no attribute in common, so there is nothing to compare; files "
            "that share none are linked by `unveil link`"
        )
    if intruder.knows is None:
        quasi = [name for name in common if "quasi" in mine.schema[name].role]
        columns = [name for name in quasi if name not in intruder.blocks]
        if not columns:
            raise SchemaError(
                "no attribute of both files is a quasi-identifier (beside those of the blocks): "
                "declare roles in the schema, or say what the intruder knows, of: "
                f"{listing(common)}"
            )
    else:
        columns = [name for name in intruder.knows if name not in intruder.blocks]
        for name in columns:
            _check_known(name, mine, released)
        if not columns:
            raise SpecError("intruder: knows: name at least one attribute beside the blocks")
    for name in columns:
        common_level(mine, released, name)
    return tuple(columns)


def _check_known(name: str, mine: Microdata, released: Microdata) -> None:
    for data, whose in ((mine, "intruder's records"), (released, "release")):
        if name not in data.columns:
            raise DataError(f"intruder: in the {whose}, {absent_column(name, data.columns)}")
    if "identifier" in mine.schema[name].role:
        raise SpecError(
            f"intruder: column '{name}' is an identifier: it says who is who, and is no knowledge "
            "to link by; it can be the truth"
        )


def _blocks(mine: Microdata, released: Microdata, intruder: Intruder) -> Blocks:
    for name in intruder.blocks:
        _check_known(name, mine, released)
        if any(data.schema[name].generalised for data in (mine, released)):
            raise SchemaError(
                f"intruder: blocks: column '{name}' is generalised, so it is not unmasked"
            )
    return blocks_by(mine, released, intruder.blocks)


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
