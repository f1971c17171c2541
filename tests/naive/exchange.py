"""Exchange linkage, as its description reads."""

import math
from collections import Counter

import numpy as np

from unveil.attacks.tailored.exchange.implied_pairs import WRONG_CELLS
from unveil.attacks.tailored.exchange.kernels import propagation as limits


def implied_pair(x, y, i, candidate, j):
    """The pair that a pair implies by column j; None where a value is missing or not unique."""
    owners = [k for k in range(len(x)) if x[k, j] == y[candidate, j]]
    rows = [m for m in range(len(y)) if y[m, j] == x[i, j]]
    unique = (y[:, j] == y[candidate, j]).sum(), (x[:, j] == x[i, j]).sum()
    if len(owners) == len(rows) == unique[0] == unique[1] == 1:
        return owners[0], rows[0]
    return None


def follow(x, y, i, candidate, taken, *, whole):
    """The pairs that a guess leads to, how many it confirms, and how many it contradicts."""
    match, partner = dict(taken), {row: record for record, row in taken.items()}
    match[i], partner[candidate] = candidate, i
    queue, confirmed, contradicted = [(i, None)], 0, 0
    for a, arrived in queue:
        for j in range(x.shape[1]):
            implied = implied_pair(x, y, a, match[a], j)
            if implied is None or j == arrived:
                continue
            k, m = implied
            if k not in match and m not in partner:
                match[k], partner[m] = m, k
                queue.append((k, j))
            elif match.get(k) == m:
                confirmed += 1
            else:
                contradicted += 1
        if refuted(confirmed, contradicted) or (not whole and confirmed >= limits.CONFIRMED):
            break
    return {a: match[a] for a, _ in queue}, confirmed, contradicted


def refuted(confirmed, contradicted):
    return contradicted > limits.TOLERATED and contradicted * limits.PER_CONTRADICTION > confirmed


def propagate(x, y, order, least, failures):
    """The pairs of all accepted guesses; `order` lists the records to begin with."""
    taken, failed = {}, 0
    for i in order:
        if failed == failures:
            break
        if i in taken:
            continue
        for candidate in range(len(y)):
            if candidate in taken.values():
                continue
            _, confirmed, contradicted = follow(x, y, i, candidate, taken, whole=False)
            if confirmed >= least and not refuted(confirmed, contradicted):
                taken |= follow(x, y, i, candidate, taken, whole=True)[0]
                failed = 0
                break
        else:
            failed += 1
    return taken


def factors(pairs, probability, factor, x, y):
    """What one column multiplies the odds of each listed pair with, given its last factors."""
    n, m = len(x), len(y)
    owners, shown = Counter(x[~np.isnan(x)].tolist()), Counter(y[~np.isnan(y)].tolist())
    passed_on = []
    for chance, old in zip(probability, factor, strict=True):
        odds = chance / (max(1 - chance, 1e-12) * old)
        passed_on.append(odds / (1 + odds))
    found = []
    for i, candidate in pairs:
        v, u = y[candidate], x[i]
        if math.isnan(v) or math.isnan(u):
            found.append(1.0)
            continue
        implied = sum(
            p for (k, row), p in zip(pairs, passed_on, strict=True) if x[k] == v and y[row] == u
        )
        no_owner, no_row = max(shown[v] - owners[v], 0), max(owners[u] - shown[u], 0)
        unseen = no_owner * shown[u] / m + owners[v] * no_row / n
        by_chance = (owners[v] + no_owner) * (shown[u] + no_row) / max(n, m)
        found.append((1 - WRONG_CELLS) * (implied + unseen) / by_chance + WRONG_CELLS)
    return found


def membership(x, y, rates):
    """The log-likelihood ratio of each record: a member of the release to another person.

    `rates` has for each column the share of the members' values that the release has.
    """
    found = []
    for i in range(len(x)):
        ratio = 0.0
        for j in range(x.shape[1]):
            shown = Counter(y[~np.isnan(y[:, j]), j].tolist())
            counts = Counter(shown.values())
            if math.isnan(x[i, j]):
                continue
            rows, once, twice = sum(shown.values()), counts[1], 2 * counts[2]
            others = [once + 1, twice + 1 + WRONG_CELLS * once, max(rows - once - twice, 0) + 1]
            times = min(shown[x[i, j]], 2)
            member = 1 - rates[j] if times == 0 else rates[j] / (rows + 2)
            member *= [1, once + 1, rows - once + 1][times]
            ratio += math.log(member / (others[times] / sum(others)))
        found.append(ratio)
    return found


def log_unmatched(costs, share, ratios):
    """The log-likelihood that each record has no partner; costs are infinite where unlisted."""
    n, m = len(costs), len(costs[0])
    matched = min(share * n, m - 0.5)
    odds = matched / ((n - matched) * (m - matched))
    means = [sum(math.exp(-cost) for cost in row) / m for row in costs]
    return [
        math.log(mean) - math.log(odds) - ratio for mean, ratio in zip(means, ratios, strict=True)
    ]
