"""The plan of the house holds: small folders, one name for one class, kernels in their place."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

import pytest

from unveil import attacks, masks, models
from unveil.attacks.base import Attack
from unveil.masks.base import Mask
from unveil.models.base import Model
from unveil.support.specs import method_name
from unveil.values.release.channels import Channel

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_MODULES, MOST_LINES = 20, 400


def _short(path):
    return str(path.relative_to(SOURCE))


def test_no_folder_has_more_than_twenty_modules():
    folders = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py":
            folders[path.parent].append(path.name)
    assert {
        _short(one): len(names) for one, names in folders.items() if len(names) > MOST_MODULES
    } == {}


@pytest.mark.parametrize("path", MODULES, ids=_short)
def test_no_module_is_longer_than_400_lines(path):
    assert path.read_text().count("\n") <= MOST_LINES


def test_no_two_public_classes_share_a_name():
    homes = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(_short(path))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=_short)
def test_every_folder_says_in_a_sentence_what_is_inside(folder):
    described = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    assert re.match(r"[A-Z].{20,}\.(\n|$)", described)


def test_a_public_method_is_documented_by_itself_or_by_what_it_implements():
    classes = {
        node.name: node
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    protocols = {name for name, node in classes.items() if "Protocol" in map(_base, node.bases)}

    def documented(name, method):
        if name not in classes:
            return False
        bases = {*map(_base, classes[name].bases)}
        own = [one for one in _methods(classes[name]) if one.name == method]
        return any(map(ast.get_docstring, own)) or any(documented(one, method) for one in bases)

    assert [
        f"{name}.{one.name}"
        for name, node in classes.items()
        for one in _methods(node)
        if not (name.startswith("_") or one.name.startswith("_"))
        and not any(documented(known, one.name) for known in (name, *protocols))
    ] == []


def _methods(node):
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def _base(node):
    """The name of a base class, with or without its module and its parameter."""
    return ast.unparse(node).partition("[")[0].split(".")[-1]


def test_numba_is_imported_where_kernels_are_compiled_only():
    importing = {
        _short(path)
        for path in MODULES
        if re.search(r"^\s*(import|from) numba\b", path.read_text(), re.M)
    }
    assert importing == {"unveil/support/compile.py"}


def test_kernels_are_compiled_in_folders_called_kernels_only():
    compiled = re.compile(r"^@(kernel|part|step)\(", re.M)
    outside = {_short(path) for path in MODULES if compiled.search(path.read_text())}
    assert {one for one in outside if "/kernels/" not in one} == set()


def test_every_unit_test_has_a_module_or_a_folder_of_the_same_path():
    unit = ROOT / "tests" / "unit"
    for path in unit.rglob("test_*.py"):
        home = SOURCE / "unveil" / path.relative_to(unit).parent / path.stem.removeprefix("test_")
        assert home.is_dir() or home.with_suffix(".py").is_file(), f"{path}: no {home}"


def _named(base):
    """The names of all subclasses of a class."""
    below = {name for one in base.__subclasses__() for name in _named(one)}
    return below | {one.__name__ for one in base.__subclasses__()}


def _type_tests(tree, classes, methods):
    """The lines that ask whether a value is of one of these classes, or has a method's name."""
    for node in ast.walk(tree):
        asked = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = node.args[1:] if node.func.id in ("isinstance", "issubclass") else []
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(one, ast.Call) and ast.unparse(one.func) == "type" for one in sides):
                asked = sides
            words = {one.value for side in sides for one in ast.walk(side) if _is_word(one)}
            if words & methods:
                yield node.lineno
        names = {ast.unparse(one).split(".")[-1] for part in asked for one in ast.walk(part)}
        if names & classes:
            yield node.lineno


def _is_word(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.mark.parametrize(
    ("home", "base", "methods"),
    [
        ("attacks", Attack, attacks.METHODS),
        ("masks", Mask, masks.METHODS),
        ("models", Model, models.METHODS),
        ("values/release", Channel, ()),
    ],
)
def test_no_type_tests_on_named_methods_above_their_folder(home, base, methods):
    methods = {method_name(one) for one in methods}
    found = {
        _short(path): lines
        for path in MODULES
        if path.is_relative_to(SOURCE / "unveil")
        and not path.is_relative_to(SOURCE / "unveil" / home)
        and (lines := [*_type_tests(ast.parse(path.read_text()), _named(base), methods)])
    }
    assert found == {}


def test_a_type_test_is_found():
    source = """
isinstance(spec, attacks.Rank | Pairs)
type(spec) is Rank
spec.name == "rank"
spec.name in ("position", "x")
match spec:
    case Rank():
        pass
isinstance(spec, str)
"""
    assert sorted(_type_tests(ast.parse(source), {"Rank", "Pairs"}, {"rank", "position"})) == [
        2, 3, 4, 5, 7
    ]  # fmt: skip


@pytest.mark.parametrize("package", [attacks, masks], ids=lambda one: one.__name__)
def test_a_package_lists_its_methods_for_editors_as_for_itself(package):
    tree = ast.parse(Path(package.__file__).read_text())
    for_editors = next(node for node in tree.body if isinstance(node, ast.If)).body
    imported = {name.name: node.module for node in for_editors for name in node.names}
    assert imported.items() >= package._HOME.items()
    assert {*package.__all__} >= {*imported}


@pytest.mark.parametrize("package", [attacks, masks], ids=lambda one: one.__name__)
def test_a_package_lists_every_method(package):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    found, kinds = set(), [Attack if package is attacks else Mask]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        ours = kind.__module__.startswith(f"{package.__name__}.")
        if ours and not kind.__name__.startswith("_") and not inspect.isabstract(kind):
            found.add(kind.__name__)
    assert found == {*package._HOME}


COMPUTING = {"numpy", "polars", "scipy", "unveil.masks", "unveil.measures", "unveil.models",
             "unveil.matching", "unveil.grouping", "unveil.engines", "unveil.table"}  # fmt: skip


@pytest.mark.parametrize("path", sorted((SOURCE / "unveil" / "cli").glob("*.py")), ids=_short)
def test_a_command_computes_nothing(path):
    """It calls verbs and prints; of tables it knows the sample of the demonstration only."""
    imported = {
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    } - {"unveil.table.sample"}
    assert {name for name in imported if {name, ".".join(name.split(".")[:2])} & COMPUTING} == set()
