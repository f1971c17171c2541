"""Parts of the site that the program itself states.

    {command-help} mask         what ``unveil mask --help`` prints
    {report-glossary} loss-     entries of the report's glossary whose keys begin so

Docstrings in numpy style are rendered, and a spec is shown with the parameters that
``unveil methods`` lists.
"""

from typing import Any

from click.testing import CliRunner
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.ext.napoleon import NumpyDocstring

from unveil.cli.main import cli
from unveil.reports.glossary import glossary
from unveil.support.specs import Spec, describe

COLUMNS = 80  # of a terminal
KINDS = ("attack-", "limit-", "loss-", "mask-", "scenario-")


class CommandHelp(Directive):
    """What a command prints with ``--help``."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """A literal block."""
        words = [*"".join(self.arguments).split(), "--help"]
        result = CliRunner().invoke(cli, words, prog_name="unveil", terminal_width=COLUMNS)
        if result.exit_code:
            raise self.error(f"unveil {' '.join(words)} ends with {result.exit_code}")
        return [nodes.literal_block(result.output, result.output, language="none")]


class ReportGlossary(Directive):
    """Entries of the glossary that every page of an audit has."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A definition list, in the order of the titles; without an argument, of no kind."""
        kind = "".join(self.arguments)
        entries = sorted(
            (entry.title, entry.text)
            for key, entry in glossary().items()
            if (key.startswith(kind) if kind else not key.startswith(KINDS))
        )
        return [nodes.definition_list("", *(_definition(*entry) for entry in entries))]


def _definition(title: str, text: str) -> nodes.definition_list_item:
    meaning = nodes.definition("", nodes.paragraph(text, text))
    return nodes.definition_list_item("", nodes.term(title, title), meaning)


def render_docstring(
    _app: Sphinx, what: str, name: str, value: Any, _options: object, lines: list[str]
) -> None:
    """Turn numpy style into fields, and describe the parameters of a spec.

    napoleon's own handler takes "What is counted: records" for a type and its value.
    """
    if what == "module" and name != "unveil.errors":
        lines.clear()  # for readers of the code; the page has its own words
    sections = any(set(line) == {"-"} for line in lines)
    example = next((at for at, line in enumerate(lines) if line.startswith(">>>")), None)
    if sections and example and not lines[example - 1] and "Examples" not in lines:
        lines[example:example] = ["Examples", "--------"]  # else it belongs to the last parameter
    lines[:] = NumpyDocstring("\n".join(lines)).lines()
    if isinstance(value, type) and issubclass(value, Spec) and value is not Spec:
        for one in describe(value, "").parameters:
            default = "" if one.default in ("none", "required") else f" Default: ``{one.default}``."
            lines += [
                f":param {one.name}: {one.meaning}{default}",
                f":type {one.name}: *{one.type}*",
            ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives and the docstrings to Sphinx."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("report-glossary", ReportGlossary)
    app.connect("autodoc-process-docstring", render_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
