"""An attribute: the role, level, categories and missing codes of one column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from unveil.errors import SchemaError
from unveil.table.hierarchies import check_hierarchy
from unveil.table.roles import ROLES, Level, Role, check_level, role_meaning

FLAGS = ("generalised", "per_household", "visible")


class Attribute(msgspec.Struct, frozen=True, kw_only=True):
    """The declaration of one column.

    >>> Attribute(role="keyVars", order=["low", "mid", "high"]).level
    'ordinal'
    """

    # In any vocabulary; quasi and confidential is "common". An empty word is no role yet.
    role: frozenset[Role] = frozenset()
    level: Level | None = None  # None: it is guessed from the column
    order: tuple[str, ...] = ()  # the categories of an ordinal attribute, lowest first
    label: str = ""  # the column in words
    labels: dict[str, str] = msgspec.field(default_factory=dict)  # the meaning of each code
    missing: tuple[str, ...] = ()  # codes that mean missing
    # Whether cells may be ranges, sets, prefixes and stars (20..24, {a|b}, 010*, *), or groups of
    # the hierarchy.
    generalised: bool = False
    per_household: bool = False  # whether it describes the household, so that members share it
    visible: bool = False  # whether a neighbour or a colleague can see it
    hierarchy: tuple[tuple[str, ...], ...] = ()  # rows: a category, then its coarser groups
    # Of a released attribute: each new category, and the original ones that it stands for.
    merged: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    question: str = ""  # a doubt of the guess; delete it once it is resolved

    def __post_init__(self) -> None:
        role: Any = self.role  # a caller may write it in any of the ways that TOML can
        meanings = [role_meaning(text("role", word)) for word in words("role", role) if word != ""]
        levels = {meaning.level for meaning in meanings if meaning.level}
        level = None if self.level is None else check_level(text("level", self.level))
        if levels and level is None:
            level = next(iter(levels))
        elif levels and level not in levels:
            raise SchemaError(
                f"its role implies level {next(iter(levels))}, its level is {level}; correct one"
            )
        order = _labels("order", self.order)
        if level is None and order:
            level = "ordinal"
        for name, value in {
            "role": frozenset[Role]().union(*(meaning.roles for meaning in meanings)),
            "level": level,
            "order": order,
            "labels": _label_table(self.labels),
            "missing": _labels("missing", self.missing),
            "hierarchy": tuple(
                _labels("hierarchy", row) for row in sequence("hierarchy", self.hierarchy)
            ),
            "merged": _merged(self.merged),
        }.items():
            msgspec.structs.force_setattr(self, name, value)
        self._check()

    def _check(self) -> None:
        for name in FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise SchemaError(f"{name} is true or false")
        text("label", self.label)
        text("question", self.question)
        if self.order and self.level != "ordinal":
            raise SchemaError(f"an order goes with level ordinal, not {self.level}")
        for name in ("order", "missing"):
            if len(set(getattr(self, name))) < len(getattr(self, name)):
                raise SchemaError(f"{name} lists a category twice")
        if set(self.order) & set(self.missing):
            raise SchemaError("a category of the order is also a code for missing")
        if self.generalised and "*" in self.missing:
            raise SchemaError("a star in a generalised column is not missing")
        check_hierarchy(self.hierarchy)
        members = [member for several in self.merged.values() for member in several]
        if len(set(members)) < len(members):
            raise SchemaError("merged: a category of the original is in two new ones")
        if self.order and not set(self.order) >= set(self.merged):
            raise SchemaError("merged: a new category is not in the order: list it there")

    @property
    def doubt(self) -> str:
        """The question in brackets, to end a message with; blank if there is none."""
        return f" ({self.question})" if self.question else ""

    def filled_from(self, in_file: Attribute) -> Attribute:
        """The declaration, completed by what the data file itself declares of the column.

        A missing code of the file is missing, unless it is declared to be a category.

        >>> in_file = Attribute(level="nominal", labels={"1": "yes"}, missing=["9"])
        >>> Attribute(role="quasi", missing=["8"]).filled_from(in_file).missing
        ('8', '9')
        """
        known = {*self.missing, *self.order, *(row[0] for row in self.hierarchy)}
        filled: dict[str, Any] = {
            "missing": (*self.missing, *(code for code in in_file.missing if code not in known)),
            "label": self.label or in_file.label,
            "labels": in_file.labels | self.labels,
        }
        if self.level is None and not self.generalised:
            filled |= {"level": in_file.level, "question": self.question or in_file.question}
        return msgspec.structs.replace(self, **filled)

    def to_dict(self) -> dict[str, Any]:
        """The declaration as plain values, as in a TOML table."""
        roles = [role for role in ROLES if role in self.role]
        declared: dict[str, Any] = {"role": roles[0] if len(roles) == 1 else roles}
        for name in self.__struct_fields__[1:]:
            value = getattr(self, name)
            declared[name] = [*value] if isinstance(value, tuple) else value
        declared["hierarchy"] = [list(row) for row in self.hierarchy]
        declared["merged"] = {label: list(members) for label, members in self.merged.items()}
        return {name: value for name, value in declared.items() if value}


def sequence(field: str, value: Any) -> tuple[Any, ...]:
    """A list, or an error that names the field."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise SchemaError(f"{field} is a list of words")
    return tuple(value)


def words(field: str, value: Any) -> tuple[Any, ...]:
    """One word or a list of them."""
    return (value,) if isinstance(value, str) else sequence(field, value)


def text(field: str, value: object) -> str:
    """A text, or an error that names the field."""
    if not isinstance(value, str):
        raise SchemaError(f"{field} is text, not {type(value).__name__}")
    return value


def _label(field: str, value: object) -> str:
    """A category as text, however the user wrote it: 1 and "1" are one category."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    return text(f"each entry of {field}", value)


def _labels(field: str, values: Any) -> tuple[str, ...]:
    return tuple(_label(field, value) for value in sequence(field, values))


def _label_table(values: Any) -> dict[str, str]:
    if not isinstance(values, Mapping):
        raise SchemaError("labels is a table from a category to its label")
    return {_label("labels", key): text("a label", label) for key, label in values.items()}


def _merged(values: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(values, Mapping):
        raise SchemaError("merged is a table from a new category to those that it stands for")
    return {_label("merged", key): _labels("merged", members) for key, members in values.items()}
