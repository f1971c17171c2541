"""Verdicts: what a paper says in words, judged by what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from unveil.data.reproduction import Claim, Verdict

if TYPE_CHECKING:
    import numpy as np

    from unveil.workflows.reproducing.published import Published

Judged = tuple[Verdict, str]  # the verdict, and the figures behind it
Judge = Callable[[], Judged]


def judged(published: Published, judges: Mapping[int, Judge]) -> list[Claim]:
    """Every claim of a paper with what its judge says of it."""
    if set(judges) != set(range(1, len(published.claims) + 1)):
        raise ValueError(f"there are {len(published.claims)} claims, and {len(judges)} judges")
    claims = []
    for number, said in enumerate(published.claims, 1):
        verdict, because = judges[number]()
        claims.append(
            Claim(number=number, where=said.where, says=said.says, verdict=verdict, because=because)
        )
    return claims


def verdict_of(*so: bool | np.bool_) -> Verdict:
    """All of it, some of it or none of it is so.

    >>> verdict_of(True, True), verdict_of(True, False), verdict_of(False)
    ('holds', 'holds in part', 'does not hold')
    """
    return "holds" if all(so) else "holds in part" if any(so) else "does not hold"


def untestable(because: str) -> Judged:
    """No verdict, and why."""
    return "cannot be tested", because
