"""Roles and levels, in the vocabularies of unveil, sdcMicro and ARX."""

from typing import Literal, NamedTuple

from unveil.errors import SchemaError
from unveil.wording import listing, suggest

Role = Literal["identifier", "quasi", "confidential", "weight", "household", "stratum", "other"]
Level = Literal["numeric", "ordinal", "nominal"]

ROLE_MEANINGS: dict[Role, str] = {
    "identifier": "An attribute that names a person by itself, such as an insurance number. It "
    "does not belong in a release; in an audit it tells which rows are of the same person.",
    "quasi": "An attribute that names nobody by itself but may together with others, such as age, "
    "region and occupation. It is what an intruder is taken to know.",
    "confidential": "An attribute that people have a right to keep to themselves, such as an "
    "illness or an income. It is what an intruder hopes to learn; it may be a quasi-identifier as "
    "well.",
    "weight": "A number that says for how many people of the population a record stands.",
    "household": "The number of the household that a person lives in, which all members share.",
    "stratum": "A part of the population, such as a region, in which a sample was drawn by itself.",
    "other": "An attribute that is none of these, and that no intruder can know.",
}
ROLES: tuple[Role, ...] = tuple(ROLE_MEANINGS)
LEVELS: tuple[Level, ...] = ("numeric", "ordinal", "nominal")


class RoleMeaning(NamedTuple):
    """The meaning of a role word: one role or two, and sometimes a level."""

    roles: frozenset[Role]
    level: Level | None = None


def _meaning(*roles: Role, level: Level | None = None) -> RoleMeaning:
    return RoleMeaning(frozenset(roles), level)


_WORDS: dict[str, RoleMeaning] = {role: _meaning(role) for role in ROLES} | {
    "common": _meaning("quasi", "confidential"),
    "key": _meaning("quasi"),
    "keyVar": _meaning("quasi"),
    "keyVars": _meaning("quasi"),
    "quasi-identifier": _meaning("quasi"),
    "quasi-identifying": _meaning("quasi"),
    "numVar": _meaning("quasi", level="numeric"),
    "numVars": _meaning("quasi", level="numeric"),
    "sensitive": _meaning("confidential"),
    "sensibleVar": _meaning("confidential"),
    "identifying": _meaning("identifier"),
    "weightVar": _meaning("weight"),
    "hhId": _meaning("household"),
    "strata": _meaning("stratum"),
    "strataVar": _meaning("stratum"),
    "insensitive": _meaning("other"),
}


def _fold(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")


_FOLDED = {_fold(word): meaning for word, meaning in _WORDS.items()}


def role_meaning(word: str) -> RoleMeaning:
    """The meaning of a role word of any vocabulary."""
    try:
        return _FOLDED[_fold(word)]
    except KeyError:
        raise SchemaError(
            f"'{word}' is not a role{suggest(word, _WORDS) or f'; roles are: {listing(ROLES)}'}"
        ) from None


def is_role_word(word: str) -> bool:
    """Whether a word names a role in any vocabulary."""
    return _fold(word) in _FOLDED


def check_level(word: str) -> Level:
    """A level by its name, or an error that lists the levels."""
    for level in LEVELS:
        if word == level:
            return level
    raise SchemaError(f"'{word}' is not a level{suggest(word, LEVELS, 'levels are')}")
