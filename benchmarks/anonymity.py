"""Masks that make records alike: what they take, what they lose, what can be linked all the same.

    python benchmarks/anonymity.py                  all of it, about a quarter of an hour
    python benchmarks/anonymity.py adult attacks    some of it

adult    every mask on Adult's 48,842 records and 8 quasi-identifiers
million  a million records after the embedded sample
paper    Adult's training file as Armengol and Torra (2015) prepare it: loss, salaries, trees
attacks  what is linked in the releases of `adult`, beside what k promises
anjana   the same hierarchies searched by anjana, in an environment of its own

Adult is read from the folder that UNVEIL_DATA names. Times and peaks come from processes of
their own, without compiling and without making the data. Machines are noisy: a fifth more or less
means nothing.
"""

from __future__ import annotations

import logging
import resource
import time
from functools import partial

import polars as pl

import paper_trees
import unveil
from cells import best_of, command_line, in_a_process, machine, measured, seconds, times_ours
from hierarchies import of_adult, with_star
from lost import figures
from peers import asked, some_tables
from unveil import attacks, masks, measures, models
from unveil_papers.datasets import dataset

K = 5
QUICK = 1.0  # seconds: what takes less is measured three times
SUPPRESS = 0.05  # the share of records that full-domain generalisation may leave out
MILLION = 1_000_000
BANDS = {"age": 5, "household_size": 2, "income": 10_000, "hours": 10}
SPANS = {"age": {"intervals": [5, 10, 20, 40]}}

# By name: ages as labels or as numbers, and the mask.
MASKS = {
    "AntiUnification, ><": ("labels", masks.AntiUnification(k=K)),
    "AntiUnification, <>": ("labels", masks.AntiUnification(k=K, order="<>")),
    "AntiUnification, ><, not by salary": (
        "labels", masks.AntiUnification(k=K, by_confidential=False),
    ),
    "Mondrian, strict, ranges": ("labels", masks.Mondrian(k=K)),
    "Mondrian, strict, stars": ("labels", masks.Mondrian(k=K, cells="stars")),
    "Mondrian, strict, means": ("labels", masks.Mondrian(k=K, cells="means")),
    "Mondrian, relaxed, ranges": ("labels", masks.Mondrian(k=K, relaxed=True)),
    "Mondrian, relaxed, stars": ("labels", masks.Mondrian(k=K, relaxed=True, cells="stars")),
    "Mondrian, relaxed, means": ("labels", masks.Mondrian(k=K, relaxed=True, cells="means")),
    "LocalSuppression": ("labels", masks.LocalSuppression(k=K)),
    "LocalSuppression, wildcards": ("labels", masks.LocalSuppression(k=K, stars="wildcard")),
    "FullDomain": ("hierarchies", masks.FullDomain(k=K)),
    f"FullDomain, {SUPPRESS:.0%} may go": (
        "hierarchies", masks.FullDomain(k=K, suppress=SUPPRESS),
    ),
    "Microaggregation, MDAV": ("labels", masks.Microaggregation(k=K)),
    "Microaggregation, V-MDAV": ("labels", masks.Microaggregation(k=K, algorithm="v-mdav")),
    "Mondrian, strict, ranges, years": ("numbers", masks.Mondrian(k=K)),
    "Mondrian, relaxed, ranges, years": ("numbers", masks.Mondrian(k=K, relaxed=True)),
    f"FullDomain, {SUPPRESS:.0%} may go, years": (
        "year hierarchies", masks.FullDomain(k=K, suppress=SUPPRESS, hierarchies=SPANS),
    ),
    "Microaggregation, MDAV, years": ("numbers", masks.Microaggregation(k=K)),
}  # fmt: skip

_BANDED = [
    masks.GlobalRecoding(intervals=width, columns=[name], name=f"bands of {name}")
    for name, width in BANDS.items()
]
# Of a million: numbers as they are, or put into bands first.
PLANS = {
    "Mondrian, strict, ranges": [masks.Mondrian(k=K)],
    "Mondrian, strict, means": [masks.Mondrian(k=K, cells="means")],
    "Mondrian, relaxed, ranges": [masks.Mondrian(k=K, relaxed=True)],
    "bands, AntiUnification, ><": [*_BANDED, masks.AntiUnification(k=K, by_confidential=False)],
    "bands, AntiUnification, <>": [
        *_BANDED, masks.AntiUnification(k=K, order="<>", by_confidential=False),
    ],
    "bands, LocalSuppression": [*_BANDED, masks.LocalSuppression(k=K)],
    "bands, LocalSuppression, wildcards": [
        *_BANDED, masks.LocalSuppression(k=K, stars="wildcard"),
    ],
    f"FullDomain, {SUPPRESS:.0%} may go": [masks.FullDomain(k=K, suppress=SUPPRESS)],
}  # fmt: skip


def adult(kind):
    """Adult's two files together, ages as labels or in years, with hierarchies or without."""
    own = some_tables()
    files = [dataset(f"adult_{part}") for part in ("train", "test")]
    data = own.adult(*files, numeric_age=kind in ("numbers", "year hierarchies"))
    if "hierarchies" not in kind:
        return data
    rows = of_adult(own.ADULT_AGES)
    rows = {name: table for name, table in rows.items() if len(table[0]) > 1}
    if kind == "year hierarchies":
        del rows["age"]
    declared = own.adult_schema(numeric_age=kind != "hierarchies", hierarchy=rows)
    return unveil.Microdata(data.to_frame("polars"), declared)


def measure(section, name, n):
    """One line of a table, as a dictionary."""
    if section == "adult":
        kind, mask = MASKS[name]
        data, plan = adult(kind), [mask]
    else:
        data, plan = unveil.households(n), PLANS[name]
    unveil.mask(data.take(range(500)), plan)  # compiling, or loading what was compiled
    start, busy = time.perf_counter(), time.process_time()
    release = unveil.mask(data, plan)
    spent, worked = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    wild = getattr(plan[-1], "stars", None) == "wildcard"
    return {"seconds": spent, "cpu": worked, "peak": peak} | figures(data, release, wildcards=wild)


HEAD = (
    "mask", "seconds", "of CPU", "peak", "discarded", "stars", "cells as they were",
    "value-set loss", "classes", "k",
)  # fmt: skip


def lines(section, names, n=0):
    """Print a line for each mask."""
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
    for name in names:
        cell = partial(in_a_process, __file__, (section, name, n))
        found = best_of(3, QUICK, cell)
        lost = "" if found["loss"] is None else f"{found['loss']:.1%}"
        counted = f"{found['k']}"
        if found["fit"] is not None:
            counted += f" ({found['fit']} as wildcards)"
        parts = (
            name, seconds(found["seconds"]), seconds(found["cpu"]),
            f"{found['peak'] / 2**30:.2f} GiB",
            f"{found['discarded']:,}", f"{found['stars']:.1%}", f"{found['intact']:.1%}", lost,
            f"{found['classes']:,}", counted,
        )  # fmt: skip
        print(f"| {' | '.join(parts)} |", flush=True)


def on_adult():
    """Every mask on Adult."""
    print(f"\nAdult, 48,842 records, 8 quasi-identifiers, k = {K}:\n")
    lines("adult", MASKS)


def on_a_million():
    """The masks on a file that is twenty times as large."""
    print(f"\n{MILLION:,} records after the embedded sample, 9 quasi-identifiers, k = {K}:\n")
    lines("million", PLANS, MILLION)


def attacked():
    """Expected hits in the releases of Adult, beside what k allows and what no attack exceeds."""
    print(f"\nExpected right links of Adult's 48,842 people, k = {K}; released / k, the ceiling:\n")
    print("| mask | compatible | distance | released / k | ceiling |\n|---|---|---|---|---|")
    for name, (kind, mask) in MASKS.items():
        data = adult(kind)
        release = unveil.mask(data, [mask])
        risks = [
            measures.risk(unveil.attack(data, release, attack))
            for attack in (attacks.Compatible(), attacks.Distance())
        ]
        parts = (
            name, *(f"{risk.expected:,.0f}" for risk in risks), f"{len(release) / K:,.0f}",
            f"{risks[0].ceiling:,.0f}",
        )  # fmt: skip
        print(f"| {' | '.join(parts)} |", flush=True)


def beside_anjana():
    """The same search by anjana: seconds, levels, who is left out, what is lost."""
    own, data = some_tables(), adult("hierarchies")
    rows, frame = of_adult(own.ADULT_AGES), data.to_frame("polars").select(own.ADULT_KEYS)
    print(
        f"\nFull-domain generalisation of Adult's 48,842 records, k = {K}, the same hierarchies:\n"
    )
    print("| may go | program | CPU seconds | levels | left out | k | value-set loss |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for share in (0.0, 0.01, SUPPRESS, 0.1):
        mask = masks.FullDomain(k=K, suppress=share)
        unveil.mask(data.take(range(500)), [mask])
        start = time.process_time()
        release = unveil.mask(data, [mask])
        spent = time.process_time() - start
        job = {
            "do": "generalise", "keys": own.ADULT_KEYS, "k": K, "suppress": 100 * share,
            "hierarchies": {name: with_star(table) for name, table in rows.items()},
        }  # fmt: skip
        theirs = asked({"adult": (job, frame)})["adult"]
        chosen = release.details["full-domain"].levels
        reached = models.check(release.data, models.KAnonymity(k=1))[0].found
        results = {
            "ours": (spent, chosen, len(release), reached),
            "anjana": (theirs["seconds"], theirs["levels"], theirs["records"], theirs["k"]),
        }
        for program, (took, at, records, k) in results.items():
            loss = generalised_loss(frame, rows, at)
            ratio = "" if program == "ours" else f" {times_ours(took, spent)}"
            print(
                f"| {share:.0%} | {program} | {seconds(took)}{ratio} | "
                f"{' '.join(str(at[name]) for name in own.ADULT_KEYS)} | "
                f"{len(frame) - records:,} | {k:.0f} | {loss:.1%} |",
                flush=True,
            )


def generalised_loss(frame, rows, levels):
    """The value-set loss of columns at levels, all of a record in a class of fewer than k lost."""
    told, opened = [], []
    for name, level in levels.items():
        groups = list(with_star(rows[name])[str(level)])
        leaves = [row[0] for row in rows[name]]
        here = frame[name].unique().to_list()
        sizes = {group: sum(g == group for g, leaf in zip(groups, leaves, strict=True)
                            if leaf in here) for group in groups}  # fmt: skip
        column = frame[name].replace_strict(leaves, groups)
        told.append(column)
        width = column.replace_strict(list(sizes), list(sizes.values()), return_dtype=pl.Float64)
        opened.append((width - 1) / (len(here) - 1))
    table = pl.DataFrame(told)
    counts = table.group_by(table.columns).len()
    size = table.join(counts, on=table.columns, how="left", maintain_order="left")["len"]
    open_cells = pl.DataFrame([one.alias(str(place)) for place, one in enumerate(opened)])
    mean = open_cells.mean_horizontal()
    return float(pl.select(pl.when(size >= K).then(mean).otherwise(1.0)).to_series().mean())


SECTIONS = {
    "adult": on_adult,
    "million": on_a_million,
    "paper": paper_trees.main,
    "attacks": attacked,
    "anjana": beside_anjana,
}


def main():
    """Print the tables, line by line as they are measured."""
    parser = command_line(__doc__)
    parser.add_argument("sections", nargs="*", help="some of the above; all if none is given")
    given = parser.parse_args()
    logging.getLogger("unveil").setLevel(logging.ERROR)  # whom discards fall on is told elsewhere
    if measured(given, measure):
        return
    print(f"{machine('all cores', 'numba', 'scikit-learn')}.", flush=True)
    for section in given.sections or SECTIONS:
        SECTIONS[section]()


if __name__ == "__main__":
    main()
