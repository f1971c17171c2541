"""Reference tables of the structs of unveil, made from their fields.

    {struct-table} PATH        one table: key, type, default, meaning
    {struct-sections} PATH     a section for the struct and for each struct that it holds

The meaning of a field is that in `field_meanings.toml`, or its description, or the comment beside
it in the source. A field without a meaning fails the build, as does a meaning that no table uses.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "any",
}
MEANINGS = tomllib.loads(Path(__file__).with_name("field_meanings.toml").read_text())
USED: set[tuple[str, str]] = set()


def _comments(struct: type[msgspec.Struct]) -> dict[str, str]:
    """The comment of each field: behind it, or above it."""
    lines = dedent(inspect.getsource(struct)).splitlines()
    found = {}
    for node in ast.parse("\n".join(lines)).body[0].body:  # type: ignore[attr-defined]
        if not isinstance(node, ast.AnnAssign):
            continue
        behind = re.search(r"#\s*(.*)$", lines[node.end_lineno - 1][node.end_col_offset :])
        above: list[str] = []
        while lines[node.lineno - 2 - len(above)].strip().startswith("#"):
            above.insert(0, lines[node.lineno - 2 - len(above)].strip(" #"))
        found[node.target.id] = behind[1] if behind else " ".join(above)
    return found


def _meaning(struct: type[msgspec.Struct], field: str, hint: Any, comment: str) -> str:
    described = [one.description for one in getattr(hint, "__metadata__", ()) if one.description]
    group = struct.__name__ if field in MEANINGS.get(struct.__name__, {}) else "any"
    if group == "any" and (described or comment):
        text = " ".join(described) or comment
    elif field in MEANINGS[group]:
        USED.add((group, field))
        text = MEANINGS[group][field]
    else:
        name = f"{struct.__name__}.{field}"
        raise ExtensionError(f"{name} has no meaning: describe it in docs/field_meanings.toml")
    return re.sub(r"\bNone\b", "null", text)


def _structs(hint: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for argument in get_args(hint):
        yield from _structs(argument)


def _type_words(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type_words(arguments[0])
    if origin is Literal:
        return " or ".join(f'"{one}"' for one in arguments)
    if origin is dict:
        value = _type_words(arguments[1])
        return "table" if value == "any" else f"table of {value}"
    if origin in (tuple, frozenset, list):
        return f"list of {_type_words(arguments[0])}"
    if arguments:
        return " or ".join(dict.fromkeys(map(_type_words, arguments)))
    return PLAIN.get(hint, getattr(hint, "__name__", str(hint)))


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    made = field.default_factory is not msgspec.NODEFAULT
    value = field.default_factory() if made else field.default
    if value is None or value == frozenset():
        return "none"
    return msgspec.json.encode(value).decode()


def _cell(text: str, struct: str = "") -> nodes.entry:
    """A cell; names of structs that have a section here are links to it."""
    paragraph = nodes.paragraph()
    for part in re.split(r"(`[^`]+`|\b[A-Z]\w+\b)", text):
        if part.startswith("`"):
            paragraph += nodes.literal(part[1:-1], part[1:-1])
        elif struct and part in struct.split():
            paragraph += nodes.reference(part, part, refid=f"struct-{part.lower()}", internal=True)
        else:
            paragraph += nodes.Text(part)
    return nodes.entry("", paragraph)


def _table(struct: type[msgspec.Struct], sections: str = "") -> nodes.table:
    hints, comments = get_type_hints(struct, include_extras=True), _comments(struct)
    rows = []
    for field in msgspec.structs.fields(struct):
        hint = hints[field.name]
        kind = _type_words(hint)
        meaning = _meaning(struct, field.name, hint, comments.get(field.name, ""))
        rows.append(
            nodes.row(
                "",
                nodes.entry("", nodes.paragraph("", "", nodes.literal(field.name, field.name))),
                _cell(kind if sections else kind.removesuffix(" or null"), sections),
                _cell(_default(field)),
                _cell(meaning),
            )
        )
    titles = [_cell(title) for title in ("key", "type", "default", "meaning")]
    group = nodes.tgroup(
        "",
        *(nodes.colspec(colwidth=width) for width in (20, 20, 15, 45)),
        nodes.thead("", nodes.row("", *titles)),
        nodes.tbody("", *rows),
        cols=4,
    )
    return nodes.table("", group)


def _struct_at(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


class StructTable(Directive):
    """The keys of one struct."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A table."""
        return [_table(_struct_at(self.arguments[0]))]


class StructSections(Directive):
    """The keys of a struct, then those of each struct that it holds."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The sections, breadth first."""
        found = [_struct_at(self.arguments[0])]
        for struct in found:  # which grows
            for field in msgspec.structs.fields(struct):
                found += [one for one in _structs(field.type) if one not in found]
        names = " ".join(one.__name__ for one in found)
        return [self._section(one, names) for one in found]

    def _section(self, struct: type[msgspec.Struct], names: str) -> nodes.section:
        key = f"struct-{struct.__name__.lower()}"
        summary = (inspect.getdoc(struct) or "").split("\n")[0]
        section = nodes.section(
            "",
            nodes.title(struct.__name__, struct.__name__),
            nodes.paragraph(summary, summary),
            _table(struct, names),
            ids=[key],
            names=[key],
        )
        self.state.document.note_explicit_target(section)
        return section


def begin(_app: Sphinx, _env: object, names: list[str]) -> None:
    """Whether every table is made anew; after a change of one page only some are."""
    USED.clear()
    if not {"evidence", "policy", "schema"} <= set(names):
        USED.update((group, field) for group, fields in MEANINGS.items() for field in fields)


def check_meanings(_app: Sphinx, error: Exception | None) -> None:
    """Refuse meanings of fields that no table has any more."""
    unused = {(group, field) for group, fields in MEANINGS.items() for field in fields} - USED
    if error is None and unused:
        raise ExtensionError(f"docs/field_meanings.toml: not used: {sorted(unused)}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("struct-table", StructTable)
    app.add_directive("struct-sections", StructSections)
    app.connect("env-before-read-docs", begin)
    app.connect("build-finished", check_meanings)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
