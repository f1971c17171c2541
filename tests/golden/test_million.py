"""A million records make the round trip."""

import pytest

import unveil

pytestmark = pytest.mark.slow


def test_a_million_records_go_from_parquet_to_csv_and_back(tmp_path):
    made = unveil.households(1_000_000, seed=7)
    unveil.write(made, tmp_path / "t.parquet")
    read = unveil.read(tmp_path / "t.parquet", made.schema)
    unveil.write(read, tmp_path / "t.csv")
    again = unveil.read(tmp_path / "t.csv", made.schema)
    assert len(again) == 1_000_000
    assert made == read == again
