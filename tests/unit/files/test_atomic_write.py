"""A file is written whole or not at all."""

import errno
import os

import pytest

import unveil
from unveil.errors import FileError, UsageError
from unveil.files.atomic_write import write_atomically

DATA = unveil.households(10)


def test_files_are_private(tmp_path):
    unveil.write(DATA, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").stat().st_mode & 0o777 == 0o600


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("mine")
    path.chmod(0o640)
    with pytest.raises(FileError, match="exists already; .*--force"):
        unveil.write(DATA, path)
    assert path.read_text() == "mine"
    unveil.write(DATA, path, force=True)
    assert path.read_text().startswith("person,")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_is_not_a_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match="a folder or a device"):
        unveil.write(DATA, tmp_path / "pipe.csv", force=True)
    assert not (tmp_path / "pipe.csv").is_file()


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(FileError, match="a loop of links"):
        unveil.write(DATA, tmp_path / "a.csv", force=True)


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    unveil.write(DATA, tmp_path / "link.csv", force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("person,")


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("step", ["mkstemp", "fsync", "replace", "save"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_nothing_is_left_when_the_disk_fails(tmp_path, monkeypatch, ending, step, code):
    path = tmp_path / f"t.{ending}"
    path.write_text("mine")

    def fail(*_args, **_options):
        raise OSError(code, os.strerror(code))

    target = {
        "mkstemp": "tempfile.mkstemp",
        "fsync": "os.fsync",
        "replace": "pathlib.Path.replace",
        "save": "unveil.table.microdata.Microdata._restored",
    }[step]
    monkeypatch.setattr(target, fail)
    with pytest.raises(FileError, match=f"{os.strerror(code).lower()}; the file is unchanged"):
        unveil.write(DATA, path, force=True)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "mine"


def test_nothing_is_left_when_it_is_interrupted(tmp_path):
    def interrupt(file):
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "t.csv", interrupt)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_really_survived(tmp_path):
    """The kernel's own full device, where there is one."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")

    def fill(_file):
        with open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")

    with pytest.raises(FileError, match="no space left on device"):
        write_atomically(tmp_path / "t.csv", fill)
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(FileError, match="this is a folder or a device"):
        unveil.write(DATA, tmp_path, format=unveil.files.Csv())
    with pytest.raises(FileError, match="folder does not exist"):
        unveil.write(DATA, tmp_path / "no" / "t.csv")
    with pytest.raises(FileError, match="names no known format"):
        unveil.write(DATA, tmp_path / "t.xyz")
    with pytest.raises(UsageError, match="not dict"):
        unveil.write({}, tmp_path / "t.csv")
    with pytest.raises(UsageError, match="a schema, a plan or a policy is written as TOML"):
        unveil.write(DATA.schema, tmp_path / "t.toml", format=unveil.files.Csv())
    with pytest.raises(FileError, match="file name too long"):
        unveil.write(DATA, tmp_path / ("x" * 300 + ".csv"))
