"""What each attribute is: its roles, its level, its categories and what means missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from unveil.data.vocabulary import (
    LEVELS,
    ROLES,
    Level,
    Role,
    check_level,
    is_role_word,
    role_meaning,
)
from unveil.errors import SchemaError, count, listing, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Attribute(msgspec.Struct, frozen=True, kw_only=True):
    """What one column is.

    Parameters
    ----------
    role
        One role or several, in any vocabulary; quasi and confidential together is "common".
    level
        numeric, ordinal or nominal; left out, it is guessed from the column.
    order
        The categories of an ordinal attribute, lowest first.
    labels
        What a category's code stands for.
    missing
        Codes that mean missing.
    generalised
        Whether cells may be ranges, sets and stars (``20..24``, ``{a|b}``, ``*``).
    hierarchy
        A table: each row is a category, then its ever coarser groups.
    question
        What a guess left open; delete it when you have answered it.

    Examples
    --------
    >>> Attribute(role="keyVars", order=["low", "mid", "high"]).level
    'ordinal'
    """

    role: frozenset[Role] = frozenset()
    level: Level | None = None
    order: tuple[str, ...] = ()
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    missing: tuple[str, ...] = ()
    generalised: bool = False
    hierarchy: tuple[tuple[str, ...], ...] = ()
    question: str = ""

    def __post_init__(self) -> None:
        given: Any = self.role  # a caller may write it in any of the ways that TOML can
        meanings = [role_meaning(_text("role", word)) for word in _words("role", given)]
        levels = {meaning.level for meaning in meanings if meaning.level}
        level = None if self.level is None else check_level(_text("level", self.level))
        if level is None and levels:
            level = next(iter(levels))
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
                _labels("hierarchy", row) for row in _sequence("hierarchy", self.hierarchy)
            ),
        }.items():
            msgspec.structs.force_setattr(self, name, value)
        self._check()

    def _check(self) -> None:
        if not isinstance(self.generalised, bool):
            raise SchemaError("generalised is true or false")
        _text("question", self.question)
        if self.order and self.level != "ordinal":
            raise SchemaError(f"an order goes with level ordinal, not {self.level}")
        for name in ("order", "missing"):
            if len(set(getattr(self, name))) < len(getattr(self, name)):
                raise SchemaError(f"{name} lists a category twice")
        if set(self.order) & set(self.missing):
            raise SchemaError("a category of the order is also a code for missing")
        _check_hierarchy(self.hierarchy)

    def to_dict(self) -> dict[str, Any]:
        """What was declared, as plain values: the TOML table."""
        roles = [role for role in ROLES if role in self.role]
        declared: dict[str, Any] = {"role": roles[0] if len(roles) == 1 else roles}
        for name in self.__struct_fields__[1:]:
            value = getattr(self, name)
            declared[name] = [*value] if isinstance(value, tuple) else value
        declared["hierarchy"] = [list(row) for row in self.hierarchy]
        return {name: value for name, value in declared.items() if value}


class Schema:
    """What the columns of a table are; a column that it does not name has no role.

    Parameters
    ----------
    attributes
        For each column an :class:`Attribute`, or a mapping with its fields.
    **shorthand
        ``role=[columns]`` for each role in any vocabulary (``quasi``, ``keyVars``, ...);
        ``numeric=[columns]``, ``nominal=[columns]``, ``generalised=[columns]``;
        ``ordinal={column: order}``; ``missing``, ``labels`` and ``hierarchy`` by column.

    Examples
    --------
    >>> schema = Schema(
    ...     quasi=["age", "income"],
    ...     confidential=["income", "diagnosis"],
    ...     ordinal={"education": ["low", "mid", "high"]},
    ... )
    >>> schema
    Schema(4 attributes: 2 quasi, 2 confidential, 1 without a role)
    >>> sorted(schema["income"].role)
    ['confidential', 'quasi']
    """

    __slots__ = ("_attributes",)

    def __init__(
        self,
        attributes: Mapping[str, Attribute | Mapping[str, Any]] | None = None,
        **shorthand: Any,
    ) -> None:
        self._attributes: dict[str, Attribute] = {}
        declared = _expand(shorthand)
        if attributes is not None and not isinstance(attributes, Mapping):
            raise SchemaError("attributes is a table with one entry per column")
        for column, given in (attributes or {}).items():
            fields, short = _fields_of(column, given), declared.get(column, {"role": []})
            both = sorted(set(fields) & set(short) - {"role"})
            if both:
                raise SchemaError(f"attribute '{column}': {both[0]} is declared twice")
            roles = [*short["role"], *_words(f"the role of '{column}'", fields.get("role", ()))]
            declared[column] = short | fields | {"role": roles}
        for column, fields in declared.items():
            try:
                self._attributes[column] = Attribute(**fields)
            except SchemaError as error:
                error.at(f"attribute '{column}'")
                raise

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Schema:
        """Make a schema from plain values, as a TOML file holds them."""
        return cls(**table)

    def to_dict(self) -> dict[str, Any]:
        """The schema as plain values.

        >>> Schema(quasi="age").to_dict()
        {'attributes': {'age': {'role': 'quasi'}}}
        """
        return {"attributes": {name: a.to_dict() for name, a in self._attributes.items()}}

    @classmethod
    def infer(cls, frame: Any) -> Schema:
        """Guess the levels of a frame's columns; never a role.

        What Microdata declares already is kept. A guess that only a person can make is left
        as the attribute's ``question``.

        >>> import polars as pl
        >>> schema = Schema.infer(pl.DataFrame({"region": [1, 2, 1, 2], "name": list("abcd")}))
        >>> schema["region"].question
        '2 distinct whole numbers: a quantity (numeric), or a code (ordinal, nominal)?'
        """
        from unveil.data.guess import guess_schema
        from unveil.data.microdata import Microdata

        data = frame if isinstance(frame, Microdata) else Microdata(frame)
        return guess_schema(data)

    def with_role(self, role: str) -> tuple[str, ...]:
        """The columns that have a role, in the schema's order.

        >>> Schema(keyVars=["age", "sex"]).with_role("quasi")
        ('age', 'sex')
        """
        wanted = role_meaning(role).roles
        return tuple(name for name, a in self._attributes.items() if wanted <= a.role)

    @property
    def questions(self) -> dict[str, str]:
        """What the guesses left open, by column."""
        return {name: a.question for name, a in self._attributes.items() if a.question}

    def replace(self, attributes: Mapping[str, Attribute]) -> Schema:
        """Return a copy with some attributes replaced or added."""
        return Schema({**self._attributes, **attributes})

    def only(self, columns: Iterable[str]) -> Schema:
        """Return a copy that knows these columns only."""
        kept = set(columns)
        return Schema({name: a for name, a in self._attributes.items() if name in kept})

    def __getitem__(self, column: str) -> Attribute:
        return self._attributes.get(column, Attribute())

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def __contains__(self, column: object) -> bool:
        return column in self._attributes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self._attributes == other._attributes

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        roles = [f"{len(self.with_role(r))} {r}" for r in ROLES if self.with_role(r)]
        without = sum(not a.role for a in self._attributes.values())
        parts = roles + ([f"{without} without a role"] if without else [])
        return f"Schema({count(len(self), 'attribute')}{': ' if parts else ''}{', '.join(parts)})"


_BY_COLUMN = ("missing", "labels", "hierarchy")


def _expand(shorthand: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Turn ``role=[columns]`` and its like into the fields of each column."""
    declared: dict[str, dict[str, Any]] = {}

    def declare(column: object, field: str, value: Any) -> None:
        fields = declared.setdefault(_text("a column name", column), {"role": []})
        if field == "role":
            fields["role"].append(value)
        elif field in fields:
            raise SchemaError(f"attribute '{column}': {field} is declared twice")
        else:
            fields[field] = value

    for word, value in shorthand.items():
        if is_role_word(word):
            for column in _words(word, value):
                declare(column, "role", word)
        elif word == "ordinal" and isinstance(value, Mapping):
            for column, order in value.items():
                declare(column, "level", "ordinal")
                declare(column, "order", order)
        elif word in (*LEVELS, "generalised"):
            for column in _words(word, value):
                declare(
                    column, *(("generalised", True) if word == "generalised" else ("level", word))
                )
        elif word in _BY_COLUMN:
            if not isinstance(value, Mapping):
                raise SchemaError(f"{word} is a table with one entry per column")
            for column, entry in value.items():
                declare(column, word, entry)
        else:
            known = ("attributes", *ROLES, *LEVELS, "generalised", *_BY_COLUMN)
            raise SchemaError(
                f"'{word}' is not a key of a schema; keys are: {listing(known)}"
                f"{nearest(word, known)}"
            )
    return declared


def _fields_of(column: object, given: Attribute | Mapping[str, Any]) -> dict[str, Any]:
    _text("a column name", column)
    if isinstance(given, Attribute):
        return {field: value for field, value in msgspec.structs.asdict(given).items() if value}
    if not isinstance(given, Mapping):
        raise SchemaError(f"attribute '{column}' is a table of its role, level and so on")
    known = Attribute.__struct_fields__
    for key in given:
        if key not in known:
            raise SchemaError(
                f"attribute '{column}': '{key}' is not a key; keys are: {listing(known)}"
                f"{nearest(str(key), known)}"
            )
    return dict(given)


def _check_hierarchy(rows: tuple[tuple[str, ...], ...]) -> None:
    """A hierarchy has no hole, and no group with two parents."""
    parents: dict[tuple[int, str], str] = {}
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        if len(row) < 2 or len(row) != len(rows[0]) or "" in row:
            raise SchemaError(
                f"the hierarchy has a hole in row {number}: each row is a category and its "
                f"coarser groups, as many in every row, none of them blank"
            )
        if row[0] in seen:
            raise SchemaError(f"the hierarchy lists the category of row {number} twice")
        seen.add(row[0])
        for depth in range(1, len(row) - 1):
            if parents.setdefault((depth, row[depth]), row[depth + 1]) != row[depth + 1]:
                raise SchemaError(
                    f"in the hierarchy, a group at level {depth} belongs to two groups of "
                    f"level {depth + 1} (second one in row {number})"
                )


def _sequence(field: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise SchemaError(f"{field} is a list of words")
    return tuple(value)


def _words(field: str, value: Any) -> tuple[Any, ...]:
    """One word or a list of them."""
    return (value,) if isinstance(value, str) else _sequence(field, value)


def _text(field: str, value: object) -> str:
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
    return _text(f"each entry of {field}", value)


def _labels(field: str, values: Any) -> tuple[str, ...]:
    return tuple(_label(field, value) for value in _sequence(field, values))


def _label_table(values: Any) -> dict[str, str]:
    if not isinstance(values, Mapping):
        raise SchemaError("labels is a table from a category to its label")
    return {_label("labels", key): _text("a label", label) for key, label in values.items()}
