"""PRAM: categories replaced by chance, with known probabilities."""

from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import SpecError
from unveil.masks.base import MaskedColumn, OnEachColumn, check_varies, one_of
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import Codes, codes
from unveil.table.encoding.to_columns import labelled
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Transition
from unveil.wording import listing

SUM_TOLERANCE = 1e-9


class Pram(OnEachColumn, frozen=True, kw_only=True):
    """PRAM: each category is kept or replaced by another, drawn from its row of a matrix.

    A released category may be false, so that nobody can be sure of a single person. As it is
    known how often that happens, counts can be corrected for it.

    `theta` alone: the rarest category changes with probability theta, others in inverse
    proportion to their frequency, to any other category alike; so frequencies stay as they
    are on average (invariant PRAM). With `invariant` false every category changes with
    probability theta. A `matrix` has a row for each category, the probabilities of what it
    becomes; if `invariant`, it is followed by a second draw, of a category that may lie
    behind the outcome of the first, and again frequencies stay. Kooiman, Willenborg and
    Gouweleeuw, PRAM: a method for disclosure limitation of microdata (1998).

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Pram(theta=0.2, columns=["sex"])], seed=7)
    >>> release.channels[0].matrix.shape
    (2, 2)
    """

    levels: ClassVar[tuple[str, ...]] = ("nominal", "ordinal")

    theta: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="The probability that the rarest category changes."),
    ] = None
    matrix: Annotated[
        tuple[tuple[float, ...], ...] | None,
        Meta(description="Instead of theta: for each category the probabilities of all."),
    ] = None
    categories: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The categories of the matrix; if not given, the declared order, "
            "else those found, sorted."
        ),
    ] = None
    invariant: Annotated[
        bool, Meta(description="Whether expected frequencies stay as they are.")
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "theta", "matrix")
        if self.matrix is None:
            if self.categories is not None:
                raise SpecError(f"{self.step}: categories go with a matrix")
            return
        m = len(self.matrix)
        if m < 2 or any(len(row) != m for row in self.matrix):
            raise SpecError(f"{self.step}: matrix: as many rows as columns, at least two")
        rows = np.array(self.matrix)
        if not (rows >= 0).all() or (np.abs(rows.sum(1) - 1) > SUM_TOLERANCE).any():
            raise SpecError(
                f"{self.step}: matrix: each row is probabilities, none below 0, that sum to 1"
            )
        if self.categories is not None and len(self.categories) != m:
            raise SpecError(f"{self.step}: categories: {len(self.categories)} listed for {m} rows")

    def check_column(self, data: Microdata, column: str) -> None:
        """There must be two categories, and those of the matrix."""
        super().check_column(data, column)
        if self.matrix is None or self.invariant:
            check_varies(self, data, column)
        found = len(codes(data, column, self.categories).categories)
        order = data.order(column)
        if order and not set(order) >= set(self.categories or ()):
            raise SpecError(
                f"{self.step}: categories: one is not in the order of column '{column}': "
                f"{listing(order) if data.schema[column].order else 'that of its type'}"
            )
        if self.matrix is not None and len(self.matrix) != found:
            raise SpecError(
                f"{self.step}: the matrix has {len(self.matrix)} rows, column '{column}' "
                f"{found} categories; list the categories, or mask columns like it only"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Draw the categories anew."""
        coded = codes(data, column, self.categories)
        matrix = self._matrix(coded)
        drawn = drawn_from(matrix, coded.codes.astype(np.int64), rng.random(len(data)))
        labels = pl.Series(
            np.array([*coded.categories, None], object)[drawn].tolist(), dtype=pl.String
        )
        masked = labelled(data.column(column), labels)
        if masked is None:
            raise SpecError(f"{self.step}: column '{column}' cannot hold a category of the matrix")
        return MaskedColumn(masked, Transition((column,), coded.categories, matrix))

    def _matrix(self, coded: Codes) -> Floats:
        sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.categories))
        if self.theta is not None:
            return even_matrix(sizes, self.theta, invariant=self.invariant)
        given = np.array(self.matrix)
        given /= given.sum(1, keepdims=True)
        return and_back(given, sizes) if self.invariant else given


def even_matrix(sizes: Ints, theta: float, *, invariant: bool) -> Floats:
    """A matrix in which a category changes to any other that occurs, all alike.

    >>> even_matrix(np.array([1, 3]), 0.3, invariant=True).round(9).tolist()
    [[0.7, 0.3], [0.1, 0.9]]
    """
    occurs = sizes > 0
    change = np.full(len(sizes), theta)
    if invariant:
        change = theta * sizes[occurs].min() / np.where(occurs, sizes, 1)
    change = np.where(occurs, change, 0.0)
    matrix = np.outer(change / max(int(occurs.sum()) - 1, 1), occurs)
    np.fill_diagonal(matrix, 1.0 - change)
    return matrix


def and_back(matrix: Floats, sizes: Ints) -> Floats:
    """The matrix, followed by a draw of what may lie behind the outcome: it is invariant.

    >>> twice = and_back(np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([10, 30]))
    >>> (np.array([10, 30]) @ twice).round(9).tolist()
    [10.0, 30.0]
    """
    flows = matrix * sizes[:, None]  # from each category to each outcome
    reached = flows.sum(0)
    back = flows.T / np.where(reached > 0, reached, 1.0)[:, None]
    both: Floats = np.einsum("ij,jk->ik", matrix, back)
    # A category that nobody has may lead where nobody comes from: there it stays itself.
    both += np.diag(np.where(sizes == 0, 1.0 - both.sum(1), 0.0))
    return both


def drawn_from(matrix: Floats, coded: Ints, uniforms: Floats) -> Ints:
    """For each record a category drawn from its row of the matrix; -1 stays."""
    drawn = np.full(len(coded), -1)
    for code, row in enumerate(matrix):
        here = np.flatnonzero(coded == code)
        possible = np.flatnonzero(row > 0)
        ends = np.cumsum(row[possible])
        # Scaled by the last end, so that rounding leaves no draw without a category.
        place = np.searchsorted(ends, uniforms[here] * ends[-1], side="right")
        drawn[here] = possible[np.minimum(place, len(possible) - 1)]
    return drawn
