"""Anti-unification as the paper's Figures 1, 3 and 4 tell it, set by set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unveil.support.arrays import Ints

Pattern = tuple[int, ...]  # the class, then for each attribute its value or STAR
STAR = -2
UNKNOWN = -1  # a missing value that equals no other, where unknown values are wildcards


def anonymise(
    codes: Ints, classes: Ints, k: int, stars: int, order: str
) -> tuple[set[Pattern], list[int]]:
    """The patterns, and the records that satisfy none of those that were made of them."""
    patterns: set[Pattern] = set()
    left = set(range(len(codes)))
    for condition in order:
        while True:
            identified: set[int] = set()
            for own in sorted(set(classes.tolist())):
                members = [i for i in sorted(left) if classes[i] == own]
                if len(members) >= k:
                    identified |= _analyse(codes, own, members, (k, stars, condition), patterns)
            left -= identified
            if not identified:
                break
    return patterns, sorted(left)


def _analyse(
    codes: Ints, own: int, members: list[int], rule: tuple[int, int, str], patterns: set[Pattern]
) -> set[int]:
    k, stars, condition = rule
    here = codes[members]
    constant = [bool((here[:, j] == here[0, j]).all() and here[0, j] != UNKNOWN) for j in
                range(here.shape[1])]  # fmt: skip
    if constant.count(False) <= stars:
        values = zip(here[0].tolist(), constant, strict=True)
        patterns.add((own, *(value if same else STAR for value, same in values)))
        return set(members)
    sets = {
        j: _partition(here[:, j], members)
        for j in range(here.shape[1])
        if not constant[j] and len(np.unique(here[:, j])) > 1
    }
    if not sets:
        return set()
    sizes = {j: len({*here[:, j].tolist()} - {UNKNOWN}) for j in sets}
    wanted = min(sizes.values()) if condition == "<" else max(sizes.values())
    found: set[int] = set()
    for j, parts in sets.items():
        if sizes[j] == wanted:
            for part in parts:
                if len(part) >= k:
                    found |= _analyse(codes, own, part, rule, patterns)
    return found


def _partition(values: Ints, members: Iterable[int]) -> list[list[int]]:
    """The sets of equal values; an unknown one is a set by itself."""
    sets: dict[tuple[int, int], list[int]] = {}
    for value, member in zip(values.tolist(), members, strict=True):
        sets.setdefault((value, member if value == UNKNOWN else -1), []).append(member)
    return list(sets.values())


def anonymity_sets(rows: list[list[int]], patterns: list[Pattern]) -> list[tuple[int, int, int]]:
    """For each record its patterns, the records with exactly these, and those with any of them."""
    satisfied = [
        {
            place
            for place, pattern in enumerate(patterns)
            if all(cell in (STAR, value) for cell, value in zip(pattern, row, strict=True))
        }
        for row in rows
    ]
    return [
        (len(own), sum(own == one for one in satisfied), sum(bool(own & one) for one in satisfied))
        if own
        else (0, 0, 0)
        for own in satisfied
    ]
