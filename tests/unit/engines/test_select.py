"""Engines by name: those that are not there, those that lack a package, those that fall back."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import unveil
from fixtures import audits
from unveil.engines import metric as metrics
from unveil.engines import select
from unveil.engines.base import Engine
from unveil.engines.local.engine import LocalEngine
from unveil.errors import SpecError, UsageError

TWO = np.array([[1.0, 2.0], [3.0, 4.0]])


class SumsOnly(LocalEngine):
    """The local engine by another name, for sums of gaps only."""

    name, interface = "sums", 1

    def supports(self, metric):
        return metric.combine == "sum"

    def prepare(self, *files, **given):
        search = super().prepare(*files, **given)
        vars(search)["engine"] = self.name
        return search


class LacksPackage(LocalEngine):
    """An engine that needs a package that is not there."""

    name, interface = "lacking", 1

    def __init__(self):
        import_module("no_such_package")


@pytest.fixture
def sums(monkeypatch):
    monkeypatch.setitem(select.ENGINES._registered, "sums", SumsOnly)


@pytest.fixture
def plugged(monkeypatch):
    """Engines of other packages: one that works, two that do not, one of a name that is taken."""
    monkeypatch.setitem(sys.modules, "another_package", sys.modules[__name__])
    named = {"sums": "SumsOnly", "lacking": "LacksPackage", "local": "SumsOnly"}
    points = {
        name: (EntryPoint(name, f"another_package:{what}", "unveil.engines"),)
        for name, what in named.items()
    }
    points["broken"] = (EntryPoint("broken", "no_such_module:Engine", "unveil.engines"),)
    monkeypatch.setattr("unveil.support.registry._entry_points", lambda _group, _path: points)


def test_auto_is_the_local_engine():
    for name in ("auto", "local"):
        chosen: Engine = select.engine(name)
        assert (chosen.name, chosen.requested) == ("local", name)
    assert select.engine(chosen) is chosen
    assert select.engine(LocalEngine(threads=1)).requested == "local"


def test_an_unknown_engine_is_named_with_those_that_exist():
    with pytest.raises(
        UsageError, match="'gpu' is not an installed engine; engines are: auto, local"
    ):
        select.engine("gpu")
    with pytest.raises(UsageError, match="'gpu' is not an installed engine"):
        unveil.attack([], [], unveil.attacks.Distance(), engine="gpu")
    with pytest.raises(UsageError, match="'gpu' is not an installed engine"):
        unveil.link([], [], engine="gpu")
    with pytest.raises(UsageError, match="'gpu' is not an installed engine"):
        unveil.audit([], [], engine="gpu")


@pytest.mark.usefixtures("plugged")
def test_an_engine_of_another_package():
    assert select.engine("sums").name == "sums"
    assert select.engine("local").engine is select.LOCAL  # none can take its name
    with pytest.raises(UsageError, match="needs the package no_such_package, .* pip install"):
        select.engine("lacking")
    with pytest.raises(UsageError, match="'broken' of no_such_module cannot be loaded") as said:
        select.engine("broken")
    assert "or choose one of auto, local, " in str(said.value)


@pytest.mark.usefixtures("plugged")
def test_plug_ins_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("UNVEIL_PLUGINS", "off")
    with pytest.raises(UsageError, match="'sums' is not an installed engine"):
        select.engine("sums")


@pytest.mark.usefixtures("sums")
def test_two_engines_of_one_name_are_refused():
    for name in ("sums", "auto", "local"):
        with pytest.raises(SpecError, match=f"'{name}' is (already )?an engine of"):
            select.register(type("Other", (LocalEngine,), {"name": name}))


@pytest.mark.usefixtures("sums")
def test_a_metric_that_an_engine_lacks_is_searched_by_the_local_one():
    engine = select.engine("sums")
    for metric, used in ((metrics.manhattan(), "sums"), (metrics.chebyshev(), "local")):
        assert engine.supports(metric)
        search = engine.prepare(TWO, TWO, metric)
        assert search.engine == used
        assert search.nearest(None).rows.tolist() == [[0], [1]]


@pytest.mark.usefixtures("sums")
def test_results_say_which_engine_answered():
    people = unveil.households(60, seed=7)
    release = unveil.mask(people, [unveil.masks.RankSwapping(p=5)], seed=7)
    knows = unveil.Intruder(knows=["age", "income"])
    for metric, used in (("manhattan", "sums"), ("chebyshev", "local")):
        spec = unveil.attacks.Distance(metric=metric)
        links = unveil.attack(people, release, spec, intruder=knows, engine="sums")
        assert links.finder.engine == used
    audit = audits.audit(
        people,
        release,
        attacks=["rank-sum", "rank-max", "position"],
        knows=("age", "income"),
        engine="sums",
        sweep=False,
        errors=(),
        remask=0,
        remedies=False,
        worst_case=False,
    )
    used = {one.name: one.engine for one in audit.evidence.attacks if not one.sweeping}
    assert used == {"rank": "sums", "rank-max": "local", "position": "sums"}
    assert audit.evidence.settings["engine"] == "sums"
    assert [(one.kind, one.name) for one in audit.evidence.plugins] == [("engine", "sums")]
