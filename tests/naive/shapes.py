"""Slow twins of shapes and of the tail of risks: one value, one category, one record at a time."""

import math
from fractions import Fraction
from itertools import pairwise

STEPS = [c * Fraction(10) ** k for k in range(-9, 9) for c in map(Fraction, ("1", "2", "5/2", "5"))]
STEPS.sort()


def ranges(before, after):
    """The labels and the counts of two lists of numbers; None where no round ends part them."""
    ends = _ends(before, after)
    if not ends:
        return None
    bars = []
    whole = all(v == int(v) for v in (*before, *after)) and all(
        end == int(end) and abs(end) < 1000 for end in ends
    )
    for low, high in pairwise([-math.inf, *ends, math.inf]):
        names = [f"{float(end):,.10g}" for end in (low, high)]
        label = f"{names[0]} to {names[1]}"
        if whole and math.inf not in (-low, high):
            label = f"{low} to {high - 1}" if low < high - 1 else f"{low}"
        if low == -math.inf:
            label = f"under {names[1]}"
        elif high == math.inf:
            label = f"{names[0]} and over"
        sides = (sum(float(low) <= v < float(high) for v in side) for side in (before, after))
        bars.append((label, *sides))
    return bars


def _ends(before, after):
    values, n = sorted(before), len(before)
    outer = {min(max(int(part * n), 10), (n - 1) // 2) for part in (0.02, 0.005, 0)}
    whole = all(v == int(v) for v in before)
    for k in sorted(outer, reverse=True):
        low, high = values[k], values[n - 1 - k]
        for unit in (Fraction(1), Fraction(1, 2)) if whole else (None,):
            for step in STEPS:
                if (high - low) / step > 12 or (unit and step % unit):
                    continue
                about = range(math.floor(low / step), math.floor(high / step) + 2)
                ends = [i * step for i in about if low < i * step <= high]
                if not 1 <= len(ends) <= 11 or any(_digits(end) > 4 for end in ends):
                    continue
                kept = [end for end in ends if _parts(before, end) and _parts(after, end)]
                if kept:
                    return kept
    return None


def _parts(values, end):
    end = float(end)
    few = min(sum(v < end for v in values), sum(v >= end for v in values))
    return few >= 10 and end < max(values)


def _digits(end):
    while end and end.denominator > 1:
        end *= 10
    return len(str(abs(int(end))).rstrip("0"))


def nth_letter(place):
    """The name of an undeclared category; of no more than 26."""
    ending = ["", "2nd ", "3rd "][place] if place < 3 else f"{place + 1}th "
    return f"{chr(ord('A') + place)} ({ending}most frequent)"


def categories(before, after, declared):
    """The counts of nominal categories: declared by name, the others by letter, then the rest."""
    mine, released = [v for v in before if v], [v for v in after if v]
    shown = [c for c in {*mine, *released} if c in declared or mine.count(c) >= 10]
    shown.sort(key=lambda c: (-mine.count(c), -released.count(c), c))
    if len(shown) > 12 or len(shown) < len({*mine, *released}):
        shown = shown[:11]
    ranked = sorted({*mine}, key=lambda c: (-mine.count(c), c))
    bars = []
    for c in shown:
        name = c if c in declared else nth_letter(ranked.index(c))
        bars.append((name, mine.count(c), released.count(c)))
    rest = [sum(v not in shown for v in side) for side in (mine, released)]
    return [*bars, ("other", *rest)] if any(rest) else bars


def record_risks(risks, worst):
    """Bins by the worst and by the mean, above, carried, riskiest; None is not attacked."""
    edges = [0, 0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1]
    there = [r for r in risks[worst] if r is not None]
    people = []
    for row in range(len(risks[worst])):
        made = [each[row] for each in risks.values() if each[row] is not None]
        if made:
            found = sum(r > 0.5 for r in made)
            people.append((-round(sum(made) / len(made), 12), -found, row + 1, len(made)))

    def binned(values):
        return [
            sum(low < v <= high or (low == v == 0) for v in values) for low, high in pairwise(edges)
        ]

    same = [-mean for mean, _, row, _ in people if risks[worst][row - 1] is not None]
    ordered = sorted(there, reverse=True)
    parts = [(p, math.ceil(Fraction(p, 100) * len(there))) for p in (1, 5, 10, 25)]
    return {
        "n": len(there),
        "bins": list(zip(binned(there), binned(same), strict=True)),
        "above": [sum(r > t for r in there) for t in edges[1:6]],
        "carried": [sum(ordered[:k]) / sum(there) for _, k in parts] if sum(there) else [],
        "riskiest": [(row, -mean, -by, n) for mean, by, row, n in sorted(people)[:10] if mean < 0],
    }
