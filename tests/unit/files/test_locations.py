"""Where a table is kept, and which places out of a document are opened."""

import os
from pathlib import Path

import pytest

import unveil
from unveil.errors import UsageError
from unveil.files.locations import TrustedPlaces


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A document's folder with a file, beside a private file; another folder is the working one."""
    for name in ("plans", "plans/sub", "elsewhere"):
        (tmp_path / name).mkdir()
    for name in ("plans/people.csv", "plans/sub/more.csv", "secret.csv", "elsewhere/people.csv"):
        (tmp_path / name).write_text("age\n1\n")
    (tmp_path / "plans" / "link.csv").symlink_to(tmp_path / "secret.csv")
    (tmp_path / "plans" / "out").symlink_to(tmp_path)
    (tmp_path / "plans" / "inner.csv").symlink_to("people.csv")
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "plans"


@pytest.mark.parametrize("name", ["people.csv", "sub/more.csv", "sub/../people.csv", "inner.csv"])
def test_a_file_in_the_folder_of_the_document_is_opened(folder, name):
    """By its relative name from wherever the command runs, and by its whole name."""
    for named in (name, str(folder / name)):
        assert Path(TrustedPlaces(folder).find(named, "plan")).samefile(folder / name)
    relative = TrustedPlaces(Path("../plans")).find(name, "plan")
    assert Path(relative).samefile(folder / name)
    assert Path(TrustedPlaces(folder).find("people.csv#sheet", "plan").partition("#")[0]).exists()


def test_a_name_from_the_working_folder_is_found_if_it_is_in_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert TrustedPlaces(Path("plans")).find("plans/people.csv", "plan") == "plans/people.csv"
    with pytest.raises(UsageError, match="which is not in its folder"):
        TrustedPlaces(Path("plans")).find("elsewhere/people.csv", "plan")


@pytest.mark.parametrize(
    "named",
    [
        *("../secret.csv", "sub/../../secret.csv", "link.csv", "out/secret.csv", "/etc/passwd"),
        *("gone.csv", "sub", "", "sqlite:///people.db?table=secret", "out/plans/../secret.csv"),
    ],
)
def test_all_other_places_are_refused_until_they_are_given(folder, named):
    with pytest.raises(UsageError, match=r"plan: the document names .*yourself \(--allow"):
        TrustedPlaces(folder).find(named, "plan")
    assert TrustedPlaces(folder, [named]).find(named, "plan") == named
    with pytest.raises(UsageError, match="the document names"):
        TrustedPlaces(None).find(named, "plan")


def test_a_file_may_be_given_by_another_name(folder):
    place = str(folder.parent / "secret.csv")
    assert TrustedPlaces(folder, [place]).find("../secret.csv", "plan") == place
    assert TrustedPlaces(folder, ["../secret.csv"]).find(place, "plan") == "../secret.csv"
    with pytest.raises(UsageError, match="a list of places"):
        TrustedPlaces(folder, place)


def test_no_file_elsewhere_is_looked_at(folder, monkeypatch):
    """A name may lead to another machine."""
    looked_at, realpath = [], os.path.realpath

    def noted(path, **how):
        looked_at.append(str(path))
        return realpath(path, **how)

    monkeypatch.setattr(os.path, "realpath", noted)
    with pytest.raises(UsageError):
        TrustedPlaces(folder).find("/net/server/people.csv", "plan")
    assert looked_at
    assert not [path for path in looked_at if "net" in path.split("/")]


@pytest.mark.parametrize(
    "uri",
    [
        "postgresql://user:secret@host/db?table=t",
        "postgresql://host/db?table=t&password=secret",
        "postgresql://user:se?secret@host/db?table=t",
        "postgresql://host/db?query=select 'secret'",
        "mysql://user:secret@host/db",
        "sqlite:///people.db?query=select 'secret'",
    ],
)
def test_a_refusal_repeats_no_secret(folder, uri):
    with pytest.raises(UsageError) as refused:
        TrustedPlaces(folder).find(uri, "original", "ORIGINAL")
    assert "secret" not in str(refused.value)


def test_a_place_elsewhere_is_told_with_the_name_of_the_document(tmp_path):
    (tmp_path / "plan.toml").write_text("seed = 1\n[[mask]]\nmethod = 'rounding'\nbase = 5")
    with pytest.raises(UsageError) as refused:
        unveil.files.read_plan(tmp_path / "plan.toml").locate("/else/people.csv")
    assert str(refused.value) == (
        "plan: plan.toml names /else/people.csv, which is not in its folder: if you trust "
        "plan.toml, give the place yourself (--allow, allow=)"
    )
