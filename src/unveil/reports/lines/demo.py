"""The result of the demonstration: what was masked, audited and chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.support.phrases import plain

if TYPE_CHECKING:
    from pathlib import Path

    from unveil.values.results.choice import Choice


def masked_sentence(data: Path, plans: int) -> str:
    """What was masked; the table of masks follows."""
    return f"{data} is a synthetic survey of persons in households. It was masked in {plans} ways:"


def audited_sentence(limits: Path) -> str:
    """What the releases were checked against; their verdicts follow."""
    return f"Each release was attacked and checked against the policy {limits}:"


def chosen_sentence(choice: Choice, people: int) -> str:
    """What the search chose."""
    from unveil.reports.summary import choice_summary  # which imports the sections

    return f"A search on {people} of these people: {plain(choice_summary(choice).verdict)}"
