"""The command lines of README and steps run, as written and in order; tables shown are true."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from fixtures import audits
from unveil import attacks, errors, files, masks
from unveil.cli.main import INTERNAL_ERROR
from unveil.files.documents.toml import PLAN_KEYS
from unveil.files.formats.base import formats
from unveil.table.attribute import FLAGS
from unveil.table.roles import LEVELS, ROLES
from unveil.values.search_space import Combination, ParameterRange, SearchSpace
from unveil.workflows import demo as demonstrating

ROOT = Path(__file__).parents[2]


def test_the_readme_starts_with_the_two_commands():
    first = (ROOT / "README.md").read_text().split("##")[0]
    assert first.index("make demo") < first.index("make test")


# What an audit does by default is tested elsewhere, and takes half a minute.
QUICK = (
    "--attack", "position", "--no-sweep", "--errors", "0", "--remask", "0", "--no-remedies",
    "--no-worst-case",
)  # fmt: skip
AS_QUICK = {
    "attacks": ["position"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("page", ["README.md", "docs/steps.md"])
def test_the_commands_of_a_page_run(page, unveil_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quick = audits.shortened(demonstrating.audit, AS_QUICK)
    monkeypatch.setattr(demonstrating, "audit", quick)
    monkeypatch.setattr(demonstrating, "TRIALS", 2)
    monkeypatch.setattr(demonstrating, "CHOSEN_PEOPLE", 100)
    monkeypatch.setattr(sys, "executable", "/no/such/python")  # no other process
    text = (ROOT / page).read_text()
    lines = [
        line
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
        for line in re.findall(r"^\$ unveil (.*)$", block, re.MULTILINE)
    ]
    assert len(lines) >= 4
    shown = ""
    for line in lines:
        quick = line.startswith("audit") and "--replay" not in line
        done = unveil_command(*shlex.split(line), *(QUICK if quick else ()))
        assert done.code == 0, (line, done.err)
        shown += done.out
    for row in re.findall(r"^    (region|age|education|income) (.*)$", text, re.MULTILINE):
        assert " ".join(row).split() in [out.split() for out in shown.splitlines()]


def test_the_schema_of_the_steps_is_a_schema(tmp_path):
    import unveil

    text = re.search(r"```toml\n(.*?)```", (ROOT / "docs/steps.md").read_text(), re.DOTALL)
    path = tmp_path / "s.toml"
    path.write_text(text[1])
    assert len(unveil.files.read_schema(path)) == 3


READERS = {
    "schema": files.read_schema, "plan": files.read_plan, "policy": files.read_policy,
    "space": files.read_space, "choose": files.read_space,
}  # fmt: skip


@pytest.mark.parametrize("page", READERS)
def test_the_files_of_a_reference_page_are_read(page, tmp_path):
    examples = re.findall(r"```toml\n(.*?)```", (ROOT / f"docs/{page}.md").read_text(), re.DOTALL)
    assert examples
    for number, text in enumerate(examples):
        path = tmp_path / f"{number}.toml"
        path.write_text(text)
        READERS[page](path)


def test_the_reference_pages_written_by_hand_have_every_key():
    keys = {
        "plan": PLAN_KEYS,
        "space": [
            *SearchSpace.__struct_fields__, *Combination.__struct_fields__,
            *(name for name in ParameterRange.__struct_fields__ if name != "start"),
        ],
        "schema": (*ROLES, *LEVELS, *FLAGS),
        "exit-codes": [name for name in errors.__all__ if name != "UnveilError"],
    }  # fmt: skip
    for page, names in keys.items():
        text = (ROOT / f"docs/{page}.md").read_text()
        assert [name for name in names if not re.search(rf"[`.\[]{name}[`\]]", text)] == [], page
    codes = {getattr(errors, name).exit_code for name in errors.__all__}
    table = set(map(int, re.findall(r"^\| (\d+) \|", text, re.MULTILINE)))
    assert table == codes | {0, 1, INTERNAL_ERROR, 130, 143}


def test_the_spaces_and_policies_of_the_docs_are_read(tmp_path):
    import unveil
    from unveil.workflows.choosing.default_space import filled_space

    reads = {"choose.md": unveil.files.read_space, "loss.md": unveil.files.read_policy}
    for page, read in reads.items():
        blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
        assert blocks
        for block in blocks:
            (tmp_path / "d.toml").write_text(block)
            found = read(tmp_path / "d.toml")
            if page == "choose.md":
                assert len(filled_space(unveil.households(60), found).combination) == 1


def test_the_architecture_is_short_and_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text.split()) <= 2000
    for room in (ROOT / "src" / "unveil").iterdir():
        if room.is_dir() and room.name != "__pycache__":
            assert f"`{room.name}/`" in text, f"ARCHITECTURE.md does not name {room.name}"


def test_the_docs_have_every_mask_attack_and_format():
    named = {
        "masks.md": [f"`{one.__name__}" for one in masks.METHODS],
        "attacks.md": [f"| `{one.__name__}(" for one in attacks.METHODS],
        "files.md": [f"`{suffix}" for one in formats() for suffix in one.suffixes],
    }
    for page, names in named.items():
        text = (ROOT / "docs" / page).read_text()
        assert [name for name in names if name not in text] == [], page


def test_every_picture_is_there():
    shown = [
        (path, picture)
        for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for picture in re.findall(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)", path.read_text())
    ]
    assert (ROOT / "README.md", "docs/page.png") in shown
    for path, picture in shown:
        assert (path.parent / picture).is_file(), f"{path.name} shows {picture}, which is not there"


def test_the_readme_fits_two_screens_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") <= 110
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert (ROOT / target).is_file(), target
