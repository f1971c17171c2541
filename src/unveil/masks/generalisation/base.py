"""What masks share that make records alike: the promise, counted on what they hand over."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SchemaError, SpecError
from unveil.grouping.classes import (
    DISTINCT,
    ENTROPY,
    EQUAL,
    ORDERED,
    RECURSIVE,
    SHARE,
    SIZE,
    Classes,
    class_values,
    within_bound,
)
from unveil.masks.base import Draw, Masked, OnColumns, Promised
from unveil.models.base import Model, Models, compile_rules, set_models
from unveil.models.compliance import check
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.support.arrays import Bools, Ints32
from unveil.support.options import Progress
from unveil.support.specs import method_name
from unveil.support.work import GENERALISED
from unveil.table.attribute import Attribute
from unveil.table.cells import STAR, escape
from unveil.table.columns import labels_of, stored_as
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel, Ranges, Sets
from unveil.values.results.privacy import Promise
from unveil.wording import count, listing

K = Annotated[int, Meta(ge=1, description="How many records at least are alike.")]


@dataclass(frozen=True, repr=False, eq=False)
class GeneralisedTable:
    """What a generalising mask made: the columns, who is kept, and what else there is to tell."""

    columns: Sequence[pl.Series]  # of all records of the table
    attributes: dict[str, Attribute]
    released: Bools | None = None  # whether each record is; None: all are
    details: Any = None  # what the mask says of its work
    channels: tuple[Channel, ...] | None = None  # None: cells hold what they stand for


class GeneralisingMask(OnColumns, frozen=True, kw_only=True):
    """A mask that makes records alike in some columns, until models are kept."""

    chance: ClassVar[bool] = False
    seconds_per_record: ClassVar[float] = GENERALISED
    discards: ClassVar[bool] = False  # whether it may leave out records

    k: K
    models: Models = ()

    @property
    def texts(self) -> bool:
        """Whether cells become generalised ones."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        set_models(self)

    def promises(self, data: Microdata) -> tuple[Promised, ...]:
        """Its models, on the columns that it masks."""
        return (Promised((KAnonymity(k=self.k), *self.models), self.targets(data)),)

    def check(self, data: Microdata) -> None:
        """There must be a class, and models must be about something that can be."""
        for models, keys in self.promises(data):
            in_file = [model for model in models if not isinstance(model, KMap)]
            k = max(getattr(model, "k", 1) for model in in_file)
            if k > len(data):
                raise DataError(
                    f"{self.step}: k is {k:,} and the table has {count(len(data), 'record')}: "
                    f"choose a k of at most {len(data):,}"
                )
            self._check_dates(data, keys)
            self._check_blank(data, keys)
            for model in models:
                if isinstance(model, KMap) or getattr(model, "stars", "value") == "wildcard":
                    self.check_counted(model)
            broken = self._together(data, models, keys)[1]
            if broken:
                raise DataError(
                    f"{self.step}: this cannot be met: all records in one class, of which no "
                    f"generalising makes more, have {'; '.join(broken)}: ask for no more than that"
                )

    def _check_dates(self, data: Microdata, keys: Sequence[str]) -> None:
        """Refuse dates where cells become ranges of numbers."""
        for column in keys if self.texts else ():
            kind = stored_as(data.column(column))
            if data.level(column) == "numeric" and kind in ("dates", "times"):
                raise SchemaError(
                    f"{self.step}: column '{column}' holds {kind}, which ranges of numbers cannot "
                    "stand for; round it, make it a number, or declare it nominal"
                )

    def _check_blank(self, data: Microdata, keys: Sequence[str]) -> None:
        """Refuse a category without a letter where cells become sets and ranges."""
        for column in keys if self.texts else ():
            if data.level(column) != "numeric" and not data.schema[column].generalised:
                blank = labels_of(data.column(column)) == ""
                if blank.any():
                    raise SchemaError(
                        f"{self.step}: column '{column}' has a blank category in "
                        f"{count(int(blank.sum()), 'record')}, which no set or range can hold: "
                        'declare it missing (missing = [""]), or give it a name'
                    )

    def check_counted(self, model: Model) -> None:
        """Refuse a model that is counted row by row, unless the mask knows how to keep it."""
        raise SpecError(
            f"{self.step}: it cannot be made to keep {told([model])}; leave that to a check of the "
            "release, or choose full-domain"
        )

    @abc.abstractmethod
    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Make records alike."""

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """Make records alike, and count on the result what was promised."""
        made = self.generalise(data, progress)
        after = data.replace(made.columns, made.attributes)
        rows = None
        if made.released is not None and not made.released.all():
            rows = np.flatnonzero(made.released)
            if not len(rows):
                raise self.nobody_left(data)
            after = after.take(rows)
        for models, keys in self.promises(data):
            refuse_broken(self.step, check(after, models, keys=keys))
        channels = made.channels
        if channels is None:
            channels = tuple(_channel(data, column) for column in self.targets(data))
        return Masked(after, channels, rows=rows, details=made.details)

    def nobody_left(self, data: Microdata) -> DataError:
        """The error where every record would be discarded."""
        models, keys = self.promises(data)[0]
        return DataError(
            f"{self.step}: no record could be released that keeps {told(models)}; where all "
            f"records are one class, it has {'; '.join(self._together(data, models, keys)[0])}"
        )

    def _together(
        self, data: Microdata, models: Sequence[Model], keys: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """What all records in one class have of what models ask for, in words; what they break.

        No generalising can do better, but for that of a mask that discards records: then what
        counts people and values only is broken for good.
        """
        everybody = Classes(np.arange(len(data)), np.array([0, len(data)]))
        values = class_values(compile_rules(models, data, keys), everybody)[0]
        asked = [one for model in models for one in model.requirements(data, keys)]
        all_of, broken = [], []
        for one, value in zip(asked, values.tolist(), strict=True):
            words = f"{KINDS[one.kind]} {value:.4g} where {one.bound:.4g} is asked"
            words = words if one.column is None else f"{one.column}: {words}"
            all_of.append(words)
            final = one.kind <= DISTINCT or not self.discards
            if final and not within_bound(one.kind, np.array([value]), one.bound)[0]:
                broken.append(words)
        return all_of, broken


KINDS = {  # what the models' numbers are called
    SIZE: "records",
    DISTINCT: "values",
    ENTROPY: "values by entropy",
    RECURSIVE: "most frequent over the rest",
    EQUAL: "distance",
    ORDERED: "distance",
    SHARE: "share of one value",
}


def refuse_broken(step: str, found: Sequence[Promise]) -> None:
    """Refuse to hand over a file that breaks a promise, and say which."""
    broken = [str(one) for one in found if not one.kept]
    if broken:
        raise DataError(f"{step}: the release would break {'; '.join(broken)}: it is not made")


def told(models: Sequence[Model]) -> str:
    """Models in words.

    >>> told([KAnonymity(k=3)])
    'k-anonymity (k 3)'
    """
    return listing(_named(model) for model in models)


def _named(model: Model) -> str:
    words = []
    for field in msgspec.structs.fields(model):
        value = getattr(model, field.name)
        if isinstance(value, int | float):
            words.append(f"{field.name} {value:g}")
        elif isinstance(value, str) and value != field.default and field.name != "population":
            words.append(f"{field.name} {value}")
    return f"{method_name(type(model))} ({', '.join(words)})"


def exact_labels(cells: pl.Series) -> pl.Series:
    """Cells as text from which the same 64-bit number comes back, though they have 32 bits.

    >>> exact_labels(pl.Series([0.5, 0.1], dtype=pl.Float32)).to_list()
    ['0.5', '0.10000000149011612']
    """
    return labels_of(cells.cast(pl.Float64) if cells.dtype == pl.Float32 else cells)


def labels_with_stars(data: Microdata, column: str, stars: Bools) -> pl.Series:
    """A column as generalised cells: its labels, and a star where it is not told.

    >>> import unveil
    >>> people = unveil.households(2)
    >>> labels_with_stars(people, "sex", np.array([False, True])).to_list()[1]
    '*'
    """
    labels = exact_labels(data.column(column))
    if not data.schema[column].generalised:
        listed = labels.drop_nulls().unique()
        labels = labels.replace_strict(
            listed, [escape(label) for label in listed], default=None, return_dtype=pl.String
        )
    return labels.set(pl.Series(stars), STAR).alias(column)


def generalised(data: Microdata, column: str) -> Attribute:
    """What a column is once its cells are ranges, sets or stars."""
    attribute, level = data.schema[column], data.level(column)
    order = data.order(column)
    if level == "ordinal" and not order and not attribute.generalised:
        order = codes(data, column).categories
    return msgspec.structs.replace(attribute, level=level, order=order, generalised=True)


def _channel(data: Microdata, column: str) -> Channel:
    if data.level(column) == "numeric":
        return Ranges((column,))
    return Sets((column,))


def key_codes(data: Microdata, keys: Sequence[str], *, unknown: str = "value") -> Ints32:
    """Cells as codes, records x attributes: missing is one more value, or -1, which equals none.

    >>> import unveil
    >>> key_codes(unveil.households(3), ["sex"]).ravel().tolist()
    [1, 0, 1]
    """
    found = np.empty((len(data), len(keys)), np.int32)
    for place, name in enumerate(keys):
        cells = common_cells(data, column=name)[0]
        listed, dense = np.unique(cells, return_inverse=True)
        if listed[0] < 0:
            last = len(listed) - 1 if unknown == "value" else -1
            dense = np.where(cells < 0, last, dense - 1)
        found[:, place] = dense
    return found


def starred(data: Microdata, keys: Sequence[str], told: Bools) -> GeneralisedTable:
    """Columns with a star in each cell that is not told; what has none stays as it is."""
    columns, attributes = [], {}
    for place, name in enumerate(keys):
        stars = ~told[:, place]
        if stars.any():
            columns.append(labels_with_stars(data, name, stars))
            attributes[name] = generalised(data, name)
    return GeneralisedTable(columns, attributes)
