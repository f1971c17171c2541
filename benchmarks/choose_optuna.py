"""Optuna's searchers on a table of plans, in an environment of their own: see choose.py.

Standard input has the table, the number of seeds and of evaluations; standard output has, for each
run, the plans in the order in which they were asked for.
"""

from __future__ import annotations

import json
import sys
import warnings
from itertools import product

import numpy as np
import optuna

SAMPLERS = {
    "NSGA-II": lambda seed: optuna.samplers.NSGAIISampler(seed=seed, population_size=12),
    "TPE": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "GP": lambda seed: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
}


class Replay:
    """A study in which every question is answered by the plan of a table."""

    def __init__(self, table, sampler):
        self.levels, self.values, self.asked = table["levels"], table["values"], []
        self.study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)
        width = max(map(len, self.levels.values()))
        # All parameters are asked for: samplers see one space and not one for each combination.
        self.space = {"combination": optuna.distributions.CategoricalDistribution([*self.levels])}
        for j in range(width):
            self.space[f"x{j}"] = optuna.distributions.FloatDistribution(0, 1)

    def ask(self):
        """One more plan.

        A plan that was asked before is answered again, and the nearest of its combination that was
        not is added: each question tries one plan, and all that is told is true.
        """
        trial = self.study.ask(self.space)
        name, counts = trial.params["combination"], self.levels[trial.params["combination"]]
        places = [trial.params[f"x{j}"] for j in range(len(self.space) - 1)]
        own = [min(int(x * n), n - 1) for x, n in zip(places, counts, strict=False)]
        plan = f"{name} {own}"
        self.study.tell(trial, self.values[plan])
        if plan in self.asked:
            plan = self.add_nearest(name, places)
        self.asked.append(plan)

    def add_nearest(self, name, places):
        """Evaluate the nearest plan that was not asked, at its own places."""
        left = {}
        for combination in (name, *self.levels):  # another only if this one has no more
            counts = self.levels[combination]
            for own in product(*map(range, counts)):
                if (plan := f"{combination} {list(own)}") not in self.asked:
                    centre = [(i + 0.5) / n for i, n in zip(own, counts, strict=True)]
                    left[plan] = combination, centre + places[len(centre) :]
            if left:
                break
        plan = min(left, key=lambda one: np.square(np.subtract(left[one][1], places)).sum())
        combination, there = left[plan]
        params = {"combination": combination} | {f"x{j}": x for j, x in enumerate(there)}
        self.study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=self.space, values=self.values[plan]
            )
        )
        return plan


def main() -> None:
    """Run every sampler with every seed; print as soon as there is something."""
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    job = json.load(sys.stdin)
    for seed in range(job["seeds"]):
        for name, sampler in SAMPLERS.items():
            replay = Replay(job, sampler(seed))
            for _ in range(job["most"]):
                replay.ask()
            print(json.dumps({"searcher": name, "plans": replay.asked}), flush=True)


if __name__ == "__main__":
    main()
