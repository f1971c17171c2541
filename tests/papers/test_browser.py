"""The page of papers opens in a browser: every chart is drawn, and everything fits."""

import pytest

import unveil
from fixtures.browser_checks import CUT, EMPTY, LAPTOP, LOST, PHONE, WIDE
from papers.some_papers import some_papers
from unveil_papers.page import summary

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [LAPTOP, PHONE])
def test_the_page_of_papers(tmp_path, open_page, width):
    unveil.report(summary(some_papers()), tmp_path / "papers.html")
    opened = open_page(tmp_path / "papers.html", width)
    assert opened.ask("() => document.querySelectorAll('svg').length") == 3
    assert opened.said == []
    assert opened.asked == [opened.address]
    assert [opened.ask(check) for check in (EMPTY, CUT, WIDE, LOST)] == [[], [], [], []]
