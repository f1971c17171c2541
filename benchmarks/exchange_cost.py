"""What exchange linkage takes: `python benchmarks/exchange_cost.py [records ...]`.

Correlated numbers in ten columns, swapped within 25 % of the ranks, attacked by windows (tailored,
posterior), by exchanges without the plan, and with it. CPU seconds of the attack on all cores, and
the largest memory of its process, which begins at about 200 MB.
"""

import sys
from resource import RUSAGE_SELF, getrusage
from time import process_time

import numpy as np
import polars as pl

import unveil
from cells import command_line, in_a_process, measured
from unveil import Intruder, Microdata, Schema, attacks, masks, measures

SIZES, SMALL, COLUMNS = (1000, 5000, 20_000), 200, list("abcdefghij")
ATTACKS = {
    "windows": attacks.Tailored(matching="posterior"),
    "exchange": attacks.Exchange(),
    "exchange, plan": attacks.Exchange(level="parameters"),
}


def people(n):
    """Correlated numbers, mostly distinct."""
    rng = np.random.default_rng(1)
    cells = (1000 * (rng.normal(size=(n, 1)) + rng.normal(size=(n, len(COLUMNS))))).round(3)
    return Microdata(pl.DataFrame(cells, schema=COLUMNS), Schema(quasi=COLUMNS, numeric=COLUMNS))


def measure(n, name):
    """One attack: seconds, megabytes, the share linked and the sure links."""
    attack, data = ATTACKS[name], people(n)
    release = unveil.mask(data, [masks.RankSwapping(p=25)], seed=1)
    intruder = Intruder(channel=bool(attack.knows))
    if n > SMALL:
        measure(SMALL, name)  # so that everything is compiled
    before = process_time()
    links = unveil.attack(data, release, attack, intruder=intruder)
    share = measures.risk(links).share
    spent = process_time() - before
    return {
        "seconds": spent,
        "megabytes": getrusage(RUSAGE_SELF).ru_maxrss / 1024,
        "share": share,
        "claimed": measures.forecast(links, sample=10**6).claimed,
    }


def main():
    """Print a line for each size and attack."""
    parser = command_line(__doc__)
    parser.add_argument("records", nargs="*", type=int, default=SIZES)
    given = parser.parse_args()
    if measured(given, measure):
        return
    for n in given.records:
        for name in ATTACKS:
            found = in_a_process(__file__, [n, name])
            cells = f"{found['seconds']:,.1f} s | {found['megabytes']:,.0f} MB"
            linked = f"{100 * found['share']:.1f} % | {found['claimed']:,}"
            print("|", f"{n:,} | {name} | {cells} | {linked}", "|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
