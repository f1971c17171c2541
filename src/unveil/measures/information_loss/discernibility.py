"""Loss in classes: records that cannot be told from each other any more."""

import numpy as np

from unveil.measures.disclosure.uniqueness import classes_of
from unveil.measures.information_loss.catalogue import MeasuredLoss, measured
from unveil.values.file_pair import FilePair


def discernibility(both: FilePair) -> MeasuredLoss:
    """What a release adds to the classes of equal records: their sizes, and who is in none.

    Discernibility after Bayardo and Agrawal, Data privacy through optimal k-anonymization (2005),
    section 2: each released record costs the size of its class, each discarded one the number
    of all. It is taken over the square of that number, and held against the original's: what was
    added, over what could be. The average class size after LeFevre, DeWitt and Ramakrishnan,
    Mondrian multidimensional k-anonymity (2006), section 2, without its k: 1 less the original's
    over the release's. So an unchanged file has 0 of both, and both end at 1; the metric itself and
    the sizes themselves are in the notes.

    Classes are of equal quasi-identifiers that both files have; of all attributes, if there is
    none. A missing cell is a value of its own, a generalised cell its text. No pairs are needed,
    but without them nobody is known to be discarded.

    >>> import polars as pl
    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> ages = Microdata(pl.DataFrame({"age": [20, 30, 40, 50]}))
    >>> schema = Schema(numeric="age", generalised="age")
    >>> coarse = Microdata(pl.DataFrame({"age": ["20..30", "20..30", "40"]}), schema)
    >>> found = discernibility(FilePair(ages, coarse, np.arange(3))).measures
    >>> [(round(one.value, 3), one.note) for one in found]
    [(0.417, '9 in all, 4 in the original'),
     (0.333, '1.5 records for each class, 1 in the original')]
    """
    columns = both.with_role("quasi") or both.attributes or both.columns
    before, after = (
        np.bincount(classes_of(data, columns)) for data in (both.original, both.release)
    )
    n, released = len(both.original), len(both.release)
    gone = 0 if both.rows is None else n - len(np.unique(both.originals))
    every = released + gone  # n, but for rows that are nobody's
    cost, least = int((after**2).sum()) + gone * every, int((before**2).sum())
    share, own = cost / every**2, least / n**2
    value = max(share - own, 0.0) / (1 - own) if own < 1 else None
    sizes = n / len(before), released / len(after)
    told = f"{cost:,} in all, {least:,} in the original"
    many = f"{sizes[1]:,.4g} records for each class, {sizes[0]:,.4g} in the original"
    alike = "nobody can be told from anybody in the original"
    return MeasuredLoss(
        (
            measured("discernibility", value, n=every, note=alike if value is None else told),
            measured("class size", max(1 - sizes[0] / sizes[1], 0.0), n=len(after), note=many),
        ),
        {},
    )
