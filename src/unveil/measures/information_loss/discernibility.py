"""Loss in classes: records that can no longer be distinguished."""

import numpy as np

from unveil.measures.disclosure.uniqueness import classes_of
from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure
from unveil.values.file_pair import FilePair


def discernibility(pair: FilePair) -> MeasuredLoss:
    """How much larger the classes of equal records became, with discarded records as a penalty.

    Discernibility after Bayardo and Agrawal, Data privacy through optimal k-anonymization (2005),
    section 2: each released record costs the size of its class, each discarded one the number
    of all records. The cost is divided by the square of that number; the measure is what the
    release added over what it could add. The average class size after LeFevre, DeWitt and
    Ramakrishnan, Mondrian multidimensional k-anonymity (2006), section 2, without its k: 1 minus
    the original's over the release's. An unchanged file has 0 of both, and both end at 1; the
    notes have the metric and the sizes themselves.

    Classes are of equal quasi-identifiers that both files have, or of all attributes if there is
    none. A missing cell is a value of its own, a generalised cell its text. No pairs are needed,
    but without them no record counts as discarded.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> ages = Microdata(pl.DataFrame({"age": [20, 30, 40, 50]}))
    >>> schema = Schema(numeric="age", generalised="age")
    >>> coarse = Microdata(pl.DataFrame({"age": ["20..30", "20..30", "40"]}), schema)
    >>> found = discernibility(FilePair.of(ages, coarse, np.arange(3))).measures
    >>> [(round(one.value, 3), one.note) for one in found]
    [(0.417, '9 in all, 4 in the original'),
     (0.333, '1.5 records per class on average, 1 in the original')]
    """
    columns = pair.with_role("quasi") or pair.attributes or pair.columns
    before, after = (
        np.bincount(classes_of(data, columns)) for data in (pair.original, pair.release)
    )
    n, released = len(pair.original), len(pair.release)
    discarded = 0 if pair.truth is None else n - len(np.unique(pair.originals))
    total = released + discarded  # n, except for released rows without an original
    cost, least = int((after**2).sum()) + discarded * total, int((before**2).sum())
    share, least_share = cost / total**2, least / n**2
    value = max(share - least_share, 0.0) / (1 - least_share) if least_share < 1 else None
    note = f"{cost:,} in all, {least:,} in the original"
    if value is None:
        note = "all records of the original are equal"
    size, new_size = n / len(before), released / len(after)
    sizes = f"{new_size:,.4g} records per class on average, {size:,.4g} in the original"
    measures = (
        loss_measure("discernibility", value, n=total, note=note),
        loss_measure("class size", max(1 - size / new_size, 0.0), n=len(after), note=sizes),
    )
    return MeasuredLoss(measures, {})
