"""Whether what the paper on fuzzy integrals says in words is so: the judges, in its order."""

import numpy as np

from unveil_papers.framework.contests import contest
from unveil_papers.framework.verdicts import Judged, untestable, verdict_of
from unveil_papers.fuzzy_integrals import outcomes
from unveil_papers.fuzzy_integrals.files import CORRELATED, ERRORS, FILES, RECORDS, WAYS
from unveil_papers.fuzzy_integrals.results import TABLES, WORK_OF, FuzzyIntegralResults

OFTEN = 0.95


def errors(results: FuzzyIntegralResults) -> Judged:
    linked = {
        name: [results.log.mean("errors", name, figure=f"{size}") for size in ERRORS]
        for name in TABLES
    }
    told = ", ".join(
        f"{name} {' and '.join(f'{mean:.1f}' for mean in means)}" for name, means in linked.items()
    )
    return verdict_of(*(min(means) < OFTEN * RECORDS for means in linked.values())), (
        f"with errors of {' and '.join(f'{size:g}' for size in ERRORS)} standard deviations in all "
        f"attributes, DBRL links of 100 records with their copies: {told}"
    )


def methods_differ(results: FuzzyIntegralResults) -> Judged:
    told, so = [], []
    for name in TABLES:
        best = {kind: results.best(name, kind) for kind in WORK_OF}
        runs = [results.cell(name, way) for way, _ in best.values()]
        draws = min(map(len, runs))
        linkages = contest({name: (runs[0][:draws], runs[1][:draws])})
        default = results.structure(name, "linked")
        other = contest({name: (default, max(runs, key=np.mean))}, paired=False) if default else ()
        so.append(any(one.more or one.less for one in (linkages, other) if one))
        means = [f"{mean:.1f}" for _, mean in best.values()]
        means += [f"{np.mean(default):.1f}"] if default else []
        told.append(f"{name} {' / '.join(means)}")
    return verdict_of(*so), (
        f"DBRL / PRL / Structural() link on average, each of the first two by its best way: "
        f"{', '.join(told)}; beyond chance they differ in {sum(so)} of {len(so)} files"
    )


def definition(results: FuzzyIntegralResults) -> Judged:
    every = {way: results.best("wdbc", way)[1] for way in WORK_OF}
    every["Structural()"] = float(np.mean(results.structure("wdbc", "linked") or [0.0]))
    method = max(every, key=lambda one: every[one])
    return untestable(
        f"it is a definition; by it the risk of wdbc is {every[method]:.1f} of 100, by {method}"
    )


def em(results: FuzzyIntegralResults) -> Judged:
    runs = [
        one for name in FILES for one in results.log.by_run("probability", name, figure="converged")
    ]
    converged = float(np.mean(runs))
    cells = [
        way for name in TABLES for way in WAYS if results.collapsed(name, "PRL", way)
    ]  # fmt: skip
    return verdict_of(converged >= OFTEN, not cells), (
        f"EM has converged in {converged:.1%} of the runs, with no truth given. Yet {len(cells)} "
        f"of {len(TABLES) * len(WAYS)} printed averages by PRL are below those by DBRL where "
        "representatives repeat each other, which EM takes for independent evidence; ours drops "
        "repeats"
    )


def apply(results: FuzzyIntegralResults) -> Judged:
    cells = {(name, kind): results.best(name, kind)[1] for name in TABLES for kind in WORK_OF}
    so = [results.chance_of(mean) < outcomes.SELDOM for mean in cells.values()]
    told = ", ".join(f"{name} {kind} {mean:.1f}" for (name, kind), mean in cells.items())
    return verdict_of(*so), f"both link more than chance, which links 1 of 100: {told}"


def crucial(results: FuzzyIntegralResults) -> Judged:
    rows, told = {}, []
    for name in TABLES:
        ways = sorted(WAYS, key=lambda way: results.mean(name, "DBRL", way))
        rows[name] = (results.cell(name, f"DBRL {ways[-1]}"), results.cell(name, f"DBRL {ways[0]}"))
        told.append(
            f"{name} {np.mean(rows[name][1]):.1f} ({ways[0]}) to {np.mean(rows[name][0]):.1f} "
            f"({ways[-1]})"
        )
    return contest(rows).verdict, f"on the same draws DBRL links on average: {', '.join(told)}"


def left_out(results: FuzzyIntegralResults) -> Judged:
    alone = {name: results.log.one("split", name, figure="with none") for name in FILES}
    every = sum(results.log.one("split", name, figure="attributes") for name in FILES)
    told = ", ".join(f"{name} {count:.0f}" for name, count in alone.items() if count)
    return verdict_of(*(not count for count in alone.values())), (
        f"how little is not said; of the {every:.0f} attributes kept {sum(alone.values()):.0f} "
        f"correlate with no other one by {CORRELATED}: {told or 'none'}"
    )


def apart(results: FuzzyIntegralResults) -> Judged:
    each = {name: results.log.of("split", name) for name in FILES}
    so = [not one["together"] for one in each.values()]
    count = ", ".join(
        f"{name} {one['together']:.0f} and {one['apart']:.0f}" for name, one in each.items()
        if one["together"]
    )  # fmt: skip
    return verdict_of(*so), (
        f"so in {sum(so)} of {len(so)} files; pairs that correlate by {CORRELATED} in one file, "
        f"and between the two: {count}"
    )
