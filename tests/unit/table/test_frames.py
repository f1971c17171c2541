"""Frames in and out: types that other libraries have and polars has not."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unveil
from unveil.masks import AdditiveNoise, Microaggregation, Pram

CELLS = ["a", "b", "c"] * 20 + ["d"]
OLD, NEW = datetime.datetime(1700, 1, 1), datetime.datetime(2250, 1, 1)


def frame_of(kind):
    numbers = list(range(len(CELLS)))
    if kind == "pandas":
        return pd.DataFrame({"x": pd.Series(CELLS, dtype="category"), "n": numbers})
    if kind == "pyarrow":
        return pa.table({"x": pa.array(CELLS).dictionary_encode(), "n": numbers})
    dtype = pl.Categorical if kind == "categorical" else pl.Enum(["a", "b", "c", "d"])
    return pl.DataFrame({"x": pl.Series(CELLS, dtype=dtype), "n": numbers})


@pytest.mark.parametrize("kind", ["categorical", "enum", "pandas", "pyarrow"])
@pytest.mark.parametrize("mask", [Microaggregation(k=20, columns=["x"]), Pram(theta=1.0)])
def test_a_category_may_vanish(kind, mask):
    frame = frame_of(kind)
    release = unveil.mask(unveil.Microdata(frame, unveil.Schema(quasi="x")), [mask], seed=1)
    left = set(release.data.column("x"))
    masked = release.data.to_frame()
    assert type(masked) is type(frame)
    if kind == "categorical":
        assert masked.schema["x"] == pl.Categorical
    if kind == "enum":
        assert set(masked.schema["x"].categories) == left
    if kind == "pandas":
        assert set(masked["x"].dtype.categories) == left


def test_an_empty_ordered_dictionary_has_no_records():
    column = pa.chunked_array([], pa.dictionary(pa.int8(), pa.string(), ordered=True))
    with pytest.raises(unveil.UnveilError, match="no records"):
        unveil.Microdata(pa.table({"x": column}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize(
    "cells", [["2020-01-01", "2021-05-05", "NaT"], ["NaT"] * 3, ["1700-01-01", "2250-01-01", "NaT"]]
)
def test_times_of_pandas_come_back_as_they_were(unit, zone, cells):
    times = pd.Series(np.array(cells, dtype=f"datetime64[{unit}]"))
    if zone:
        times = times.dt.tz_localize("UTC").dt.tz_convert(zone)
    frame = pd.DataFrame({"t": times, "n": [1, 2, 3]})
    pd.testing.assert_frame_equal(unveil.Microdata(frame).to_frame(), frame)


def test_a_zone_that_polars_lacks_comes_back():
    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-01T00:00+05:07"]), "n": [1]})
    pd.testing.assert_frame_equal(unveil.Microdata(frame).to_frame(), frame)


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_times_beyond_the_calendar_are_refused(unit):
    times = np.array([2**61, 0], dtype=f"datetime64[{unit}]")
    with pytest.raises(unveil.UnveilError, match="outside the years 1 to 9999"):
        unveil.Microdata(pd.DataFrame({"t": pd.Series(times)}))


def test_a_number_that_polars_cannot_hold_is_refused():
    import decimal

    with pytest.raises(unveil.UnveilError, match="of an unsupported type"):
        unveil.Microdata(pd.DataFrame({"t": [decimal.Decimal("1e400")]}))


@pytest.mark.parametrize("level", ["numeric", "nominal"])
def test_a_missing_code_beyond_nanoseconds_is_in_no_cell(level):
    times = pl.Series("t", [OLD, NEW, None], dtype=pl.Datetime("ns"))
    entry = {"role": "quasi", "level": level, "missing": ["9999-12-31T00:00:00"]}
    data = unveil.Microdata(pl.DataFrame([times]), unveil.Schema({"t": entry}))
    assert data.column("t").null_count() == 1


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_noise_beyond_nanoseconds_is_refused_without_a_value(zone):
    times = pl.Series("t", [OLD, NEW, None] * 10).cast(pl.Datetime("ns")).dt.replace_time_zone(zone)
    data = unveil.Microdata(pl.DataFrame([times]), unveil.Schema(quasi="t", numeric="t"))
    with pytest.raises(unveil.UnveilError, match="masked values that its type") as refused:
        unveil.mask(data, [AdditiveNoise(scale=3)], seed=1)
    assert "-01-" not in str(refused.value)


@pytest.mark.parametrize("old", ["1500-01-01T00:00:00.123456789", "0000-01-01T00:00:00"])
def test_text_beyond_nanoseconds_stays_text(tmp_path, old):
    path = tmp_path / "times.csv"
    path.write_text(f"t\n{old}\n2020-01-01T00:00:00.123456789\n")
    assert unveil.read(path).column("t").to_list()[0] == old
