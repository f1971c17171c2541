"""Verdicts: what a paper says in words, judged by what was found."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Claim, Verdict

Judged = tuple[Verdict, str]  # the verdict, and the figures behind it
Results = TypeVar("Results")


def judged(
    published: Published, judges: Sequence[Callable[[Results], Judged]], results: Results
) -> list[Claim]:
    """Every claim of a paper with what its judge says of it, both in the order of the paper."""
    if len(judges) != len(published.claims):
        raise ValueError(f"there are {len(published.claims)} claims, and {len(judges)} judges")
    claims = []
    for number, (said, judge) in enumerate(zip(published.claims, judges, strict=True), 1):
        verdict, because = judge(results)
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
