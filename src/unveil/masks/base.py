"""The interface of a mask, and what the masks share.

Mask                 a spec that turns one table into another and describes what it did
└─ ColumnMask        masks chosen columns, by default the quasi-identifiers
   └─ UnivariateMask masks each column independently of the others
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, Self

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.models.base import Model
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.specs import Spec, method_name
from unveil.support.threads import cores, run_blocks
from unveil.support.work import MASK_SECONDS
from unveil.table.attribute import Attribute
from unveil.table.encoding.to_arrays import Numbers, check_computable, codes, numbers, scale_of
from unveil.table.households import Homes, required_households
from unveil.table.microdata import Microdata
from unveil.table.roles import LEVELS
from unveil.values.patterns import Patterns
from unveil.values.release.channels import Channel
from unveil.wording import absent_column, count, listing

KeepType = Annotated[bool, Meta(description="Round the masked values of integer columns.")]
Unit = Literal["record", "household"]
GroupSize = Annotated[int, Meta(ge=2, description="Minimum group size.")]


class Draw(Protocol):
    """The random generators of one step, one per name; the name is usually a column."""

    def __call__(self, *names: str) -> np.random.Generator:
        """The generator of these names."""


class Guarantee(NamedTuple):
    """Privacy models that the release keeps on its equivalence classes over the keys."""

    models: tuple[Model, ...]
    keys: tuple[str, ...]


class ColumnSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Columns that are masked together, with the minimum size of their groups."""

    columns: Annotated[tuple[str, ...], Meta(min_length=1)]
    k: GroupSize


ColumnSets = Annotated[
    tuple[ColumnSet, ...] | None,
    Meta(description="Instead of columns and k: sets of columns, each with its own k."),
]


@dataclass(frozen=True, repr=False, eq=False)
class MaskedTable:
    """A masked table, with the channels that describe the masking to a method-aware attack."""

    data: Microdata
    channels: tuple[Channel, ...] = ()
    rows: Ints | None = None  # the input row of each output row; None: unchanged
    synthetic: bool = False  # no output row corresponds to an input row
    details: Any = None  # further results, specific to the method
    remark: str = ""  # what a user must know of this result, for a warning


class Mask(Spec, frozen=True, kw_only=True):
    """A masking method with its parameters."""

    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        Meta(description="Name of the step, part of its random seed; by default the method's."),
    ] = None

    is_random: ClassVar[bool] = True  # whether the result depends on the seed
    adds_stars: ClassVar[bool] = False  # whether, applied again, it keeps its models by more stars
    seconds_per_record: ClassVar[float] = MASK_SECONDS  # estimated, for budgets
    replaces_identifiers: ClassVar[bool] = False  # and no other column, which no other mask does

    @property
    def uses_households(self) -> bool:
        """Whether it treats households as units: then the table has their number while it works."""
        return getattr(self, "unit", "record") == "household"

    @property
    def makes_centres(self) -> bool:
        """Whether it replaces records by the centres of groups."""
        return False

    @property
    def pattern_output(self) -> Literal["beside", "instead"] | None:
        """Whether it makes patterns: beside a release, or, where they overlap, instead of one."""
        return None

    @property
    def shows_households(self) -> bool:
        """Whether the order of its rows tells who lives together."""
        return False

    @property
    def step(self) -> str:
        """The name of the step, part of its random seed and unique within a plan."""
        return self.name or method_name(type(self))

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:  # noqa: ARG002
        """The privacy models that hold on the released file; most masks guarantee nothing."""
        return ()

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:  # noqa: ARG002
        """The mask with its own input files read; most have none."""
        return self

    def locate_files(self, locate: Callable[[str], str]) -> Self:  # noqa: ARG002
        """The mask with the places of files that a plan's file names; most have none."""
        return self

    def patterns(self, data: Microdata) -> Patterns:  # noqa: ARG002
        """The patterns of a table; most masks make none."""
        raise SpecError(f"{self.step}: this method makes no patterns; choose anti-unification")

    @abc.abstractmethod
    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns in which the mask changes cells."""

    @abc.abstractmethod
    def check(self, data: Microdata) -> None:
        """Raise an error if the mask cannot be applied to this table."""

    @abc.abstractmethod
    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:
        """Mask a table that passed the check."""

    def only(self, columns: Sequence[str]) -> Self | None:  # noqa: ARG002
        """The same mask of some of its columns; None: it masks all of them together."""
        return None

    def apply_nested(
        self,
        data: Microdata,  # noqa: ARG002
        homes: Homes,  # noqa: ARG002
        shared: Sequence[str],  # noqa: ARG002
        progress: Progress | None = None,  # noqa: ARG002
    ) -> MaskedTable | None:
        """Mask columns of persons within households whose shared columns become alike.

        None for most masks: their columns are masked independently of each other.
        """
        return None

    def details_of(self, data: Microdata, masked: MaskedTable) -> Any:  # noqa: ARG002
        """The details after members of households got stars; those of most masks stay true."""
        return masked.details

    def require_one_of(self, *names: str) -> str:
        """The only one of these parameters that is set; any other number of them is an error."""
        present = [name for name in names if getattr(self, name) is not None]
        if len(present) != 1:
            raise SpecError(f"{self.step}: give one of {listing(names)}")
        return present[0]

    def numbers(self, data: Microdata, *columns: str) -> Numbers:
        """Numeric columns as an array; raises an error where arithmetic would overflow."""
        values = numbers(data, columns)
        try:
            check_computable(values)
        except DataError as error:
            error.at(self.step)
            raise
        return values

    def check_columns(self, data: Microdata, columns: Sequence[str]) -> None:
        """Raise an error if a named column is absent, repeated, or cannot be masked."""
        if not columns or len(set(columns)) < len(columns):
            raise SpecError(f"{self.step}: columns: name at least one, and none twice")
        for column in columns:
            if column not in data.columns:
                raise DataError(f"{self.step}: {absent_column(column, data.columns)}")
            if "identifier" in data.schema[column].role:
                raise SpecError(
                    f"{self.step}: column '{column}' is an identifier, which is never released; "
                    "leave it out"
                )

    def check_known(self, data: Microdata, column: str, k: int = 1) -> None:
        """Raise an error if the column has fewer than k known values."""
        known = len(data) - data.column(column).null_count()
        if not known:
            raise DataError(
                f"{self.step}: column '{column}' is missing in every record; leave it out"
            )
        if known < k:
            raise DataError(
                f"{self.step}: k is {k} and column '{column}' has {count(known, 'known value')}: "
                "choose a smaller k, or leave the column out"
            )

    def check_varies(self, data: Microdata, column: str, *, for_noise: bool = False) -> None:
        """Raise an error if the column is constant; for noise also if its deviation underflows."""
        constant = is_constant(data, column)
        if for_noise and not constant:
            constant = scale_of(self.numbers(data, column)).deviation[0] == 0
        if constant:
            raise DataError(
                f"{self.step}: column '{column}' is constant, so the method would not change it; "
                "leave it out"
            )


class ColumnMask(Mask, frozen=True, kw_only=True):
    """A mask of chosen columns, by default of the quasi-identifiers."""

    levels: ClassVar[tuple[str, ...]] = LEVELS  # levels of measurement that it can mask
    accepts_generalised: ClassVar[bool] = False  # whether cells may be ranges and sets

    columns: Annotated[
        tuple[str, ...] | None,
        Meta(description="Columns to mask; by default all quasi-identifiers of a suitable level."),
    ] = None

    def accepted_levels(self) -> tuple[str, ...]:
        """The levels of measurement that it can mask with these parameters."""
        return self.levels

    def only(self, columns: Sequence[str]) -> Self | None:
        return msgspec.structs.replace(self, columns=tuple(columns))

    def targets(self, data: Microdata) -> tuple[str, ...]:
        if self.columns is not None:
            self.check_columns(data, self.columns)
            return self.columns
        suitable = tuple(
            name
            for name in data.columns
            if "quasi" in data.schema[name].role
            and "identifier" not in data.schema[name].role
            and (self.accepts_generalised or not data.schema[name].generalised)
            and data.level(name) in self.accepted_levels()
        )
        if not suitable:
            levels = " or ".join(self.accepted_levels())
            raise SpecError(
                f"{self.step}: no column is a quasi-identifier and {levels}: name the columns to "
                "mask, or declare roles in the schema"
            )
        return suitable

    def check_columns(self, data: Microdata, columns: Sequence[str]) -> None:
        super().check_columns(data, columns)
        for column in columns:
            self._check_level(data, column)

    def _check_level(self, data: Microdata, column: str) -> None:
        if data.schema[column].generalised and not self.accepts_generalised:
            raise SchemaError(
                f"{self.step}: column '{column}' is generalised, and ranges and sets cannot be "
                "masked again; leave it out"
            )
        if (level := data.level(column)) not in self.accepted_levels():
            raise SchemaError(
                f"{self.step}: column '{column}' is {level}, and this mask accepts "
                f"{' or '.join(self.accepted_levels())} columns; leave it out, or declare another "
                f"level{data.schema[column].doubt}"
            )


@dataclass(frozen=True, repr=False, eq=False)
class MaskedColumn:
    """A masked column, with its channel."""

    column: pl.Series
    channel: Channel
    attribute: Attribute | None = None  # its new schema entry; None: unchanged


class UnivariateMask(ColumnMask, frozen=True, kw_only=True):
    """A mask that treats each column independently of the others."""

    threads: ClassVar[int | None] = None  # None: all cores

    @abc.abstractmethod
    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Mask one column."""

    def check_column(self, data: Microdata, column: str) -> None:
        """Raise an error if the method cannot be applied to this column."""
        self.check_known(data, column)

    def check(self, data: Microdata) -> None:
        for column in self.targets(data):
            self.check_column(data, column)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:
        """Mask the columns in parallel, each with its own random stream."""
        targets = self.targets(data)
        results: dict[str, MaskedColumn] = {}

        def work(start: int, stop: int) -> None:
            for column in targets[start:stop]:
                results[column] = self.mask_column(data, column, draw(column))

        run_blocks(work, range(len(targets) + 1), threads=cores(self.threads), progress=progress)
        masked = [results[column] for column in targets]
        attributes = {one.column.name: one.attribute for one in masked if one.attribute is not None}
        after = data.replace([one.column for one in masked], attributes)
        return MaskedTable(after, tuple(one.channel for one in masked))


def check_column_sets(mask: ColumnMask, k: int | None, sets: tuple[ColumnSet, ...] | None) -> None:
    """Raise an error unless there is either one k or disjoint sets of columns."""
    if (k is None) == (sets is None):
        raise SpecError(f"{mask.step}: give k, or groups of columns each with its own k")
    if sets is None:
        return
    if mask.columns is not None:
        raise SpecError(f"{mask.step}: groups name their columns: leave out columns")
    listed = [column for one in sets for column in one.columns]
    if not listed or len(set(listed)) < len(listed):
        raise SpecError(f"{mask.step}: groups: at least one, and no column in two of them")


def column_sets(
    mask: ColumnMask, data: Microdata, k: int | None, sets: tuple[ColumnSet, ...] | None
) -> tuple[ColumnSet, ...]:
    """The sets of columns that are masked together; by default one set of all columns."""
    if sets is None:
        return (ColumnSet(columns=ColumnMask.targets(mask, data), k=k or 1),)
    for one in sets:
        mask.check_columns(data, one.columns)
    return sets


def require_households(mask: Mask, data: Microdata) -> Homes:
    """The households of a table, or an error if it has no household number."""
    try:
        return required_households(data)
    except SchemaError as error:
        error.at(mask.step)
        raise


def is_constant(data: Microdata, column: str) -> bool:
    """Whether a column has fewer than two different values."""
    cells = data.column(column)
    return bool(cells.min() == cells.max()) or cells.null_count() == len(cells)


def sort_keys(data: Microdata, column: str, order: Sequence[str] | None = None) -> Floats:
    """Numbers in the order of a column, which a nominal one is given; NaN where missing."""
    if data.level(column) == "numeric":
        values: Floats = numbers(data, [column]).values[:, 0]
        return values
    coded = codes(data, column, order).codes
    return np.where(coded < 0, np.nan, coded)


def ascending_rows(keys: Floats) -> Ints:
    """The rows of the known values in ascending order; ties in file order."""
    known = np.flatnonzero(~np.isnan(keys))
    rows: Ints = known[np.argsort(keys[known], kind="stable")]
    return rows
