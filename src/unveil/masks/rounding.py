"""Rounding: numbers to the nearest multiple of a base."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.data.channels import Shift, Slack
from unveil.data.columns import stored_as
from unveil.data.decode import as_column, slack_of
from unveil.errors import SpecError
from unveil.masks.base import MaskedColumn, OnEachColumn, known_numbers

if TYPE_CHECKING:
    from unveil.data.encode import Floats
    from unveil.data.microdata import Microdata


class Rounding(OnEachColumn, frozen=True, kw_only=True):
    """Rounding: each number becomes the nearest multiple of a base.

    Half-way numbers go to the even multiple, so that sums do not drift. Willenborg and de
    Waal, Elements of Statistical Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Rounding(base=1000, columns=["income"])])
    >>> set(release.data.column("income").drop_nulls() % 1000)
    {0}
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric",)

    base: Annotated[float, Meta(gt=0, le=1e150, description="What numbers become multiples of.")]

    def check_column(self, data: Microdata, column: str) -> None:
        """Whole numbers have whole multiples."""
        super().check_column(data, column)
        if stored_as(data.column(column)) == "whole numbers" and not self.base.is_integer():
            raise SpecError(
                f"{self.step}: column '{column}' holds whole numbers: give a whole base"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        """Round."""
        cells = data.column(column)
        values = known_numbers(self, data, [column]).values[:, 0]
        with np.errstate(over="ignore"):  # refused by as_column
            rounded = multiples_of(self.base, np.rint(values / self.base))
        absolute, relative = slack_of(cells)
        # Division and multiplication round too, by less than this.
        slack = Slack(absolute + 1e-15 * self.base + 5e-324, relative + 1e-15)
        channel = Shift((column,), -self.base / 2, self.base / 2, slack)
        return MaskedColumn(as_column(cells, rounded), channel)


def multiples_of(base: float, times: Floats) -> Floats:
    """The base so many times, as near as 64 bits come to it in decimals: 3 times 0.1 is 0.3.

    >>> multiples_of(0.1, np.array([3.0, np.nan])).tolist()
    [0.3, nan]
    """
    known = np.isfinite(times)
    if base.is_integer() or (np.abs(times[known]) > 2**53).any():
        return times * base
    distinct, place = np.unique(times[known], return_inverse=True)
    exact = Decimal(repr(base))
    out = np.array(times)
    out[known] = np.array([float(exact * int(number)) for number in distinct])[place]
    return out
