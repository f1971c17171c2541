"""What would help: masks tried on a release do what they do when they are carried out."""

import datetime
import logging

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from fixtures import evidence as some_evidence
from unveil import Intruder, Microdata, Policy, Schema, attacks, masks
from unveil.files.documents.evidence import evidence_json
from unveil.files.documents.toml import plan_from
from unveil.measures import hits, loss
from unveil.values.file_pair import FilePair
from unveil.workflows.auditing import sampled_attack
from unveil.workflows.auditing.remedies import proposals
from unveil.workflows.auditing.remedies import search as module
from unveil.workflows.auditing.remedies.proposals import proposed_remedies
from unveil.workflows.auditing.remedies.search import least_strength

N, KNOWS = 100, ("age", "pay", "school", "town")
QUICK = {"attacks": ["distance"], "errors": (), "remask": 0, "seed": 3, "worst_case": False}
SCHEMA = Schema(
    quasi=KNOWS, numeric=["age", "pay"], ordinal={"school": ["low", "mid", "high"]}, nominal="town"
)


def made_of(n=N, **columns):
    rng = np.random.default_rng(5)
    own = {
        "age": rng.integers(20, 60, n),
        "pay": rng.normal(size=n).round(2),
        "school": rng.choice(["low", "mid", "high"], n),
        "town": rng.choice(list("vwxyz"), n),
    }
    return Microdata(pl.DataFrame(own | columns), SCHEMA)


@pytest.fixture(scope="module")
def people():
    return made_of()


@pytest.fixture(scope="module")
def release(people):
    return unveil.mask(people, [masks.AdditiveNoise(scale=0.1, columns=["age", "pay"])], seed=8)


@pytest.fixture(scope="module")
def evidence(people, release):
    return audits.audit(people, release.data, truth=np.arange(N), **QUICK).evidence


def tried(original, released, **options):
    """What would help; the loss of the release itself is not looked at."""
    given = {"truth": np.arange(len(original)), "sweep": False} | QUICK | options
    loss = some_evidence.some_loss()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.measures.loss", lambda *_, **__: loss)
        return audits.audit(original, released, **given).evidence.remedies


@pytest.fixture
def _free(monkeypatch):
    """What is lost takes longest, and is not looked at."""
    monkeypatch.setattr(module.RemedyTrial, "losses", lambda *_: lambda _: None)


@pytest.mark.slow
def test_every_remedy_lowers_what_is_linked(evidence):
    found = evidence.remedies
    assert (found.n, found.among) == (N // 2, N)
    assert found.share == evidence.attribute_risks.share > 0.8
    assert found.loss == pytest.approx(evidence.loss.overall.value, abs=1e-12)
    assert (found.target, found.limit) == (found.share / 2, False)
    assert all(one.share < found.share for one in found.tried)
    holding = [one for one in found.tried if one.holds]
    assert holding == sorted(found.tried[: len(holding)], key=lambda one: one.loss) != []
    assert all(one.interval.high <= found.target for one in holding)
    assert all(found.loss <= one.loss <= 1 for one in holding)
    assert all(one.loss is None for one in found.tried[len(holding) :])
    riskiest = evidence.attribute_risks.without[0].attribute
    assert {one.does.split()[0] for one in found.tried} == {
        "leave",
        "microaggregate",
        "permute",
        "change",
    }
    assert f"leave out {riskiest}" in {one.does for one in found.tried}
    assert [one.knows_remedy for one in found.tried if one.plan] == [False] * 4
    gone = next(one for one in found.tried if not one.plan)
    assert gone.columns == (evidence.attribute_risks.without[0].attribute,)
    assert gone.share == evidence.attribute_risks.without[0].share


def test_a_plan_can_be_carried_out_and_does_what_is_said(people, release, evidence):
    """Other random numbers, about the same risk and loss."""
    every = Intruder(knows=KNOWS, direction=evidence.remedies.direction)
    for one in evidence.remedies.tried:
        if not one.plan:
            continue
        plan = plan_from({"seed": 9, "mask": [*one.plan]})
        assert sorted(one.columns) == sorted(c for mask in plan.masks for c in mask.columns)
        again = unveil.mask(release.data, plan).data
        links = unveil.attack(people, again, attacks.Distance(), intruder=every, truth=np.arange(N))
        assert hits(links).mean() == pytest.approx(one.share, abs=0.15)
        if one.loss is not None:
            lost = loss(FilePair.of(people, again, np.arange(N)), seed=3).overall.value
            assert lost == pytest.approx(one.loss, abs=0.1)


@pytest.mark.slow
def test_the_order_of_rows_means_nothing(people, release, evidence):
    rng = np.random.default_rng(1)
    mine, theirs = rng.permutation(N), rng.permutation(N)
    one = evidence.remedies
    truth = np.argsort(mine)[theirs]
    other = tried(people.take(mine), release.data.take(theirs), truth=truth, sweep=True)
    for a, b in zip((one, *one.tried), (other, *other.tried), strict=True):
        for name in a.__struct_fields__:
            if name == "loss":
                assert a.loss == pytest.approx(b.loss, abs=1e-12)
            elif name != "tried":
                assert getattr(a, name) == getattr(b, name)


@pytest.mark.usefixtures("_free")
def test_of_many_records_some_are_masked(people, release, monkeypatch):
    rows = np.flatnonzero(np.arange(N) % 7)  # some are not released, and some rows are nobody's
    more = np.concatenate([rows, [0, 7]])
    truth = np.concatenate([rows, [-1, -1]])
    whole = tried(people, release.data.take(more), truth=truth)
    assert whole.among in (N, len(more))
    assert whole.tried[0].share < whole.share
    monkeypatch.setattr(sampled_attack, "CANDIDATES", 70)
    assert tried(people, release.data.take(more), truth=truth).among == 70


@pytest.mark.usefixtures("_free")
def test_generalised_columns_are_left_alone(people):
    recoded = unveil.mask(people, [masks.GlobalRecoding(intervals=10, columns=["age"])], seed=1)
    for one in tried(people, recoded.data).tried:
        assert one.plan
        assert "age" not in one.columns
    closed = masks.GlobalRecoding(intervals=10, columns=["age", "pay"])
    closed = unveil.mask(people, [closed], seed=1).data
    assert tried(people, closed, knows=["age", "pay"]) is None
    gone = tried(people, closed, knows=["age", "pay"], sweep=True)
    assert [one.plan for one in gone.tried] == [()]


@pytest.mark.usefixtures("_free")
def test_only_what_an_attack_compares_is_masked(people, release):
    """Ranks are of numbers and orders: to change towns would not help against them."""
    found = tried(people, release.data, attacks=["rank"], knows=["age", "pay", "town"])
    methods = {mask["method"] for one in found.tried for mask in one.plan}
    assert methods == {"microaggregation", "rank-permutation"}


def test_what_cannot_be_masked_is_left_out():
    """A constant, one that is missing, one with as many categories as records; few records."""
    nothing = pl.Series([None] * N, dtype=pl.Float64)
    data = made_of(age=pl.Series([3] * N), pay=nothing, town=[str(i) for i in range(N)])
    names = proposed_remedies(data, KNOWS, compared=KNOWS, riskiest=None)
    assert {one[0].columns for one in names} == {
        ("school",),
        ("school", "town"),
        ("school", "town"),
    }
    few = proposed_remedies(made_of(4), KNOWS, compared=KNOWS, riskiest="age")
    assert [one[0].description.split()[0] for one in few] == [
        *("leave", "permute", "change", "permute")
    ]
    assert proposed_remedies(data, ["age", "pay"], compared=KNOWS, riskiest=None) == []


def test_too_many_categories_are_not_changed(monkeypatch, people):
    monkeypatch.setattr(proposals, "PRAM_CATEGORIES", 4)
    drawn = proposed_remedies(people, KNOWS, compared=KNOWS, riskiest=None)
    assert not any("town" in one[0].columns for one in drawn)


def test_many_columns_are_not_all_named():
    names = [f"c{i}" for i in range(12)]
    wide = Microdata(pl.DataFrame({name: range(20) for name in names}), Schema(quasi=names))
    found = proposed_remedies(wide, names, compared=names, riskiest=None)[0]
    assert [one.description[-30:] for one in found] == [
        f" c6, c7 and 4 more in groups of {k}"[-30:] for k in (3, 5)
    ]
    assert found[0].columns == tuple(names)


@pytest.mark.parametrize("n", range(1, 8))
def test_bisection_finds_the_least_strength(n):
    for least in range(n + 1):
        tried = []
        found = least_strength(n, lambda place: tried.append(place) or place >= least)  # noqa: B023
        assert found == min(least, n - 1)
        assert found in tried
        assert len(tried) == len({*tried}) <= 3


def test_what_bisection_finds_holds_though_the_risk_goes_up_and_down():
    for bits in range(2**6):
        holds = [bool(bits >> place & 1) for place in range(6)]
        assert holds[least_strength(6, holds.__getitem__)] or not holds[5]


def with_shares(monkeypatch, share, more=0.0):
    """Remedies whose share is a function of the masks; the strongest attacks link so much more."""
    whole = module.RemedyTrial.attempt

    def attempt(trial, strength, *, strongest=None):
        found = whole(trial, strength)
        linked = share(strength.masks) + (more if strongest is not None else 0)
        return found._replace(linked=sampled_attack.SampledShare(linked, None))

    monkeypatch.setattr(module.RemedyTrial, "attempt", attempt)


@pytest.mark.usefixtures("_free")
def test_a_remedy_is_as_strong_as_the_limit_demands(people, release, monkeypatch):
    limit = {"policy": Policy(max_risk=0.3), "knows": ["age", "pay"]}
    with_shares(monkeypatch, lambda made: 0.8 - made[0].k / 40 if made else 0.8)
    monkeypatch.setattr(proposals, "PERMUTATION", proposals.PERMUTATION._replace(levels=()))
    monkeypatch.setattr(
        proposals, "GROUPING", proposals.GROUPING._replace(strengths=(3, 5, 20, 25))
    )
    found = tried(people, release.data, **limit)
    assert (found.target, found.limit) == (0.3, True)
    assert [(one.does, one.holds) for one in found.tried] == [
        ("microaggregate age and pay in groups of 25", True)
    ]
    stress, other = ({"name": name, "max_linked": 0.3} for name in ("stress test", "register"))
    tighter = Policy(max_risk=0.4, intruder=[stress, other])
    tightest = tried(people, release.data, **limit | {"policy": tighter})
    assert (tightest.target, tightest.tried) == (0.3, found.tried)
    assert (tightest.not_searched, found.not_searched) == (("register: max_linked",), ())
    kept = tried(people, release.data, **limit | {"policy": Policy(max_risk=0.8)})
    assert (kept.target, kept.limit) == (0.4, False)  # a limit that is kept demands nothing
    assert kept.tried[0].does.endswith("groups of 20")


@pytest.mark.usefixtures("_free")
@pytest.mark.parametrize(
    ("more", "k", "holds", "n"),
    [(0.0, 10, True, 3), (0.1, 15, True, 3), (0.2, 20, True, 4), (0.5, 20, False, 4)],
)
def test_the_strongest_attacks_decide_on_the_strength(
    people, release, monkeypatch, more, k, holds, n
):
    """A remedy is reported as keeping a limit only if these link no more, either."""
    with_shares(monkeypatch, lambda made: 0.6 - made[0].k / 40 if made else 0.8, more)
    monkeypatch.setattr(proposals, "PERMUTATION", proposals.PERMUTATION._replace(levels=()))
    strengths = (3, 5, 10, 15, 20, 25)
    monkeypatch.setattr(proposals, "GROUPING", proposals.GROUPING._replace(strengths=strengths))
    found = tried(people, release.data, policy=Policy(max_risk=0.35), knows=["age", "pay"])
    (one,) = found.tried
    assert (one.plan[0]["k"], one.holds, one.tried) == (k, holds, n)
    assert one.share == pytest.approx(0.6 - k / 40 + more)


@pytest.mark.usefixtures("_free")
def test_a_matching_of_the_audit_is_made_on_remedies():
    """One-to-one it links more; where it takes too long, it is named."""
    cells = np.random.default_rng(2).normal(size=(4, 150))
    names = [f"c{j}" for j in range(4)]
    wide = Microdata(pl.DataFrame(dict(zip(names, cells, strict=True))), Schema(quasi=names))
    noisy = unveil.mask(wide, [masks.AdditiveNoise(scale=0.3)], seed=1).data
    both = [attacks.Distance(), attacks.Distance(matching="one-to-one")]
    found = tried(wide, noisy, attacks=both)
    assert found.attack == "distance-one-to-one"
    assert (found.share, found.too_dear) > (tried(wide, noisy).share, ())
    assert "distance-one-to-one" in {one.attack for one in found.tried}
    short = tried(wide, noisy, attacks=both, remedies=True, seconds=0.1)
    assert (short.attack, short.too_dear) == ("distance", ("distance-one-to-one",))


@pytest.mark.usefixtures("_free")
def test_matchings_are_made_both_ways_until_one_links_too_many(people, release, monkeypatch):
    made = []
    share = sampled_attack.SampledAttack.share

    def counted(attack, known):
        if attack.run.spec.matching != "nearest":
            made.append(attack.run.intruder.direction)
        return share(attack, known)

    monkeypatch.setattr(sampled_attack.SampledAttack, "share", counted)
    monkeypatch.setattr(module, "proposed_remedies", lambda *_, **__: [])
    both = [attacks.Distance(), attacks.Distance(matching="one-to-one")]
    tried(people, release.data, attacks=both, knows=["age", "pay"])
    assert sorted(made) == ["original-to-release", "release-to-original"]
    made.clear()
    whole = module.RemedyTrial.attempt
    monkeypatch.setattr(
        module.RemedyTrial,
        "attempt",
        lambda trial, strength, **_: whole(trial, strength, strongest=0.0),
    )
    tried(people, release.data, attacks=both, knows=["age", "pay"])
    assert made == []  # the blind attack on single records already links more than 0


@pytest.mark.usefixtures("_free")
def test_a_remedy_without_a_formula_is_attacked_by_simulation(monkeypatch):
    """Noise, then a permutation: its law links more than the noise that looks alike."""
    far = proposals.PERMUTATION._replace(strengths=(40,))
    monkeypatch.setattr(proposals, "PERMUTATION", far)
    monkeypatch.setattr(proposals, "GROUPING", proposals.GROUPING._replace(levels=()))
    cells = np.random.default_rng(2).lognormal(size=(10, 200))
    names = [f"c{j}" for j in range(10)]
    wide = Microdata(pl.DataFrame(dict(zip(names, cells, strict=True))), Schema(quasi=names))
    noisy = unveil.mask(wide, [masks.AdditiveNoise(scale=0.1)], seed=1)
    (one,) = tried(wide, noisy, truth=None).tried
    assert (one.attack, one.knows_remedy) == ("simulated", True)


@pytest.mark.usefixtures("_free")
def test_a_limit_that_no_strength_keeps(people, release, monkeypatch):
    with_shares(monkeypatch, lambda made: 0.5 if made and hasattr(made[0], "k") else 0.6)
    found = tried(people, release.data, policy=Policy(max_risk=0.05), knows=["age", "pay"])
    assert [(one.does, one.share, one.holds, one.tried) for one in found.tried] == [
        ("microaggregate age and pay in groups of 20", 0.5, False, 2),
        ("permute age and pay within 100 % of the ranks", 0.6, False, 2),  # without effect
    ]


@pytest.mark.usefixtures("_free")
def test_impossible_strengths_are_passed_over(people, release, monkeypatch):
    """What leaves nothing to compare is too strong: a weaker one is sought."""
    whole = module.RemedyTrial.attempt

    def attempt(trial, strength, **options):
        strong = strength.masks and strength.masks[0].k > 3
        return None if strong else whole(trial, strength, **options)

    monkeypatch.setattr(module.RemedyTrial, "attempt", attempt)
    monkeypatch.setattr(proposals, "PERMUTATION", proposals.PERMUTATION._replace(levels=()))
    found = tried(people, release.data, policy=Policy(max_risk=0.01), knows=["age", "pay"])
    assert [(one.does[-1], one.holds, one.tried) for one in found.tried] == [("3", False, 1)]
    monkeypatch.setattr(proposals, "GROUPING", proposals.GROUPING._replace(strengths=(5, 10)))
    assert tried(people, release.data, knows=["age", "pay"]) is None


@pytest.mark.usefixtures("_free")
def test_a_remedy_is_attacked_by_somebody_who_knows_it(monkeypatch):
    """Swapped ranks look safe to distances, and tell much to who knows the window."""

    def swap(names, p):
        return masks.RankSwapping(p=p, columns=names)

    swapped = proposals.PERMUTATION._replace(mask=swap, levels=("numeric",), strengths=(30,))
    monkeypatch.setattr(proposals, "PERMUTATION", swapped)
    monkeypatch.setattr(proposals, "GROUPING", proposals.GROUPING._replace(levels=()))
    cells = np.random.default_rng(2).normal(size=(12, 200))
    names = [f"c{j}" for j in range(12)]
    wide = Microdata(pl.DataFrame(dict(zip(names, cells, strict=True))), Schema(quasi=names))
    plan = [masks.Rounding(base=0.001, columns=names)]
    told = unveil.mask(wide, plan, seed=1)
    (blind,) = tried(wide, told.data).tried
    (aware,) = tried(wide, told, truth=None).tried
    assert blind.does == aware.does
    assert (blind.attack, blind.knows_remedy) == ("distance", False)
    assert (aware.attack, aware.knows_remedy) == ("tailored", True)
    assert aware.share > blind.share + 0.3


@pytest.mark.usefixtures("_free")
def test_masks_without_a_formula_are_simulated_with_the_remedy(people, monkeypatch):
    """A permutation of what was permuted: the same plan, told as a file, tells as much."""
    permuted = unveil.mask(people, [masks.RankPermutation(p=5, columns=["age", "pay"])], seed=1)
    monkeypatch.setattr(proposals, "GROUPING", proposals.GROUPING._replace(levels=()))
    one = tried(people, permuted, truth=None, knows=["age", "pay"])
    assert [remedy.knows_remedy for remedy in one.tried] == [True]
    again = tried(people, permuted.data, plan=permuted.plan, knows=["age", "pay"])
    assert [remedy.knows_remedy for remedy in again.tried] == [True]
    assert again.tried[0].share == pytest.approx(one.tried[0].share, abs=0.1)


@pytest.mark.usefixtures("_free")
def test_where_a_method_aware_attack_is_impossible_the_blind_one_decides(
    people, release, monkeypatch
):
    def refuse(*_, **__):
        raise unveil.UnveilError("no")

    monkeypatch.setattr(attacks.Tailored, "search", refuse)
    found = tried(people, release, truth=None)
    assert {one.attack for one in found.tried} == {"distance"}
    assert not any(one.knows_remedy for one in found.tried)


@pytest.mark.usefixtures("_free")
def test_dates_and_gaps():
    dates = [None if i % 5 == 0 else datetime.date(1990, 1, 1 + i % 28) for i in range(N)]
    data = made_of(age=pl.Series(dates))
    found = tried(data, data)
    assert len(found.tried) == 4
    assert found.tried[0].share < found.share


@pytest.mark.usefixtures("_free")
def test_it_needs_pairs_and_an_attack_that_knows_no_mask(people, release):
    options = {"errors": (), "remask": 0, "sweep": False, "worst_case": False}
    assert tried(people, release.data, remedies=False) is None
    made_up = unveil.mask(people, [masks.Synthesis()], seed=1)
    assert audits.audit(people, made_up, **options).evidence.remedies is None
    knowing = audits.audit(people, release, attacks=["tailored"], **options)
    assert knowing.evidence.remedies is None


@pytest.mark.usefixtures("_free")
def test_nobody_is_warned_of_what_is_only_tried(caplog):
    """Twelve records make one group, in which nothing varies."""
    few = made_of(12)
    with caplog.at_level(logging.WARNING, "unveil"):
        found = tried(few, few)
    assert not caplog.records
    assert any(one.plan[0]["method"] == "microaggregation" for one in found.tried)
    assert not logging.getLogger("unveil").filters


@pytest.mark.slow
def test_the_same_after_a_kill(people, release, evidence, tmp_path, monkeypatch):
    options = QUICK | {"truth": np.arange(N), "evidence": tmp_path / "kept"}

    def fail(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("unveil.measures.unchanged", fail)
        with pytest.raises(KeyboardInterrupt):
            audits.audit(people, release.data, **options)
    monkeypatch.setattr("unveil.workflows.audit.remedies", fail)  # done already
    monkeypatch.setattr("unveil.workflows.audit.attribute_risks", fail)
    resumed = audits.audit(people, release.data, resume=True, **options).evidence
    assert evidence_json(resumed) == evidence_json(evidence)
    read = unveil.files.read_evidence(tmp_path / "kept")
    assert (read.remedies, read.attribute_risks) == (evidence.remedies, evidence.attribute_risks)
