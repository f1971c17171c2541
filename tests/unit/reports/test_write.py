"""``unveil.report``: what it writes, what it refuses, and that a refusal leaves nothing behind."""

import json
from html import unescape

import msgspec
import pytest

import unveil
from fixtures.evidence import evidence as bare
from fixtures.evidence import made
from unveil.errors import FileError, UsageError
from unveil.files.documents.evidence import evidence_json, write_evidence
from unveil.reports.write import check_figures, publish
from unveil.values.results.loss import LossMeasure
from unveil.workflows.compare import compare

SMALL = bare()


def there(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_evidence(SMALL, "e.json")
    return tmp_path


def test_an_audit_its_evidence_and_the_file_of_it_are_one_page(here):
    from unveil.values.results.evidence import Audit

    unveil.report(Audit(SMALL, {}), "audit.html")
    unveil.report(SMALL, here / "evidence.htm")
    unveil.report("e.json", "file.HTML")
    pages = [(here / name).read_bytes() for name in ("audit.html", "evidence.htm", "file.HTML")]
    assert pages[0] == pages[1] == pages[2]
    assert (here / "audit.html").stat().st_mode & 0o777 == 0o600
    assert there(here) == ["audit.html", "e.json", "evidence.htm", "file.HTML"]


def test_without_a_path_a_notebook_shows_the_page(here):
    unveil.report(SMALL, "page.html", title="<A>")
    shown = unveil.report(SMALL, title="<A>")
    assert shown.html == (here / "page.html").read_text()
    frame = shown._repr_html_()
    assert frame.startswith("<iframe sandbox='allow-scripts' ")
    assert unescape(frame.partition('srcdoc="')[2].removesuffix('"></iframe>')) == shown.html
    assert len(repr(shown)) <= 80
    assert there(here) == ["e.json", "page.html"]


def test_a_comparison_and_its_figures(here):
    measures = (
        made(LossMeasure, name="PIL", value=0.5, worst=1.0),
        made(LossMeasure, name="variances", value=1e12, worst=None),  # no end, and no bar
    )
    lossy = msgspec.structs.replace(
        SMALL, loss=msgspec.structs.replace(SMALL.loss, measures=measures)
    )
    found = compare([SMALL, lossy], names=["a", "b"])
    unveil.report(found, "page.html", figures="made/figures")
    kept = (here / "page.html").read_bytes()
    names = ("by-attack", "by-measure", "risk-loss")
    figures = [f"made/figures/{name}.{kind}" for name in names for kind in ("png", "svg")]
    assert there(here) == ["e.json", "made", "made/figures", *figures, "page.html"]
    unveil.report(found, "page.html", figures="made/others", external=True, force=True)
    assert (here / "page.html").read_bytes() != kept
    assert (here / "made/others/by-measure.svg").exists()


@pytest.mark.parametrize(
    ("kind", "given", "path", "options", "said"),
    [
        (UsageError, SMALL, "page.txt", {}, "page.txt: a page is an .html file"),
        (UsageError, SMALL, "page", {}, "a page is an .html file"),
        (UsageError, SMALL, 3, {}, ""),
        (FileError, SMALL, "old.html", {}, "old.html: the file exists already"),
        (FileError, SMALL, "no/page.html", {}, "its folder does not exist"),
        (FileError, SMALL, "folder.html", {"force": True}, "this is a folder"),
        (UsageError, "evidence.html", "evidence.html", {"force": True}, "is an input and"),
        (UsageError, SMALL, "page.html", {"figures": "e.json"}, "e.json: figures go to a folder"),
        (FileError, SMALL, "page.html", {"figures": "full"}, "full: the folder is not empty"),
        (UsageError, SMALL, "page.html", {"figures": "e.json/in"}, "and e.json is a file"),
        (UsageError, None, "page.html", {}, "not NoneType"),
        (UsageError, {"attacks": []}, "page.html", {}, "not dict"),
        (UsageError, SMALL, "page.html", {"figures": 3}, ""),
        (FileError, "old.html", "page.html", {}, "not the complete evidence of an audit"),
        (FileError, "no.json", "page.html", {"figures": "new"}, "cannot be read"),
        (FileError, SMALL, "page.html", {"figures": "full", "external": True}, "need a new one"),
        (UsageError, SMALL, "page.html", {"figures": "page.html"}, "a folder of their own"),
        (UsageError, SMALL, "page\0.html", {}, "no null byte"),
    ],
)  # fmt: skip
def test_refusals(here, kind, given, path, options, said):
    (here / "folder.html").mkdir()
    (here / "full").mkdir()
    for name in ("old.html", "full/file", "evidence.html"):
        (here / name).write_text("mine")
    before = there(here)
    with pytest.raises(unveil.UnveilError) as caught:
        unveil.report(given, path, **options)
    assert isinstance(caught.value, kind)
    assert said in str(caught.value)
    assert there(here) == before
    assert (here / "old.html").read_text() == (here / "evidence.html").read_text() == "mine"


def test_what_cannot_be_drawn_is_a_table(here):
    """Nobody was attacked, and no loss is known: there is nothing to draw, and no empty picture."""
    nothing = bare(risk=None, loss=None)
    publish(nothing, None, "figures", external=False)
    found = compare([nothing, nothing], names=["a", "b"])
    unveil.report(found, "page.html", figures="others")
    assert there(here) == ["e.json", "figures", "others", "page.html"]


def test_figures_alone(here):
    publish(SMALL, None, here / "figures", external=False)
    assert "figures/attacks.svg" in there(here)
    assert not any(name.endswith("html") for name in there(here))
    with pytest.raises(FileError, match="not empty: name another, or add --force"):
        check_figures(here / "figures", force=False)
    check_figures(here / "figures", force=True)
    with pytest.raises(
        FileError, match="external figures need a new"
    ):  # among which others might be
        check_figures(here / "figures", force=True, external=True)


def test_a_folder_of_a_name_too_long(here):
    with pytest.raises(FileError, match="figures cannot be written here: file name too long; name"):
        check_figures(here / ("a" * 9999), force=False)


def test_a_folder_that_cannot_be_made(here, monkeypatch):
    def fail(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.mkdir", fail)
    with pytest.raises(FileError, match="the folder cannot be made: no space left"):
        publish(SMALL, None, "figures", external=False)
    assert there(here) == ["e.json"]


@pytest.mark.parametrize(
    "damage",
    [
        {"attacks": {"top": {}}},
        {"attacks": {"at_risk": {}}},
        {"attacks": {"row_order": {}}},
        {"plan": {"mask": "x"}},
    ],
)
def test_evidence_that_is_damaged_inside_is_none(here, evidence, damage):
    whole = json.loads(evidence_json(evidence))
    for part, inside in damage.items():
        (whole[part][0] if part == "attacks" else whole[part]).update(inside)
    (here / "damaged.json").write_text(json.dumps(whole))
    with pytest.raises(FileError, match="this is not the complete evidence of an audit"):
        unveil.report("damaged.json", "page.html")
    assert not (here / "page.html").exists()
