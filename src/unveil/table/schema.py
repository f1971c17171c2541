"""The schema: the roles and levels of the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from unveil.errors import SchemaError, UsageError
from unveil.support import display
from unveil.support.checked_calls import checked_class
from unveil.table.attribute import FLAGS, Attribute, text, words
from unveil.table.roles import LEVELS, ROLES, is_role_word, role_meaning
from unveil.wording import count, fitted, suggest

_UNDECLARED = Attribute()


@checked_class
class Schema:
    """The roles and levels of the columns of a table; a column that it does not name has no role.

    Parameters
    ----------
    attributes
        For each column an ``Attribute``, or a mapping with its fields.
    **shorthand
        ``role=[columns]`` for each role in any vocabulary (``quasi``, ``keyVars``, ...);
        ``numeric=[columns]``, ``nominal=[columns]``, ``generalised=[columns]``,
        ``per_household=[columns]``, ``visible=[columns]``;
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

    __slots__ = ("_attributes", "lenient")

    def __init__(
        self,
        attributes: Mapping[str, Attribute | Mapping[str, Any]] | None = None,
        /,
        **shorthand: Any,
    ) -> None:
        self._attributes: dict[str, Attribute] = {}
        self.lenient = False  # whether it may name columns that a table does not have
        attributes = shorthand.pop("attributes", attributes)  # the key of a TOML file
        declared = _expand(shorthand)
        if attributes is not None and not isinstance(attributes, Mapping):
            raise SchemaError("attributes is a table with one entry per column")
        for column, attribute in (attributes or {}).items():
            fields, short = _fields_of(column, attribute), declared.get(column, {"role": []})
            repeated = sorted(set(fields) & set(short) - {"role"})
            if repeated:
                raise SchemaError(f"attribute '{column}': {repeated[0]} is declared twice")
            roles = [*short["role"], *words(f"the role of '{column}'", fields.get("role", ()))]
            declared[column] = short | fields | {"role": roles}
        for column, fields in declared.items():
            try:
                self._attributes[column] = Attribute(**fields)
            except SchemaError as error:
                error.at(f"attribute '{column}'")
                raise

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Schema:
        """Make a schema from plain values, as in a TOML file."""
        return cls(**table)

    def to_dict(self) -> dict[str, Any]:
        """The schema as plain values."""
        return {"attributes": {name: a.to_dict() for name, a in self._attributes.items()}}

    @classmethod
    def infer(cls, frame: Any) -> Schema:
        """Guess the levels of a frame's columns; never a role.

        Declarations of Microdata are kept. Two distinct whole numbers are a code. A doubt that
        only a person can resolve is left as the attribute's ``question``.

        >>> import polars as pl
        >>> schema = Schema.infer(pl.DataFrame({"sex": [1, 2, 1], "region": [1, 2, 3]}))
        >>> schema["sex"].level
        'nominal'
        >>> schema["region"].question
        '3 distinct whole numbers: a quantity (numeric), or a code (ordinal, nominal)?'
        """
        from unveil.table.infer import propose_attribute
        from unveil.table.microdata import Microdata

        data = frame if isinstance(frame, Microdata) else Microdata(frame)
        return cls(
            {
                name: data.schema[name]
                if name in data.schema
                else propose_attribute(data.column(name), ordered=bool(data.order(name)))
                for name in data.columns
            }
        )

    def with_role(self, role: str) -> tuple[str, ...]:
        """The columns that have a role, in the schema's order."""
        wanted = role_meaning(role).roles
        return tuple(name for name, a in self._attributes.items() if wanted <= a.role)

    def role_counts(self) -> list[str]:
        """How many attributes have each role, in words."""
        return [f"{n} {role}" for role in ROLES if (n := len(self.with_role(role)))]

    @property
    def questions(self) -> dict[str, str]:
        """Questions that the guesses left open, by column."""
        return {name: a.question for name, a in self._attributes.items() if a.question}

    def only(self, columns: Iterable[str]) -> Schema:
        """A copy with these columns only."""
        kept = set(columns)
        return Schema({name: a for name, a in self._attributes.items() if name in kept})

    def filled_from(self, file_schema: Schema) -> Schema:
        """The schema, completed by what the data file itself declares.

        >>> file_schema = Schema(nominal="sex", labels={"sex": {1: "female", 2: "male"}})
        >>> Schema(quasi="sex").filled_from(file_schema)["sex"].labels["2"]
        'male'
        """
        names = (*self, *file_schema)
        filled = Schema({name: self[name].filled_from(file_schema[name]) for name in names})
        filled.lenient = self.lenient
        return filled

    def updated(self, attributes: Mapping[str, Attribute]) -> Schema:
        """A copy with further or other attributes."""
        return Schema(self._attributes | dict(attributes))

    def where_there(self) -> Schema:
        """A copy that may name columns that a table lacks, as a release lacks identifiers."""
        lenient = Schema(self._attributes)
        lenient.lenient = True
        return lenient

    def __getitem__(self, column: str) -> Attribute:
        if not isinstance(column, str):
            raise UsageError(f"a column is named by text, not {type(column).__name__}")
        return self._attributes.get(column, _UNDECLARED)

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
        roles = self.role_counts()
        without = sum(not a.role for a in self._attributes.values())
        parts = roles + ([f"{without} without a role"] if without else [])
        listed = f"{': ' if parts else ''}{', '.join(parts)}"
        return fitted(f"Schema({count(len(self), 'attribute')}{listed})")

    _repr_html_ = display.html


_BY_COLUMN = ("missing", "labels", "hierarchy")


def _expand(shorthand: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Turn ``role=[columns]`` and its like into the fields of each column."""
    declared: dict[str, dict[str, Any]] = {}
    for word, value in shorthand.items():
        for column, field, entry in _declarations(word, value):
            fields = declared.setdefault(text("a column name", column), {"role": []})
            if field == "role":
                fields["role"].append(entry)
            elif field in fields:
                raise SchemaError(f"attribute '{column}': {field} is declared twice")
            else:
                fields[field] = entry
    return declared


def _declarations(word: str, value: Any) -> Iterator[tuple[Any, str, Any]]:
    """The declarations of one word of the shorthand: column, field, value."""
    if is_role_word(word):
        yield from ((column, "role", word) for column in words(word, value))
    elif word in FLAGS:
        yield from ((column, word, True) for column in words(word, value))
    elif word == "ordinal" and isinstance(value, Mapping):
        yield from ((column, "level", "ordinal") for column in value)
        yield from ((column, "order", order) for column, order in value.items())
    elif word in LEVELS:
        yield from ((column, "level", word) for column in words(word, value))
    elif word in _BY_COLUMN:
        if not isinstance(value, Mapping):
            raise SchemaError(f"{word} is a table with one entry per column")
        yield from ((column, word, entry) for column, entry in value.items())
    else:
        known = ("attributes", *ROLES, *LEVELS, *FLAGS, *_BY_COLUMN)
        raise SchemaError(f"'{word}' is not a key of a schema{suggest(word, known, 'keys are')}")


def _fields_of(column: object, attribute: Attribute | Mapping[str, Any]) -> dict[str, Any]:
    text("a column name", column)
    if isinstance(attribute, Attribute):
        return {field: value for field, value in msgspec.structs.asdict(attribute).items() if value}
    if not isinstance(attribute, Mapping):
        raise SchemaError(f"attribute '{column}' is a table of its role, level and so on")
    known = Attribute.__struct_fields__
    for key in attribute:
        if key not in known:
            raise SchemaError(
                f"attribute '{column}': '{key}' is not a key{suggest(key, known, 'keys are')}"
            )
    return dict(attribute)
