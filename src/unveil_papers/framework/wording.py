"""Wording: figures as sentences have them."""

from collections.abc import Iterable


def listed(figures: Iterable[float], digits: int = 1) -> str:
    """Figures one after another.

    >>> listed([3330, 5110.2], 0), listed([0.25, 25])
    ('3,330, 5,110', '0.2, 25.0')
    """
    return ", ".join(f"{figure:,.{digits}f}" for figure in figures)


def span(figures: Iterable[float], digits: int = 3) -> str:
    """From the least to the most.

    >>> span([0.5, 0.25]), span([1, 1.001], 1)
    ('0.250 to 0.500', '1.0')
    """
    every = [f"{figure:,.{digits}f}" for figure in sorted(figures)]
    return every[0] if every[0] == every[-1] else f"{every[0]} to {every[-1]}"
