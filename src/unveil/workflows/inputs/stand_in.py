"""A stand-in for the original: what an intruder masks again to learn what links are worth."""

import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.support.arrays import Ints
from unveil.table.households import households_of
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair

WITH_RECORDS = {"household", "weight", "stratum"}  # roles of columns that are known with records


def stand_in(pair: FilePair, known: set[str], rng: np.random.Generator) -> tuple[Microdata, Ints]:
    """The intruder's records, filled up with released rows; and the rows of the records in it.

    The cells of columns that the intruder does not know are those of released rows, drawn at
    random. So are further people, until there are as many as in the release. The rows are in the
    order of their content: random numbers go by rows.
    """
    records, release = pair.original, pair.release
    drawn = rng.permutation(np.argsort(content_order(release)))
    more = drawn[: max(len(release) - len(records), 0)]
    own = [name for name in records.columns if name in known]
    for name in records.columns:  # of people who are filled in, only what is released is known
        if records.schema[name].role & WITH_RECORDS and name not in own:
            own += [name] if not len(more) or name in release.columns else []
    others = [name for name in release.columns if name not in own]
    taken = [*others, *(own if len(more) else ())]
    if any(release.schema[name].generalised for name in taken):
        raise DataError("generalised cells cannot be masked again")
    partners = np.append(drawn[np.arange(len(records)) % len(drawn)], more)
    homes = None if len(more) else households_of(records)
    shared = partners if homes is None else partners[homes.firsts][homes.of_record]
    cells, codes, attributes = list[pl.Series](), dict[str, pl.Series](), {}
    for name in own:
        attributes[name] = records.schema[name]
        column, code = records.column(name).clone(), records.missing_code(name).clone()
        if len(more):
            column = column.append(release.column(name).gather(more).cast(column.dtype))
            code = code.append(release.missing_code(name).gather(more))
        cells.append(column)
        codes[name] = code
    for name in others:
        attributes[name] = release.schema[name]
        rows = shared if attributes[name].per_household else partners
        cells.append(release.column(name).gather(rows))
        codes[name] = release.missing_code(name).gather(rows)
    people = Microdata.from_columns(pl.DataFrame(cells), Schema(attributes), codes)
    place = content_order(people)
    return people.take(np.argsort(place)), np.sort(place[: len(records)])
