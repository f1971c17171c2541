"""The record: what every case gave when it was last recorded, in four files of this folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.case import Outcome

FOLDER = Path(__file__).parent
NUMBERS, WORDS, INDEX = "numbers.json.gz", "words.json.gz", "numbers.txt"

Leaves = dict[str, dict[str, str]]  # case: path: value


def write_record(
    outcomes: Mapping[str, Outcome], folder: Path = FOLDER, *, keep: bool = False
) -> None:
    """Write numbers, words, and an index with one line for each case; `keep` the other cases."""
    numbers = read_record(NUMBERS, folder) if keep else {}
    words = read_record(WORDS, folder) if keep else {}
    numbers |= {name: one.numbers for name, one in outcomes.items()}
    words |= {name: one.words for name, one in outcomes.items()}
    for file, value in ((NUMBERS, numbers), (WORDS, words)):
        text = json.dumps(value, ensure_ascii=False, indent=0, sort_keys=True)
        (folder / file).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    lines = [
        f"{hashlib.sha256(json.dumps(leaves, sort_keys=True).encode()).hexdigest()[:16]} "
        f"{len(leaves):6} {name}\n"
        for name, leaves in sorted(numbers.items())
    ]
    (folder / INDEX).write_text("".join(lines))


def read_record(file: str, folder: Path = FOLDER) -> Leaves:
    """Read the recorded numbers, or the recorded words."""
    path = folder / file
    return _read(path.read_bytes()) if path.exists() else {}


def _read(packed: bytes) -> Leaves:
    found: Leaves = json.loads(gzip.decompress(packed))
    return found


def committed_numbers() -> Leaves | None:
    """The recorded numbers of the last commit; None where there are none, or no git."""
    packed = _git(f"HEAD:gate/{NUMBERS}")
    return None if packed is None else _read(packed)


def log_is_unchanged() -> bool:
    """Whether "Numbers changed" of the CHANGELOG is as in the last commit."""
    before = _git("HEAD:CHANGELOG.md")
    now = (FOLDER.parent / "CHANGELOG.md").read_text()
    return before is not None and _numbers_changed(before.decode()) == _numbers_changed(now)


def _numbers_changed(log: str) -> list[str]:
    return [part.split("\n#")[0] for part in log.split("### Numbers changed")[1:]]


def _git(what: str) -> bytes | None:
    done = subprocess.run(  # noqa: S603
        ["git", "show", what],  # noqa: S607
        cwd=FOLDER.parent,
        capture_output=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None
