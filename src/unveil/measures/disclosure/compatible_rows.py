"""How many released rows fit each record."""

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import LOOKED_AT
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import recode_like_release
from unveil.values.file_pair import FilePair
from unveil.values.links import Links
from unveil.values.release.channels import Ranges, Sets
from unveil.values.results.disclosure import CompatibleRows

ATTACK = "compatible"  # whose links say which rows fit


def truthful(both: FilePair, column: str) -> bool:
    """Whether every released cell can hold the value of the person whose row it is.

    True where no pair is known.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> people = unveil.households(50)
    >>> coarse = unveil.masks.GlobalRecoding(intervals=10, columns=["age"])
    >>> rough = unveil.masks.Rounding(base=1000, columns=["income"])
    >>> both = FilePair(people, unveil.mask(people, [coarse, rough]).data, np.arange(50))
    >>> [truthful(both, name) for name in ("age", "income", "sex")]
    [True, False, True]
    """
    if column not in both.columns:
        return False
    numeric = both.level(column) == "numeric"
    if numeric and not both.generalised(column):
        known, told = both.numbers(column)
        gaps = known[both.originals] - told[both.released]
        return not (np.abs(gaps) > 0).any()  # never for a NaN
    channel = Ranges((column,)) if numeric else Sets((column,))
    if not len(both.released):
        return True
    after = both.release.select([column]).take(both.released)
    mine = both.original.select([column]).take(both.originals)
    return not channel.excludes(recode_like_release(after, mine, [column]), after).any()


def rows_that_fit(links: Links) -> Ints:
    """For each record of an attack by compatible rows how many rows fit it.

    0: none does, so that either its own row is not there, or it was changed and not only made
    coarser.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> intruder = unveil.Intruder(knows=["sex", "region"])
    >>> links = unveil.attack(people, people, unveil.attacks.Compatible(), intruder=intruder)
    >>> many = rows_that_fit(links)
    >>> len(many), int((many < 5).sum())
    (50, 14)
    """
    if links.name != ATTACK or getattr(links.attack, "matching", "nearest") != "nearest":
        raise UsageError(
            "compatible rows are counted by unveil.attacks.Compatible, each record by itself: "
            "attack with that"
        )
    fit: Ints = np.where(np.isfinite(links.score), links.n_best, 0)
    return fit


def compatible_rows(links: Links) -> CompatibleRows:
    """How many released rows fit each person, by all that an intruder knows.

    If every cell of a row can hold a person's values, the row may be that person's. Where many rows
    fit everybody, nobody can be told apart; where one fits, it is found. Unlike the size of a
    class of equal rows it counts rows that are coarse in different ways. The fewest go from 0
    to all rows, and more is better.

    Of more than 2,000 records so many are looked at, drawn by the seed.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> intruder = unveil.Intruder(knows=["sex"])
    >>> links = unveil.attack(people, people, unveil.attacks.Compatible(), intruder=intruder)
    >>> compatible_rows(links).fewest
    21
    """
    some = links.sample(LOOKED_AT)
    many = np.sort(rows_that_fit(some))
    below = [int((many < k).sum()) for k in (2, 3, 5)]
    return CompatibleRows(
        columns=links.finder.columns,
        n=len(many),
        population=len(links),
        fewest=int(many[0]),
        mean=float(many.mean()),
        median=float(np.median(many)),
        none=int((many == 0).sum()),
        below_2=below[0],
        below_3=below[1],
        below_5=below[2],
    )
