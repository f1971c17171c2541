"""Merged categories: a table in the terms of a release that has fewer."""

from collections.abc import Sequence

import msgspec

from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata


def recode_like_release(release: Microdata, mine: Microdata, columns: Sequence[str]) -> Microdata:
    """The records with the categories that the release's schema says theirs were merged into.

    Whoever has a release knows what its categories stand for, and compares like with like.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> mine = Microdata(pl.DataFrame({"job": ["nurse", "clerk"]}))
    >>> schema = Schema({"job": {"level": "nominal", "merged": {"care": ["nurse", "doctor"]}}})
    >>> release = Microdata(pl.DataFrame({"job": ["care", "clerk"]}), schema)
    >>> recode_like_release(release, mine, ["job"]).column("job").to_list()
    ['care', 'clerk']
    """
    cells, attributes = [], {}
    for name in columns:
        own, theirs = mine.schema[name], release.schema[name]
        if not theirs.merged or own.merged == theirs.merged or own.generalised:
            continue
        table = {member: label for label, several in theirs.merged.items() for member in several}
        cells.append(labels_of(mine.column(name)).replace(table))
        attributes[name] = msgspec.structs.replace(
            own,
            level=theirs.level,
            order=release.order(name),
            labels={},
            hierarchy=(),
            merged=theirs.merged,
        )
    return mine.replace(cells, attributes) if cells else mine
