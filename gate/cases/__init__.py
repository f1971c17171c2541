"""The cases by kind: masks, attacks, audits, files, words, Python functions, golden plans."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gate.cases import attacks, audits, files, functions, golden, masks, words

if TYPE_CHECKING:
    from gate.case import Case


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case; each has a name of its own."""
    kinds = (masks, attacks, audits, files, words, functions, golden)
    cases = tuple(case for kind in kinds for case in kind.cases())
    names = [case.name for case in cases]
    if len(set(names)) < len(names):
        raise ValueError(
            f"two cases have one name: {sorted({n for n in names if names.count(n) > 1})}"
        )
    return cases
