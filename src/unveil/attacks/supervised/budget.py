"""How long learning may take: by the clock, by a number of steps, or both."""

import re
from dataclasses import dataclass, field
from time import monotonic

from unveil.errors import SpecError

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass
class Budget:
    """Time, and linear programs, that are left.

    >>> budget = Budget(seconds=None, steps=1)
    >>> budget.spend()
    >>> budget.over
    True
    """

    seconds: float | None
    steps: int | None
    spent: int = 0
    begun: float = field(default_factory=monotonic)

    def spend(self) -> None:
        """One linear program more."""
        self.spent += 1

    @property
    def left(self) -> float:
        """Seconds."""
        return 1e9 if self.seconds is None else self.begun + self.seconds - monotonic()

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.left <= 0

    @property
    def over(self) -> bool:
        """Whether time or steps are spent."""
        return self.late or (self.steps is not None and self.spent >= self.steps)


def seconds_of(given: float | str) -> float:
    """A time in seconds: a number, or text such as 60s, 2m, 1h.

    >>> seconds_of("2m"), seconds_of(1.5)
    (120.0, 1.5)
    """
    if isinstance(given, float | int):
        seconds = float(given)
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|m|min|h|)\s*", given)
        seconds = float(found[1]) * UNITS[found[2]] if found else 0.0
    if not 0 < seconds < 1e9:
        raise SpecError("a time above 0: seconds, or a text such as 60s, 2m or 1h")
    return seconds
