"""Compatible rows: how many released rows can belong to each record."""

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import recode_like_release
from unveil.values.file_pair import FilePair
from unveil.values.links import Links
from unveil.values.release.channels import Ranges, Sets
from unveil.values.results.disclosure import CompatibleRows


def truthful(pair: FilePair, column: str) -> bool:
    """Whether every released cell can hold its person's value; true where no pair is known."""
    if column not in pair.columns:
        return False
    numeric = pair.level(column) == "numeric"
    if numeric and not pair.generalised(column):
        original, released = pair.numbers(column)
        gaps = original[pair.originals] - released[pair.released]
        return not (np.abs(gaps) > 0).any()  # never for a NaN
    channel = Ranges((column,)) if numeric else Sets((column,))
    if not len(pair.released):
        return True
    after = pair.release.select([column]).take(pair.released)
    before = pair.original.select([column]).take(pair.originals)
    return not channel.excludes(recode_like_release(after, before, [column]), after).any()


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
    if links.name != "compatible" or getattr(links.attack, "matching", "nearest") != "nearest":
        raise UsageError(
            "links: compatible rows are counted by unveil.attacks.Compatible() without a matching; "
            "attack with that"
        )
    fit: Ints = np.where(np.isfinite(links.score), links.n_best, 0)
    return fit


def compatible_rows(links: Links) -> CompatibleRows:
    """How many released rows fit each person, by everything that the intruder knows.

    A row fits a person if every cell can hold the person's value. If many rows fit everybody,
    nobody can be distinguished; if a single row fits, it is the person's. Unlike the size of a
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
