"""SUDA: minimal sample uniques, with the scores that rank the records by them."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import UsageError
from unveil.measures.identity.subgroups import subgroups
from unveil.measures.population.kernels import minimal_uniques as kernels
from unveil.measures.population.keys import key_columns, known_fraction
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.memory import in_units
from unveil.support.options import share, whole_number
from unveil.table.encoding.shared_attributes import written_cells
from unveil.table.microdata import Microdata
from unveil.values.results.population.special_uniques import (
    CategoryContribution,
    KeyContribution,
    MinimalSet,
    SpecialUniques,
    Suda,
)

MOST_KEYS = 20
MOST_MARKS = 2**33  # bits, 1 GiB: of each unique record, the sets in which it is alone
SETS_AT_ONCE = 64  # between two chances to interrupt
LISTED_SETS = 10


def suda(
    data: Microdata,
    columns: Sequence[str] | None = None,
    *,
    max_size: int | None = None,
    fraction: float | None = None,
    dis: float | None = None,
) -> Suda:
    """Minimal sample uniques: the smallest sets of attributes in which a record is alone.

    A record that is alone in few attributes, or in many sets of them, is a special unique: rather
    than by chance, it is unique because it is unusual, and more often so in the population. A
    minimal sample unique (MSU) of k of A attributes scores (A - k)! / (A - M - 1)!, where M is
    the largest size searched, at most A - 1; an MSU of all attributes scores 1. The score of a
    record is the sum over its MSUs, 0 if it has none.

    The DIS score spreads the probability that a match with a sample unique is right over the
    uniques by their scores. That probability is by default U f / (U f + 2 P (1 - f)) for U uniques,
    P pairs and a sampling fraction f (Skinner and Elliot 2002).

    Elliot, Manning and Ford, A computational algorithm for handling the special uniques problem
    (2002); Manning, Haglin and Keane, A recursive search algorithm for statistical disclosure
    assessment (2008); Elliot and Manning, Using DIS to modify the classification of special uniques
    (2003), by the formula of sdcMicro. A missing cell is a value of its own.

    Parameters
    ----------
    data
        The sample.
    columns
        The keys, at most 20; by default the quasi-identifiers. A number with more than 100 values
        is refused.
    max_size
        The most attributes of an MSU; by default all.
    fraction
        The sampling fraction; by default that of the weights.
    dis
        The probability that a match with a unique is right, if it is known otherwise.

    >>> import unveil
    >>> found = suda(unveil.households(500, seed=7), ["region", "sex", "education", "age"])
    >>> found.summary.uniques > found.summary.special > 0
    True
    >>> sorted(found.summary.attributes, key=lambda one: one.share)[-1].column
    'age'
    """
    keys = key_columns(data, columns)
    if len(keys) > MOST_KEYS:
        raise UsageError(f"suda: {len(keys)} columns; name at most {MOST_KEYS}")
    most = len(keys) if max_size is None else whole_number(max_size, "max_size", 1, len(keys))
    if dis is None:
        fraction = known_fraction(data, fraction)
    elif fraction is not None:
        raise UsageError("dis, fraction: give one of them")
    classes = classes_of(data, keys)
    alone = np.flatnonzero(classes.sizes == 1)
    records = classes.members[classes.starts[alone]]
    firsts = classes.members[classes.starts[:-1]]
    found = _search(data.take(firsts), keys, alone, most)
    if dis is not None:
        dis = share(dis, "dis")
    elif fraction is not None:
        dis = file_level(len(alone), int((classes.sizes == 2).sum()), fraction)
    scores = found.sizes @ _scores(len(keys), most)
    spread = None if dis is None else dis_scores(scores, len(keys), dis)
    total = max(float(np.sort(scores).sum()), 1.0)
    smallest = np.where(found.sizes.any(axis=1), (found.sizes > 0).argmax(axis=1), 0)

    def of_all(values: NDArray[Any]) -> NDArray[Any]:
        whole = np.zeros((len(data), *values.shape[1:]), values.dtype)
        whole[records] = values
        return whole

    return Suda(
        scores=of_all(scores),
        dis_scores=None if spread is None else of_all(spread),
        smallest=of_all(smallest),
        minimal=of_all(found.sizes.sum(axis=1)),
        contributions=of_all(found.contributions / np.maximum(scores, 1)[:, None]),
        summary=SpecialUniques(
            columns=keys,
            max_size=most,
            n=len(data),
            uniques=len(alone),
            special=int(((smallest > 0) & (smallest < len(keys))).sum()),
            by_size=tuple(found.sizes.sum(axis=0)[1:].tolist()),
            highest=float(scores.max(initial=0)),
            dis=dis,
            attributes=_by_attribute(keys, found.contributions, total),
            categories=_by_category(data, keys, records, found.contributions, total),
            sets=_commonest(keys, found.of_set),
        ),
    )


def file_level(uniques: int, pairs: int, fraction: float) -> float:
    """The probability that a match with a sample unique is right, by data intrusion simulation.

    A unique person is sampled with probability f, and a person of a pair makes a false match.
    """
    right, wrong = uniques * fraction, 2 * pairs * (1 - fraction)
    return right / (right + wrong) if right else 0.0


def dis_scores(scores: Floats, keys: int, dis: float) -> Floats:
    """The probability of each unique's match, spread by its score; the scale of scores is free."""
    result = np.zeros(len(scores))
    scored = scores > 0
    if dis == 0 or not scored.any():
        return result
    powers = scores[scored] ** (1 + (8 - keys) / 20)
    relative = powers * np.sort(1 / powers).sum()
    result[scored] = 1 / (1 + len(scores) * (1 / dis - 1) / relative)
    return result


def _scores(keys: int, most: int) -> Floats:
    """The score of a minimal set, by its size from 0."""
    highest = min(most, keys - 1)
    return np.array(
        [0.0, *(prod(keys - i for i in range(k, highest + 1)) for k in range(1, most + 1))]
    )


def _search(rows: Microdata, keys: Sequence[str], alone: Ints, most: int) -> kernels.MinimalSets:
    """All minimal sets of the rows of one record; the columns as they are given."""
    cells = [np.unique(written_cells(rows, name), return_inverse=True)[1] for name in keys]
    width = [int(codes.max(initial=0)) + 1 for codes in cells]
    order = np.argsort(width, kind="stable")  # what splits most comes first in the search
    n, m, searched = len(rows), len(keys), sum(comb(len(keys), k) for k in range(1, most + 1))
    if searched * len(alone) > MOST_MARKS:
        raise UsageError(
            f"suda: {searched:,} sets of attributes and {len(alone):,} unique records need "
            f"{in_units(searched * len(alone) // 8)} of memory; set a smaller max_size, or name "
            "fewer columns"
        )
    sets = np.arange(2**m)
    has = [sets >> place & 1 for place in range(m)]
    members = np.sum(has, axis=0)
    unique = np.full(n, -1, np.int32)
    unique[alone] = np.arange(len(alone))
    of_keys = kernels.Keys(
        codes=np.array([cells[place] for place in order], np.int32),
        unique=unique,
        ranks=np.append(0, np.cumsum((members > 0) & (members <= most))).astype(np.int32),
        score=_scores(m, most),
    )
    partitions = kernels.Partitions(
        rows=np.empty((most + 1, n), np.int32),
        starts=np.zeros((most + 1, n + 1), np.int32),
        groups=np.zeros(most + 1, np.int32),
    )
    partitions.rows[0], partitions.starts[0, 1], partitions.groups[0] = np.arange(n), n, 1
    scratch = kernels.Splitting(*(np.zeros(max(width), np.int32) for _ in range(4)))
    found = kernels.MinimalSets(
        marks=np.zeros((len(alone), searched // 64 + 1), np.uint64),
        sizes=np.zeros((len(alone), most + 1), np.int32),
        contributions=np.zeros((len(alone), m)),
        of_set=np.zeros(2**m, np.int64),
    )
    arguments = of_keys, partitions, scratch, found, most
    prepare("minimal sample uniques", lambda: kernels.search(*arguments, 0, 0))
    for start in range(1, 2**m, SETS_AT_ONCE):
        kernels.search(*arguments, start, min(start + SETS_AT_ONCE, 2**m))
    of_set = np.zeros(2**m, np.int64)
    of_set[np.sum([one << place for one, place in zip(has, order, strict=True)], axis=0)] = (
        found.of_set
    )
    contributions = found.contributions[:, np.argsort(order)]
    return found._replace(contributions=contributions, of_set=of_set)


def _by_attribute(
    keys: Sequence[str], contributions: Floats, total: float
) -> tuple[KeyContribution, ...]:
    sums = np.sort(contributions, axis=0).sum(axis=0).tolist()
    return tuple(
        KeyContribution(column=name, share=of_key / total)
        for name, of_key in zip(keys, sums, strict=True)
    )


def _by_category(
    data: Microdata, keys: Sequence[str], records: Ints, contributions: Floats, total: float
) -> tuple[CategoryContribution, ...]:
    """By the groups of a page: declared names or letters; rare ones together, numbers in fifths."""
    listed = []
    for grouping, scored in zip(subgroups(data, keys), contributions.T, strict=True):
        order = np.argsort(scored)  # so that sums do not depend on the order of the rows
        codes, many = grouping.codes[records][order], len(grouping.names)
        sums = np.bincount(codes, scored[order], minlength=many).tolist()
        for name, n, of_group in zip(grouping.names, grouping.sizes, sums, strict=True):
            listed.append(
                CategoryContribution(column=grouping.column, name=name, n=n, share=of_group / total)
            )
    return tuple(listed)


def _commonest(keys: Sequence[str], of_set: Ints) -> tuple[MinimalSet, ...]:
    """The sets that are minimal for most records; small sets first among equals."""
    found = np.flatnonzero(of_set).tolist()
    columns = {one: tuple(n for i, n in enumerate(keys) if one >> i & 1) for one in found}
    found.sort(key=lambda one: (-of_set[one], len(columns[one]), one))
    return tuple(
        MinimalSet(columns=columns[one], records=int(of_set[one])) for one in found[:LISTED_SETS]
    )
