"""``python -m gate``: run every case and compare it with the record."""

from __future__ import annotations

import argparse
import fnmatch
import os
import signal
import sys
import time
from itertools import groupby
from typing import TYPE_CHECKING

from gate import record
from gate.cases import all_cases
from gate.cases.functions import missing
from gate.comparison import compare_numbers, compare_words, flat, read_renamed
from gate.inputs import has_papers
from gate.run import WORKERS, run_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.case import Outcome
    from gate.comparison import Difference

SHOWN = 12  # differences of one case that are printed
REMINDER = (
    'A wanted change is accepted by `make gate-record` and a line under "Numbers changed" in '
    "CHANGELOG.md (one line may cover many numbers)."
)


def main(words: Sequence[str] | None = None) -> int:
    """Run, then compare or record; 1 where a number differs."""
    asked = _options().parse_args(words)
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # pages have a date
    names = [case.name for case in all_cases() if fnmatch.fnmatch(case.name, asked.only)]
    if absent := missing():
        say(f"No case, or a case of a name that is gone: {', '.join(absent)}")
        return 1
    if not has_papers():
        say("UNVEIL_DATA is not set: the golden cases, on the papers' files, are NOT run.")
        if asked.record and asked.only == "*":
            say("The record needs all cases: set UNVEIL_DATA, or name some by --only.")
            return 1
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # ends workers
    begun = time.monotonic()
    outcomes: dict[str, Outcome] = {}
    for name, outcome, seconds in run_all(names, asked.workers):
        outcomes[name] = outcome
        if asked.times:
            say(f"{seconds:7.2f} s  {name}")
    leaves = sum(len(one.numbers) for one in outcomes.values())
    took = f"{time.monotonic() - begun:.0f} s"
    say(f"{len(outcomes)} cases, {leaves:,} numbers, {took}.")
    if asked.record:
        record.write_record(outcomes, keep=asked.only != "*")
        say(f"Recorded in {record.FOLDER.name}/.")
        _print_failed(outcomes)
        _remind()
        return 0
    return _compared(outcomes, asked)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gate", description=__doc__)
    parser.add_argument(
        "--record", action="store_true", help="write the record anew, of these cases"
    )
    parser.add_argument("--words", action="store_true", help="print every changed text in full")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="only cases of such a name")
    parser.add_argument("--workers", type=int, default=WORKERS, help="processes side by side")
    parser.add_argument("--times", action="store_true", help="print the seconds of each case")
    return parser


def _compared(outcomes: dict[str, Outcome], asked: argparse.Namespace) -> int:
    table = read_renamed()
    run = {*outcomes}

    def recorded(file: str) -> record.Leaves:
        whole = record.read_record(file)
        if asked.only == "*" and has_papers():
            return whole
        return {name: leaves for name, leaves in whole.items() if table.get(name, name) in run}

    words = {name: one.words for name, one in outcomes.items()}
    changed = list(compare_words(recorded(record.WORDS), words, table))
    _print_words(changed, full=asked.words)
    numbers = {name: one.numbers for name, one in outcomes.items()}
    differences = compare_numbers(recorded(record.NUMBERS), numbers, table)
    if not differences:
        say("Every number is as recorded.")
        _remind()
        return 0
    _print_numbers(differences)
    say(REMINDER)
    return 1


def _print_failed(outcomes: dict[str, Outcome]) -> None:
    """List cases that failed, or a command of which did, but for those that are meant to."""
    for name, outcome in sorted(outcomes.items()):
        for path, leaf in outcome.numbers.items():
            failed = path == "failed" or (path.endswith("/exit") and leaf not in ("0", "1"))
            if failed and not name.startswith("wrong/"):
                said = outcome.words.get(path.replace("/exit", "/stderr"), "")
                say(f"  {name}: {path} {leaf}: {said.strip()[:400]}")


def _print_words(changed: list[tuple[str, str]], *, full: bool) -> None:
    if not changed:
        say("Every text is as recorded.")
        return
    say(f"Words changed in {len(changed)} texts{'' if full else ' (in full: make gate-words)'}:")
    for path, lines in changed:
        added, gone = (sum(line.startswith(sign) for line in lines.splitlines()) for sign in "+-")
        say(f"  {path}: +{max(added - 1, 0)} -{max(gone - 1, 0)} lines")
        if full:
            say(lines)


def _print_numbers(differences: list[Difference]) -> None:
    say(f"{len(differences):,} NUMBERS DIFFER FROM THE RECORD:")
    for case, some in groupby(differences, lambda one: "/".join(one.path.split("/")[:2])):
        of_case = list(some)
        say(f"  {case}: {len(of_case):,}")
        for one in of_case[:SHOWN]:
            say(f"    {one}")
        if len(of_case) > SHOWN:
            say(f"    ... and {len(of_case) - SHOWN:,} more")


def _remind() -> None:
    """Say so where recorded numbers differ from those of the last commit and nothing tells why."""
    before = record.committed_numbers()
    if before is None:
        return
    old, new = flat(before), flat(record.read_record(record.NUMBERS))
    changed = sum(old[path] != new[path] for path in {*old} & {*new})
    if changed and record.log_is_unchanged():
        say(f"{changed:,} recorded numbers differ from those of the last commit, and the CHANGELOG "
            'has no new line under "Numbers changed": write one.')  # fmt: skip


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
