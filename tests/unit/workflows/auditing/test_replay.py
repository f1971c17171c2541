"""An audit run again from its evidence: the same numbers from the same files, or a sentence."""

import shutil

import msgspec
import pytest

import unveil
from fixtures import audits
from fixtures import evidence as some_evidence
from unveil import Policy, Schema, masks
from unveil.files import Csv
from unveil.values.results.remedies import Remasking
from unveil.workflows.auditing import attack_runs
from unveil.workflows.auditing.replay import _differences, _sample_sizes, replay

pytestmark = pytest.mark.usefixtures("quick_learning")

SCHEMA = Schema(
    quasi=["age", "hours", "region"], confidential="rent", identifier="person", nominal="region"
)
STEPS = [masks.AdditiveNoise(scale=0.3, columns=["age", "hours"])]
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An original, a release and its row map, as files; levels that nobody declared."""
    folder = tmp_path_factory.mktemp("files")
    people = unveil.households(50, seed=4)
    columns = ["person", "age", "hours", "region", "rent"]
    data = unveil.Microdata(people.to_frame().select(columns), SCHEMA)
    release = unveil.mask(data, STEPS, seed=2)
    unveil.write(data, folder / "o.csv")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    unveil.write(release.plan, folder / "plan.toml")
    return folder


def audited(folder, **options):
    given = {"schema": SCHEMA, "truth": folder / "map.csv"} | options
    return audits.audit(folder / "o.csv", folder / "r.csv", **given).evidence


@pytest.fixture(scope="module")
def evidence(files):
    return audited(
        files, attacks=["distance", "tailored"], plan=files / "plan.toml", remask=1,
        errors=[0.2], policy=Policy(max_risk=0, k_anonymity=3),
    )  # fmt: skip


def test_the_same_files_give_the_same_numbers(evidence):
    told = []
    again = replay(evidence, progress=lambda *step: told.append(step))
    assert (again.same, again.differences, again.notes) == (True, (), ())
    assert again.numbers > 500
    assert told


def test_evidence_from_a_file_is_as_good(evidence, tmp_path):
    from unveil.files.documents.evidence import evidence_json, write_evidence

    write_evidence(evidence, tmp_path / "e.json")
    read = unveil.files.read_evidence(tmp_path / "e.json")
    assert evidence_json(read) == evidence_json(evidence)
    assert replay(read).same


def test_a_number_that_is_not_what_it_was_is_named(files):
    evidence = audited(files, **QUICK)
    worst = evidence.attacks[0]
    risk = msgspec.structs.replace(worst.risk, expected=worst.risk.expected + 1)
    findings = (msgspec.structs.replace(worst, risk=risk), *evidence.attacks[1:])
    again = replay(msgspec.structs.replace(evidence, attacks=findings, pairs=None))
    assert not again.same
    assert {(one.where, one.before, one.now) for one in again.differences} == {
        ("attacks[0].risk.expected", risk.expected, worst.risk.expected),
        ("pairs", None, 50),
    }


def test_samples_are_as_large_as_they_were(files, monkeypatch):
    """However fast this machine is."""
    with monkeypatch.context() as patch:
        patch.setattr(attack_runs, "PILOT", 10)
        slow = {"plan": files / "plan.toml", "remask": 2, "errors": (), "attacks": ["distance"]}
        evidence = audited(files, seconds=1e-9, worst_case=False, sweep=True, **slow)
    assert evidence.attacks[0].risk.n == evidence.knowledge.worst.n == 10
    assert evidence.remasking.attacked == 10
    assert 10 <= evidence.remasking.n <= 20
    assert replay(evidence).same


def test_each_step_is_of_as_many_records_as_it_was():
    """Those whose true row is not there were attacked, too."""
    found = some_evidence.evidence(
        attacks=(some_evidence.finding("rank", n=20, absent=5),),
        remasking=some_evidence.made(Remasking, attacked=7, tried=2),
    )
    assert _sample_sizes(found) == {
        "attack rank original-to-release": 25, "masking again": 7, "seeds": 2
    }  # fmt: skip


def test_what_is_there_in_one_only_is_a_difference():
    """An attack that is made no more, or only now, is not the same."""
    before = {"attacks": [{"n": 1}, {"n": 2}], "loss": {"value": 0.5, "old": 1}}
    now = {"attacks": [{"n": 1}], "loss": {"value": 0.5, "new": 2}}
    for a, b in ((before, now), (now, before)):
        found = {one.where: (one.before, one.now) for one in _differences("", a, b)}
        assert found == {
            "attacks": (a["attacks"], b["attacks"]),
            "loss.old": (a["loss"].get("old"), b["loss"].get("old")),
            "loss.new": (a["loss"].get("new"), b["loss"].get("new")),
        }
    assert not list(_differences("", before, before))


def test_what_was_asked_for_is_asked_for_again(files, tmp_path):
    """Names, dialects, a schema of the release: as they were."""
    for name in ("o", "r"):
        text = (files / f"{name}.csv").read_text().replace(",", ";")
        (tmp_path / f"{name}.csv").write_text(text.replace("age", "years") if name == "r" else text)
    evidence = audits.audit(
        tmp_path / "o.csv", tmp_path / "r.csv", schema=SCHEMA, truth=str(files / "map.csv"),
        rename={"years": "age"}, format=Csv(delimiter=";"), knows=["age", "hours"],
        release_schema=Schema(quasi=["years", "hours"]), **QUICK,
    ).evidence  # fmt: skip
    assert replay(evidence).same
    by_id = audits.audit(
        files / "o.csv", files / "o.csv", schema=SCHEMA, truth="person", **QUICK
    ).evidence
    assert sorted(by_id.inputs) == ["original", "release"]
    assert replay(by_id).same


def test_files_may_have_moved(files, tmp_path):
    for name in ("o.csv", "r.csv", "map.csv"):
        shutil.copy(files / name, tmp_path / name)
    evidence = audited(tmp_path, **QUICK)
    for name in ("o.csv", "r.csv", "map.csv"):
        (tmp_path / name).rename(tmp_path / f"new-{name}")
    with pytest.raises(unveil.UnveilError, match="the original is not here any more"):
        replay(evidence)
    new = {
        "original": tmp_path / "new-o.csv",
        "release": str(tmp_path / "new-r.csv"),
        "truth": tmp_path / "new-map.csv",
    }
    assert replay(evidence, **new).same
    with new["original"].open("a") as file:
        file.write("\n")
    with pytest.raises(unveil.UnveilError, match=r"new-o\.csv: this is not the original that"):
        replay(evidence, **new)


def test_other_versions_are_noted(files):
    evidence = audited(files, **QUICK)
    older = msgspec.structs.replace(
        evidence, version="0.0.9", software=evidence.software | {"numpy": "1.0"}
    )
    again = replay(older)
    assert again.same
    assert len(again.notes) == 2
    assert "0.0.9" in again.notes[0]
    assert "numpy" in again.notes[1]


def test_what_was_in_memory_is_replayed_from_a_file_that_is_the_same(files):
    data = unveil.read(files / "o.csv", SCHEMA)
    inside = audits.audit(data, data, truth="person", **QUICK).evidence
    with pytest.raises(unveil.UnveilError, match="a table in memory"):
        replay(inside)
    assert replay(inside, original=files / "o.csv", release=files / "o.csv").same
    with pytest.raises(unveil.UnveilError, match="its SHA-256 is another"):
        replay(inside, original=files / "o.csv", release=files / "map.csv")
    knowing = audits.audit(data, unveil.mask(data, STEPS, seed=2), **QUICK).evidence
    with pytest.raises(unveil.UnveilError, match="with its plan and its row map"):
        replay(knowing)
    by_rows = audited(files, **QUICK | {"truth": list(range(50))})
    with pytest.raises(unveil.UnveilError, match="numbers in memory"):
        replay(by_rows)
    by_id = audits.audit(files / "o.csv", files / "o.csv", schema=SCHEMA, truth="person", **QUICK)
    with pytest.raises(unveil.UnveilError, match="not told the truth by a file"):
        replay(by_id.evidence, truth=files / "map.csv")


def test_evidence_without_an_effort_is_replayed(files):
    """Its seconds were those of each attack, and learning was not limited by work."""
    few = {"plan": files / "plan.toml", "remask": 1, "errors": (0.1,), "sweep": False}
    evidence = audited(files, remedies=False, worst_case=False, **few)
    older = {**evidence.settings, "seconds": 60.0, "worst_case": True}
    del older["effort"]
    assert replay(msgspec.structs.replace(evidence, settings=older)).same
