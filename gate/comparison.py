"""Comparing two lists: numbers through the table of renamed fields, words by lines."""

from __future__ import annotations

import difflib
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.record import Leaves

RENAMED = Path(__file__).parent / "renamed.toml"
ANY = "*"
# Relative: processors differ in the last digits of sums, and so in the parts of a density that an
# attack leaves out within its error.
CLOSE = 1e-6


class Difference(NamedTuple):
    """A number that is not as recorded; None where there is none."""

    path: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        sides = (self.old, self.new)
        old, new = ("nothing" if one is None else one for one in sides)
        return f"{self.path}: {old} -> {new}"


def read_renamed(file: Path = RENAMED) -> dict[str, str]:
    """The committed table: for recorded names what they are called now."""
    table: dict[str, str] = tomllib.loads(file.read_text())["renamed"]
    for old, new in table.items():
        if old.split("/").count(ANY) != new.split("/").count(ANY):
            raise ValueError(f"{file.name}: {old}: each * of the one side is one of the other")
    return table


def renamed(path: str, table: Mapping[str, str]) -> str:
    """A recorded path as it is called now: of several rules that fit, the longest.

    >>> renamed("audit/full/json/risk/0/share", {"risk/*/share": "risk/*/linked", "full": "all"})
    'audit/all/json/risk/0/linked'
    """
    return _renamed(path, tuple(table.items())) if table else path


@cache
def _rules(table: tuple[tuple[str, str], ...]) -> list[tuple[list[str], list[str]]]:
    rules = [(old.split("/"), new.split("/")) for old, new in table]
    return sorted(rules, key=lambda rule: -len(rule[0]))


def _renamed(path: str, table: tuple[tuple[str, str], ...]) -> str:
    parts, done, place = path.split("/"), [], 0
    while place < len(parts):
        for old, new in _rules(table):
            here = parts[place : place + len(old)]
            if len(here) == len(old) and all(a in (ANY, b) for a, b in zip(old, here, strict=True)):
                kept = iter([b for a, b in zip(old, here, strict=True) if a == ANY])
                done += [next(kept) if part == ANY else part for part in new]
                place += len(old)
                break
        else:
            done.append(parts[place])
            place += 1
    return "/".join(done)


def flat(leaves: Leaves) -> dict[str, str]:
    """One list: every leaf by its case and its path."""
    return {f"{case}/{path}": leaf for case, some in leaves.items() for path, leaf in some.items()}


def same(old: str | None, new: str | None) -> bool:
    """Whether two leaves are equal; decimal numbers, but for the last digits.

    >>> same("0.23826543443265097", "0.2382654344326509"), same("12", "13"), same("a1", "a2")
    (True, False, False)
    """
    if old == new:
        return True
    if old is None or new is None or not {".", "e"} & {*old} or not {".", "e"} & {*new}:
        return False
    try:
        return math.isclose(float(old), float(new), rel_tol=CLOSE, abs_tol=1e-12)
    except ValueError:  # a hash
        return False


def compare_numbers(old: Leaves, new: Leaves, table: Mapping[str, str]) -> list[Difference]:
    """Every number that differs, is gone, or is not recorded."""
    before = {renamed(path, table): leaf for path, leaf in flat(old).items()}
    after = flat(new)
    return [
        Difference(path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if not same(before.get(path), after.get(path))
    ]


def compare_words(old: Leaves, new: Leaves, table: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every text that differs, with its unified diff."""
    before = {renamed(path, table): text for path, text in flat(old).items()}
    after = flat(new)
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            one, other = (some.get(path, "").splitlines() for some in (before, after))
            lines = difflib.unified_diff(one, other, "recorded", "now", lineterm="", n=1)
            yield path, "\n".join(lines)
