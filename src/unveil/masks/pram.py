"""PRAM (post-randomisation): categories replaced at random, with known probabilities."""

from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import SpecError
from unveil.masks.base import MaskedColumn, UnivariateMask
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import Codes, codes
from unveil.table.encoding.to_columns import labelled
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import EvenChanges, Transition
from unveil.wording import listing

SUM_TOLERANCE = 1e-9


class Pram(UnivariateMask, frozen=True, kw_only=True):
    """PRAM: replace each category at random, with the probabilities of a transition matrix.

    A released category may be false, so that an intruder cannot be sure of it for any person.
    The probabilities are known, so that counts can be corrected.

    With `theta`, the rarest category changes with probability theta and others in inverse
    proportion to their frequency, to every other category with equal probability; expected
    frequencies are unchanged (invariant PRAM). With `invariant` false every category changes with
    probability theta. A `matrix` has one row of transition probabilities per category; if
    `invariant`, a second draw from the posterior of the original category follows, which again
    keeps expected frequencies. Kooiman, Willenborg and Gouweleeuw, PRAM: a method for disclosure
    limitation of microdata (1998).

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
        Meta(description="Probability that the rarest category changes."),
    ] = None
    matrix: Annotated[
        tuple[tuple[float, ...], ...] | None,
        Meta(description="Instead of theta: one row of transition probabilities per category."),
    ] = None
    categories: Annotated[
        tuple[str, ...] | None,
        Meta(description="Categories of the matrix; by default the declared or sorted ones."),
    ] = None
    invariant: Annotated[
        bool, Meta(description="Keep the expected frequencies of the categories.")
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_one_of("theta", "matrix")
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
        super().check_column(data, column)
        if self.matrix is None or self.invariant:
            self.check_varies(data, column)
        n_categories = len(codes(data, column, self.categories).categories)
        order = data.order(column)
        if order and not set(order) >= set(self.categories or ()):
            raise SpecError(
                f"{self.step}: categories: one is not in the order of column '{column}': "
                f"{listing(order) if data.schema[column].order else 'that of its type'}"
            )
        if self.matrix is not None and len(self.matrix) != n_categories:
            raise SpecError(
                f"{self.step}: the matrix has {len(self.matrix)} rows, column '{column}' "
                f"{n_categories} categories; list the categories, or leave the column out"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        coded = codes(data, column, self.categories)
        transitions, present = self._transitions(coded), coded.codes.astype(np.int64)
        drawn = draw_categories(transitions, present, rng.random(len(data)))
        labels = pl.Series(
            np.array([*coded.categories, None], object)[drawn].tolist(), dtype=pl.String
        )
        masked = labelled(data.column(column), labels)
        if masked is None:
            raise SpecError(f"{self.step}: column '{column}' cannot hold a category of the matrix")
        return MaskedColumn(masked, Transition((column,), coded.categories, transitions))

    def _transitions(self, coded: Codes) -> Floats | EvenChanges:
        sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.categories))
        if self.theta is not None:
            return even_changes(sizes, self.theta, invariant=self.invariant)
        matrix = np.array(self.matrix)
        matrix /= matrix.sum(1, keepdims=True)
        return invariant_matrix(matrix, sizes) if self.invariant else matrix


def even_changes(sizes: Ints, theta: float, *, invariant: bool) -> EvenChanges:
    """The transitions in which all changes of a category have equal probability."""
    occurs = sizes > 0
    change = np.full(len(sizes), theta)
    if invariant:
        change = theta * sizes[occurs].min() / np.where(occurs, sizes, 1)
    return EvenChanges(np.where(occurs, change, 0.0), occurs)


def invariant_matrix(matrix: Floats, sizes: Ints) -> Floats:
    """A transition matrix followed by a draw from the posterior of the original category."""
    flows = matrix * sizes[:, None]  # expected counts, from each category to each outcome
    reached = flows.sum(0)
    posterior = flows.T / np.where(reached > 0, reached, 1.0)[:, None]
    product: Floats = np.einsum("ij,jk->ik", matrix, posterior)
    # The outcome of a category that does not occur may have no posterior: then it is unchanged.
    product += np.diag(np.where(sizes == 0, 1.0 - product.sum(1), 0.0))
    return product


def draw_categories(transitions: Floats | EvenChanges, coded: Ints, uniforms: Floats) -> Ints:
    """For each record a category drawn from its row of the matrix; -1 (missing) stays."""
    if isinstance(transitions, EvenChanges):
        return _draw_even(transitions, coded, uniforms)
    drawn = np.full(len(coded), -1)
    for code, row in enumerate(transitions):
        here = np.flatnonzero(coded == code)
        possible = np.flatnonzero(row > 0)
        ends = np.cumsum(row[possible])
        # Scaled by the last end, so that rounding leaves no draw without a category.
        place = np.searchsorted(ends, uniforms[here] * ends[-1], side="right")
        drawn[here] = possible[np.minimum(place, len(possible) - 1)]
    return drawn


def _draw_even(transitions: EvenChanges, coded: Ints, uniforms: Floats) -> Ints:
    """The categories that the matrix would give, drawn without it.

    A record's row of the matrix has equal steps for the categories before its own, one step for
    its own, and equal steps for those after it.
    """
    occurring = np.flatnonzero(transitions.occurs)
    step, stay = transitions.to_each[coded], 1.0 - transitions.change[coded]
    own = np.searchsorted(occurring, coded)
    after = uniforms - own * step - stay  # 0 or more: beyond the category's own step
    with np.errstate(all="ignore"):  # a step of 0 is never taken; one near it ends at the last
        steps = np.where(after >= 0, own + 1 + after // step, uniforms // step)
    place = np.where((uniforms >= own * step) & (after < 0) | (step <= 0), own, steps)
    drawn = occurring[np.minimum(place, len(occurring) - 1).astype(np.int64)]
    result: Ints = np.where(coded < 0, -1, drawn)
    return result
