"""The summary of an attack: every measure of its links, in plain values."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from unveil import measures
from unveil.attacks import Position
from unveil.attacks.combined.score_sum import ScoreSum
from unveil.measures.identity.claims import clear_margin
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.values.links import Links


def describe_attack(
    links: Links, *, top: int = 5, outsiders: Links | None = None
) -> dict[str, Any]:
    """The risk, the curves and the forecast of an attack, and the correlation of row orders.

    Without the truth: how many links there are, and how clear they are.
    """
    if links.truth is None:
        sample, clear = links.sample(SAMPLE_SIZE), None
        if sample.finder.margins:  # the links that an intruder would claim
            clear = int((measures.margins(sample) >= clear_margin(sample) - 1e-9).sum())
        return {
            "attack": links.name,
            "risk": None,
            "records": len(links),
            "looked_at": len(sample),
            "unlinked": int((sample.best < 0).sum()),
            "tied": int((sample.n_best > 1).sum()),
            "clear": clear,
            "forecast": measures.forecast(links),
            "details": links.finder.details,
        }
    union = None
    if isinstance(links.finder, ScoreSum):  # an oracle knows which combined attack to believe
        combined = [replace(links, finder=part) for part in links.finder.summands]
        union = float(np.sort(measures.in_any(combined)).sum())
    summary: dict[str, Any] = {
        "attack": links.name,
        "risk": measures.risk(links, outsiders=outsiders),
        "outsiders": outsiders is not None,  # whether they are the control
        "top": _plain(measures.top_k(links, top)),
        "at_risk": _plain(measures.at_risk(links)),
        "precision": _plain(measures.precision(links)) if links.finder.margins else None,
        "forecast": measures.forecast(links),
        "union": union,
        "details": links.finder.details,
    }
    if isinstance(links.attack, Position):
        summary["row_order"] = _plain(measures.row_order(links))
    return summary


def risk_by_releases(links: Sequence[Links], *, keyed: bool) -> list[dict[str, Any]]:
    """The risk against the number of releases: of the first one, two, ... of them.

    Keyed, each of the links is of so many releases together. Otherwise each is of one release,
    and the risk is that of being found in any of them, independently.
    """
    rows = []
    missed: dict[int, float] = {}
    for number, one in enumerate(links, start=1):
        per_record = measures.hits(one)
        people = one.true_rows if one.intruder.reverse else one.records
        for person, hit in zip(people.tolist(), per_record.tolist(), strict=True):
            missed[person] = missed.get(person, 1.0) * (1 - hit)
        alone = float(np.sort(per_record).sum())
        linked = alone if keyed else sum(1 - miss for _, miss in sorted(missed.items()))
        rows.append({"releases": number, "expected": linked, "alone": None if keyed else alone})
    return rows


def _plain(result: Any) -> dict[str, Any]:
    """The fields of a result, arrays as lists and NaN as None."""
    return {name: _number(value) for name, value in result._asdict().items()}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_number(one) for one in value.tolist()]
    return None if isinstance(value, float) and isnan(value) else value
