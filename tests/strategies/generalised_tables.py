"""Random tables, made coarser at random and without a lie: a cell holds what it stood for."""

from __future__ import annotations

import numpy as np
import polars as pl

from unveil import Microdata, Schema
from unveil.table.cells import write_prefix, write_range, write_set
from unveil.values.release.category_channels import Sets
from unveil.values.release.channels import Ranges

GRADES = ("none", "low", "mid", "high", "top")
JOBS = (
    ("nurse", "care", "all"),
    ("doctor", "care", "all"),
    ("clerk", "office", "all"),
    ("judge", "office", "all"),
    ("cook", "cook", "all"),
)
TOWNS = ("01067", "01099", "01109", "04103", "10115")
LEVELS = {"x": "numeric", "n": "numeric", "grade": "ordinal", "job": "nominal", "town": "nominal"}
_SCHEMA = {
    "quasi": list(LEVELS),
    "numeric": ["x", "n"],
    "nominal": ["job", "town"],
    "ordinal": {"grade": GRADES},
    "hierarchy": {"job": JOBS},
}
CHANNELS = tuple(
    (Ranges if level == "numeric" else Sets)((name,)) for name, level in LEVELS.items()
)


def people(rng, n, missing=0.1):
    """Some people; what is missing is None."""
    cells = {
        "x": rng.normal(size=n).round(int(rng.integers(0, 3))).tolist(),
        "n": rng.integers(0, rng.choice([3, 100]), n).tolist(),
        "grade": rng.choice(GRADES, n).tolist(),
        "job": rng.choice([row[0] for row in JOBS], n).tolist(),
        "town": rng.choice(TOWNS, n).tolist(),
    }
    return {
        name: [None if rng.random() < missing else value for value in values]
        for name, values in cells.items()
    }


def coarser(rng, cells, stars=0.2):
    """The cells made coarser, and what each of them holds: an interval, a set, or None for all."""
    texts, held = {}, {}
    for name, values in cells.items():
        made = [_cell(rng, name, value, stars) for value in values]
        texts[name], held[name] = (list(side) for side in zip(*made, strict=True))
    return texts, held


def original(cells):
    return Microdata(_frame(cells, {"x": pl.Float64, "n": pl.Int64}), Schema(**_SCHEMA))


def release(texts):
    return Microdata(_frame(texts, {}), Schema(**_SCHEMA, generalised=list(LEVELS)))


def holds(held, value):
    """Whether a cell may be a value; nothing is ruled out by what is missing."""
    if held is None or value is None:
        return True
    return held[0] <= value <= held[1] if isinstance(held, list) else value in held


def _frame(cells, kinds):
    return pl.DataFrame(
        [pl.Series(name, cells[name], dtype=kinds.get(name, pl.String)) for name in LEVELS]
    )


def _cell(rng, name, value, stars):
    if value is None:  # which may become a star
        return (None, None) if rng.random() < 0.5 else ("*", None)
    if rng.random() < stars:
        return "*", None
    if LEVELS[name] == "numeric":
        return _range(rng, value)
    ways = {"grade": (_set, _places), "job": (_set, _group), "town": (_set, _prefix)}[name]
    return ways[rng.integers(2)](rng, name, value)


def _range(rng, value):
    below, above = (rng.integers(0, 3, 2) / 2).tolist()
    low, high = value - below, value + above
    if low == high:
        return f"{low}", [low, high]
    ends = [None if rng.random() < 0.1 else f"{low}", None if rng.random() < 0.1 else f"{high}"]
    if ends == [None, None]:
        return "*", None
    return write_range(*ends), [
        low if ends[0] is not None else -np.inf,
        high if ends[1] is not None else np.inf,
    ]


def _set(rng, name, value):
    every = {"grade": GRADES, "job": [row[0] for row in JOBS], "town": TOWNS}[name]
    more = rng.choice(every, rng.integers(0, 3), replace=False).tolist()
    held = list(dict.fromkeys([value, *more]))
    return write_set(held), set(held)


def _places(rng, name, value):  # noqa: ARG001
    place = GRADES.index(value)
    first, last = int(rng.integers(0, place + 1)), int(rng.integers(place, len(GRADES)))
    return write_range(GRADES[first], GRADES[last]), set(GRADES[first : last + 1])


def _group(rng, name, value):  # noqa: ARG001
    row = next(row for row in JOBS if row[0] == value)
    label = row[rng.integers(len(row))]
    return label, {row[0] for row in JOBS if label in row}


def _prefix(rng, name, value):  # noqa: ARG001
    text = value[: rng.integers(1, len(value))]
    return write_prefix(text), {town for town in TOWNS if town.startswith(text)}
