"""The interface of an engine, and the tie rule of scores.

    Records ──prepare──▶ Prepared ──rank_of_truth──▶ RankOfTruth   is anyone closer than the truth?
                                  ──nearest────────▶ Neighbours    the k best candidates
                                  ──density────────▶ Densities     how well all explain a record
                                  ──costs──────────▶ array         chosen pairs
                                  ──with_offset────▶ Prepared      the same at other prices

    local   numba on this machine's cores   engines/local

Every engine returns the same integers; `tests/engines` runs one suite over all that are registered
in `engines/select.py`. An engine needs memory linear in the records: nobody makes a distance
matrix.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.engines.blocks import Blocks
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.values.search_results import Densities, Neighbours, RankOfTruth

Codes: TypeAlias = NDArray[np.integer[Any]]

RELATIVE, ABSOLUTE = 1e-9, 1e-12  # scores nearer than this tie
MOST_NEIGHBOURS = 1000
MOST_ATTRIBUTES = 20  # whose agreement patterns are counted


def ties(d: Floats, e: Floats) -> Bools:
    """Whether scores tie: |d - e| <= 1e-9 max(|d|, |e|) + 1e-12, after the root if there is one.

    An infinite score ties with an infinite one only. Whole numbers (`compares_integers`) tie where
    they are equal, without this tolerance.

    >>> ties(np.array([1.0, 1.0]), np.array([1.0 + 1e-10, 1.1])).tolist()
    [True, False]
    """
    with np.errstate(invalid="ignore"):
        tolerance = RELATIVE * np.maximum(np.abs(d), np.abs(e)) + ABSOLUTE
        near = np.isfinite(d) & np.isfinite(e) & (np.abs(d - e) <= tolerance)
        tied: Bools = near | (d == e)
    return tied


class Prepared(Protocol):
    """Two files and a metric, prepared once for several searches.

    A search is for some of the queries, by their rows, or for all (None). An answer depends on the
    two files only, not on the other rows of the same search. A candidate of another block, or at
    an infinite cost, is impossible: it is never among the nearest, and as a truth has no rank.
    """

    @property
    def engine(self) -> str:
        """The name of the engine that answers."""

    def rank_of_truth(
        self,
        rows: Ints | None,
        truth: ArrayLike,
        *,
        stop_at: int | None = None,
        progress: Progress | None = None,
    ) -> RankOfTruth:
        """How many candidates are closer to each query than its true record, and how many tie.

        `truth` has the row of the base for each query, from 0; -1: not there. With `stop_at`, the
        count of closer ones stops at this many. At 1 the question is whether the record is
        re-identified, which is orders of magnitude faster than the count in full.
        """

    def nearest(
        self, rows: Ints | None, *, k: int = 1, progress: Progress | None = None
    ) -> Neighbours:
        """The k best candidates of each query, and how many tie with the best."""

    def density(
        self, rows: Ints | None, *, error: float = 1e-6, progress: Progress | None = None
    ) -> Densities:
        """The log of the sum of exp(-score) over the candidates of each query.

        What is too far to matter may be left out; `error` bounds its share of the sum, and is the
        only number by which two engines may differ beyond rounding.
        """

    def costs(self, rows: Ints, candidates: Ints) -> Floats:
        """The cost of each pair of a query and a candidate: the score before the root."""

    def with_offset(self, offset: Floats | None) -> Prepared:
        """The same with other offsets of the candidates, without preparing again what can stay."""


class Engine(Protocol):
    """A way to compare two files, record by record."""

    @property
    def name(self) -> str:
        """The engine's name."""

    def prepare(
        self,
        queries: Records | ArrayLike,
        base: Records | ArrayLike,
        metric: Metric,
        *,
        blocks: Blocks | None = None,
    ) -> Prepared:
        """Check two files, and prepare their comparison.

        An offset of the base is added to the scores of its records; then sums are compared, not
        their roots.
        """

    def pattern_counts(self, a: Codes, b: Codes) -> Ints:
        """Count the pairs, one record of each file, by the attributes on which they agree.

        Codes are records x attributes, from 0; -1 is missing and agrees with nothing. The result
        has 2**d counts: bit j of a position is set where attribute j agrees.
        """

    def distinct_rows(self, values: Floats) -> EqualRows:
        """Group the rows whose cells are all equal; a NaN equals a NaN."""

    def supports(self, metric: Metric) -> bool:
        """Whether the engine can search by this metric."""
