"""The text columns of a large file, collected block by block in little memory."""

from collections.abc import Iterator, Sequence

import polars as pl

from unveil.table.columns import whole_from_text


class ChunkedText:
    """Columns of text cells, stored as numbers where the numbers spell the same text.

    A whole number takes half the memory of its text (``007`` would lose its zeros and stays
    text). Iterating releases each column.

    >>> cells = ChunkedText(["age", "zip"])
    >>> cells.add(pl.DataFrame({"age": ["31"], "zip": ["1067"]}))
    >>> cells.add(pl.DataFrame({"age": ["54"], "zip": ["01067"]}))
    >>> [column.to_list() for column in cells]
    [[31, 54], ['1067', '01067']]
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)
        self._parts: dict[str, list[pl.Series]] = {name: [] for name in self.columns}

    def add(self, cells: pl.DataFrame) -> None:
        """Add the next rows, all of them text."""
        for column in cells:
            parts = self._parts[column.name]
            was_text = bool(parts) and parts[-1].dtype == pl.String
            parts.append(column if was_text else _smaller(column))

    def is_empty(self) -> bool:
        """Whether there are no rows."""
        return not any(map(len, next(iter(self._parts.values()))))

    def __iter__(self) -> Iterator[pl.Series]:
        """Each column, as whole numbers where all its cells spell some, else as text."""
        for name in self.columns:
            yield _joined(self._parts.pop(name))


def _smaller(column: pl.Series) -> pl.Series:
    """A text column as numbers that spell the same text, if possible."""
    whole = whole_from_text(column)
    if whole is not None:
        return whole
    numbers = column.cast(pl.Float64, strict=False)
    return numbers if numbers.cast(pl.String).equals(column) else column


def _joined(parts: list[pl.Series]) -> pl.Series:
    kinds = {part.dtype for part in parts}
    known = any(part.null_count() < len(part) for part in parts)
    if kinds != {pl.Int64()} or not known:
        for place, part in enumerate(parts):
            parts[place] = part.cast(pl.String)
    return pl.concat(parts, rechunk=len(parts) > 1)
