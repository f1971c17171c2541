"""Every number, name and word of a page stands where it belongs.

Each file of `said` is a whole page, of evidence in which every number is another one: a number is
written there by its path in the evidence, so that a line can be read and held to be true.
"""

from pathlib import Path

import pytest

from some_numbers import BARE, COMPARED_BARE, numbered, numbered_comparison, places, told
from unveil.reports.summary import compared, summary

SAID = Path(__file__).parent / "said"
PAGES = {
    "internal": (summary, numbered, None, False),
    "external": (summary, numbered, None, True),
    "bare": (summary, numbered, BARE, False),
    "comparison": (compared, numbered_comparison, None, False),
    "comparison-external": (compared, numbered_comparison, None, True),
    "comparison-bare": (compared, numbered_comparison, COMPARED_BARE, False),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_this_and_nothing_else(page, tmp_path):
    make, of, given, external = PAGES[page]
    found = of(given)
    said = told(make(found, external=external), places(found)).splitlines()
    now = tmp_path / f"{page}.txt"
    now.write_text("\n".join(said) + "\n")
    wanted = (SAID / now.name).read_text().splitlines()
    # What changed is read line by line, and where it is true the file takes the place of the old.
    different = [pair for pair in zip(wanted, said, strict=False) if pair[0] != pair[1]]
    assert different == [], f"what is said now is in {now}"
    assert len(said) == len(wanted), f"what is said now is in {now}"


def test_the_pages_are_read_whole():
    """No page is there that nobody makes, and none is of numbers that have no place."""
    assert {path.stem for path in SAID.glob("*.txt")} == set(PAGES)
    assert len(places(numbered())) > 400


KEYS = {
    "internal": "limits notes attacks claims knowledge rank-of-truth people intervals values loss "
    "side-by-side unchanged plan next made",
    "external": "limits attacks claims knowledge rank-of-truth intervals values loss plan",
    "comparison": "releases order differences attacks loss notes",
    "comparison-external": "releases order differences attacks notes",
}


@pytest.mark.parametrize("page", KEYS)
def test_a_page_has_these_sections(page):
    make, of, given, external = PAGES[page]
    assert [one.key for one in make(of(given), external=external).sections] == KEYS[page].split()
