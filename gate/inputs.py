"""The input files of the cases: made up, or a head of a paper's file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

import unveil
from unveil import masks

SIZE, FEW = 240, 120  # records of the survey; of what takes long
ENDINGS = ("csv", "parquet", "arrow", "sav", "dta", "xpt", "xlsx")  # of every format
HALVED = 100  # people whose attributes are in two files
NUMBERS = ("age", "hours", "income", "tax", "savings", "rent")
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
PAPERS = {  # file: its rows that are used, and the columns
    "census": (1080, slice(None)),
    "eia": (700, slice(-10, None)),
    "adult_train": (700, slice(None)),
    "abalone": (100, slice(1, None)),
    "ionosphere": (100, slice(4, 34)),
    "wdbc": (100, slice(2, None)),
    "water-treatment": (100, slice(1, None)),
}
RELEASES: dict[str, list[masks.Mask]] = {
    "mixed": [
        masks.RankSwapping(p=8, columns=NUMBERS),
        masks.Pram(theta=0.2, invariant=False, columns=CATEGORIES),
    ],
    "noisy": [masks.AdditiveNoise(scale=0.3, columns=NUMBERS)],
    "grouped": [masks.Microaggregation(k=3, columns=NUMBERS)],
    "ranges": [masks.Mondrian(k=4)],
    "stars": [masks.LocalSuppression(k=2, columns=("region", "sex", "education", "age"))],
    "coded": [
        masks.GlobalRecoding(rarest=2, columns=("region", "occupation")),
        masks.TopCoding(share=0.1, columns=("age", "income")),
    ],
    "sampled": [masks.Sampling(share=0.5), masks.RankSwapping(p=10, columns=("age", "income"))],
    "synthetic": [masks.Synthesis()],
}


def has_papers() -> bool:
    """Whether the papers' files are there."""
    return bool(os.environ.get("UNVEIL_DATA"))


def write_inputs() -> None:
    """Write every input file to the folder ``in`` of the present one."""
    folder = Path("in")
    folder.mkdir()
    people = unveil.households(SIZE, seed=7)
    _write(people, "people")
    _write(people.take(np.arange(FEW)), "few")
    _write(unveil.households(60, seed=11), "outsiders")
    for name, plan in RELEASES.items():
        _release(people, name, plan)
    _release(people.take(np.arange(FEW)), "few-mixed", RELEASES["mixed"])
    _keyed(people)
    _halves(people)
    for ending in ENDINGS[1:]:
        table = people.select(("sex", "age", "hours")) if ending == "xpt" else people
        unveil.write(table, folder / f"people.{ending}")
    unveil.write(people, f"sqlite:///{(folder / 'people.db').resolve()}?table=people")
    (folder / "policy.toml").write_text(
        "max_risk = 0.1\nmax_confirmed = 0.02\nmax_loss = 0.4\nk_anonymity = 2\nl_diversity = 2\n"
        "t_closeness = 0.5\nmax_subgroup_risk = 0.2\nmax_interval_disclosure = 0.9\n"
        'forbid_row_order = true\nmay_stay_unchanged = ["sex", "household", "weight"]\n'
    )
    (folder / "bad.toml").write_text('[[mask]]\nmethod = "rank-swaping"\np = 3\n')
    (folder / "worse.toml").write_text('[[mask]]\nmethod = "rank-swapping"\np = 300\n')
    (folder / "key.bin").write_bytes(bytes(range(32)))
    (folder / "broken.toml").write_text("[[mask]\n")
    (folder / "empty.csv").write_text("")
    (folder / "semicolons.csv").write_text("a;b;c\n1,5;x;NA\n2,5;y;3\n-9;x;4\n")
    if has_papers():
        _papers(Path(os.environ["UNVEIL_DATA"]))


def _write(data: unveil.Microdata, name: str) -> None:
    unveil.write(data, f"in/{name}.csv")
    unveil.write(data.schema, f"in/{name}.toml")


def _release(people: unveil.Microdata, name: str, plan: list[masks.Mask]) -> None:
    release = unveil.mask(people, plan, seed=3)
    row_map = None if release.row_map is None else f"in/{name}-map.csv"
    unveil.write(release, f"in/{name}.csv", row_map=row_map)
    unveil.write(release.plan, f"in/{name}-plan.toml")
    unveil.write(release.data.schema, f"in/{name}.toml")


def _keyed(people: unveil.Microdata) -> None:
    """Three releases of the same people, whose rows have a key."""
    noise = masks.AdditiveNoise(scale=0.5, columns=("age", "income", "hours"))
    key = pl.Series("key", range(SIZE))
    for seed in (4, 5, 6):
        release = unveil.mask(people, unveil.Plan((noise,), seed=seed, keep_order=True))
        frame = release.data.to_frame("polars").with_columns(key)
        unveil.write(unveil.Microdata(frame), f"in/keyed-{seed}.csv")
    unveil.write(unveil.Plan((noise,), seed=4), "in/keyed-plan.toml")


def _halves(people: unveil.Microdata) -> None:
    """Two files that share no attribute, two that share some, and an intruder's own file."""
    frame = people.to_frame("polars").drop("household", "weight")
    order = np.random.default_rng(5).permutation(SIZE)
    frame.select("person", "age", "education", "income", "savings").write_csv("in/first.csv")
    frame[order].select("person", "tax", "hours", "occupation", "rent").write_csv("in/second.csv")
    other = frame[order[:150]].with_columns(pl.col("age") + 1, pl.col("income") // 1000 * 1000)
    other.select("person", "age", "sex", "region", "income").write_csv("in/register.csv")
    copies = frame[order].select("person", "hours", "rent", wages="income", years="age")
    copies.write_csv("in/copies.csv")


def _papers(folder: Path) -> None:
    for name, (rows, columns) in PAPERS.items():
        frame = pl.read_csv(folder / f"{name}.csv", null_values="?", infer_schema_length=None)
        some = frame[:rows].select(frame.columns[columns])
        some.write_csv(f"in/{name}.csv")
        _quasi(some.columns, name)
        half = len(some.columns) // 2
        some[:HALVED].select(some.columns[:half]).write_csv(f"in/{name}-1.csv")
        some[:HALVED].select(some.columns[half:]).write_csv(f"in/{name}-2.csv")
    pl.read_csv("in/census.csv")[:300].write_csv("in/census-head.csv")


def _quasi(columns: list[str], name: str) -> None:
    unveil.write(unveil.Schema(quasi=columns), f"in/{name}.toml")
