"""What a reader does with a page: listen to it, print it, read it without scripts."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from fixtures.browser_checks import AXE, HIDDEN, LAPTOP, PHONE, WIDE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_trees")]

CLOSED = "() => document.querySelectorAll('details:not([open])').length"


@pytest.mark.parametrize(
    ("kind", "width"),
    [
        ("audit", LAPTOP),
        ("external", LAPTOP),
        ("comparison", LAPTOP),
        ("comparison", PHONE),
        ("choice", LAPTOP),
        ("choice", PHONE),
    ],
)
def test_all_can_read_it(page_of, open_page, kind, width):
    opened = open_page(page_of(kind), width)
    opened.ask("() => document.querySelectorAll('details').forEach(one => one.open = true)")
    opened.ask(AXE_SCRIPT)
    assert opened.ask(AXE, width == LAPTOP) == []  # colours are the same on a phone
    opened.page.close()


def test_tables_are_open_while_a_page_is_printed(page_of, open_page):
    opened = open_page(page_of("audit"), LAPTOP)
    closed = opened.ask(CLOSED)
    assert closed > 20
    opened.ask(f"() => addEventListener('beforeprint', () => window.then = ({CLOSED})())")
    assert opened.page.pdf().startswith(b"%PDF")
    assert opened.ask("() => window.then") == 0
    assert opened.ask(CLOSED) == closed
    opened.page.close()


def test_without_scripts_the_tables_are_there(page_of, open_page):
    opened = open_page(page_of("audit"), PHONE, scripts=False)
    assert opened.ask("() => document.querySelectorAll('svg').length") == 0
    assert opened.page.locator("noscript p").is_visible()
    for one in opened.page.locator("details.choice:not([open]) > summary").all()[::-1]:
        one.click()
    for one in opened.page.locator("figure summary").all():
        one.click()
    assert opened.ask(HIDDEN) == []
    assert opened.ask(WIDE) == []
    assert opened.asked == [opened.address]
    opened.page.close()


def test_a_chart_of_a_scenario_has_its_width_once_it_is_opened(page_of, open_page):
    opened = open_page(page_of("audit"), LAPTOP)
    choice = opened.page.locator("#people details.choice").nth(1)
    choice.locator("> summary").click()
    chart = choice.locator("svg").first
    chart.wait_for(state="visible")
    opened.page.wait_for_timeout(300)
    assert chart.bounding_box()["width"] > 300
    opened.page.close()


FIRST_CELLS = """place => [...document.querySelectorAll('#plans tbody tr')].map(
    row => row.cells[place].textContent)"""


@pytest.mark.parametrize("width", [LAPTOP, PHONE])
def test_a_table_is_sorted_by_the_head_of_a_column(page_of, open_page, width):
    opened = open_page(page_of("choice"), width)
    assert opened.ask(FIRST_CELLS, 0) == ["1", "9", "2", "10", "3", "11", "4"]  # by their loss
    plan = opened.page.get_by_role("button", name="Sort by plan", exact=True)
    plan.focus()
    opened.page.keyboard.press("Enter")
    assert opened.ask(FIRST_CELLS, 0) == ["1", "2", "3", "4", "9", "10", "11"]
    opened.page.keyboard.press("Enter")
    assert opened.ask(FIRST_CELLS, 0) == ["11", "10", "9", "4", "3", "2", "1"]
    head = opened.page.locator("#plans th").first
    assert head.get_attribute("aria-sort") == "descending"
    opened.page.locator("#plans").get_by_role("button", name="Sort by risk").click()
    risks = [float(risk) for risk in opened.ask(FIRST_CELLS, 4)]
    assert risks == sorted(risks)
    assert head.get_attribute("aria-sort") is None
    opened.page.locator("#plans").get_by_role("button", name="Sort by kept on fresh seeds").click()
    assert opened.ask(FIRST_CELLS, 7)[2:] == [""] * 5  # what is not known is last
    opened.page.close()


def test_a_dot_says_what_was_done(page_of, open_page):
    opened = open_page(page_of("choice"), LAPTOP)
    opened.page.locator("#figure-frontier .mark-symbol path[aria-label*='plan: 3;']").hover()
    shown = opened.page.locator("#vg-tooltip-element")
    shown.wait_for(state="visible")
    assert (
        "age, income: values are exchanged within 26 % of the ranks (rank-permutation), then region"
        in shown.inner_text()
    )
    opened.page.close()
