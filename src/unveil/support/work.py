"""Work in place of time: units of counted work, and about how many seconds each takes.

A budget in seconds is spent in counted work, not by the clock. The answer is therefore the same on
a fast, a slow and a busy machine, and on any number of cores; only the time it takes differs. The
constants are seconds on two cores of an AMD EPYC server, about an ordinary laptop. They are
fitted to 3,000 to 1,000,000 records of 4 to 18 numbers, and to masks of 2,000 to 60,000 records;
`python benchmarks/work.py` prints the measured time over the estimate, to calibrate them again.
"""

import re
from math import inf
from typing import Literal

from unveil.errors import SpecError
from unveil.wording import count

Effort = Literal["quick", "normal", "thorough"]

# The exact search counts cells: numbers of a record or box that are compared in 32 bits.
CELL_SECONDS = 0.35e-9
QUERY_CELLS = 3_000  # overhead of a query
EXACT_CELLS = 16  # a comparison in 64 bits: categories, missing cells, likelihoods

# Supervised learning counts coefficients of linear constraints and the solver's work.
DOMINANCE_SECONDS = 2.3e-9  # compare a candidate with a competitor that is kept
COMPETITOR_SECONDS = 1.2e-6  # a known competitor, whenever new ones are searched
COEFFICIENT_SECONDS = 2e-9
LINE_SECONDS = 5e-5  # overhead of a line search
PROGRAM_SECONDS = 5e-4  # overhead of a linear program
LEARNING_SECONDS = 6e-7  # weights, in all: a pair of records, per attribute
MATRIX_SECONDS = 2.5e-4  # a matrix, in all: a record, per cell of the matrix
MEASURE_LEARNING_SECONDS = 1e-4  # a fuzzy measure, in all: a record, per set of attributes
PIVOT_SECONDS = 1e-8  # a simplex iteration, per non-zero
CHECK_SECONDS = 8e-6  # between two interruption checks of an integer program, per non-zero

# Masking again counts records: seconds for each, by the kind of mask.
MASK_SECONDS, GROUPING_SECONDS, GENERALISATION_SECONDS, SYNTHESIS_SECONDS = 5e-6, 2e-5, 5e-5, 1e-4
REMASK_SECONDS = 1e-5  # prepare a masked file for an attack

# What an audit is expected to take, before anything is compared.
EFFORT_SECONDS: dict[Effort, float] = {"quick": 8.0, "normal": 25.0, "thorough": inf}
PRUNED_CANDIDATES = 2_000  # of numbers, the tree leaves about so many to compare
MIXED_CELLS = 2  # a comparison where categories are among the attributes
WEIGHING_SECONDS = 3e-5  # a number of a candidate: match weights by EM
MATCHED_SECONDS = 1.5e-6  # a pair of the files, to match them one to one
LISTED_SECONDS = 5e-7  # the same where the costs of all pairs are listed
KEPT_SECONDS, PRICED_SECONDS = 2.5e-8, 1e-5  # a pair of a posterior: of all pairs; of the nearest
EXCHANGED_SECONDS = 6e-8  # a column of a pair that exchanges may confirm
# Learn from simulation: a cell that is masked again; the law of a column and its weight.
SIMULATED_SECONDS, LAW_SECONDS = 8e-6, 0.15
START_SECONDS = 0.1  # a step of an audit, whatever it does
REPEAT_SECONDS = 0.01  # an attack that is made once more, beyond its search
# By the measures of loss: learning to predict, whatever the size; and a cell of the original.
PREDICT_SECONDS, MEASURE_SECONDS = 0.8, 2e-5

# A plan of a search with every attack, by 1,000 records and by how it grows with them; measured by
# `python benchmarks/choose_studies.py pace` on two intruders.
TRIAL_SECONDS, TRIAL_GROWTH = 0.4, 1.44

UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds_of(time: float | str) -> float:
    """A time in seconds: a number, or text such as 60s, 2m, 1h."""
    if isinstance(time, float | int):
        seconds = float(time)
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|m|min|h|)\s*", time)
        seconds = float(match[1]) * UNIT_SECONDS[match[2]] if match else 0.0
    if not 0 < seconds < 1e9:
        raise SpecError("a time above 0: seconds, or a text such as 60s, 2m or 1h")
    return seconds


def search_seconds(
    records: int, candidates: int, width: int, *, numeric: bool, exact: bool
) -> float:
    """About how long a search takes; `exact`: each pair has a likelihood, in 64 bits."""
    visited = candidates * (EXACT_CELLS if exact else MIXED_CELLS)
    if numeric and not exact:
        visited = min(candidates, PRUNED_CANDIDATES)
    return CELL_SECONDS * records * (QUERY_CELLS + visited * width)


def trial_seconds(records: int) -> float:
    """About how long a search takes for one plan, on one core.

    >>> round(trial_seconds(1_000), 1), round(trial_seconds(20_000))
    (0.4, 30)
    """
    return float(TRIAL_SECONDS * max(records / 1_000, 1.0) ** TRIAL_GROWTH)


def duration(seconds: float) -> str:
    """A duration in words, rounded: about 2 minutes.

    >>> duration(130), duration(7000), duration(0.2)
    ('about 2 minutes', 'about 2 hours', 'about 1 second')
    """
    size, name = next(
        ((size, name) for size, name in ((3600.0, "hour"), (60.0, "minute")) if seconds >= size),
        (1.0, "second"),
    )
    return f"about {count(max(round(seconds / size), 1), name)}"
