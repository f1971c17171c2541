"""Attack a release: link the records of an intruder with the released rows."""

import os
from typing import Any

from unveil.attacks import Attack
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.workflows.inputs.scenario import check_kinds, prepare

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
    """Link the records of an intruder with the rows of a release.

    Links are computed on demand; :func:`unveil.measures.risk` counts the correct ones. The order
    of the rows means nothing.

    Parameters
    ----------
    original, release
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`, or several
        :class:`~unveil.Releases`.
    spec
        The attack, one of :mod:`unveil.attacks`.
    schema
        The roles and levels of the columns of paths and frames; the release may lack some.
    intruder
        What the intruder knows, and of whom; default: all quasi-identifiers of all records. An
        intruder with few records ranks and scales them by the release.
    truth
        Which released row belongs to which record: the name of an identifier of both files, the
        path of a row map (as `unveil.write` makes it), the original's row of each released row,
        or "row-order" where both files have the same order. A Release knows it already.
    seed
        Random seed.

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
    check_kinds(spec, intruder, truth)
    scenario = prepare(original, release, schema=schema, intruder=intruder, truth=truth, seed=seed)
    return scenario.links(spec, intruder)
