"""Charts as files of their own need a package that a plain installation has not."""

import sys

import pytest

from unveil.errors import MissingPackageError
from unveil.reports import page
from unveil.reports.charts import export
from unveil.reports.write import check_figures


@pytest.fixture
def without_converter(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("without_converter")
def test_figures_without_the_package_are_refused_before_the_work(tmp_path):
    with pytest.raises(MissingPackageError, match=r"vl-convert.*pip install 'unveil\[figures\]'"):
        check_figures(tmp_path / "figures", force=False)
    with pytest.raises(MissingPackageError, match=r"unveil\[figures\]"):
        export.png(b"<svg/>")


def test_a_built_tree_draws_pages_without_the_package(monkeypatch, tmp_path):
    (tmp_path / "vega.js").write_text("window.vegaEmbed=1;")
    (tmp_path / "draw.js").write_text((page.TEMPLATES / "draw.js").read_text())
    built = _script(monkeypatch, tmp_path)
    assert built.startswith("window.vegaEmbed=1;\n")
    assert "vegaEmbed(holder" in built


def test_a_tree_that_was_not_built_takes_the_script_of_the_package(monkeypatch, tmp_path):
    (tmp_path / "draw.js").write_text("draw()")
    script = _script(monkeypatch, tmp_path)
    assert "window.vegaEmbed=" in script
    assert "</script" not in script
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match=r"unveil\[figures\]"):
        _script(monkeypatch, tmp_path)


def _script(monkeypatch, templates):
    """Without what was kept for other pages."""
    monkeypatch.setattr(page, "TEMPLATES", templates)
    monkeypatch.setattr(page, "template", lambda name: (templates / name).read_text())
    return page._drawing.__wrapped__()
