"""Measure an attack: everything that is said of its links, in plain values."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.attacks import Position
from unveil.measures import at_risk, margins, precision, risk, row_order, top_k
from unveil.measures.claims import clear
from unveil.measures.hits import LOOKED_AT

if TYPE_CHECKING:
    from unveil.data.links import Links


def measure(links: Links, *, top: int = 5, outsiders: Links | None = None) -> dict[str, Any]:
    """Say what the links are worth: risk, curves, and for positions their correlation.

    Without the truth it can only be said how many links there are, and how clear they are.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance())
    >>> measure(links)["unlinked"]
    0
    """
    if links.truth is None:
        some = links.sample(LOOKED_AT)
        return {
            "attack": links.name,
            "risk": None,
            "records": len(links),
            "looked_at": len(some),
            "unlinked": int((some.best < 0).sum()),
            "tied": int((some.n_best > 1).sum()),
            "clear": _clear(some) if some.finder.margins else None,
        }
    found: dict[str, Any] = {
        "attack": links.name,
        "risk": risk(links, outsiders=outsiders),
        "outsiders": outsiders is not None,  # whether the control is of them
        "top": _plain(top_k(links, top)),
        "at_risk": _plain(at_risk(links)),
        "precision": _plain(precision(links)) if links.finder.margins else None,
    }
    if isinstance(links.attack, Position):
        found["row_order"] = _plain(row_order(links))
    return found


def _clear(links: Links) -> int:
    """How many links an intruder would assert."""
    return int((margins(links) >= clear(links) - 1e-9).sum())


def _plain(found: Any) -> dict[str, Any]:
    """A result's fields, arrays as lists; what is not a number there is none."""
    return {name: _number(value) for name, value in found._asdict().items()}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_number(one) for one in value.tolist()]
    return None if isinstance(value, float) and isnan(value) else value
