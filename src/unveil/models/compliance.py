"""Whether a file keeps privacy models: counted on the file, never taken from who made it."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from unveil.errors import SpecError, UsageError
from unveil.grouping.classes import ENTROPY, class_values, within_bound
from unveil.models.base import Model, as_models, compile_rules
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.models.row_counts import classes_of, population_counts, wildcard_counts
from unveil.support.arrays import Ints
from unveil.support.specs import method_name
from unveil.table.microdata import Microdata
from unveil.values.release.release import Release
from unveil.values.results.privacy import Promise


def check(
    data: Microdata | Release, models: Any, *, keys: Sequence[str] | None = None
) -> tuple[Promise, ...]:
    """Count on a file whether it keeps privacy models.

    Parameters
    ----------
    data
        The records, or a release.
    models
        A model or a list of them.
    keys
        The attributes in which records of a class are alike; if not given, the
        quasi-identifiers.

    >>> import unveil
    >>> from unveil.models import KAnonymity, LDiversity
    >>> people = unveil.households(300, seed=7)
    >>> asked = [KAnonymity(k=2), LDiversity(l=2, columns=["marital_status"])]
    >>> [one.kept for one in check(people, asked, keys=["sex", "region", "education"])]
    [False, False]
    """
    if isinstance(data, Release):
        data = data.data
    if not isinstance(data, Microdata):
        raise UsageError(
            f"models are counted on Microdata or a Release, not on {type(data).__name__}: read a "
            "file with its schema (unveil.read), or make Microdata of a frame"
        )
    chosen = tuple(data.require("quasi") if keys is None else keys)
    data.check(*chosen)
    if not chosen:
        raise UsageError("keys: at least one, or everybody is like everybody")
    found: list[Promise] = []
    for model in as_models("check", models):
        found.extend(_checked(data, model, chosen))
    return tuple(found)


def _checked(data: Microdata, model: Model, keys: tuple[str, ...]) -> list[Promise]:
    if isinstance(model, KMap):
        if not isinstance(model.population, Microdata):
            raise SpecError(
                "k-map: population: the records of the population are needed, as Microdata "
                "(unveil.read reads a file with its schema)"
            )
        return [_by_row(model, model.k, population_counts(data, model.population, keys), keys)]
    if isinstance(model, KAnonymity) and model.stars == "wildcard":
        return [_by_row(model, model.k, wildcard_counts(data, keys), keys)]
    classes = classes_of(data, keys)
    rules, asked = compile_rules([model], data, keys), model.requirements(data, keys)
    made = []
    for one, values in zip(asked, class_values(rules, classes).T, strict=True):
        good = within_bound(one.kind, values, one.bound)
        worst = float(values.min() if one.kind <= ENTROPY else values.max())
        made.append(
            Promise(
                model=method_name(type(model)),
                parameters=_parameters(model),
                keys=keys,
                column=one.column,
                asked=one.bound,
                found=worst if np.isfinite(worst) else None,
                kept=bool(good.all()),
                records=int(classes.sizes[~good].sum()),
                n=len(data),
            )
        )
    return made


def _by_row(model: Model, k: int, counts: Ints, keys: tuple[str, ...]) -> Promise:
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
    fields = {name: getattr(model, name) for name in model.__struct_fields__}
    plain = {name: value for name, value in fields.items() if name != "population"}
    made: dict[str, Any] = msgspec.to_builtins(plain)
    return {name: value for name, value in made.items() if value is not None}
