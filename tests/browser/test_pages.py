"""Pages open in a browser: every chart is drawn, everything fits, and all can be read."""

from __future__ import annotations

import pytest

from fixtures.browser_checks import CUT, EMPTY, HEIGHT, HIDDEN, LAPTOP, LOST, PAPER, PHONE, WIDE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_trees")]

LEAST = {
    "audit": 25, "external": 7, "comparison": 3, "hostile": 24, "hostile-comparison": 3,
    "choice": 1, "hostile-choice": 1,
}  # fmt: skip


@pytest.fixture(scope="module", params=LEAST)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def at(kind, page_of, open_page):
    """The page of this kind at a width, opened once."""
    opened = {}

    def found(width):
        if width not in opened:
            opened[width] = open_page(page_of(kind), width)
        return opened[width]

    yield found
    for one in opened.values():
        one.page.close()


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def opened(request, at):
    return at(request.param)


def test_every_chart_is_drawn(opened, kind):
    assert opened.ask("() => document.querySelectorAll('svg').length") >= LEAST[kind]
    assert opened.ask(EMPTY) == []


def test_the_page_says_nothing_and_asks_for_nothing(opened):
    assert opened.said == []
    assert opened.asked == [opened.address]


def test_words_of_charts_are_not_cut(opened):
    assert opened.ask(CUT) == []


def test_nothing_is_wider_than_the_screen(opened):
    assert opened.ask(WIDE) == []


def test_links_lead_somewhere(opened):
    assert opened.ask(LOST) == []


def test_names_do_no_harm(opened):
    assert opened.ask("() => window.hacked") is None
    assert opened.ask("() => document.querySelectorAll('img, iframe, object').length") == 0


def test_paper_has_the_tables_and_cuts_nothing(at):
    opened = at(LAPTOP)
    opened.page.emulate_media(media="print")
    opened.page.set_viewport_size({"width": PAPER, "height": HEIGHT})
    assert opened.ask(HIDDEN) == []
    assert opened.ask(WIDE) == []
    assert opened.ask(CUT) == []
    opened.page.emulate_media(media="screen")
    opened.page.set_viewport_size({"width": LAPTOP, "height": HEIGHT})


CLIPPED = """() => [...document.querySelectorAll('details')].map(one => { one.open = true; }) &&
    [...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth)
    .map(one => one.getAttribute('aria-label'))"""
HEADS = """() => [...document.querySelectorAll('td')].filter(one =>
    getComputedStyle(one, '::before').content !== JSON.stringify(one.dataset.head)).length"""
SHORTENED = """() => [...document.querySelectorAll('svg text')].map(one => one.textContent)
    .filter(text => text.includes('…'))"""


def test_on_a_phone_each_row_of_a_table_is_a_card(at):
    """Each value stands beside the name of its column, and none is clipped."""
    opened = at(PHONE)
    assert opened.ask(CLIPPED) == []
    assert opened.ask(HEADS) == 0


def test_no_name_in_a_chart_is_shortened(opened, kind):
    if not kind.startswith("hostile"):
        assert opened.ask(SHORTENED) == []
