"""What exchange linkage undoes, what withstands it: `benchmarks/exchange.py [seeds] [file]`.

Each line is one file, mask and intruder: the share linked by windows alone (tailored, posterior),
by exchanges without the plan, and with it, as the mean and its standard error over the seeds; in
brackets the links that are held to be more than 90 % sure, and how many of them are right. The last
column is the figure of the prototype. `--remedies` compares masks by risk and loss.
"""

import logging
import sys
from typing import NamedTuple

import numpy as np
import polars as pl

import unveil
from unveil import Intruder, Microdata, Release, Schema, attacks, masks, measures
from unveil_papers.datasets import dataset

NUMBER = next((int(one) for one in sys.argv[1:] if one.isdigit()), 3)
SEEDS = tuple(range(1, NUMBER + 1))
WINDOWS, BLIND = attacks.Tailored(matching="posterior"), attacks.Exchange()
KNOWING = attacks.Exchange(level="parameters")
SWAP, STEPS, PERMUTE = masks.RankSwapping, masks.DistributionSwapping, masks.RankPermutation
NOISE, ROUND = masks.AdditiveNoise, masks.Rounding


class Case(NamedTuple):
    """A file, its mask, what the intruder knows of it, and what the prototype linked, in %."""

    file: str
    plan: list[masks.Mask]
    columns: int
    expected: str = ""
    records: float = 1.0
    wrong: float = 0.0


CASES = [
    *(Case("census", [SWAP(p=p)], 13, "100") for p in (25, 50, 75, 100)),
    *(Case("census", [SWAP(p=15)], k, "100") for k in (7, 5, 4, 3)),
    Case("census", [SWAP(p=15)], 2, "16.9"),
    *(Case("census", [STEPS(p=p)], 13, "100") for p in (25, 50)),
    *(Case("census", [SWAP(p=25)], 13, "100", wrong=wrong) for wrong in (0.02, 0.1)),
    Case("census", [SWAP(p=50)], 13, "100", 0.5),
    Case("census", [SWAP(p=50)], 13, "93", 0.3),
    Case("census", [SWAP(p=50)], 13, "88", 0.2),
    Case("census", [SWAP(p=50)], 13, "44", 0.05),
    Case("census", [SWAP(p=25)], 13, "94", 0.3),
    Case("census", [SWAP(p=25)], 5, "68", 0.3),
    Case("census", [SWAP(p=25)], 3, "23", 0.3),
    Case("census", [SWAP(p=25), NOISE(scale=0.01)], 13),
    Case("census", [SWAP(p=50), NOISE(scale=0.01)], 13, "100"),
    Case("census", [SWAP(p=25), NOISE(scale=0.05)], 13, "68"),
    Case("census", [SWAP(p=50), NOISE(scale=0.05)], 13, "13"),
    Case("census", [SWAP(p=10), NOISE(scale=0.1)], 13),
    *(Case("census", [SWAP(p=p), ROUND(base=1000)], 13) for p in (25, 50)),
    *(Case("census", [PERMUTE(p=p)], 13) for p in (25, 50)),
    Case("households", [SWAP(p=10)], 7, "86"),
    Case("households", [SWAP(p=20)], 7, "83"),
    *(Case("eia", [SWAP(p=p)], 10, "99.6") for p in (5, 10, 25, 50)),
]


def people(name):
    """The numbers of a file, all of them quasi-identifiers."""
    if name == "households":
        frame = unveil.households(1500, seed=7).to_frame("polars")
        frame = frame.select("age", "hours", "income", "rent", "savings", "tax", "household_size")
    else:
        frame = dataset(name).to_frame("polars").select(pl.col(pl.Int64, pl.Float64))
        frame = frame[:, -10:] if name == "eia" else frame
    return Microdata(frame.cast(pl.Float64), Schema(quasi=frame.columns, numeric=frame.columns))


def with_wrong_cells(data, share, seed):
    """Some cells replaced by those of other people."""
    rng = np.random.default_rng(seed)
    columns = []
    for name in data.columns:
        cells = data.column(name).to_numpy()
        wrong = np.where(rng.random(len(cells)) < share, rng.permutation(cells), cells)
        columns.append(pl.Series(name, wrong))
    return data.replace(columns)


def shuffled(release, seed):
    """The release in another order of its rows."""
    rows = np.random.default_rng(seed).permutation(len(release.data))
    return Release(release.data.take(rows), release.plan, release.channels, release.row_map[rows])


def linked(data, release, attack, case, seed):
    """The share linked, the sure links and how many of them are right, and the test; or None."""
    channel = (release.plan if case.wrong else True) if attack.knows else False
    knows = list(data.columns[: case.columns])
    known = Intruder(knows=knows, channel=channel, records=case.records)
    files, truth = (data, release), {}
    if case.wrong:
        files = with_wrong_cells(data, case.wrong, seed), release.data
        truth = {"truth": release.row_map}
    try:
        links = unveil.attack(*files, attack, intruder=known, seed=seed, **truth)
    except unveil.UnveilError:  # no pairs to follow, or windows that exclude wrong cells
        return None
    return summary(links)


def summary(links):
    """The share linked, the sure links and how many of them are right, and the test."""
    share, forecast = measures.risk(links).share, measures.forecast(links, sample=10**6)
    passed = links.finder.details.get("exchange", {}).get("passed", False)
    return share, forecast.claimed, forecast.right, passed


def label(mask):
    """A mask and its parameter."""
    size = next(getattr(mask, name) for name in ("p", "scale", "base") if hasattr(mask, name))
    return f"{type(mask).__name__} {size:g}"


def cell(found):
    """The mean share linked with its standard error, and the mean number of sure links."""
    if None in found:
        return "refused"
    share, claimed, right, _ = np.array(found, float).T
    error = 100 * share.std(ddof=1) / len(share) ** 0.5 if len(share) > 1 else np.nan
    sure = f"{right.mean():,.0f} of {claimed.mean():,.0f}" if claimed.any() else "none"
    return f"{100 * share.mean():.1f} ± {error:.1f} ({sure})"


def line(case):
    """One case over all seeds."""
    data = people(case.file)
    cells = [
        f"{case.file}, {' + '.join(map(label, case.plan))}",
        f"{case.columns} of {len(data.columns)}",
        f"{100 * case.records:g} %",
        f"{100 * case.wrong:g} %",
    ]
    for attack in (WINDOWS, BLIND, KNOWING):
        found = []
        for seed in SEEDS:
            release = shuffled(unveil.mask(data, case.plan, seed=seed), seed)
            found.append(linked(data, release, attack, case, seed))
        cells.append(cell(found))
    print("|", " | ".join((*cells, case.expected)), "|", flush=True)


FAMILIES = {
    "swapping": [[SWAP(p=p)] for p in (25, 100)],
    "permutation": [[PERMUTE(p=p)] for p in (25, 32, 40, 50)],
    "swapping 25, then noise": [[SWAP(p=25), NOISE(scale=s)] for s in (0.05, 0.1, 0.2)],
    "swapping 50, then rounding": [[SWAP(p=50), ROUND(base=b)] for b in (10_000, 30_000, 100_000)],
    "noise": [[NOISE(scale=s)] for s in (0.4, 0.6, 0.9)],
}
RISKS = (50, 25, 10)


def losses(data, release):
    """IL1s, and the mean change of the correlations (docs/loss.md)."""
    old, new = (
        np.column_stack([table.column(name).to_numpy() for name in data.columns])
        for table in (data.take(release.row_map), release.data)
    )
    moved = np.abs(new - old) / (2**0.5 * old.std(axis=0, ddof=1))
    off = ~np.eye(len(data.columns), dtype=bool)
    changes = np.abs(np.corrcoef(new.T) - np.corrcoef(old.T))[off]
    return moved.mean(), changes.mean()


def risk_and_losses(data, plan):
    """What the strongest attack links, in %, and what is lost; means over the seeds."""
    found = []
    for seed in SEEDS:
        release = shuffled(unveil.mask(data, plan, seed=seed), seed)
        shares = []
        for attack in (WINDOWS, KNOWING):
            try:
                links = unveil.attack(data, release, attack, seed=seed)
                shares.append(measures.risk(links).share)
            except unveil.UnveilError:  # no pairs to follow
                continue
        found.append((100 * max(shares), *losses(data, release)))
    return np.mean(found, axis=0)


def remedies():
    """Masks by the strongest attack and by what they lose of census; the loss at equal risk."""
    data = people("census")
    for name, plans in FAMILIES.items():
        points = []
        for plan in plans:
            points.append(risk_and_losses(data, plan))
            risk, cells, relations = points[-1]
            about = f"{risk:.1f} %, IL1s {cells:.3f}, correlations {relations:.3f}"
            print(f"  {' + '.join(map(label, plan))}: {about}", flush=True)
        risk, *lost = np.array(sorted(map(tuple, points))).T
        at = [np.interp(RISKS, risk, one, left=np.nan, right=np.nan) for one in lost]
        cells = (f"{one:.3f}, {other:.3f}" for one, other in zip(*at, strict=True))
        print("|", " | ".join((name, *cells)), "|", flush=True)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    if "--remedies" in sys.argv:
        remedies()
    else:
        files = {*sys.argv[1:]} & {case.file for case in CASES}
        for case in CASES:
            if not files or case.file in files:
                line(case)
