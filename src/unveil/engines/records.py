"""Records: the numbers that an engine compares, and which of them are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.errors import DataError, count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

WHOLE = 2**53  # whole numbers up to this are exact in 64 bits
LARGEST = 1e150  # a number that can still be squared


@dataclass(frozen=True, repr=False, eq=False)
class Records:
    """Numbers, ranks or codes, records x attributes; where not `present`, missing.

    Arrays of a whole-number type are compared as whole numbers: only equals tie. An
    `offset`, one number for each record, is added to its score when it is a candidate;
    then it is sums that are compared, not their roots.

    >>> import numpy as np
    >>> ages = Records(np.array([[31.0], [0.0]]), present=np.array([[True], [False]]))
    >>> ages
    Records(2 records, 1 attribute, 1 cell missing)
    """

    values: NDArray[Any]
    present: NDArray[np.bool_] | None = None
    offset: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        values = self.values
        if values.ndim != 2 or values.dtype.kind not in "fiu":
            raise DataError("records are an array of numbers, records x attributes")
        if values.shape[1] == 0:
            raise DataError("records without an attribute cannot be compared")
        present = self.present
        if present is not None and (present.shape != values.shape or present.dtype != np.bool_):
            raise DataError("`present` is an array of true and false, shaped like the records")
        offset = self.offset
        if offset is not None and (
            offset.shape != values.shape[:1] or not (np.abs(offset) <= LARGEST).all()
        ):
            raise DataError("an offset is a finite number for each record")
        most = WHOLE if self.whole else min(LARGEST, float(np.finfo(values.dtype).max))
        usable = (values >= -most) & (values <= most)
        unusable = ~usable if present is None else present & ~usable
        if unusable.any():
            rows, columns = np.nonzero(unusable)
            raise DataError(
                f"{count(len(rows), 'cell')} not usable, the first in row {rows[0] + 1:,}, "
                f"attribute {columns[0] + 1}: a present cell is a finite number, in size "
                f"at most {'2^53' if self.whole else '1e150'}; "
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
    def whole(self) -> bool:
        """Whether these are whole numbers by type."""
        return self.values.dtype.kind in "iu"

    @property
    def gappy(self) -> bool:
        """Whether any cell is missing."""
        return self.present is not None and not bool(self.present.all())

    def cells(self) -> NDArray[np.float64]:
        """The numbers as 64-bit floats, a NaN where missing; not copied without need."""
        if self.present is not None and self.gappy:
            return np.where(self.present, self.values, np.nan).astype(np.float64, copy=False)
        # Kernels are compiled for writeable rows, one after another.
        return np.require(self.values, np.float64, ["C", "W"])


def as_records(source: Records | ArrayLike) -> Records:
    """An array taken as complete records."""
    return source if isinstance(source, Records) else Records(np.asarray(source))
