"""Keys as categories: numbers in ranges, few enough combinations, and nothing silently left out."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.measures.population import prepared_keys as module
from unveil.measures.population.prepared_keys import RANGES, in_ranges, prepare_keys
from unveil.values.file_pair import FilePair

SCHEMA = Schema(
    identifier="id", quasi=["pay", "sex", "area"], nominal=["sex", "area", "home"],
    weight="w", household="home",
)  # fmt: skip


def people(n=400, **changed):
    columns = {
        "id": [f"p{place}" for place in range(n)],
        "pay": list(range(n)),
        "sex": ["fm"[place % 2] for place in range(n)],
        "area": [f"a{place % 7}" for place in range(n)],
        "home": [f"h{place // 2}" for place in range(n)],
        "w": [10.0] * n,
    }
    return Microdata(pl.DataFrame(columns | changed), SCHEMA)


def prepared(original, release=None, rows=None, keys=("pay", "sex", "area")):
    release = original if release is None else release
    rows = range(len(release)) if rows is None else rows
    return prepare_keys(FilePair.of(original, release, list(rows)), keys)


def by_name(found):
    return {one.column: one for one in found.keys}


def test_a_number_with_many_values_counts_in_ten_ranges_of_equal_size():
    found = prepared(people())
    pay = by_name(found)["pay"]
    assert (pay.categories, pay.ranges) == (RANGES, True)
    sizes = found.data.column("pay").value_counts()["count"].to_list()
    assert sizes == [40] * 10
    assert not by_name(found)["sex"].ranges
    assert found.cells == 10 * 2 * 7
    assert found.weight == "w"
    assert found.left_out == ()


def test_ranges_keep_ties_together_and_missing_cells_apart():
    cells = np.array([-2, -1, *[5] * 90, *range(6, 16)])
    found = in_ranges(cells)
    assert found[:2].tolist() == [-2, -1]
    assert len(set(found[2:92].tolist())) == 1
    assert len(set(found[2:].tolist())) <= RANGES
    assert (np.diff(found[2:]) >= 0).all()
    assert in_ranges(np.array([-1, -1])).tolist() == [-1, -1]


def test_an_identifier_and_a_column_that_is_not_released_are_left_out_by_name():
    original = people()
    found = prepared(original, original.select(["pay", "sex"]), keys=("id", "sex", "area"))
    assert [(one.column, one.reason) for one in found.left_out] == [
        ("id", "identifier"), ("area", "not released"),
    ]  # fmt: skip
    assert found.columns == ("sex",)


def test_without_any_key_there_is_nothing():
    assert prepared(people(), keys=("id",)) is None


@pytest.mark.parametrize(
    ("most", "columns", "left_out"),
    [
        (10_000, ("pay", "sex", "area"), ()),
        (140, ("pay", "sex", "area"), ()),  # pay in ranges
        (139, ("sex", "area"), ("pay",)),
        (13, ("sex",), ("pay", "area")),
    ],
)
def test_numbers_are_grouped_before_the_widest_keys_are_left_out(
    monkeypatch, most, columns, left_out
):
    monkeypatch.setattr(module, "MOST_CELLS", most)
    found = prepared(people(n=90))  # 90 values of pay: not too many by themselves
    assert found.columns == columns
    assert tuple(one.column for one in found.left_out) == left_out
    assert all(one.reason == "too many combinations" for one in found.left_out)
    if "pay" in columns:
        assert by_name(found)["pay"].ranges is (most < 10_000)


def test_a_perturbed_key_counts_as_before_the_masking():
    original = people()
    rng = np.random.default_rng(1)
    swapped = people(area=rng.permutation(original.column("area").to_numpy()).tolist())
    found = prepared(original, swapped, keys=("sex", "area"))
    assert by_name(found)["area"].before_masking
    assert not by_name(found)["sex"].before_masking
    same = prepared(original, keys=("sex", "area"))
    assert found.data.column("area").to_list() == same.data.column("area").to_list()


def test_a_coarser_key_counts_as_released():
    merged = people(area=["x" if place % 7 < 4 else "y" for place in range(400)])
    found = prepared(people(), merged, keys=("area",))
    assert (by_name(found)["area"].categories, by_name(found)["area"].before_masking) == (2, False)


def test_a_part_of_the_sample_stands_for_the_whole_population():
    rows = list(range(0, 400, 4))
    found = prepared(people(), people().take(rows), rows)
    assert len(found.data) == 100
    assert found.data.column("w").sum() == pytest.approx(4000)
    homes = found.data.schema.with_role("household")
    assert homes == ("home",)


def test_no_cell_is_kept():
    found = prepared(people())
    cells = {str(cell) for name in found.columns for cell in found.data.column(name)}
    assert not cells & {"f", "m", *(f"a{place}" for place in range(7))}
