"""The papers use public names only, and the library does not know them."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import unveil
import unveil_papers

PAPERS = Path(unveil_papers.__file__).parent
LIBRARY = Path(unveil.__file__).parent


def imported(path):
    """Each module with the name that is imported from it; None: the module itself."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


FILES = sorted(PAPERS.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda one: str(one.relative_to(PAPERS)))
def test_papers_are_made_of_public_names(path):
    """What a table needs and the public names cannot say would be missing for users, too."""
    for module, name in imported(path):
        if module.partition(".")[0] != "unveil":
            continue
        assert module.count(".") <= 1, f"{module} is not a public module"
        if name is not None:
            public = {*importlib.import_module(module).__all__, "__version__"}
            assert name in public, f"{name} is not a public name of {module}"


def test_no_module_of_the_library_names_the_papers():
    for path in LIBRARY.rglob("*.py"):
        assert not [module for module, _ in imported(path) if module.startswith("unveil_papers")]


def test_importing_the_library_does_not_import_the_papers():
    code = (
        "import sys, unveil, unveil.cli.main, unveil.reports.page\n"
        "for name in unveil.__all__: getattr(unveil, name)\n"
        "assert not [one for one in sys.modules if one.startswith('unveil_papers')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_two_public_classes_share_a_name():
    """Neither among the papers, nor with a class of the library."""
    names = [
        node.name
        for path in (*FILES, *LIBRARY.rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    of_papers = {
        node.name
        for path in FILES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    assert not {name for name in of_papers if names.count(name) > 1}


def test_modules_are_short_and_folders_small():
    assert all(len(path.read_text().splitlines()) <= 400 for path in FILES)
    assert sum(len(path.read_text().splitlines()) for path in FILES) <= 10_300
    folders = [path.parent for path in FILES]
    assert all(folders.count(folder) <= 20 for folder in folders)
