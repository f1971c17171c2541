"""Households of a made-up survey: who is linked if the attack knows who lives together.

    python benchmarks/households.py                    1,000 households, some minutes
    python benchmarks/households.py --households 300
    python benchmarks/households.py --large            80,000 households: time and memory

The first tables have four releases whose masks know persons only. Persons are linked one by one by
the best of three attacks (distance, tailored, tailored posterior), and through their households by
the better of two (distance, tailored posterior); households by each of the two. The intruder knows
all values, or eight categories alone. A release shows who lives together by a number, or it can be
read off the columns that members share, or persons are linked one by one. Beside it the sums: each
household as the sum of its members' values, linked to the nearest, which takes 25 lines.

The last table has the same releases by masks that know households, with what they cost. The
attacks use a release with those stars filled in that can be read off. Percent are of all persons
and of all households, expected hits, original to release.
"""

from __future__ import annotations

import logging
import resource
import time
from dataclasses import replace

import numpy as np
import polars as pl

import unveil
from cells import command_line, in_a_process, machine, measured
from household_survey import SMALL_HOUSEHOLDS, by_household, by_person, survey
from unveil import attacks, measures
from unveil.measures.information_loss.broken_households import broken_households

SEED = 7
ONE_BY_ONE = (attacks.Distance(), attacks.Tailored(), attacks.Tailored(matching="posterior"))
GROUPINGS = {"renumber": "shown", "drop": "read-off"}  # by what the plan does with the number
LARGE = {"strong": "microaggregation, k=10", "light": "rank swapping, p=5"}


def of_households(release, knows, grouping):
    """The attacks on households; the posterior knows the masks, if they changed what is known."""
    masked = any(release.channels_of(name) for name in knows)
    score = "tailored" if masked else "distance"
    posterior = attacks.Households(score=score, matching="posterior", grouping=grouping)
    return attacks.Households(grouping=grouping), posterior


def of_persons(release, knows):
    """The attacks on single persons."""
    masked = any(release.channels_of(name) for name in knows)
    return ONE_BY_ONE if masked else ONE_BY_ONE[:1]


def linked(data, release, attack, knows):
    """The share of persons and, if the attack links them, of households."""
    intruder = unveil.Intruder(knows=list(knows), channel=attack.knows is not None)
    links = unveil.attack(data, release, attack, intruder=intruder)
    persons = measures.hits(links).sum() / len(data)
    if not attack.links_households:
        return persons, 0.0
    return persons, measures.hits(links.households).sum() / data.column("household").n_unique()


class Attacked:
    """A release, with the cells filled in that can be read off, and what is linked in it."""

    def __init__(self, data, scenario, number):
        release = unveil.mask(data, scenario.plan, seed=SEED, household=number)
        self.data, self.scenario = data, scenario
        self.pair = measures.FilePair.of(data, release.data, release.row_map)
        filled = measures.read_off(self.pair)
        self.release, self.stars = replace(release, data=filled.data), filled.found

    def one_by_one(self, knows):
        """Persons, by the best attack on single persons."""
        known = of_persons(self.release, knows)
        return max(linked(self.data, self.release, one, knows)[0] for one in known)

    def through_households(self, knows, grouping):
        """Persons by the better attack on households; households by each of the two."""
        known = of_households(self.release, knows, grouping)
        found = [linked(self.data, self.release, one, knows) for one in known]
        return max(persons for persons, _ in found), *(homes for _, homes in found)


def nearest_sums(data, pair, columns):
    """The share of households whose sums are nearest to those of their own released household."""
    sums, homes = [], []
    for file in (data, pair.release):
        homes.append(np.unique(file.column("household").to_numpy(), return_inverse=True)[1])
        parts = [np.ones(len(file))]
        for name in columns:  # a code, a number, or a range of ages
            ends = file.column(name).cast(pl.String).str.split("..")
            middle = ends.list.eval(pl.element().cast(float, strict=False)).list.mean()
            parts.append(middle.fill_null(strategy="mean").to_numpy())
        sums.append(np.column_stack([np.bincount(homes[-1], part) for part in parts]))
    scale = sums[0].std(axis=0)
    own = np.empty(len(sums[0]), np.int64)
    own[homes[0][pair.truth.record_of_row]] = homes[1]
    hits = 0.0
    for known, true in zip(sums[0], own, strict=True):
        distance = (((known - sums[1]) / scale) ** 2).sum(axis=1)
        best = distance <= distance.min() + 1e-9
        hits += best[true] / best.sum()
    return hits / len(own)


def masks_of_persons(data, what):
    """Print the table of releases whose masks know persons only."""
    print(f"\nMasks of persons; the intruder knows {what}\n")
    header(
        "release",
        "who lives together",
        "persons one by one",
        "persons through households",
        "households, distance",
        "households, posterior",
        "households, sums",
    )
    for name, scenario in by_person().items():
        knows = getattr(scenario, what)
        shown, dropped = (Attacked(data, scenario, number) for number in ("renumber", "drop"))
        alone = shown.one_by_one(knows)
        found = shown.through_households(knows, "shown")
        row(name, "shown", *map(percent, (alone, *found, nearest_sums(data, shown.pair, knows))))
        read_off = dropped.through_households(knows, "read-off")
        row(name, "read off", *map(percent, (alone, *read_off)))
        _, *homes = dropped.through_households(knows, "none")
        row(name, "not used", percent(alone), "", *map(percent, homes), "")
        kept = Attacked(data, scenario, "keep").through_households(knows, "shown")
        if not np.allclose(kept, found):
            print(f"{name}: renumbering changes the figures")


def masks_of_households(data, declared):
    """Print the table of what masks that know households cost and gain."""
    print("\nMasks of persons, and masks of households\n")
    header(
        "release",
        "masks of",
        "number",
        "persons, all values",
        "persons, 8 categories",
        "households, all values",
        "households, 8 categories",
        "stars",
        "come back",
        "broken households, worst column",
        "records left out",
        "loss",
    )
    units = {"persons": (data, by_person()), "households": (declared, by_household())}
    for name in dict.fromkeys([*by_person(), *by_household()]):
        for unit, (people, plans) in units.items():
            for number, grouping in GROUPINGS.items() if name in plans else ():
                made = Attacked(people, plans[name], number)
                shown = "renumbered" if number == "renumber" else "dropped"
                row(name, unit, shown, *map(percent, most(made, grouping)), *costs(made))


def most(made, grouping):
    """Persons by the best attack of all, with all values and by categories; households the same."""
    persons, homes = [], []
    for knows in made.scenario[1:]:
        through, *found = made.through_households(knows, grouping)
        persons.append(max(through, made.one_by_one(knows)))
        homes.append(max(found))
    return *persons, *homes


def costs(made):
    """Stars, those that come back, broken households, records that are left out, and the loss."""
    broken = max((one.broken for one in broken_households(made.pair)), default=0)
    counts = (
        made.stars.suppressed,
        made.stars.returned,
        broken,
        len(made.data) - len(made.release.data),
    )
    return *(f"{n:,}" for n in counts), f"{measures.loss(made.pair, seed=SEED).overall.value:.3f}"


def header(*names):
    """Print the head of a table."""
    row(*names)
    print("|" + "---|" * len(names))


def row(*cells):
    """Print a line of a table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def percent(share):
    """A share as the tables show it."""
    return f"{100 * share:.1f} %"


def large(name, households):
    """What the attack on a large file takes."""
    logging.disable(logging.WARNING)
    data, scenario = survey(households, SEED, SMALL_HOUSEHOLDS), by_person()[name]
    release = unveil.mask(data, scenario.plan, seed=SEED, household="renumber")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    intruder = unveil.Intruder(knows=list(scenario.values))
    links = unveil.attack(data, release, attacks.Households(), intruder=intruder)
    persons, homes = measures.risk(links), measures.risk(links.households)
    return {
        "persons": persons.n,
        "households": homes.n,
        "linked": [persons.share, homes.share],
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "before": before / 2**20,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def main():
    """Print the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--households", type=int, help="1,000, or 80,000 for --large")
    parser.add_argument("--large", action="store_true", help="time and memory only")
    given = parser.parse_args()
    if measured(given, large):
        return
    print(machine("two cores", "numba", "numpy") + "\n", flush=True)
    if given.large:
        print("| mask | persons | households | persons linked | households linked | wall | CPU | "
              "memory before | peak |\n|" + "---|" * 9)  # fmt: skip
        for name, words in LARGE.items():
            found = in_a_process(__file__, [name, given.households or 80_000])
            shares = " | ".join(map(percent, found["linked"]))
            print(f"| {words} | {found['persons']:,} | {found['households']:,} | {shares} | "
                  f"{found['wall']:.0f} s | {found['cpu']:.0f} s | {found['before']:.2f} GiB | "
                  f"{found['peak']:.2f} GiB |", flush=True)  # fmt: skip
        return
    logging.disable(logging.WARNING)
    n = given.households or 1000
    data, declared = survey(n, SEED), survey(n, SEED, declared=True)
    print(f"A made-up survey: {len(data):,} persons in {n:,} households, seed {SEED}\n")
    for what in ("values", "categories"):
        masks_of_persons(data, what)
    masks_of_households(data, declared)


if __name__ == "__main__":
    main()
