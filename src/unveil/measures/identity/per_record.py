"""Risk per record: how the risk is spread over the records, and which carry most of it."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.values.results.disclosure import Above
from unveil.values.results.subgroups import CarriedRisk, RecordRisks, RiskBin, RiskyRow

BIN_EDGES = (0.0, 0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0)
THRESHOLDS = (0.05, 0.1, 0.2, 0.33, 0.5)
TOP_PERCENTS = (1, 5, 10, 25)  # of the records, by risk
MOST_LISTED = 10  # records that are listed by their row
DIGITS = 12  # of a risk: the last digit of a sum of shares makes no other risk


def record_risks(risks: Mapping[str, Floats], *, attack: str, direction: str) -> RecordRisks | None:
    """How the risk is spread over the records: for one attack, and on average over all attacks.

    `risks` has, for each attack as "name direction", the risk of each original; NaN where it was
    not attacked. Bins, thresholds and shares are of the worst attack, given by its name and
    direction. A record's mean risk is over the attacks made on it. `carried`, the share of the
    links that the riskiest records carry, is empty if no link is expected. None if the worst attack
    has no record.

    >>> sure, half = np.array([1.0, 0.0, np.nan]), np.array([0.5, 0.5, 0.25])
    >>> found = record_risks({"a out": sure, "b out": half}, attack="a", direction="out")
    >>> found.n, found.attacks, [(one.row, one.mean) for one in found.riskiest]
    (2, 2, [(1, 0.75), (2, 0.25), (3, 0.25)])
    >>> found.carried[-1]
    CarriedRisk(part=0.25, share=1.0)
    """
    name = f"{attack} {direction}"
    if name not in risks or len({values.shape for values in risks.values()}) > 1:
        raise UsageError("risks: of the same originals for each attack, the worst among them")
    ascending = np.sort(np.round(risks[name], DIGITS))  # NaN stands last, and is cut off
    ascending = ascending[: len(ascending) - int(np.isnan(ascending).sum())]
    if not len(ascending):
        return None
    mean, made, found_by = _over_attacks(risks.values(), len(risks[name]))
    worst, average = _binned(ascending), _binned(mean[~np.isnan(risks[name])])
    return RecordRisks(
        attack=attack,
        direction=direction,
        n=len(ascending),
        attacks=len(risks),
        bins=tuple(
            RiskBin(low=low, high=high, by_worst=n_worst, by_mean=n_mean)
            for (low, high), n_worst, n_mean in zip(
                pairwise(BIN_EDGES), worst, average, strict=True
            )
        ),
        above=tuple(Above(one, int(np.count_nonzero(ascending > one))) for one in THRESHOLDS),
        carried=_carried(ascending),
        riskiest=_riskiest(mean, made, found_by),
    )


def _over_attacks(risks: Iterable[Floats], n: int) -> tuple[Floats, Ints, Ints]:
    """Of each original the mean risk, NaN for none; how many attacks are made, and find it."""
    total, made, found_by = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for values in risks:
        attacked = ~np.isnan(values)
        total[attacked] += values[attacked]
        made += attacked
        found_by += values > 0.5
    mean = np.full(n, np.nan)
    np.divide(total, made, out=mean, where=made > 0)
    return np.round(mean, DIGITS), made, found_by


def _binned(risks: Floats) -> list[int]:
    """How many risks each bin has, its upper end included."""
    place = np.searchsorted(BIN_EDGES[1:-1], risks, side="left")
    counts: list[int] = np.bincount(place, minlength=len(BIN_EDGES) - 1).tolist()
    return counts


def _carried(ascending: Floats) -> tuple[CarriedRisk, ...]:
    total, n = float(ascending.sum()), len(ascending)
    if not total > 0:
        return ()
    top = {percent: ascending[n - -(-percent * n // 100) :] for percent in TOP_PERCENTS}
    return tuple(
        CarriedRisk(percent / 100, min(float(risks.sum()) / total, 1.0))
        for percent, risks in top.items()
    )


def _riskiest(mean: Floats, n_attacks: Ints, found_by: Ints) -> tuple[RiskyRow, ...]:
    """By mean risk, then by the number of attacks that find the record, then by row."""
    rows = np.flatnonzero(mean > 0)
    if len(rows) > MOST_LISTED:  # the others need not be sorted
        rows = rows[mean[rows] >= np.partition(mean[rows], -MOST_LISTED)[-MOST_LISTED]]
    first = rows[np.lexsort((rows, -found_by[rows], -mean[rows]))][:MOST_LISTED]
    return tuple(
        RiskyRow(
            row=int(row) + 1,
            mean=float(mean[row]),
            made=int(n_attacks[row]),
            found_by=int(found_by[row]),
        )
        for row in first
    )
