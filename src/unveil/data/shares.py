"""Shares of a whole."""

from __future__ import annotations

from decimal import Decimal


def part_of(n: int, share: float, whole: int = 1) -> int:
    """How many of n a share of the whole is, rounded down; as it is written, in decimals.

    >>> part_of(100, 0.29), int(100 * 0.29), part_of(1000, 32.3, 100)
    (29, 28, 323)
    """
    return int(Decimal(repr(share)) * n / whole)
