"""Verdicts: the claims of a paper, judged by figures; and how sentences list these."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Claim, Verdict

Judged = tuple[Verdict, str]  # the verdict, and the figures behind it


def judge_claims(paper: Any, log: TrialLog, published: Published) -> list[Claim]:
    """Every claim of a paper with the verdict of its judge, a function of the paper's package."""
    results = paper.results(log, published) if published.claims else None
    claims = []
    for number, claim in enumerate(published.claims, 1):
        verdict, because = claim.verdict, claim.because
        if claim.judge:
            module, _, name = claim.judge.partition(".")
            judge = getattr(import_module(f"{paper.__name__}.{module}"), name)
            verdict, because = judge(results, **claim.given)
        claims.append(
            Claim(
                number=number, where=claim.where, says=claim.says, verdict=verdict,
                because=because if because.endswith(".") else f"{because}.",
            )
        )  # fmt: skip
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
