"""Files of statistics packages: columns and codes have labels, and more than one kind of missing.

What all of them share; spss.py, stata.py and sas.py have what each is like. The bytes are read
and written by pyreadstat.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec
import polars as pl
from msgspec import Meta

from unveil.data.attribute import Attribute
from unveil.data.codebook import Codebook, Package, Variable
from unveil.data.columns import labels_of, whole_numbers
from unveil.data.microdata import Microdata
from unveil.data.schema import Schema
from unveil.errors import DataError, FileError, SpecError, count, needed
from unveil.files.clocks import Clock
from unveil.files.formats import Format

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from unveil.data.vocabulary import Level

MOST_CODES = 1_000  # different cells that a range of missing values may hold
_LEVELS: dict[str, Level] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}


class Labelled(Format, frozen=True, kw_only=True):
    """A file of a statistics package."""

    package: ClassVar[Package]
    clock: ClassVar[Clock]
    reader: ClassVar[str]
    asked: ClassVar[dict[str, bool]] = {"user_missing": True, "disable_datetime_conversion": True}

    encoding: Annotated[
        str | None, Meta(description="How the text is stored, where the file does not say it.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        try:  # pyreadstat knows fewer names than Python
            name = None if self.encoding is None else codecs.lookup(self.encoding).name
        except LookupError:
            raise SpecError(f"'{self.encoding}' is not an encoding; try latin-1") from None
        msgspec.structs.force_setattr(self, "encoding", name)

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table, its labels and its missing codes."""
        cells, said = self._parsed(path, self.reader, **self.asked)
        if not cells:
            raise DataError("there are no columns")
        self.add_labels(path, said)
        columns, tags, own = [], {}, {}
        for name in list(cells):
            column, of_column = _column(name, cells.pop(name), said)
            if of_column is not None:
                tags[name] = of_column
            own[name] = _attribute(column, of_column, said)
            columns.append(self._typed(column, own[name].missing, said))
        declared = Schema() if schema is None else schema
        known = Schema({name: found for name, found in own.items() if found != Attribute()})
        filled = declared.filled_from(known)
        codebook = _codebook(self.package, said)
        return Microdata.from_labelled(pl.DataFrame(columns), filled, codebook, tags)

    def add_labels(self, path: Path, said: Any) -> None:
        """Add labels that are kept in a file of their own."""

    def _parsed(self, path: Path, reader: str, **asked: Any) -> tuple[dict[str, list[Any]], Any]:
        package = pyreadstat(self.package)
        try:
            with path.open("rb") as file:  # what cannot be opened is told by the system's own words
                self.check_whole(file)
            cells, said = getattr(package, reader)(
                path.absolute(), encoding=self.encoding, output_format="dict", **asked
            )
        except (package.ReadstatError, package.PyreadstatError, ValueError):
            # Its own message may quote the file, so it is not passed on.
            raise FileError(
                f"this is not a whole {self.package} file: it is damaged, cut short or of another "
                "format; or its text is stored otherwise than it says: name its encoding"
            ) from None
        return cells, said

    def _typed(self, column: pl.Series, codes: tuple[str, ...], said: Any) -> pl.Series:
        """Numbers as dates, times or whole numbers, where the file shows them so."""
        if column.dtype == pl.String:
            return column
        shown_as = said.original_variable_types.get(column.name) or ""
        moments = column if codes else self.clock.moments(column, shown_as)
        if moments.dtype != pl.Float64 or self.clock.kind(shown_as):
            return moments
        return whole_numbers(column) if self.is_whole(column.name, said) else column

    def check_whole(self, file: BinaryIO) -> None:
        """Raise ValueError if the file is cut short where pyreadstat does not notice it."""

    def is_whole(self, name: str, said: Any) -> bool:
        """Whether a column is meant to hold whole numbers only: it is shown without decimals."""
        return not re.search(r"\.0*[1-9]", said.original_variable_types.get(name) or "")


def pyreadstat(package: Package) -> Any:
    """The package that knows these files, or an error that says how to get it."""
    return needed("pyreadstat", "stat", f"a file of {package}")


def _column(name: str, values: list[Any], said: Any) -> tuple[pl.Series, pl.Series | None]:
    """A column as text or 64-bit numbers; and which of its missing cells have which tag."""
    if said.readstat_variable_types[name].startswith("string"):
        text = pl.Series(name, values, dtype=pl.String)
        return text.set(text == "", None), None  # packages have no other missing text
    if not said.missing_user_values.get(name):
        return pl.Series(name, values, dtype=pl.Float64), None
    numbers = [None if isinstance(value, str) else value for value in values]
    tags = [f".{value}" if isinstance(value, str) else None for value in values]
    return pl.Series(name, numbers, dtype=pl.Float64), pl.Series(name, tags, dtype=pl.String)


def _attribute(column: pl.Series, tags: pl.Series | None, said: Any) -> Attribute:
    """What the file says that a column is."""
    name = column.name
    labels = {
        _label(key, tagged=column.dtype != pl.String): str(label)
        for key, label in (said.variable_value_labels.get(name) or {}).items()
    }
    codes = _codes(column, said.missing_ranges.get(name) or [])
    if tags is not None:
        codes = (*codes, *sorted(set(tags.drop_nulls())))
    level, question = _level(column, labels, codes, said.variable_measure.get(name) or "")
    return Attribute(
        label=said.column_names_to_labels.get(name) or "",
        labels=labels,
        missing=codes,
        level=level,
        question=question,
    )


def _label(key: Any, *, tagged: bool) -> str:
    """A value as the text of its category; a tag as .a."""
    if isinstance(key, str):
        return f".{key}" if tagged else key
    return str(labels_of(pl.Series([float(key)])).item())


def _codes(column: pl.Series, ranges: list[dict[str, Any]]) -> tuple[str, ...]:
    """What counts as missing: single values, and those cells that are in a range."""
    codes: dict[str, None] = {}
    for one in ranges:
        low, high = one["lo"], one["hi"]
        inside = pl.Series([low])
        if low != high:
            inside = column.filter(column.is_between(low, high)).unique().sort()
        if len(inside) > MOST_CODES:
            raise DataError(
                f"column '{column.name}' has {count(len(inside), 'different value')} in a range of "
                "missing values: make them system-missing, or declare single values"
            )
        codes |= dict.fromkeys(labels_of(inside))
    return tuple(codes)


def _level(
    column: pl.Series, labels: dict[str, str], codes: tuple[str, ...], measure: str
) -> tuple[Level | None, str]:
    """A level as the file's owner declared it, else as labels suggest, with a question."""
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


def _codebook(package: Package, said: Any) -> Codebook:
    return Codebook(
        package,
        label=said.file_label or "",
        notes=tuple(said.notes or ()),
        table=said.table_name or "",
        variables={
            name: Variable(
                format=said.original_variable_types.get(name) or "",
                informat=said.original_variable_informats.get(name) or "",
                measure=said.variable_measure.get(name) or "",
                width=said.variable_display_width.get(name) or 0,
                length=_length(name, said),
                missing=tuple((one["lo"], one["hi"]) for one in said.missing_ranges.get(name, [])),
            )
            for name in said.column_names
        },
    )


def _length(name: str, said: Any) -> int:
    text = said.readstat_variable_types[name] == "string"
    return said.variable_storage_width.get(name) or 0 if text else 0
