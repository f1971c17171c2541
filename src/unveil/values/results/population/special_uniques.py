"""Special uniques: records that few attributes single out, and which attributes these are."""

from dataclasses import dataclass

import msgspec

from unveil.support.arrays import Floats, Ints
from unveil.wording import count


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


@dataclass(frozen=True, repr=False, eq=False)
class Suda:
    """The scores of all records, and their summary."""

    scores: Floats  # 0 where a record is not unique
    dis_scores: Floats | None  # probability that a match is right; None: no fraction is known
    smallest: Ints  # attributes that single a record out; 0 where none do
    minimal: Ints  # number of minimal sample uniques
    contributions: Floats  # of records x columns: share of the score
    summary: SpecialUniques

    def __repr__(self) -> str:
        found = self.summary
        return (
            f"Suda({count(found.n, 'record')}; {count(found.uniques, 'unique')}, "
            f"{found.special:,} of them special)"
        )
