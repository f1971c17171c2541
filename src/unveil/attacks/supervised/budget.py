"""How far learning goes: by estimated seconds of counted work, by linear programs, or both."""

from dataclasses import dataclass

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass
class Budget:
    """Work and linear programs that are left. No clock is read.

    >>> budget = Budget(seconds=None, steps=1)
    >>> budget.spend(0.1, programs=1)
    >>> budget.over
    True
    """

    seconds: float | None
    steps: int | None
    worked: float = 0.0  # estimated seconds
    programs: int = 0

    def spend(self, seconds: float, *, programs: int = 0) -> None:
        """Count work that was done, in estimated seconds."""
        self.worked += seconds
        self.programs += programs

    @property
    def left(self) -> float:
        """Estimated seconds; infinite where there is no limit."""
        return float("inf") if self.seconds is None else self.seconds - self.worked

    @property
    def late(self) -> bool:
        """Whether the seconds are spent."""
        return self.left <= 0

    @property
    def over(self) -> bool:
        """Whether seconds or programs are spent."""
        return self.late or (self.steps is not None and self.programs >= self.steps)
