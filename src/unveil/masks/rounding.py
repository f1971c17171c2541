"""Rounding of numbers to the nearest multiple of a base."""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.errors import SpecError
from unveil.masks.base import MaskedColumn, UnivariateMask
from unveil.table.columns import stored_as
from unveil.table.encoding.to_columns import as_column, slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Rounded


class Rounding(UnivariateMask, frozen=True, kw_only=True):
    """Rounding: replace each number by the nearest multiple of a base.

    Released numbers are less precise, by half of `base` at most. Numbers that differ little
    become equal.

    Ties go to the even multiple, so that sums are not biased. Willenborg and de Waal, Elements of
    Statistical Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Rounding(base=1000, columns=["income"])])
    >>> set(release.data.column("income").drop_nulls() % 1000)
    {0}
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)
    is_random: ClassVar[bool] = False

    base: Annotated[
        float, Meta(gt=0, le=1e150, description="Released numbers are multiples of the base.")
    ]

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        if stored_as(data.column(column)) == "whole numbers" and not self.base.is_integer():
            raise SpecError(
                f"{self.step}: column '{column}' holds whole numbers: give a whole base"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        cells = data.column(column)
        values = self.numbers(data, column).values[:, 0]
        channel = Rounded((column,), self.base, slack=slack_of(cells))
        return MaskedColumn(as_column(cells, channel.becomes(values)), channel)
