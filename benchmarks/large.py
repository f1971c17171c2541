"""Large files, read, masked and written: how long it takes, and how much memory.

    python benchmarks/large.py                       5,000,000 rows, a few minutes
    python benchmarks/large.py --rows 1000000 --folder FOLDER    the files stay there

Every line comes from its own process. The memory of a step is the most that the process had at
any time of it (Linux tells), with all that earlier steps left; that of the command is the most of
all. Beside it: pandas and polars, which only read the CSV file, without a look at what a column
means. Machines are noisy: a fifth more or less of time means nothing.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cells import command_line, in_a_process, machine, measured, seconds

ROWS = 5_000_000
TILE = 1_000_000  # people that are made up; beyond them the same ones come with other numbers
MASKED = ("income", "savings", "rent")
MASKS = ("additive-noise", "correlated-noise")
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
GIB = 2**30


def make(folder, rows):
    """Households as Parquet and CSV, their schema, a plan for each mask."""
    import polars as pl

    import unveil

    sample = unveil.households(min(rows, TILE))
    people = sample.to_frame()
    tiles = [
        people.head(rows - start).with_columns(pl.col("person", "household") + start)
        for start in range(0, rows, TILE)
    ]
    table = pl.concat(tiles)
    table.write_parquet(folder / "large.parquet")
    table.write_csv(folder / "large.csv")
    unveil.write(sample.schema, folder / "schema.toml", force=True)
    for mask in MASKS:
        (folder / f"{mask}.toml").write_text(plan_of(mask))


def plan_of(mask):
    """The plan that masks three columns by noise."""
    columns = ", ".join(f'"{column}"' for column in MASKED)
    return f'seed = 7\n[[mask]]\nmethod = "{mask}"\nscale = 0.1\ncolumns = [{columns}]\n'


def command(folder, mask, ending):
    """`unveil mask` of the file."""
    folder = Path(folder)
    given = ["--schema", folder / "schema.toml", "--plan", folder / f"{mask}.toml"]
    out = ["--output", folder / f"masked{ending}", "--force"]
    line = [sys.executable, "-m", "unveil", "mask", folder / f"large{ending}", *given, *out]
    start = time.perf_counter()
    # In the folder of this process, so that both find the same unveil.
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return {"seconds": time.perf_counter() - start, "peak": peak}


def steps(folder, mask, ending):
    """The same step by step."""
    import unveil

    folder, found = Path(folder), {}

    def step(name, work):
        restart_peak()
        start = time.perf_counter()
        made = work()
        found[name] = {"seconds": time.perf_counter() - start, "peak": peak_of_this()}
        return made

    path, out = folder / f"large{ending}", folder / f"masked{ending}"
    data = step("read", lambda: unveil.read(path, folder / "schema.toml"))
    release = step("mask", lambda: unveil.mask(data, folder / f"{mask}.toml"))
    step("write", lambda: unveil.write(release, out, force=True))
    return found


def reading(folder, tool):
    """A reader of the CSV file."""
    path = Path(folder) / "large.csv"
    start = time.perf_counter()
    if tool == "pandas":
        import pandas

        table = pandas.read_csv(path)
    elif tool == "polars":
        import polars

        table = polars.read_csv(path)
    else:
        import unveil

        table = unveil.read(path, Path(folder) / "schema.toml")
    return {"seconds": time.perf_counter() - start, "peak": peak_of_this(), "rows": len(table)}


def restart_peak():
    """Forget how much memory this process had, where the system can."""
    if REFERENCES.exists():
        REFERENCES.write_text("5")


def peak_of_this():
    """The most memory that this process had, in bytes, since it was forgotten."""
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


MEASURES = {"command": command, "steps": steps, "reading": reading}


def one(name, *options):
    """One measurement."""
    return MEASURES[name](*options)


def report(folder, rows):
    """Print the tables."""
    where = str(folder)
    print(f"{rows:,} rows of households. {machine('all cores', 'polars', 'pandas')}\n")
    print("| file | size | mask | read | mask | write | the command |")
    print("|---|---|---|---|---|---|---|")
    for ending in (".parquet", ".csv"):
        size = (folder / f"large{ending}").stat().st_size
        for mask in MASKS:
            each = in_a_process(__file__, ["steps", where, mask, ending])
            whole = in_a_process(__file__, ["command", where, mask, ending])
            told = " | ".join(map(shown, [*each.values(), whole]))
            print(f"| {ending} | {size / 1e6:,.0f} MB | {mask} | {told} |", flush=True)
    print("\n| reader of the CSV file | time | memory | of ours |")
    print("|---|---|---|---|")
    ours = None
    for tool in ("unveil", "pandas", "polars"):
        found = in_a_process(__file__, ["reading", where, tool])
        ours = ours or found
        ratio = found["peak"] / ours["peak"]
        spent, peak = seconds(found["seconds"]), found["peak"] / GIB
        print(f"| {tool} | {spent} | {peak:.2f} GiB | {ratio:.2f} |", flush=True)


def shown(found):
    """A time and a memory."""
    return f"{seconds(found['seconds'])}, {found['peak'] / GIB:.2f} GiB"


def main():
    """Make the files, then measure."""
    parser = command_line(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--folder", type=Path, help="where the files are made, and left")
    given = parser.parse_args()
    if measured(given, one):
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        make(folder, given.rows)
        report(folder, given.rows)


if __name__ == "__main__":
    main()
