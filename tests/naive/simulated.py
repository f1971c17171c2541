"""What is learnt from simulation, as its description reads."""

import math

import numpy as np

from unveil.attacks.simulated import conditional_law as limits


def place(value, values):
    """The place of a value on the scale of a histogram: half by rank, half by value."""
    ascending = sorted(set(values))
    places = []
    for one in ascending:
        below = sum(other < one for other in values)
        rank = (below + values.count(one) / 2) / len(values)
        reach = max(ascending[-1] - ascending[0], np.finfo(float).tiny)
        places.append((rank + (one - ascending[0]) / reach) / 2 * limits.CELLS)
    return float(np.interp(value, ascending, places))


def law(x, y, x_edges, y_edges, pooling, near, width):
    """The probability of each masked bin given each original bin, by one way of pooling."""
    pairs = sorted(zip(x, y, strict=True))
    middles = []
    for a in range(len(x_edges) + 1):
        inside = [one for one, _ in pairs if sum(edge <= one for edge in x_edges) == a]
        middles.append(math.fsum(inside) / len(inside))
    smallest = limits.SMALLEST * np.std(x)

    def pooled(before, after):
        gap = after if pooling == "value" else after - before
        return gap / max(abs(before), smallest) if pooling == "ratio" else gap

    values = [pooled(*pair) for pair in pairs]
    cells = [min(int(place(one, values)), limits.CELLS - 1) for one in values]
    wanted = max(math.ceil(near * len(pairs)), 1)
    found = []
    for middle in middles:
        below = sum(one < middle for one, _ in pairs)
        upto = sum(one <= middle for one, _ in pairs)
        start = min(max((below + upto) // 2 - wanted // 2, 0), len(pairs) - wanted)
        density = np.zeros(limits.CELLS)
        for cell in cells[start : start + wanted]:
            kernel = np.exp(-0.5 * ((np.arange(limits.CELLS) - cell) / width) ** 2)
            density += kernel / kernel.sum() / wanted
        ends = [place(pooled(middle, edge), values) for edge in y_edges]
        below = [0.0, *(mass_below(density, end) for end in ends), 1.0]
        found.append(np.diff(below))
    return np.array(found)


def mass_below(density, end):
    """The mass below a place, whose cell is filled evenly."""
    cell = min(int(end), len(density) - 1)
    return density[:cell].sum() + density[cell] * (end - cell)


def matching_loss(weights, evidence):
    """The surprise at each true row given its record, and at each record given its row; means."""
    n = evidence.shape[1]
    scores = sum(weight * matrix for weight, matrix in zip(weights, evidence, strict=True))
    total = 0.0
    for i in range(n):
        total -= math.log(math.exp(scores[i, i]) / sum(math.exp(one) for one in scores[i]))
        total -= math.log(math.exp(scores[i, i]) / sum(math.exp(one) for one in scores[:, i]))
    return total / n
