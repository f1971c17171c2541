"""Compliance with privacy models: counted on the file, never taken from a claim."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from unveil.errors import SpecError, UsageError
from unveil.grouping.classes import ENTROPY, class_values, within_bound
from unveil.models.base import Model, as_models, compile_rules
from unveil.models.concealment import AssignmentModel, assignment_counts
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.models.row_counts import (
    classes_of,
    household_classes,
    population_counts,
    wildcard_counts,
)
from unveil.support.arrays import Ints
from unveil.support.specs import method_name
from unveil.table.households import required_households
from unveil.table.microdata import Microdata
from unveil.values.release.release import Release
from unveil.values.results.privacy import Promise


def check(
    data: Microdata | Release, models: Any, *, keys: Sequence[str] | None = None
) -> tuple[Promise, ...]:
    """Count on a file whether it satisfies privacy models.

    Parameters
    ----------
    data
        The records, or a release.
    models
        A model or a list of them.
    keys
        The attributes that define the classes; by default the quasi-identifiers.
    """
    if isinstance(data, Release):
        data = data.data
    if not isinstance(data, Microdata):
        raise UsageError(
            f"models are checked on Microdata or a Release, not on {type(data).__name__}; read a "
            "file with its schema (unveil.read), or make Microdata from a frame"
        )
    chosen = tuple(data.require("quasi") if keys is None else keys)
    data.check(*chosen)
    if not chosen:
        raise UsageError("keys: name at least one")
    promises = (_check(data, model, chosen) for model in as_models("check", models))
    return tuple(promise for of_model in promises for promise in of_model)


def _check(data: Microdata, model: Model, keys: tuple[str, ...]) -> list[Promise]:
    if isinstance(model, KMap):
        if not isinstance(model.population, Microdata):
            raise SpecError(
                "k-map: population: the records of the population are needed, as Microdata "
                "(unveil.read reads a file with its schema)"
            )
        return [_row_promise(model, model.k, population_counts(data, model.population, keys), keys)]
    if isinstance(model, AssignmentModel):
        return [_row_promise(model, *assignment_counts(model, data, keys), keys)]
    if isinstance(model, KAnonymity) and model.stars == "wildcard":
        return [_row_promise(model, model.k, wildcard_counts(data, keys), keys)]
    if isinstance(model, KAnonymity) and model.unit == "household":
        homes = required_households(data)
        classes_of_homes = household_classes(data, keys, homes)
        counts = np.bincount(classes_of_homes)[classes_of_homes][homes.of_record]
        return [_row_promise(model, model.k, counts, keys)]
    classes = classes_of(data, keys)
    values = class_values(compile_rules([model], data, keys), classes)
    promises = []
    for rule, column in zip(model.requirements(data, keys), values.T, strict=True):
        good = within_bound(rule.kind, column, rule.bound)
        worst = float(column.min() if rule.kind <= ENTROPY else column.max())
        promises.append(
            Promise(
                model=method_name(type(model)),
                parameters=_parameters(model),
                keys=keys,
                column=rule.column,
                asked=rule.bound,
                found=worst if np.isfinite(worst) else None,
                kept=bool(good.all()),
                records=int(classes.sizes[~good].sum()),
                n=len(data),
            )
        )
    return promises


def _row_promise(model: Model, k: int, counts: Ints, keys: tuple[str, ...]) -> Promise:
    return Promise(
        model=method_name(type(model)),
        parameters=_parameters(model),
        keys=keys,
        column=None,
        asked=float(k),
        found=float(counts.min()),
        kept=bool((counts >= k).all()),
        records=int((counts < k).sum()),
        n=len(counts),
    )


def _parameters(model: Model) -> dict[str, Any]:
    files = ("population", "originals")
    fields = {name: getattr(model, name) for name in model.__struct_fields__ if name not in files}
    return {name: value for name, value in msgspec.to_builtins(fields).items() if value is not None}
