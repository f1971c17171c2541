"""What each intruder of an audit achieves, over releases, seeds of the masking and people.

    python benchmarks/scenarios.py [--seeds 3] [--only "census, all swapped"]

Each release is masked with several seeds; a figure is the mean over them, with the lowest and the
highest. Naive counts (numpy, every pair) stand beside the register and the acquaintance of two of
the releases. The census file is read where UNVEIL_DATA has it.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import unveil
from unveil import masks
from unveil.workflows.demo import PLANS

QUICK = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False, errors=(), remask=0)


def census() -> unveil.Microdata | None:
    """The census file, eight keys and five confidential columns; None without UNVEIL_DATA."""
    path = Path(os.environ.get("UNVEIL_DATA", "")) / "census.csv"
    if not path.is_file():
        return None
    frame = pl.read_csv(path)
    keys, rest = frame.columns[:8], frame.columns[8:]
    schema = unveil.Schema(quasi=keys, confidential=rest, numeric=frame.columns)
    return unveil.Microdata(frame, schema)


def releases() -> Iterator[tuple[str, unveil.Microdata, list[masks.Mask]]]:
    """Name, original and plan of each release."""
    sample = unveil.households(1000, seed=7)
    for name, plan in PLANS.items():
        yield f"demo, {name}", sample, list(plan)
    people = census()
    if people is None:
        return
    keys, every = people.columns[:8], people.columns
    yield "census, keys swapped", people, [masks.RankSwapping(p=15, columns=keys)]
    yield "census, all swapped", people, [masks.RankSwapping(p=15, columns=every)]
    yield "census, all swapped far", people, [masks.RankSwapping(p=50, columns=every)]
    yield "census, microaggregated k=5", people, [masks.Microaggregation(k=5, columns=every)]
    yield "census, noise .25", people, [masks.AdditiveNoise(scale=0.25, columns=every)]
    # PTOTVAL is the sum of two released columns, so that its ranges can be undone.
    for name, keys in (("a sum", every[:6]), ("no sum", (*every[:4], *every[5:7]))):
        others = [one for one in every[:12] if one not in keys]
        schema = unveil.Schema(quasi=keys, other=others, confidential="ERNVAL")
        quasi = unveil.Microdata(people.to_frame(), schema)
        yield f"census, 3-anonymous, {name} among the keys", quasi, [masks.Mondrian(k=3)]


def naive_costs(people, release, columns, *, coarse=False):
    """The distance of every pair; numbers roughly known are compared by the release's scale."""
    a, b = (
        np.column_stack([one.column(n).to_numpy().astype(float) for n in columns])
        for one in (people, release)
    )
    if coarse:
        a = np.column_stack([tenths(column) for column in a.T]) / b.std(0, ddof=1)
        b = b / b.std(0, ddof=1)
    else:
        a, b = ((x - x.mean(0)) / x.std(0, ddof=1) for x in (a, b))
    return np.sqrt(((a[:, None] - b) ** 2).sum(2))


def tenths(column):
    """Each number by the median of its tenth; few numbers as they are."""
    if len(np.unique(column)) <= 10:
        return column
    tenth = np.searchsorted(np.quantile(column, np.arange(1, 10) / 10), column, "left")
    return np.array([np.median(column[tenth == one]) for one in tenth])


def naive_figures(costs, people, release, truth, others, unknown):
    """Linked, confirmed, wrongly confirmed and learned by the nearest row, every pair compared."""
    n, own = len(costs), (np.arange(len(costs)), truth)

    def nearest(rows):
        near = rows.min(1)[:, None] >= rows * (1 - 1e-9) - 1e-12
        return near / near.sum(1, keepdims=True)

    def clear(rows):
        first, second = np.sort(rows, axis=1)[:, :2].T
        return (second - first) / np.maximum(second, 1e-300) >= 0.5

    alone = costs.copy()
    alone[own] = np.inf
    links, control = nearest(costs), nearest(alone)
    right = (clear(costs) * links[own]).sum()
    wrong = clear(costs).sum() - right + (others * clear(alone).mean() if others else 0.0)
    learned = {}
    for column in unknown:
        mine, released = (one.column(column).to_numpy().astype(float) for one in (people, release))
        width = 0.05 * mine.std(ddof=1) * (1 + 1e-9)
        alike = np.abs(mine[:, None] - released) <= width
        learned[column] = ((links - control) * alike).sum() / n
    most = max(learned, key=learned.get)
    return links[own].sum() / n, right / n, wrong / (n + others), max(learned[most], 0.0), most


def naive_beside_ours(name, people, plan):
    """The register without errors and the acquaintance, by distance alone, counted twice."""
    policy = unveil.Policy(intruder=[{"name": "register", "error": 0, "max_linked": 1}])
    release = unveil.mask(people, plan, seed=1)
    found = unveil.audit(
        people, release, seed=1, attacks=["distance"], policy=policy, settings=QUICK
    )
    for row in found.evidence.scenarios[1:3]:
        most = row.most_learned
        shares = (row.linked, row.confirmed, row.wrongly_confirmed)
        ours = *(one.share for one in shares), most.learned, most.column
        costs = naive_costs(people, release.data, row.knows, coarse=row.coarse)
        others = row.people - row.released if not row.member else 0
        unknown = [one for one in people.columns if one not in row.knows]
        truth = np.argsort(release.row_map)
        naive = naive_figures(costs, people, release.data, truth, others, unknown)
        for whose, figures in (("ours", ours), ("naive", naive)):
            said = ", ".join(f"{100 * one:.2f}" for one in figures[:4])
            print(f"{name}, {row.name} by distance, {whose}: {said} ({figures[4]})", flush=True)


def spread(values):
    """The mean in percent, with the lowest and the highest."""
    known = [one for one in values if one is not None]
    if not known:
        return "-"
    low, high = min(known), max(known)
    return f"{100 * np.mean(known):.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| release | intruder | linked | confirmed | wrongly confirmed | learned | column |")
    print("|---|---|---|---|---|---|---|")
    for name, people, plan in releases():
        if options.only not in name:
            continue
        rows: dict[str, list] = {}
        for seed in range(1, options.seeds + 1):
            release = unveil.mask(people, plan, seed=seed)
            found = unveil.audit(people, release, seed=seed, settings=QUICK)
            for one in found.evidence.scenarios:
                rows.setdefault(one.name, []).append(one)
        for scenario, found in rows.items():
            figures = [
                spread([None if c is None else c.share for c in column])
                for column in (
                    [one.linked for one in found],
                    [one.confirmed for one in found],
                    [one.wrongly_confirmed for one in found],
                )
            ]
            most = [one.most_learned for one in found]
            learned = spread([None if one is None else one.learned for one in most])
            column = most[0].column if most[0] is not None else found[0].not_learned
            print(
                f"| {name} | {scenario} | {' | '.join(figures)} | {learned} | {column} |",
                flush=True,
            )
        if name in ("census, all swapped", "census, noise .25"):
            naive_beside_ours(name, people, plan)


if __name__ == "__main__":
    main()
