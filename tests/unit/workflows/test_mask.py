"""Releases: what leaves, in which order, and what is written."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import masks
from unveil.errors import FileError, SpecError, UsageError
from unveil.masks.base import MaskedTable
from unveil.workflows.mask import MaskSettings, mask_again, mask_file

PLAN = [
    masks.Microaggregation(k=3, columns=["income", "tax"]),
    masks.RankSwapping(p=10, columns=["age"]),
    masks.Pram(theta=0.3, columns=["region"]),
]


@pytest.fixture
def sample():
    return unveil.households(300)


def test_identifiers_never_leave_and_rows_stay(sample):
    release = unveil.mask(sample, PLAN, seed=1)
    assert "person" not in release.data.columns
    assert release.row_map.tolist() == list(range(300))
    assert release.data.column("savings").equals(sample.column("savings"))
    assert not release.data.column("age").equals(sample.column("age"))


def test_paths_frames_and_microdata_go_in(sample, tmp_path):
    unveil.write(sample, tmp_path / "s.parquet")
    unveil.write(sample.schema, tmp_path / "s.toml")
    of_path = unveil.mask(tmp_path / "s.parquet", PLAN, schema=tmp_path / "s.toml", seed=1)
    of_frame = unveil.mask(sample.to_frame("pandas"), PLAN, schema=sample.schema, seed=1)
    assert of_path.data == of_frame.data == unveil.mask(sample, PLAN, seed=1).data
    assert type(of_frame.data.to_frame()).__module__.startswith("pandas")
    with pytest.raises(UsageError, match="leave out schema"):
        unveil.mask(sample, PLAN, schema=sample.schema)


def test_without_a_seed_one_is_drawn_and_kept(sample):
    first, second = unveil.mask(sample, PLAN), unveil.mask(sample, PLAN)
    assert first.plan.seed != second.plan.seed
    assert unveil.mask(sample, first.plan).data == first.data
    assert unveil.mask(sample, first.plan, seed=5).plan.seed == 5


def test_a_written_release_is_shuffled_and_its_row_map_true(sample, tmp_path):
    release = unveil.mask(sample, PLAN, seed=1)
    unveil.write(release, tmp_path / "r.parquet", row_map=tmp_path / "map.csv")
    unveil.write(release, tmp_path / "kept.parquet", keep_order=True)
    written = pl.read_parquet(tmp_path / "r.parquet")
    rows = pl.read_csv(tmp_path / "map.csv")
    assert rows["released"].to_list() == list(range(1, 301))
    assert sorted(rows["original"]) == list(range(1, 301))
    assert rows["original"].to_list() != list(range(1, 301))
    assert written.equals(release.data.to_frame()[(rows["original"] - 1).to_list()])
    assert pl.read_parquet(tmp_path / "kept.parquet").equals(release.data.to_frame())
    assert (tmp_path / "map.csv").stat().st_mode & 0o077 == 0


def test_the_row_map_follows_sampling_and_shuffling(sample):
    release = unveil.mask(sample, [masks.Sampling(share=0.3), masks.Shuffle(), *PLAN], seed=1)
    assert len(release) == 90
    assert len(set(release.row_map.tolist())) == 90
    kept = sample.take(release.row_map)
    assert release.data.column("savings").equals(kept.column("savings"))
    shuffled = release.shuffled()
    assert shuffled.data.column("savings").equals(sample.take(shuffled.row_map).column("savings"))


def test_a_synthetic_release_has_no_row_map(sample, tmp_path):
    many = [masks.Synthesis(records=500), masks.Shuffle(), masks.Sampling(records=400)]
    assert len(unveil.mask(sample, many, seed=1)) == 400
    release = unveil.mask(sample, [masks.Synthesis(), masks.Sampling(records=20)], seed=1)
    assert release.row_map is None
    assert release.shuffled().row_map is None
    with pytest.raises(UsageError, match="no row map"):
        unveil.write(release, tmp_path / "r.csv", row_map=tmp_path / "m.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["r.xyz", "r.csv"])
def test_no_row_map_without_a_release(tmp_path, name):
    frame = pl.DataFrame({"c": ["a", "b", None] * 5})
    spec = masks.GlobalRecoding(groups={"NA": ["a"]}, columns=["c"])
    release = unveil.mask(frame, [spec], seed=1)
    form = unveil.files.Csv(missing=["NA"]) if name == "r.csv" else None
    with pytest.raises(unveil.UnveilError):
        unveil.write(release, tmp_path / name, format=form, row_map=tmp_path / "map.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="True or False"):
        unveil.write(release, tmp_path / "r.csv", keep_order="no")


def test_neither_file_is_written_when_one_cannot_be(sample, tmp_path):
    release = unveil.mask(sample, PLAN, seed=1)
    (tmp_path / "r.csv").touch()
    with pytest.raises(FileError, match="exists already"):
        unveil.write(release, tmp_path / "r.csv", row_map=tmp_path / "m.csv")
    with pytest.raises(UsageError, match="one file"):
        unveil.write(release, tmp_path / "m.csv", row_map=tmp_path / "m.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]
    with pytest.raises(UsageError, match="go with a release"):
        unveil.write(sample, tmp_path / "s.csv", keep_order=True)


def test_a_plan_makes_the_round_trip_through_its_file(sample, tmp_path):
    every = (
        *PLAN,
        masks.AdditiveNoise(scale=0.1, columns=["rent"], keep_type=False),
        masks.CorrelatedNoise(scale=0.1, columns=["rent", "savings"]),
        masks.MultiplicativeNoise(scale=0.1, columns=["rent"]),
        masks.DistributionSwapping(p=9, reading="text", columns=["rent"]),
        masks.IndividualRanking(k=3, columns=["rent"]),
        masks.Microaggregation(name="two", groups=[{"columns": ["rent"], "k": 3}]),
        masks.TopCoding(threshold="bachelor", columns=["education"]),
        masks.BottomCoding(threshold=3, columns=["hours"]),
        masks.GlobalRecoding(groups={"a": ["single"]}, columns=["marital_status"]),
        masks.GlobalRecoding(name="cuts", intervals=[18, 65], columns=["age"]),
        masks.Pram(name="m", matrix=[[0.5, 0.5], [0, 1]], categories=["male", "female"]),
        masks.Rounding(base=5),
        masks.Sampling(share=0.5),
        masks.Shuffle(),
        masks.Synthesis(columns=["age"]),
    )
    plan = unveil.Plan(every, seed=2**63 - 1, keep_order=True, version="0.1.0")
    unveil.write(plan, tmp_path / "plan.toml")
    assert unveil.files.read_plan(tmp_path / "plan.toml") == plan
    unveil.write(unveil.Plan(tuple(PLAN)), tmp_path / "short.toml")
    release = unveil.mask(sample, tmp_path / "short.toml", seed=1)
    assert release.data == unveil.mask(sample, PLAN, seed=1).data


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a table \\[\\[mask\\]\\] for each step"),
        ("mask = 3", "for each step"),
        ("[[mask]]\nk = 3", "plan.toml: step 1: method: not given"),
        ("[[mask]]\nmethod = ['shuffle']", "is not a mask; methods are"),
        ("[[mask]]\nmethod = 'shuffle'\ncls = 1", "'cls' is not a parameter"),
        ("[[mask]]\nmethod = 'rank-swaping'", "did you mean 'rank-swapping'"),
        ("[[mask]]\nmethod = 'shuffle'\n[[mask]]\nmethod = 'rounding'", "step 2: rounding: base"),
        ("[[mask]]\nmethod = 'rank-swapping'\np = 200", "of at most 100"),
        ("[[mask]]\nmethod = 'rank-swapping'\np = 'x'", "rank-swapping: p"),
        ("[[mask]]\nmethod = 'rank-swapping'\nq = 3", "'q' is not a parameter"),
        ("sead = 3", "did you mean 'seed'"),
        ("seed = -3\n[[mask]]\nmethod = 'shuffle'", "seed: a whole number"),
        ("keep_order = 3\n[[mask]]\nmethod = 'shuffle'", "keep_order"),
        ("[[mask]", "not TOML"),
        ("[[mask]]\nmethod = 'function'\nfunction = 'os.system'", "cannot hold one"),
    ],
)  # fmt: skip
def test_a_plan_file_that_is_wrong(tmp_path, text, said):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(SpecError, match=said) as caught:
        unveil.files.read_plan(path)
    assert str(caught.value).startswith(str(path))


def test_a_plan_names_a_function_and_cannot_hold_it(sample, tmp_path):
    step = masks.Function(function=np.sort, columns=["age"])
    release = unveil.mask(sample, [masks.Function(function=lambda v, _: v, columns=["age"])])
    assert "lambda" in release.plan.to_dict()["mask"][0]["function"]
    partial_step = masks.Function(function=partial(np.add, 1), columns=["age"])
    assert unveil.Plan((partial_step,)).to_dict()["mask"][0]["function"] == "partial"
    unveil.write(unveil.Plan((step,)), tmp_path / "plan.toml")
    with pytest.raises(SpecError, match="from Python"):
        unveil.files.read_plan(tmp_path / "plan.toml")


def test_progress_is_told_by_step(sample):
    told = []
    unveil.mask(sample, PLAN, seed=1, progress=lambda *said: told.append(said))
    assert {step for step, _, _ in told} == {"microaggregation", "rank-swapping", "pram"}
    assert all(0 <= done <= total for _, done, total in told)


THREADS = """
import io, sys, hashlib, numpy as np, polars as pl, unveil
import unveil.masks.base
unveil.masks.base.cores = lambda _: int(sys.argv[1])
from unveil import masks
from unveil.files.formats.columnar import Parquet
numbers = ["age", "household_size", "income", "tax", "savings", "rent", "hours", "weight"]
digest = hashlib.sha256()
for spec in (
    masks.CorrelatedNoise(scale=0.3, columns=numbers, keep_type=False),
    masks.Microaggregation(k=4, columns=numbers, keep_type=False),
    masks.Synthesis(model="copula"),
    masks.Synthesis(),
    masks.RankSwapping(p=10, columns=numbers),
):
    out = io.BytesIO()
    Parquet().save(unveil.mask(unveil.households(1000), [spec], seed=3).data, out)
    digest.update(out.getvalue())
wide = pl.DataFrame(np.random.default_rng(1).normal(size=(300, 200)).cumsum(1))
spec = masks.CorrelatedNoise(scale=0.3, columns=wide.columns)
digest.update(unveil.mask(wide, [spec], seed=3).data.to_frame().to_numpy().tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_the_same_bytes_at_any_number_of_threads():
    """Of the linear algebra, of polars and of numba."""
    found = set()
    for threads in ("1", "7"):
        names = (
            "OPENBLAS_NUM_THREADS",
            "OMP_NUM_THREADS",
            "POLARS_MAX_THREADS",
            "NUMBA_NUM_THREADS",
        )
        env = os.environ | dict.fromkeys(names, threads)
        done = subprocess.run(
            [sys.executable, "-c", THREADS, threads],
            env=env,
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(unveil.__file__).parent.parent,
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_a_step_that_changes_nothing_is_told(sample, caplog):
    spec = masks.TopCoding(threshold=900, columns=["age", "hours"])
    unveil.mask(sample, [spec, masks.Shuffle(), *PLAN], seed=1)
    told = [message for message in caplog.messages if "household" not in message]
    assert told == ["top-coding: no cell of age, hours changed; check the parameters"]


class Dropped(masks.Mask, frozen=True, kw_only=True):
    """A mask that decides that nobody of one category is released."""

    is_random: ClassVar[bool] = False

    column: str
    category: str

    def targets(self, data):
        return data.columns

    def check(self, data):
        pass

    def apply(self, data, draw, progress=None):  # noqa: ARG002
        rows = np.flatnonzero(data.column(self.column).to_numpy() != self.category)
        return MaskedTable(data.take(rows), rows=rows)


class Drawn(Dropped, frozen=True, kw_only=True):
    """The same, if it were by chance."""

    is_random: ClassVar[bool] = True


DIVORCED = Dropped(name="drop", column="marital_status", category="divorced")


def test_discards_that_fall_on_a_minority_are_told(sample, caplog):
    cells = sample.column("marital_status")
    divorced = int((cells == "divorced").sum())
    release = unveil.mask(sample, [masks.Sampling(share=0.9), masks.Shuffle(), DIVORCED], seed=1)
    assert len(release) > 200
    (said,) = caplog.messages
    assert said.startswith("drop: ")
    assert "but 100 % of the " in said
    assert re.search(r"in marital_status, [A-Z] \(\d\w\w most frequent\)", said)
    assert said.endswith("groups tested.")
    assert not any(cell in said for cell in cells.unique())  # groups are named, cells are not
    caplog.clear()
    unveil.mask(sample, [DIVORCED], seed=1)
    assert f"100 % of the {divorced} in marital_status, " in caplog.text
    # An attack or an audit that masks again has nothing new to tell.
    caplog.clear()
    assert len(mask_again(sample, unveil.Plan((DIVORCED,), seed=1))) == 300 - divorced
    assert caplog.messages == []


def test_groups_are_by_what_people_were_before_any_step(sample, caplog):
    """Those who are called divorced after noise are anybody."""
    names = ["divorced", "married", "single", "widowed"]
    noise = masks.Pram(matrix=[[0.25] * 4] * 4, categories=names, columns=["marital_status"])
    release = unveil.mask(sample, [noise, DIVORCED], seed=1)
    assert len(release) < 250
    gone = 300 - len(release)
    assert [message.split(" (")[0] for message in caplog.messages] == [
        f"drop: {gone} of 300 records are not released"  # many, and no minority
    ]


@pytest.mark.parametrize(
    "plan",
    [
        [masks.Sampling(share=0.5)],
        [Drawn(column="marital_status", category="divorced")],
        [Dropped(column="marital_status", category="nobody")],
        [masks.Synthesis(), DIVORCED],  # nobody is left to be discarded
    ],
)
def test_other_discards_are_not_told(sample, caplog, plan):
    unveil.mask(sample, plan, seed=1)
    assert caplog.messages == []


DROPPING = """
import sys
import unveil.masks
from unveil.cli.main import main
sys.path.insert(0, sys.argv.pop(1))
from test_mask import Dropped
unveil.masks.register(Dropped)
main()
"""


def test_the_command_line_tells_it(sample, tmp_path):
    unveil.write(sample, tmp_path / "s.parquet")
    unveil.write(sample.schema, tmp_path / "s.toml")
    table = "method = 'dropped'\ncolumn = 'marital_status'\ncategory = 'divorced'"
    (tmp_path / "plan.toml").write_text(f"[[mask]]\n{table}\n")
    given = ["mask", "s.parquet", "-s", "s.toml", "-p", "plan.toml", "-o", "r.csv", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, "-c", DROPPING, str(Path(__file__).parent), *given],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("dropped: ")
    assert "in marital_status, C (3rd most frequent)" in line
    assert "divorced" not in line


def test_a_plan_of_another_version_is_told(sample, caplog):
    plan = unveil.mask(sample, [masks.Shuffle()], seed=1).plan
    unveil.mask(sample, plan)
    assert caplog.messages == []
    unveil.mask(sample, unveil.Plan((masks.Shuffle(),), version="0.0.1"))
    assert "version 0.0.1" in caplog.text


def test_masks_by_name_and_by_table(sample):
    named = unveil.mask(sample, ["shuffle", {"method": "pram", "theta": 0.3}], seed=1)
    specs = unveil.mask(sample, [masks.Shuffle(), masks.Pram(theta=0.3)], seed=1)
    assert named.plan == specs.plan
    assert named.data == specs.data


def test_a_file_is_masked_and_what_was_written_is_told(sample, tmp_path):
    unveil.write(sample, tmp_path / "s.parquet")
    tasks = []
    steps = [{"method": "mondrian", "k": 5, "columns": ["age", "income"]}]
    masked = mask_file(
        tmp_path / "s.parquet",
        steps,
        schema=sample.schema,
        seed=1,
        settings=MaskSettings(row_map=tmp_path / "map.csv"),
        progress=lambda task, done, total: tasks.append((task, done, total)),
    )
    assert Path(masked.output) == tmp_path / "s-masked.parquet"
    assert masked.schema == tmp_path / "s-masked.schema.toml"  # there are ranges
    assert masked.left_out == ["person", "household"]
    assert all(Path(file).is_file() for file in masked.to_dict()["written"])
    assert len(masked.to_dict()["written"]) == 4
    assert "seed" not in masked.to_dict()
    again = unveil.mask(sample, unveil.files.read_plan(masked.plan))
    assert again.data == masked.release.data
    assert {task for task, _, _ in tasks} == {"mondrian", f"writing {masked.output}"}


KILLED_AT = """
import os, sys
from pathlib import Path
moves, nth, move = [], int(sys.argv.pop(1)), Path.replace

def counted(part, target):
    if len(moves) == nth:
        os.kill(os.getpid(), 9)
    moves.append(target)
    return move(part, target)

Path.replace = counted
from unveil.cli.main import main
main()
"""


@pytest.mark.parametrize("kept", [False, True])
def test_a_kill_never_leaves_a_release_without_its_plan(sample, tmp_path, kept):
    """Nor, with --force, an old release or an old row map beside a new plan."""
    unveil.write(sample, tmp_path / "s.parquet")
    unveil.write(sample.schema, tmp_path / "s.toml")
    (tmp_path / "plan.toml").write_text('[[mask]]\nmethod = "rank-swapping"\np = 5')
    written = ("r.plan.toml", "r.schema.toml", "r.csv", "map.csv")  # in this order
    for nth in range(4):
        for name in written:
            (tmp_path / name).unlink(missing_ok=True)
            if kept:
                (tmp_path / name).write_text("old")
        given = ["-o", "r.csv", "--seed", "1", "--row-map", "map.csv", "--force"]
        killed = subprocess.run(
            [
                *(sys.executable, "-c", KILLED_AT, str(nth), "mask", "s.parquet", "-s", "s.toml"),
                *("-p", "plan.toml", "--write-schema", "r.schema.toml", *given),
            ],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=False,
        )
        assert killed.returncode == -9, killed.stderr
        files = {name: tmp_path / name for name in written if (tmp_path / name).exists()}
        new = {name for name, path in files.items() if path.read_text() != "old"}
        assert new == set(written[:nth])
        assert {"r.csv", "map.csv"} & set(files) == {"r.csv", "map.csv"} & new


def test_a_failure_to_write_the_plan_changes_nothing(sample, tmp_path, monkeypatch):
    unveil.write(sample, tmp_path / "s.parquet")
    for name in ("r.csv", "r.plan.toml"):
        (tmp_path / name).write_text("old")

    def full(*_, **_data):
        raise OSError(28, "no space")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FileError, match=r"r\.plan\.toml: cannot be written"):
        mask_file(
            tmp_path / "s.parquet", PLAN, schema=sample.schema, seed=1,
            settings=MaskSettings(output=tmp_path / "r.csv", force=True),
        )  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.plan.toml", "s.parquet"]
    assert {(tmp_path / name).read_text() for name in ("r.csv", "r.plan.toml")} == {"old"}


def test_the_plan_of_a_table_lies_beside_its_database(sample, tmp_path, monkeypatch):
    """Wherever the command runs."""
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    unveil.write(sample, tmp_path / "s.parquet")
    monkeypatch.chdir(tmp_path / "elsewhere")
    settings = MaskSettings(output=f"sqlite:///{tmp_path}/data/survey.db?table=masked")
    plan = mask_file(
        tmp_path / "s.parquet", PLAN, schema=sample.schema, seed=1, settings=settings
    ).plan
    assert plan == tmp_path / "data" / "masked.plan.toml"
    assert unveil.files.read_plan(plan).seed == 1
    assert not list((tmp_path / "elsewhere").iterdir())


POPULATION = """
[[mask]]
method = "full-domain"
k = 2
columns = ["sex", "region"]
models = [{{ model = "k-map", k = 2, population = "{place}" }}]
"""


def test_a_plan_opens_what_lies_beside_it_and_all_else_on_request(
    sample, tmp_path, monkeypatch, unveil_command
):
    (tmp_path / "plans").mkdir()
    few = sample.select(["sex", "region", "rent"])
    unveil.write(few, tmp_path / "s.csv")
    unveil.write(few, tmp_path / "plans" / "people.csv")
    unveil.write(few.schema, tmp_path / "s.toml")
    monkeypatch.chdir(tmp_path)
    mask = ("mask", "s.csv", "-s", "s.toml", "-p", "plans/plan.toml", "-o", "r.csv", "--seed", "1")

    def masked(place, *more):
        (tmp_path / "plans" / "plan.toml").write_text(POPULATION.format(place=place))
        return unveil_command(*mask, "--force", *more)

    beside = masked("people.csv")
    assert beside.code == 0, beside.err
    assert 'population = "people.csv"' in (tmp_path / "r.plan.toml").read_text()
    for place in ("../s.csv", str(tmp_path / "s.csv"), "postgresql://127.0.0.1:1/db?table=people"):
        refused = masked(place)
        assert refused.code == 2
        assert f"plan: plan.toml names {place.partition('?')[0]}" in refused.err
        attack = ("attack", "tailored", "s.csv", "r.csv", "-s", "s.toml", "--truth", "row-order")
        plan = ("--plan", "plans/plan.toml")
        for done in (unveil_command(*attack, *plan), unveil_command("audit", *attack[2:], *plan)):
            assert (done.code, "--allow" in done.err) == (2, True), done.err
    assert masked(str(tmp_path / "s.csv"), "--allow", str(tmp_path / "s.csv")).code == 0
    plan = unveil.files.read_plan("plans/plan.toml", allow=["s.csv"])
    assert len(unveil.mask(few, plan, seed=1)) == len(few)
    with pytest.raises(UsageError, match="--allow, allow="):
        unveil.mask(few, "plans/plan.toml")
