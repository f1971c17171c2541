"""Loss in categories: cells that changed, steps moved, and the entropy that is lost."""

import numpy as np

from unveil.measures.information_loss.catalogue import (
    MOST_CATEGORIES,
    NO_PAIRS,
    MeasuredLoss,
    loss_measure,
    mean_or_none,
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


def categorical(pair: FilePair) -> MeasuredLoss:
    """The share of cells that changed, the steps they moved, and the entropy that is lost.

    Pairs are needed. For change and entropy, a missing cell is a category of its own, and so is a
    set of several; steps are of cells with one category on both sides. Change and steps measure
    where a cell went, entropy what can still be inferred: a relabelling changes everything and
    loses nothing. Only entropy grows with the number of records, a little: in few records, tables
    look more dependent than they are. Shuffled columns have an entropy near 1; change and steps
    end where chance does.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> [one.value for one in categorical(FilePair.of(sample, sample, np.arange(100))).measures]
    [0.0, 0.0, 0.0]
    """
    n_changed = n_cells = 0
    moved, n_steps = 0.0, 0
    attributes: dict[str, dict[str, float]] = {}
    for name in columns_of_level(pair, "ordinal", "nominal") if len(pair.released) else ():
        original, released, n_codes = single_codes(pair, name)
        before, after = original[pair.originals], released[pair.released]
        changed = int(changed_cells(pair, name).sum())
        n_changed, n_cells = n_changed + changed, n_cells + len(before)
        attributes[name] = {"change": changed / len(before)}
        known = (before >= 0) & (after >= 0)
        if pair.level(name) == "ordinal" and n_codes > 1 and known.any():
            far = int(np.abs(before[known] - after[known]).sum())
            moved, n_steps = moved + far / (n_codes - 1), n_steps + int(known.sum())
            attributes[name]["steps"] = far / (n_codes - 1) / int(known.sum())
        original, released = distinct_cells(pair, name)
        lost = entropy_lost(original[pair.originals], released[pair.released])
        if lost is not None:
            attributes[name]["entropy"] = lost
    why = "" if n_cells else NO_CATEGORIES if len(pair.released) else NO_PAIRS
    no_steps = why or ("" if n_steps else "no ordinal attribute")
    entropies = [values["entropy"] for values in attributes.values() if "entropy" in values]
    no_entropy = why or ("" if entropies else "all attributes are constant")
    change = n_changed / n_cells if n_cells else None
    steps = moved / n_steps if n_steps else None
    measures = (
        loss_measure("change", change, n=n_cells, note=why),
        loss_measure("steps", steps, n=n_steps, note=no_steps),
        loss_measure("entropy", mean_or_none(entropies), n=len(entropies), note=no_entropy),
    )
    return MeasuredLoss(measures, attributes)


def entropy_lost(original: Ints32, released: Ints32) -> float | None:
    """H(X | X') / H(X) of paired codes, of which -1 is missing; None where X does not vary."""
    before, after = common_codes(original, original), common_codes(released, released)
    total = _entropy(np.bincount(before))
    if total <= 0:
        return None
    joint = np.bincount(before * (int(after.max()) + 1) + after)
    conditional = _entropy(joint[joint > 0]) - _entropy(np.bincount(after))
    return float(np.clip(conditional / total, 0, 1))


def common_codes(codes: Ints32, base: Ints32, most: int = MOST_CATEGORIES) -> Ints:
    """New codes: 0 missing, then the commonest categories of the base, then all others as one.

    >>> base = np.array([5, 7, 7, 3], np.int32)
    >>> common_codes(np.array([-1, 7, 5, 3, 7], np.int32), base, 2).tolist()
    [0, 1, 3, 2, 1]
    """
    counts = np.bincount(base + 1, minlength=int(codes.max(initial=-1)) + 2)
    counts[0] = 0
    order = np.argsort(-counts, kind="stable")  # equal counts by code
    new = np.full(len(counts), most + 1)
    kept = order[: min(most, int((counts > 0).sum()))]
    new[kept] = np.arange(1, len(kept) + 1)
    new[0] = 0
    result: Ints = new[codes.astype(np.int64) + 1]
    return result


def _entropy(counts: Ints) -> float:
    """In nats; the counts are sorted, so that equal ones give the same digits."""
    kept = np.sort(counts[counts > 0]).astype(np.float64)
    n = kept.sum()
    return float(np.log(n) - (kept * np.log(kept)).sum() / n)
