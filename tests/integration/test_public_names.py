"""The public face: its names, its lightness, its errors."""

import ast
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import unveil
from fixtures.evidence import evidence
from unveil import errors
from unveil.support.options import TaskProgress

HEAVY = ("numba", "polars", "sklearn", "altair", "numpy", "scipy", "narwhals", "pandas", "pyarrow",
         "highspy", "vl_convert", "rich", "jinja2", "msgspec", "click")  # fmt: skip


def _loaded_by(statement):
    code = f"import sys; {statement}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_unveil_loads_nothing_heavy():
    assert not _loaded_by("import unveil") & set(HEAVY)


def test_the_command_line_loads_nothing_heavy_before_it_must():
    loaded = _loaded_by("import unveil.cli.main")
    assert not loaded & (set(HEAVY) - {"click", "msgspec"})


def test_the_public_names_are_exactly_all():
    code = "import unveil; print(*(n for n in vars(unveil) if not n.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []  # nothing is public by accident
    assert sorted(unveil.__all__) == unveil.__all__ == sorted(set(dir(unveil)) - {"__version__"})
    assert set(unveil._HOME) == set(unveil.__all__)
    for name in unveil.__all__:
        assert inspect.getdoc(getattr(unveil, name)), f"{name} has no docstring"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = unveil.nothing


def test_the_public_names_are_few():
    """A new public name is a decision: it is written down here, too."""
    verbs = "attack audit choose compare inspect link mask read report write"
    values = "Audit AuditSettings Choice DisclosureScenario Intruder Links Microdata Plan Policy "
    values += "Release Releases Schema SearchSpace Use"
    packages = "aggregation attacks files masks measures models"
    named = f"{verbs} {values} {packages} UnveilError households registers".split()
    assert sorted(unveil.__all__) == sorted(named)


def test_readers_and_writers_are_in_files():
    code = "import unveil.files as f; print(*dir(f), *(n for n in vars(f) if n[0] != '_'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    documents = ("evidence", "plan", "policy", "schema", "space", "study")
    readers = [f"read_{name}" for name in documents]
    assert (
        done.stdout.split() == unveil.files.__all__ == ["Csv", "Excel", "read", *readers, "write"]
    )
    for name in unveil.files.__all__:
        assert inspect.getdoc(getattr(unveil.files, name)), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = unveil.files.nothing


SPECS = [*unveil.attacks.METHODS, *unveil.masks.METHODS, *unveil.models.METHODS, unveil.Intruder,
         unveil.AuditSettings, unveil.files.Csv, unveil.files.Excel]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.__name__)
def test_a_signature_has_plain_types_and_defaults(spec):
    signature = inspect.signature(spec)
    assert tuple(signature.parameters) == spec.__struct_fields__
    assert "Annotated" not in str(signature)
    assert "Meta(" not in str(signature)
    for field in msgspec.structs.fields(spec):
        shown = signature.parameters[field.name].default
        assert (shown is inspect.Parameter.empty) == field.required
        assert field.default in (shown, msgspec.NODEFAULT)
    assert "Annotated" not in pydoc.plaintext.document(spec).split("|")[1]


@pytest.mark.parametrize("verb", ["attack", "audit", "compare", "inspect", "link", "mask"])
def test_every_verb_reports_progress_by_one_signature(verb):
    progress = inspect.signature(getattr(unveil, verb)).parameters["progress"]
    assert (progress.annotation, progress.default) == (TaskProgress | None, None)


def test_progress_of_an_inspection_and_a_comparison(tmp_path):
    told = []
    people = unveil.households(20)
    schema = tmp_path / "s.toml"
    unveil.inspect(people, write_schema=schema, progress=lambda *one: told.append(one))
    assert told[-1] == ("describing the columns", len(people.columns) - 1, len(people.columns))
    written, inferred = unveil.files.read_schema(schema), unveil.Schema.infer(people)
    assert [(written[n].role, written[n].level) for n in written] == [
        (inferred[n].role, inferred[n].level) for n in inferred
    ]
    with pytest.raises(unveil.UnveilError, match="exists"):
        unveil.inspect(people, write_schema=schema)
    pair = [evidence("a.csv", risk=0.3), evidence("b.csv", risk=0.1)]
    unveil.compare(pair, progress=lambda *one: told.append(one))
    assert told[-1] == ("comparing the releases", 1, 2)


def test_every_error_is_drawn_and_has_its_exit_code():
    drawn = {
        words[-1 - words[::-1].index(name)]: words
        for words in (line.replace("├──", " ").replace("└──", " ").split()
                      for line in (errors.__doc__ or "").splitlines())
        for name in words if name.endswith("Error")
    }  # fmt: skip
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if name == "UnveilError" or not issubclass(kind, errors.UnveilError):
            continue
        assert str(kind.exit_code) in drawn[name]


FORBIDDEN = {"pickle", "shelve", "marshal", "socket", "ssl", "http", "urllib", "requests", "ftplib",
             "smtplib", "asyncio", "webbrowser", "joblib"}  # fmt: skip


def sources():
    """The text of each module, and the packages that it imports."""
    for path in Path(unveil.__file__).parent.rglob("*.py"):
        text, names = path.read_text(), set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
        names.discard("urllib.parse")  # which is of words only
        yield path, text, {name.split(".")[0] for name in names}


def test_no_module_can_run_data_or_reach_the_network():
    for path, _, imported in sources():
        assert not imported & FORBIDDEN, path


def test_no_clock_decides_an_answer():
    """Budgets count work: no module reads a clock, nor lets a solver read one."""
    for path, text, imported in sources():
        assert "time" not in imported, path
        assert "time_limit" not in text, path
