"""How long an audit takes, from two files to the evidence, and how much memory.

    python benchmarks/audits.py                        20,000 to 1,000,000 records
    python benchmarks/audits.py --sizes 1000000 --steps

People as in the census file against themselves with independent noise, the released rows
shuffled, every attribute a quasi-identifier. The files are Parquet; the time is that of
`unveil.audit` with its default settings, from reading them to having written the evidence, in a
process of its own, kernels compiled before; the peak is that of the process. "CPU" is what all
cores together worked, which a busy machine changes least; the load is that of the machine.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

import polars as pl

import unveil
from attacks import THREADS
from cells import command_line, in_a_process, machine, measured, seconds
from people import people, source

SIZES = (20_000, 100_000, 200_000, 1_000_000)
WARM = 2100  # records, more than a pilot; of more, a posterior would be the peak


def write_files(folder, n, noise):
    """The original, its schema, the release and its row map."""
    values = people(n, seed=1)
    original = pl.DataFrame(values, schema=[f"x{j}" for j in range(values.shape[1])])
    data = unveil.Microdata(original, unveil.Schema(quasi=original.columns))
    release = unveil.mask(data, [unveil.masks.AdditiveNoise(scale=noise)], seed=1)
    unveil.write(data, folder / "original.parquet")
    unveil.write(data.schema, folder / "schema.toml")
    unveil.write(release, folder / "release.parquet", row_map=folder / "map.csv")


def measure(folder, _n):
    """One audit of these files, as a dictionary."""
    with tempfile.TemporaryDirectory() as few:
        write_files(Path(few), WARM, 0.25)
        audited(Path(few))
    start, worked, steps = time.perf_counter(), time.process_time(), []

    def told(step, _done, _total):
        if not steps or steps[-1][0] != step:
            steps.append((step, time.perf_counter()))

    found = audited(Path(folder), progress=told)
    end = time.perf_counter()
    ends = [begun for _, begun in steps[1:]] + [end]
    return {
        "seconds": end - start,
        "worked": time.process_time() - worked,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "load": os.getloadavg()[0],
        "worst": f"{found.worst.name}, {found.worst.risk.share:.1%}",
        "sampled": sum(one.risk.interval is not None for one in found.evidence.attacks),
        "attacks": len(found.evidence.attacks),
        "steps": [
            ("reading", steps[0][1] - start),
            *((name, until - begun) for (name, begun), until in zip(steps, ends, strict=True)),
        ],
    }


def audited(folder, progress=None, **settings):
    """The audit, its evidence written."""
    return unveil.audit(
        folder / "original.parquet",
        folder / "release.parquet",
        schema=folder / "schema.toml",
        truth=folder / "map.csv",
        settings=unveil.AuditSettings(evidence=folder / "evidence.json", force=True, **settings),
        progress=progress,
    )


def main():
    """Print a line for each size, as it is measured."""
    parser = command_line(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--noise", type=float, default=0.25)
    parser.add_argument("--steps", action="store_true", help="how long each step took")
    given = parser.parse_args()
    if measured(given, measure):
        return
    ran_on = machine(f"{THREADS} threads", "numba", "polars", "scikit-learn")
    print(f"{ran_on}; people made after {source()[1]}, noise {given.noise:g}.", flush=True)
    print("| n | audit | CPU | peak | load | attacks, of these on a sample | the worst |")
    print("|---|---|---|---|---|---|---|")
    for n in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), n, given.noise)
            found = in_a_process(__file__, (folder, n))
        parts = [
            *(f"{n:,}", seconds(found["seconds"]), seconds(found["worked"])),
            *(f"{found['peak']:.2f} GiB", f"{found['load']:.0f}"),
            *(f"{found['attacks']}, {found['sampled']}", found["worst"]),
        ]
        print(f"| {' | '.join(parts)} |", flush=True)
        for name, spent in found["steps"] if given.steps else ():
            print(f"    {name:45s} {spent:8.1f} s")


if __name__ == "__main__":
    main()
