"""How large a leaf should be: the measurements behind LEAF, TILE and MANY_AXES.

    python benchmarks/leaves.py

Independent attributes are the worst case for boxes; people as in the census file are the usual
one. Every time is the best of three, all queries, two questions.
"""

from __future__ import annotations

import time
from unittest import mock

import numpy as np

from people import masked, people
from unveil.attacks.distance.numeric_metrics import polynomial
from unveil.engines import metric as metrics
from unveil.engines.local import index
from unveil.engines.local.engine import LocalEngine

LEAVES = (16, 32, 64, 128, 512, 2048)
N, NOISE = 20_000, 0.5


def seconds(question):
    """The best of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        question()
        times.append(time.perf_counter() - start)
    return min(times)


def files():
    """Names of the files and their records."""
    original = people(N, seed=1)
    yield f"census-like, {original.shape[1]}", original
    yield "degree 2 of 6 of them, 27", polynomial(original[:, :6], 2).values
    for width in (8, 16, 24, 32, 64):
        yield f"independent, {width}", np.random.default_rng(1).standard_normal((N, width))


def main():
    """Print the table."""
    print("| attributes | question | " + " | ".join(f"{leaf} in a leaf" for leaf in LEAVES) + " |")
    print("|" + "---|" * (len(LEAVES) + 2), flush=True)
    metric, local = metrics.euclid(), LocalEngine()
    for name, queries in files():
        base, truth = masked(queries, NOISE, seed=1)
        few = queries[:2000]
        questions = {
            "rank_of_truth": lambda q=queries, b=base, t=truth: local.prepare(
                q, b, metric
            ).rank_of_truth(None, t, stop_at=1),
            "nearest, 2,000": lambda q=few, b=base: local.prepare(q, b, metric).nearest(None),
        }
        for asked, question in questions.items():
            cells = []
            for leaf in LEAVES:
                with mock.patch.multiple(index, LEAF=leaf, TILE=leaf):
                    cells.append(f"{seconds(question):.2f} s")
            print(f"| {name} | {asked} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
