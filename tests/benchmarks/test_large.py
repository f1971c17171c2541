"""The benchmark of large files does what it says, and no more than a block is held at once."""

import importlib
from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil.files.formats.csv import decoding
from unveil.files.formats.csv import format as csv

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS, PIECE, LINE = 20_000, 2**15, 200


@pytest.fixture
def large(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    module = importlib.import_module("large")
    monkeypatch.setattr(module, "restart_peak", lambda: None)
    monkeypatch.setattr(module, "TILE", 8_000)
    module.make(tmp_path, ROWS)
    return module


def test_it_is_one_file_in_two_formats(large, tmp_path):
    schema = tmp_path / "schema.toml"
    tables = [unveil.read(tmp_path / f"large{ending}", schema) for ending in (".csv", ".parquet")]
    assert tables[0] == tables[1]
    assert tables[1].column("person").to_list() == list(range(1, ROWS + 1))
    assert large.plan_of("additive-noise").count('"') == 8


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_every_measurement_is_one_of_the_whole_file(large, tmp_path, ending):
    found = large.one("steps", str(tmp_path), "correlated-noise", ending)
    assert list(found) == ["read", "mask", "write"]
    assert all(one["peak"] > 0 for one in found.values())
    assert len(unveil.read(tmp_path / f"masked{ending}")) == ROWS


def test_the_command_is_that_of_this_package(large, tmp_path):
    """Also where the files lie in another folder: else another version would be measured."""
    found = large.one("command", str(tmp_path), "additive-noise", ".parquet")
    assert found["seconds"] > 0 < found["peak"]
    step = unveil.mask(
        tmp_path / "large.parquet",
        tmp_path / "additive-noise.toml",
        schema=tmp_path / "schema.toml",
    )
    unveil.write(step, tmp_path / "here.parquet")
    written = [(tmp_path / f"{name}.parquet").read_bytes() for name in ("masked", "here")]
    assert written[0] == written[1]


def test_every_reader_reads_it(large, tmp_path):
    pytest.importorskip("pandas")
    tools = ("unveil", "pandas", "polars")
    assert [large.reading(str(tmp_path), tool)["rows"] for tool in tools] == [ROWS] * 3


def test_no_more_than_a_block_is_held_as_text(large, tmp_path, monkeypatch):
    """The file has many pieces; of none is more in hand than itself and what it began with."""
    held, read, written = [], csv.Csv._cells, pl.DataFrame.write_csv

    def reading(self, block, *rest):
        held.append(len(block))
        return read(self, block, *rest)

    def writing(self, *args, **options):
        text = written(self, *args, **options)
        held.append(len(text))
        return text

    monkeypatch.setattr(decoding, "PIECE_BYTES", PIECE)
    monkeypatch.setattr(csv, "WRITTEN_CELLS", PIECE // LINE)
    monkeypatch.setattr(csv.Csv, "_cells", reading)
    monkeypatch.setattr(pl.DataFrame, "write_csv", writing)
    size = (tmp_path / "large.csv").stat().st_size
    large.one("steps", str(tmp_path), "additive-noise", ".csv")
    assert max(held) < PIECE + LINE
    assert len(held) > 2 * size / (PIECE + LINE)
