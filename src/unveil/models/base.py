"""The base of every privacy model: a spec of requirements on the classes of a file."""

import abc
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
import numpy as np
from msgspec import Meta

from unveil.errors import SchemaError, SpecError
from unveil.grouping.classes import ORDERED, ClassRequirement, ClassRules, Confidential, build_rules
from unveil.support.specs import Spec, kebab_case, method_name
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.wording import absent_column, listing, suggest

MOST_RECORDS = 10**15  # more than any file has


class ModelRequirement(NamedTuple):
    """A bound on one number of every class, of a confidential attribute or of none."""

    kind: int  # of grouping.classes: SIZE, DISTINCT, ...
    bound: float
    column: str | None = None
    least: int = 0


class Model(Spec, frozen=True, kw_only=True, tag_field="model", tag=kebab_case):
    """A privacy model: a promise about every class of records equal on the quasi-identifiers."""

    about_confidential: ClassVar[bool] = False  # whether it bounds confidential attributes
    of_whole_file: ClassVar[bool] = False  # whether every record matters to every class

    @property
    def counted(self) -> Literal["classes", "rows", "people", "homes", "assignments"]:
        """The counted unit: classes of equal rows, compatible rows or people, households.

        Of assignments, the rows or people that one-to-one assignments of the file admit.
        """
        return "classes"

    @property
    def least_size(self) -> int:
        """The least number of records, or of people; 1 where the model bounds none."""
        return 1

    @property
    def people(self) -> Microdata | None:
        """The population whose people are counted, once its file is read."""
        return None

    @abc.abstractmethod
    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        """The requirements on every class of records that are equal in the keys."""

    def of_classes(self) -> "Model":
        """The model counted on classes, for a mask whose stars fill whole columns."""
        return self

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:  # noqa: ARG002
        """The model with its own input files read; most have none."""
        return self


class ConfidentialModel(Model, frozen=True, kw_only=True):
    """A model of the confidential attributes within each class."""

    about_confidential: ClassVar[bool] = True

    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The confidential attributes; if not given, all that the schema declares "
            "and that are not among the quasi-identifiers."
        ),
    ] = None

    def confidential(self, data: Microdata, keys: Sequence[str]) -> tuple[str, ...]:
        """The confidential attributes of the model."""
        name = method_name(type(self))
        if self.columns is None:
            declared = data.schema.with_role("confidential")
            columns = tuple(name for name in data.columns if name in declared and name not in keys)
            if not columns:
                raise SchemaError(
                    f"{name}: no attribute except the keys is confidential; declare one in the "
                    "schema, or name one that is not a key (columns)"
                )
            return columns
        for column in self.columns:
            if column not in data.columns:
                raise SpecError(f"{name}: {absent_column(column, data.columns)}")
            if column in keys:
                raise SpecError(
                    f"{name}: column '{column}' is a key, so it has one value in each class; "
                    "name another"
                )
        return self.columns


def compile_rules(models: Sequence[Model], data: Microdata, keys: Sequence[str]) -> ClassRules:
    """The requirements of models on the classes of a table, as arrays for the kernels."""
    required = [rule for model in models for rule in model.requirements(data, keys)]
    columns = list(dict.fromkeys(rule.column for rule in required if rule.column is not None))
    lines = {rule.column for rule in required if rule.kind == ORDERED}
    attributes = [_confidential(data, column, in_line=column in lines) for column in columns]
    places = [columns.index(rule.column) if rule.column else 0 for rule in required]
    rules = [
        ClassRequirement(rule.kind, place, rule.bound, rule.least)
        for rule, place in zip(required, places, strict=True)
    ]
    return build_rules(rules, attributes, len(data))


def _confidential(data: Microdata, column: str, *, in_line: bool) -> Confidential:
    """An attribute's values numbered without a gap, in their declared order if they have one.

    A missing code is a value as well, except where values stand in a line: it has no place there.
    """
    cells = common_cells(data, column=column)[0]
    if data.order(column) and not data.schema[column].generalised:
        cells = np.where(cells < 0, cells, codes(data, column).codes)
    cells = np.where(cells < -1, -1 if in_line else cells.max() - cells, cells)
    values, places = np.unique(cells, return_inverse=True)
    missing = int(values[0] < 0)
    return Confidential((places - missing).astype(np.int32), len(values) - missing)


def as_models(step: str, models: Any) -> tuple[Model, ...]:
    """Models as a user gives them: models, or tables with the name of one.

    >>> as_models("mondrian", [{"model": "l-diversity", "l": 2}])[0].l
    2.0
    """
    if models is None:
        return ()
    if isinstance(models, Model | dict):
        models = [models]
    if not isinstance(models, list | tuple):
        raise SpecError(f"{step}: models: a list of models")
    return tuple(model if isinstance(model, Model) else _parse(step, model) for model in models)


def _parse(step: str, table: object) -> Model:
    from unveil.models import METHODS

    models = {method_name(model): model for model in METHODS}
    if not isinstance(table, dict):
        known = listing(models)
        raise SpecError(f"{step}: models: each is a table with a model, one of {known}")
    name = table.get("model")
    if not isinstance(name, str) or name not in models:
        word = "a model is missing" if name is None else f"'{name}' is not a privacy model"
        raise SpecError(f"{step}: models: {word}{suggest(name, models, 'models are')}")
    return models[name](**{key: value for key, value in table.items() if key != "model"})


Models = Annotated[
    Any,
    Meta(
        description="Further requirements of the classes beside k: for each a table of a model "
        "and its parameters.",
        extra={"type": "list of tables"},
    ),
]


def set_models(spec: Any) -> None:
    """Replace the models of a mask, as a user gives them, by models."""
    msgspec.structs.force_setattr(spec, "models", as_models(spec.step, spec.models))
