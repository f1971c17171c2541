"""What is run for the words of the paper on rank-based linkage: small trials beside the tables."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil import attacks, measures
from unveil_papers.framework.experiment import Figures, PaperTrial, Work, seed_of
from unveil_papers.framework.tools import Floats, numbers, percent
from unveil_papers.rank_based.work import (
    FILES,
    GROUPING,
    GROUPS,
    NOISE,
    PUBLISHED,
    RANKED,
    SWAPPED,
    attacked,
    between,
    people,
    released,
)

Summed = Callable[..., Any]

# Where distance under individual ranking is not as printed.
REORDERED = {"census": (216, 270, 360), "eia": (341, 372)}
ORDERS = 5  # in one trial
BATCHES = {"census": 30, "eia": 2}
PLACED_RUNS = 3


def placed(mask: str, file: str, level: float, run: int, *, seed: int) -> Figures:
    """How far values move in positions, and what a bound of p % of n leaves to guess among.

    Equal values stand in several positions, of which the nearest count.
    """
    data, release = people(file), released(mask, file, level, run, seed)
    before, after = numbers(data), numbers(release.data)
    n, window = len(data), len(data) * level // 100
    (first, last), (low, high) = _places(before, before), _places(before, after)
    away = np.maximum(low - last, first - high).max(axis=1)
    left = np.ones((n, n), dtype=bool)
    for of in range(before.shape[1]):
        left &= low[:, of] - last[:, of, None] <= window
        left &= first[:, of, None] - high[:, of] <= window
    return {
        "farthest": float(away.max() / window),
        "of n": percent(away.max(keepdims=True) / n),
        "outside": percent(away > window),
        "bound": percent(np.diag(left) / np.maximum(left.sum(axis=1), 1)),
    }


def _places(known: Floats, values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the last position of each value among those known."""
    order = np.sort(known, axis=0)
    pairs = list(zip(order.T, values.T, strict=True))
    first = [np.searchsorted(a, b, side="left") for a, b in pairs]
    last = [np.searchsorted(a, b, side="right") - 1 for a, b in pairs]
    return np.column_stack(first), np.column_stack(last)


def regrouped(file: str, k: int, *, seed: int) -> Figures:
    """Individual ranking that releases something else than means; and the last of tied rows."""
    data = people(file)
    values, means = numbers(data), numbers(released(GROUPING, file, k, 0, seed).data)
    shown = {"medians": _by_groups(values, k, np.median), "numbers": _by_groups(values, k, None)}
    usual = [between(data, values, means, PUBLISHED[name]) for name in RANKED]
    found = {}
    for name, other in shown.items():
        hits = [between(data, values, other, PUBLISHED[by]) for by in RANKED]
        found[name] = float(sum((a != b).sum() for a, b in zip(hits, usual, strict=True)))
        found[f"{name} apart"] = float((hits[0] != hits[1]).sum())
    last = between(data, values[::-1], means[::-1], PUBLISHED["DBRL"])
    return found | {"last of tied rows": float(last.sum())}


def _by_groups(values: Floats, k: int, summed: Summed | None, ties: Floats | None = None) -> Floats:
    """What groups of k of each attribute release: a figure of their values, or their number.

    Equal values stand in the order of the file, or in that of `ties`.
    """
    made = np.empty_like(values)
    for of, column in enumerate(values.T):
        order = np.argsort(column, kind="stable") if ties is None else np.lexsort(
            (ties[:, of], column)
        )  # fmt: skip
        groups = column[order].reshape(-1, k)
        one = np.arange(len(groups)) if summed is None else summed(groups, axis=1)
        made[order, of] = np.repeat(one, k)
    return made


def reordered(file: str, k: int, batch: int, *, seed: int) -> Figures:
    """Whom distance links where equal values are grouped in other orders, each at random."""
    data = people(file)
    values = numbers(data)
    rng = np.random.default_rng(seed_of(seed, "reordered", file, k, batch))
    found = [
        between(data, values, _by_groups(values, k, np.mean, rng.random(values.shape)),
                PUBLISHED["DBRL"]).sum()
        for _ in range(ORDERS)
    ]  # fmt: skip
    return {"least": float(min(found)), "most": float(max(found))}


def turned(file: str, level: float, *, seed: int) -> Figures:
    """How many values change their sign under the paper's factors, and under normal ones."""
    values = numbers(people(file))
    uniform = numbers(released("multiplicative", file, level, 0, seed).data)
    rng = np.random.default_rng(seed_of(seed, "turned", file, level))
    normal = values * rng.normal(1, level / 3**0.5, values.shape)
    return {
        "uniform": percent((values * uniform < 0)[values != 0]),
        "normal": percent((values * normal < 0)[values != 0]),
    }


def agreed(run: int, *, seed: int) -> Figures:
    """Probabilistic linkage of Census under little noise: cells near each other, or equal."""
    data, release = people("census"), released("noise", "census", 0.1, run, seed)
    equal: dict[str, tuple[float, ...]] = dict.fromkeys(data.columns, (0.0,))
    return {
        "near": percent(measures.hits(attacked(data, release, attacks.Probabilistic()))),
        "equal": percent(
            measures.hits(attacked(data, release, attacks.Probabilistic(tolerances=equal)))
        ),
    }


WORK: Mapping[str, Work] = {
    "placed": placed,
    "regrouped": regrouped,
    "reordered": reordered,
    "turned": turned,
    "agreed": agreed,
}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """What is run: in a hurry once, and of EIA little."""
    for mask in ("swapping", "p-distribution"):
        for level in SWAPPED:
            for run in range(1 if quick else PLACED_RUNS):
                yield PaperTrial("placed", (mask, "census", level, run), 0.3)
    for file in FILES:
        for k in GROUPS[file] if file == "census" or not quick else ():
            yield PaperTrial("regrouped", (file, k), 0.4)
        for k in REORDERED[file]:
            for batch in range(1 if quick else BATCHES[file]):
                yield PaperTrial("reordered", (file, k, batch), 0.4)
        for level in NOISE:
            yield PaperTrial("turned", (file, level), 0.1)
    yield PaperTrial("agreed", (0,), 2.0)
