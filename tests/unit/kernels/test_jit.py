"""What was compiled from older sources is not used."""

from __future__ import annotations

import pytest

from unveil.kernels import jit


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of compiled kernels, and sources that may change."""
    sources, compiled = tmp_path / "kernels", tmp_path / "compiled"
    sources.mkdir()
    compiled.mkdir()
    (sources / "costs.py").write_text("a part")
    monkeypatch.setattr(jit, "SOURCES", sources)
    jit.forget_stale(compiled)
    (compiled / "ranking.nbi").touch()
    return compiled


def test_kept_while_the_sources_are_the_same(folder):
    jit.forget_stale(folder)
    assert (folder / "ranking.nbi").exists()


def test_forgotten_when_a_part_elsewhere_changes(folder):
    (jit.SOURCES / "costs.py").write_text("another part")
    jit.forget_stale(folder)
    assert not (folder / "ranking.nbi").exists()


def test_without_a_writable_folder_each_run_compiles(monkeypatch):
    def refuse(_folder):
        raise PermissionError

    monkeypatch.setattr(jit, "forget_stale", refuse)
    assert not jit.can_be_kept()
