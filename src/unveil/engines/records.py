"""Records: the numbers that an engine compares, and which cells are present."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import DataError
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE
from unveil.wording import count

LARGEST_INTEGER = 2**53  # integers up to this are exact in 64 bits
LARGEST_OFFSET = 1e30  # one that 32 bits can bound
ROWS_AT_ONCE = 2048  # rows that stay near the processor while all attributes are added up


@dataclass(frozen=True, repr=False, eq=False)
class Records:
    """Numbers, ranks or codes, records x attributes; a cell that is not `present` is missing.

    Complete arrays of an integer type are compared as integers: only equal distances tie. An
    `offset`, one number for each record, is added to its score as a candidate; then sums are
    compared, not their roots.

    >>> import numpy as np
    >>> ages = Records(np.array([[31.0], [0.0]]), present=np.array([[True], [False]]))
    >>> ages
    Records(2 records, 1 attribute, 1 cell missing)
    """

    values: NDArray[Any]
    present: NDArray[np.bool_] | None = None
    offset: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name in ("values", "present", "offset"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_array(getattr(self, name), "records"))
        values, present, offset = self.values, self.present, self.offset
        if values.ndim != 2 or values.dtype.kind not in "fiu":
            raise DataError("records are an array of numbers, records x attributes")
        if values.shape[1] == 0:
            raise DataError("records without an attribute cannot be compared")
        if present is not None and (present.shape != values.shape or present.dtype != np.bool_):
            raise DataError("`present` is an array of true and false, shaped like the records")
        if offset is not None and (
            offset.shape != values.shape[:1]
            or offset.dtype.kind not in "fiu"
            or not (np.abs(offset) <= LARGEST_OFFSET).all()
        ):
            raise DataError("an offset is a number, in size at most 1e30, for each record")
        self._check_cells()

    def _check_cells(self) -> None:
        values, present = self.values, self.present
        most = (
            LARGEST_INTEGER
            if self.integral
            else min(LARGEST_SQUARABLE, float(np.finfo(values.dtype).max))
        )
        usable = (values >= -most) & (values <= most)
        unusable = ~usable if present is None else present & ~usable
        if unusable.any():
            rows, columns = np.nonzero(unusable)
            raise DataError(
                f"{count(len(rows), 'cell')} not usable, the first in row {rows[0] + 1:,}, "
                f"attribute {columns[0] + 1}: a present cell is a finite number, in size "
                f"at most {'2^53' if self.integral else '1e150'}; "
                "mark a missing cell in `present`"
            )

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        n, width = self.values.shape
        absent = 0 if self.present is None else int((~self.present).sum())
        missing = f", {count(absent, 'cell')} missing" if absent else ""
        return f"Records({count(n, 'record')}, {count(width, 'attribute')}{missing})"

    @property
    def width(self) -> int:
        """The number of attributes."""
        return int(self.values.shape[1])

    @property
    def integral(self) -> bool:
        """Whether the numbers are integers by type."""
        return self.values.dtype.kind in "iu"

    @property
    def has_missing(self) -> bool:
        """Whether any cell is missing."""
        return self.present is not None and not bool(self.present.all())

    def take(self, rows: NDArray[np.int64]) -> Records:
        """The records of these rows; all of them in their order are not copied."""
        if len(rows) == len(self) and bool((rows == np.arange(len(self))).all()):
            return self
        return Records(
            self.values[rows],
            None if self.present is None else self.present[rows],
            None if self.offset is None else self.offset[rows],
        )

    def select(self, columns: Sequence[int]) -> Records:
        """Some attributes of the records."""
        present = None if self.present is None else self.present[:, columns]
        return Records(self.values[:, columns], present, self.offset)

    def cells(self) -> NDArray[np.float64]:
        """The numbers as 64-bit floats, a NaN where missing; not copied without need."""
        if self.present is not None and self.has_missing:
            filled = np.where(self.present, self.values, np.nan)
            return np.ascontiguousarray(filled, np.float64)
        # Kernels are compiled for writeable rows, one after another.
        return np.require(self.values, np.float64, ["C", "W"])


def as_records(source: Records | ArrayLike) -> Records:
    """An array as records: complete ones, unless it is a masked array."""
    if isinstance(source, Records):
        return source
    if isinstance(source, np.ma.MaskedArray):
        return Records(source.data, present=~np.ma.getmaskarray(source))
    return Records(as_array(source, "records"))


def as_array(source: ArrayLike, what: str) -> NDArray[Any]:
    """An array of `source`, or an error that names it."""
    if isinstance(source, np.ma.MaskedArray):
        raise DataError(f"{what}: a masked array would lose its mask here; give `present`")
    try:
        return np.asarray(source)
    except (TypeError, ValueError):
        raise DataError(f"{what}: an array of numbers is needed, rows of equal length") from None


def multiply_rows(rows: Floats, matrix: Floats) -> Floats:
    """Rows @ matrix, row by row: equal rows give equal products, wherever they stand."""
    out = np.zeros((len(rows), matrix.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):  # a problem's sizes are checked
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block, sums = rows[start : start + ROWS_AT_ONCE], out[start : start + ROWS_AT_ONCE]
            for j in range(len(matrix)):
                sums += block[:, j : j + 1] * matrix[j]
    return out
