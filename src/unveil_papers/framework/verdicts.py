"""Verdicts: what a paper says in words, judged by what was found."""

from importlib import import_module

import numpy as np

from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Claim, Verdict

Judged = tuple[Verdict, str]  # the verdict, and the figures behind it


def judged(package: str, published: Published, results: object) -> list[Claim]:
    """Every claim of a paper with the verdict of its judge, a function of the paper's package."""
    claims = []
    for number, claim in enumerate(published.claims, 1):
        verdict, because = claim.verdict, claim.because
        if claim.judge:
            module, _, name = claim.judge.partition(".")
            judge = getattr(import_module(f"{package}.{module}"), name)
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
