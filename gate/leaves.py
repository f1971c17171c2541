"""Results as leaves: each number and each text by its path."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import re
import tomllib
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

import unveil
from gate.inputs import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gate.case import Outcome

LEFT_OUT = {"version", "software", "digest"}  # of the program and of the libraries
LONGEST = 40  # a longer array of numbers becomes one digest
DIGEST = re.compile(r"[0-9a-f]{64}")
DECIMAL = re.compile(r"-?\d+(\.\d+(e[+-]\d+)?|e[+-]\d+)")
COMPILING = "compiling for this machine"  # said once on each machine
TABLES = tuple(f".{ending}" for ending in ENDINGS)
TEXTS = (".html", ".svg", ".md", ".txt")


def digest(values: Sequence[Any]) -> str:
    """One SHA-256 over the texts of all values, decimal numbers to nine digits.

    >>> digest(["0.23826543443265097", "a"]) == digest(["0.2382654344326509", "a"])
    True
    """
    return hashlib.sha256(
        "\x1f".join(_to_nine_digits(str(one)) for one in values).encode()
    ).hexdigest()


def _to_nine_digits(text: str) -> str:
    """A decimal number without the last digits, in which processors differ; else the text."""
    if not DECIMAL.fullmatch(text):
        return text
    return f"{float(text):.9g}"


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: PLR0912 - one for each type
    """Every leaf of a result, depth first: bool, int, float or text.

    >>> list(leaves({"a": [1, {"b": 0.5}], "version": "2"}, "top"))
    [('top/a/0', 1), ('top/a/1/b', 0.5)]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return
    if isinstance(value, bool | int | float | str):
        yield path, value
    elif isinstance(value, np.ndarray):
        if value.size > LONGEST:
            yield f"{path}/shape", str(value.shape)
            yield f"{path}/sha256", digest([repr(one) for one in value.ravel().tolist()])
        else:
            yield from leaves(value.tolist(), path)
    elif isinstance(value, unveil.Microdata):
        yield from _table(value, path)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in LEFT_OUT:
                yield from leaves(one, f"{path}/{name}")
    elif isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        if len(value) > LONGEST and all(isinstance(one, bool | int | float) for one in value):
            yield f"{path}/length", len(value)
            yield f"{path}/sha256", digest([repr(one) for one in value])
            return
        for place, one in enumerate(value):
            yield from leaves(one, f"{path}/{place}")
    else:
        yield from leaves(_fields(value), path)


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, msgspec.Struct):
        names: Sequence[str] = value.__struct_fields__
    elif hasattr(value, "_fields"):
        names = value._fields
    elif dataclasses.is_dataclass(value):
        names = [one.name for one in dataclasses.fields(value) if not one.name.startswith("_")]
    else:
        raise TypeError(f"the gate cannot read {type(value).__name__}: return its numbers instead")
    return {name: getattr(value, name) for name in names}


def _table(data: unveil.Microdata, path: str) -> Iterator[tuple[str, Any]]:
    """Every column of a table as one digest: for formats whose bytes hold a time or a version."""
    yield f"{path}/rows", len(data)
    for column in data.columns:
        yield f"{path}/{column}", digest([repr(one) for one in data.column(column).to_list()])


def add(outcome: Outcome, value: Any, path: str, home: str = "") -> None:
    """Add the leaves of a result to an outcome: numbers and digests here, texts there."""
    texts = []
    for where, leaf in leaves(value, path):
        if isinstance(leaf, str) and not DIGEST.fullmatch(leaf):
            texts.append(f"{where.removeprefix(path + '/')}: {leaf}")
        else:
            outcome.numbers[where] = leaf if isinstance(leaf, str) else repr(leaf)
    add_words(outcome, "\n".join(texts), path, home)


def add_words(outcome: Outcome, text: str, path: str, home: str = "") -> None:
    """Add a text to an outcome, without the version and without the folder of the run."""
    if home:
        text = text.replace(f"{home}/", "").replace(home, "")
    text = re.sub(rf"\b{re.escape(unveil.__version__)}\b", "VERSION", text)
    text = "\n".join(line.rstrip() for line in text.splitlines() if COMPILING not in line)
    if text.strip():
        outcome.words[path] = text


def add_file(outcome: Outcome, file: Path, path: str, home: str = "") -> None:
    """Add a written file to an outcome, as its ending asks for."""
    if file.suffix == ".csv":
        with file.open(newline="", encoding="utf-8") as lines:
            head, *rows = csv.reader(lines)
        if file.name.startswith(("release", "map", "masked")):
            outcome.numbers[f"{path}/sha256"] = digest(
                [one for row in (head, *rows) for one in row]
            )
        outcome.numbers[f"{path}/rows"] = repr(len(rows))
        for place, column in enumerate(head):
            outcome.numbers[f"{path}/{column}"] = digest([row[place] for row in rows])
    elif file.suffix == ".json":
        add(outcome, json.loads(file.read_text()), path, home)
    elif file.suffix == ".toml":
        add(outcome, tomllib.loads(file.read_text()), path, home)
    elif file.suffix in TABLES:
        add(outcome, unveil.read(file), path)
    elif file.suffix == ".db":
        add(outcome, unveil.read(f"sqlite:///{file}?table=people"), path)
    elif file.suffix in TEXTS:
        add_words(outcome, page_text(file.read_text()), path, home)
    else:
        outcome.numbers[f"{path}/written"] = "True"  # a picture


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.texts.append(" ".join(data.split()))


def page_text(page: str) -> str:
    r"""The text of a page, without its marks.

    >>> page_text("<p>One <b>word</b></p><style>b {}</style>")
    'One\nword'
    """
    reader = _Page()
    reader.feed(page)
    return "\n".join(reader.texts)
