"""What each intruder of an audit achieves, over releases, seeds of the masking and people.

    python benchmarks/scenarios.py [--seeds 3] [--only "census, swapped"]

Each release is masked with several seeds; a figure is the mean over them, with the lowest and the
highest. Naive counts (numpy, every pair) stand beside the register of two of the releases. The
census file is read where UNVEIL_DATA has it.
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


def naive_register(people, release, row_map, others):
    """Linked and wrongly confirmed by the nearest row, every pair compared; no cell out of date."""
    a, b = (
        np.column_stack([one.column(n).to_numpy() for n in people.columns[:8]])
        for one in (people, release)
    )
    a, b = ((x - x.mean(0)) / x.std(0, ddof=1) for x in (a, b))
    costs = np.sqrt(((a[:, None] - b) ** 2).sum(2))
    truth, n = np.argsort(row_map), len(a)
    near = costs.min(1)[:, None] >= costs - 1e-9 * costs - 1e-12
    linked = (near[np.arange(n), truth] / near.sum(1)).sum()

    def clear(rows):
        first, second = np.sort(rows, axis=1)[:, :2].T
        return (second - first) / np.maximum(second, 1e-300) >= 0.5

    right = (clear(costs) * near[np.arange(n), truth] / near.sum(1)).sum()
    alone = costs.copy()
    alone[np.arange(n), truth] = np.inf
    wrong = clear(costs).sum() - right + others * clear(alone).mean()
    return linked / n, right / n, wrong / (n + others)


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
            policy = unveil.Policy(intruder=[{"name": "register", "error": 0, "max_linked": 1}])
            release = unveil.mask(people, plan, seed=1)
            row = unveil.audit(
                people, release, seed=1, attacks=["distance"], policy=policy, settings=QUICK
            ).evidence.scenarios[1]
            ours = row.linked.share, row.confirmed.share, row.wrongly_confirmed.share
            naive = naive_register(people, release.data, release.row_map, len(people))
            print(f"{name}, register by distance, no error: ours {ours}, naive {naive}", flush=True)


if __name__ == "__main__":
    main()
