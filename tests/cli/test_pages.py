"""Pages and figures on the command line: what is written, what is said of it, what is refused."""

import pytest

import unveil
from fixtures import audits
from unveil import masks
from unveil.files.documents.evidence import write_evidence

pytestmark = pytest.mark.usefixtures("few_trees")

N = 40
COLUMNS = ("person", "region", "age", "hours", "rent")
AUDIT = ("audit", "o.csv", "r.csv", "--schema", "s.toml", "--truth", "map.csv", "--attack",
         "distance", "--no-sweep", "--errors", "", "--no-remedies", "--no-worst-case")  # fmt: skip
GIVEN = {"o.csv", "r.csv", "s.toml", "map.csv", "plan.toml", "p.toml", "e.json", "f.json"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    sample = unveil.households(N, seed=4)
    schema = unveil.Schema({name: sample.schema[name] for name in COLUMNS})
    people = unveil.Microdata(sample.to_frame().select(COLUMNS), schema)
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.2, columns=["age"])], seed=6)
    unveil.write(people, folder / "o.csv")
    unveil.write(schema, folder / "s.toml")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    unveil.write(release.plan, folder / "plan.toml")
    (folder / "p.toml").write_text("max_risk = 0.05")
    for name, columns in (("e", ["age"]), ("f", ["hours"])):
        masked = unveil.mask(people, [masks.AdditiveNoise(scale=0.5, columns=columns)], seed=1)
        found = audits.audit(
            people,
            masked,
            attacks=["distance"],
            sweep=False,
            errors=(),
            remask=0,
            remedies=False,
            worst_case=False,
        )
        write_evidence(found.evidence, folder / f"{name}.json")
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A folder of one's own with those files."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")} - GIVEN


def test_an_audit_writes_its_page_and_figures(unveil_command, here):
    done = unveil_command(
        *AUDIT, "--plan", "plan.toml", "--remask", "0", "--policy", "p.toml", "--report", "a.html",
        "--figures", "figures", "--evidence", "a.json",
    )  # fmt: skip
    assert (done.code, done.err) == (1, "")  # the policy is not kept, and all is written
    assert "Wrote a.html: the page, keep it private." in done.out
    assert "Wrote the charts to figures, keep it private." in done.out
    assert {"a.html", "figures/attacks.svg", "figures/attacks.png", "figures/records.svg",
            "figures/subgroups.svg", "figures/unchanged.svg"} <= written(here)  # fmt: skip
    again = unveil_command("report", "a.json", "--report", "b.html")
    assert (again.code, again.err) == (0, "")
    assert again.out == "Wrote b.html: the page, keep it private.\n"
    assert (here / "a.html").read_bytes() == (here / "b.html").read_bytes()
    text = (here / "a.html").read_text()
    assert "Internal report" in text
    assert "The policy is not kept" in text


def test_a_report_for_others(unveil_command, here):
    done = unveil_command(
        "report", "e.json", "--report", "a.html", "--figures", "f", "--external"
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert done.out.count("for others; read it before you send it") == 2
    assert "External report" in (here / "a.html").read_text()
    assert "f/attacks.svg" in written(here)
    assert not {"f/subgroups.svg", "f/records.svg", "f/unchanged.svg"} & written(here)
    again = unveil_command("report", "e.json", "--report", "a.html", "--force")
    assert again.code == 0
    assert "Internal report" in (here / "a.html").read_text()


def test_a_comparison_writes_its_page(unveil_command, here):
    (here / "f").mkdir()  # one folder for both
    done = unveil_command("compare", "e.json", "f.json", "--report", "f/c.html", "--figures", "f")
    assert (done.code, done.err) == (0, "")
    assert "Wrote f/c.html: the page, keep it private." in done.out
    assert "e.json" in (here / "f/c.html").read_text()
    assert "f/risk-loss.png" in written(here)
    done = unveil_command("compare", "e.json", "f.json", "--report", "d.html", "--external")
    assert "Wrote d.html: the page, for others; read it before you send it." in done.out
    assert "e.json" not in (here / "d.html").read_text()


def test_json_stays_json(unveil_command, here):
    import json

    done = unveil_command("compare", "e.json", "f.json", "--report", "c.html", "--json")
    assert json.loads(done.out)["records"] == N
    assert written(here) == {"c.html"}


COMMANDS = {
    "audit": AUDIT,
    "compare": ("compare", "e.json", "f.json"),
    "report": ("report", "e.json"),
}
MISTAKES = [
    (2, ("--external",), "--external does nothing without --report or --figures"),
    (2, ("--report", "page.txt"), "page.txt: a page is an .html file"),
    (3, ("--report", "old.html"), "old.html: the file exists already"),
    (3, ("--report", "no/page.html"), "its folder does not exist"),
    (3, ("--report", "folder.html", "--force"), "this is a folder"),
    (2, ("--figures", "p.toml"), "p.toml: figures go to a folder, and p.toml is a file"),
    (2, ("--figures", "p.toml/in"), "p.toml is a file"),
    (3, ("--figures", "full"), "full: the folder is not empty"),
    (3, ("--report", "page.html", "--figures", "full"), "full: the folder is not empty"),
    (2, ("--report",), "--report"),
]  # fmt: skip
OWN = [
    ("audit", 2, ("--report", "o.html", "--force"), "is an input and cannot be an output"),
    (
        "audit",
        2,
        ("--report", "p.html", "--policy", "p.html", "--force"),
        "is an input and cannot be an output",
    ),
    ("audit", 2, ("--report", "x.html", "--evidence", "x.html"), "named as two outputs"),
    ("audit", 2, ("--evidence", "x", "--figures", "x"), "x: figures go to a folder of their own"),
    ("audit", 2, ("--per-record", "x.csv", "--figures", "x.csv/y"), "a folder of their own"),
    ("report", 2, ("--report", "x.html", "--figures", "x.html"), "a folder of their own"),
    ("compare", 2, ("--report", "e.html", "--force"), "is an input and cannot be an output"),
    ("report", 2, ("--report", "e.html", "--force"), "is an input and cannot be an output"),
    ("report", 2, (), "name an output: --report PAGE, --figures DIR, or --json"),
]


@pytest.mark.parametrize(("code", "args", "said"), MISTAKES)
@pytest.mark.parametrize("command", COMMANDS)
def test_mistakes_are_told_before_the_work(
    unveil_command, here, monkeypatch, command, code, args, said
):
    if command == "report" and args == ("--external",):
        said = "name an output"
    _refused(unveil_command, here, monkeypatch, (*COMMANDS[command], *args), code, said)


@pytest.mark.parametrize(("command", "code", "args", "said"), OWN)
def test_mistakes_of_a_command(unveil_command, here, monkeypatch, command, code, args, said):
    """Inputs that are called as pages are, and other outputs."""
    (here / "o.html").write_bytes((here / "o.csv").read_bytes())
    (here / "p.html").write_bytes((here / "p.toml").read_bytes())
    (here / "e.html").write_bytes((here / "e.json").read_bytes())
    line = [
        {"o.csv": "o.html", "e.json": "e.html"}.get(word, word) if args else word
        for word in COMMANDS[command]
    ]
    _refused(unveil_command, here, monkeypatch, (*line, *args), code, said)


def _refused(unveil_command, here, monkeypatch, line, code, said):
    def too_late(*_args, **_options):
        raise AssertionError("the work was begun")

    monkeypatch.setattr("unveil.workflows.audit.audit", too_late)
    monkeypatch.setattr("unveil.workflows.compare.compare", too_late)
    monkeypatch.setattr("unveil.reports.page.page", too_late)
    (here / "folder.html").mkdir()
    (here / "full").mkdir()
    for name in ("old.html", "full/file"):
        (here / name).write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    done = unveil_command(*line)
    assert (done.code, done.out) == (code, ""), done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert before == {path: path.stat().st_mtime_ns for path in here.rglob("*")}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("no.json", None, "no.json: the evidence cannot be read"),
        ("bad.json", b"{", "this is not the complete evidence of an audit"),
        ("bad.json", b'{"format": 99, "version": "9"}', "in format 99"),
        (
            "bad.json",
            b'{"format": 2, "version": "1"}',
            "this is not the complete evidence of an audit",
        ),
        ("o.csv", None, "this is not the complete evidence of an audit"),
    ],
)
def test_bad_evidence(unveil_command, here, name, content, said):
    if content is not None:
        (here / name).write_bytes(content)
    before = written(here)
    done = unveil_command("report", name, "--report", "a.html", "--figures", "f")
    assert (done.code, done.out) == (3, "")
    assert said in done.err
    assert written(here) == before


@pytest.mark.parametrize("command", ["audit", "compare", "report"])
def test_help(unveil_command, command):
    done = unveil_command(command, "--help")
    assert done.code == 0
    for option in ("--report", "--external", "--figures", "--force"):
        assert option in done.out


def test_a_replay_writes_no_page(unveil_command, here):
    done = unveil_command("audit", "--replay", "e.json", "--report", "a.html")
    assert done.code == 2
    assert "leave out --report" in done.err
    assert written(here) == set()
