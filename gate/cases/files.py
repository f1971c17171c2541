"""Formats: each read, inspected and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.case import Case
from gate.inputs import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAN = [{"method": "rank-swapping", "p": 5, "columns": ["age", "hours"]}]


def cases() -> Iterator[Case]:
    """Inspections, and a release in every format."""
    for ending in ENDINGS:
        schema = "" if ending == "xpt" else " --schema in/people.toml"
        yield Case(
            f"file/{ending}",
            (
                f"inspect in/people.{ending} --json --write-schema {{out}}/guessed.toml",
                f"mask in/people.{ending}{schema} --plan {{out}}/plan.toml --seed 3 --json "
                f"--row-map {{out}}/map.csv -o {{out}}/release.{ending}",
            ),
            plan=PLAN,
        )
    table = "sqlite:///in/people.db?table=people"
    yield Case(
        "file/sqlite",
        (
            f"inspect {table} --json --show-values",
            f"mask {table} --schema in/people.toml --plan {{out}}/plan.toml --seed 3 --json -o "
            "sqlite:///{out}/release.db?table=people",
        ),
        plan=PLAN,
    )
    yield Case(
        "file/dialect",
        ("inspect in/semicolons.csv --delimiter ; --decimal , --missing NA --missing -9 --json",),
    )
    yield Case(
        "inspect/survey",
        (
            "inspect in/people.csv --schema in/people.toml --json",
            "inspect in/people.csv --schema in/people.toml --show-values",
            "inspect in/ranges.csv --schema in/ranges.toml --json --show-values",
        ),
    )
