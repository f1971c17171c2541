"""Special uniques: records that few attributes single out, and which attributes these are."""

import msgspec


class KeyContribution(msgspec.Struct, frozen=True, kw_only=True):
    """The share of the score of all records from minimal sets that hold an attribute."""

    column: str
    share: float  # from 0 to 1; sets hold several attributes, so that shares sum to more than 1


class CategoryContribution(msgspec.Struct, frozen=True, kw_only=True):
    """The share of the score of all records from minimal sets that hold a category."""

    column: str
    name: str  # declared, or a letter: never a cell
    n: int  # records
    share: float


class MinimalSet(msgspec.Struct, frozen=True, kw_only=True):
    """A set of attributes, and the records that are alone in it but in no part of it."""

    columns: tuple[str, ...]
    records: int


class SpecialUniques(msgspec.Struct, frozen=True, kw_only=True):
    """Minimal sample uniques of a file: by size, attribute, category and set of attributes."""

    columns: tuple[str, ...]
    max_size: int  # of the sets that were searched
    n: int
    uniques: int  # records alone in all columns
    special: int  # of these, records alone in fewer columns
    by_size: tuple[int, ...]  # minimal sample uniques of 1, 2, ... attributes
    highest: float  # score
    dis: float | None  # probability that a match with a unique is right; None: not known
    attributes: tuple[KeyContribution, ...]  # in the order of the columns
    categories: tuple[CategoryContribution, ...]
    sets: tuple[MinimalSet, ...]  # of which most records are minimal; the first ten
