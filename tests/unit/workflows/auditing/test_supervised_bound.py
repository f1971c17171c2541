"""The worst case of an audit: no attack, the same again, and left out where it takes long."""

import msgspec
import pytest

import unveil
from fixtures import audits
from fixtures import evidence as some_evidence
from fixtures.command_line import learning_little
from unveil import attacks, masks
from unveil.errors import DataError
from unveil.files.documents.evidence import evidence_json, write_evidence
from unveil.values.results.evidence import OLDEST_FORMAT
from unveil.values.results.supervised_bound import HeldOut, SupervisedBound
from unveil.workflows.auditing import supervised_bound
from unveil.workflows.auditing.attack_names import attack_from
from unveil.workflows.auditing.checkpoints import Checkpoints
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.replay import replay
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.auditing.settings import AuditSettings

N, KNOWS = 40, ("age", "hours", "rent")
pytestmark = pytest.mark.usefixtures("quick_learning")

MODELS, WAYS = ("weights", "choquet", "bilinear"), ("original-to-release", "release-to-original")
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An original, a release and its row map, as files."""
    folder = tmp_path_factory.mktemp("files")
    sample = unveil.households(N, seed=4)
    schema = unveil.Schema(quasi=KNOWS)
    people = unveil.Microdata(sample.to_frame().select(KNOWS), schema)
    noise = masks.AdditiveNoise(scale=0.5, columns=KNOWS)
    release = unveil.mask(people, [noise], seed=2)
    unveil.write(people, folder / "o.csv")
    unveil.write(schema, folder / "s.toml")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    return folder


def audited(folder, **options):
    given = {"schema": folder / "s.toml", "truth": folder / "map.csv"} | QUICK | options
    return audits.audit(folder / "o.csv", folder / "r.csv", **given).evidence


@pytest.fixture(scope="module")
def evidence(files):
    with learning_little():
        return audited(files)


def found_of(people, knows, case_work=60.0, **settings):
    case = read_inputs(people, people, None, "person", AuditSettings(knows=knows, **settings), 1)
    runs, plan = supervised_bound.supervised_runs(case)[0], WorkPlan(case_work)
    plan.learn(runs, case.pair, requested=False)
    learnt, left_out = supervised_bound.supervised_bounds(case, plan, Checkpoints(plan.expected))
    return learnt, (*left_out, *plan.left_out)


def test_each_family_is_learnt_in_both_directions(evidence):
    assert {(one.model, one.direction) for one in evidence.worst_cases} == {
        (model, way) for model in MODELS for way in WAYS
    }
    assert len(evidence.worst_cases) == len(MODELS) * len(WAYS)
    shares = [one.share for one in evidence.worst_cases]
    assert shares == sorted(shares, reverse=True)
    for one in evidence.worst_cases:
        assert one.n == N
        assert one.share == one.expected / N
        assert one.linked <= one.bound <= N
        assert one.held_out.splits == 1
        assert set(one.importance) == set(KNOWS)


def test_it_is_what_the_attack_finds_alone(files, evidence):
    """With as many steps, and no clock."""
    people = unveil.read(files / "o.csv", schema=files / "s.toml")
    release = unveil.read(files / "r.csv", schema=files / "s.toml")
    spec = attacks.Supervised(
        model="bilinear", budget=None, steps=supervised_bound.PROGRAMS["bilinear"], splits=1
    )
    intruder = unveil.Intruder(knows=KNOWS, direction=WAYS[1])
    links = unveil.attack(people, release, spec, intruder=intruder, truth=files / "map.csv")
    told = msgspec.convert(links.finder.details["learnt"], SupervisedBound)
    assert told in evidence.worst_cases


def test_it_is_no_attack(files, evidence):
    """Neither the headline nor the verdict, the ranking or the subgroups know of it."""
    without = audited(files, worst_case=False)
    assert without.worst_cases == ()
    own = {"worst_cases": (), "settings": without.settings, "digest": without.digest}
    assert evidence_json(msgspec.structs.replace(evidence, **own)) == evidence_json(without)


def test_evidence_makes_the_round_trip_and_the_replay(evidence, files, tmp_path):
    write_evidence(evidence, tmp_path / "e.json")
    read = unveil.files.read_evidence(tmp_path / "e.json")
    assert read.worst_cases == evidence.worst_cases
    assert evidence_json(read) == evidence_json(evidence)
    changed = msgspec.structs.replace(evidence.worst_cases[0], plain=-1.0)
    other = msgspec.structs.replace(read, worst_cases=(changed, *read.worst_cases[1:]))
    again = replay(other, folder=files)
    assert again.numbers > 300
    assert [one.where for one in again.differences] == ["worst_cases[0].plain"]


def test_older_evidence_is_read_and_replayed(files, tmp_path):
    """Neither the field nor the setting was there."""
    plain = msgspec.json.decode(evidence_json(audited(files, worst_case=False)))
    del plain["worst_cases"], plain["settings"]["worst_case"], plain["digest"]
    plain["format"] = OLDEST_FORMAT
    (tmp_path / "old.json").write_bytes(msgspec.json.encode(plain))
    old = unveil.files.read_evidence(tmp_path / "old.json")
    assert old.worst_cases == ()
    assert replay(old, folder=files).same


def test_a_measure_of_many_attributes_is_left_out(monkeypatch):
    """Its sets double with each attribute; weights have no such limit."""
    people = unveil.households(30, seed=1)
    knows = (*people.schema.with_role("quasi"), "tax", "savings")

    def learnt_by(task, *_):
        return some_evidence.made(SupervisedBound, model=task.spec.model)

    monkeypatch.setattr(supervised_bound, "_bound", learnt_by)
    learnt, left_out = found_of(people, knows)
    assert len(knows) == 11
    assert {one.model for one in learnt} == {"weights", "bilinear"}
    assert {(one.name, one.direction) for one in left_out} == {
        ("supervised-choquet", way) for way in WAYS
    }
    assert left_out[0].reason == (
        "11 attributes have too many subsets to learn a weight for each; at most 10 are supported "
        "(--knows)"
    )
    assert found_of(people, knows[:10])[1] == ()


@pytest.mark.parametrize(("many", "some"), [(6, True), (7, False)])
def test_of_large_measures_nothing_is_proven(many, some):
    programs = supervised_bound.PROGRAMS["choquet"] if some else 0
    assert supervised_bound._spec("choquet", many).steps == programs
    bilinear = supervised_bound._spec("bilinear", many).steps
    assert bilinear == supervised_bound.PROGRAMS["bilinear"] > 0
    assert {supervised_bound._spec(model, many).budget for model in MODELS} == {None}


def test_without_work_for_it_it_is_left_out_with_its_price():
    learnt, left_out = found_of(unveil.households(N), KNOWS, case_work=1e-3)
    assert learnt == ()
    names = {"supervised", "supervised-choquet", "supervised-bilinear"}
    assert {one.name for one in left_out} == names
    for one in left_out:
        assert one.reason == "it takes about 1 second; --effort thorough includes it"
        assert attack_from(one.name).model in MODELS


def test_what_cannot_be_learnt_is_told_and_the_audit_goes_on(files, monkeypatch):
    def refused(*_):
        raise DataError("nobody can be compared")

    monkeypatch.setattr(supervised_bound, "_bound", refused)
    found = audited(files)
    assert found.worst_cases == ()
    assert {one.reason for one in found.left_out} == {"nobody can be compared"}
    assert len(found.left_out) == len(MODELS) * len(WAYS)


def test_nobody_is_looked_for_where_rows_are_nobodys(files):
    found = audited(files, truth="none", attacks=None)
    assert (found.worst_cases, found.left_out) == ((), ())


def test_ctrl_c_ends_the_audit():
    """What was learnt until then is no evidence: a replay would not find it."""
    stopped = some_evidence.made(
        SupervisedBound, ended="stopped", held_out=some_evidence.made(HeldOut)
    )
    told = {"learnt": msgspec.to_builtins(stopped)}

    class Scenario:
        def links(self, *_):
            return type("Links", (), {"finder": type("Finder", (), {"details": told})})

    run = type("Run", (), {"spec": None, "intruder": None})
    with pytest.raises(KeyboardInterrupt):
        supervised_bound._bound(run, Scenario(), None)
