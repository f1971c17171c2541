"""What a steward should be told who trusts an audit, and what must not be trusted."""

import json
import os

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil.errors import DataError, FileError, UsageError
from unveil.files.checkpoints import CheckpointFolder
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.workflows.auditing.replay import replay

pytestmark = pytest.mark.usefixtures("few_trees")

N = 60
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip
SCHEMA = Schema(identifier="id", quasi=["age", "pay"], confidential="ill", nominal="ill")


def table(**columns):
    rng = np.random.default_rng(1)
    own = {
        "id": np.arange(N),
        "age": rng.integers(20, 70, N),
        "pay": rng.normal(size=N).round(3),
        "ill": rng.choice(["a", "b", "c"], N),
    }
    frame = pl.DataFrame(own | columns)
    return Microdata(frame, SCHEMA.where_there())


def notes(release, truth=None, **more):
    found = audits.audit(
        table(), release, truth=np.arange(N) if truth is None else truth, **QUICK, **more
    )
    return found.evidence.notes


def test_an_identifier_in_the_release_is_told_and_breaks_the_limit():
    whole, without = table(), table().select(["age", "pay", "ill"])
    limits = unveil.Policy(may_stay_unchanged=("age", "pay", "ill"))
    for release, kept in ((whole, False), (without, True)):
        found = audits.audit(table(), release, truth=np.arange(N), policy=limits, **QUICK)
        assert found.verdict.passed is kept
        assert ("The release contains identifiers (id)." in str(found)) is not kept
        assert found.evidence.identifiers == (() if kept else ("id",))


def test_a_truth_of_other_files_is_doubted():
    release = table().select(["age", "pay", "ill"])
    rows = np.random.default_rng(5).permutation(N)
    assert any("unrelated to the originals" in note for note in notes(release, truth=rows))
    assert not notes(release)


def test_columns_and_rows_that_are_not_there_are_told():
    release = table().select(["age", "ill"])
    assert notes(release) == ("the release lacks pay; no loss measure counts this",)
    rows = np.where(np.arange(N) < 10, -1, np.arange(N))
    assert any(
        "10 released rows of 60 have no original record" in note
        for note in notes(release, truth=rows)
    )
    new = Schema({"z": {"role": "quasi"}} | {n: SCHEMA[n] for n in ("age", "pay", "ill")})
    more = Microdata(table().to_frame().drop("id").with_columns(z=pl.lit(1)), new)
    assert any(note.startswith("z: quasi-identifiers of the release only") for note in notes(more))


def test_nearly_unchanged_is_said():
    age = table().column("age").to_list()
    age[0] += 1
    limits = unveil.Policy(may_stay_unchanged=("pay", "ill"))
    release = table(age=age).select(["age", "pay", "ill"])
    found = audits.audit(table(), release, truth=np.arange(N), policy=limits, **QUICK)
    assert "nearly so: age (98.3 %)" in found.verdict.limits[0].reason


def test_likelihoods_confirm_too():
    """Somebody whose posterior leaves no doubt will claim the link."""
    limits, quick = unveil.Policy(max_confirmed=0.01), QUICK | {"attacks": ["distance-posterior"]}
    release = table().select(["age", "pay"])
    found = audits.audit(table(), release, truth=np.arange(N), policy=limits, **quick)
    assert not found.verdict.passed
    assert found.worst.claims.right > 0.9 * N


def test_uniques_are_of_all_quasi_identifiers_whatever_is_known():
    limits = unveil.Policy(k_anonymity=2)
    release = table(age=[30, 40] * 30).select(["age", "pay", "ill"])
    found = audits.audit(
        table(), release, truth=np.arange(N), policy=limits, knows=["age"], **QUICK
    )
    assert found.evidence.uniqueness.release.columns == ("age", "pay")
    assert found.verdict.limits[0].keys == ("pay",)  # ages were perturbed
    assert not found.verdict.passed


def test_a_bad_weight_is_noted_and_ends_nothing():
    schema = Schema({name: SCHEMA[name] for name in SCHEMA} | {"w": {"role": "weight"}})
    frame = table().to_frame().with_columns(w=pl.Series([0.0] + [5.0] * (N - 1)))
    people = Microdata(frame, schema)
    found = audits.audit(
        people, people.select(["age", "pay", "ill", "w"]), truth=np.arange(N), **QUICK
    )
    assert found.evidence.population is None
    assert any("population is not measured" in note for note in found.evidence.notes)


def test_outputs_are_not_written_over_inputs(tmp_path):
    unveil.write(table(), tmp_path / "o.csv")
    unveil.write(table().select(["age", "pay"]), tmp_path / "r.csv")
    quick = QUICK | {"schema": SCHEMA, "truth": "row-order", "force": True}
    before = (tmp_path / "o.csv").read_bytes()
    for more in (
        {"evidence": tmp_path / "o.csv"},
        {"per_record": tmp_path / "r.csv"},
        {"evidence": tmp_path / "x.csv", "per_record": tmp_path / "x.csv"},
    ):
        with pytest.raises(UsageError, match=r"is an input|two outputs"):
            audits.audit(tmp_path / "o.csv", tmp_path / "r.csv", **quick, **more)
    assert (tmp_path / "o.csv").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv", "r.csv"]


@pytest.mark.parametrize("spoil", ["text", "numbers", "swapped", "empty"])
def test_finished_steps_that_were_changed_are_not_taken(tmp_path, spoil):
    kept = CheckpointFolder(tmp_path / "u", "job", resume=False)
    kept.keep("one", {"share": 0.5}, np.ones(3))
    kept.keep("two", {"share": 0.25}, np.zeros(3))
    value, each = CheckpointFolder(tmp_path / "u", "job", resume=True).find("one", dict)
    assert value == {"share": 0.5}
    assert each.tolist() == [1, 1, 1]
    one, two = tmp_path / "u" / "one.json", tmp_path / "u" / "two.json"
    if spoil == "text":
        one.write_bytes(one.read_bytes().replace(b"0.5", b"0.1"))
    elif spoil == "numbers":
        np.save(tmp_path / "u" / "one.npy", np.zeros(3))
    elif spoil == "swapped":
        one.write_bytes(two.read_bytes())
    else:
        (tmp_path / "u" / "one.npy").write_bytes(b"")
    with pytest.raises(FileError, match="the unfinished audit was changed"):
        CheckpointFolder(tmp_path / "u", "job", resume=True).find("one", dict)


def test_two_audits_do_not_write_one_evidence(tmp_path):
    CheckpointFolder(tmp_path / "u", "job", resume=False)
    (tmp_path / "u" / "job").write_text(f"job {os.getppid()}")
    for resume in (True, False):
        with pytest.raises(UsageError, match="another audit"):
            CheckpointFolder(tmp_path / "u", "job", resume=resume)
    (tmp_path / "u" / "job").write_text("job 999999999")  # which ended
    CheckpointFolder(tmp_path / "u", "job", resume=True)


def test_a_replay_writes_nothing_whatever_its_evidence_says(tmp_path):
    unveil.write(table(), tmp_path / "o.csv")
    unveil.write(table().select(["age", "pay"]), tmp_path / "r.csv")
    found = audits.audit(
        tmp_path / "o.csv", tmp_path / "r.csv", schema=SCHEMA, truth="row-order", **QUICK
    ).evidence
    assert replay(found, folder=tmp_path).same
    for more in ({"evidence": str(tmp_path / "o.csv"), "force": True}, {"plan": ...}):
        spoilt = {n: v for n, v in (found.settings | more).items() if v is not ...}
        with pytest.raises(DataError, match="not those of an audit"):
            replay(msgspec.structs.replace(found, settings=spoilt), folder=tmp_path)
    text = json.loads(msgspec.json.encode(found))
    del text["inputs"]["release"]
    (tmp_path / "e.json").write_text(json.dumps(text))
    with pytest.raises(FileError, match="not the complete evidence of an audit"):
        unveil.files.read_evidence(tmp_path / "e.json")


def test_a_plan_that_cannot_be_carried_out_is_refused_first(monkeypatch):
    def fail(*_args, **_options):
        raise AssertionError("attacked before the plan was looked at")

    monkeypatch.setattr("unveil.workflows.audit.make_attack", fail)
    plan = unveil.Plan([unveil.masks.RankSwapping(p=5, columns=["no such"])])
    with pytest.raises(unveil.UnveilError, match="no such"):
        audits.audit(table(), table().select(["age", "pay"]), truth=np.arange(N), plan=plan)


def test_seeds_with_which_a_plan_is_impossible_are_left_out(monkeypatch):
    from unveil.workflows.auditing import remasking

    plan = unveil.Plan([unveil.masks.RankSwapping(p=5, columns=["pay"])], seed=1)
    release = unveil.mask(table(), plan)
    carried_out, seen = remasking.mask_again, []

    def sometimes(*args, **options):
        seen.append(args)
        if len(seen) != 2:
            raise DataError("not with this seed")
        return carried_out(*args, **options)

    monkeypatch.setattr(remasking, "mask_again", sometimes)
    quick = QUICK | {"remask": 3}
    again = audits.audit(table(), release, **quick).evidence.remasking
    assert (again.tried, len(again.shares)) == (3, 1)
    assert audits.audit(table(), release, **quick).evidence.remasking is None


def test_a_policy_is_written_as_it_is_read(tmp_path):
    limits = unveil.Policy(max_risk=0.05, may_stay_unchanged=("age",), forbid_row_order=True)
    unveil.write(limits, tmp_path / "policy.toml")
    assert unveil.files.read_policy(tmp_path / "policy.toml") == limits
