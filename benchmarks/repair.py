"""Repair against masks of all records, at equal measured risk.

    python benchmarks/repair.py [--file sample-500] [--seeds 1]

Plans are evaluated as `unveil choose` does: the loss is the largest of the default uses, the risk
the largest ratio of a figure to its limit, of the register and the acquaintance, both of whom know
the plan. Uniform plans swap, or microaggregate, all records. A repaired plan swaps, then repairs;
beside it stands the loss of swapping alone at its risk, and of groups alone, each between the two
nearest plans. The census file is read where UNVEIL_DATA has it.
"""

import argparse
from collections.abc import Iterator

import numpy as np

import unveil
from scenarios import census
from unveil.values.results.policy import Policy
from unveil.values.search_space import Candidate, Combination, SearchSpace
from unveil.workflows.choosing.default_space import masked_columns
from unveil.workflows.choosing.evaluation import Evaluator

LIMITS = {"plan": True, "max_linked": 0.05, "max_confirmed": 0.02}
POLICY = Policy(
    intruder=tuple(
        unveil.DisclosureScenario(name=name, **LIMITS) for name in ("register", "acquaintance")
    )
)
SWAPPED = ((5, 0.1), (10, 0.2), (15, 0.3), (20, 0.4), (30, 0.5), (40, 0.65), (50, 0.8))
GROUPS = (3, 5, 10, 20, 50)  # k
LIGHT = ((10, 0.2), (20, 0.4), (40, 0.65))  # p, theta
REPAIRED = ((0.02, 5), (0.1, 5), (0.3, 5), (0.1, 20))  # share, k


def plans(data: unveil.Microdata) -> Iterator[Combination]:
    """Swapping and groups of all records, then swapping with repair."""
    columns = masked_columns(data)
    keys = list(columns.keys + columns.weights)
    numbers, categories = list(columns.key_numbers + columns.weights), list(columns.key_categories)

    def swapped(p: float, theta: float) -> list[dict]:
        steps = [{"method": "rank-permutation", "columns": numbers, "p": p}]
        if categories:
            pram = {"method": "pram", "columns": categories, "theta": theta, "invariant": False}
            steps.append(pram)
        return steps

    for p, theta in SWAPPED:
        yield Combination(name=f"swapping {p}/{theta}", mask=swapped(p, theta))

    for k in GROUPS:
        groups = {"method": "microaggregation", "columns": keys, "k": k}
        yield Combination(name=f"groups {k}", mask=[groups])
    for p, theta in LIGHT:
        for share, k in REPAIRED:
            name = f"swapping {p}/{theta}, repair {share}, k {k}"
            step = {"method": "repair", "columns": keys, "share": share, "k": k}
            yield Combination(name=name, mask=[*swapped(p, theta), step])


def files() -> Iterator[tuple[str, unveil.Microdata]]:
    """Name and original."""
    for n in (500, 1000):
        yield f"sample-{n}", unveil.households(n, seed=7)
    people = census()
    if people is not None:
        yield "census", people


def loss_at(risk: float, curve: list[tuple[float, float]]) -> float:
    """The loss of uniform plans at a risk, by a line between two of them; NaN beyond them."""
    risks, losses = (np.array(side) for side in zip(*sorted(curve), strict=True))
    return float(np.interp(risk, risks, losses, left=np.nan, right=np.nan))


def main() -> None:
    """Print one table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    for name, data in files():
        if options.file not in (None, name):
            continue
        space = SearchSpace(combination=tuple(plans(data)))
        evaluator = Evaluator(data, POLICY, space, seed=7)
        curves: dict[str, list[tuple[float, float]]] = {"swapping": [], "groups": []}
        print(f"\n{name}: {len(data):,} records, {options.seeds} seeds\n", flush=True)
        print("| plan | linked | risk | loss | swapping alone | groups alone |")
        print("|---|---|---|---|---|---|")
        for number, one in enumerate(space.combination):
            tried = [
                evaluator.evaluate(number, Candidate(one.name), repetition=seed)
                for seed in range(options.seeds)
            ]
            if any(plan.loss is None for plan in tried):
                print(f"| {one.name} | refused: {tried[0].note} | | | | |", flush=True)
                continue
            linked = np.mean(
                [max(x.found for x in t.limits if x.limit == "max_linked") for t in tried]
            )
            risk, loss = (float(np.mean([getattr(t, x) for t in tried])) for x in ("risk", "loss"))
            beside = ["", ""]
            if "repair" in one.name:
                beside = [f"{loss_at(risk, curve):.3f}" for curve in curves.values()]
            else:
                curves[one.name.split()[0]].append((risk, loss))
            figures = [f"{linked:.1%}", f"{risk:.2f}", f"{loss:.3f}", *beside]
            print(f"| {' | '.join([one.name, *figures])} |", flush=True)


if __name__ == "__main__":
    main()
