"""Compatible rows: how many released rows can belong to each record."""

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Ints
from unveil.values.links import Links
from unveil.values.results.disclosure import CompatibleRows


def rows_that_fit(links: Links) -> Ints:
    """The number of released rows that fit each record, by links of the attack `Compatible`.

    0 means that the record's own row is not released, or was changed and not only made coarser.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> intruder = unveil.Intruder(knows=["sex", "region"])
    >>> links = unveil.attack(people, people, unveil.attacks.Compatible(), intruder=intruder)
    >>> counts = rows_that_fit(links)
    >>> len(counts), int((counts < 5).sum())
    (50, 14)
    """
    if not (links.attack.excludes_only and links.attack.row_by_row):
        raise UsageError(
            "links: compatible rows need the attack unveil.attacks.Compatible() without a matching"
        )
    fit: Ints = np.where(np.isfinite(links.score), links.n_best, 0)
    return fit


def compatible_rows(links: Links) -> CompatibleRows:
    """The number of released rows compatible with each person's known attributes.

    A row fits a person if every cell can hold the person's value. If many rows fit every person,
    no person can be distinguished; if a single row fits, it is the person's. Unlike the size of a
    class of equal rows, this counts rows that are coarse in different ways. The fewest go from 0
    to all rows, and more is better.

    At most 2,000 records are sampled.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> intruder = unveil.Intruder(knows=["sex"])
    >>> links = unveil.attack(people, people, unveil.attacks.Compatible(), intruder=intruder)
    >>> compatible_rows(links).fewest
    21
    """
    counts = np.sort(rows_that_fit(links.sample(SAMPLE_SIZE)))
    return CompatibleRows(
        columns=links.finder.columns,
        n=len(counts),
        population=len(links),
        fewest=int(counts[0]),
        mean=float(counts.mean()),
        median=float(np.median(counts)),
        none=int((counts == 0).sum()),
        below_2=int((counts < 2).sum()),
        below_3=int((counts < 3).sum()),
        below_5=int((counts < 5).sum()),
    )
