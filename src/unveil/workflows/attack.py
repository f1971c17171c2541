"""Attack a release: link the records that an intruder has with the released rows."""

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
    check_kinds(spec, intruder, truth)
    scenario = prepare(original, release, schema=schema, intruder=intruder, truth=truth, seed=seed)
    return scenario.links(spec, intruder)
