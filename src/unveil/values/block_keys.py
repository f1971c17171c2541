"""Names of blocks: a column, or a column and the key of its cells after a colon."""

from collections.abc import Iterable

from unveil.errors import SpecError
from unveil.wording import suggest

KEYS = ("soundex", "year", "month", "day")


def split_block(block: str, columns: Iterable[str]) -> tuple[str, str]:
    """The column of a block, and its key: one of KEYS, a number of characters, or blank.

    >>> split_block("postcode:3", ["postcode"]), split_block("sex", ["sex"])
    (('postcode', '3'), ('sex', ''))
    """
    column, colon, key = block.rpartition(":")
    if not colon or block in columns:
        return block, ""
    if key not in KEYS and not (key.isdecimal() and 0 < int(key) <= 1000):
        near = suggest(key, KEYS, "keys are a number of characters, or")
        raise SpecError(f"blocks: '{key}' of '{block}' is not a key{near}")
    return column, key


def block_columns(blocks: Iterable[str], columns: Iterable[str]) -> tuple[str, ...]:
    """The columns of blocks, each once."""
    columns = tuple(columns)
    return tuple(dict.fromkeys(split_block(block, columns)[0] for block in blocks))
