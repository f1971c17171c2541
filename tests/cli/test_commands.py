"""The command line as a user meets it."""

import importlib.metadata
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys

import click
import polars as pl
import pytest

import unveil
from fixtures.evidence import evidence
from unveil.cli import main
from unveil.cli.main import COMMANDS
from unveil.files.documents.evidence import write_evidence
from unveil.support.specs import method_name

# As a user has it: output that goes to a file or a pipe is buffered.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    unveil.write(unveil.households(60), path)
    return path


def test_version_and_help(unveil_command):
    assert unveil_command("--version").out == f"unveil {unveil.__version__}\n"
    done = unveil_command("--help")
    assert done.code == 0
    for word in (
        "attack",
        "audit",
        "compare",
        "demo",
        "inspect",
        "link",
        "mask",
        "methods",
        "report",
        "Exit codes",
    ):
        assert word in done.out
    for command in COMMANDS:
        assert "Usage: unveil" in unveil_command(command, "--help").out


class PlugIn:
    """An entry point of another package."""

    dist = None

    def __init__(self, name, load):
        self.name, self.load = name, load


@pytest.fixture
def plug_ins(monkeypatch):
    """Two commands of other packages, one of which is broken, and one that is built in."""

    def broken():
        raise ImportError("secret")

    @click.command
    def works():
        """Say hello."""
        click.echo("hello")

    kinds = {"works": lambda: works, "broken": broken, "odd": lambda: 3, "mask": broken}
    found = [PlugIn(name, load) for name, load in kinds.items()]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_group: found)
    main._plug_ins.cache_clear()
    yield
    main._plug_ins.cache_clear()


@pytest.mark.usefixtures("plug_ins")
def test_commands_of_other_packages(unveil_command):
    """A broken one is named and stops nothing else; a built-in one cannot be replaced."""
    assert unveil_command("works").out == "hello\n"
    shown = unveil_command("--help")
    assert shown.code == 0
    assert "Say hello." in shown.out
    assert "cannot be loaded" in " ".join(shown.out.split())
    for name in ("broken", "odd"):
        done = unveil_command(name)
        assert done.code == 4
        assert f"the command '{name}' of an unknown package" in done.err
        assert "secret" not in done.err
    assert "Usage: unveil mask" in unveil_command("mask", "--help").out
    assert "did you mean 'works'" in unveil_command("work").err


def test_inspect_prints_plain_text_in_a_pipe(unveil_command, survey):
    done = unveil_command("inspect", survey)
    assert (done.code, done.err) == (0, "")
    assert f"{survey}: 60 records, 15 columns" in done.out
    assert "\x1b" not in done.out
    assert "│" not in done.out
    assert any(line.split()[:3] == ["age", "-", "numeric"] for line in done.out.splitlines())
    assert "! 15 columns without a role" in done.out


def test_inspect_writes_a_schema_that_can_be_used(unveil_command, survey, tmp_path):
    schema = tmp_path / "s.toml"
    assert unveil_command("inspect", survey, "--write-schema", schema).code == 0
    text = schema.read_text()
    assert "[attributes.household_size]" in text
    assert "distinct whole numbers: a quantity" in text
    assert 'role = ""  # perhaps household; quasi | confidential | identifier' in text
    done = unveil_command("inspect", survey, "--write-schema", schema)
    assert done.code == 3
    assert "--force" in done.err
    schema.write_text(text.replace('[attributes.age]\nrole = ""', '[attributes.age]\nrole = "key"'))
    assert "quasi" in unveil_command("inspect", survey, "--schema", schema).out
    assert unveil_command("inspect", survey, "--write-schema", schema, "--force").code == 0


def test_json_has_the_names_of_python(unveil_command, survey):
    shown = json.loads(unveil_command("inspect", survey, "--json").out)
    found = unveil.inspect(survey)
    assert shown["records"] == found.records == 60
    assert [c["name"] for c in shown["columns"]] == [c.name for c in found.columns]
    assert set(shown["columns"][0]) == set(found.columns[0].__struct_fields__)
    assert json.loads(unveil_command("methods", "--json").out)[0]["name"] == "additive-noise"
    assert json.loads(unveil_command("methods", "csv", "--json").out)["kind"] == "format"


def test_values_are_shown_only_when_asked(unveil_command, survey):
    assert "Northport" not in unveil_command("inspect", survey).out
    assert "Northport" in unveil_command("inspect", survey, "--show-values").out


def test_the_dialect_of_a_file_can_be_said(unveil_command, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a\tb\n1,5\té\n-\tx\n".encode("latin-1"))
    done = unveil_command(
        "inspect", path, "--delimiter", "tab", "--decimal", ",", "--encoding", "latin-1",
        "--missing", "-", "--json",
    )  # fmt: skip
    a, b = json.loads(done.out)["columns"]
    assert (a["level"], a["missing"], b["missing"]) == ("numeric", 1, 0)


def test_methods_describe_themselves(unveil_command):
    assert "parquet" in unveil_command("methods").out
    assert "decimal" in unveil_command("methods", "csv").out


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["inspekt"], 2, "did you mean 'inspect'"),
        (["inspect"], 2, "Missing argument"),
        (["inspect", "x.csv", "--jsn"], 2, "--json"),
        (["inspect", "no.csv"], 3, "no.csv: there is no such file"),
        (["inspect", "no.csv", "--decimal", ";"], 3, "csv: decimal"),
        (["methods", "cvs"], 2, "did you mean 'csv'"),
        (["demo", "--records", "0"], 2, "x>=100"),
        (["demo", "--records", "many"], 2, "not a valid integer"),
    ],
)
def test_mistakes_are_answered_in_sentences(
    unveil_command, tmp_path, monkeypatch, args, code, said
):
    monkeypatch.chdir(tmp_path)
    done = unveil_command(*args)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_missing_package_has_its_exit_code(unveil_command, survey, monkeypatch):
    from unveil.errors import MissingPackageError

    def fail(*_args, **_options):
        raise MissingPackageError("pyarrow", "arrow", "this")

    monkeypatch.setattr("unveil.workflows.inspect.inspect", fail)
    done = unveil_command("inspect", survey)
    assert done.code == 4
    assert "pip install 'unveil[arrow]'" in done.err


def test_ctrl_c_stops_quietly(unveil_command, survey, monkeypatch):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("unveil.workflows.inspect.inspect", interrupt)
    done = unveil_command("inspect", survey)
    assert (done.code, done.err.strip()) == (130, "unveil: stopped")


def test_a_signal_leaves_nothing_behind(survey, tmp_path):
    code = """
import os, signal, sys
from unveil.cli import main
def interrupted(path, content, **options):
    from unveil.files.atomic_write import write_atomically
    def save(file):
        file.write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGTERM)
    write_atomically(path, save)
import unveil.files.atomic_write
unveil.files.atomic_write.write_bytes = interrupted
sys.argv = ["unveil", "inspect", sys.argv[1], "--write-schema", sys.argv[2]]
main.main()
"""
    target = tmp_path / "s.toml"
    done = subprocess.run([sys.executable, "-c", code, survey, target], check=False)
    assert done.returncode == 128 + 15
    assert [path.name for path in tmp_path.iterdir()] == ["survey.csv"]


def test_a_full_standard_output_is_an_error(survey):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "unveil", "inspect", str(survey)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=BUFFERED,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("unveil: the result cannot be printed: no space left")


def test_the_schema_never_overwrites_the_data(unveil_command, survey):
    before = survey.read_bytes()
    done = unveil_command("inspect", survey, "--write-schema", survey, "--force")
    assert done.code == 2
    assert survey.read_bytes() == before


def test_csv_options_are_for_csv_files(unveil_command, tmp_path):
    path = tmp_path / "t.parquet"
    unveil.write(unveil.households(5), path)
    done = unveil_command("inspect", path, "--missing", "NA")
    assert (done.code, done.out) == (2, "")
    assert "is not a CSV file: leave out --missing" in done.err


def test_hostile_names_cannot_command_the_terminal(unveil_command, tmp_path):
    path = tmp_path / "t.parquet"
    names = ["\x1b[31mred\x07", "[bold]x[/]", "a\nunveil: all is well", "\x9b1m", "\u202e"]
    pl.DataFrame({name: [1] for name in names}).write_parquet(path)
    shown = unveil_command("inspect", path, "--json").out
    assert [c["name"] for c in json.loads(shown)["columns"]] == names
    assert shown.isascii()
    done = unveil_command("inspect", path)
    assert "\nunveil: all" not in done.out
    assert "\x9b" not in done.out
    assert "\u202e" not in done.out
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out
    assert "[bold]x[/]" in done.out


def test_the_module_runs_and_a_closed_pipe_is_no_error(survey):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "unveil", "inspect", str(survey)],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False, env=BUFFERED,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("allowed", "code"), [(0.0, 1), (1.0, 0)])
@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_closed_pipe_keeps_the_verdict(tmp_path, allowed, code, option):
    """A broken policy ended with 0 where nobody read the output: `unveil compare ... | head -1`."""
    for name in "ab":
        write_evidence(evidence(f"{name}.csv", risk=0.1), tmp_path / f"{name}.json")
    (tmp_path / "policy.toml").write_text(f"max_risk = {allowed}\n")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "unveil", "compare", "a.json", "b.json",
         "--policy", "policy.toml", *option],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False, env=BUFFERED, cwd=tmp_path,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (code, "")


def test_a_terminal_gets_a_table(survey):
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "unveil", "inspect", str(survey)],
        stdout=follower, stderr=follower, check=False,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert done.returncode == 0
    assert "─" in shown
    assert "household_size" in shown


PLAN = """
[[mask]]
method = "microaggregation"
k = 3
columns = ["income", "tax"]

[[mask]]
method = "rank-swapping"
p = 10
columns = ["age"]
"""


@pytest.fixture
def to_mask(tmp_path):
    """A file with semicolons and decimal commas, its schema and a plan."""
    sample = unveil.households(60)
    european = unveil.files.Csv(delimiter=";", decimal=",")
    unveil.write(sample, tmp_path / "survey.csv", format=european)
    unveil.write(sample.schema, tmp_path / "survey.toml")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def mask_command(folder, *more, plan="plan.toml", out="release.csv"):
    given = ["mask", folder / "survey.csv", "--schema", folder / "survey.toml", "--decimal", ","]
    return [*given, "--plan", folder / plan, "-o", folder / out, *more]


def test_mask_writes_the_file_in_its_own_dialect_and_the_plan(unveil_command, to_mask):
    done = unveil_command(*mask_command(to_mask))
    assert (done.code, done.err) == (0, "")
    assert "The release has 60 records, 13 columns; left out: person, household." in done.out
    assert "keep it as private as" in done.out
    assert "k = 3" in done.out
    text = (to_mask / "release.csv").read_text()
    assert text.startswith("region;sex;")
    assert sorted(path.name for path in to_mask.iterdir()) == [
        "plan.toml", "release.csv", "release.plan.toml", "survey.csv", "survey.toml",
    ]  # fmt: skip
    for name in ("release.csv", "release.plan.toml"):
        assert (to_mask / name).stat().st_mode & 0o077 == 0


def test_the_plan_run_again_gives_the_same_bytes(unveil_command, to_mask):
    for first, second, more in (
        ("a.csv", "b.csv", []),
        ("c.parquet", "d.parquet", ["--keep-order"]),
        ("e.tsv", "f.tsv", ["--seed", "5"]),
    ):
        assert unveil_command(*mask_command(to_mask, *more, out=first)).code == 0
        plan = (to_mask / first).with_suffix(".plan.toml").name
        assert unveil_command(*mask_command(to_mask, plan=plan, out=second)).code == 0
        assert (to_mask / first).read_bytes() == (to_mask / second).read_bytes()
    assert "\t" in (to_mask / "e.tsv").read_text()
    assert "seed = 5" in (to_mask / "e.plan.toml").read_text()
    assert "keep_order = true" in (to_mask / "c.plan.toml").read_text()


@pytest.mark.parametrize("done", ["drop", "renumber", "keep"])
def test_mask_says_what_becomes_of_household_numbers(unveil_command, to_mask, caplog, done):
    shown = unveil_command(*mask_command(to_mask, "--household", done))
    assert shown.code == 0
    said = {"drop": "left out", "renumber": "renumbered", "keep": "released unchanged"}
    assert f"Household numbers (household): {said[done]}" in shown.out
    assert ("even if they are renumbered" in caplog.text) is (done != "drop")
    assert (f'household = "{done}"' in (to_mask / "release.plan.toml").read_text()) is (
        done != "drop"
    )
    again = unveil_command(*mask_command(to_mask, plan="release.plan.toml", out="again.csv"))
    assert again.code == 0
    assert (to_mask / "again.csv").read_bytes() == (to_mask / "release.csv").read_bytes()


def test_mask_prints_how_many_records_were_repaired(unveil_command, to_mask):
    parameters = 'columns = ["age", "income"]\nshare = 0.1\nk = 3\n'
    (to_mask / "plan.toml").write_text(f'[[mask]]\nmethod = "repair"\n{parameters}')
    given = mask_command(to_mask, "--seed", "1", "--force")
    found = json.loads(unveil_command(*given, "--json").out)["counts"]["repair"]
    assert found["records"] == found["at_risk"] + found["cover"] == 2 * (found["units"] // 10)
    said = f"repair: the {found['at_risk']} of {found['units']} most at risk and "
    assert said in unveil_command(*given).out
    assert "cover" in unveil_command("methods", "repair").out


def test_mask_prints_how_many_households_were_swapped(unveil_command, to_mask):
    parameters = 'geography = ["region"]\nkeys = ["sex"]\nshare = 0.5\n'
    (to_mask / "plan.toml").write_text(f'[[mask]]\nmethod = "record-swapping"\n{parameters}')
    given = mask_command(to_mask, "--seed", "1", "--force")
    found = json.loads(unveil_command(*given, "--json").out)["counts"]["record-swapping"]
    assert 0 < found["swapped"] <= found["households"] / 2
    many = f"{found['swapped']} of {found['households']} households"
    said = f"record-swapping: {many} swapped, with {found['records']} records; "
    assert f"{said}{found['at_risk']} at risk, of which " in unveil_command(*given).out


def test_mask_says_nothing_of_household_numbers_that_are_all_missing(
    unveil_command, to_mask, caplog
):
    people = unveil.households(60)
    missing = people.column("household").set(pl.Series([True] * len(people)), None)
    european = unveil.files.Csv(delimiter=";", decimal=",")
    (to_mask / "survey.csv").unlink()
    unveil.write(people.replace([missing]), to_mask / "survey.csv", format=european)
    shown = unveil_command(*mask_command(to_mask, "--household", "renumber"))
    assert shown.code == 0
    assert "lives together" not in shown.out + caplog.text


def test_mask_warns_of_columns_without_a_role_and_ends_with_the_next_step(
    unveil_command, to_mask, caplog
):
    (to_mask / "survey.toml").write_text('quasi = ["age", "income"]\n')
    done = unveil_command(*mask_command(to_mask, "--row-map", to_mask / "map.csv", "--seed", "1"))
    assert "columns without a role, released unchanged (person, household, region" in caplog.text
    assert "singles out 60 of 60 records" in caplog.text
    command = done.out.splitlines()[-1].removeprefix("Next: unveil ")
    page = to_mask / "audit.html"
    found = unveil_command(*shlex.split(command.replace("audit.html", str(page))), "--no-sweep",
                           "--no-remedies", "--no-worst-case", "--attack", "distance")  # fmt: skip
    assert (found.code, page.exists()) == (1, True)
    (to_mask / "p.toml").write_text(PLAN.replace("tax", "rent"))
    done = unveil_command(*mask_command(to_mask, "--force", plan="p.toml"))
    assert "mask again with --row-map" in done.out.splitlines()[-1]


def test_mask_writes_the_row_map_and_the_schema_on_request(unveil_command, to_mask):
    more = ["--row-map", to_mask / "map.csv", "--write-schema", to_mask / "release.toml", "--json"]
    done = unveil_command(*mask_command(to_mask, *more))
    shown = json.loads(done.out)
    assert shown["records"] == 60
    assert shown["left_out"] == ["person", "household"]
    assert shown["household"] == {"columns": ["household"], "done": "drop"}
    assert len(shown["written"]) == 4
    rows = pl.read_csv(to_mask / "map.csv")
    decimal = unveil.files.Csv(decimal=",")
    original = unveil.read(to_mask / "survey.csv", to_mask / "survey.toml", format=decimal)
    release = unveil.read(to_mask / "release.csv", to_mask / "release.toml", format=decimal)
    back = original.take((rows["original"] - 1).to_numpy())
    assert release.column("savings").equals(back.column("savings"))
    assert release.schema == original.schema.only(release.columns)


def test_a_release_with_ranges_comes_with_its_schema(unveil_command, to_mask):
    (to_mask / "safe.toml").write_text('[[mask]]\nmethod = "mondrian"\nk = 5')
    given = [to_mask / "survey.csv", to_mask / "release.csv", "--schema", to_mask / "survey.toml"]
    given += ["--truth", to_mask / "map.csv", "--decimal", ","]
    command = mask_command(to_mask, "--row-map", to_mask / "map.csv", plan="safe.toml")
    done = unveil_command(*command)
    assert "release.schema.toml: the schema of" in " ".join(done.out.split())
    assert "release_schema, --release-schema" in unveil_command("attack", "compatible", *given).err
    own = ["--release-schema", to_mask / "release.schema.toml"]
    done = unveil_command("attack", "compatible", *given, *own, "--json")
    assert json.loads(done.out)["risk"]["expected"] <= 60 / 5
    (to_mask / "release.csv").unlink()
    (to_mask / "release.plan.toml").unlink()
    (to_mask / "map.csv").unlink()
    done = unveil_command(*command)
    assert (done.code, "--force" in done.err) == (3, True)  # the schema is there
    assert not (to_mask / "release.csv").exists()


def test_mask_overwrites_nothing_unless_told(unveil_command, to_mask):
    assert unveil_command(*mask_command(to_mask)).code == 0
    first = (to_mask / "release.csv").read_bytes()
    done = unveil_command(*mask_command(to_mask))
    assert done.code == 3
    assert "--force" in done.err
    assert (to_mask / "release.csv").read_bytes() == first
    assert unveil_command(*mask_command(to_mask, "--force")).code == 0
    assert (to_mask / "release.csv").read_bytes() != first
    for more in (["--row-map"], ["--write-schema"]):
        for target in ("plan.toml", "release.plan.toml"):
            done = unveil_command(*mask_command(to_mask, "--force", *more, to_mask / target))
            assert done.code == 2
    again = mask_command(to_mask, "--force", plan="release.plan.toml")
    assert unveil_command(*again).code == 0
    for nowhere in (".", ""):
        given = mask_command(to_mask)
        given[given.index("-o") + 1] = nowhere
        assert unveil_command(*given).code == 3
    done = unveil_command(*mask_command(to_mask, "--force", out="survey.csv"))
    assert done.code == 2
    assert "is an input and cannot be an output" in done.err


def test_a_plan_with_a_mistake_writes_nothing(unveil_command, to_mask):
    before = sorted(to_mask.iterdir())
    for old, new, said in (
        ("k = 3", "k = 99", "k is 99 and column 'income'"),
        ("p = 10", "p = 110", "step 2: rank-swapping: p"),
        ('"age"', '"agee"', "did you mean 'age'"),
        ("rank-swapping", "rank-swaping", "did you mean 'rank-swapping'"),
    ):
        (to_mask / "plan.toml").write_text(PLAN.replace(old, new))
        done = unveil_command(*mask_command(to_mask))
        assert done.code == 3
        assert said in done.err
        assert sorted(to_mask.iterdir()) == before


@pytest.fixture
def to_attack(tmp_path):
    sample = unveil.households(120, seed=2)
    noise = unveil.masks.AdditiveNoise(scale=0.3, columns=["age", "income", "hours"])
    release = unveil.mask(sample, [noise], seed=3)
    unveil.write(sample, tmp_path / "survey.csv", format=unveil.files.Csv(delimiter=";"))
    unveil.write(sample.schema, tmp_path / "survey.toml")
    unveil.write(release, tmp_path / "release.parquet", row_map=tmp_path / "map.csv")
    return tmp_path


def attack_command(folder, *more, attack="distance", truth="map.csv"):
    told = ["--truth", folder / truth] if truth else []
    files = [folder / "survey.csv", folder / "release.parquet", "--schema", folder / "survey.toml"]
    return ["attack", attack, *files, *told, *more]


def attack_json(unveil_command, *given, **options):
    done = unveil_command(*attack_command(*given, "--json", **options))
    assert (done.code, done.err) == (0, ""), done.err
    return json.loads(done.out)


def test_attack_prints_what_was_found(unveil_command, to_attack):
    done = unveil_command(*attack_command(to_attack))
    assert (done.code, done.err) == (0, "")
    shown = attack_json(unveil_command, to_attack)
    risk = shown["risk"]
    assert f"{risk['expected']:g}" in done.out
    for words in (
        "expected correct links", "of 120", "by guessing", "ceiling of any attack",
        "True row among the k best", "Control (true rows removed)",
    ):  # fmt: skip
        assert words in done.out
    assert 10 < risk["expected"] <= risk["ceiling"] == 120
    assert risk["baseline"] == pytest.approx(1)
    assert (risk["n"], risk["interval"], risk["direction"]) == (120, None, "original-to-release")
    assert len(shown["top"]["share"]) == 5
    assert shown["top"]["share"][0] == pytest.approx(risk["share"])


def test_an_attack_on_households_says_how_many_are_linked(unveil_command, to_attack):
    done = unveil_command(*attack_command(to_attack, attack="households"))
    homes = attack_json(unveil_command, to_attack, attack="households")["households"]["risk"]
    linked = f"{homes['expected']:g} of {homes['n']} are linked correctly"
    assert f"Households (derived from columns that members share): {linked}" in done.out
    alone = unveil_command(*attack_command(to_attack, "--grouping", "none", attack="households"))
    assert "Households (linked by one member each, because no rows are grouped): " in alone.out
    assert f"of {homes['n']} are linked correctly" in alone.out


def test_every_option_of_attack_does_something(unveil_command, to_attack):
    knows = ["--knows", "age,income,hours"]
    plain = attack_json(unveil_command, to_attack, *knows)
    assert plain["risk"]["attributes"] == ["age", "income", "hours"]
    for options, field in (
        (["--direction", "release-to-original"], "expected"),
        (["--records", "0.5"], "n"),
        (["--records", "30"], "n"),
        (["--records", to_attack / "survey.csv"], "intruder"),
        (["--blocks", "sex,region"], "baseline"),
        (["--sample", "40"], "interval"),
        (["--weights", "age=3,hours=0"], "attributes"),
        (["--weights", '{"age": 3}'], "expected"),
        (["--metric", "mahalanobis", "--covariance", "pairs"], "supervised"),
        (["--metric", "mahalanobis", "--groups", '[["age", "hours"]]'], "parameters"),
        (["--metric", "polynomial", "--degree", "3"], "parameters"),
        (["--scale", "release"], "parameters"),
        (["--aggregation", "[0, 0.1, 0.1, 0.2, 0.1, 0.2, 0.2, 1]"], "parameters"),
        (["--outsiders", to_attack / "survey.csv"], "control"),
    ):
        other = attack_json(unveil_command, to_attack, *knows, *options)
        assert other["risk"][field] != plain["risk"][field], options
    longer = attack_json(unveil_command, to_attack, *knows, "--top", "9")
    assert len(longer["top"]["share"]) == 9
    drawn = [
        attack_json(unveil_command, to_attack, *knows, "--sample", "40", "--seed", seed)
        for seed in "12"
    ]
    assert drawn[0]["risk"]["expected"] != drawn[1]["risk"]["expected"]
    ranked = [
        attack_json(unveil_command, to_attack, *knows, *more, attack="rank")
        for more in ([], ["--criterion", "max"], ["--ranks", "release"])
    ]
    assert len({one["risk"]["expected"] for one in ranked}) >= 2
    assert len({json.dumps(one["risk"]["parameters"]) for one in ranked}) == 3
    grades = ["--knows", "education", "--inclusive", "--metric", "manhattan"]
    assert attack_json(unveil_command, to_attack, *grades)["risk"]["parameters"]["inclusive"]


def test_attack_by_position_and_without_the_truth(unveil_command, to_attack):
    shown = attack_json(unveil_command, to_attack, attack="position")
    assert abs(shown["row_order"]["correlation"]) < 0.4
    assert "Rank correlation" in unveil_command(*attack_command(to_attack, attack="position")).out
    done = unveil_command(*attack_command(to_attack, truth=None))
    assert done.code == 0
    assert "cannot be counted: give --truth" in done.out
    assert attack_json(unveil_command, to_attack, truth=None)["risk"] is None


def test_attacks_that_know_the_mask_and_matchings(unveil_command, to_attack):
    knows = ["--knows", "age,income,hours"]
    plan = [*knows, "--plan", to_attack / "release.plan.toml"]
    noise = unveil.masks.AdditiveNoise(scale=0.3, columns=["age", "income", "hours"])
    unveil.write(unveil.Plan((noise,), seed=99), to_attack / "release.plan.toml", force=True)
    plain = attack_json(unveil_command, to_attack, *knows)["risk"]["expected"]
    found = {}
    for options in (
        ["tailored", *plan],
        ["tailored", "--level", "method", *plan],
        ["tailored", "--matching", "posterior", *plan],
        ["distance", "--matching", "one-to-one", *knows],
        ["combined", "--attacks", "distance,tailored", *plan],
        ["probabilistic", "--matching", "posterior", *knows],
    ):
        attack, *more = options
        shown = attack_json(unveil_command, to_attack, *more, attack=attack)
        found[" ".join(map(str, options[:3]))] = shown["risk"]["expected"]
        words = unveil_command(*attack_command(to_attack, *more, attack=attack)).out
        told = "The intruder expects " in words
        assert told == (shown["forecast"] is not None)
        assert ("matched one to one" in words) == ("one-to-one" in options)
        assert ("with hindsight" in words) == ("combined" in options)
    assert found["tailored --matching posterior"] >= plain
    assert len(set(found.values())) > 3


def test_several_releases(unveil_command, to_attack):
    sample = unveil.read(to_attack / "survey.csv", to_attack / "survey.toml")
    noise = unveil.masks.AdditiveNoise(scale=0.3, columns=["age", "income", "hours"])
    for seed in (4, 5):
        release = unveil.mask(sample, [noise], seed=seed)
        frame = release.data.to_frame().with_columns(pl.Series("key", range(len(sample))))
        unveil.write(unveil.Microdata(frame), to_attack / f"r{seed}.csv")
    given = [
        "attack", "distance", to_attack / "survey.csv", to_attack / "r4.csv", "--schema",
        to_attack / "survey.toml", "--truth", "row-order", "--knows",
        "age,income,hours", "--also", to_attack / "r5.csv",
    ]  # fmt: skip
    alone, keyed = (
        json.loads(unveil_command(*given, "--json", *more).out) for more in ([], ["--key", "key"])
    )
    assert [row["releases"] for row in keyed["several"]] == [1, 2]
    assert keyed["several"][1]["expected"] > alone["several"][0]["expected"]
    assert keyed["risk"]["expected"] == pytest.approx(keyed["several"][1]["expected"])
    assert "2 releases: " in unveil_command(*given).out


def test_links_are_written_and_scored_again(unveil_command, to_attack):
    links = to_attack / "links.csv"
    first = attack_json(unveil_command, to_attack, "--links", links)
    again = attack_json(unveil_command, to_attack, "--pairs", links, attack="pairs")
    assert again["risk"]["unique"] == first["risk"]["unique"]
    assert links.stat().st_mode & 0o077 == 0
    done = unveil_command(*attack_command(to_attack, "--links", links))
    assert (done.code, "--force" in done.err) == (3, True)
    assert unveil_command(*attack_command(to_attack, "--links", links, "--force")).code == 0
    over = unveil_command(
        *attack_command(to_attack, "--links", to_attack / "survey.csv", "--force")
    )
    assert (over.code, "is an input and cannot be an output" in over.err) == (2, True)


@pytest.mark.parametrize(
    ("code", "more", "said"),
    [
        (2, ["--criterion", "max"], "No such option"),
        (2, ["--metric", "euklid"], "metric"),
        (3, ["--knows", "agee"], "did you mean 'age'"),
        (2, ["--truth", "nobody"], "neither a common column nor a file"),
        (3, ["--truth", "person"], "'person' is not in the release"),
        (2, ["--records", "2.5"], "a share is at most 1"),
        (3, ["--records", "nobody.csv"], "no such file"),
        (2, ["--weights", "age=x"], "name=number, separated by commas"),
        (2, ["--weights", "age=1,age=2"], "no name twice"),
        (2, ["--weights", "{"], "not valid JSON"),
        (2, ["--seed", "-1"], "seed"),
        (2, ["--direction", "back"], "direction"),
        (2, ["--nothing"], "No such option"),
        (2, ["--matching", "pairs"], "nearest or one-to-one or posterior"),
        (2, ["--key", "age"], "name the others by --also"),
    ],
)
def test_mistakes_of_an_attacker(unveil_command, to_attack, code, more, said):
    done = unveil_command(*attack_command(to_attack, *more))
    assert (done.code, said in done.err) == (code, True), done.err


@pytest.mark.parametrize(
    ("code", "attack", "said"),
    [
        (2, "rnak", "did you mean 'rank'"),
        (2, "survey.csv", "the attack is the first word (unveil attack distance ORIGINAL RELEASE"),
        (3, "rank", "have no order"),
        (2, "tailored", "give the Release of unveil.mask, or its plan"),
        (2, "--attack", "the attack is a word: unveil attack"),
    ],
)
def test_an_attack_that_cannot_be_made(unveil_command, to_attack, code, attack, said):
    done = unveil_command(*attack_command(to_attack, attack=attack))
    assert (done.code, said in done.err) == (code, True), done.err


@pytest.mark.parametrize("attack", [method_name(spec) for spec in unveil.attacks.METHODS])
def test_the_help_of_an_attack_is_its_own_and_fits_a_screen(unveil_command, monkeypatch, attack):
    monkeypatch.setenv("COLUMNS", "80")
    shown = unveil_command("attack", attack, "--help").out
    decides = "Decisions on pairs:" in shown  # a group of options of its own
    assert len(shown.splitlines()) <= 60 + 8 * decides
    described = json.loads(unveil_command("methods", attack, "--json").out)
    own = " ".join(shown.partition(f"Parameters of {attack}:")[2].split())
    for parameter in described["parameters"]:
        name = parameter["name"].replace("_", "-")
        assert re.search(rf"--(\[no-\])?({attack}-)?{name} ", own), name
        sentence = parameter["meaning"].split(". ")[0].rstrip(".")
        assert " ".join(sentence.split()) in own
    assert own.count(" --") <= 2 * len(described["parameters"])


def test_an_attack_records_the_share_of_stale_cells(unveil_command, to_attack):
    shown = attack_json(unveil_command, to_attack, "--error", "0.1")
    assert shown["risk"]["intruder"]["error"] == 0.1
    done = unveil_command(*attack_command(to_attack, "--error", "2"))
    assert (done.code, "error: a share from 0 to 1" in done.err) == (2, True), done.err


def test_a_variant_of_an_attack_is_a_word_too(unveil_command, to_attack):
    knows = ["--knows", "age,income,hours"]
    short = attack_json(unveil_command, to_attack, *knows, attack="rank-max")
    long = attack_json(unveil_command, to_attack, *knows, "--criterion", "max", attack="rank")
    assert short == long
    wrong = unveil_command(*attack_command(to_attack, attack="rank-mux"))
    assert (wrong.code, "did you mean 'max'" in wrong.err) == (2, True)


def test_an_attack_imports_no_other(to_attack):
    call = list(map(str, attack_command(to_attack, "--knows", "age,income")))
    code = (
        f"import sys; sys.argv = ['unveil', *{call!r}]\nfrom unveil.cli.main import main\nmain()\n"
        "print(*(m for m in sys.modules if m.startswith('unveil.attacks.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "unveil.attacks.distance.attack" in done.stderr
    for other in ("rank", "probabilistic", "tailored", "combined", "structural", "supervised"):
        assert f"unveil.attacks.{other}" not in done.stderr


def test_the_help_of_an_audit_is_in_groups(unveil_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = unveil_command("audit", "--help").out
    groups = [line[:-1] for line in shown.splitlines() if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert groups == ["Files", "Intruder", "Limits", "Output", "Effort"]
    assert len(shown.splitlines()) <= 67
    assert "[quick, normal, thorough; default: normal]" in " ".join(shown.split())


def test_the_help_of_link_has_the_parameters_of_the_named_attack(unveil_command):
    assert "--criterion" not in unveil_command("link", "--help").out
    shown = unveil_command("link", "--attack", "rank", "--help").out
    assert "--criterion" in shown
    assert "--metric" not in shown
    assert "Parameters of the attack" in shown


def test_a_shell_completes_commands_attacks_and_options(unveil_command, tmp_path):
    for shell in ("zsh", "fish"):
        assert "_UNVEIL_COMPLETE" in unveil_command("completion", shell).out
    script = tmp_path / "unveil"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m unveil "$@"\n')
    script.chmod(0o755)
    (tmp_path / "completion.sh").write_text(unveil_command("completion", "bash").out)
    lines = ["attack", "completion", "attack di", "attack pro", "audit --attack supe"]
    lines += ["attack distance --metr"]
    asked = "".join(
        f"COMPREPLY=(); COMP_WORDS=(unveil {line}); COMP_CWORD={len(line.split())}; "
        "_unveil_completion unveil; echo ${COMPREPLY[@]}; "
        for line in lines
    )
    done = subprocess.run(
        [shutil.which("bash"), "-c", f". {tmp_path}/completion.sh; {asked}"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.stdout.split() == [
        "attack", "completion", "distance", "probabilistic", "supervised", "--metric"
    ]  # fmt: skip


def test_quiet_prints_results_only_and_verbose_each_task(unveil_command, to_mask, caplog):
    (to_mask / "still.toml").write_text(
        '[[mask]]\nmethod = "rank-swapping"\np = 0\ncolumns = ["savings"]'
    )
    command = mask_command(to_mask, "--force", plan="still.toml")
    plain = unveil_command(*command)
    assert "no cell of savings changed" in caplog.text
    assert "Wrote" in plain.out
    caplog.clear()
    quiet = unveil_command("--quiet", *command)
    assert quiet.err == caplog.text == ""
    assert quiet.out == plain.out[: plain.out.index("Wrote")]
    assert unveil_command(*command, "-q").out == quiet.out  # behind the command, too
    assert "not a command" in unveil_command("-q", "nothing").err
    told = unveil_command("-v", *command).err
    assert re.search(r"^ *\d+\.\d\d s  rank-swapping$", told, re.M)
    assert "no cell of savings changed" in told
    assert told.rstrip().endswith("s  done")
    assert unveil_command(*command).err == plain.err  # it holds for one command
    assert unveil_command("-q", "-v", *command).code == 2


def test_the_help_of_attack_lists_them(unveil_command):
    shown = unveil_command("attack", "--help").out
    for method in json.loads(unveil_command("methods", "--json").out):
        assert (f"  {method['name']} " in shown) == (method["kind"] == "attack")
    assert "unveil attack rank survey.csv release.csv" in shown
    assert len(shown.splitlines()) <= 60


def test_the_release_may_have_a_schema_of_its_own(unveil_command, to_attack):
    sample = unveil.read(to_attack / "survey.csv", to_attack / "survey.toml")
    coded = unveil.masks.GlobalRecoding(intervals=[20, 40, 60], columns=["age"])
    release = unveil.mask(sample, [coded], seed=1)
    unveil.write(release, to_attack / "coarse.csv", row_map=to_attack / "coarse-map.csv")
    unveil.write(release.schema, to_attack / "coarse.toml")
    given = attack_command(to_attack, "--knows", "age,income", truth="coarse-map.csv")
    given[3] = to_attack / "coarse.csv"
    assert unveil_command(*given).code == 3
    done = unveil_command(*given, "--release-schema", to_attack / "coarse.toml")
    assert (done.code, done.err) == (0, "")
