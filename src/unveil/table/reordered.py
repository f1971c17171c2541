"""A table with its rows in another order, without a copy until cells are read."""

from collections.abc import Callable, Iterator

import polars as pl

from unveil.support.arrays import Ints
from unveil.table.microdata import Microdata
from unveil.table.written_forms import WrittenForms


class Reordered(Microdata):
    """The same records in another order; cells are copied on first access."""

    __slots__ = ("_made", "rows", "source")

    source: Microdata
    rows: Ints  # the source's row, from 0, of each row here; each once
    _made: Microdata | None

    def __init__(self, source: Microdata, rows: Ints) -> None:
        parts = {"source": source, "rows": rows, "_made": None, "_remembered": {}}
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        for name in ("schema", "_origin"):
            object.__setattr__(self, name, getattr(source, name))

    @property
    def columns(self) -> tuple[str, ...]:
        return self.source.columns

    def __len__(self) -> int:
        return len(self.source)

    @property
    def _columns(self) -> pl.DataFrame:  # type: ignore[override]
        return self._taken()._columns

    @property
    def _forms(self) -> WrittenForms:  # type: ignore[override]
        return self._taken()._forms

    def _taken(self) -> Microdata:
        made = self._made or self.source.take(self.rows)
        object.__setattr__(self, "_made", made)
        return made


class Slices:
    """The rows of a table in blocks, as frames to write to a file.

    The frame is made from all cells at once, so that each column has one type.
    """

    def __init__(self, data: Microdata, frame_of: Callable[[Microdata], pl.DataFrame]) -> None:
        self.source = data.source if isinstance(data, Reordered) else data
        self.frame = frame_of(self.source)  # its rows in the order of the source
        self._order = data.rows if isinstance(data, Reordered) else None

    def blocks(self, n_rows: int) -> Iterator[pl.DataFrame]:
        """Frames of n rows each, in the order of the file."""
        if self._order is None:
            yield from self.frame.iter_slices(n_rows)
            return
        for start in range(0, len(self._order), n_rows):
            yield self.frame[pl.Series(self._order[start : start + n_rows], dtype=pl.Int64)]
