"""Policies and evidence as files, and what is kept of an audit that is not finished."""

import numpy as np
import pytest

import unveil
from unveil import Policy
from unveil.files.checkpoints import CheckpointFolder
from unveil.files.documents.evidence import read_records, write_evidence, write_records
from unveil.files.documents.policy import as_policy, policy_toml

EVERY = {
    "max_risk": 0.05, "max_subgroup_risk": 0.1, "max_confirmed": 0.0,
    "max_interval_disclosure": 0.4, "k_anonymity": 3, "l_diversity": 2, "max_loss": 0.3,
    "forbid_row_order": True, "may_stay_unchanged": ("sex",),
}  # fmt: skip


def test_a_policy_is_a_line_for_each_limit(tmp_path):
    path = tmp_path / "p.toml"
    for limits in (EVERY, *({name: value} for name, value in EVERY.items())):
        path.write_bytes(policy_toml(Policy(**limits)))
        assert unveil.read_policy(path) == as_policy(path) == Policy(**limits)
        assert Policy(**limits).to_dict() == limits
    path.write_text("may_stay_unchanged = []")
    assert unveil.read_policy(path).to_dict() == {"may_stay_unchanged": ()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_rsik = 0.05", "did you mean 'max_risk'"),
        ("max_risk = 1.5", "max_risk"),
        ("max_risk = nan", "max_risk"),
        ("max_risk = '5 %'", "max_risk"),
        ("k_anonymity = 0", "k_anonymity"),
        ("k_anonymity = 2.5", "k_anonymity"),
        ("forbid_row_order = 1", "forbid_row_order"),
        ("forbid_row_order = false", "it sets no limit; limits are: max_risk"),
        ("", "it sets no limit"),
        ("max_risk = ", "this is not TOML"),
        ("[limits]\nmax_risk = 0.1", "'limits' is not a parameter"),
    ],
)
def test_what_is_no_policy_is_refused(tmp_path, text, said):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(unveil.UnveilError, match=said) as refused:
        unveil.read_policy(path)
    assert str(refused.value).startswith(str(path))
    assert refused.value.exit_code == 3


def test_a_policy_that_is_not_there(tmp_path):
    with pytest.raises(unveil.UnveilError, match="cannot be read"):
        as_policy(tmp_path / "no.toml")


@pytest.fixture(scope="module")
def audit():
    people = unveil.households(30)
    quick = {"attacks": ["distance"], "sweep": False, "errors": (), "knows": ["age", "sex"]}
    quick["worst_case"] = False
    return unveil.audit(people, people.take(range(20)), truth="person", **quick)


def test_evidence_makes_the_round_trip(audit, tmp_path):
    unveil.write(audit, tmp_path / "a.json")
    read = unveil.read_evidence(tmp_path / "a.json")
    write_evidence(read, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600
    assert read.inputs["original"].file is None
    assert len(read.inputs["original"].sha256) == 64
    with pytest.raises(unveil.UnveilError, match="exists already"):
        unveil.write(audit, tmp_path / "a.json")


def test_evidence_of_another_kind_is_refused(audit, tmp_path):
    path = tmp_path / "a.json"
    unveil.write(audit, path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"format": 2,', b'"format": 99,'))
    with pytest.raises(unveil.UnveilError, match=r"in format 99; this\s+is unveil"):
        unveil.read_evidence(path)
    for broken in (whole[:-40], b"", b"[]", b"{}", b"\xff\xfe", b'{"format": 2, "version": "0"}'):
        path.write_bytes(broken)
        with pytest.raises(unveil.UnveilError, match="not the evidence of an audit"):
            unveil.read_evidence(path)
    with pytest.raises(unveil.UnveilError, match="cannot be read"):
        unveil.read_evidence(tmp_path)


def test_the_risk_of_each_record_is_a_table_of_its_own(audit, tmp_path):
    for name in ("each.csv", "each.parquet"):
        write_records(audit, tmp_path / name)
        each = read_records(tmp_path / name)
        assert list(each) == list(audit.each)
        for attack, risks in audit.each.items():
            assert np.array_equal(each[attack], risks, equal_nan=True)
        assert np.isnan(each["distance original-to-release"]).sum() == 10
    (tmp_path / "other.csv").write_text("row,x\n1,1\n3,1\n")
    with pytest.raises(unveil.UnveilError, match="not those of an original"):
        read_records(tmp_path / "other.csv")
    (tmp_path / "other.csv").write_text("a,x\n1,1\n")
    with pytest.raises(unveil.UnveilError, match="no table of the risk"):
        read_records(tmp_path / "other.csv")


def test_what_is_finished_is_kept(tmp_path):
    folder = tmp_path / "job"
    kept = CheckpointFolder(folder, "a", resume=False)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert kept.find("some step", int) is None
    kept.keep("some step", 3, np.array([0.5, np.nan]))
    kept.keep("other", {"x": 1.5}, None)
    again = CheckpointFolder(folder, "a", resume=True)
    value, each = again.find("some step", int)
    assert value == 3
    assert np.array_equal(each, [0.5, np.nan], equal_nan=True)
    assert again.find("other", dict) == ({"x": 1.5}, None)
    with pytest.raises(unveil.UnveilError, match="other files, settings, seed or version"):
        CheckpointFolder(folder, "b", resume=True)
    (folder / "other.json").write_text("{")
    with pytest.raises(unveil.UnveilError, match="not as it was left: begin anew"):
        again.find("other", dict)
    anew = CheckpointFolder(folder, "b", resume=False)
    assert anew.find("some step", int) is None
    anew.remove()
    assert not folder.exists()


def test_a_folder_that_is_something_else_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "precious").write_text("mine")
    for name in ("file", "folder"):
        for resume in (False, True):
            with pytest.raises(unveil.UnveilError, match="not the folder of an unfinished audit"):
                CheckpointFolder(tmp_path / name, "a", resume=resume)
    assert (tmp_path / "folder" / "precious").read_text() == "mine"
    with pytest.raises(unveil.UnveilError, match="the folder cannot be made"):
        CheckpointFolder(tmp_path / "no" / "where", "a", resume=False)
