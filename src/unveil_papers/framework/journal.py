"""The journal of finished trials: a long run can be stopped and continued."""

import hashlib
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import msgspec

import unveil
import unveil_papers
from unveil.errors import FileError
from unveil.wording import reason
from unveil_papers.datasets import cache_folder
from unveil_papers.framework.experiment import Figures

PACKAGES = tuple(Path(one.__path__[0]) for one in (unveil, unveil_papers))
COMPUTES = (
    "highspy",
    "numba",
    "numpy",
    "polars",
    "scikit-learn",
    "scipy",
)  # packages that figures depend on


class JournalEntry(msgspec.Struct, frozen=True):
    """One trial of a paper, and its figures."""

    paper: str
    trial: str
    figures: dict[str, float | list[float]]


class Journal:
    """The figures of trials on disk, one line each, for one seed and this version of the code.

    It holds counts and rates, no cell of any data. A damaged line is ignored: its trial runs
    again.
    """

    def __init__(self, seed: int, folder: Path | None = None) -> None:
        self.path = (folder or cache_folder() / "papers") / f"{_fingerprint()}-{seed}.jsonl"
        self._figures: dict[tuple[str, str], Figures] = {}
        for line in self._lines():
            try:
                entry = msgspec.json.decode(line, type=JournalEntry)
            except msgspec.DecodeError:
                continue
            self._figures[entry.paper, entry.trial] = entry.figures

    def __contains__(self, trial: tuple[str, str]) -> bool:
        """Whether a trial of a paper is finished."""
        return trial in self._figures

    def of(self, paper: str) -> dict[str, Figures]:
        """The figures of all finished trials of a paper."""
        return {trial: found for (name, trial), found in self._figures.items() if name == paper}

    def add(self, paper: str, trial: str, figures: Figures) -> None:
        """Record the figures of a trial."""
        line = msgspec.json.encode(JournalEntry(paper, trial, dict(figures)))
        self._append(b"\n" + line + b"\n")  # so that a line that was cut off ends here
        # As it will be read again: a run that goes on is one that was never stopped.
        self._figures[paper, trial] = msgspec.json.decode(line, type=JournalEntry).figures

    def forget(self, trials: Iterable[tuple[str, str]]) -> None:
        """Forget some trials; their new figures replace the old ones."""
        for trial in trials:
            self._figures.pop(trial, None)

    def check(self) -> None:
        """Refuse before any trial runs if the journal cannot be written."""
        self._append(b"")

    def _append(self, text: bytes) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(opened, "ab") as file:
                file.write(text)
        except OSError as error:
            raise FileError(f"what is found cannot be kept: {reason(error)}").at(
                str(self.path)
            ) from None

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().splitlines()
        except OSError:
            return []


def _fingerprint() -> str:
    """A hash of the code, the hashes of the data and the versions that figures depend on."""
    digest = hashlib.sha256()
    for name in COMPUTES:
        digest.update(f"{name} {version(name)}\n".encode())
    for package in PACKAGES:
        for path in sorted([*package.rglob("*.py"), *package.rglob("datasets.toml")]):
            digest.update(f"{path.relative_to(package.parent)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
