"""What every mask is: a spec that turns one table into another and says what it did."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.models.base import Model
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.specs import Spec, method_name
from unveil.support.threads import cores, run_blocks
from unveil.support.work import MASKED
from unveil.table.attribute import Attribute
from unveil.table.encoding.to_arrays import Numbers, check_computable, codes, numbers, scale_of
from unveil.table.microdata import Microdata
from unveil.table.roles import LEVELS
from unveil.values.release.channels import Channel
from unveil.wording import absent_column, count, listing


class Draw(Protocol):
    """The random numbers of one step: a generator for each name, such as a column's."""

    def __call__(self, *names: str) -> np.random.Generator:
        """The generator of these names."""


class Promised(NamedTuple):
    """Privacy models, and the columns in which records of a class are alike."""

    models: tuple[Model, ...]
    keys: tuple[str, ...]


KeepType = Annotated[
    bool, Meta(description="Whether whole numbers are rounded to whole numbers again.")
]


@dataclass(frozen=True, repr=False, eq=False)
class Masked:
    """What one mask made of a table."""

    data: Microdata
    channels: tuple[Channel, ...] = ()
    rows: Ints | None = None  # the row before of each row after, where rows went or moved
    synthetic: bool = False  # no row after is a row before
    details: Any = None  # what the mask says of its work beside


class Mask(Spec, frozen=True, kw_only=True):
    """One way to protect a table: what every mask has.

    >>> from unveil.masks import METHODS
    >>> all(issubclass(method, Mask) for method in METHODS)
    True
    """

    name: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="The step's name, of which its random numbers are made; "
            "if not given, the method's.",
        ),
    ] = None

    chance: ClassVar[bool] = True  # whether random numbers decide
    seconds_per_record: ClassVar[float] = MASKED  # estimated, for budgets

    @property
    def step(self) -> str:
        """The name from which random numbers are drawn; no two steps of a plan share it."""
        return self.name or method_name(type(self))

    def promises(self, data: Microdata) -> tuple[Promised, ...]:  # noqa: ARG002
        """What it promises of the released file, on which it is counted: most masks nothing."""
        return ()

    @abc.abstractmethod
    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns in which it changes cells."""

    @abc.abstractmethod
    def check(self, data: Microdata) -> None:
        """Refuse what cannot be done to this table, before anything is."""

    @abc.abstractmethod
    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:
        """Mask a table that was checked."""


class OnColumns(Mask, frozen=True, kw_only=True):
    """A mask of some columns, by default of the quasi-identifiers."""

    levels: ClassVar[tuple[str, ...]] = LEVELS  # of the columns that it can mask
    again: ClassVar[bool] = False  # whether it can mask ranges and sets, too

    columns: Annotated[
        tuple[str, ...] | None,
        Meta(description="What to mask; if not given, every quasi-identifier that it can mask."),
    ] = None

    def accepted(self) -> tuple[str, ...]:
        """The levels that it can mask with these parameters."""
        return self.levels

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns that are masked."""
        if self.columns is None:
            return self._found(data)
        return self.named(data, self.columns)

    def named(self, data: Microdata, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Columns that a user named: there, and of a level that it can mask."""
        check_columns(self, data, columns)
        for column in columns:
            self._check_level(data, column)
        return columns

    def _found(self, data: Microdata) -> tuple[str, ...]:
        found = [
            name
            for name in data.columns
            if "quasi" in data.schema[name].role
            and "identifier" not in data.schema[name].role
            and (self.again or not data.schema[name].generalised)
            and data.level(name) in self.accepted()
        ]
        if not found:
            raise SpecError(
                f"{self.step}: no column is a quasi-identifier and {' or '.join(self.accepted())}: "
                "name the columns to mask, or declare roles in the schema"
            )
        return tuple(found)

    def _check_level(self, data: Microdata, column: str) -> None:
        if data.schema[column].generalised and not self.again:
            raise SchemaError(
                f"{self.step}: column '{column}' is generalised: its cells are ranges and "
                "sets, which cannot be masked again"
            )
        if (level := data.level(column)) not in self.accepted():
            raise SchemaError(
                f"{self.step}: column '{column}' is {level}, and what is masked like this is "
                f"{' or '.join(self.accepted())}; leave it out, or declare another level"
            )


@dataclass(frozen=True, repr=False, eq=False)
class MaskedColumn:
    """What a mask made of one column."""

    column: pl.Series
    channel: Channel
    attribute: Attribute | None = None  # what it is now, where that changed


class OnEachColumn(OnColumns, frozen=True, kw_only=True):
    """A mask of each column by itself."""

    threads: ClassVar[int | None] = None  # all cores

    @abc.abstractmethod
    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Mask one column."""

    def check_column(self, data: Microdata, column: str) -> None:
        """Refuse a column on which the method has no meaning."""
        check_known(self, data, column)

    def check(self, data: Microdata) -> None:
        """Refuse what cannot be done to this table, before anything is."""
        for column in self.targets(data):
            self.check_column(data, column)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:
        """Mask the columns side by side, each with its own random numbers."""
        targets = self.targets(data)
        made: dict[str, MaskedColumn] = {}

        def work(start: int, stop: int) -> None:
            for column in targets[start:stop]:
                made[column] = self.mask_column(data, column, draw(column))

        run_blocks(work, range(len(targets) + 1), threads=cores(self.threads), progress=progress)
        masked = [made[column] for column in targets]
        attributes = {one.column.name: one.attribute for one in masked if one.attribute is not None}
        after = data.replace([one.column for one in masked], attributes)
        return Masked(after, tuple(one.channel for one in masked))


def check_columns(mask: Mask, data: Microdata, columns: Sequence[str]) -> None:
    """The columns that a user named are there, once, and may be released."""
    if not columns or len(set(columns)) < len(columns):
        raise SpecError(f"{mask.step}: columns: name at least one, and none twice")
    for column in columns:
        if column not in data.columns:
            raise DataError(f"{mask.step}: {absent_column(column, data.columns)}")
        if "identifier" in data.schema[column].role:
            raise SpecError(
                f"{mask.step}: column '{column}' is an identifier: it is never released, so "
                "there is nothing to mask"
            )


def known_numbers(mask: Mask, data: Microdata, columns: Sequence[str]) -> Numbers:
    """Numeric columns as numbers that can be computed with."""
    found = numbers(data, columns)
    try:
        check_computable(found)
    except DataError as error:
        error.at(mask.step)
        raise
    return found


def check_varies(mask: Mask, data: Microdata, column: str, *, noisy: bool = False) -> None:
    """Refuse a constant column where the method would leave it as it is.

    For noise, one whose deviation is too small for 64 bits is constant, too.
    """
    constant = is_constant(data, column)
    if noisy and not constant:
        constant = scale_of(known_numbers(mask, data, [column])).deviation[0] == 0
    if constant:
        raise DataError(
            f"{mask.step}: column '{column}' is constant: the method would change nothing; "
            "leave it out"
        )


def is_constant(data: Microdata, column: str) -> bool:
    """Whether a column has fewer than two different values."""
    cells = data.column(column)
    return bool(cells.min() == cells.max()) or cells.null_count() == len(cells)


def check_known(mask: Mask, data: Microdata, column: str, least: int = 1) -> None:
    """Refuse a column that too few records know."""
    known = len(data) - data.column(column).null_count()
    if not known:
        raise DataError(f"{mask.step}: column '{column}' is missing in every record; leave it out")
    if known < least:
        raise DataError(
            f"{mask.step}: k is {least} and column '{column}' has {count(known, 'known value')}: "
            "choose a smaller k, or leave the column out"
        )


def sort_keys(data: Microdata, column: str) -> Floats:
    """Numbers that sort as a numeric or ordinal column does; NaN where missing."""
    if data.level(column) == "numeric":
        values: Floats = numbers(data, [column]).values[:, 0]
        return values
    coded = codes(data, column).codes
    return np.where(coded < 0, np.nan, coded)


def ascending(keys: Floats) -> Ints:
    """The rows of the known values, lowest first; equal ones as they stand in the file."""
    known = np.flatnonzero(~np.isnan(keys))
    rows: Ints = known[np.argsort(keys[known], kind="stable")]
    return rows


def one_of(mask: Mask, *names: str) -> str:
    """The one of several parameters that was given."""
    given = [name for name in names if getattr(mask, name) is not None]
    if len(given) != 1:
        raise SpecError(f"{mask.step}: give one of {listing(names)}")
    return given[0]
