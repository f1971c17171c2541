"""Anonymity sets of records that satisfy patterns, of which they may satisfy several."""

import numpy as np

from unveil.errors import UsageError
from unveil.values.patterns import AnonymitySets, Patterns


def anonymity_sets(patterns: Patterns) -> AnonymitySets:
    """For each record how many records share one of its patterns, and how many share them all.

    Patterns of `masks.AntiUnification` may overlap. Armengol and Torra (2015, Section 3) count the
    records that satisfy at least one of a record's patterns: 2K or more where it satisfies two.
    This holds if the intruder does not know which pattern hides the record. An intruder who knows
    all of its patterns, for example from their counts, is left with the records that satisfy
    exactly these, which may be fewer than K.

    >>> import unveil
    >>> people, keys = unveil.households(500, seed=7), ["sex", "region", "age", "education"]
    >>> mask = unveil.masks.AntiUnification(
    ...     k=5, columns=keys, by_confidential=False, assignment="overlapping"
    ... )
    >>> sets = anonymity_sets(mask.patterns(people))
    >>> sets
    AnonymitySets(500 records, 500 in several patterns)
    >>> int(sets.united.min()), sets.below(5)
    (26, 145)
    """
    if not isinstance(patterns, Patterns):
        raise UsageError("patterns: make them by unveil.masks.AntiUnification(...).patterns(data)")
    record, pattern = patterns.of_records
    rows, starts = np.unique(record, return_index=True)
    sets: dict[bytes, int] = {}
    own = [sets.setdefault(one.tobytes(), len(sets)) for one in np.split(pattern, starts[1:])]
    sizes = np.bincount(own, minlength=len(sets))
    members = np.split(patterns.members, np.cumsum(patterns.supports)[:-1])
    united = np.array([
        len(np.unique(np.concatenate([members[one] for one in np.frombuffer(key, np.int64)])))
        for key in sets
    ])  # fmt: skip
    many, alike, all_united = (np.zeros(patterns.n, np.int64) for _ in range(3))
    many[rows] = np.diff(np.append(starts, len(record)))
    alike[rows], all_united[rows] = sizes[own], united[own]
    return AnonymitySets(many, alike, all_united)
