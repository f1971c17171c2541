"""Messages between the rows and the columns of a matching (fractional belief propagation).

Pairs of weight W send messages: m = 1 / (R - g W q) along rows, q = 1 / (C - g W m) along columns,
where R and C are the sums of W q over a row and of W m over a column. A pair's belief is W q / R.
The messages of a pair of small weight w are approximately m = (1 + x) / R and
q = (1 + x) / C with x = g w / (R C), to second order in w. These need not be stored.
"""

from unveil.matching.kernels.sinkhorn import MIN_SCALING, Matrix
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel


@kernel()
def send(
    starts: Ints,
    entries: Ints,
    sizes: Floats,
    weights: Floats,
    received: Floats,
    rest: Floats,
    fraction: float,
    sums: Floats,
    sent: Floats,
    start: int,
    stop: int,
) -> float:
    """Send the messages of some lines; returns the largest relative change of a line's sum.

    The pairs of line i start at entries[starts[i]], with `sizes` of each; rest[i] is its further
    weight.
    """
    worst = 0.0
    for i in range(start, stop):
        total = rest[i]
        for k in range(starts[i], starts[i + 1]):
            e = entries[k]
            total += sizes[k] * (weights[e] * received[e])
        total = max(total, MIN_SCALING)
        worst = max(worst, abs(total / sums[i] - 1.0))
        sums[i] = total
        for k in range(starts[i], starts[i + 1]):
            e = entries[k]
            # 1e-12: with fraction 1, a single candidate would leave nothing.
            others = max(total - fraction * (weights[e] * received[e]), 1e-12 * total)
            sent[e] = 1.0 / others
    return worst


@kernel()
def count_heavy(
    weights: Matrix,
    rows: Floats,
    columns: Floats,
    threshold: float,
    counts: Ints,
    start: int,
    stop: int,
) -> None:
    """Count the pairs of each row whose scaled weight reaches the threshold."""
    for i in range(start, stop):
        n = 0
        for j in range(weights.shape[1]):
            if weights[i, j] * (rows[i] * columns[j]) >= threshold:
                n += 1
        counts[i] = n


@kernel()
def list_heavy(
    weights: Matrix,
    rows: Floats,
    columns: Floats,
    threshold: float,
    starts: Ints,
    listed: Ints,
    start: int,
    stop: int,
) -> None:
    """List the columns of these pairs, row by row."""
    for i in range(start, stop):
        at = starts[i]
        for j in range(weights.shape[1]):
            if weights[i, j] * (rows[i] * columns[j]) >= threshold:
                listed[at] = j
                at += 1


@kernel()
def sum_light(
    weights: Matrix,
    rows: Floats,
    columns: Floats,
    threshold: float,
    fraction: float,
    supply: Floats,
    capacity: Floats,
    row_sums: Floats,
    inverse_columns: Floats,
    light_rows: Floats,
    light_columns: Floats,
    start: int,
    stop: int,
) -> None:
    """Sum W q over each row and W m over each column, for the pairs below the threshold."""
    width = weights.shape[1]
    for i in range(start, stop):
        more, amount = fraction / row_sums[i], supply[i] / row_sums[i]
        for j in range(width):
            weight = weights[i, j] * (rows[i] * columns[j])
            light = weight if weight < threshold else 0.0
            light_columns[j] += amount * (light + more * inverse_columns[j] * light * light)
        a, b = 0.0, 0.0  # each addition waits for the one before it
        for j in range(0, width - 1, 2):
            weight = weights[i, j] * (rows[i] * columns[j])
            light = weight if weight < threshold else 0.0
            light *= 1.0 + more * inverse_columns[j] * light
            a += capacity[j] * inverse_columns[j] * light
            weight = weights[i, j + 1] * (rows[i] * columns[j + 1])
            light = weight if weight < threshold else 0.0
            light *= 1.0 + more * inverse_columns[j + 1] * light
            b += capacity[j + 1] * inverse_columns[j + 1] * light
        if width % 2:
            weight = weights[i, width - 1] * (rows[i] * columns[width - 1])
            light = weight if weight < threshold else 0.0
            light *= 1.0 + more * inverse_columns[width - 1] * light
            a += capacity[width - 1] * inverse_columns[width - 1] * light
        light_rows[i] = a + b


@kernel()
def believe(
    weights: Matrix,
    rows: Floats,
    columns: Floats,
    fraction: float,
    row_sums: Floats,
    inverse_columns: Floats,
    start: int,
    stop: int,
) -> None:
    """Replace weights by beliefs, by the approximation for small weights."""
    for i in range(start, stop):
        inverse = 1.0 / row_sums[i]
        for j in range(weights.shape[1]):
            belief = weights[i, j] * (rows[i] * columns[j]) * inverse * inverse_columns[j]
            weights[i, j] = belief * (1.0 + fraction * belief)
