"""Options that are numbers, held to their range."""

from __future__ import annotations

from operator import index

from unveil.errors import UsageError


def whole_number(value: int, name: str, least: int, most: int) -> int:
    """An option that is a whole number within its range."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise UsageError(f"{name}: a whole number from {least} to {most:,}")
    return number


def share(value: float, name: str) -> float:
    """An option that is a number from 0 to 1."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, bool | str) or not 0 <= number <= 1:
        raise UsageError(f"{name}: a number from 0 to 1")
    return number
