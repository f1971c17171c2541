"""The packages that are needed: their lowest versions and their licences are those written down."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
LICENCES = tomllib.loads((ROOT / "licences.toml").read_text())
CLASSIFIED = {  # what a package says that has no SPDX expression
    "Apache Software License": {"Apache-2.0"},
    "BSD License": {"BSD-2-Clause", "BSD-3-Clause"},
    "MIT License": {"MIT"},
    "Mozilla Public License 2.0 (MPL 2.0)": {"MPL-2.0"},
}


def _requirements(*extras):
    texts = PROJECT["dependencies"] + [text for extra in extras for text in OPTIONAL[extra]]
    return [one for one in map(Requirement, texts) if one.name != PROJECT["name"]]


RUNTIME = [extra for extra in OPTIONAL if extra not in ("all", "benchmarks", "docs", "test")]


def _lowest(requirement):
    (low,) = (one.version for one in requirement.specifier if one.operator == ">=")
    return low


def test_the_lowest_versions_are_those_of_the_constraints():
    lines = (ROOT / "constraints-lowest.txt").read_text().splitlines()
    written = dict(line.split("==") for line in lines if not line.startswith("#"))
    lowest = {one.name: _lowest(one) for one in _requirements(*RUNTIME, "test")}
    assert written == {name: lowest[name] for name in written}
    assert {one.name for one in _requirements(*RUNTIME)} <= set(written)


def test_all_extras_but_those_of_developers_are_in_all():
    (every,) = map(Requirement, OPTIONAL["all"])
    assert every.extras == set(RUNTIME)


def _closure(requirements):
    """Names of all packages that these need, and that those need, on this platform."""
    found, left = set(), [(one, "") for one in requirements]
    while left:
        requirement, extra = left.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found:
            found.add(name)
            needs = map(Requirement, importlib.metadata.requires(name) or ())
            extras = requirement.extras or {""}
            left += [(need, extra) for need in needs for extra in extras]
    return found


NEEDED = {
    "packages": _closure(_requirements(*RUNTIME)),
    "tools": _closure(_requirements("test")) - _closure(_requirements(*RUNTIME)),
}


@pytest.mark.parametrize("kind", NEEDED)
def test_every_package_is_listed_with_its_licence(kind):
    assert NEEDED[kind] - set(LICENCES[kind]) == set()


@pytest.mark.parametrize("kind", NEEDED)
def test_every_licence_is_allowed(kind):
    allowed = set(LICENCES["allowed"][kind])
    for name, licence in LICENCES[kind].items():
        assert set(re.split(r" (?:AND|OR) ", licence)) <= allowed, name


@pytest.mark.parametrize(
    ("name", "licence"), [one for kind in NEEDED for one in LICENCES[kind].items()]
)
def test_the_licence_is_what_the_package_says(name, licence):
    said = importlib.metadata.metadata(name)
    if expression := said.get("License-Expression"):
        assert licence == expression
        return
    classifiers = [text.split(" :: ")[-1] for text in said.get_all("Classifier", ())
                   if text.startswith("License :: ")]  # fmt: skip
    if classifiers:
        assert set(re.split(r" (?:AND|OR) ", licence)) <= set().union(
            *(CLASSIFIED[text] for text in classifiers)
        )
    else:
        assert licence.partition("-")[0] in f"{said.get('License')} {_licence_text(name)}"


def _licence_text(name):
    files = importlib.metadata.files(name) or ()
    return "".join(one.read_text() for one in files if one.name.upper().startswith("LICEN"))
