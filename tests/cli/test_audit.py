"""``unveil audit`` as a user meets it: verdicts, evidence, kills, threads, mistakes."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import masks

N = 40
ON_ONE_CORE = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from unveil.cli.main import main
main()
"""
FILES = ("o.csv", "r.csv", "--schema", "s.toml", "--truth", "map.csv")
AUDIT = ("audit", *FILES)
QUICK = (
    "--attack", "distance", "--no-sweep", "--errors", "", "--remask", "0", "--no-remedies",
    "--no-worst-case",
)  # fmt: skip
LONGER = (
    "--plan", "plan.toml", "--errors", "0.2", "--remask", "1", "--attack", "distance",
    "--attack", "rank-max", "--attack", "probabilistic", "--max-risk", "0.05", "--seed", "5",
    "--no-worst-case",
)  # fmt: skip
COLUMNS = ("person", "household", "region", "age", "hours", "rent", "weight")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A survey, its release, schema, plan and row map, as `unveil mask` would leave them."""
    folder = tmp_path_factory.mktemp("audit")
    sample = unveil.households(N, seed=4)
    schema = unveil.Schema({name: sample.schema[name] for name in COLUMNS})
    people = unveil.Microdata(sample.to_frame().select(COLUMNS), schema)
    steps = [masks.AdditiveNoise(scale=0.2, columns=["age", "hours"])]
    release = unveil.mask(people, steps, seed=6)
    unveil.write(people, folder / "o.csv")
    unveil.write(schema, folder / "s.toml")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    unveil.write(release.plan, folder / "plan.toml")
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A folder of one's own with those files."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_of(text):
    """The text without its line breaks."""
    return " ".join(text.split())


def left_behind(folder):
    known = {"o.csv", "r.csv", "s.toml", "map.csv", "plan.toml"}
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def test_a_policy_that_fails_is_exit_code_1(unveil_command, here):
    done = unveil_command(*AUDIT, *QUICK, "--max-risk", "0.05", "--evidence", "e.json")
    assert (done.code, done.err) == (1, "")
    said = words_of(done.out)
    assert (
        "This release does not keep the policy: it misses its only limit: stress test, linked"
        in said
    )
    assert "✗ 5 %" in said
    assert "LIMITS" not in done.out
    assert "Wrote e.json" in done.out
    assert "Next: unveil report e.json --report audit.html" in done.out
    assert left_behind(here) == ["e.json"]
    assert (here / "e.json").stat().st_mode & 0o777 == 0o600
    evidence = json.loads((here / "e.json").read_text())
    assert evidence["verdict"]["passed"] is False
    assert evidence["inputs"]["truth"]["file"] == "map.csv"
    assert evidence["settings"]["effort"] == "normal"


def test_a_policy_that_is_kept_is_exit_code_0(unveil_command, here):
    (here / "p.toml").write_text("k_anonymity = 1\nmax_loss = 1")
    done = unveil_command(*AUDIT, *QUICK, "--policy", "p.toml", "--max-risk", "1", "--json")
    assert done.code == 0
    verdict = json.loads(done.out)["verdict"]
    assert [one["limit"] for one in verdict["limits"]] == ["max_risk", "k_anonymity", "max_loss"]
    assert verdict["passed"] is True


def test_columns_without_a_role_fail_a_policy_and_head_the_page(unveil_command, here):
    (here / "s.toml").write_text('quasi = ["age", "hours"]\nidentifier = "person"\n')
    sentence = "3 columns without a role, released unchanged (region, rent, weight)"
    done = unveil_command(*AUDIT, *QUICK, "--max-risk", "1", "--report", "page.html")
    assert done.code == 1
    assert done.out.startswith(f"! {sentence}")
    assert "misses 1 of 2 limits: columns without a role: 3." in words_of(done.out)
    page = (here / "page.html").read_text()
    assert page.index(sentence) < page.index("The policy is not kept")
    done = unveil_command(*AUDIT, *QUICK)
    assert (done.code, done.out[: len(sentence) + 2]) == (0, f"! {sentence}")
    with (here / "s.toml").open("a") as file:
        file.write('other = ["region", "rent", "weight"]\n')
    done = unveil_command(*AUDIT, *QUICK, "--max-risk", "1", "--verbose")
    assert done.code == 0
    assert "Declared as other, so assumed unknown to every intruder: region, rent" in done.out


def test_a_column_of_the_release_only_fails_a_policy_and_heads_the_page(unveil_command, here):
    released = pl.read_csv(here / "r.csv")
    released.with_columns(AGE=pl.col("age")).write_csv(here / "r.csv")
    done = unveil_command(*AUDIT, *QUICK, "--max-risk", "1")
    assert done.code == 1
    assert done.out.startswith("! 1 column without a role, in the release only (AGE)")
    assert "misses 1 of 2 limits: columns without a role: 1." in words_of(done.out)


def test_a_released_identifier_fails_a_policy_and_heads_the_page(unveil_command, here):
    released = pl.read_csv(here / "r.csv")
    released.with_columns(person=pl.int_range(pl.len())).write_csv(here / "r.csv")
    done = unveil_command(*AUDIT, *QUICK, "--max-risk", "1", "--report", "page.html")
    assert done.code == 1
    assert done.out.startswith("! The release contains identifiers (person). Remove them")
    assert "misses 1 of 2 limits: identifiers released: 1." in words_of(done.out)
    page = (here / "page.html").read_text()
    said = "Remove them before you publish it"
    assert page.index(said) < page.index("The policy is not kept")


def test_everything_is_said(unveil_command, here):
    done = unveil_command(
        *AUDIT, *LONGER, "--attack", "position", "--per-record", "each.csv", "--evidence", "e.json",
        "--verbose",
    )  # fmt: skip
    assert done.code == 1
    for words in (
        "Our strongest attack links", "rank-max", "an intruder who searches",
        "out of date", "Of the subgroups with at least ten people",
        "households", "The masking changed", "An intruder reads the confidential value",
        "The overall loss is", "Unchanged columns", "WHAT TO DO NEXT",
    ):  # fmt: skip
        assert words in done.out
    each = pl.read_csv(here / "each.csv")
    assert each["row"].to_list() == list(range(1, N + 1))
    worst = json.loads((here / "e.json").read_text())["attacks"][0]
    named = f"{worst['name']} {worst['risk']['direction']}"
    assert each[named].sum() == pytest.approx(worst["risk"]["expected"])
    assert (here / "each.csv").stat().st_mode & 0o777 == 0o600
    again = unveil_command("audit", "--replay", "e.json")
    assert again.code == 0
    assert again.out.startswith("Identical: all")


def said_on(page):
    """A page's words, as they are read."""
    return re.sub(r"<[^>]*>", "", page.read_text()).replace("\N{NO-BREAK SPACE}", " ")


def test_discards_that_fall_on_a_minority_are_said(unveil_command, here):
    """On the terminal and on the page, in the words of `unveil.mask`; to others without who."""
    people = pl.read_csv(here / "o.csv")
    region = people["region"].mode()[0]
    gone = people["region"] == region
    rows = pl.Series(range(1, N + 1)).filter(~gone)
    people.filter(~gone).drop("person").write_csv(here / "r.csv")
    pairs = pl.DataFrame({"released": range(1, len(rows) + 1), "original": rows})
    pairs.write_csv(here / "map.csv")
    done = unveil_command(*AUDIT, *QUICK, "--report", "p.html", "--evidence", "e.json", "-v")
    assert done.code == 0, done.err
    share = f"{gone.mean():.1%}".replace("%", " %")
    said = f"but 100 % of the {gone.sum()} in region, A (most frequent). Chance does not explain it"
    assert f"{share} of the records are not released, {said}" in done.out
    words = said_on(here / "p.html")
    assert said in words
    assert region not in done.out + words
    assert "Loss of each subgroup" in words
    unveil_command("report", "e.json", "--report", "x.html", "--external")
    others = said_on(here / "x.html")
    assert f"{share} of the records are not released." in others
    assert "Chance does not explain it" not in others
    assert "Loss of each subgroup" not in others
    asked = unveil_command(*AUDIT, *QUICK, "--show-values", "--evidence", "shown.json", "-v")
    assert f"in region, {region}. Chance does not explain it" in asked.out
    unveil_command("report", "shown.json", "--report", "y.html", "--external")
    assert region not in said_on(here / "y.html")


@pytest.mark.slow
def test_a_killed_audit_is_resumed(unveil_command, here):
    """Killed on one core, gone on with on two: the bytes of an audit that nobody killed."""
    given = (*FILES, *LONGER, "--evidence", "e.json")
    whole = unveil_command("audit", *given)
    assert whole.code == 1
    expected = (here / "e.json").read_bytes()
    (here / "e.json").unlink()
    killed = subprocess.Popen(
        [sys.executable, "-c", ON_ONE_CORE, "audit", *given],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    folder = here / "e.json.unfinished"
    until = time.monotonic() + 60
    while len(list(folder.glob("attack*.json"))) < 2 and time.monotonic() < until:
        assert killed.poll() is None
        time.sleep(0.002)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    finished = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(finished) >= 3
    assert not (here / "e.json").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    other = unveil_command("audit", *given[:-2], "--seed", "9", *given[-2:], "--resume")
    assert other.code == 2
    assert "other files, settings, policy, seed or version" in other.err
    steps = []
    with pytest.MonkeyPatch.context() as patch:
        from unveil.files.checkpoints import CheckpointFolder

        keep = CheckpointFolder.keep
        patch.setattr(
            CheckpointFolder,
            "keep",
            lambda self, step, *all: (steps.append(step), keep(self, step, *all)),
        )
        patch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
        again = unveil_command("audit", *given, "--resume")
    assert again.code == 1
    assert again.out == whole.out
    assert (here / "e.json").read_bytes() == expected
    assert left_behind(here) == ["e.json"]
    assert not {f"{step.replace(' ', '-')}.json" for step in steps} & {*finished}


def test_ctrl_c_ends_cleanly_and_can_be_resumed(unveil_command, here, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    given = (*AUDIT, *QUICK, "--evidence", "e.json")
    with monkeypatch.context() as patch:
        patch.setattr("unveil.measures.unchanged", interrupted)
        done = unveil_command(*given)
    assert (done.code, done.out) == (130, "")
    assert done.err.strip() == "unveil: stopped"
    assert left_behind(here) == ["e.json.unfinished"]
    assert unveil_command(*given, "--resume").code == 0
    assert left_behind(here) == ["e.json"]


@pytest.mark.slow
@pytest.mark.usefixtures("quick_learning")
def test_the_number_of_threads_means_nothing(here, unveil_command, monkeypatch):
    """Even small work is shared out here."""
    monkeypatch.setattr("unveil.support.threads.SHARED_FROM", 0)
    written = []
    for cores in ({0}, {0, 1}):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _pid, cores=cores: cores)
        attacks = ("distance", "rank", "probabilistic", "distance-posterior", "tailored")
        chosen = [word for name in attacks for word in ("--attack", name)]
        plan = ("--plan", "plan.toml", "--errors", "", "--remask", "1", "--no-sweep")
        done = unveil_command(*AUDIT, *chosen, *plan, "--evidence", "e.json", "--force")
        assert done.code == 0
        written.append((here / "e.json").read_bytes())
    assert written[0] == written[1]


MISTAKES = [
    (2, (), "name ORIGINAL and RELEASE"),
    (2, (*FILES, "--resume"), "resume: name the evidence (--evidence)"),
    (2, (*FILES, "--attack", "rnak"), "did you mean 'rank'"),
    (2, (*FILES, "--attack", "tailored"), "this attack needs the masking"),
    (2, (*FILES, "--errors", "few"), "--errors: numbers"),
    (2, (*FILES, "--errors", "-1"), "errors"),
    (2, (*FILES, "--errors", "0.1,2"), "errors, entry 2: a number of at most 1"),
    (2, (*FILES, "--seconds", "nan"), "seconds"),
    (2, (*FILES, "--memory", "much"), "4G"),
    (2, (*FILES, "--rename", "age"), "--rename: give NEW=OLD"),
    (2, (*FILES, "--rename", "x=age", "--rename", "y=age"), "rename: two columns"),
    (2, (*FILES, "--evidence", "o.csv", "--force"), "is an input and cannot be an output"),
    (2, (*FILES, "--evidence", "e.json", "--per-record", "e.json"), "named as two outputs"),
    (2, (*FILES, "--max-risk", "0.1", "--policy", "risk.toml"), "leave one out"),
    (2, ("--replay", "good.json", "--max-risk", "0.1"), "leave out --max-risk"),
    (2, (*FILES[:4], "--truth", "nobody"), "is neither a common column nor a file"),
    (3, FILES[:4], "the true links are not known"),
    (3, (*FILES[:4], "--truth", "strange.csv"), "give the map of this release"),
    (3, ("o.csv", "r.csv", "--truth", "map.csv"), "no attribute has the role quasi"),
    (3, ("o.csv", "typed.csv", *FILES[2:]), "perhaps hours2=hours"),
    (3, (*FILES, "--rename", "x=age"), "in the release, column 'x'"),
    (3, (*FILES, "--knows", "agee"), "did you mean 'age'"),
    (3, (*FILES, "--policy", "near.toml"), "did you mean 'max_risk'"),
    (3, (*FILES, "--evidence", "old.json"), "--force"),
    (3, (*FILES, "--evidence", "no/e.json"), "its folder does not exist"),
    (3, (*FILES, "--evidence", "e.json", "--per-record", "each.xyz"), "names no known format"),
    (3, (*FILES, "--evidence", "file.json"), "not the folder of an unfinished audit"),
    (3, (*FILES, "--evidence", "file.json", "--resume"), "not the folder of an unfinished audit"),
    (3, (*FILES, "--evidence", f"{'a' * 999}.json", "--resume"), "file name too long"),
    (3, (*FILES, "--plan", "no.toml"), "cannot be read"),
    (3, (*FILES, "--plan", "other.plan", "--evidence", "e.json"), "weight2"),
    (3, ("--replay", "old.json"), "in format 99"),
    (3, ("--replay", "cut.json"), "not the complete evidence of an audit"),
    (3, ("--replay", "no.json"), "cannot be read"),
    (3, ("--replay", "good.json", "map.csv"), "not the original that was audited"),
    (3, ("--replay", "good.json", "gone.csv"), "is no longer here"),
]


@pytest.fixture(scope="module")
def evidence(made):
    found = audits.audit(
        made / "o.csv", made / "r.csv", schema=made / "s.toml", truth=made / "map.csv",
        attacks=["distance"], sweep=False, errors=(), remask=0, worst_case=False,
    )  # fmt: skip
    from unveil.files.documents.evidence import evidence_json

    return evidence_json(found.evidence)


@pytest.mark.parametrize(("code", "args", "said"), MISTAKES)
def test_mistakes_are_answered_in_sentences(unveil_command, here, evidence, code, args, said):
    """And nothing is written, half or whole."""
    (here / "near.toml").write_text("max_rsik = 0.05")
    (here / "risk.toml").write_text("max_risk = 0.05")
    (here / "good.json").write_bytes(evidence)
    (here / "old.json").write_bytes(evidence.replace(b'"format": 3,', b'"format": 99,'))
    (here / "cut.json").write_bytes(evidence[:-100])
    (here / "file.json.unfinished").write_text("a file")
    (here / "strange.csv").write_text("released,original\n1,99\n")
    (here / "other.plan").write_text(
        "seed = 1\n[[mask]]\nmethod = 'rounding'\nbase = 5\ncolumns = ['weight2']"
    )
    typed = pl.read_csv(here / "r.csv").with_columns(hours2="hours", hours=pl.lit("many"))
    typed.write_csv(here / "typed.csv")
    schema = unveil.files.read_schema(here / "s.toml").to_dict()
    del schema["attributes"]["hours"]["level"]
    unveil.write(unveil.Schema.from_dict(schema), here / "s.toml", force=True)
    before = {path.name: path.stat().st_mtime_ns for path in here.iterdir()}
    done = unveil_command("audit", *args)
    assert done.code == code, done.err
    assert done.out == ""
    assert said in done.err
    assert "Traceback" not in done.err
    assert before == {path.name: path.stat().st_mtime_ns for path in here.iterdir()}


def test_a_changed_file_is_not_replayed(unveil_command, here, evidence):
    (here / "e.json").write_bytes(evidence.replace(str(here).encode(), b"."))
    files = ("o.csv", "r.csv", "--truth", "map.csv")
    changed = json.loads(evidence) | {"released": N + 1}
    (here / "other.json").write_text(json.dumps(changed))
    again = unveil_command("audit", "--replay", "other.json", *files)
    assert again.code == 1
    assert again.out.startswith("NOT identical: 1 difference in ")
    assert again.out.split()[-3:] == ["released", f"{N + 1}", f"{N}"]
    with (here / "r.csv").open("a") as file:
        file.write("\n")
    done = unveil_command("audit", "--replay", "e.json", *files)
    assert done.code == 3
    assert "r.csv: this is not the release that was audited: its SHA-256 differs" in done.err


@pytest.mark.usefixtures("here")
def test_progress_is_shown_on_a_terminal(unveil_command, monkeypatch):
    """On standard error; the result is as it is."""
    plain = unveil_command(*AUDIT, *QUICK, "--json")
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr.isatty", lambda: True)
        shown = unveil_command(*AUDIT, *QUICK, "--json")
    assert (plain.code, shown.code, plain.err) == (0, 0, "")
    assert "0:00:0" in shown.err
    assert "left:" not in shown.err  # the speed is not known so early
    assert shown.out == plain.out


def test_a_finished_audit_is_not_run_again(unveil_command, here, monkeypatch):
    """It says so; without a policy that is broken, it ends with 0."""
    given = (*AUDIT, *QUICK, "--evidence", "e.json", "--per-record", "each.csv")
    first = unveil_command(*given, "--report", "a.html")
    assert first.code == 0
    names = ("e.json", "each.csv", "a.html")
    written = {name: (here / name).read_bytes() for name in names}

    def fail(*_args, **_options):
        raise AssertionError("an attack was made")

    with monkeypatch.context() as patch:
        patch.setattr("unveil.workflows.audit.make_attack", fail)
        again = unveil_command(*given, "--report", "a.html", "--resume")
    assert again.code == 0
    said, _, report = again.out.partition("\n")
    assert said == "e.json: this audit is finished; nothing was run again."
    assert report.partition("Wrote")[0] == first.out.partition("Wrote")[0]
    assert written == {name: (here / name).read_bytes() for name in names}
    other = unveil_command(*given, "--seed", "9", "--resume")
    assert other.code == 3
    assert "e.json: the file exists already; it is the evidence of another audit" in other.err
    (here / "each.csv").unlink()  # killed before its last file
    assert unveil_command(*given, "--resume").code == 0
    assert written["each.csv"] == (here / "each.csv").read_bytes()
    broken = (*given, "--max-risk", "0", "--force")
    assert unveil_command(*broken).code == 1
    assert unveil_command(*broken[:-1], "--resume").code == 1
