"""Files of statistics packages: columns and codes have labels, and missing values have codes.

What SPSS, Stata and SAS share; their own modules hold the differences. pyreadstat reads and
writes the bytes.
"""

import re
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar

import msgspec
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, FileError, import_optional
from unveil.files.formats.base import Format, text_encoding
from unveil.files.formats.epochs import Clock
from unveil.table.attribute import Attribute
from unveil.table.codebook import Codebook, Package, Variable
from unveil.table.columns import labels_of, whole_numbers
from unveil.table.microdata import Microdata
from unveil.table.roles import Level
from unveil.table.schema import Schema
from unveil.wording import count

MOST_RANGE_CODES = 1_000  # different cells that a range of missing values may hold
_LEVELS: dict[str, Level] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}


class Labelled(Format, frozen=True, kw_only=True):
    """A file of a statistics package."""

    package: ClassVar[Package]
    clock: ClassVar[Clock]
    reader: ClassVar[str]
    reader_options: ClassVar[dict[str, bool]] = {
        "user_missing": True,
        "disable_datetime_conversion": True,
    }

    encoding: Annotated[
        str | None, Meta(description="Text encoding, if the file does not state it.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoding is not None:  # pyreadstat knows fewer names than Python
            msgspec.structs.force_setattr(self, "encoding", text_encoding(self.encoding))

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table, its labels and its missing codes."""
        cells, metadata = self._parse(path, self.reader, **self.reader_options)
        if not cells:
            raise DataError("there are no columns")
        self.add_labels(path, metadata)
        columns, tags, attributes = [], {}, {}
        for name in list(cells):
            column, column_tags = _column(name, cells.pop(name), metadata)
            if column_tags is not None:
                tags[name] = column_tags
            attribute = _attribute(column, column_tags, metadata)
            if attribute != Attribute():
                attributes[name] = attribute
            columns.append(self._typed(column, attribute.missing, metadata))
        declared = Schema() if schema is None else schema
        filled = declared.filled_from(Schema(attributes))
        codebook = _codebook(self.package, metadata)
        return Microdata.from_labelled(pl.DataFrame(columns), filled, codebook, tags)

    def add_labels(self, path: Path, metadata: Any) -> None:
        """Add the labels that are kept in another file."""

    def check_complete(self, file: BinaryIO) -> None:
        """Raise ValueError if the file was cut short where pyreadstat does not notice it."""

    def is_integer(self, name: str, metadata: Any) -> bool:
        """Whether a column is meant to hold whole numbers: it is shown without decimals."""
        return not re.search(r"\.0*[1-9]", metadata.original_variable_types.get(name) or "")

    def _parse(self, path: Path, reader: str, **options: Any) -> tuple[dict[str, list[Any]], Any]:
        package = pyreadstat(self.package)
        try:
            with path.open("rb") as file:  # the system says why a file cannot be opened
                self.check_complete(file)
            cells, metadata = getattr(package, reader)(
                path.absolute(), encoding=self.encoding, output_format="dict", **options
            )
        except (package.ReadstatError, package.PyreadstatError, ValueError):
            # Its own message may quote the file, so it is not passed on.
            raise FileError(
                f"this is not a whole {self.package} file: it is damaged, cut short or of another "
                "format; or its text is stored otherwise than it says: name its encoding"
            ) from None
        return cells, metadata

    def _typed(self, column: pl.Series, codes: tuple[str, ...], metadata: Any) -> pl.Series:
        """Numbers as dates, times or whole numbers, if the file shows them so."""
        if column.dtype == pl.String:
            return column
        display_format = metadata.original_variable_types.get(column.name) or ""
        moments = column if codes else self.clock.moments(column, display_format)
        if moments.dtype != pl.Float64 or self.clock.kind(display_format):
            return moments
        return whole_numbers(column) if self.is_integer(column.name, metadata) else column


def pyreadstat(package: Package) -> Any:
    """The package that reads these files, or an error that says how to install it."""
    return import_optional("pyreadstat", "stat", f"a file of {package}")


def _column(name: str, values: list[Any], metadata: Any) -> tuple[pl.Series, pl.Series | None]:
    """A column as text or 64-bit numbers, and the tags of its missing cells."""
    if metadata.readstat_variable_types[name].startswith("string"):
        text = pl.Series(name, values, dtype=pl.String)
        return text.set(text == "", None), None  # packages have no other missing text
    if not metadata.missing_user_values.get(name):
        return pl.Series(name, values, dtype=pl.Float64), None
    numbers = [None if isinstance(value, str) else value for value in values]
    tags = [f".{value}" if isinstance(value, str) else None for value in values]
    return pl.Series(name, numbers, dtype=pl.Float64), pl.Series(name, tags, dtype=pl.String)


def _attribute(column: pl.Series, tags: pl.Series | None, metadata: Any) -> Attribute:
    name = column.name
    labels = {
        _category(value, tagged=column.dtype != pl.String): str(label)
        for value, label in (metadata.variable_value_labels.get(name) or {}).items()
    }
    codes = _missing_codes(column, metadata.missing_ranges.get(name) or [])
    if tags is not None:
        codes = (*codes, *sorted(set(tags.drop_nulls())))
    level, question = _level(column, labels, codes, metadata.variable_measure.get(name) or "")
    return Attribute(
        label=metadata.column_names_to_labels.get(name) or "",
        labels=labels,
        missing=codes,
        level=level,
        question=question,
    )


def _category(value: Any, *, tagged: bool) -> str:
    """A value as the text of its category; a tag as .a."""
    if isinstance(value, str):
        return f".{value}" if tagged else value
    return str(labels_of(pl.Series([float(value)])).item())


def _missing_codes(column: pl.Series, ranges: list[dict[str, Any]]) -> tuple[str, ...]:
    """The codes for missing: single values, and the cells that lie in a range."""
    codes: dict[str, None] = {}
    for ends in ranges:
        low, high = ends["lo"], ends["hi"]
        inside = pl.Series([low])
        if low != high:
            inside = column.filter(column.is_between(low, high)).unique().sort()
        if len(inside) > MOST_RANGE_CODES:
            raise DataError(
                f"column '{column.name}' has {count(len(inside), 'different value')} in a range of "
                "missing values: make them system-missing, or declare single values"
            )
        codes |= dict.fromkeys(labels_of(inside))
    return tuple(codes)


def _level(
    column: pl.Series, labels: dict[str, str], codes: tuple[str, ...], measure: str
) -> tuple[Level | None, str]:
    """The declared level of measurement, else the one that labels suggest, with a question."""
    level, text = _LEVELS.get(measure), column.dtype == pl.String
    if text and level == "ordinal":
        return "nominal", "the file says that it is ordinal: in which order (ordinal)?"
    if level in ("nominal", "ordinal"):
        return level, ""
    if not {*labels} - {*codes}:
        return (None if text else level), ""
    if text or {*labels_of(column).drop_nulls().unique()} - {*codes} <= {*labels}:
        return "nominal", "its values have labels: is there an order among them (ordinal)?"
    return "numeric", "some values have labels: a quantity (numeric), or a code (ordinal, nominal)?"


def _codebook(package: Package, metadata: Any) -> Codebook:
    def length(name: str) -> int:
        text = metadata.readstat_variable_types[name] == "string"
        return metadata.variable_storage_width.get(name) or 0 if text else 0

    return Codebook(
        package,
        label=metadata.file_label or "",
        notes=tuple(metadata.notes or ()),
        table=metadata.table_name or "",
        variables={
            name: Variable(
                format=metadata.original_variable_types.get(name) or "",
                informat=metadata.original_variable_informats.get(name) or "",
                measure=metadata.variable_measure.get(name) or "",
                width=metadata.variable_display_width.get(name) or 0,
                length=length(name),
                missing=tuple(
                    (ends["lo"], ends["hi"]) for ends in metadata.missing_ranges.get(name, [])
                ),
            )
            for name in metadata.column_names
        },
    )
