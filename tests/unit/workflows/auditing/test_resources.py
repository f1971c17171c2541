"""What fits into the memory and the work of an audit, said before any attack."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.support.work import EFFORT_SECONDS, duration
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.workflows.audit import AuditRun
from unveil.workflows.auditing.attack_runs import AttackRun, attack_runs
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.resources import (
    ATTACK_SHARE,
    memory_of,
    plan_what_ifs,
    runs_in_memory,
    work_of,
)
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.auditing.supervised_bound import supervised_runs

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
    with pytest.raises(
        unveil.UnveilError, match=r"needs about 3\d\d MiB, more than the limit of 100 MiB"
    ):
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


# Work.


def masked_companies(mask):
    """As many records and numbers as the papers' census, and a release of them."""
    rng = np.random.default_rng(1)
    columns = {f"v{number}": rng.normal(size=1080) for number in range(13)}
    data = unveil.Microdata(pl.DataFrame(columns), unveil.Schema(quasi=list(columns)))
    return data, unveil.mask(data, [mask], seed=1)


@pytest.fixture(scope="module")
def companies():
    return masked_companies(unveil.masks.RankSwapping(p=10))


def planned(files, **settings):
    """The plan of an audit; nothing is attacked."""
    chosen = AuditSettings(**settings)
    inputs = read_inputs(*files, None, None, chosen, 0)
    audit = AuditRun(inputs, chosen, None, None)
    runs, _ = audit._attack_runs()
    plan_what_ifs(audit.work, runs, inputs, chosen, supervised_runs(inputs)[0])
    return audit.work


def test_a_normal_audit_of_a_thousand_records_has_every_figure_but_the_costliest():
    """Two minutes of learning were nine tenths of it; no step said beforehand what it takes."""
    plan = planned(masked_companies(unveil.masks.AdditiveNoise(scale=0.25)))
    assert sum(plan.expected.values()) <= EFFORT_SECONDS["normal"] + 1e-9
    for step in ("knowledge", "attributes", "masking again", "remedies"):
        assert plan.makes(step)
    assert plan.parts == {"errors", "tenth", "all"}
    assert plan.notes == []
    for way in ("original-to-release", "release-to-original"):
        assert plan.makes(f"worst case weights {way}")
        assert not plan.makes(f"worst case bilinear {way}")
    assert {one.name for one in plan.left_out} == {"supervised-bilinear"}
    assert all("about 34 seconds" in one.reason for one in plan.left_out)


def test_a_normal_audit_of_swapped_values_undoes_them_before_it_learns(companies):
    plan = planned(companies)
    for way in ("original-to-release", "release-to-original"):
        assert plan.makes(f"attack exchange {way}")
        assert plan.makes(f"attack exchange-parameters {way}")
    assert plan.makes("remedies")
    assert {one.name for one in plan.left_out} == {"supervised-bilinear"}
    assert sum(plan.expected.values()) <= EFFORT_SECONDS["normal"] + 1e-9


def test_a_quick_audit_offers_what_it_leaves_out_with_its_price(companies):
    plan = planned(companies, effort="quick")
    assert plan.makes("attack exchange-parameters original-to-release")
    assert plan.makes("attack distance release-to-original")
    assert not plan.makes("worst case weights original-to-release")
    reasons = {one.name: one.reason for one in plan.left_out}
    assert reasons["supervised"] == "it takes about 9 seconds; --effort thorough includes it"
    assert "about 34 seconds" in reasons["supervised-bilinear"]
    assert all("--effort thorough includes it" in note for note in plan.notes)
    assert sum(plan.expected.values()) <= EFFORT_SECONDS["quick"] + 1e-9


def test_a_thorough_audit_leaves_nothing_out_and_limits_nothing(companies):
    plan = planned(companies, effort="thorough")
    assert (plan.left_out, plan.notes) == ([], [])
    assert plan.limits.get("worst case bilinear original-to-release") is None
    assert plan.limit_of_attack("attack distance original-to-release") is None


def test_what_is_requested_is_made_whatever_it_takes(companies):
    asked = {"sweep": True, "remedies": True, "worst_case": True, "remask": 3, "errors": (0.1,)}
    plan = planned(companies, seconds=1e-3, **asked)
    assert plan.notes == []
    for step in ("knowledge", "remedies", "masking again"):
        assert plan.makes(step)
    assert plan.parts == {"errors", "tenth", "all"}
    assert plan.limits.get("worst case bilinear original-to-release") is None
    off = {"sweep": False, "remedies": False, "worst_case": False, "remask": 0, "errors": ()}
    steps = set(planned(companies, **off).expected) - {"loss"}
    assert all(step.startswith("attack ") for step in steps)


def test_the_strongest_attacks_take_the_work_first(companies):
    """The strongest may take all of it; one that knows the mask takes more than a blind one.

    Where one is too dear even so, the next is the strongest.
    """
    for seconds, name in ((8.0, "exchange-parameters"), (1.0, "tailored-posterior")):
        plan = planned(companies, seconds=seconds)
        strongest, aware, blind = (
            plan.limit_of_attack(f"attack {name} original-to-release")
            for name in (name, "tailored", "rank")
        )
        assert strongest == seconds > seconds * ATTACK_SHARE >= aware >= blind > 0
        assert planned(companies, seconds=seconds).expected == plan.expected


def test_an_attack_says_its_own_work(pair):
    def seconds(attack):
        return work_of(runs_of(pair, attack)[0], pair)

    attacks = unveil.attacks
    nearest, matched = seconds(attacks.Distance()), seconds(attacks.Distance(matching="posterior"))
    assert nearest < seconds(attacks.Tailored()) < matched
    both = attacks.Combined(attacks=(attacks.Distance(), attacks.Rank()))
    assert seconds(both) > nearest
    assert seconds(attacks.Supervised()) < seconds(attacks.Supervised(model="bilinear"))


def test_a_time_and_an_effort_exclude_each_other():
    with pytest.raises(unveil.UnveilError, match="^give --effort or --seconds, not both$"):
        AuditSettings(effort="quick", seconds=5)
    wanted = "^--effort is quick, normal or thorough; for a time use --seconds 30$"
    for effort in ("30", 30):
        with pytest.raises(unveil.UnveilError, match=wanted):
            AuditSettings(effort=effort)
    assert AuditSettings(seconds=5).work == 5
    assert duration(90) == "about 2 minutes"


def test_progress_is_in_seconds_of_work(companies):
    """The first steps were as large a part of the bar as minutes of learning."""
    shown = []
    off = {"sweep": False, "remedies": False, "remask": 0, "errors": (), "worst_case": False}
    quick = AuditSettings(effort="quick", **off)
    unveil.audit(
        *companies,
        settings=quick,
        attacks=["distance", "rank"],
        progress=lambda *one: shown.append(one),
    )
    total = shown[0][2]
    assert total == shown[-1][1] == shown[-1][2]
    assert total < EFFORT_SECONDS["quick"]
    done = [one[1] for one in shown]
    assert done == sorted(done)


def test_what_would_be_learnt_in_more_time_is_told_with_its_price(companies):
    """It was planned, left out and not told."""
    off = {"sweep": False, "remedies": False, "remask": 0, "errors": ()}
    settings = AuditSettings(seconds=1e-3, **off)
    found = unveil.audit(*companies, attacks=["distance"], settings=settings)
    told = {one.name: one.reason for one in found.evidence.left_out}
    assert "about 9 seconds; --effort thorough includes it" in told["supervised"]
    assert "supervised-bilinear" in told
