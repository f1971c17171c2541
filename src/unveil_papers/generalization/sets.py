"""What else is run for Armengol and Torra (2015): sets behind patterns, and who is found."""

from collections import Counter

import numpy as np

import unveil
from unveil import attacks, measures
from unveil_papers.framework.experiment import Figures
from unveil_papers.framework.tools import Ints, percent
from unveil_papers.generalization.work import (
    DB,
    KEYS,
    RELEASES,
    Bools,
    adult,
    asked,
    coded,
    first_of,
    parts_of,
    patterns_of,
    rounds,
)

DISJOINT = "disjoint (>,<)"  # the release that is attacked


def of_splits(order: str, k: int, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """How sets are split, over the sets that the search meets, each counted once in a round."""
    return splits(*asked(DB), order, k)


def splits(codes: Ints, classes: Ints, order: str, k: int) -> dict[str, float | list[float]]:
    """How often a set is split before it is a pattern, and what parts become."""
    counts: Counter[str] = Counter()

    def search(members: Ints, condition: str, identified: Bools) -> None:
        met: set[bytes] = set()
        ahead = [(members, 0)]
        while ahead:
            own, depth = ahead.pop()
            if (key := own.tobytes()) in met:
                continue
            met.add(key)
            parts = parts_of(codes, own, condition)
            large = [part for part in parts if len(part) >= k]
            ahead += [(part, depth + 1) for part in large]
            counts["parts"] += len(parts)
            counts["small"] += len(parts) - len(large)
            counts[f"met by {condition}"] += depth > 0
            counts[f"split by {condition}"] += depth > 0 and len(parts) > 0
            if not parts:
                identified[own] = True
                counts["patterns"] += 1
                counts["depth"] += depth

    rounds(classes, order, k, search)
    return {
        "depth": counts["depth"] / max(counts["patterns"], 1),
        "too small": 100 * counts["small"] / max(counts["parts"], 1),
        "again": [
            100 * counts[f"split by {condition}"] / max(counts[f"met by {condition}"], 1)
            for condition in order
        ],
    }


def of_united(order: str, k: int, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """Those who satisfy several patterns: how many others satisfy one of these, and all of them."""
    people, patterns = adult(DB), patterns_of(order, k)
    sets, first = measures.anonymity_sets(patterns), first_of(patterns)
    kept, several = np.flatnonzero(sets.patterns), sets.patterns > 1
    told, own = coded(patterns.data)[first[kept]], coded(people)[kept]
    return {
        "2K or more": percent(sets.united[several] >= 2 * k),
        "united": float(np.median(sets.united[several])),
        "told apart": percent(sets.alike[several] < k),
        "untrue": int(((told >= 0) & (told != own)).sum()),
    }


def of_linked(k: int, *, seed: int) -> Figures:
    """How many people are expected to be found in a k-anonymous file, who all keys are known of."""
    release = unveil.mask(adult(DB), RELEASES[DISJOINT](k), seed=seed)
    intruder = unveil.Intruder(knows=KEYS)
    links = unveil.attack(adult(DB), release, attacks.Compatible(), intruder=intruder)
    return {"linked": float(measures.hits(links, ties="expected").sum()), "released": len(release)}
