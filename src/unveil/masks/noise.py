"""Noise: random numbers added to the values, or multiplied with them."""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.errors import SchemaError
from unveil.masks.base import ColumnMask, Draw, KeepType, MaskedColumn, MaskedTable, UnivariateMask
from unveil.masks.correlations import correlation_root, pairwise_correlations, stable_product
from unveil.support.options import Progress
from unveil.table.columns import stored_as
from unveil.table.encoding.to_arrays import scale_of
from unveil.table.encoding.to_columns import as_column, slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Noise, Ratio


class AdditiveNoise(UnivariateMask, frozen=True, kw_only=True):
    """Additive noise: add independent normal noise to each column.

    Every number changes at random, independently of all others. Averages are about the same and
    spreads grow; outliers remain outliers.

    y = x + e, with e normal and of standard deviation `scale` times that of the column.
    Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification risk assessment
    (2016), Section 4 and Table 1.

    Examples
    --------
    >>> import unveil
    >>> noise = AdditiveNoise(scale=0.1, columns=["income"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Noise(income),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float, Meta(ge=0, le=1000, description="Standard deviation of the noise over the column's.")
    ]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        self.check_varies(data, column, for_noise=True)

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        original, cells = self.numbers(data, column), data.column(column)
        deviation = self.scale * scale_of(original).deviation
        noisy = original.values[:, 0] + deviation * rng.standard_normal(len(data))
        slack = (slack_of(cells, keep_type=self.keep_type),)
        channel = Noise((column,), np.zeros(1), np.diag(deviation**2), slack)
        return MaskedColumn(as_column(cells, noisy, keep_type=self.keep_type), channel)


class CorrelatedNoise(ColumnMask, frozen=True, kw_only=True):
    """Correlated noise: add normal noise that has the correlations of the columns.

    Every number changes at random, the numbers of one record together, so that the columns keep
    their correlations. Averages are about the same, and spreads grow.

    y = x + e, with the covariance of e being `scale` squared times that of the columns, so that
    each column gets as much noise as from additive noise of that scale. The paper's aΣ is
    scale = sqrt(a). Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification
    risk assessment (2016), Section 4. Where cells are missing, each correlation is over the
    records that have both columns.

    Examples
    --------
    >>> import unveil
    >>> noise = CorrelatedNoise(scale=0.1, columns=["income", "tax"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Noise(income, tax),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float,
        Meta(ge=0, le=1000, description="Standard deviation of the noise over each column's."),
    ]
    keep_type: KeepType = True

    def check(self, data: Microdata) -> None:
        for column in self.targets(data):
            self.check_known(data, column)
            self.check_varies(data, column, for_noise=True)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        columns = self.targets(data)
        original = self.numbers(data, *columns)
        root = correlation_root(pairwise_correlations(original.values))
        # The draws of a column do not depend on the other columns.
        drawn = np.column_stack([draw(column).standard_normal(len(data)) for column in columns])
        deviation = self.scale * scale_of(original).deviation
        noisy = original.values + stable_product(drawn, root) * deviation
        covariance = np.outer(deviation, deviation) * stable_product(root.T, root)
        cells = [data.column(column) for column in columns]
        slack = tuple(slack_of(cell, keep_type=self.keep_type) for cell in cells)
        masked = [
            as_column(cell, values, keep_type=self.keep_type)
            for cell, values in zip(cells, noisy.T, strict=True)
        ]
        channel = Noise(columns, np.zeros(len(columns)), covariance, slack)
        return MaskedTable(data.replace(masked), (channel,))


class MultiplicativeNoise(UnivariateMask, frozen=True, kw_only=True):
    """Multiplicative noise: multiply each value by a random factor near 1.

    Every number changes at random in proportion to its size: large numbers more than small ones,
    zeros not at all.

    y = x e, with e uniform between 1 - `scale` and 1 + `scale`, independent for each cell.
    Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification risk assessment
    (2016), Section 4 and Table 4.

    Examples
    --------
    >>> import unveil
    >>> noise = MultiplicativeNoise(scale=0.1, columns=["income"])
    >>> unveil.mask(unveil.households(100), [noise], seed=7).channels
    (Ratio(income),)
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    scale: Annotated[
        float,
        Meta(ge=0, le=1, description="Largest distance of the factor from 1; b in the paper."),
    ]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        if (stored := stored_as(data.column(column))) in ("dates", "times"):
            raise SchemaError(
                f"{self.step}: column '{column}' holds {stored}, which cannot be multiplied; "
                "use additive noise"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        values, cells = self.numbers(data, column).values[:, 0], data.column(column)
        low, high = 1.0 - self.scale, 1.0 + self.scale
        with np.errstate(over="ignore"):  # as_column raises an error
            noisy = values * rng.uniform(low, high, len(data))
        slack = slack_of(cells, keep_type=self.keep_type)
        masked = as_column(cells, noisy, keep_type=self.keep_type)
        return MaskedColumn(masked, Ratio((column,), low, high, slack=slack))
