"""Noise: numbers that are added to, or multiply, the values."""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.errors import SchemaError
from unveil.masks.base import (
    Draw,
    KeepType,
    Masked,
    MaskedColumn,
    OnColumns,
    OnEachColumn,
    check_known,
    check_varies,
    known_numbers,
)
from unveil.masks.correlations import correlations, mixed, root_of
from unveil.support.options import Progress
from unveil.table.columns import stored_as
from unveil.table.encoding.to_arrays import scale_of
from unveil.table.encoding.to_columns import as_column, slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Noise, Ratio


class AdditiveNoise(OnEachColumn, frozen=True, kw_only=True):
    """Additive noise: independent normal noise on each column.

    Every number is moved at random, each by itself. Averages stay about as they are and spreads
    grow; who stands far from all others still does.

    y = x + e with e normal, its standard deviation `scale` times the column's. Muralidhar and
    Domingo-Ferrer, Rank-based record linkage for re-identification risk assessment (2016),
    Section 4 and Table 1.

    Examples
    --------
    >>> import unveil
    >>> noise = AdditiveNoise(scale=0.1, columns=["income"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Noise(income),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float, Meta(ge=0, le=1000, description="The noise's standard deviation over the column's.")
    ]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        """A constant has no deviation."""
        super().check_column(data, column)
        check_varies(self, data, column, noisy=True)

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Add the noise."""
        original, cells = known_numbers(self, data, [column]), data.column(column)
        deviation = self.scale * scale_of(original).deviation
        noisy = original.values[:, 0] + deviation * rng.standard_normal(len(data))
        slack = (slack_of(cells, keep_type=self.keep_type),)
        channel = Noise((column,), np.zeros(1), np.diag(deviation**2), slack)
        return MaskedColumn(as_column(cells, noisy, keep_type=self.keep_type), channel)


class CorrelatedNoise(OnColumns, frozen=True, kw_only=True):
    """Correlated noise: normal noise with the correlations of the columns.

    Every number is moved at random, those of one record together, so that columns go together as
    before. Averages stay about as they are, and spreads grow.

    y = x + e, the covariance of e being `scale` squared times that of the columns: each
    column gets as much noise as from additive noise of that scale, and correlations stay.
    The paper's aΣ is scale = sqrt(a). Muralidhar and Domingo-Ferrer, Rank-based record
    linkage for re-identification risk assessment (2016), Section 4. Where cells are missing,
    each correlation is that of the records that know both columns.

    Examples
    --------
    >>> import unveil
    >>> noise = CorrelatedNoise(scale=0.1, columns=["income", "tax"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Noise(income, tax),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float, Meta(ge=0, le=1000, description="The noise's standard deviation over each column's.")
    ]
    keep_type: KeepType = True

    def check(self, data: Microdata) -> None:
        """A constant has no deviation, a column that nobody knows no correlation."""
        for column in self.targets(data):
            check_known(self, data, column)
            check_varies(self, data, column, noisy=True)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """Add the noise to all columns together."""
        columns = self.targets(data)
        original = known_numbers(self, data, columns)
        root = root_of(correlations(original.values))
        # Each column draws its own numbers, whoever is beside it.
        drawn = np.column_stack([draw(column).standard_normal(len(data)) for column in columns])
        deviation = self.scale * scale_of(original).deviation
        noisy = original.values + mixed(drawn, root) * deviation
        covariance = np.outer(deviation, deviation) * mixed(root.T, root)
        cells = [data.column(column) for column in columns]
        slack = tuple(slack_of(cell, keep_type=self.keep_type) for cell in cells)
        masked = [
            as_column(cell, values, keep_type=self.keep_type)
            for cell, values in zip(cells, noisy.T, strict=True)
        ]
        channel = Noise(columns, np.zeros(len(columns)), covariance, slack)
        return Masked(data.replace(masked), (channel,))


class MultiplicativeNoise(OnEachColumn, frozen=True, kw_only=True):
    """Multiplicative noise: each value times a number near 1.

    Every number is moved at random by a share of itself: large numbers by more than small ones,
    and a zero not at all.

    y = x e with e uniform from 1 - `scale` to 1 + `scale`, independent for each cell, so
    that a zero stays a zero. Muralidhar and Domingo-Ferrer, Rank-based record linkage for
    re-identification risk assessment (2016), Section 4 and Table 4.

    Examples
    --------
    >>> import unveil
    >>> noise = MultiplicativeNoise(scale=0.1, columns=["income"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Ratio(income),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float, Meta(ge=0, le=1, description="How far from 1 the factor may be: b in the paper.")
    ]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        """A date has no zero to be multiplied from."""
        super().check_column(data, column)
        if (stored := stored_as(data.column(column))) in ("dates", "times"):
            raise SchemaError(
                f"{self.step}: column '{column}' holds {stored}, which cannot be multiplied; "
                "use additive noise"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Multiply."""
        values, cells = known_numbers(self, data, [column]).values[:, 0], data.column(column)
        low, high = 1.0 - self.scale, 1.0 + self.scale
        with np.errstate(over="ignore"):  # refused by as_column
            noisy = values * rng.uniform(low, high, len(data))
        slack = slack_of(cells, keep_type=self.keep_type)
        masked = as_column(cells, noisy, keep_type=self.keep_type)
        return MaskedColumn(masked, Ratio((column,), low, high, slack=slack))
