"""What a search found, as a file."""

from math import inf

import msgspec
import pytest

import unveil
from fixtures import choices
from fixtures.evidence import evidence
from unveil.errors import FileError
from unveil.files.documents.evidence import write_evidence
from unveil.files.documents.study_result import is_study, study_json, write_study


def test_a_study_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "choice.json"
    write_study(choices.study(), path)
    found = unveil.files.read_study(path)
    assert found == choices.study()
    assert study_json(found) == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileError, match="exists already"):
        write_study(found, path)


def test_a_risk_without_end_stays_one(tmp_path):
    """Where nothing is allowed, or nothing could be measured; null would be no risk."""
    tried = [msgspec.structs.replace(one, risk=inf) for one in choices.study().tried]
    worst = msgspec.structs.replace(choices.confirmation(3).figures[0], bound=inf, fresh=(inf,))
    repeated = choices.confirmation(3, accepted=False)
    repeated = msgspec.structs.replace(repeated, figures=(worst,), loss=inf)
    given = choices.study(tried=tuple(tried), confirmations=(repeated,), chosen=None, nearest=3)
    write_study(given, tmp_path / "choice.json")
    assert unveil.files.read_study(tmp_path / "choice.json") == given
    unveil.report(given, tmp_path / "page.html")
    assert "Infinity" not in (tmp_path / "page.html").read_text().partition("<script")[0]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"tried": [], "frontier": []}', "\xff", "[" * 9999]
)
def test_what_is_no_study_is_refused(tmp_path, text):
    path = tmp_path / "choice.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError, match="choice.json: this is not the complete result of a search"):
        unveil.files.read_study(path)


def test_a_study_is_told_from_evidence(tmp_path):
    write_study(choices.study(), tmp_path / "choice.json")
    write_evidence(evidence(), tmp_path / "audit.json")
    names = ("choice.json", "audit.json", "no.json")
    assert [is_study(tmp_path / name) for name in names] == [True, False, False]
    with pytest.raises(FileError, match="the study cannot be read"):
        unveil.files.read_study(tmp_path / "no.json")
