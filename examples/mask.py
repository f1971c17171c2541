"""Mask a survey in three ways at once, and write the files for others."""

import sys
import tempfile
from pathlib import Path

import unveil

survey = unveil.households(1000, seed=7)  # synthetic; unveil.read("survey.csv", schema) reads yours
masks = [
    unveil.masks.Microaggregation(k=5, columns=["income", "tax", "savings"]),
    unveil.masks.RankPermutation(p=8, columns=["age", "hours"]),
    unveil.masks.Pram(theta=0.1, columns=["region", "occupation"]),
]
release = unveil.mask(survey, masks, seed=7)  # without a seed, a random one is drawn

print(release)
for name, data in {"survey": survey, "release": release.data}.items():
    incomes = data.column("income").drop_nulls()
    print(f"{name}: {incomes.n_unique()} different incomes, {incomes.mean():,.0f} on average")

with tempfile.TemporaryDirectory() as temporary:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
    unveil.write(release, folder / "release.csv")  # its rows are shuffled
    unveil.write(release.schema, folder / "release.toml")
    unveil.write(release.plan, folder / "plan.toml")
    print("release.csv and release.toml are for others; plan.toml, with its seed, is not")
