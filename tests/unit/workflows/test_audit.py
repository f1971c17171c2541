"""Audits, held to small cases worked out by hand and to what each step would say alone."""

import datetime
import logging
import time
from itertools import pairwise

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Intruder, Microdata, Policy, Schema, attacks, masks, measures
from unveil.engines.local import engine
from unveil.files.documents.evidence import evidence_json
from unveil.measures.identity.subgroup_risks import POOLED
from unveil.reports.sections.stress_test import stress_sentence
from unveil.support.phrases import plain
from unveil.support.work import CELL_SECONDS
from unveil.table.row_identity import content_order
from unveil.workflows.auditing import attack_runs, sampled_attack
from unveil.workflows.auditing.attack_runs import WorkBudget, sample_to_budget
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.auditing.remasking import FIRST_RUN
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.inputs.known_masking import reseeded

pytestmark = pytest.mark.usefixtures("few_trees", "quick_learning")

N, KNOWS = 60, ("age", "pay", "town")
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip
SCHEMA = Schema(
    quasi=KNOWS,
    confidential="debt",
    weight="weight",
    household="home",
    nominal=["town", "home"],
    numeric=["age", "pay", "debt", "weight"],
)
STEPS = (
    masks.AdditiveNoise(scale=0.3, columns=["age", "pay"]),
    masks.Pram(theta=0.2, columns=["town"]),
)


def made_of(n, **columns):
    """Records that nobody is, with a few ties and missing cells."""
    rng = np.random.default_rng(5)
    own = {
        "age": rng.integers(20, 60, n),
        "pay": rng.normal(size=n).round(1),
        "town": rng.choice(["x", "y", "z"], n),
        "debt": [None if i % 9 == 4 else float(i % 7) for i in range(n)],
        "weight": rng.integers(1, 5, n).astype(float),
        "home": [str(i // 2) for i in range(n)],
    }
    return Microdata(pl.DataFrame(own | columns), SCHEMA)


@pytest.fixture(scope="module")
def people():
    return made_of(N)


@pytest.fixture(scope="module")
def release(people):
    return unveil.mask(people, STEPS, seed=8)


@pytest.fixture(scope="module")
def full(people, release):
    """Everything that an audit does, once."""
    told = []
    policy = Policy(max_risk=0.05, forbid_row_order=True)
    found = audits.audit(
        people, release, policy=policy, seed=3, remask=2, errors=(0, 0.5),
        progress=lambda *step: told.append(step),
    )  # fmt: skip
    return found, told


@pytest.fixture(scope="module")
def worst(people, release, full):
    """The worst attack that decides record by record, made again alone."""
    known = full[0].evidence.knowledge
    spec = next(f.spec for f in full[0].evidence.attacks if f.name == known.attack)
    spec = {name: value for name, value in spec.items() if name != "method"}
    chosen = getattr(attacks, known.attack.split("-")[0].title())(**spec)

    def links(knows, direction=known.direction, released=release, original=people):
        channel = chosen.knows is not None
        intruder = Intruder(knows=knows, direction=direction, channel=channel)
        return unveil.attack(original, released, chosen, intruder=intruder, seed=3)

    return links


@pytest.fixture(scope="module")
def halves(people, release):
    case = read_inputs(people, release, None, None, AuditSettings(), 3)
    return sampled_attack.split_people(case.scenario)


def test_attacks_that_fit_are_made_in_both_directions_worst_first(full):
    evidence = full[0].evidence
    made = [(one.name, one.risk.direction) for one in evidence.attacks]
    names = {name for name, _ in made}
    assert names == {
        "distance", "distance-mahalanobis", "rank", "rank-max", "probabilistic",
        "distance-posterior", "tailored", "tailored-posterior", "position",
        "households-none", "households-posterior-tailored-none",
    }  # fmt: skip
    assert len(made) == len(set(made)) == 2 * len(names) - 1  # positions are the same both ways
    shares = [one.risk.share for one in evidence.attacks]
    assert shares == sorted(shares, reverse=True)
    assert full[0].worst is evidence.attacks[0]
    assert evidence.left_out == ()
    assert all(one.risk.interval is None and one.risk.n == N for one in evidence.attacks)


def test_each_finding_is_what_the_attack_finds_alone(people, release, full):
    for name, spec, knows in (
        ("distance", attacks.Distance(), KNOWS),
        ("rank-max", attacks.Rank(criterion="max"), ("age", "pay")),
        ("distance-mahalanobis", attacks.Distance(metric="mahalanobis"), ("age", "pay")),
    ):
        for direction in ("original-to-release", "release-to-original"):
            intruder = Intruder(knows=knows, direction=direction)
            links = unveil.attack(people, release, spec, intruder=intruder, seed=3)
            found = next(
                one
                for one in full[0].evidence.attacks
                if (one.name, one.risk.direction) == (name, direction)
            )
            assert found.risk == measures.risk(links)
            each = full[0].risks[f"{name} {direction}"]
            people_found = links.true_rows if intruder.reverse else links.records
            assert np.array_equal(each[people_found], measures.hits(links))


def test_the_curve_of_knowledge(full, worst, halves):
    found = full[0].evidence.knowledge
    steps = found.steps
    assert [len(step.attributes) for step in steps] == [1, 2, 3]
    assert sorted(steps[-1].attributes) == sorted(KNOWS)
    highest = np.maximum.accumulate([step.share for step in steps]).tolist()
    assert [step.highest for step in steps] == highest
    for before, after in pairwise(steps):
        assert after.attributes[:-1] == before.attributes
    first, second = halves
    assert (found.chosen_on, found.estimated_on, found.among) == (30, 30, N)
    assert not {*first.tolist()} & {*second.tolist()}
    alone = {}
    for name in KNOWS:
        each = measures.hits(worst([name]))
        rows = worst([name]).true_rows if worst([name]).intruder.reverse else np.arange(N)
        alone[name] = np.sort(each[np.isin(rows, first)]).sum()
    assert alone[steps[0].attributes[0]] == max(alone.values())  # chosen on the first half
    links = worst(steps[0].attributes)
    rows = links.true_rows if links.intruder.reverse else np.arange(N)
    on_second = measures.hits(links)[np.isin(rows, second)].mean()  # estimated on the other
    assert steps[0].share == pytest.approx(on_second, abs=1e-12)
    best = max(steps, key=lambda step: (step.share, -len(step.attributes)))
    in_order = [name for name in KNOWS if name in best.attributes]
    assert found.worst == measures.risk(worst(in_order))


def test_who_knows_more_may_ignore_it():
    """One attribute is nearly as it was, the others are noise: to compare these does harm."""
    rng, names = np.random.default_rng(2), ("noise", "near", "worse")
    own = {name: rng.normal(size=80) for name in names}
    spoilt = {name: own[name] + (3, 1e-4, 9)[i] * rng.normal(size=80) for i, name in enumerate(own)}
    before, after = (Microdata(pl.DataFrame(x), Schema(quasi=names)) for x in (own, spoilt))
    found = audits.audit(before, after, truth=np.arange(80), **(QUICK | {"sweep": True})).evidence
    known = found.knowledge
    shares = [one.share for one in known.steps]
    assert shares[0] > 0.9
    assert max(shares[1:]) < 0.3
    assert [one.highest for one in known.steps] == [shares[0]] * 3
    assert [one.attributes[0] for one in known.steps] == ["near"] * 3
    alone = Intruder(knows=["near"], direction=known.direction)
    links = unveil.attack(before, after, attacks.Distance(), intruder=alone, truth=np.arange(80))
    assert known.worst.attributes == ("near",)
    assert (known.worst.n, known.worst.share) == (80, measures.risk(links).share)
    assert [one.name for one in found.attacks] == ["distance-knowing-1", "distance", "distance"]
    assert found.attacks[0].risk == known.worst  # it counts as the worst, and against a limit
    assert known.worst.share > 3 * found.attacks[1].risk.share


def surface_of(knowledge):
    return {(one.people, one.known, one.error): one for one in knowledge.surface}


def test_exact_knowledge_of_one_person_is_the_curve(people, release, halves):
    """The surface begins with the curve, and each point is what the attack finds alone."""
    quick = QUICK | {"attacks": ["distance"], "sweep": True, "errors": (0.5,)}
    found = audits.audit(people, release, seed=3, **quick).evidence.knowledge
    surface, second = surface_of(found), halves[1]
    for step in found.steps:
        point = surface["one", len(step.attributes), 0.0]
        intruder = Intruder(knows=step.attributes)
        links = unveil.attack(people, release, attacks.Distance(), intruder=intruder, seed=3)
        share = measures.hits(links)[second].mean()
        assert point.share == pytest.approx(share, abs=1e-12)
        assert (point.n, point.attack) == (len(second), "distance")
        assert point.interval.low <= point.share <= point.interval.high
        if found.direction == intruder.direction:
            assert (point.share, point.interval) == (step.share, step.interval)


def test_the_surface_is_of_the_better_of_two_attacks(full):
    """An intruder who knows the mask may choose an attack that does not."""
    found = full[0].evidence.knowledge
    surface = surface_of(found)
    assert found.attack == "tailored"
    assert found.chosen_by != "tailored"
    for step in found.steps:
        point = surface["one", len(step.attributes), 0.0]
        assert point.attack in (found.attack, found.chosen_by)
        if found.direction == "original-to-release":
            assert point.share >= step.share
    assert {one.error for one in found.surface} == {0.0, 0.5}
    assert surface["one", 3, 0.5].share < surface["one", 3, 0.0].share


def test_who_holds_more_or_knows_more_may_ignore_it(full):
    held = ("one", "tenth", "all")
    surface = full[0].evidence.knowledge.surface
    for one in surface:
        smaller = [
            other.share
            for other in surface
            if other.error == one.error
            and other.known <= one.known
            and held.index(other.people) <= held.index(one.people)
        ]
        assert one.highest == max(smaller)
    assert {one.people for one in surface} == {*held}


def test_records_that_are_held_together_are_matched():
    """Noise makes many records nearest to the same rows: one to one, these go to others."""
    rng = np.random.default_rng(4)
    columns = [f"c{place}" for place in range(8)]
    own = {name: rng.normal(size=200) for name in columns}
    noisy = {name: own[name] + 0.6 * rng.normal(size=200) for name in columns}
    before, after = (Microdata(pl.DataFrame(x), Schema(quasi=columns)) for x in (own, noisy))
    options = QUICK | {"sweep": True, "errors": (0.2, 0.4)}
    found = audits.audit(before, after, truth=np.arange(200), **options).evidence.knowledge
    surface = surface_of(found)
    matched = attacks.Distance(matching="one-to-one")
    intruder = Intruder(knows=found.steps[-1].attributes)
    links = unveil.attack(before, after, matched, intruder=intruder, truth=np.arange(200))
    everybody, alone = surface["all", 8, 0.0], surface["one", 8, 0.0]
    assert everybody.attack == "distance-one-to-one"
    assert everybody.share == pytest.approx(measures.hits(links).mean(), abs=1e-12)
    assert everybody.share > alone.share + 0.05
    assert (everybody.n, everybody.interval) == (200, None)
    tenth = surface["tenth", 8, 0.0]
    assert tenth.n == (40 if tenth.attack == "distance-one-to-one" else 100)
    assert tenth.interval is not None
    fall = [surface["one", 8, error].share for error in (0.0, 0.2, 0.4)]
    assert fall[0] > fall[1] + 0.1 > fall[2] + 0.2
    assert surface["all", 8, 0.2].share < everybody.share - 0.1
    shuffled = np.random.default_rng(5).permutation(200)
    again = audits.audit(before.take(shuffled), after, truth=np.argsort(shuffled), **options)
    alike(msgspec.to_builtins(found), msgspec.to_builtins(again.evidence.knowledge))


def test_without_a_sweep_all_attributes_are_known(people, release):
    quick = QUICK | {"attacks": ["rank"], "errors": (0.5,)}
    found = audits.audit(people, release, seed=3, **quick).evidence
    assert [one.attributes for one in found.knowledge.steps] == [("age", "pay")]
    assert {one.known for one in found.knowledge.surface} == {2}
    assert {one.error for one in found.knowledge.surface} == {0.0, 0.5}
    assert found.noisy_knowledge is None
    assert audits.audit(people, release, seed=3, **QUICK).evidence.knowledge is None


def test_an_error_is_a_share():
    with pytest.raises(unveil.UnveilError, match="errors.*1"):
        AuditSettings(errors=(1.5,))
    assert AuditSettings(errors=(0.5, 0.1)).error_rates == (0.0, 0.1, 0.5)
    assert AuditSettings(errors=()).error_rates == (0.0,)


def test_masking_again(people, release, full, worst):
    again, each = full[0].evidence.remasking, full[0].risks["masked again"]
    order = np.argsort(content_order(people))
    ordered = people.take(order)
    runs = []
    for run in range(2):
        other = unveil.mask(ordered, reseeded(release.plan, 3, FIRST_RUN + run))
        links = worst(KNOWS, again.direction, other, ordered)
        found = np.empty(N)
        found[order[links.true_rows if links.intruder.reverse else links.records]] = measures.hits(
            links
        )
        runs.append(found)
    assert np.allclose(each, np.mean(runs, axis=0), rtol=0, atol=1e-12)
    assert again.shares == pytest.approx([run.mean() for run in runs], abs=1e-12)
    assert (again.lowest, again.highest) == (min(again.shares), max(again.shares))
    assert again.mean == pytest.approx(each.mean(), abs=1e-12)
    assert again.at_risk["above 50%"] == (each > 0.5).mean()
    assert (again.n, again.attacked) == (N, N)


def test_subgroups_and_households(people, full):
    evidence, each = full[0].evidence, full[0].risks
    groups = evidence.subgroups.groups
    assert {one.column for one in groups} == {*KNOWS}
    assert {one.group for one in groups if one.column == "town"} <= {
        "A (most frequent)", "B (2nd most frequent)", "C (3rd most frequent)",
    }  # fmt: skip
    towns = people.column("town").to_numpy()
    sizes = dict(zip(*np.unique(towns, return_counts=True), strict=True))
    common = max(sizes, key=sizes.get)
    by_attack = [v[towns == common].mean() for name, v in each.items() if name != "masked again"]
    first = next(one for one in groups if (one.column, one.group) == ("town", "A (most frequent)"))
    assert first.share == pytest.approx(max(by_attack), abs=1e-12)
    assert first.n == sizes[common]
    large = [one for one in groups if not one.small]
    assert evidence.subgroups.highest.share == max(one.share for one in large)
    hits = each[f"{full[0].worst.name} {full[0].worst.risk.direction}"]
    chance = 1 - (1 - hits[::2]) * (1 - hits[1::2])
    assert evidence.households.n == N // 2
    assert evidence.households.share == pytest.approx(chance.mean(), abs=1e-12)


def test_every_step_tells_how_far_it_is(full):
    names = list(dict.fromkeys(name for name, _, _ in full[1]))
    assert {"knowledge", "masking again", "loss", "inference"} <= {*names}
    done = [part for _, part, _ in full[1]]
    assert done == sorted(done)
    assert len({total for _, _, total in full[1]}) == 1
    assert done[-1] <= full[1][0][2]


def test_an_audit_speaks(full):
    assert repr(full[0]).startswith(f"Audit({N} records; ")
    assert "stress test: " in str(full[0])
    assert "acquaintance: " in str(full[0])  # what the stress test says never stands alone
    assert full[0].verdict.passed is False
    assert full[0].to_dict()["attacks"][0]["name"] == full[0].worst.name
    assert full[0].loss is full[0].evidence.loss
    # Every attribute is perturbed, and counts as it was before.
    assert all(one.before_masking for one in full[0].evidence.in_population.keys)


# Limits.


def found_of(evidence, limit, **allowed):
    limits = check_policy(Policy(**allowed), evidence).limits
    return next(one for one in limits if one.limit == limit)


@pytest.mark.parametrize(
    "limit",
    ["max_risk", "max_subgroup_risk", "max_confirmed", "max_interval_disclosure", "max_loss"],
)
def test_shares_up_to_a_limit_keep_it(full, limit):
    evidence = full[0].evidence
    found = found_of(evidence, limit, **{limit: 0.0})
    assert not found.kept
    assert 0 < found.found <= 1
    assert found_of(evidence, limit, **{limit: found.found}).kept
    below = found_of(evidence, limit, **{limit: found.found * (1 - 1e-9)})
    assert not below.kept
    assert below.reason
    assert not check_policy(Policy(**{limit: 0.0}), evidence).passed
    assert check_policy(Policy(**{limit: 1.0}), evidence).passed


def test_counts_from_a_limit_on_keep_it(people, release):
    """Every quasi-identifier was perturbed but the keys that are named."""
    keys = {"k_anonymity": {"k": 2, "keys": ["debt"]}, "l_diversity": {"l": 1, "keys": ["weight"]}}
    evidence = audits.audit(people, release, policy=Policy(**keys), **QUICK).evidence
    for limit in keys:
        found = found_of(evidence, limit, **{limit: 1}).found
        assert found_of(evidence, limit, **{limit: found}).kept
        assert not found_of(evidence, limit, **{limit: found + 1}).kept
    changed = Policy(k_anonymity=99, may_stay_unchanged=("debt", "weight"))
    assert [one.limit for one in check_policy(changed, evidence).broken] == ["k_anonymity"]
    assert not found_of(evidence, "may_stay_unchanged", may_stay_unchanged=()).kept


def test_the_order_of_rows_is_forbidden(people, release, full):
    """As written, a release is shuffled; in the order of the original it tells who is who."""
    quick = QUICK | {"attacks": ["position"]}
    assert found_of(full[0].evidence, "forbid_row_order", forbid_row_order=True).kept
    kept = audits.audit(people, release.data, truth=np.arange(N), **quick).evidence
    betrayed = found_of(kept, "forbid_row_order", forbid_row_order=True)
    assert (betrayed.kept, betrayed.found) == (False, True)
    unknown = audits.audit(people, release, **QUICK).evidence
    assert "not measured" in found_of(unknown, "forbid_row_order", forbid_row_order=True).reason


def test_what_is_not_measured_is_not_kept(people):
    """Of made-up rows nobody is linked; what they say is counted all the same."""
    every = Policy(
        max_risk=1, max_subgroup_risk=1, max_confirmed=1, max_interval_disclosure=1,
        max_loss=1, forbid_row_order=True, may_stay_unchanged=tuple(people.columns),
    )  # fmt: skip
    made_up = [masks.Synthesis(columns=[name for name in people.columns if name != "weight"])]
    synthetic = unveil.mask(people, made_up, seed=1, household="keep")
    found = audits.audit(people, synthetic, policy=every)
    assert found.evidence.attacks == ()
    assert (found.evidence.pairs, found.evidence.knowledge) == (None, None)
    assert {one.limit for one in found.verdict.broken} == {
        "max_risk", "max_subgroup_risk", "max_confirmed", "max_interval_disclosure",
        "forbid_row_order",
    }  # fmt: skip
    assert all(one.reason.startswith("not measured") for one in found.verdict.broken)
    assert repr(found) == f"Audit({N} records; no attack was made)"
    assert "synthetic" in str(found)
    with pytest.raises(unveil.UnveilError, match="no attack was made"):
        _ = found.worst
    alone = audits.audit(people, synthetic.data, truth="none")
    assert alone.evidence.loss == found.evidence.loss
    with pytest.raises(unveil.UnveilError, match="'none' if every row is synthetic"):
        audits.audit(people, synthetic.data)
    bare = Microdata(people.to_frame().select(KNOWS), Schema(quasi=KNOWS, nominal="town"))
    only = audits.audit(bare, bare, truth="row-order", **QUICK, policy=Policy(l_diversity=1))
    assert only.verdict.broken[0].reason.startswith("not measured")


# By hand: a file of four, whose nearest rows can be seen.

FOUR = Schema(quasi=["x", "y"], numeric=["x", "y"])
ORIGINAL = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 1.0, 1.0, 2.0]})
RELEASED = pl.DataFrame({"x": [1.1, 2.2, 3.9, 2.9]})


def linked(original, released, **options):
    """The expected hits and those attacked, in either direction."""
    found = audits.audit(original, released, schema=FOUR, **(QUICK | options)).evidence
    risks = {one.risk.direction: one.risk for one in found.attacks}
    return [(r.expected, r.n, r.absent) for _, r in sorted(risks.items())]


def test_a_subset_of_columns():
    """3 is taken for the row of 4 and 4 for that of 3, and so are the rows; y is not there."""
    assert linked(ORIGINAL, RELEASED, truth="row-order") == [(2, 4, 0), (2, 4, 0)]


def test_a_shuffled_release():
    order = [2, 0, 3, 1]
    assert linked(ORIGINAL, RELEASED[order], truth=order) == [(2, 4, 0), (2, 4, 0)]
    assert linked(ORIGINAL[order], RELEASED, truth=np.argsort(order)) == [(2, 4, 0), (2, 4, 0)]


def test_renamed_columns():
    renamed = RELEASED.rename({"x": "X1"}).with_columns(y=pl.Series([9.0, 9.0, 1.0, 1.0]))
    found = linked(ORIGINAL, renamed, truth="row-order", rename={"X1": "x"}, knows=["x"])
    assert found == [(2, 4, 0), (2, 4, 0)]


def test_a_sampled_release():
    """Without the row of 3, 4 is nearest to its own; its row is still nearest to 3."""
    found = linked(ORIGINAL, RELEASED[[3, 0, 1]], truth=[3, 0, 1])
    assert found == [(3, 3, 1), (2, 3, 0)]
    added = pl.concat([RELEASED, pl.DataFrame({"x": [2.0]})])  # nobody's row, nearest to 2
    assert linked(ORIGINAL, added, truth=[0, 1, 2, 3, -1]) == [(1, 4, 0), (2, 4, 1)]


def test_ties_count_by_their_share():
    tied = pl.DataFrame({"x": [1.0, 1.0, 5.0, 9.0], "y": [0.0, 0.0, 1.0, 1.0]})
    assert linked(tied, tied.select("x"), truth="row-order") == [(3, 4, 0), (3, 4, 0)]


def alike(one, other, where=""):
    """Whole numbers and words equal, floats within 1e-12."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            alike(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for place, pair in enumerate(zip(one, other, strict=True)):
            alike(*pair, f"{where}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert abs(one - other) <= 1e-12 * max(1, abs(one)), (where, one, other)
    else:
        assert one == other, where


@pytest.mark.slow
def test_the_order_of_rows_means_nothing(people, release):
    """Either file shuffled, and the truth with it: the same evidence of other files."""
    rng = np.random.default_rng(1)
    mine, theirs = rng.permutation(N), rng.permutation(N)
    back = np.argsort(mine)  # where each original stands now
    options = {
        "attacks": ["distance", "rank-max", "probabilistic", "distance-posterior", "tailored"],
        "plan": release.plan, "policy": Policy(max_risk=0.1), "remask": 1, "errors": [0.2],
        "remedies": False,  # of which test_remedies.py has the same
    }  # fmt: skip
    one = audits.audit(people, release.data, truth=np.arange(N), **options)
    other = audits.audit(
        people.take(mine), release.data.take(theirs), truth=back[theirs], **options
    )
    before, after = one.to_dict(), other.to_dict()
    for of_files in ("inputs", "digest"):
        assert before.pop(of_files) != after.pop(of_files)
    for scenario in (*before["scenarios"], *after["scenarios"]):
        if scenario["record_risks"] is not None:
            for row in scenario["record_risks"]["riskiest"]:
                del row["row"]
    rows, moved = ([row.pop("row") - 1 for row in found["record_risks"]["riskiest"]]
                   for found in (before, after))  # fmt: skip
    alike(before, after)
    mean = np.mean([each for name, each in one.risks.items() if name != "masked again"], axis=0)
    assert np.allclose(mean[rows], mean[mine[moved]], rtol=0, atol=1e-12)  # as risky, or the same
    for name, each in one.risks.items():
        assert np.allclose(each[mine], other.risks[name], rtol=0, atol=1e-12)


# Work.


def test_all_records_fit_the_budget_or_a_sample_does(people, release, monkeypatch):
    monkeypatch.setattr(attack_runs, "PILOT", 10)
    links = unveil.attack(people, release, attacks.Distance())
    pilot = links.sample(10).rank_of_truth.work * CELL_SECONDS
    for seconds, attacked in ((60, N), (None, N), (pilot, 10), (1.9 * pilot, 10)):
        assert len(sample_to_budget(links, WorkBudget(seconds))) == attacked
    assert len(sample_to_budget(links, WorkBudget(5.05 * pilot))) == 40  # after the pilot's ten
    assert len(sample_to_budget(links, WorkBudget(None, 17))) == 17
    matched = unveil.attack(people, release, attacks.Distance(matching="posterior"))
    assert len(sample_to_budget(matched, WorkBudget(1e-9))) == N  # a part would cost as much
    assert len(sample_to_budget(links, WorkBudget(60, N))) == N


@pytest.mark.parametrize(
    "attack",
    [
        attacks.Distance(),
        attacks.Rank(),
        attacks.Probabilistic(),
        attacks.Combined(attacks=(attacks.Distance(), attacks.Rank())),
    ],
)
def test_work_is_the_same_whatever_the_threads(attack, monkeypatch):
    original, found = made_of(1500), []
    released = unveil.mask(original, STEPS, seed=8)
    for threads in (1, 3):
        monkeypatch.setattr(engine, "cores", lambda _, n=threads: n)
        links = unveil.attack(original, released, attack, intruder=Intruder(knows=["age", "pay"]))
        found.append(links.rank_of_truth.work)
    assert found[0] == found[1] > 0


def test_no_clock_decides_anything(people, release, monkeypatch):
    """A clock that stands still, or none at all: the samples are the same."""
    monkeypatch.setattr(attack_runs, "PILOT", 12)
    small = QUICK | {"attacks": ["distance", "rank"], "seconds": 2e-5, "remask": 3}
    before = audits.audit(people, release, **small)

    def no_clock():
        raise AssertionError

    for name in ("monotonic", "perf_counter", "process_time"):
        monkeypatch.setattr(time, name, no_clock)
    assert evidence_json(audits.audit(people, release, **small).evidence) == evidence_json(
        before.evidence
    )


def test_what_takes_too_long_is_sampled_and_says_so(people, release, monkeypatch):
    monkeypatch.setattr(attack_runs, "PILOT", 12)
    quick = QUICK | {"attacks": ["distance", "rank"], "policy": Policy(max_risk=1)}
    some = audits.audit(people, release, seconds=1e-9, **quick)
    again = audits.audit(people, release, seconds=1e-9, **quick)
    assert evidence_json(some.evidence) == evidence_json(again.evidence)
    for one in some.evidence.attacks:
        assert (one.risk.n, one.risk.population, one.risk.candidates) == (12, N, N)
        assert one.risk.interval.low < one.risk.share < one.risk.interval.high
        assert one.highest == one.risk.interval.high
    limit = some.verdict.limits[0]
    assert limit.found == max(one.risk.interval.high for one in some.evidence.attacks)
    assert "the upper end is compared with the limit" in limit.reason
    assert some.evidence.households is None
    assert "drawn from 60" in plain(stress_sentence(some.evidence))
    each = some.risks["distance original-to-release"]
    assert np.isnan(each).sum() == N - 12
    exact = audits.audit(people, release, seconds=1e-9, exact=True, **quick)
    assert all(one.risk.interval is None for one in exact.evidence.attacks)
    assert np.array_equal(exact.risks["distance original-to-release"][~np.isnan(each)],
                          each[~np.isnan(each)])  # fmt: skip


def test_a_subgroup_of_which_some_were_attacked_has_an_interval(people, release, monkeypatch):
    monkeypatch.setattr(attack_runs, "PILOT", 24)
    some = audits.audit(people, release, seconds=1e-9, **QUICK)
    found = some.evidence.subgroups
    sizes = {(g.column, n): k for g in measures.subgroups(people)
             for n, k in zip(g.names, g.sizes, strict=True)}  # fmt: skip
    for one in found.groups:
        assert one.n <= one.size == sizes.get((one.column, one.group), one.size)
        if one.group != POOLED:
            assert one.interval == measures.wilson(one.share * one.n, one.n, one.size)
        assert one.small == (one.n < 10)
        assert (one.highest > one.share) == (one.n < one.size and one.share < 1)
    assert found.highest.highest == max(one.highest for one in found.groups if not one.small)
    assert [one.small for one in found.groups] == sorted(one.small for one in found.groups)


def test_the_classical_score_is_of_the_better_direction(full):
    evidence = full[0].evidence
    linked = {
        name: max(100 * one.risk.share for one in evidence.attacks if one.name == name)
        for name in ("distance", "probabilistic")
    }
    assert evidence.score == pytest.approx(
        measures.classical_score(
            100 * evidence.loss["PIL"].value,
            interval_disclosure=100 * evidence.intervals.average.by_rank[0].share,
            **linked,
        )
    )


# Odd files.


def same(people, **columns):
    """A table and itself as its release, some columns replaced."""
    data = Microdata(people.to_frame().with_columns(**columns), SCHEMA)
    return data, data


NOTHING = pl.lit(None, dtype=pl.Float64)
ODD = {
    "one record": lambda p: (p.take([0]), p.take([0])),
    "two records": lambda p: (p.take([0, 1]), p.take([0, 1])),
    "constant columns": lambda p: same(p, age=pl.lit(3), pay=pl.lit(1.5)),
    "one missing in both": lambda p: same(p, pay=NOTHING),
    "one missing in the release": lambda p: (p, same(p, pay=NOTHING)[0]),
    "one missing in the original": lambda p: (same(p, pay=NOTHING)[0], p),
    "another kind of number": lambda p: (p, same(p, age=pl.col("age") + 0.5)[0]),
    "dates": lambda p: same(p, age=pl.lit(datetime.date(1990, 1, 1)) + pl.duration(days="age")),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_files_are_audited(people, case):
    original, released = (data.take(range(min(len(data), 20))) for data in ODD[case](people))
    options = {"remask": 0, "errors": [0.5]}
    found = audits.audit(original, released, truth="row-order", **options)
    assert found.worst.risk.n == len(original)
    not_made = [one.name for one in found.evidence.left_out if "supervised" not in one.name]
    assert not_made[-1] == "position"
    assert b"NaN" not in evidence_json(found.evidence)


@pytest.mark.parametrize("columns", [["town"], ["pay"], ["town", "home"]])
def test_few_attributes(people, columns):
    nominal = [name for name in columns if name != "pay"]
    few = Microdata(people.to_frame().select(columns), Schema(quasi=columns, nominal=nominal))
    found = audits.audit(few, few, truth="row-order", errors=[0.5], worst_case=False)
    assert found.worst.risk.expected == pytest.approx(few.to_frame().n_unique())


def test_dates_can_be_known_wrongly_and_masked_again(people):
    original, _ = ODD["dates"](people)
    swapped = unveil.mask(original, [masks.RankSwapping(p=10, columns=["age"])], seed=1)
    quick = QUICK | {"attacks": ["rank"], "remask": 1, "errors": [0, 0.2]}
    found = audits.audit(original, swapped, **quick)
    assert found.evidence.knowledge.surface[0].share > 0
    assert found.evidence.remasking.n == N


def test_generalised_columns(people, tmp_path):
    recoded = unveil.mask(people, [masks.GlobalRecoding(intervals=10, columns=["age"])], seed=1)
    found = audits.audit(people, recoded, remask=1, errors=[0.2], remedies=False)
    assert found.evidence.left_out == ()
    by = {one.name: set(one.risk.attributes) for one in found.evidence.attacks}
    assert by["probabilistic"] == {"pay", "town"}  # which are values that agree or not
    assert by["compatible"] == {*KNOWS}
    assert found.evidence.remasking.shares[0] == pytest.approx(found.evidence.remasking.mean)
    assert found.evidence.population.n == N
    unveil.write(recoded.data, tmp_path / "r.csv")
    files = {"schema": SCHEMA, "truth": recoded.row_map} | QUICK
    again = audits.audit(
        people.to_frame(), tmp_path / "r.csv", release_schema=recoded.schema, **files
    )
    plain = audits.audit(people, recoded, **QUICK)
    assert [one.risk.expected for one in again.evidence.attacks] == [
        one.risk.expected for one in plain.evidence.attacks
    ]


def test_a_warning_is_given_once(people, caplog):
    original, released = ODD["constant columns"](people)
    with caplog.at_level(logging.WARNING, "unveil"):
        audits.audit(
            original, released, truth="row-order", errors=(), sweep=False, worst_case=False
        )
    said = [record.getMessage() for record in caplog.records]
    assert any("does not vary" in text for text in said)
    assert len(said) == len({*said})
    assert not logging.getLogger("unveil").filters


def test_attacks_of_one_name_are_told_apart(people, release, tmp_path):
    both = [attacks.Probabilistic(), attacks.Probabilistic(smoothing=3)]
    quick = QUICK | {"attacks": both}
    found = audits.audit(people, release, evidence=tmp_path / "kept", **quick)
    names = {one.name for one in found.evidence.attacks}
    assert names == {"probabilistic", "probabilistic-2"}
    assert len(found.risks) == 4
    plain = audits.audit(people, release, **quick)
    assert evidence_json(found.evidence) == evidence_json(plain.evidence)
    pairs = attacks.Pairs(pairs=unveil.attack(people, release, attacks.Distance()).pairs())
    scored = audits.audit(people, release, **(QUICK | {"attacks": [pairs]}))
    assert scored.worst.name == "pairs"


def test_what_is_finished_is_of_these_rows_only(people, release, tmp_path, monkeypatch):
    """Not even of the same files under another truth."""
    kept = QUICK | {"evidence": tmp_path / "kept"}

    def fail(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("unveil.measures.unchanged", fail)
        with pytest.raises(KeyboardInterrupt):
            audits.audit(people, release.data, truth=np.arange(N), **kept)
    truth, other = np.arange(N), release.data.take(np.arange(N)[::-1])
    for changed in (
        {"truth": truth[::-1]}, {"seed": 1}, {"knows": ["age"]}, {"attacks": ["distance", "rank"]},
        {"plan": release.plan}, {"release": other}, {"original": people.take(truth[::-1])},
        {"original": Microdata(people.to_frame(), Schema(quasi=[*KNOWS, "debt"]))},
    ):  # fmt: skip
        given = {"original": people, "release": release.data, "truth": truth} | kept | changed
        files = given.pop("original"), given.pop("release")
        with pytest.raises(unveil.UnveilError, match="settings, policy, seed or version"):
            audits.audit(*files, resume=True, **given)
    found = audits.audit(people, release.data, truth=np.arange(N), resume=True, **kept)
    whole = audits.audit(people, release.data, truth=np.arange(N), **QUICK)
    assert evidence_json(found.evidence) == evidence_json(whole.evidence)
    assert not (tmp_path / "kept.unfinished").exists()


# What is refused.

REFUSED = [
    ({"attacks": "rank"}, "a list of attacks"),
    ({"attacks": []}, "name at least one"),
    ({"attacks": ["rank-mean"]}, "'mean' is no value"),
    ({"attacks": ["rnak"]}, "did you mean 'rank'"),
    ({"attacks": [3]}, "not a whole number"),
    ({"attacks": ["tailored"]}, "needs the masking"),
    ({"knows": ["agee"]}, "in the original, column 'agee'"),
    ({"knows": []}, "name at least one attribute"),
    ({"rename": {"nothing": "age"}}, "in the release, column 'nothing'"),
    ({"rename": {"debt": "dept"}}, "in the original, column 'dept'"),
    ({"rename": {"debt": "age"}}, "two columns of the release would be called age"),
    ({"rename": {"debt": "age", "pay": "age"}}, "two columns would have the same name"),
    ({"truth": None}, "the true links are not known"),
    ({"truth": [-1] * N}, "no released row comes from the original"),
    ({"policy": 0.05}, "a policy is a Policy or a path, not float"),
    ({"sed": 1}, "'sed' is not a parameter"),
    ({"second": 1}, "did you mean 'seconds'"),
    ({"seconds": 0}, "seconds"),
    ({"seconds": float("inf")}, "seconds"),
    ({"seconds": float("nan")}, "seconds"),
    ({"errors": [-1]}, "errors"),
    ({"errors": [float("nan")]}, "errors"),
    ({"remask": -1}, "remask"),
    ({"memory": "much"}, "4G, 500M, or a number of bytes"),
    ({"memory": 0}, "4G"),
    ({"memory": "1.5.2G"}, "4G"),
    ({"resume": True}, "evidence"),
    ({"settings": {"plan": 3}}, "settings are AuditSettings, not dict"),
    ({"plan": 3}, "plan: not int"),
    ({"schema": SCHEMA}, "schema"),
    ({"seed": -1}, "seed"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_what_cannot_be_done_is_refused(people, release, options, said):
    given = {"truth": "row-order"} | options
    with pytest.raises(unveil.UnveilError, match=said):
        audits.audit(people, release.data, **given)


def test_a_release_knows_its_plan_names_and_truth(people, release):
    for options, said in (
        ({"plan": release.plan}, "has its own plan"),
        ({"rename": {"a": "age"}}, "has the column names of its original"),
        ({"truth": "none"}, "this Release has a row map"),
    ):
        with pytest.raises(unveil.UnveilError, match=said):
            audits.audit(people, release, **options)
    with pytest.raises(unveil.UnveilError, match="audit each"):
        audits.audit(people, unveil.Releases([release, release], key=True))


def test_files_that_do_not_fit_are_refused(people):
    frame = people.to_frame()
    retyped = frame.with_columns(pay=pl.lit("much"), pays=pl.col("pay"))
    free = Schema(quasi=KNOWS, nominal="town")
    with pytest.raises(unveil.UnveilError, match=r"pay \(numbers, now .*perhaps pays=pay"):
        audits.audit(Microdata(frame, free), Microdata(retyped, free), truth="row-order")
    with pytest.raises(unveil.UnveilError, match="no attribute has the role quasi"):
        audits.audit(Microdata(frame), Microdata(frame), truth="row-order")
    with pytest.raises(unveil.UnveilError, match="none of the quasi-identifiers"):
        audits.audit(people, frame.select("debt"), truth="row-order")
    ids = frame.with_columns(id=pl.Series(range(N)))
    keyed = Schema(quasi=KNOWS, identifier="id", nominal="town")
    strange = ids.with_columns(
        id=pl.when(pl.col("id") < 3).then(pl.col("id") + 900).otherwise("id")
    )
    with pytest.raises(
        unveil.UnveilError, match="3 released rows with identifiers that the original lacks"
    ):
        audits.audit(ids, strange, schema=keyed, truth="id")
    known = Microdata(ids, keyed)
    with pytest.raises(unveil.UnveilError, match="'id' is an identifier"):
        audits.audit(known, known, truth="id", knows=["id"])


def test_other_names_are_noticed(people, caplog):
    renamed = people.to_frame().rename({"pay": "pay2"})
    with caplog.at_level(logging.WARNING, "unveil"):
        found = audits.audit(people, renamed, truth="row-order", **QUICK)
    assert "perhaps pay2=pay" in found.evidence.notes[0]
    assert "perhaps pay2=pay" in caplog.text
    assert found.evidence.known == ("age", "town")


def test_memory_is_read_in_units():
    for text, size in (
        ("4G", 2**32), ("4 GiB", 2**32), ("500m", 500 * 2**20), ("1.5k", 1536), ("77", 77),
        (99, 99), ("1T", 2**40),
    ):  # fmt: skip
        assert AuditSettings(memory=text).bytes == size
    assert AuditSettings().bytes is None


def test_settings_are_plain_values():
    plain = AuditSettings(
        plan=unveil.Plan(STEPS, seed=1), evidence="x", format=unveil.files.Csv(), errors=(0.1,)
    ).to_dict()
    assert msgspec.json.decode(msgspec.json.encode(plain))["errors"] == list(plain["errors"])
    assert "evidence" not in plain
    assert plain["format"]["method"] == "csv"


@pytest.mark.parametrize("attack", ["distance", "tailored", "rank"])
def test_of_many_records_attributes_are_chosen_among_some(people, release, monkeypatch, attack):
    """Smaller files for the choice; all candidates when risks are estimated."""
    monkeypatch.setattr(sampled_attack, "PILOT", 10)
    monkeypatch.setattr(sampled_attack, "CANDIDATES", 40)
    rows = np.flatnonzero(np.arange(N) % 7)  # some are not released
    sampled = release.data.take(rows)
    options = QUICK | {"attacks": [attack], "sweep": True}
    told = {"plan": release.plan} if attack == "tailored" else {}
    found = audits.audit(people, sampled, truth=rows, **options, **told).evidence.knowledge
    among = len(rows) if attack == "tailored" else 40  # channels are of all rows
    assert (found.chosen_on, found.among, found.estimated_on) == (10, among, 10)
    assert found.worst.n == len(rows)
    assert found.worst.candidates in (len(rows), N)
    assert found.steps[0].interval.low < found.steps[0].interval.high
    shuffled = np.random.default_rng(2).permutation(len(rows))
    again = audits.audit(
        people, sampled.take(shuffled), truth=rows[shuffled], **options, **told
    ).evidence.knowledge
    alike(msgspec.to_builtins(found), msgspec.to_builtins(again))


def test_columns_without_a_role_break_every_policy(people, caplog):
    """Once five of six columns without a role were released unchanged, and the policy was kept."""
    frame, steps = people.to_frame(), [masks.RankSwapping(p=20, columns=["age"])]
    policy = Policy(max_risk=1)
    forgetful = Microdata(frame, Schema(quasi="age"))
    release = unveil.mask(forgetful, steps, seed=1)
    sentence = "5 columns without a role, released unchanged (pay, town, debt, weight, home)"
    assert sentence in caplog.text
    found = audits.audit(forgetful, release, policy=policy, **QUICK)
    assert not found.verdict.passed
    (broken,) = found.verdict.broken
    assert (broken.limit, broken.allowed, broken.found) == ("columns_without_a_role", 0, 5)
    assert (
        f"{sentence}: an intruder who knows the values singles out {N} of {N} records"
        in broken.reason
    )
    assert " ".join(str(found).split()).startswith(sentence)  # with a policy or without
    assert str(audits.audit(forgetful, release, **QUICK)).startswith(sentence)
    others = [name for name in people.columns if name != "age"]
    decided = Microdata(frame, Schema(quasi="age", other=others))
    found = audits.audit(decided, unveil.mask(decided, steps, seed=1), policy=policy, **QUICK)
    assert found.verdict.passed
    assert found.evidence.unchanged.without_role is None


@pytest.mark.parametrize(
    ("undeclared", "released", "words"),
    [
        ((), {"AGE": pl.col("age")}, "the release only (AGE): no attack compares the values"),
        ((), {"pay": pl.col("pay") + 1}, None),
        (("pay",), {"pay": pl.col("pay") + 1}, "released changed (pay)"),
        (
            ("pay",),
            {"pay": pl.when(pl.int_range(pl.len()) % 10 == 0).then(0).otherwise("pay")},
            "released changed (pay)",
        ),
    ],
    ids=["renamed copy", "with a role", "all shifted by one", "a tenth changed"],
)
def test_a_released_column_that_no_attack_compares_breaks_every_policy(
    people, undeclared, released, words
):
    """Each of these passed a policy, and nothing was said of the column."""
    frame = people.to_frame()
    others = [name for name in people.columns if name not in ("age", *undeclared)]
    schema = Schema(quasi="age", other=others)
    original = Microdata(frame, schema)
    changed = Microdata(frame.with_columns(**released), schema)
    policy = Policy(max_risk=1)
    found = audits.audit(original, changed, truth="row-order", policy=policy, **QUICK)
    assert found.verdict.passed is (words is None)
    if words is not None:
        (broken,) = found.verdict.broken
        assert (broken.limit, broken.found) == ("columns_without_a_role", 1)
        assert words in broken.reason
        assert words in " ".join(str(found).split())


def test_a_released_identifier_breaks_every_policy(people):
    """A policy was kept by a file with the names of its people; only a note said so."""
    frame = people.to_frame().with_columns(name=pl.int_range(pl.len()))
    others = [name for name in people.columns if name != "age"]
    named = Microdata(frame, Schema(identifier="name", quasi="age", other=others))
    policy = Policy(max_risk=1)
    found = audits.audit(named, named, truth="row-order", policy=policy, **QUICK)
    (broken,) = found.verdict.broken
    assert (broken.limit, broken.allowed, broken.found) == ("identifiers_released", 0, 1)
    assert "identifiers (name)" in broken.reason
    assert str(found).startswith("The release contains identifiers (name).")
    release = Microdata(frame.drop("name"), Schema(quasi="age", other=others))
    found = audits.audit(named, release, truth="row-order", policy=policy, **QUICK)
    assert found.verdict.passed
    assert [one.limit for one in found.verdict.limits] == ["max_risk"]
