"""The result of an audit, a choice, a comparison or a replay, in words: the verdict first."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from unveil.cli.console import print_table, say
from unveil.support.phrases import plain
from unveil.wording import count, printable

if TYPE_CHECKING:
    from unveil.reports.content import Exhibit, Section, Summary
    from unveil.values.results.choice import Choice, StudyResult
    from unveil.values.results.comparison import Comparison
    from unveil.values.results.evidence import Audit
    from unveil.workflows.auditing.replay import Replay

WIDTH, LABEL = 80, 11  # of the answers of the first screen

# Rows of each table on a terminal, None for all of them; the page has the rest.
WHOLE = "scenarios limits attacks knowledge noise halves inference loss remedies "
WHOLE += "changes read-off risk-loss households-beside best differences "
WHOLE += "over-seeds limit-costs reach frontier-plans"
SHORTENED = ("attributes", "correspondence", "subgroups", "subgroup-loss")
ROWS: dict[str, int | None] = dict.fromkeys(WHOLE.split()) | dict.fromkeys(SHORTENED, 5)
ROWS["knowledge-surface"] = 12
ON_THE_PAGE = ("rank-of-truth", "side-by-side", "plan", "made")  # sections


def print_audit(audit: Audit, *, whole: bool) -> None:
    """Print the result of an audit: one screen, or with every table."""
    from unveil.reports.sections.scenarios import BRIEF, brief_table
    from unveil.reports.summary import summary

    page = summary(audit.evidence)
    if whole:
        _print(page)
        return
    _print_top(page)
    if page.first is not None:
        say()
        table = brief_table(page.first)
        heads = [plain(column.head) for column in table.columns]
        print_table(heads, [[plain(cell) for cell in row] for row in table.rows])
        say(BRIEF)
    say()


def print_comparison(comparison: Comparison, *, whole: bool) -> None:
    """Print a comparison: one screen, or with every table."""
    from unveil.reports.summary import comparison_summary

    page = comparison_summary(comparison)
    if whole:
        _print(page)
        return
    _print_top(page)
    if page.first is not None:
        say()
        table = page.first.table.without("knows")
        _print_table(msgspec.structs.replace(page.first, table=table, notes=()))
    say()


def print_choice(found: Choice | StudyResult) -> None:
    """Print what a search found, and what was chosen."""
    from unveil.reports.summary import choice_summary

    _print(choice_summary(found))


def _print(summary: Summary) -> None:
    _print_top(summary)
    if summary.first is not None:
        say()
        first = summary.first  # the section on each scenario says what he knows
        _print_table(msgspec.structs.replace(first, table=first.table.without("knows")))
    for section in summary.sections:
        if section.key not in ON_THE_PAGE:
            _print_section(section)
    say()


def _print_top(summary: Summary) -> None:
    """The cautions, and the answers of the first screen or the verdict."""
    for caution in summary.cautions:
        say(f"! {plain(caution)}")
    for answer in summary.answers:
        said = f"{plain(answer.label) + ':':<{LABEL}}{plain(answer.value)}"
        for line in textwrap.wrap(said, WIDTH, subsequent_indent=" " * LABEL):
            say(line)
    if not summary.answers:
        for line in textwrap.wrap(plain(summary.verdict), WIDTH, break_on_hyphens=False):
            say(line)
    for point in summary.points:
        for line in textwrap.wrap(f"- {plain(point)}", WIDTH, subsequent_indent="  "):
            say(line)


def _print_section(section: Section) -> None:
    exhibits = [
        one for one in section.exhibits if one.lead or (one.name in ROWS and one.table.rows)
    ]
    if not (section.paragraphs or section.points or exhibits or section.choices):
        return  # it has charts only
    say()
    say(section.title.upper())
    for paragraph in section.paragraphs:
        say(plain(paragraph))
    for point in section.points:
        say(f"- {plain(point)}")
    _print_exhibits(exhibits)
    for choice in section.choices:
        shown = [one for one in choice.exhibits if one.name in ROWS]
        if choice.paragraphs or shown:
            say(f"{choice.title}:")
        for paragraph in choice.paragraphs:
            say(plain(paragraph))
        _print_exhibits(shown)


def _print_exhibits(exhibits: Sequence[Exhibit]) -> None:
    for exhibit in exhibits:
        for lead in exhibit.lead:
            say(plain(lead))
        if exhibit.name in ROWS and exhibit.table.rows:
            _print_table(exhibit)


def _print_table(exhibit: Exhibit) -> None:
    table, limit = exhibit.table, ROWS[exhibit.name]
    heads = [plain(column.head) for column in table.columns]
    # A name in a phrase is escaped, a text is not: it may have a line break.
    rows = [
        [plain(cell) if isinstance(cell, tuple) else printable(plain(cell)) for cell in row]
        for row in table.rows[:limit]
    ]
    numbers = [plain(column.head) for column in table.columns if column.number]
    print_table(heads, rows, numbers=numbers, stacked=True)
    if len(rows) < len(table.rows):
        say(f"And {count(len(table.rows) - len(rows), 'more row')}.")
        return  # the notes concern all rows
    for note in exhibit.notes:
        say(plain(note))


def print_replay(replay: Replay) -> None:
    """Print whether a replay gave the same numbers."""
    from unveil.reports.headline import replay_in_words

    for note in replay.notes:
        say(f"Note: {note}.")
    say(replay_in_words(replay))
    if replay.same:
        return
    print_table(
        ["where", "before", "now"],
        [[one.where, f"{one.before}", f"{one.now}"] for one in replay.differences[:20]],
    )
