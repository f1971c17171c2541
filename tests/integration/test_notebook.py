"""The notebook of the examples runs from top to bottom, and shows no cell of the data."""

import ast
import json
import re
from pathlib import Path

import polars as pl
import pytest

import unveil

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first_release.ipynb"
CELLS = json.loads(NOTEBOOK.read_text())["cells"]
CODE = {cell["id"]: "".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"}
WORD = re.compile(r"(?<![\w.])\w+")  # the digits behind a point are no cell
FRAMES = {"frame", "pairs", "records"}  # results as numbers, whose digits may be those of a cell


def _run(source, namespace):
    """Run a cell, and return the value of its last expression."""
    tree = ast.parse(source)
    assert isinstance(tree.body[-1], ast.Expr), "every cell shows something"
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "cell", "exec"), namespace)  # noqa: S102 - our own notebook
    return eval(compile(last, "cell", "eval"), namespace)  # noqa: S307


def _shown(value):
    """What a notebook asks a value for: a bundle of several kinds, else HTML, and a text."""
    if hasattr(value, "_repr_mimebundle_"):
        bundle = value._repr_mimebundle_()
        bundle = bundle[0] if isinstance(bundle, tuple) else bundle
        return "\n".join(json.dumps(one) if isinstance(one, dict) else one
                         for one in bundle.values())  # fmt: skip
    return f"{value._repr_html_()}\n{value!r}"


def _cells(survey):
    """The cells that nobody would take for another word or number."""
    for name in survey.columns:
        for cell in survey.column(name).drop_nulls().unique():
            long = cell >= 10_000 if isinstance(cell, int | float) else len(cell) > 6
            if long and name != "education":  # whose categories are declared
                yield str(cell).removesuffix(".0")


def test_the_notebook_runs_and_shows_no_cell():
    namespace, shown = {}, {}
    for name, source in CODE.items():
        shown[name] = _shown(_run(source, namespace))
        assert len(shown[name]) > 200, name
    cells = set(_cells(namespace["survey"]))
    assert len(cells) > 300
    for name in shown.keys() - FRAMES:
        words = set(WORD.findall(shown[name]))
        assert {
            cell for cell in cells if cell in (words if cell.isdigit() else shown[name])
        } == set(), name
    assert isinstance(namespace["audit"].to_frame(), pl.DataFrame)
    assert {*namespace["audit"].per_record.columns} - {"row"} == {*namespace["audit"].risks}


def test_the_notebook_has_no_outputs_and_uses_public_names():
    for cell in CELLS:
        assert cell["cell_type"] == "markdown" or cell["outputs"] == []
        assert cell.get("execution_count") is None
    tree = ast.walk(ast.parse("\n".join(CODE.values())))
    used = {node.attr for node in tree if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name) and node.value.id == "unveil"}  # fmt: skip
    assert used <= set(unveil.__all__)
