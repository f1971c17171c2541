"""Loss in categories: cells that changed, steps moved, and what is not known any more."""

import numpy as np

from unveil.measures.information_loss.catalogue import (
    MOST_CATEGORIES,
    NO_PAIRS,
    MeasuredLoss,
    measured,
)
from unveil.support.arrays import Ints, Ints32
from unveil.values.file_pair import FilePair
from unveil.values.single_values import (
    changed_cells,
    columns_of_level,
    distinct_cells,
    single_codes,
)

NO_CATEGORIES = "no categorical attribute"


def categorical(both: FilePair) -> MeasuredLoss:
    """The share of cells that changed, the steps they moved, and the entropy that is lost.

    Pairs are needed. A missing cell is a category of its own to change and entropy, and so is a
    set of several; steps are of cells that are one category on both sides. Change and steps ask
    where a cell went, entropy what can still be known: a relabelling changes everything and loses
    nothing. None grows with the number of records but entropy a little: counted in few records,
    tables look more dependent than they are. Shuffled columns have entropy near 1; change and
    steps end where chance does.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> [one.value for one in categorical(FilePair(sample, sample, np.arange(100))).measures]
    [0.0, 0.0, 0.0]
    """
    changed = cells = 0
    moved, steps = 0.0, 0
    attributes: dict[str, dict[str, float]] = {}
    names = columns_of_level(both, "ordinal", "nominal")
    for name in names if len(both.released) else ():
        mine, released, many = single_codes(both, name)
        here, there = mine[both.originals], released[both.released]
        differ = int(changed_cells(both, name).sum())
        changed, cells = changed + differ, cells + len(here)
        attributes[name] = {"change": differ / len(here)}
        if both.level(name) == "ordinal" and many > 1:
            known = (here >= 0) & (there >= 0)
            far = int(np.abs(here[known] - there[known]).sum())
            if known.any():
                moved, steps = moved + far / (many - 1), steps + int(known.sum())
                attributes[name]["steps"] = far / (many - 1) / int(known.sum())
        mine, released = distinct_cells(both, name)
        lost = entropy_lost(mine[both.originals], released[both.released])
        if lost is not None:
            attributes[name]["entropy"] = lost
    none = "" if cells else NO_CATEGORIES if len(both.released) else NO_PAIRS
    entropies = [values["entropy"] for values in attributes.values() if "entropy" in values]
    entropy = sum(entropies) / len(entropies) if entropies else None
    found = (
        measured("change", changed / cells if cells else None, n=cells, note=none),
        measured(
            "steps",
            moved / steps if steps else None,
            n=steps,
            note=none or ("" if steps else "no ordinal attribute"),
        ),
        measured(
            "entropy",
            entropy,
            n=len(entropies),
            note=none or ("" if entropies else "all attributes are constant"),
        ),
    )
    return MeasuredLoss(found, attributes)


def entropy_lost(original: Ints32, released: Ints32) -> float | None:
    """H(X | X') / H(X) of paired codes from -1, which is missing; none where X does not vary.

    >>> two = np.array([0, 0, 1, 1], np.int32)
    >>> entropy_lost(two, two), entropy_lost(two, np.array([0, 1, 0, 1], np.int32))
    (0.0, 1.0)
    """
    here, there = commonest(original, original), commonest(released, released)
    own = _entropy(np.bincount(here))
    if own <= 0:
        return None
    joint = np.bincount(here * (int(there.max()) + 1) + there)
    known = _entropy(joint[joint > 0]) - _entropy(np.bincount(there))
    return float(np.clip(known / own, 0, 1))


def commonest(codes: Ints32, base: Ints32, most: int = MOST_CATEGORIES) -> Ints:
    """Codes anew: 0 for missing, then the commonest of the base, ties by code; all others are one.

    >>> base = np.array([5, 7, 7, 3], np.int32)
    >>> commonest(np.array([-1, 7, 5, 3, 7], np.int32), base, 2).tolist()
    [0, 1, 3, 2, 1]
    """
    counts = np.bincount(base + 1, minlength=int(codes.max(initial=-1)) + 2)
    counts[0] = 0
    order = np.argsort(-counts, kind="stable")
    anew = np.full(len(counts), most + 1)
    kept = order[: min(most, int((counts > 0).sum()))]
    anew[kept] = np.arange(1, len(kept) + 1)
    anew[0] = 0
    found: Ints = anew[codes.astype(np.int64) + 1]
    return found


def _entropy(counts: Ints) -> float:
    """In nats; in the order of the counts' sizes, so that equal ones make the same digits."""
    kept = np.sort(counts[counts > 0]).astype(np.float64)
    n = kept.sum()
    return float(np.log(n) - (kept * np.log(kept)).sum() / n)
