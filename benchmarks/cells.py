"""What the benchmarks share: measurements in processes of their own, times, the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def command_line(doc):
    """The options of a benchmark, that of a single measurement among them."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    return parser


def measured(given, measure):
    """Whether one measurement was asked for; then it is made and printed."""
    if given.cell:
        print(json.dumps(measure(*json.loads(given.cell))))
    return bool(given.cell)


def in_a_process(script, cell, threads=None):
    """One measurement: `script --cell JSON` prints it. BLAS has no more threads than given."""
    command = [sys.executable, script, "--cell", json.dumps(cell)]
    names = ("OMP", "OPENBLAS", "MKL") if threads else ()
    limits = {f"{name}_NUM_THREADS": str(threads) for name in names}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | limits
    )
    return json.loads(done.stdout)


def best_of(times, quick, measure):
    """The quickest of several measurements; of one, if that takes longer than `quick`."""
    best = measure()
    for _ in range(times - 1 if best["seconds"] < quick else 0):
        best = min(best, measure(), key=lambda found: found["seconds"])
    return best


def seconds(spent):
    """A time as the tables show it."""
    return f"{spent:,.{2 if spent < 10 else 0}f} s"


def times_ours(spent, ours):
    """How many times ours a time is."""
    ratio = spent / ours
    return f"({ratio:,.{1 if ratio < 10 else 0}f}x)"


def machine(threads, *packages):
    """What it ran on, in words."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(": ")[1] for line in lines if line.startswith("model name")), cpu)
    used = ", ".join(f"{name} {_version(name)}" for name in packages)
    return f"{cpu}, {threads}, Python {platform.python_version()}, {used}"


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
