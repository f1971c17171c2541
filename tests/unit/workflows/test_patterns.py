"""Files of patterns: beside a release, and instead of one."""

import pytest

import unveil
from unveil import masks
from unveil.errors import SpecError, UsageError
from unveil.files import read_plan
from unveil.workflows.mask import MaskSettings
from unveil.workflows.patterns import write_patterns

KEYS = ["sex", "region", "age", "education"]
BANDS = masks.GlobalRecoding(intervals=10, columns=["age"])
NOISE = masks.AdditiveNoise(scale=0.1, columns=["income"])


@pytest.fixture
def folder(tmp_path):
    people = unveil.households(300, seed=7)
    unveil.write(people, tmp_path / "s.parquet")
    unveil.write(people.schema, tmp_path / "s.toml")
    return tmp_path


def anti_unification(**how):
    return masks.AntiUnification(k=4, columns=KEYS, by_confidential=False, **how)


def write(folder, *steps, patterns="p.csv", **how):
    unveil.write(unveil.Plan(steps, seed=5), folder / "plan.toml", force=True)
    settings = MaskSettings(**how)
    return write_patterns(
        folder / "s.parquet", folder / "plan.toml", folder / patterns, schema=folder / "s.toml",
        settings=settings,
    )  # fmt: skip


def test_overlapping_patterns_are_written_instead_of_a_release(folder):
    before = {*folder.iterdir()}
    overlapping = anti_unification(assignment="overlapping")
    found = write(folder, NOISE, BANDS, overlapping)
    assert {one.name for one in {*folder.iterdir()} - before} == {
        "plan.toml", "p.csv", "p.schema.toml", "p.plan.toml",
    }  # fmt: skip
    banded = unveil.mask(folder / "s.parquet", [BANDS], schema=folder / "s.toml", seed=1)
    read = unveil.read(folder / "p.csv", folder / "p.schema.toml")
    assert read == overlapping.patterns(banded.data).table
    assert read_plan(folder / "p.plan.toml").seed == 5
    counts = found.to_dict()["patterns"]
    assert (counts["records"], counts["patterns"]) == (300, len(read))
    assert counts["smallest"] >= 4
    assert counts["in_several"] > 0


def test_disjoint_patterns_are_the_rows_of_the_release(folder):
    found = write(folder, BANDS, anti_unification(), patterns="q.csv")
    release = unveil.read(found.masked.output, folder / "s-masked.schema.toml")
    rows = release.select(KEYS).to_frame("polars").group_by(KEYS).len("count")
    patterns = unveil.read(folder / "q.csv", folder / "q.schema.toml").to_frame("polars")
    assert {*patterns.rows()} == {*rows.rows()}
    assert found.to_dict()["patterns"] == {
        "patterns": len(rows), "records": 300, "rest": 300 - len(release),
        "smallest": patterns["count"].min(), "in_several": 0, "alike_below_smallest": 0,
    }  # fmt: skip
    assert len(found.to_dict()["written"]) == 5


@pytest.mark.parametrize(
    ("steps", "how", "error", "said"),
    [
        ([BANDS], {}, SpecError, "the last step of the plan makes no patterns"),
        ([anti_unification(), NOISE], {}, SpecError, "makes no patterns"),
        ([anti_unification(assignment="overlapping")], {"output": "r.csv", "keep_order": True},
         UsageError, "leave out --output, --keep-order"),
        ([anti_unification()], {"output": "p.parquet"}, UsageError, "patterns another name"),
        ([anti_unification()], {"row_map": "p.csv"}, UsageError, "two outputs"),
        ([anti_unification()], {"write_schema": "p.schema.toml"}, UsageError, "two outputs"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_before_anything_is(folder, steps, how, error, said):
    how = {name: folder / one if isinstance(one, str) else one for name, one in how.items()}
    with pytest.raises(error, match=said):
        write(folder, *steps, **how)
    assert {one.name for one in folder.iterdir()} == {"s.parquet", "s.toml", "plan.toml"}


def test_a_mask_without_patterns_says_so():
    with pytest.raises(SpecError, match="makes no patterns; choose anti-unification"):
        NOISE.patterns(unveil.households(20))
