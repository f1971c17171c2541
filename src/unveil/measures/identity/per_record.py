"""The tail: how the risk is spread over the records, and who carries most of it."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.values.results.disclosure import Above
from unveil.values.results.subgroups import CarriedRisk, RecordRisks, RiskBin, RiskyRow

EDGES = (0.0, 0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0)
THRESHOLDS = (0.05, 0.1, 0.2, 0.33, 0.5)
PARTS = (1, 5, 10, 25)  # percent of the records
RISKIEST = 10  # records that are named by their row
PLACES = 12  # of a risk: what differs beyond them ties


def record_risks(risks: Mapping[str, Floats], *, attack: str, direction: str) -> RecordRisks | None:
    """How the risk is spread over the records: by one attack, and on average over all of them.

    A record's mean risk is over the attacks that were made on it. Which share of the links the
    riskiest carry is empty where no link is expected. None where the attack was made on nobody.

    Parameters
    ----------
    risks
        For each attack, by "name direction", the risk of each original; NaN where it was not
        attacked.
    attack, direction
        Of the worst, which the bins, the thresholds and the shares are of.

    >>> sure, half = np.array([1.0, 0.0, np.nan]), np.array([0.5, 0.5, 0.25])
    >>> found = record_risks({"a out": sure, "b out": half}, attack="a", direction="out")
    >>> found.n, found.attacks, [(one.row, one.mean) for one in found.riskiest]
    (2, 2, [(1, 0.75), (2, 0.25), (3, 0.25)])
    >>> found.carried[-1]
    CarriedRisk(part=0.25, share=1.0)
    """
    name = f"{attack} {direction}"
    if name not in risks or len({each.shape for each in risks.values()}) > 1:
        raise UsageError("the risks are of the same originals by each attack, the worst among them")
    each = np.sort(_rounded(risks[name]))  # NaN stands last, and is cut off
    each = each[: len(each) - int(np.isnan(each).sum())]
    if not len(each):
        return None
    mean, made, found_by = _over_all(risks.values(), len(risks[name]))
    worst, average = _binned(each), _binned(mean[~np.isnan(risks[name])])
    return RecordRisks(
        attack=attack,
        direction=direction,
        n=len(each),
        attacks=len(risks),
        bins=tuple(
            RiskBin(low=low, high=high, by_worst=one, by_mean=other)
            for (low, high), one, other in zip(pairwise(EDGES), worst, average, strict=True)
        ),
        above=tuple(Above(one, int(np.count_nonzero(each > one))) for one in THRESHOLDS),
        carried=_carried(each),
        riskiest=_riskiest(mean, made, found_by),
    )


def _rounded(each: Floats) -> Floats:
    """A sum of shares may miss a round number by its last digit, which is no other risk."""
    rounded: Floats = np.round(each, PLACES)
    return rounded


def _over_all(risks: Iterable[Floats], n: int) -> tuple[Floats, Ints, Ints]:
    """Of each original the mean risk, NaN for none; how many attacks are made, and find it."""
    total, made, found_by = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for each in risks:
        there = ~np.isnan(each)
        total[there] += each[there]
        made += there
        found_by += each > 0.5
    mean = np.full(n, np.nan)
    np.divide(total, made, out=mean, where=made > 0)
    return _rounded(mean), made, found_by


def _binned(each: Floats) -> list[int]:
    """How many lie in each bin, its upper end inside."""
    place = np.searchsorted(EDGES[1:-1], each, side="left")
    counts: list[int] = np.bincount(place, minlength=len(EDGES) - 1).tolist()
    return counts


def _carried(ascending: Floats) -> tuple[CarriedRisk, ...]:
    total, n = float(ascending.sum()), len(ascending)
    if not total > 0:
        return ()
    top = {part: ascending[n - -(-part * n // 100) :] for part in PARTS}
    return tuple(
        CarriedRisk(part / 100, min(float(some.sum()) / total, 1.0)) for part, some in top.items()
    )


def _riskiest(mean: Floats, made: Ints, found_by: Ints) -> tuple[RiskyRow, ...]:
    """The highest mean first; as high, those that more attacks find, then by row."""
    rows = np.flatnonzero(mean > 0)
    if len(rows) > RISKIEST:  # the others need not be sorted
        rows = rows[mean[rows] >= np.partition(mean[rows], -RISKIEST)[-RISKIEST]]
    first = rows[np.lexsort((rows, -found_by[rows], -mean[rows]))][:RISKIEST]
    return tuple(
        RiskyRow(
            row=int(row) + 1,
            mean=float(mean[row]),
            made=int(made[row]),
            found_by=int(found_by[row]),
        )
        for row in first
    )
