"""SAS files: .sas7bdat, which is read only, and .xpt, the transport format."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Literal

import msgspec
from msgspec import Meta

from unveil.errors import FileError
from unveil.files.formats import epochs
from unveil.files.formats.base import Format
from unveil.files.formats.labelled_reader import Labelled
from unveil.files.formats.labelled_writer import (
    Columns,
    CreationTime,
    PackageRules,
    Writable,
    by_name,
    codebook_for,
    warn_lost_codes,
)
from unveil.table.microdata import Microdata

_RULES = PackageRules(
    package="SAS",
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    longest_name=32,
    longest_label=256,
    longest_value_label=32_767,
    longest_text=32_767,
    case_sensitive=False,
    largest=7.2e75,  # IBM's floating point
    smallest=5.4e-79,
    reserved={"_n_", "_error_", "_numeric_", "_character_", "_all_"},
)
_VERSION_5_RULES = _RULES._replace(longest_name=8, longest_label=40, longest_text=200)
_LINE_BYTES = 80
_HEAD_BYTES = 48  # they tell the version


class Sas(Labelled, frozen=True, kw_only=True):
    """SAS: .sas7bdat files, which only SAS writes.

    A catalog holds the labels of values: NAME.sas7bcat or formats.sas7bcat beside the file, or
    another file.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat",)
    package = "SAS"
    clock = epochs.SAS
    reader = "read_sas7bdat"
    output_suffix: ClassVar[str] = ".xpt"

    catalog: Annotated[
        str | None, Meta(description="The catalog of value labels, if it is not beside the file.")
    ] = None

    def add_labels(self, path: Path, metadata: Any) -> None:
        """Add the labels of each column's format from the catalog, if there is one."""
        beside = (path.with_suffix(".sas7bcat"), path.with_name("formats.sas7bcat"))
        files = beside if self.catalog is None else (Path(self.catalog),)
        file = next((file for file in files if file.exists()), None)
        if file is None and self.catalog is not None:
            raise FileError("there is no such catalog").at(self.catalog)
        if file is not None:
            _, catalog = self._parse(file, "read_sas7bcat")
            for name, shown in metadata.original_variable_types.items():
                bare = re.sub(r"[0-9]*(?:\.[0-9]*)?$", "", shown or "")  # no name ends in digits
                metadata.variable_value_labels[name] = catalog.value_labels.get(bare, {})

    def save(self, data: Microdata, path: Path) -> None:  # noqa: ARG002
        self.check_writable(path)

    def check_writable(self, path: Path) -> None:  # noqa: ARG002
        raise FileError(
            "a .sas7bdat file can be read but not written; write .xpt, which SAS also reads"
        )


class Xport(Writable, frozen=True, kw_only=True):
    """SAS transport: .xpt files, which hold labels of columns, but not of values."""

    suffixes: ClassVar[tuple[str, ...]] = (".xpt",)
    package = "SAS"
    clock = epochs.SAS
    reader, writer = "read_xport", "write_xport"
    creation_time = CreationTime(
        re.compile(rb"(\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d)"), b"01JAN80:00:00:00"
    )
    reader_options: ClassVar[dict[str, bool]] = {"disable_datetime_conversion": True}

    version: Annotated[
        Literal[5, 8], Meta(description="The version of the format: names of 8 or 32 characters.")
    ] = 8

    def detect(self, path: Path) -> Xport:
        with path.open("rb") as file:
            new = b"LIBV8" in file.read(_HEAD_BYTES)
        return msgspec.structs.replace(self, version=8 if new else 5)

    @property
    def rules(self) -> PackageRules:
        return _RULES if self.version == 8 else _VERSION_5_RULES

    def check_complete(self, file: BinaryIO) -> None:
        """A file is a multiple of 80 bytes."""
        if file.seek(0, os.SEEK_END) % _LINE_BYTES:
            raise ValueError

    def adopt(self, source: Format) -> Format:
        return source

    def writer_options(self, columns: Columns, data: Microdata, path: Path) -> dict[str, Any]:  # noqa: ARG002
        """The name of the table, and how columns are read."""
        warn_lost_codes(data, columns)
        return {
            "table_name": codebook_for(data, self.package).table or None,
            "file_format_version": self.version,
            "variable_informat": by_name(columns, lambda one: one.variable.informat),
        }

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table, and count its rows: pyreadstat does not notice a full disk here."""
        super().save(data, path)
        cells, _ = self._parse(path, self.reader, **self.reader_options)
        if len(cells[data.columns[0]]) < len(data):
            raise FileError(
                "cannot be written: rows are missing, because the disk is full or the last row "
                "has blank text only; the file is unchanged"
            )
