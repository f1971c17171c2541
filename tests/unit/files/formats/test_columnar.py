"""Parquet and Arrow files that are not what their names say."""

import errno
from pathlib import Path

import pytest

import unveil
from unveil.errors import DataError, FileError
from unveil.files.formats.columnar import Parquet


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("keep", [0, 3, 10, 200, -1, -20])
def test_a_file_cut_short_is_refused(tmp_path, ending, keep):
    whole = tmp_path / f"whole.{ending}"
    unveil.write(unveil.households(200), whole)
    cut = tmp_path / f"cut.{ending}"
    cut.write_bytes(whole.read_bytes()[:keep])
    with pytest.raises(FileError, match="cut short or of another format") as caught:
        unveil.read(cut)
    assert str(caught.value).startswith(str(cut))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_of_another_format_is_refused(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="of another format"):
        unveil.read(path)


def test_a_disk_that_fails_is_said_to(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    unveil.write(unveil.households(5), path)

    def fail(_file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("polars.read_parquet", fail)
    with pytest.raises(FileError, match="cannot be read: input/output error"):
        unveil.read(path)


def test_nested_columns_are_refused_by_name(tmp_path):
    import polars as pl

    pl.DataFrame({"a": [1], "nest": [[1, 2]]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'nest'"):
        unveil.read(tmp_path / "t.parquet")


def test_a_file_without_records_is_refused(tmp_path):
    import polars as pl

    pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="there are no records"):
        unveil.read(tmp_path / "t.parquet")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said():
    with pytest.raises(FileError, match="is the disk full"):
        Parquet().save(unveil.households(10), Path("/dev/full"))
