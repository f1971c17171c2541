"""What every privacy model is: a spec that says what classes of like records have to keep."""

import abc
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from unveil.errors import SchemaError, SpecError
from unveil.grouping.classes import ClassRequirement, ClassRules, Confidential, build_rules
from unveil.support.specs import Spec, method_name
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.wording import absent_column, listing, suggest


class ModelRequirement(NamedTuple):
    """One number that a model asks of every class, of one confidential attribute or of none."""

    kind: int  # one of kernels.diversity
    bound: float
    column: str | None = None
    least: int = 0


def _tag(name: str) -> str:
    return method_name(type(name, (Spec,), {}))


class Model(Spec, frozen=True, kw_only=True, tag_field="model", tag=_tag):
    """A promise about all records that are alike on the quasi-identifiers.

    >>> from unveil.models import METHODS
    >>> all(issubclass(model, Model) for model in METHODS)
    True
    """

    @abc.abstractmethod
    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        """What is asked of every class of records that are alike in the keys."""


class ConfidentialModel(Model, frozen=True, kw_only=True):
    """A model of what is confidential among those who are alike."""

    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The confidential attributes; if not given, all that the schema declares "
            "and that are not among the quasi-identifiers."
        ),
    ] = None

    def confidential(self, data: Microdata, keys: Sequence[str]) -> tuple[str, ...]:
        """The attributes that it is about."""
        name = method_name(type(self))
        if self.columns is None:
            declared = data.schema.with_role("confidential")
            found = tuple(one for one in data.columns if one in declared and one not in keys)
            if not found:
                raise SchemaError(
                    f"{name}: no attribute is confidential but those in which records are alike: "
                    "declare one in the schema, or name one that is not among these (columns)"
                )
            return found
        for column in self.columns:
            if column not in data.columns:
                raise SpecError(f"{name}: {absent_column(column, data.columns)}")
            if column in keys:
                raise SpecError(
                    f"{name}: column '{column}' is one of those in which records of a class are "
                    "alike, so it has one value in each: name another"
                )
        return self.columns


def compile_rules(models: Sequence[Model], data: Microdata, keys: Sequence[str]) -> ClassRules:
    """What models ask of classes of a table's records, as arrays for the kernels.

    >>> import unveil
    >>> from unveil.models import KAnonymity
    >>> compile_rules([KAnonymity(k=3)], unveil.households(10), ["sex"]).bound.tolist()
    [3.0]
    """
    asked = [one for model in models for one in model.requirements(data, keys)]
    columns = list(dict.fromkeys(one.column for one in asked if one.column is not None))
    attributes = [_confidential(data, column) for column in columns]
    rows = [
        ClassRequirement(
            one.kind, columns.index(one.column) if one.column else 0, one.bound, one.least
        )
        for one in asked
    ]
    return build_rules(rows, attributes, len(data))


def _confidential(data: Microdata, column: str) -> Confidential:
    """An attribute's values in their order, numbered without a gap; as declared, if they are."""
    cells = common_cells(data, column=column)[0]
    order = data.order(column)
    if order and not data.schema[column].generalised:
        cells = codes(data, column).codes.astype(np.int64)
    found, places = np.unique(cells, return_inverse=True)
    return Confidential((places - (found[0] < 0)).astype(np.int32), len(found) - int(found[0] < 0))


def as_models(step: str, given: Any) -> tuple[Model, ...]:
    """Models as a user gave them: models, or tables with the name of one.

    >>> as_models("mondrian", [{"model": "l-diversity", "l": 2}])[0].l
    2.0
    """
    from unveil.models import METHODS

    if given is None:
        return ()
    if isinstance(given, Model | dict):
        given = [given]
    if not isinstance(given, list | tuple):
        raise SpecError(f"{step}: models: a list of models")
    found = []
    for one in given:
        if isinstance(one, dict):
            spec = _model(step, one.get("model"), METHODS)
            found.append(spec(**{name: value for name, value in one.items() if name != "model"}))
        elif isinstance(one, Model):
            found.append(one)
        else:
            known = listing(method_name(spec) for spec in METHODS)
            raise SpecError(f"{step}: models: each is a table with a model, one of {known}")
    return tuple(found)


def _model(step: str, name: object, known: Sequence[type[Model]]) -> type[Model]:
    """The model of this name, or an error that lists them."""
    models = {method_name(spec): spec for spec in known}
    if not isinstance(name, str) or name not in models:
        word = "" if name is None else f"'{name}' is not a privacy model; "
        hint = suggest(str(name or ""), models)
        raise SpecError(f"{step}: models: {word}model: one of {listing(models)}{hint}")
    return models[name]


Models = Annotated[
    Any,
    Meta(
        description="What classes have to keep beside k: a table each, of a model and its "
        "parameters.",
        extra={"type": "list of tables"},
    ),
]


def set_models(spec: Any) -> None:
    """Make the models of a mask what they are, however they were given."""
    msgspec.structs.force_setattr(spec, "models", as_models(spec.step, spec.models))
