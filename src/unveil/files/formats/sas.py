"""SAS files: .sas7bdat, which is read only, and .xpt, the transport format."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Literal

import msgspec
from msgspec import Meta

from unveil.errors import FileError
from unveil.files.formats import epochs as clocks
from unveil.files.formats.base import Format
from unveil.files.formats.labelled_reader import Labelled
from unveil.files.formats.labelled_writer import (
    CreationTime,
    OutgoingColumn,
    PackageRules,
    Writable,
    by_name,
    codebook_for,
    tell_plainly_missing,
)
from unveil.table.microdata import Microdata

_RULES = PackageRules(
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    longest_name=32,
    longest_label=256,
    longest_value_label=32_767,
    longest_text=32_767,
    cases=False,
    largest=7.2e75,  # IBM's floating point
    smallest=5.4e-79,
    reserved={"_n_", "_error_", "_numeric_", "_character_", "_all_"},
)
_OLD_RULES = _RULES._replace(longest_name=8, longest_label=40, longest_text=200)
_LINE = 80
_MARK = 48  # how much of a file tells its version


class Sas(Labelled, frozen=True, kw_only=True):
    """SAS: .sas7bdat files, which can be read; SAS itself writes them.

    Labels of values are in a catalog: NAME.sas7bcat or formats.sas7bcat beside the file, or a file
    that is named.

    Examples
    --------
    >>> Sas().suffixes
    ('.sas7bdat',)
    """

    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat",)
    package = "SAS"
    clock = clocks.SAS
    reader = "read_sas7bdat"
    output_suffix: ClassVar[str] = ".xpt"

    catalog: Annotated[
        str | None, Meta(description="The file of the labels of values, where it is not beside.")
    ] = None

    def add_labels(self, path: Path, said: Any) -> None:
        """Labels by the names of formats, from the catalog, if there is one."""
        beside = (path.with_suffix(".sas7bcat"), path.with_name("formats.sas7bcat"))
        listed = beside if self.catalog is None else (Path(self.catalog),)
        found = next((one for one in listed if one.exists()), None)
        if found is None and self.catalog is not None:
            raise FileError("there is no such catalog").at(self.catalog)
        if found is not None:
            _, catalog = self._parsed(found, "read_sas7bcat")
            for name, called in said.original_variable_types.items():
                bare = re.sub(r"[0-9]*(?:\.[0-9]*)?$", "", called or "")  # no name ends in digits
                said.variable_value_labels[name] = catalog.value_labels.get(bare, {})

    def save(self, data: Microdata, path: Path) -> None:  # noqa: ARG002
        """Only SAS writes such files."""
        self.check_writable(path)

    def check_writable(self, path: Path) -> None:  # noqa: ARG002
        """Only SAS writes such files."""
        raise FileError(
            "a .sas7bdat file can be read and not written: write .xpt, which SAS reads, too"
        )


class Xport(Writable, frozen=True, kw_only=True):
    """SAS transport: .xpt files, which hold labels of columns, but not of values.

    Examples
    --------
    >>> Xport(version=5).suffixes
    ('.xpt',)
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xpt",)
    package = "SAS"
    clock = clocks.SAS
    reader, writer = "read_xport", "write_xport"
    made = CreationTime(re.compile(rb"(\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d)"), b"01JAN80:00:00:00")
    asked: ClassVar[dict[str, bool]] = {"disable_datetime_conversion": True}

    version: Annotated[
        Literal[5, 8], Meta(description="The version of the format: names of 8 or 32 characters.")
    ] = 8

    def detect(self, path: Path) -> Xport:
        """The format in the version that the file has."""
        with path.open("rb") as file:
            new = b"LIBV8" in file.read(_MARK)
        return msgspec.structs.replace(self, version=8 if new else 5)

    @property
    def rules(self) -> PackageRules:
        """What the version allows."""
        return _RULES if self.version == 8 else _OLD_RULES

    def check_whole(self, file: BinaryIO) -> None:
        """A file is made of lines of 80 bytes."""
        if file.seek(0, os.SEEK_END) % _LINE:
            raise ValueError

    def adopt(self, source: Format) -> Format:
        """The version of the source."""
        return source

    def told(self, columns: list[OutgoingColumn], data: Microdata, path: Path) -> dict[str, Any]:  # noqa: ARG002
        """What the table is called, and how columns are read."""
        tell_plainly_missing(data, columns)
        return {
            "table_name": codebook_for(data, self.package).table or None,
            "file_format_version": self.version,
            "variable_informat": by_name(columns, lambda one: one.variable.informat),
        }

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table, and count what arrived: pyreadstat does not notice a full disk here."""
        super().save(data, path)
        cells, _ = self._parsed(path, self.reader, **self.asked)
        if len(cells[data.columns[0]]) < len(data):
            raise FileError(
                "cannot be written: not all rows have arrived; the disk is full, or the last row "
                "has blank text only; it is as it was"
            )
