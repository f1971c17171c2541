"""Run the command line in this process, as a shell would."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from unveil.cli.main import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def unveil_command(monkeypatch, capfd):
    """A function that runs ``unveil ARGS`` and returns exit code, output and errors."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["unveil", *map(str, args)])
        capfd.readouterr()
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return Outcome(code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session", autouse=True)
def one_core_for_each_worker():
    """Where tests run side by side, threads of the one would only wait for those of the other.

    Tests of what is shared out ask for threads, or say which cores there are; in the deep profile
    all that can be is.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ and os.environ.get("UNVEIL_HYPOTHESIS") != "deep":
            patch.setattr(os, "sched_getaffinity", lambda _pid: {0}, raising=False)
        yield


@pytest.fixture(scope="module")
def one_kind_of_control():
    """Of the two in test_controls.py: the search in them is most of what a link takes."""
    from unveil.attacks import apart

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "CONTROLS", {"redrawn": apart.CONTROLS["redrawn"]})
        yield


@pytest.fixture(scope="module")
def quick_search():
    """Of files with no common attribute little is tried; how well they are linked is no matter."""
    from unveil.attacks import apart, correlation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "STARTS", 1)
        patch.setattr(apart, "CONTROLS", {"redrawn": apart.CONTROLS["redrawn"]})
        patch.setattr(correlation, "FEWEST", 2)
        patch.setattr(correlation, "MORE", 5)
        yield


@pytest.fixture(scope="module")
def few_trees():
    """What is lost is measured roughly: to learn from a release takes a third of an audit."""
    from unveil.measures import predictors

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predictors, "ROUNDS", 4)
        yield


@contextmanager
def learning_little():
    """Parameters are looked for a little only; how well they are learnt is no matter."""
    from unveil.attacks import learning
    from unveil.workflows import worst_case

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "LINES", 10)
        patch.setattr(worst_case, "STEPS", dict.fromkeys(worst_case.STEPS, 5))
        patch.setattr(worst_case, "SPLITS", 1)
        yield


@pytest.fixture(scope="module")
def quick_learning():
    """The same for all tests of a module."""
    with learning_little():
        yield
