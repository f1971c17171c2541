"""Shared by all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(  # make test
    "fast",
    deadline=None,
    max_examples=25,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("all", parent=settings.get_profile("fast"), max_examples=100)
settings.register_profile(
    "deep", parent=settings.get_profile("fast"), max_examples=3000, derandomize=False
)
settings.register_profile(  # the first counterexample, as it comes
    "first", parent=settings.get_profile("deep"), max_examples=300, phases=[Phase.generate]
)
settings.load_profile(os.environ.get("UNVEIL_HYPOTHESIS", "fast"))


def pytest_collection_modifyitems(items):
    """The pages of docs have no line for a marker."""
    for item in items:
        if item.config.rootpath / "docs" in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="session")
def _patient():
    """Nothing is said of compiling: what a test sees is the same in an empty cache."""
    from unveil.support import compile as compiling

    compiling.NOTICE_AFTER = 3600.0


@pytest.fixture
def paper_data():
    """A paper's data set by name; where it is absent the test is skipped.

    With UNVEIL_NO_SKIPS set, as in continuous integration, absence fails the test.
    """
    from fixtures.paper_files import path_of, read

    def get(name):
        if path_of(name).is_file():
            return read(name)
        missing = (
            f"the data set '{name}' is not in the folder that UNVEIL_DATA names: get the original "
            "(docs/papers.md) and run unveil papers --import"
        )
        if os.environ.get("UNVEIL_NO_SKIPS"):
            pytest.fail(missing)
        pytest.skip(missing)

    return get


pytest_plugins = [
    "fixtures.browser",
    "fixtures.command_line",
    "fixtures.hostile_audit",
    "fixtures.postgresql",
]
