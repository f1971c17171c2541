"""Work in place of time: what is counted, and about how long it takes.

A budget in seconds is spent in counted work, not by the clock. The answer is therefore the same on
a fast, a slow and a busy machine, and on any number of cores; only the time it takes differs. The
constants are seconds on two cores of an AMD EPYC server, about an ordinary laptop. They are
fitted to 3,000 to 1,000,000 records of 4 to 18 numbers, and to masks of 2,000 to 60,000 records;
`python benchmarks/work.py` prints the measured time over the estimate, to calibrate them again.
"""

from __future__ import annotations

import re

from unveil.errors import SpecError

# The exact search counts cells: numbers of a record or box that are compared in 32 bits.
CELL = 0.35e-9  # seconds for a cell
QUERY = 3_000  # cells that each query costs besides
SLOW = 16  # cells that a comparison in 64 bits costs: categories, missing cells, likelihoods

# Learning a distance counts numbers of inequalities and work of the solver.
DOMINANCE = 2.3e-9  # seconds to compare a candidate with a rival that is kept
RIVAL = 1.2e-6  # seconds for a rival that is known, when others are looked for
NUMBER = 2e-9  # seconds for a number of an inequality
LINE = 5e-5  # seconds for a search along a line besides
PROGRAM = 5e-4  # seconds for a linear program besides
PIVOT = 1e-8  # seconds for an iteration of the simplex method and a non-zero
CHECK = 8e-6  # seconds between two checks of an integer program, for a non-zero

# Masking again counts records: seconds for each, by the kind of mask.
MASKED, GROUPED, GENERALISED, SYNTHESISED = 5e-6, 2e-5, 5e-5, 1e-4
ATTACKED_AGAIN = 1e-5  # to make a masked file ready for an attack

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds_of(given: float | str) -> float:
    """A time in seconds: a number, or text such as 60s, 2m, 1h.

    >>> seconds_of("2m"), seconds_of(1.5)
    (120.0, 1.5)
    """
    if isinstance(given, float | int):
        seconds = float(given)
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|m|min|h|)\s*", given)
        seconds = float(found[1]) * UNITS[found[2]] if found else 0.0
    if not 0 < seconds < 1e9:
        raise SpecError("a time above 0: seconds, or a text such as 60s, 2m or 1h")
    return seconds
