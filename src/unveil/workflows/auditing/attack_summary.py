"""Measure an attack: everything that is said of its links, in plain values."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from unveil.attacks import Position
from unveil.attacks.combined.score_sum import ScoreSum
from unveil.measures import (
    at_risk,
    forecast,
    hits,
    in_any,
    margins,
    precision,
    risk,
    row_order,
    top_k,
)
from unveil.measures.identity.claims import clear_margin
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.values.links import Links


def describe_attack(
    links: Links, *, top: int = 5, outsiders: Links | None = None
) -> dict[str, Any]:
    """Say what the links are worth: risk, curves, and for positions their correlation.

    Without the truth it can only be said how many links there are, and how clear they are.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance())
    >>> describe_attack(links)["unlinked"]
    0
    """
    if links.truth is None:
        some = links.sample(SAMPLE_SIZE)
        return {
            "attack": links.name,
            "risk": None,
            "records": len(links),
            "looked_at": len(some),
            "unlinked": int((some.best < 0).sum()),
            "tied": int((some.n_best > 1).sum()),
            "clear": _clear(some) if some.finder.margins else None,
            "forecast": forecast(links),
            "details": links.finder.details,
        }
    found: dict[str, Any] = {
        "attack": links.name,
        "risk": risk(links, outsiders=outsiders),
        "outsiders": outsiders is not None,  # whether the control is of them
        "top": _plain(top_k(links, top)),
        "at_risk": _plain(at_risk(links)),
        "precision": _plain(precision(links)) if links.finder.margins else None,
        "forecast": forecast(links),
        "union": _union(links),
        "details": links.finder.details,
    }
    if isinstance(links.attack, Position):
        found["row_order"] = _plain(row_order(links))
    return found


def _union(links: Links) -> float | None:
    """What an oracle gets that knows which of combined attacks to believe."""
    if not isinstance(links.finder, ScoreSum):
        return None
    each = [replace(links, finder=part) for part in links.finder.summands]
    return float(np.sort(in_any(each)).sum())


def several(links: Sequence[Links], *, keyed: bool) -> list[dict[str, Any]]:
    """The risk against the number of releases: of the first one, two, ... of them.

    Keyed, each of the links is of so many releases together. Else they are of one release
    each, and it is counted who is found in any of them, as if each were found by himself.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> one = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> [row["releases"] for row in several([one, one], keyed=False)]
    [1, 2]
    """
    found = []
    missed: dict[int, float] = {}
    for number, one in enumerate(links, start=1):
        each = hits(one)
        who = one.true_rows if one.intruder.reverse else one.records  # of the people
        for person, hit in zip(who.tolist(), each.tolist(), strict=True):
            missed[person] = missed.get(person, 1.0) * (1 - hit)
        own = float(np.sort(each).sum())
        linked = own if keyed else sum(1 - miss for _, miss in sorted(missed.items()))
        found.append({"releases": number, "expected": linked, "alone": None if keyed else own})
    return found


def _clear(links: Links) -> int:
    """How many links an intruder would assert."""
    return int((margins(links) >= clear_margin(links) - 1e-9).sum())


def _plain(found: Any) -> dict[str, Any]:
    """A result's fields, arrays as lists; what is not a number there is none."""
    return {name: _number(value) for name, value in found._asdict().items()}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_number(one) for one in value.tolist()]
    return None if isinstance(value, float) and isnan(value) else value
