"""What an attack is said to take is at least what it takes, and not much more."""

import json
import subprocess
import sys

import pytest

from strategies.examples import THOROUGH
from unveil.attacks.memory import bytes_needed

pytestmark = pytest.mark.slow

# More than the small files of which all pairs are known to the cheapest matching.
MANY = 15_000 if THOROUGH else 8_000
# Each in a process of its own: the peak of this one was reached before, and what an attack has let
# go of may still be there, and be taken by the next.
MEASURED = r"""
import json, re, sys
from pathlib import Path
import numpy as np, polars as pl
import unveil
from unveil import attacks, masks, measures

WIDTH = 6

def told(what):  # by Linux; not getrusage, whose peak is inherited from who started this process
    return 1024 * int(re.search(what + r":\s+(\d+)", Path("/proc/self/status").read_text())[1])

def files(n):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((n, 3)) @ rng.standard_normal((3, WIDTH))
    values += rng.standard_normal(values.shape)
    names = [f"v{j}" for j in range(WIDTH)]
    data = unveil.Microdata(pl.DataFrame(values, schema=names), unveil.Schema(quasi=names))
    return data, unveil.mask(data, [masks.AdditiveNoise(scale=0.25)], seed=1)

def ask(original, release, matching):
    links = unveil.attack(original, release, attacks.Distance(matching=matching))
    measures.risk(links)
    return links

matching, n = sys.argv[1], int(sys.argv[2])
ask(*files(1000), "nearest" if matching == "posterior" else matching)  # loads the kernels
both = files(n)
before = told("VmRSS")
ask(*both, matching)
print(json.dumps((WIDTH, told("VmHWM") - before)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory in use is told by Linux only")
@pytest.mark.parametrize(
    ("matching", "n"), [("nearest", 100_000), ("one-to-one", MANY), ("posterior", MANY)]
)
def test_attacks_take_no_more_than_was_said_and_not_much_less(matching, n):
    line = [sys.executable, "-c", MEASURED, matching, str(n)]
    run = subprocess.run(line, capture_output=True, text=True, check=True)
    width, taken = json.loads(run.stdout)
    said = bytes_needed(n, n, width, matching=matching)
    assert taken <= said <= 3 * taken, (taken, said)


def test_all_pairs_of_small_files_are_kept():
    small, large = (bytes_needed(n, n, 6, matching="posterior") for n in (20_000, 20_100))
    assert small > 10 * large
    one = bytes_needed(20_000, 20_000, 6, matching="one-to-one")
    assert one < small


def test_more_of_anything_takes_more():
    for matching in ("nearest", "one-to-one", "posterior"):
        base = bytes_needed(10_000, 20_000, 5, matching=matching)
        assert base < bytes_needed(11_000, 20_000, 5, matching=matching)
        assert base < bytes_needed(10_000, 21_000, 5, matching=matching)
        assert base < bytes_needed(10_000, 20_000, 6, matching=matching)
