"""What an intruder achieves by the nearest row, counted person by person in plain Python."""

import numpy as np

CLEAR = 0.5  # the second row is at least twice as far
SPREAD = 0.05  # of a standard deviation: as near is right


def distances(mine, released, numeric):
    """Squared Euclid of every pair: numbers in deviations of their own file, categories 0 or 1."""
    total = np.zeros((len(mine), len(released)))
    for column, is_number in enumerate(numeric):
        a, b = mine[:, column], released[:, column]
        if is_number:
            own = (a - a.mean()) / a.std(ddof=1)
            other = (b - b.mean()) / b.std(ddof=1)
            total += (own[:, None] - other) ** 2
        else:
            total += a[:, None] != b
    return total


def tied(row, best):
    """The rows that tie for the best."""
    root, least = np.sqrt(row), np.sqrt(best)
    return [j for j, d in enumerate(root) if abs(d - least) <= 1e-9 * max(d, least) + 1e-12]


def achieved(costs, truth, others):
    """Shares linked, confirmed and wrongly so; and the nearest rows, with and without the own.

    `others` is how many people of the file are not in the release.
    """
    linked = claimed = right = strangers = 0.0
    rows = []
    for person, row in enumerate(costs):
        near = tied(row, row.min())
        hit = (truth[person] in near) / len(near)
        linked += hit
        if clear(row):
            claimed += 1
            right += hit
        without = np.delete(row, truth[person])
        strangers += clear(without)
        places = np.delete(np.arange(len(row)), truth[person])
        rows.append((near, [int(places[j]) for j in tied(without, without.min())]))
    n = len(costs)
    wrong = (claimed - right) + others * strangers / n
    return linked / n, right / n, wrong / (n + others), rows


def clear(row):
    """Whether the second row is at least twice as far as the first."""
    first, second = np.sqrt(np.sort(row)[:2])
    margin = (second - first) / second if second > 0 else 0.0
    return margin >= CLEAR - 1e-9


def learned(rows, values, released, *, numeric):
    """The share of values read rightly off the linked rows, and off those without the own."""
    width = SPREAD * values.std(ddof=1) * (1 + 1e-9) if numeric else 0.0
    by_link = by_control = 0.0
    for person, (linked, control) in enumerate(rows):
        for found, counted in ((linked, "link"), (control, "control")):
            near = [abs(released[j] - values[person]) <= width for j in found]
            share = sum(near) / len(near)
            by_link += share if counted == "link" else 0.0
            by_control += share if counted == "control" else 0.0
    return by_link / len(rows), by_control / len(rows)
