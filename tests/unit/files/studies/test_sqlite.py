"""Studies in a file."""

import os
import sqlite3

import pytest

from unveil.errors import FileError
from unveil.files.studies import open_study, sqlite


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def study(path):
    """A study with a few tasks."""
    with open_study(path) as store:
        store.begin({"original": "key"})
        store.add_round(1, [bytes([number]) * 3000 for number in range(20)])
        yield store


def test_only_its_owner_can_read_a_study(path, study):
    study.run("BEGIN IMMEDIATE")
    study.run("UPDATE task SET result = $1", b"x")  # the journal is there now
    files = sorted(one.name for one in path.parent.iterdir())
    assert files == ["study.db", "study.db-journal", "study.db-lock"]
    assert {one.stat().st_mode & 0o777 for one in path.parent.iterdir()} == {0o600}
    study.run("ROLLBACK")


def test_an_empty_file_becomes_private(path):
    path.touch(0o644)
    with open_study(f"sqlite:///{path}") as store:
        store.begin({"original": "key"})
    assert path.stat().st_mode & 0o777 == 0o600


def test_rights_that_its_owner_gave_stay(path, study):
    study.close()
    path.chmod(0o660)
    with open_study(path) as again:
        again.begin({"original": "key"})
    assert path.stat().st_mode & 0o777 == 0o660


def test_a_link_leads_to_the_same_claims(path, study, tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(path)
    study.claim()
    with open_study(link) as other:
        assert other.claim().number == 2


def test_a_commit_survives_a_power_cut(study):
    assert study.run("PRAGMA synchronous") == [(3,)]
    assert study.run("PRAGMA journal_mode") == [("delete",)]


@pytest.mark.parametrize("cut", [100, 5000, 20_000])
def test_a_file_that_was_cut_short_is_refused(path, study, cut):
    study.close()
    os.truncate(path, cut)
    with pytest.raises(FileError, match="damaged"):
        open_study(path)


def test_a_file_of_something_else_is_refused_and_stays_as_it_was(path):
    path.write_bytes(b"age,income\n31,20000\n" * 100)
    before = path.read_bytes()
    with pytest.raises(FileError, match="not a study, or it is damaged"):
        open_study(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE people (name TEXT)")
    other.close()
    with pytest.raises(FileError, match="is not a study"):
        open_study(path)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(FileError, match="folder or a device"):
        open_study(tmp_path)
    with pytest.raises(FileError, match="its folder does not exist"):
        open_study(tmp_path / "none" / "study.db")


def test_a_file_that_is_gone_in_the_middle(path, study):
    study.claim()
    path.unlink()
    with pytest.raises(FileError) as caught:
        study.finish(1, b"result")
    assert "moved away; finished plans are kept; run the same command again" in str(caught.value)


@pytest.mark.usefixtures("study")
def test_a_file_that_another_program_locks(path, monkeypatch):
    monkeypatch.setattr(sqlite, "_TIMEOUT", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(FileError, match="another program has locked the study"):
        open_study(path)
    other.close()


def test_without_locks_of_the_file_a_study_is_refused(path, monkeypatch):
    monkeypatch.setattr(sqlite, "fcntl", None)
    with pytest.raises(FileError, match="needs Linux"):
        open_study(path)
    assert not path.exists()
