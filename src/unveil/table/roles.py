"""Roles and levels, in the vocabularies of unveil, sdcMicro and ARX."""

from typing import Literal, NamedTuple

from unveil.errors import SchemaError
from unveil.wording import listing, suggest

Role = Literal["identifier", "quasi", "confidential", "weight", "household", "stratum", "other"]
Level = Literal["numeric", "ordinal", "nominal"]

ROLE_MEANINGS: dict[Role, str] = {
    "identifier": "An attribute that names a person, such as an insurance number. It does not "
    "belong in a release; in an audit it can state the true links.",
    "quasi": "An attribute that identifies people only in combination with others, such as age, "
    "region and occupation. Intruders are assumed to know it.",
    "confidential": "An attribute that people have a right to keep private, such as an illness "
    "or an income. An intruder wants to learn it; it may also be a quasi-identifier.",
    "weight": "The number of people of the population that a record represents.",
    "household": "The number of a person's household, shared by all members.",
    "stratum": "A part of the population, such as a region, that was sampled separately.",
    "other": "An attribute with none of these roles that no intruder can know.",
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
