"""Memory of this machine."""

import pytest

import unveil
from unveil.support.memory import in_units, machine_memory, require_memory

PEOPLE = unveil.households(40)


def test_the_machine_says_how_much_memory_it_has():
    assert machine_memory() > 2**26
    require_memory(1, "nothing", "")


def test_work_that_needs_more_is_refused_with_the_numbers(monkeypatch):
    monkeypatch.setattr("unveil.support.memory.machine_memory", lambda: 2**30)
    with pytest.raises(unveil.UnveilError) as refused:
        require_memory(3 * 2**30, "a matrix", "take less")
    assert str(refused.value) == (
        "a matrix needs about 3.0 GiB of memory, and this machine has 1.0 GiB: take less"
    )


def test_an_attack_and_an_audit_are_refused_up_front(monkeypatch):
    monkeypatch.setattr("unveil.support.memory.machine_memory", lambda: 2**10)
    with pytest.raises(unveil.UnveilError, match="distance needs about 16 MiB of memory"):
        unveil.attack(PEOPLE, PEOPLE, "distance", truth="person")
    with pytest.raises(unveil.UnveilError, match="distance needs about .* MiB of memory"):
        unveil.audit(PEOPLE, PEOPLE, truth="person", attacks=["distance"])


def test_sizes_are_in_units_that_people_read():
    assert [in_units(2**20), in_units(80 * 10**9)] == ["1 MiB", "74.5 GiB"]
