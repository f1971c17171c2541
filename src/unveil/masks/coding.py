"""Top and bottom coding: extreme values are replaced by a boundary value."""

from datetime import date
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import SpecError
from unveil.masks.base import MaskedColumn, UnivariateMask, ascending_rows, sort_keys
from unveil.support.options import part_of
from unveil.table.columns import cell_of, stored_as, values_of
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import Recoding
from unveil.values.release.channels import Clip
from unveil.wording import listing


class _Coding(UnivariateMask, frozen=True, kw_only=True):
    """The common part of top and bottom coding; `top` is the coded end of the column."""

    levels: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")
    top: ClassVar[bool] = True
    is_random: ClassVar[bool] = False

    categories: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Number of extreme categories (or distinct numbers) to remove."),
    ] = None
    threshold: Annotated[
        float | str | None, Meta(description="The boundary value: a number, a category or a date.")
    ] = None
    share: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="Largest fraction of the records that is coded."),
    ] = None
    order: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | None,
        Meta(
            description="Codes nominal columns: all categories that they have, from the lowest "
            "to the highest. The columns stay nominal."
        ),
    ] = None

    def __post_init__(self) -> None:
        threshold: Any = self.threshold
        if isinstance(threshold, date):  # or a datetime, from TOML or Python
            msgspec.structs.force_setattr(self, "threshold", threshold.isoformat())
        super().__post_init__()
        self.require_one_of("categories", "threshold", "share")
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise SpecError(f"{self.step}: order: a category is named twice")

    def accepted_levels(self) -> tuple[str, ...]:
        return self.levels if self.order is None else ("nominal",)

    def check_column(self, data: Microdata, column: str) -> None:
        super().check_column(data, column)
        if self.order is not None:
            codes(data, column, self.order)  # refuses a category that is not in the order
        if self.threshold is not None:
            self._threshold(data, column)

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        keys, cells = sort_keys(data, column, self.order), data.column(column)
        key, cell = self._boundary(data, column)
        beyond = pl.Series(keys > key if self.top else keys < key)
        masked = cells.zip_with(~beyond, cell.new_from_index(0, len(cells))).alias(column)
        if data.level(column) == "numeric":
            ends = (-np.inf, key) if self.top else (key, np.inf)
            return MaskedColumn(masked, Clip((column,), *ends))
        listed = codes(data, column, self.order).categories
        place = np.arange(len(listed))
        becomes = np.minimum(place, int(key)) if self.top else np.maximum(place, int(key))
        table = {listed[i]: listed[j] for i, j in zip(place, becomes, strict=True)}
        return MaskedColumn(masked, Recoding((column,), table))

    def _boundary(self, data: Microdata, column: str) -> tuple[float, pl.Series]:
        """The sort key of the boundary, and the boundary as a column of one cell."""
        if self.threshold is not None:
            return self._threshold(data, column)
        keys = sort_keys(data, column, self.order)
        rows = ascending_rows(keys)[:: 1 if self.top else -1]
        if self.categories is not None:
            distinct = rows[np.r_[True, keys[rows[1:]] != keys[rows[:-1]]]]
            row = distinct[max(len(distinct) - 1 - self.categories, 0)]
        else:
            coded = part_of(len(rows), self.share or 0.0)
            row = rows[max(len(rows) - 1 - coded, 0)]
        return float(keys[row]), data.column(column).gather([row])

    def _threshold(self, data: Microdata, column: str) -> tuple[float, pl.Series]:
        cells, value = data.column(column), self.threshold
        label = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        cell = cell_of(label, cells.dtype)
        if cell is None and cells.dtype == pl.Datetime:
            cell = cell_of(f"{label}T00:00:00", cells.dtype)
        if data.level(column) == "numeric":
            key = np.nan if cell is None else float(values_of(cell).to_numpy()[0])
            if cell is None or not np.isfinite(key):
                raise SpecError(
                    f"{self.step}: threshold: column '{column}' holds {stored_as(cells)}; give a "
                    "threshold of that type"
                )
            return key, cell
        listed = codes(data, column, self.order).categories
        if cell is None or label not in listed:
            declared = data.schema[column].order or self.order
            known = f"; its order is: {listing(listed)}" if declared else ""
            raise SpecError(f"{self.step}: threshold: not a category of column '{column}'{known}")
        return float(listed.index(label)), cell


class TopCoding(_Coding, frozen=True, kw_only=True):
    """Top coding: replace values above a boundary by the boundary.

    The highest values, which may single people out, are hidden; all others are unchanged.

    `threshold` is the boundary itself; `categories` chooses it so that this many categories of
    the file disappear, `share` so that at most this fraction of the records is coded. With p
    categories removed, the p + 1 highest become one. Nominal columns are coded in a given `order`.
    Domingo-Ferrer and Torra, Validating distance-based record linkage with probabilistic record
    linkage (2002), Section 2.2.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [TopCoding(threshold=70, columns=["age"])])
    >>> int(release.data.column("age").max())
    70
    """

    top: ClassVar[bool] = True


class BottomCoding(_Coding, frozen=True, kw_only=True):
    """Bottom coding: replace values below a boundary by the boundary.

    The lowest values, which may single people out, are hidden; all others are unchanged.

    The parameters are those of top coding. Domingo-Ferrer and Torra, Validating distance-based
    record linkage with probabilistic record linkage (2002), Section 2.2.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [BottomCoding(share=0.1, columns=["age"])])
    >>> release.channels
    (Clip(age),)
    """

    top: ClassVar[bool] = False
