"""Cells as they are written: codes that stay apart, values that are spelled in several ways."""

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, measures, models
from unveil.files import Csv
from unveil.table.encoding.shared_attributes import common_cells


def classes(data, column="x"):
    return measures.uniqueness(data, [column]).classes


@pytest.mark.parametrize(
    ("cells", "different"),
    [
        (["1.5", "1.50", "1.5"], 2),
        (["1.50", "2.50", "1.50"], 2),  # one spelling of each value
        (["5", "+5", "5.0", "05", " 5", "5e0"], 6),
        (["0.0", "-0.0", "0"], 3),
        (["-9", "-9.0", "-8", "-9"], 3),  # spellings of a code
        (["", '""', "3"], 3),  # an empty cell, and a quoted blank
    ],
)
def test_spellings_of_an_audited_file_are_counted_apart(tmp_path, cells, different):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *(f"{cell},1" for cell in cells)]) + "\n")
    data = unveil.read(path, Schema(quasi="x", numeric=["x", "y"], missing={"x": [-9, -8]}))
    assert classes(data) == different
    assert classes(data.take(range(len(data))[::-1])) == different
    assert classes(data.select(["x"])) == different


def test_times_are_one_value_however_they_are_parted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n2000-01-01T00:00:00,1\n2000-01-01 00:00:00,1\n")
    data = unveil.read(path, Schema(numeric="x"))
    assert data.column("x").n_unique() == 1
    assert classes(data) == 2


def test_categories_of_an_order_are_spelled_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,1\n1.0,1\n2,1\n")
    data = unveil.read(path, Schema(ordinal={"x": [1, 2]}))
    assert (data.column("x").n_unique(), classes(data)) == (2, 3)


def test_codes_of_a_format_are_counted_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\nNA,1\n?,1\n,1\n7,1\n")
    data = unveil.read(path, Schema(numeric="x"), format=Csv(missing=["NA", "?"]))
    assert (data.column("x").null_count(), classes(data)) == (3, 4)


def test_a_frame_of_text_has_spellings_too():
    data = Microdata(pl.DataFrame({"x": ["1.5", "1.50"]}), Schema(numeric="x"))
    assert classes(data) == 2


def test_the_writer_knows_one_spelling(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1.50,1\n1.5,2\n-0.0,3\n0.0,4\n")
    data = unveil.read(path, Schema(quasi="x", numeric=["x", "y"]))
    noise = unveil.masks.AdditiveNoise(scale=0.1, columns=["y"])
    release = unveil.mask(data, [noise], seed=1).data
    assert (classes(data), classes(release)) == (4, 2)
    unveil.write(release, path, force=True)
    assert sorted(line.split(",")[0] for line in path.read_text().split()[1:]) == [
        "0.0",
        "0.0",
        "1.5",
        "1.5",
    ]


def test_a_mask_of_a_spelled_column_counts_what_it_writes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1.50,1\n1.5,2\n2,3\n2.0,4\n")
    data = unveil.read(path, Schema(quasi="x", numeric=["x", "y"]))
    release = unveil.mask(data, [unveil.masks.LocalSuppression(k=2, columns=["x"])])
    assert not release.data.schema["x"].generalised  # no star was needed
    assert models.check(release, models.KAnonymity(k=2))[0].found == 2


def test_zero_has_no_sign_whoever_made_it():
    data = Microdata(pl.DataFrame({"x": [-0.0, 0.0, 1.0]}), Schema(numeric="x"))
    assert str(data.column("x").to_list()) == "[0.0, 0.0, 1.0]"
    again = data.replace([pl.Series("x", [-0.0, -1.0, 0.0])])
    assert str(again.column("x").to_list()) == "[0.0, -1.0, 0.0]"
    assert str(data.new_records([pl.Series("x", [-0.0])]).column("x").to_list()) == "[0.0]"


def test_times_are_compared_to_the_nanosecond():
    times = pl.Series("x", [1, 2, 2, None]).cast(pl.Datetime("ns"))
    far = pl.Series("x", [250_000_000_000_000_001, 250_000_000_000_000_002]).cast(pl.Datetime("us"))
    assert common_cells(Microdata(times.to_frame()), column="x")[0].tolist() == [0, 1, 1, -1]
    assert classes(Microdata(far.to_frame())) == 2


def test_each_code_is_an_integer_below_zero():
    schema = Schema(numeric="x", missing={"x": [-8, -9]})
    a, b = (Microdata(pl.DataFrame({"x": cells}), schema) for cells in ([3, -9, None], [-8, 3, -9]))
    assert [cells.tolist() for cells in common_cells(a, b, column="x")] == [
        [0, -3, -1],
        [-2, 0, -3],
    ]


def test_a_promise_is_written_with_one_code():
    schema = Schema(quasi=["x", "y"], numeric=["x", "y"], missing={"x": [-8, -9], "y": [-7]})
    frame = pl.DataFrame({"x": [-9, None, -8, 4], "y": [None, None, 1, 1]})
    data = Microdata(frame, schema)
    alike = data.with_one_missing_code(["x", "y"])
    assert alike.to_frame()["x"].to_list() == [-8, -8, -8, 4]
    assert alike.to_frame()["y"].to_list() == [None, None, 1, 1]  # which has no code
    assert data.with_one_missing_code(["y"]).to_frame()["x"].to_list() == [-9, None, -8, 4]
    release = unveil.mask(data, [unveil.masks.LocalSuppression(k=1)])
    assert release.data.to_frame()["x"].to_list() == [-8, -8, -8, 4]
