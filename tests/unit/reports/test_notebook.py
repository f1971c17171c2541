"""Values show themselves in notebooks: in HTML of their own and in 80 columns, without a cell."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import unveil
from fixtures.shown import CANARIES, SCRIPT, shown
from unveil.reports import notebook
from unveil.support import display

__all__ = ["shown"]
CLASSES = ("Microdata", "Schema", "Release", "Links", "Risk", "Loss", "Audit", "Comparison",
           "Choice")  # fmt: skip
VOID = {"br", "hr", "img", "input", "meta", "link"}


class _Tags(HTMLParser):
    """The tags and attributes of a text, which must close what it opens."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], set(), set(), ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", CLASSES)
def test_html_has_no_cell_no_script_and_no_address(shown, name):
    html = shown[name]._repr_html_()
    for canary in CANARIES:
        assert canary not in html
    parsed = _Tags(html)
    assert not parsed.tags & {"script", "a", "img", "link", "style", "iframe", "object"}
    assert parsed.attributes <= {"style", "class", "title", "scope", "value"}
    assert not re.search(r"https?:|url\(|color:\s*#|background", html)
    assert name in html


@pytest.mark.parametrize("name", CLASSES)
def test_text_fits_80_columns_and_has_no_cell(shown, name):
    for text in (repr(shown[name]), str(shown[name])):
        assert not any(canary in text for canary in CANARIES)
    assert repr(shown[name]).startswith(f"{name}(")
    assert max(map(len, repr(shown[name]).splitlines())) <= 80


@pytest.mark.parametrize("name", ["Audit", "Risk"])
def test_what_is_printed_fits_80_columns(shown, name):
    assert max(map(len, str(shown[name]).splitlines())) <= 80
    assert max(map(len, repr(shown["Audit"].worst).splitlines())) <= 80


@pytest.mark.parametrize("name", ["Microdata", "Schema", "Release", "Links", "Comparison"])
def test_names_are_escaped(shown, name):
    html = shown[name]._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;alert(&#39;&amp;&#39;)" in html
    assert SCRIPT in _Tags(html).text


def test_numbers_are_aligned(shown):
    assert '<td style="text-align:right' in shown["Risk"]._repr_html_()
    assert '<td style="text-align:left' in shown["Risk"]._repr_html_()


def test_a_result_says_what_the_page_says(shown):
    text = _Tags(shown["Audit"]._repr_html_()).text.replace("\N{NO-BREAK SPACE}", " ")
    assert "This release does not keep the policy" in text
    assert "What each intruder achieves" in text
    assert "Draw a chart with chart(name); the names are attacks" in text
    assert "Plan 3 keeps every limit" in _Tags(shown["Choice"]._repr_html_()).text


def test_long_descriptions_are_several_lines(shown):
    swaps = [unveil.masks.RankSwapping(p=p, columns=[SCRIPT], name=f"{p}") for p in range(5, 16)]
    release = unveil.mask(shown["Microdata"], swaps, seed=1)
    assert len(repr(release).splitlines()) > 1
    wide = unveil.Schema(quasi=[f"c{i}" for i in range(120)])
    assert "more columns" in wide._repr_html_()


def test_links_are_shown_without_an_attack(shown, monkeypatch):
    links = shown["Links"].sample(7)
    monkeypatch.setattr(type(links.finder), "nearest", None)
    monkeypatch.setattr(type(links.finder), "rank_of_truth", None)
    assert ">7<" in links._repr_html_()


def test_reports_are_imported_when_something_is_shown():
    code = """if True:
        import sys, unveil
        data = unveil.households(30)
        release = unveil.mask(data, [unveil.masks.RankSwapping(p=20)], seed=1)
        repr(release), repr(data), unveil.attack, unveil.audit, unveil.Audit
        assert not [name for name in sys.modules if name.startswith("unveil.reports")]
        assert "<table" in release._repr_html_()
        assert "altair" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_registered_has_the_name_of_its_class():
    assert display.shown(object()) == "object"
    assert display.html(object()) is None
    with pytest.raises(ValueError, match="object has no charts"):
        display.chart(object(), "risk")
    with pytest.raises(TypeError, match="no object"):
        notebook.section(object())
