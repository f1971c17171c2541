"""The examples run as they stand, use public names only, and are what their page shows."""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

import unveil

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STEPS = ("mask", "attack", "audit", "compare", "link", "k_anonymity", "formal")
SCRIPTS = {path.stem: path for path in (ROOT / "examples").iterdir() if path.suffix == ".py"}
SHOWN = {
    name: (script, printed)
    for name, script, printed in re.findall(
        r"`examples/(\w+)\.py`.*?```python\n(.*?)```\n\n```text\n(.*?)```",
        (ROOT / "docs" / "examples.md").read_text(),
        re.DOTALL,
    )
}


@pytest.fixture
def run(monkeypatch, tmp_path):
    """A function that runs an example as `python examples/NAME.py ARGS` would, somewhere else."""
    monkeypatch.chdir(tmp_path)

    def run(name, *args):
        monkeypatch.setattr(sys, "argv", [str(SCRIPTS[name]), *map(str, args)])
        runpy.run_path(str(SCRIPTS[name]), run_name="__main__")

    return run


def test_the_page_has_every_step_in_order():
    assert tuple(SHOWN) == STEPS
    assert set(SCRIPTS) == set(STEPS)


@pytest.mark.parametrize("name", STEPS)
def test_the_page_shows_the_script_and_what_it_prints(name, run, capsys, caplog, tmp_path):
    assert SHOWN[name][0] == SCRIPTS[name].read_text()
    run(name)
    assert capsys.readouterr().out == SHOWN[name][1]
    # On a machine where nothing is compiled yet, that is told.
    expected = (
        "preparing ",
        "microaggregation: columns of households (household_size) are grouped",
    )
    assert [said for said in caplog.messages if not said.startswith(expected)] == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_goes_to_the_folder_that_is_named(run, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    run("mask", folder)
    assert {path.name for path in folder.iterdir()} == {"release.csv", "release.toml", "plan.toml"}
    assert len(unveil.read(folder / "release.csv", folder / "release.toml")) == 1000


@pytest.mark.parametrize("name", STEPS)
def test_an_example_is_short_and_says_what_it_shows(name):
    text = SCRIPTS[name].read_text()
    assert len(text.splitlines()) < 30
    assert len((ast.get_docstring(ast.parse(text)) or "\n").splitlines()) == 1
    assert "seed=7" in text


@pytest.mark.parametrize("name", STEPS)
def test_an_example_uses_public_names_only(name):
    tree = list(ast.walk(ast.parse(SCRIPTS[name].read_text())))
    imported = {
        *(alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names),
        *(node.module for node in tree if isinstance(node, ast.ImportFrom)),
    }
    assert "unveil" in imported
    assert imported - {"unveil"} <= sys.stdlib_module_names
    for node in tree:
        names = _dotted(node)
        if names[:1] == ["unveil"] and len(names) > 1:
            room = unveil if len(names) == 2 else getattr(unveil, names[1])
            assert names[-1] in room.__all__, ".".join(names)


def _dotted(node):
    """The names of `unveil.masks.Pram`; nothing, where it is something else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return [*before, node.attr] if before else []
    return []
