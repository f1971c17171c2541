"""Which part of exchange linkage does what: `exchange_ablations.py [seeds [records]] [part]`.

The first 200 records of census, 20 seeds a line, rows shuffled. Four attacks: windows (tailored,
posterior, not calibrated), the pairs that follow from guesses and nothing else (seed and
propagate), the exchange attack without the plan, and with it. A cell has the mean share linked and
its standard error in %, the links of all seeds that are held to be more than 90 % sure with the
share of them that is right, and how many seeds passed the test of the mechanism.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

import unveil
from exchange import BLIND, KNOWING, NOISE, PERMUTE, STEPS, SWAP, WINDOWS, people, with_wrong_cells
from unveil import Intruder, Microdata, masks, measures
from unveil.attacks.tailored.exchange.propagation import propagate
from unveil.masks.swapping import partners_within

NUMBERS = [int(one) for one in sys.argv[1:] if one.isdigit()]
NUMBER, N = (*NUMBERS, *(20, 200)[len(NUMBERS) :])
CENSUS = people("census")
FILE = CENSUS.take(np.arange(N))


class Scene(NamedTuple):
    """What the intruder holds, the release, whose row is whose, and the plan that is told."""

    intruder: Microdata
    release: Microdata
    truth: np.ndarray  # the record of each released row; -1: none
    plan: list[masks.Mask]
    columns: int = 13
    records: float = 1.0


Line = tuple[str, Callable[[int], Scene]]


def released(plan, seed, *, data=FILE, told=None, **known):
    """A file masked and shuffled."""
    release = unveil.mask(data, plan, seed=seed)
    rows = np.random.default_rng(seed).permutation(N)
    return Scene(data, release.data.take(rows), rows, told or plan, **known)


def changed(data, function):
    """A table with each of its columns changed."""
    cells = [function(data.column(name).to_numpy()) for name in data.columns]
    return data.replace([pl.Series(n, c) for n, c in zip(data.columns, cells, strict=True)])


def both() -> Iterator[Line]:
    """Windows, involution, both: the columns of the table, over the width of the window."""
    for p, columns in product((25, 50, 100), (13, 5, 3)):
        yield f"p = {p}, {columns} columns", partial(released, [SWAP(p=p)], columns=columns)


def ties() -> Iterator[Line]:
    """Ranks in place of values, in blocks of equal size."""
    for share in (1, 0.5, 0.2, 0.1, 0.05):
        ranks = changed(FILE, lambda cells: cells.argsort(kind="stable").argsort().astype(float))
        data = changed(ranks, lambda cells, share=share: np.floor(cells * share + 1e-9))
        yield f"{share:.0%} of the values are distinct", partial(released, [SWAP(p=50)], data=data)


def knowledge() -> Iterator[Line]:
    """The intruder's values are rounded, a year old, or in part wrong."""

    def scene(seed, function, *, told=None, release=False):
        made = released([SWAP(p=25)], seed, told=told)
        return made._replace(
            intruder=changed(FILE, partial(function, np.random.default_rng(seed))),
            release=changed(made.release, partial(function, None)) if release else made.release,
        )

    def rounded(_rng, cells, base=1000):
        return np.rint(cells / base) * base

    def old(rng, cells):
        return np.rint(cells * rng.normal(1.03, 0.02, len(cells)))

    yield "rounded to 1,000", partial(scene, function=rounded)
    yield "rounded to 1,000, the release likewise", partial(scene, function=rounded, release=True)
    yield "a year old", partial(scene, function=old)
    told = [SWAP(p=25), NOISE(scale=0.05)]
    yield "a year old, taken for noise of 5 %", partial(scene, function=old, told=told)
    for share in (0.02, 0.1, 0.2):
        yield (
            f"{share:.0%} of the cells wrong",
            lambda seed, share=share: released([SWAP(p=25)], seed)._replace(
                intruder=with_wrong_cells(FILE, share, seed)
            ),
        )


def partial_knowledge() -> Iterator[Line]:
    """Few people, few columns and wrong cells together."""
    for wrong, records, columns in product((0, 0.05), (0.5, 0.2, 0.05), (13, 5, 3)):
        yield (
            f"{records:.0%} of the people, {columns} columns, {wrong:.0%} wrong",
            lambda seed, wrong=wrong, known={"records": records, "columns": columns}: released(
                [SWAP(p=25)], seed, **known
            )._replace(intruder=with_wrong_cells(FILE, wrong, seed)),
        )


def implementations() -> Iterator[Line]:
    """Swapping as other programs do it; the plan that is told is ours with the same window."""
    yield "Moore 1996 (ours), p = 25", partial(released, [SWAP(p=25)])
    yield "p-distribution, p = 25", partial(released, [STEPS(p=25)])
    yield "p-distribution by the text, p = 25", partial(released, [STEPS(p=25, reading="text")])

    def scene(seed, partners, tails=0):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(N)
        data = changed(FILE, lambda cells: swapped(cells, partners, tails, rng))
        return Scene(FILE, data.take(rows), rows, [SWAP(p=25)])

    yield "mu-Argus, 25 %", partial(scene, partners=argus)
    yield "sdcMicro, P = 25, tails of 5 % are means", partial(scene, partners=moore, tails=N // 20)


def swapped(cells, partners, tails, rng):
    """A column swapped between its tails, which get their means (sdcMicro: RankSwapping.h)."""
    order = np.argsort(cells, kind="stable")
    middle, new = order[tails : len(order) - tails], cells.copy()
    new[middle] = cells[middle[partners(len(middle), rng)]]
    for tail in (order[:tails], order[len(order) - tails :]) if tails else ():
        new[tail] = cells[tail].mean()
    return new


def moore(n, rng):
    """Any rank of the window that is not yet swapped."""
    return partners_within(np.full(n, n // 4), rng)


def argus(n, rng):
    """A random rank of the window; if it is swapped, the next free one below, or else above."""
    partner, free = np.arange(n), np.ones(n, bool)
    for rank in range(n):
        if not free[rank]:
            continue
        last = min(rank + n // 4, n - 1)
        drawn = min(rank + 1 + rng.integers(n // 4), n - 1)
        ranks = [*range(drawn, rank, -1), *range(drawn + 1, last + 1)]
        other = next((one for one in ranks if free[one]), rank)
        partner[[rank, other]] = other, rank
        free[[rank, other]] = False
    return partner


def wrong_mechanism() -> Iterator[Line]:
    """Other people, in part or all of them, and values that did not move in pairs."""
    for p in (25, 50):
        yield f"half of the people are others, p = {p}", partial(overlapping, N // 2, p)
    yield "strangers", partial(overlapping, N, 50)
    yield (
        "the same values, recombined into other people",
        lambda seed: released([SWAP(p=50)], seed)._replace(
            intruder=changed(FILE, np.random.default_rng(seed).permutation), truth=np.full(N, -1)
        ),
    )
    for p in (12.5, 25):
        twice = [SWAP(p=p), SWAP(p=p, name="again")]
        yield f"two swaps, p = {p:g} each", partial(released, twice, told=[SWAP(p=2 * p)])
    for p in (25, 50):
        permuted = partial(released, [PERMUTE(p=p)], told=[SWAP(p=p)])
        yield f"a permutation within p = {p}", permuted


def overlapping(strangers, p, seed):
    """The release has so many others in place of the intruder's first people."""
    made = released([SWAP(p=p)], seed, data=CENSUS.take(np.arange(strangers, N + strangers)))
    truth = np.where(made.truth + strangers < N, made.truth + strangers, -1)
    return made._replace(intruder=FILE, truth=truth)


def attacked(scene, attack, seed):
    """The links; None if the attack refuses the files."""
    told = unveil.mask(FILE, scene.plan, seed=0).plan if attack.knows else False
    knows = list(FILE.columns[: scene.columns])
    known = Intruder(knows=knows, channel=told, records=scene.records)
    files = scene.intruder, scene.release
    try:
        links = unveil.attack(*files, attack, intruder=known, truth=scene.truth, seed=seed)
        finder = replace(links.finder, simulation=None)  # which would take three times as long
        finder.log_totals(links.records), finder.ranking
    except unveil.UnveilError:
        return None
    return replace(links, finder=finder)


def figures(links):
    """The share linked, the claims, how many are right, and whether the test was passed."""
    right, claimed = measures.hits(links), measures.certainty(links) > 0.9
    found = max((links.true_rows >= 0).sum(), 1)
    passed = links.finder.details.get("exchange", {}).get("passed", np.nan)
    return right.sum() / found, claimed.sum(), right[claimed].sum(), passed


def propagated(links):
    """The same of the pairs that follow from guesses."""
    records, rows = propagate(links.finder.base.posterior_model.columns)
    right = (links.true_rows[records] == rows).sum()
    return right / max((links.true_rows >= 0).sum(), 1), len(rows), right, np.nan


def cell(found):
    """The figures of all seeds."""
    if None in found:
        return "refused"
    share, claimed, right, passed = np.array(found, float).T
    error = share.std(ddof=1) / len(share) ** 0.5
    words = f"{100 * share.mean():.1f} ± {100 * error:.1f}; {claimed.sum():,.0f}"
    if claimed.any():
        words += f", {100 * right.sum() / claimed.sum():.1f} %"
    return words if np.isnan(passed).any() else f"{words}; {passed.sum():.0f}"


PARTS = (both, ties, knowledge, partial_knowledge, implementations, wrong_mechanism)


def main():
    """Print the table of each part."""
    names = {*sys.argv[1:]} & {part.__name__ for part in PARTS}
    for part in PARTS:
        if names and part.__name__ not in names:
            continue
        print(f"\n{part.__doc__}\n", flush=True)
        for name, scene_of in part():
            found = [[], [], [], []]
            for seed in range(1, NUMBER + 1):
                scene = scene_of(seed)
                links = [attacked(scene, one, seed) for one in (WINDOWS, BLIND, KNOWING)]
                every = [None if one is None else figures(one) for one in links]
                every.insert(1, links[1] and propagated(links[1]))
                for column, one in zip(found, every, strict=True):
                    column.append(one)
            print("|", " | ".join((name, *map(cell, found))), "|", flush=True)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    main()
