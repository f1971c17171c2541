"""Population uniques: the super-population estimators beside the truth; the time of SUDA.

    python benchmarks/population_uniques.py [--samples 20] [--people 1000000] [--suda]

Populations: Adult (training and test file, five keys; read where UNVEIL_DATA has it), and made-up
people with correlated, skewed categories, drawn with seed 1. Of each, simple random samples. Mean
of the estimates over the samples, in brackets the mean distance from the truth in percent of it.
"""

import argparse
import os
import resource
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

import unveil
from unveil import measures

ADULT = ("age", "education", "marital-status", "race", "sex")
CATEGORIES = (40, 20, 16, 12, 8, 5, 9, 2)  # of the made-up keys
ESTIMATORS = ("pitman", "zayatz", "snb", "benedetti-franconi")


def made_up(people: int, categories: tuple[int, ...], seed: int = 1) -> pl.DataFrame:
    """Categories that are cut from correlated normal numbers, the first ones the most frequent."""
    rng = np.random.default_rng(seed)
    common, columns = rng.normal(size=people), {}
    for place, many in enumerate(categories):
        rank = np.argsort(np.argsort(0.5 * common + rng.normal(size=people))) / people
        columns[f"key{place}"] = (many * rank**3).astype(int).astype(str)
    return pl.DataFrame(columns)


def adult() -> pl.DataFrame | None:
    """Adult's 48,842 people; None without UNVEIL_DATA."""
    folder = Path(os.environ.get("UNVEIL_DATA", ""))
    paths = [folder / f"adult_{part}.csv" for part in ("train", "test")]
    if not all(path.is_file() for path in paths):
        return None
    return pl.concat([pl.read_csv(path).select(ADULT).cast(pl.String) for path in paths])


def compare(name: str, people: pl.DataFrame, fractions: tuple[float, ...], samples: int) -> None:
    """A row for each sampling fraction: sample uniques that are population uniques."""
    keys = people.columns
    schema = unveil.Schema(quasi=keys, nominal=keys)
    alone = people.select(pl.struct(keys).is_unique()).to_series().to_numpy()
    print(f"\n{name}: {len(people):,} people, {len(keys)} keys, {alone.sum():,} uniques")
    print(f"{'':6} {'uniques':>9} {'truth':>9}", *(f"{one:>19}" for one in (*ESTIMATORS, "chosen")))
    for fraction in fractions:
        found = []
        for seed in range(samples):
            size = round(fraction * len(people))
            rows = np.random.default_rng(seed).choice(len(people), size, replace=False)
            estimated = measures.super_population(
                unveil.Microdata(people[rows], schema), fraction=fraction
            )
            by_name = {one.estimator: one.sample_uniques for one in estimated.estimates}
            values = [by_name[one] for one in ESTIMATORS] + [estimated.estimate.sample_uniques]
            found.append([estimated.uniques, alone[rows].sum(), *values])
        table = np.array(found, float)
        truth = table[:, 1:2]
        errors = 100 * np.abs(table[:, 2:] - truth) / truth
        cells = [
            f"{mean:>12,.0f} ({error:3.0f})"
            for mean, error in zip(np.nanmean(table[:, 2:], 0), np.nanmean(errors, 0), strict=True)
        ]
        print(f"{fraction:6.1%} {table[:, 0].mean():9,.0f} {table[:, 1].mean():9,.0f}", *cells)


def time_suda() -> None:
    """CPU seconds of SUDA, all sizes of sets, and the memory of this process so far."""
    wide = (2, 2, 3, 4, 5, 6, 8, 9, 12, 20)
    files = (
        (100_000, wide),
        (100_000, (*CATEGORIES, 10, 50)),
        (200_000, (2, 3, 5, 7, 8, 10, 12, 50)),
    )
    measures.suda(unveil.Microdata(made_up(100, (2, 3)), unveil.Schema(quasi=["key0", "key1"])))
    for n, categories in files:
        frame = made_up(n, categories)
        data = unveil.Microdata(frame, unveil.Schema(quasi=frame.columns, nominal=frame.columns))
        before = process_time()
        found = measures.suda(data).summary
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{n:,} records, {len(categories)} keys, {np.prod(categories, dtype=float):.1e} cells: "
            f"{process_time() - before:.1f} s, {memory:.2f} GiB, {sum(found.by_size):,} minimal "
            f"sample uniques of {found.uniques:,} unique records"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--suda", action="store_true", help="Time SUDA only.")
    chosen = parser.parse_args()
    if chosen.suda:
        time_suda()
        return
    people = adult()
    if people is not None:
        compare("Adult", people, (0.01, 0.05, 0.2), chosen.samples)
    for keys in (4, 6, 8):
        frame = made_up(chosen.people, CATEGORIES[:keys])
        compare("Made up", frame, (0.005, 0.02, 0.1), chosen.samples)


if __name__ == "__main__":
    main()
