"""What fits into memory, said before any attack; and that an audit keeps to it."""

import subprocess
import sys

import numpy as np
import pytest

import unveil
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.workflows.auditing.attack_runs import AttackRun, attack_runs
from unveil.workflows.auditing.resources import memory_of, runs_in_memory

GIB = 2**30


@pytest.fixture(scope="module")
def pair():
    people = unveil.households(5000, seed=1)
    return FilePair.of(people, people, np.arange(5000))


def runs_of(pair, *attacks):
    return attack_runs(attacks, pair, ("age", "income"), False)


def test_without_a_limit_everything_fits(pair):
    every = runs_of(pair, unveil.attacks.Distance(matching="posterior"))
    assert runs_in_memory(every, pair, None, requested=False) == (every, [])


def test_a_posterior_that_does_not_fit_gives_way_to_one_to_one(pair):
    every = runs_of(pair, unveil.attacks.Distance(), unveil.attacks.Distance(matching="posterior"))
    dear = memory_of(every[2], pair)
    kept, left_out = runs_in_memory(every, pair, dear - 1, requested=False)
    assert [one.name for one in kept] == ["distance"] * 2 + ["distance-one-to-one"] * 2
    assert [one.name for one in left_out] == ["distance-posterior"] * 2
    assert "distance-one-to-one is made instead" in left_out[0].reason
    cheap = memory_of(
        AttackRun(unveil.attacks.Distance(matching="one-to-one"), every[2].intruder), pair
    )
    kept, left_out = runs_in_memory(every, pair, cheap - 1, requested=False)
    assert [one.name for one in kept] == ["distance"] * 2
    assert "instead" not in left_out[0].reason
    assert runs_in_memory(every, pair, dear, requested=True) == (every, [])
    with pytest.raises(unveil.UnveilError, match="distance-posterior needs about"):
        runs_in_memory(every, pair, dear - 1, requested=True)


def test_what_no_attack_fits_into_is_refused_with_the_need(pair):
    every = [
        *runs_of(pair, unveil.attacks.Distance()),
        AttackRun(unveil.attacks.Position(), Intruder()),
    ]
    with pytest.raises(unveil.UnveilError, match=r"needs about 3\d\d MiB, more than the 100 MiB"):
        runs_in_memory(every, pair, 100 * 2**20, requested=False)


def test_needs_grow_with_what_is_compared(pair):
    plain, matched = unveil.attacks.Distance(), unveil.attacks.Distance(matching="posterior")
    weighted = unveil.attacks.Probabilistic()
    several = unveil.attacks.Combined(attacks=[plain, unveil.attacks.Rank()])
    few, more, levels, two = (
        memory_of(runs_of(pair, spec)[0], pair) for spec in (plain, matched, weighted, several)
    )
    assert few < two < levels
    assert few < more
    wider = attack_runs([plain], pair, ("age", "income", "tax", "rent"), False)[0]
    assert memory_of(wider, pair) > few


PEAK = """
import numpy as np, polars as pl, sys, unveil
from unveil.measures.information_loss import predictors
predictors.ROUNDS = 4  # more trees take time, not memory
n = 40_000
values = np.random.default_rng(1).standard_normal((n, 6))
schema = unveil.Schema(quasi=[f"column_{i}" for i in range(6)])
people = unveil.Microdata(pl.DataFrame(values), schema)
release = unveil.mask(people, [unveil.masks.AdditiveNoise(scale=0.1)], seed=1)
quick = unveil.AuditSettings(memory="600M", sweep=False, remask=0, worst_case=False)
unveil.audit(people, release, attacks=["distance"], settings=quick)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Linux tells the peak of a process"
)
def test_an_audit_keeps_to_the_memory_that_it_is_allowed():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 600 * 2**20
