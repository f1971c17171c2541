"""How far a long job has come."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told from time to time how much is done, in the calling thread."""

    def __call__(self, done: int, total: int) -> None:
        """So much is done, of so much in all."""
