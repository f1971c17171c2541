"""A cold start says what it does; a warm one is silent."""

from __future__ import annotations

import time

import pytest

from unveil.engines import preparing


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(preparing, "PATIENCE", 0.05)
    monkeypatch.setattr(preparing, "_ready", set())


def test_a_slow_preparation_is_told_once(caplog):
    for _ in range(2):
        preparing.prepare("the search", lambda: time.sleep(0.3))
    assert [record.message for record in caplog.records] == [
        "preparing the search: compiling for this machine, once; up to half a minute"
    ]


def test_a_quick_one_is_not(caplog):
    preparing.prepare("the search", lambda: None)
    time.sleep(0.1)
    assert not caplog.records


def test_one_that_was_stopped_is_made_again():
    with pytest.raises(KeyboardInterrupt):
        preparing.prepare("the search", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    made = []
    preparing.prepare("the search", lambda: made.append(1))
    assert made
