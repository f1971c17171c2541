"""Schemas, plans, policies and spaces: the TOML files that people write by hand."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from unveil.errors import FileError, SchemaError, SpecError, UnveilError, UsageError, errors_at
from unveil.files.locations import TrustedPlaces, as_path
from unveil.masks import METHODS, Mask
from unveil.support.rules import kind_words
from unveil.support.specs import kebab_case
from unveil.table.schema import Schema
from unveil.values.release.plan import Plan
from unveil.values.results.policy import Policy
from unveil.values.search_space import OFF, Combination, SearchSpace
from unveil.wording import reason, suggest

T = TypeVar("T")
PLAN_SETTINGS = ("seed", "keep_order", "household")
PLAN_KEYS = (*PLAN_SETTINGS, "version", "mask")


def to_toml(document: Schema | Plan | Policy | SearchSpace) -> bytes:
    """Return the bytes of the document's TOML file."""
    return msgspec.toml.encode(document.to_dict())


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """Read a schema from its TOML file.

    A file has a table ``[attributes.NAME]`` for each column, or lists such as
    ``quasi = ["age", "sex"]``, or both.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "survey.toml")
    ...     _ = path.write_text('keyVars = ["age", "sex"]')
    ...     read_schema(path).with_role("quasi")
    ('age', 'sex')
    """
    return _read(path, "schema", Schema.from_dict, SchemaError)


def as_schema(schema: Schema | str | os.PathLike[str] | None) -> Schema | None:
    """Return a schema, read from its file if a path is given."""
    return _value_or_file(schema, Schema, read_schema)


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a policy from its TOML file: a line for each limit.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "policy.toml")
    ...     _ = path.write_text("max_risk = 0.05")
    ...     read_policy(path).max_risk
    0.05
    """
    return _read(path, "policy", lambda table: Policy(**table), SpecError)


def as_policy(policy: Policy | str | os.PathLike[str] | None) -> Policy | None:
    """Return a policy, read from its file if a path is given."""
    return _value_or_file(policy, Policy, read_policy)


def read_space(path: str | os.PathLike[str]) -> SearchSpace:
    r"""Read the space of a search from its TOML file.

    A table ``[[combination]]`` has a name and a table ``[[combination.mask]]`` for each step, in
    which a parameter may be a range. ``[[fixed]]`` steps begin every plan; ``forbid`` lists methods
    that no plan uses, ``unchanged`` columns that stay as they are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> swap = 'method = "rank-swapping"\np = { from = 1, to = 41 }'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "space.toml")
    ...     _ = path.write_text(f'[[combination]]\nname = "swapped"\n[[combination.mask]]\n{swap}')
    ...     read_space(path)["swapped"].tables((0.5,))
    ({'method': 'rank-swapping', 'p': 21},)
    """
    return _read(path, "space", space_from, SpecError)


def as_space(space: SearchSpace | str | os.PathLike[str] | None) -> SearchSpace | None:
    """Return a space, read from its file if a path is given."""
    return _value_or_file(space, SearchSpace, read_space)


def space_from(table: Mapping[str, Any]) -> SearchSpace:
    """Make a space from the plain values of its TOML file.

    Each mask is made at the ends and in the middle of its ranges, so that a wrong parameter is
    refused before anything is searched.
    """
    for number, step in enumerate(_tables(table, "fixed"), start=1):
        with errors_at(f"fixed step {number}"):
            mask_from(step)
    for one in _tables(table, "combination"):
        _tables(one, "mask", "combination.mask")
        combination = Combination(**one)
        with errors_at(f"combination '{combination.name}'"):
            for place in (0.0, 0.5, 1.0):
                low = [max(place, OFF * one.range.or_none) for one in combination.dimensions]
                for step in combination.tables(tuple(low)):
                    mask_from(step)
    return SearchSpace(**table)


def _tables(table: Mapping[str, Any], key: str, name: str = "") -> list[dict[str, Any]]:
    """The tables of a list in a space."""
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise SpecError(f"a space has a table [[{name or key}]] for each {key}")
    return found


def read_plan(path: str | os.PathLike[str], *, allow: Sequence[str] = ()) -> Plan:
    r"""Read a plan from its TOML file.

    The file has a table ``[[mask]]`` for each step, with the method's name and its
    parameters, and may have a ``seed``, ``keep_order`` and ``household``. What it names (a
    population) is read if it is a file in the plan's own folder; a database, or a file elsewhere,
    only if ``allow`` lists it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "plan.toml")
    ...     _ = path.write_text('seed = 7\n[[mask]]\nmethod = "rank-swapping"\np = 8')
    ...     read_plan(path).masks[0].p
    8.0
    """
    plan = _read(path, "plan", plan_from, SpecError)
    places = TrustedPlaces(Path(path).parent, allow, Path(path).name)
    return replace(plan, locate=partial(places.find, what="plan"), file=str(path))


def plan_from(table: Mapping[str, Any]) -> Plan:
    """Make a plan from the plain values of its TOML file."""
    for key in table:
        if key not in PLAN_KEYS:
            raise SpecError(f"'{key}' is not a key of a plan{suggest(key, PLAN_KEYS, 'keys are')}")
    steps = table.get("mask")
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise SpecError("a plan has a table [[mask]] for each step, in order")
    masks = []
    for number, step in enumerate(steps, start=1):
        with errors_at(f"step {number}"):
            masks.append(mask_from(step))
    settings = {key: table[key] for key in PLAN_SETTINGS if key in table}
    return Plan(tuple(masks), **settings, version=str(table.get("version", "")))


def mask_from(mask: Any) -> Mask:
    """A mask from its spec, its name (shuffle), or a table with its method, as in a plan.

    >>> mask_from({"method": "rank-swapping", "p": 5}).p
    5.0
    """
    if isinstance(mask, Mask):
        return mask
    table = {"method": mask} if isinstance(mask, str) else mask
    if not isinstance(table, Mapping):
        raise UsageError(f"a mask is one of unveil.masks, not {kind_words(mask)}")
    parameters = {name: value for name, value in table.items() if name != "method"}
    return METHODS.find(table.get("method"))(**parameters)


def _value_or_file(
    value: Any, kind: type[T], read: Callable[[str | os.PathLike[str]], T]
) -> T | None:
    if value is None or isinstance(value, kind):
        return value
    if isinstance(value, str | os.PathLike):
        return read(value)
    name = kind.__name__
    words = kebab_case(name).replace("-", " ")
    raise UsageError(f"a {words} is a {name} or a path, not {type(value).__name__}")


def _read(
    path: str | os.PathLike[str],
    document: str,
    make: Callable[[dict[str, Any]], T],
    error_class: type[UnveilError],
) -> T:
    """Make a value from a TOML file; every error names the file."""
    path = as_path(path)
    with errors_at(str(path)):
        try:
            return make(msgspec.toml.decode(path.read_text(encoding="utf-8-sig")))
        except OSError as error:
            raise FileError(f"the {document} cannot be read: {reason(error)}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise error_class(f"this is not TOML: {error}; correct it there") from None
        except ValueError:  # Python's limit
            raise error_class("a number has thousands of digits: write a shorter one") from None
        except RecursionError:
            raise error_class(f"the {document} is nested too deeply: flatten it") from None
