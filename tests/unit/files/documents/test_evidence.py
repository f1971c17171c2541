"""Evidence and the risk of each record as files."""

import numpy as np
import pytest

import unveil
from fixtures import audits
from unveil.files.documents.evidence import read_records, write_evidence, write_records
from unveil.reports.summary import comparison_summary, summary
from unveil.support.phrases import plain
from unveil.values.results.evidence import Audit


@pytest.fixture(scope="module")
def audit():
    people = unveil.households(30)
    quick = {"attacks": ["distance"], "sweep": False, "errors": (), "knows": ["age", "sex"]}
    quick["worst_case"] = False
    return audits.audit(people, people.take(range(20)), truth="person", **quick)


def test_evidence_makes_the_round_trip(audit, tmp_path):
    unveil.write(audit, tmp_path / "a.json")
    read = unveil.files.read_evidence(tmp_path / "a.json")
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
    path.write_bytes(whole.replace(b'"format": 3,', b'"format": 99,'))
    with pytest.raises(unveil.UnveilError, match=r"in format 99; this\s+is unveil"):
        unveil.files.read_evidence(path)
    for broken in (whole[:-40], b"", b"[]", b"{}", b"\xff\xfe", b'{"format": 2, "version": "0"}'):
        path.write_bytes(broken)
        with pytest.raises(unveil.UnveilError, match="not the complete evidence of an audit"):
            unveil.files.read_evidence(path)
    with pytest.raises(unveil.UnveilError, match="cannot be read"):
        unveil.files.read_evidence(tmp_path)


def test_older_evidence_is_read_with_a_caution_above_the_verdict(audit, tmp_path):
    """Its ceilings, risks of records and grouping of households meant something else."""
    path = tmp_path / "a.json"
    unveil.write(audit, path)
    path.write_bytes(path.read_bytes().replace(b'"format": 3,', b'"format": 2,'))
    read = unveil.files.read_evidence(path)
    older = "is from an earlier version: its ceilings, risks of records and verdict may be too low."
    words = " ".join(str(Audit(read, {})).split())  # several lines
    assert words.startswith(f"This evidence {older} Audit the files again. ")
    compared = unveil.compare([path, audit], names=["then", "now"])
    for external, name in ((False, "then"), (True, "release 1")):
        said = summary(read, external=external).cautions
        assert plain(said[0]).startswith(f"This evidence {older}")
        said = comparison_summary(compared, external=external).cautions
        assert [plain(one) for one in said] == [
            f"The evidence of {name} {older} Audit the files again."
        ]
    assert not [one for one in summary(audit.evidence).cautions if older in plain(one)]
    assert comparison_summary(unveil.compare([audit, audit])).cautions == ()


def test_the_risk_of_each_record_is_a_table_of_its_own(audit, tmp_path):
    for name in ("each.csv", "each.parquet"):
        write_records(audit, tmp_path / name)
        each = read_records(tmp_path / name)
        assert list(each) == list(audit.risks)
        for attack, risks in audit.risks.items():
            assert np.array_equal(each[attack], risks, equal_nan=True)
        assert np.isnan(each["distance original-to-release"]).sum() == 10
    (tmp_path / "other.csv").write_text("row,x\n1,1\n3,1\n")
    with pytest.raises(unveil.UnveilError, match="not those of an original"):
        read_records(tmp_path / "other.csv")
    (tmp_path / "other.csv").write_text("a,x\n1,1\n")
    with pytest.raises(unveil.UnveilError, match="this is not a table of the risk of each record"):
        read_records(tmp_path / "other.csv")
