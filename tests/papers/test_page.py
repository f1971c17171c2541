"""The page of papers: printed figures above ours, each with its mark, and why."""

from html import escape
from pathlib import Path

import msgspec
import pytest

import unveil
from fixtures.pages import Page
from papers.some_papers import HOSTILE, some_papers
from unveil.errors import UsageError
from unveil.reports.page import page
from unveil.support.phrases import plain
from unveil_papers.page import GLUE, summary


def test_what_is_said_of_each_cell():
    said = summary(some_papers())
    table = said["rank-based"].exhibits[1]
    assert [[plain(cell).replace(GLUE, " ") for cell in row] for row in table.table.rows] == [
        ["0.10", "98.4\n98.4 ± 0.2 =", "57.4\n51.0 ≠", "57.4\n51.0 ∅"],
        ["0.25", "\n69.1 ± 0.5", "53.7\n ∅", ""],
    ]
    assert [plain(note) for note in table.notes] == [
        f"0.10 RBRL-Sum, 0.10 RBRL-Max: the file is not to be had {HOSTILE}",
        "0.25 RBRL-Sum: lost",
    ]
    assert plain(table.lead[0]) == (
        "Unit: % linked. Above what was printed, below it ours; same: equal."
    )
    beside = said["rank-based"].exhibits[2]
    assert [[plain(cell) for cell in row] for row in beside.table.rows] == [
        ["wdbc", "99.75"],
        ["iris", ""],
    ]


def test_what_is_counted():
    said = summary(some_papers())
    assert plain(said.verdict) == (
        "Of 4 published figures 1 are the same, 1 are different, and 2 cannot be reproduced."
    )
    assert [plain(cell) for cell in said["overview"].exhibits[0].table.rows[0]] == [
        "rank-based", "1", "1", "2", "1", "1", "1", "1",
    ]  # fmt: skip
    assert [plain(fact.value) for fact in said.facts] == ["1", "1", "2", "1", "1", "1", "1"]


def test_every_claim_stands_with_its_verdict():
    claims = summary(some_papers())["rank-based"].exhibits[-3]
    assert [plain(row[3]) for row in claims.table.rows] == [
        "holds", "holds in part", "does not hold", "cannot be tested",
    ]  # fmt: skip
    assert [plain(row[4]) for row in claims.table.rows][2] == "In 3 of 9 rows."


def test_a_page_that_is_no_report_of_a_release(tmp_path):
    text = page(summary(some_papers()))
    read = Page(text)
    assert len(read.ids) == len(set(read.ids))
    assert sorted(read.charts()) == [
        "rank-based-curve", "rank-based-law", "rank-based-ours-and-theirs-linked",
    ]  # fmt: skip
    assert "private" not in text.partition("<main")[0].partition("<header>")[2]
    assert "glossary" not in read.ids  # it has no word that needs one
    assert escape(HOSTILE) in text
    assert f"noise {HOSTILE}" not in text
    unveil.report(summary(some_papers()), tmp_path / "papers.html")
    assert Path(tmp_path / "papers.html").read_text() == text


def test_papers_have_no_page_for_others(tmp_path):
    with pytest.raises(UsageError, match="leave it out"):
        unveil.report(summary(some_papers()), tmp_path / "papers.html", external=True)


def test_where_nothing_was_published_nothing_is_counted():
    found = some_papers()
    said = summary(msgspec.structs.replace(found, papers=found.papers[1:]))
    assert plain(said.verdict) == "There are no published figures to compare with."
    assert (said.facts, [section.key for section in said.sections]) == ((), ["grid"])
    assert len(summary(found)["overview"].exhibits[0].table.rows) == 1
