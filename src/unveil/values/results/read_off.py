"""Reading off: the suppressed and generalised cells that other cells of a release give away."""

from dataclasses import dataclass

import msgspec

from unveil.table.microdata import Microdata
from unveil.wording import count


class ReadOffColumn(msgspec.Struct, frozen=True, kw_only=True):
    """The cells of one column that can be read off; those whose original is known are counted."""

    column: str
    suppressed: int  # missing or a star, and not so in the original
    returned: int  # of these, cells that come back as they were
    generalised: int  # ranges and sets
    resolved: int  # of these, cells that come back as they were
    narrowed: int  # cells of either kind that stand for fewer values than before
    wrong: int  # cells whose original is not among the values read off; they stay as they are
    relations: dict[str, int]  # what the cells come back or are narrowed by, and how many


class ReadOff(msgspec.Struct, frozen=True, kw_only=True):
    """Derivable cells of a release, and the smallest class before and after.

    A suppressed or generalised cell can come back from the cells of other members of the household,
    from a category that determines it, from sums, or from orders. Counted are relations that hold
    for every record of the original.
    """

    columns: tuple[ReadOffColumn, ...]  # with suppressed or generalised cells
    suppressed: int  # these and the next: over all columns
    returned: int
    generalised: int
    resolved: int
    narrowed: int
    wrong: int
    keys: tuple[str, ...]  # the quasi-identifiers
    smallest: int | None  # class of equal records in the release; None: no keys
    smallest_filled: int | None  # the same with what can be read off filled in

    @property
    def note(self) -> str:
        """That classes of equal records become smaller, without a full stop; empty if not."""
        before, after = self.smallest or 0, self.smallest_filled or 0
        if after >= before:
            return ""
        return (
            "classes of equal records are counted on the released file: the smallest has "
            f"{count(before, 'record')}, and {after:,} after derivable cells are filled in"
        )


@dataclass(frozen=True, repr=False, eq=False)
class FilledRelease:
    """A release with the cells filled in that can be read off, and their counts."""

    data: Microdata
    found: ReadOff
