"""Kernels are compiled once: a cold start says so, and stale kernels are forgotten."""

import time

import pytest

from unveil.support import compile as compiling


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(compiling, "NOTICE_AFTER", 0.05)
    monkeypatch.setattr(compiling, "_warm", set())


@pytest.mark.usefixtures("impatient")
class TestPrepare:
    def test_a_slow_preparation_is_told_once(self, caplog):
        for _ in range(2):
            compiling.prepare("the search", lambda: time.sleep(0.3))
        assert [record.message for record in caplog.records] == [
            "preparing the search: compiling once for this machine, up to half a minute"
        ]

    def test_a_quick_one_is_not(self, caplog):
        compiling.prepare("the search", lambda: None)
        time.sleep(0.1)
        assert not caplog.records

    def test_one_that_was_stopped_is_made_again(self):
        with pytest.raises(KeyboardInterrupt):
            compiling.prepare("the search", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        made = []
        compiling.prepare("the search", lambda: made.append(1))
        assert made


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A package with kernels in two folders, and compiled kernels of an earlier state."""
    for room in ("engines", "grouping"):
        (tmp_path / room / "kernels").mkdir(parents=True)
        (tmp_path / room / "kernels" / "costs.py").write_text("a part")
    monkeypatch.setattr(compiling, "PACKAGE", tmp_path)
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    _forget_stale(compiled)
    (compiled / "ranking.nbi").touch()
    return tmp_path


def _forget_stale(folder):
    """As in a new process: within one, each folder is looked at once."""
    compiling.forget_stale.cache_clear()
    compiling._sources.cache_clear()
    compiling.forget_stale(folder)


def test_kernels_are_kept_while_the_sources_are_the_same(sources):
    _forget_stale(sources / "compiled")
    assert (sources / "compiled" / "ranking.nbi").exists()


@pytest.mark.parametrize("room", ["engines", "grouping"])
def test_kernels_are_forgotten_when_a_part_in_any_folder_changes(sources, room):
    (sources / room / "kernels" / "costs.py").write_text("another part")
    _forget_stale(sources / "compiled")
    assert not (sources / "compiled" / "ranking.nbi").exists()


def test_without_a_writable_folder_each_run_compiles(monkeypatch):
    def refuse(_folder):
        raise PermissionError

    monkeypatch.setattr(compiling, "forget_stale", refuse)
    assert compiling.kernel()(lambda x: x + 1)(1) == 2
