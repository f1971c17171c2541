"""Parquet and Arrow files: typed columns, read and written by polars."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, ClassVar, Literal

import polars as pl
from msgspec import Meta
from polars.io.plugins import register_io_source

from unveil.errors import FileError
from unveil.files.formats.base import Format
from unveil.table.microdata import Microdata
from unveil.table.reordered import Slices
from unveil.table.schema import Schema

WRITTEN_ROWS = 2**18  # at once; they lie together in the file


class Parquet(Format, frozen=True, kw_only=True):
    """Parquet: typed columns, compressed."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    compression: Annotated[
        Literal["zstd", "snappy", "gzip", "lz4", "uncompressed"],
        Meta(description="Compression of the columns."),
    ] = "zstd"

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        return Microdata(_load(pl.read_parquet, path, "Parquet"), schema)

    def save(self, data: Microdata, path: Path) -> None:
        options = {"compression": self.compression, "row_group_size": WRITTEN_ROWS}
        _save(data, path, pl.LazyFrame.sink_parquet, **options)


class Arrow(Format, frozen=True, kw_only=True):
    """Arrow (Feather) files: typed columns, as they lie in memory."""

    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")

    compression: Annotated[
        Literal["zstd", "lz4", "uncompressed"], Meta(description="Compression of the columns.")
    ] = "zstd"

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        return Microdata(_load(pl.read_ipc, path, "Arrow"), schema)

    def save(self, data: Microdata, path: Path) -> None:
        _save(data, path, pl.LazyFrame.sink_ipc, compression=self.compression)


def _save(data: Microdata, path: Path, sink: Callable[..., object], **options: object) -> None:
    """Write the rows, which are put in their order only then."""
    slices = Slices(data, lambda table: table.to_frame("polars"))

    def rows(*_: object) -> Iterator[pl.DataFrame]:  # polars asks for all of them
        return slices.blocks(WRITTEN_ROWS)

    try:
        sink(register_io_source(rows, schema=slices.frame.schema), path, **options)
    except (pl.exceptions.PolarsError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # the system's own
            raise
        # The writer calls a full disk an error of its own; its message is not passed on.
        raise FileError("cannot be written: is the disk full? Nothing was changed") from None


def _load(read: Callable[[BinaryIO], pl.DataFrame], path: Path, name: str) -> pl.DataFrame:
    damaged = FileError(
        f"this is not a whole {name} file: it is damaged, cut short or of another format"
    )
    with path.open("rb") as file:
        # The reader's own message may quote the file, so it is not passed on. It panics on
        # some damaged files, and a panic is not an Exception.
        try:
            return read(file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
            raise damaged from None
        except OSError as error:
            if error.errno is None:  # not the disk: the reader found another format
                raise damaged from None
            raise
