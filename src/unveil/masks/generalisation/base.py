"""The common part of generalising masks: privacy models, verified on the released file."""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.grouping import classes
from unveil.masks.base import ColumnMask, Draw, Guarantee, MaskedTable
from unveil.models.base import Model, Models, compile_rules, set_models
from unveil.models.compliance import check
from unveil.models.k_anonymity import KAnonymity
from unveil.support.arrays import Bools, Ints32
from unveil.support.options import Progress
from unveil.support.specs import fields_of, method_name
from unveil.support.work import GENERALISATION_SECONDS
from unveil.table.attribute import Attribute
from unveil.table.cells import STAR, escape, write_range
from unveil.table.columns import labels_of, stored_as
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import Sets
from unveil.values.release.channels import Channel, Ranges
from unveil.values.results.privacy import Promise
from unveil.wording import count, listing

K = Annotated[int, Meta(ge=1, description="Minimum number of equal records.")]
REQUIREMENT_WORDS = {
    classes.SIZE: "records",
    classes.DISTINCT: "values",
    classes.ENTROPY: "values by entropy",
    classes.RECURSIVE: "most frequent over the rest",
    classes.EQUAL: "distance",
    classes.ORDERED: "distance",
    classes.SHARE: "share of one value",
}


@dataclass(frozen=True, repr=False, eq=False)
class GeneralisedTable:
    """The columns that a generalising mask changed, and the records that it releases."""

    columns: Sequence[pl.Series]  # of all records of the table
    attributes: dict[str, Attribute]
    released: Bools | None = None  # per record; None: all
    details: Any = None  # further results, specific to the method
    remark: str = ""  # what a user must know of this result, for a warning
    channels: tuple[Channel, ...] | None = None  # None: cells are sets that hold the true value


class GeneralisingMask(ColumnMask, frozen=True, kw_only=True):
    """A mask that makes records equal in some columns until privacy models hold."""

    is_random: ClassVar[bool] = False
    discards_records: ClassVar[bool] = False
    accepts_dates: ClassVar[bool] = False  # whether numeric columns may hold dates
    seconds_per_record: ClassVar[float] = GENERALISATION_SECONDS

    k: K
    models: Models = ()

    @property
    def generalises_cells(self) -> bool:
        """Whether released cells are ranges, sets and stars."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        set_models(self)

    def only(self, columns: Sequence[str]) -> None:  # noqa: ARG002
        """The models hold on all columns together."""
        return

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:
        models = tuple(model.read_inputs(read) for model in self.models)
        return self if models == self.models else msgspec.structs.replace(self, models=models)

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        """The models hold on the masked columns."""
        return (Guarantee((KAnonymity(k=self.k), *self.models), self.targets(data)),)

    def check(self, data: Microdata) -> None:
        """Raise an error if no generalisation can meet the models, or a cell cannot be one."""
        for models, keys in self.guarantees(data):
            k = max(model.least_size for model in models if model.counted != "people")
            if k > len(data):
                raise DataError(
                    f"{self.step}: k is {k:,} and the table has {count(len(data), 'record')}: "
                    f"choose a k of at most {len(data):,}"
                )
            if self.generalises_cells:
                for column in keys:
                    self._check_cells(data, column)
            for model in models:
                if model.counted == "homes" and not self.uses_households:
                    raise SpecError(
                        f"{self.step}: models here apply to persons; for k-anonymity of "
                        "households choose mondrian or local-suppression with unit = 'household'"
                    )
                if model.counted == "assignments":
                    raise SpecError(
                        f"{self.step}: no mask enforces {model_words([model])}; check the release "
                        "for it (unveil.models.check)"
                    )
                if model.counted in ("rows", "people"):
                    self.check_model(model)
            unmet = self._in_one_class(data, models, keys)[1]
            if unmet:
                raise DataError(
                    f"{self.step}: this cannot be met, even by one class of all records: "
                    f"{'; '.join(unmet)}; lower the requirement"
                )

    def _check_cells(self, data: Microdata, column: str) -> None:
        """Raise an error for dates, which have no ranges, and for blank categories."""
        cells = data.column(column)
        kind = stored_as(cells)
        if data.level(column) == "numeric":
            if kind in ("dates", "times") and not self.accepts_dates:
                raise SchemaError(
                    f"{self.step}: column '{column}' holds {kind}, which ranges of numbers "
                    "cannot represent; round it, make it a number, or declare it nominal"
                )
        elif not data.schema[column].generalised:
            blank = labels_of(cells) == ""
            if blank.any():
                raise SchemaError(
                    f"{self.step}: column '{column}' has a blank category in "
                    f"{count(int(blank.sum()), 'record')}, which sets and ranges cannot hold; "
                    "declare it missing (missing = []), or give it a name"
                )

    def check_model(self, model: Model) -> None:
        """Raise an error for a model of single rows, unless the mask can keep it."""
        raise SpecError(
            f"{self.step}: this mask cannot enforce {model_words([model])}; check the release "
            "for it, or choose full-domain"
        )

    @abc.abstractmethod
    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Make records equal."""

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        """Make records equal, and verify the guarantees on the result.

        All missing cells of a key are written alike: records that differ in them would differ.
        """
        every_key = [key for guarantee in self.guarantees(data) for key in guarantee.keys]
        result = self.generalise(data.with_one_missing_code(every_key), progress)
        after = data.replace(result.columns, result.attributes).with_one_missing_code(every_key)
        rows = None
        if result.released is not None and not result.released.all():
            rows = np.flatnonzero(result.released)
            if not len(rows):
                raise self.empty_release_error(data)
            after = after.take(rows)
        for models, keys in self.guarantees(data):
            refuse_broken(self.step, check(after, models, keys=keys))
        channels = result.channels
        if channels is None:
            channels = tuple(
                Ranges((column,)) if data.level(column) == "numeric" else Sets((column,))
                for column in self.targets(data)
            )
        return MaskedTable(after, channels, rows=rows, details=result.details, remark=result.remark)

    def empty_release_error(self, data: Microdata) -> DataError:
        """The error if every record would be discarded."""
        models, keys = self.guarantees(data)[0]
        return DataError(
            f"{self.step}: no record could be released under {model_words(models)}; all "
            f"records as one class have {'; '.join(self._in_one_class(data, models, keys)[0])}"
        )

    def _in_one_class(
        self, data: Microdata, models: Sequence[Model], keys: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """The models' values with all records in one class, in words; and the unmet requirements.

        No generalisation does better. Discarding records may, except for sizes and distinct values.
        """
        one_class = classes.Classes(np.arange(len(data)), np.array([0, len(data)]))
        values = classes.class_values(compile_rules(models, data, keys), one_class)[0]
        requirements = [one for model in models for one in model.requirements(data, keys)]
        measured, unmet = [], []
        for one, value in zip(requirements, values.tolist(), strict=True):
            words = f"{REQUIREMENT_WORDS[one.kind]} {value:.4g} where {one.bound:.4g} is required"
            words = words if one.column is None else f"{one.column}: {words}"
            measured.append(words)
            final = one.kind <= classes.DISTINCT or not self.discards_records
            if final and not classes.within_bound(one.kind, np.array([value]), one.bound)[0]:
                unmet.append(words)
        return measured, unmet


def refuse_broken(step: str, promises: Sequence[Promise]) -> None:
    """Raise an error that lists the broken promises of a release, if any."""
    broken = [str(promise) for promise in promises if not promise.kept]
    if broken:
        raise DataError(f"{step}: the release would break {'; '.join(broken)}, so it is not made")


def model_words(models: Sequence[Model]) -> str:
    """Privacy models in words."""
    names = []
    for model in models:
        words = []
        for field in fields_of(type(model)):
            value = getattr(model, field.name)
            if isinstance(value, int | float):
                words.append(f"{field.name} {value:g}")
            elif isinstance(value, str) and value != field.default and field.name != "population":
                words.append(f"{field.name} {value}")
        names.append(f"{method_name(type(model))} ({', '.join(words)})")
    return listing(names)


def exact_labels(cells: pl.Series) -> pl.Series:
    """Cells as text that reads back as the same 64-bit number, also for 32-bit floats."""
    return labels_of(cells.cast(pl.Float64) if cells.dtype == pl.Float32 else cells)


def range_cell(first: str, last: str) -> str:
    """The generalised cell from one label to another."""
    return escape(first) if first == last else write_range(first, last)


def generalised_attribute(data: Microdata, column: str) -> Attribute:
    """The schema entry of a column whose cells become ranges, sets or stars."""
    attribute, level = data.schema[column], data.level(column)
    order = data.order(column)
    if level == "ordinal" and not order and not attribute.generalised:
        order = codes(data, column).categories
    return msgspec.structs.replace(attribute, level=level, order=order, generalised=True)


def key_codes(data: Microdata, keys: Sequence[str], *, unknown: str = "value") -> Ints32:
    """Cells as codes, records x keys; missing is a further code, or -1 as a "wildcard"."""
    coded = np.empty((len(data), len(keys)), np.int32)
    for place, name in enumerate(keys):
        cells = common_cells(data, column=name)[0]
        distinct, dense = np.unique(np.maximum(cells, -1), return_inverse=True)
        if distinct[0] < 0:
            missing = len(distinct) - 1 if unknown == "value" else -1
            dense = np.where(cells < 0, missing, dense - 1)
        coded[:, place] = dense
    return coded


def starred_table(data: Microdata, keys: Sequence[str], shown: Bools) -> GeneralisedTable:
    """The keys with a star in each cell that is not shown; a column without stars is unchanged."""
    columns, attributes = [], {}
    for name, stars in zip(keys, ~shown.T, strict=True):
        if stars.any():
            labels = exact_labels(data.column(name))
            if not data.schema[name].generalised:
                distinct = labels.drop_nulls().unique()
                cells = [escape(label) for label in distinct]
                labels = labels.replace_strict(
                    distinct, cells, default=None, return_dtype=pl.String
                )
            columns.append(labels.set(pl.Series(stars), STAR).alias(name))
            attributes[name] = generalised_attribute(data, name)
    return GeneralisedTable(columns, attributes)
